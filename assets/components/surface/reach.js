// Where a node's part of the plane reaches, and a cut across it.

import { round } from "../shared/numbers.js";

// The rectangle around the boxes of the selected node, on the canvas; all of the plane where no box is lit.
export function reach({ g, boxes, lit }) {
  const all = { x0: g.left, x1: g.left + g.w, y0: g.top, y1: g.top + g.h };
  const mine = lit?.size ? (boxes ?? []).filter((box) => lit.has(box.leaf)) : [];
  if (!mine.length) return all;
  const within = (v, low, high) => Math.min(Math.max(v, low), high);
  return {
    x0: within(Math.min(...mine.map((box) => g.X(box.x0))), all.x0, all.x1),
    x1: within(Math.max(...mine.map((box) => g.X(box.x1))), all.x0, all.x1),
    y0: g.one ? all.y0 : within(Math.min(...mine.map((box) => g.Y(box.y1))), all.y0, all.y1),
    y1: g.one ? all.y1 : within(Math.max(...mine.map((box) => g.Y(box.y0))), all.y0, all.y1),
  };
}

// A line across that rectangle where the cut is; null if its column is on no axis, or the cut lies outside.
export function cutPath(g, { column, at }, { x0, x1, y0, y1 }) {
  if (column === g.x.name) {
    const x = round(g.X(at));
    return x < x0 || x > x1 ? null : `M${x} ${round(y0)}V${round(y1)}`;
  }
  if (g.one || column !== g.y.name) return null;
  const y = round(g.Y(at));
  return y < y0 || y > y1 ? null : `M${round(x0)} ${y}H${round(x1)}`;
}
