// The grids as Python sends them, and their value at any place; nothing here draws.

import { unpacked } from "../../shared/grids/packed.js";
import { borderOf } from "./borders.js";

export const TIED = 2e-4; // shares that differ by less tie: they are sent in steps of half of it

// What the grids can show of what is wanted.
export function shownOf({ data: { show, surface }, cells }) {
  const wanted = show === "uncertainty" && surface.kind === "number" ? "spread" : show;
  return wanted === "spread" && !cells.spread ? "probability" : wanted;
}

export const sigmaAxis = (s) =>
  s.data.surface.axes.length === 1 && s.data.surface.kind === "class" && shownOf(s) === "spread";

export function readCells(s) {
  const { axes, cells, kind, classes } = s.data.surface;
  if (s.cells?.of === cells) return;
  const across = knotsOf(axes[0]);
  const up = axes[1]
    ? knotsOf(axes[1])
    : [
        [0, 0],
        [1, 0],
      ];
  const nx = axes[0].edges.length - 1;
  const n = nx * (axes[1] ? axes[1].edges.length - 1 : 1);
  const spread = cells.spread && (cells.spread.field ?? unpacked(cells.spread));
  s.cells = { of: cells, across, up, nx, n, spread, most: cells.spread?.high ?? 0 };
  s.cells.fields =
    cells.fields ?? // of a tree that the browser cuts off
    (kind === "number" ? [unpacked(cells.value)] : sharesOf(unpacked(cells.shares), n, classes.length));
  s.cells.border = kind === "class" && axes[1] ? borderOf(s.cells) : [];
}

// The first class has what the others leave.
function sharesOf(all, n, many) {
  const others = Array.from({ length: many - 1 }, (_, k) => all.subarray(k * n, (k + 1) * n));
  return [new Float32Array(n).map((_, i) => others.reduce((rest, field) => rest - field[i], 1)), ...others];
}

// [place, cell]: between one knot and the next the picture is straight.
function knotsOf({ edges, smooth }) {
  const n = edges.length - 1;
  if (!smooth)
    return edges.slice(1).flatMap((end, i) => [
      [edges[i], i],
      [end, i],
    ]);
  const centres = edges.slice(1).map((end, i) => [(edges[i] + end) / 2, i]);
  return [[edges[0], 0], ...centres, [edges[n], n - 1]];
}

// [cell, next cell, how far on the way].
export function between(knots, v) {
  let low = 0;
  let high = knots.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (knots[middle][0] < v) low = middle;
    else high = middle - 1;
  }
  const [a, from] = knots[low];
  const [b, to] = knots[low + 1];
  return [from, to, b > a ? Math.min(Math.max((v - a) / (b - a), 0), 1) : 0];
}

export function readAt({ cells }, field, { x, y }) {
  const [i0, i1, t] = between(cells.across, x);
  const [j0, j1, u] = between(cells.up, y ?? 0);
  const at = (i, j) => field[j * cells.nx + i];
  return (1 - u) * ((1 - t) * at(i0, j0) + t * at(i1, j0)) + u * ((1 - t) * at(i0, j1) + t * at(i1, j1));
}

// 0 sure, 1 as unsure as can be.
export function doubtField(fields) {
  return fields[0].map((_, i) => (1 - Math.max(...fields.map((field) => field[i]))) / (1 - 1 / fields.length || 1));
}
