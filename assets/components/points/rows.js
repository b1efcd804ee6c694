// Rows [x, y] of a plane and what a hand does to them; nothing here draws.

const STEPS = 10; // of a unit

const within = (value, { low, high }) => Math.round(Math.min(Math.max(value, low), high) * STEPS) / STEPS;

// The share of the axis that lies below a value.
export const placed = (value, { low, high }) => (value - low) / (high - low);

// The rows with one of them at another place, on the plane and on its grid.
export function carried(rows, i, [x, y], plane) {
  return rows.map((row, j) => (j === i ? [within(x, plane), within(y, plane)] : row));
}

// The number of the nearest row within reach, or -1.
export function nearest(rows, [x, y], reach) {
  let best = -1;
  let least = reach;
  rows.forEach((row, i) => {
    const far = Math.hypot(row[0] - x, row[1] - y);
    if (far <= least) [best, least] = [i, far];
  });
  return best;
}

// The next row to the right (1) or to the left (-1), and from the last one on to the first.
export function nextTo(rows, i, by) {
  const order = rows.map((_, j) => j).sort((a, b) => rows[a][0] - rows[b][0] || a - b);
  return order[(order.indexOf(i) + by + rows.length) % rows.length];
}

// A row and its place in a text, as it travels.
export const written = (i, [x, y]) => `${i}-${x}-${y}`;
