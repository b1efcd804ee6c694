// Where samples stand on the plane, and what stands at a place.

import { STRIP } from "./plane.js";

// The same for a sample each time.
const shake = (row, salt) => {
  const x = Math.sin((row + 1) * 12.9898 + salt) * 43758.5453;
  return x - Math.floor(x) - 0.5;
};

export function spotOf(s, row, x, y, target) {
  const { g } = s;
  const { axes, kind } = s.data.surface;
  const along = (v, axis, map, gap, salt) =>
    v === null ? gap + 12 * shake(row, salt) : map(v + (axis.names ? 0.62 * shake(row, salt) : 0));
  const px = along(x, axes[0], g.X, g.left - STRIP / 2 - 2, 631);
  if (!g.one) return [px, along(y, axes[1], g.Y, g.top + g.h + STRIP / 2 + 2, 397)];
  if (kind === "number") return [px, g.Y(target)];
  return [px, g.top + g.h + g.rug * (0.5 + 0.75 * shake(row, 397))];
}

export function placePoints(s) {
  const { points } = s.data.surface;
  s.spots = points.row.map((row, i) => spotOf(s, row, points.x[i], points.y?.[i] ?? null, points.target[i]));
}

export const NEAR = 9;
export const NEAR_TOUCH = 18;

export function nearestPoint(s, px, py, reach) {
  let best = null;
  let least = reach;
  s.spots.forEach(([x, y], i) => {
    const d = Math.hypot(x - px, y - py);
    if (d <= least) {
      least = d;
      best = i;
    }
  });
  return best;
}

export function valuesAt(s, px, py) {
  const { g } = s;
  const value = (t, axis) => {
    const v = axis.low + t * (axis.high - axis.low);
    return axis.names ? Math.min(Math.max(Math.round(v), 0), axis.names.length - 1) : v;
  };
  return { x: value((px - g.left) / g.w, g.x), y: value(1 - (py - g.top) / g.h, g.y) };
}
