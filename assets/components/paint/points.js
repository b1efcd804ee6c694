// The points of a drawing, {x, y, c}, and what a hand does to them; nothing here draws. Every act returns a new list.

export const SPAN = 10;
export const MOST = 2000;
const SPRAY = 4; // points of the brush at a time

const inside = (v) => Math.min(Math.max(v, 0), SPAN);

export function added(points, { x, y, c }) {
  return points.length >= MOST ? points : [...points, { x: inside(x), y: inside(y), c }];
}

// A few points around a place; `chance` gives numbers from 0 to 1.
export function sprayed(points, { x, y, c }, radius, chance = Math.random) {
  let all = points;
  for (let i = 0; i < SPRAY; i++) {
    const angle = 2 * Math.PI * chance();
    const far = radius * Math.sqrt(chance());
    all = added(all, { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle), c });
  }
  return all;
}

// The number of the nearest point within reach, or -1.
export function nearest(points, { x, y }, reach) {
  let best = -1;
  let least = reach;
  points.forEach((p, i) => {
    const far = Math.hypot(p.x - x, p.y - y);
    if (far <= least) [best, least] = [i, far];
  });
  return best;
}

export const moved = (points, i, { x, y }) =>
  points.map((p, j) => (j === i ? { ...p, x: inside(x), y: inside(y) } : p));

export const removed = (points, i) => (i < 0 ? points : points.filter((_, j) => j !== i));

// Where a key takes the cursor; undefined where it means nothing.
export function cursorAfter({ x, y }, { key, shiftKey }) {
  const step = shiftKey ? 1 : 0.25;
  const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[key];
  return by && { x: inside(x + by[0]), y: inside(y + by[1]) };
}
