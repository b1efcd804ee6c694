// The picture of a grid over one axis.

import { blend } from "../../shared/colours.js";
import { round } from "../../shared/numbers.js";
import { SIGMA, classInk, hex, inkOf } from "../inks.js";
import { rect, snap } from "../plane.js";

// Along the knots; height of a cell.
function lineOf(s, height) {
  return s.cells.across.map(([x, cell]) => `${round(s.g.X(x))} ${round(s.g.Y(height(cell)))}`).join("L");
}

function areaOf(s, low, high) {
  const back = [...s.cells.across]
    .reverse()
    .map(([x, cell]) => `${round(s.g.X(x))} ${round(s.g.Y(low(cell)))}`)
    .join("L");
  return `M${lineOf(s, high)}L${back}z`;
}

export function softShares(s, pen) {
  const { fields, spread } = s.cells;
  const sums = [fields[0].map(() => 0)];
  const { theme } = s;
  for (const field of fields) sums.push(sums.at(-1).map((sum, i) => Math.min(sum + field[i], 1)));
  fields.forEach((_, k) =>
    pen.path(
      areaOf(
        s,
        (i) => sums[k][i],
        (i) => sums[k + 1][i],
      ),
      { fill: blend([hex(theme.paper), hex(classInk(s, k))], [0.35, 0.65]) },
    ),
  );
  if (fields.length === 2 && spread) sigmaBand(s, pen, fields[0], [0, 1]);
  for (let k = 1; k < fields.length; k++) {
    pen.path("M" + lineOf(s, (i) => sums[k][i]), { stroke: theme.paper, width: 4, alpha: 0.55 });
    pen.path("M" + lineOf(s, (i) => sums[k][i]), { stroke: theme.ink, width: 1.6 });
  }
}

// As far as the value's spread reaches, within the plane.
function sigmaBand(s, pen, field, [low, high]) {
  const { spread } = s.cells;
  const within = (v) => Math.min(Math.max(v, low), high);
  pen.path(
    areaOf(
      s,
      (i) => within(field[i] - spread[i]),
      (i) => within(field[i] + spread[i]),
    ),
    { fill: s.theme.ink, alpha: 0.16 },
  );
}

export function valueCurve(s, pen) {
  const [field] = s.cells.fields;
  const { y } = s.g;
  const d = "M" + lineOf(s, (i) => field[i]);
  if (s.cells.spread) sigmaBand(s, pen, field, [y.low, y.high]);
  pen.path(d, { stroke: s.theme.paper, width: 6, alpha: 0.8 });
  pen.path(d, { stroke: s.theme.ink, width: 2.4 });
}

export function sigmaCurve(s, pen) {
  const ink = inkOf(SIGMA, s);
  const { spread } = s.cells;
  pen.path(
    areaOf(
      s,
      () => 0,
      (i) => spread[i],
    ),
    { fill: ink, alpha: 0.3 },
  );
  pen.path("M" + lineOf(s, (i) => spread[i]), { stroke: ink, width: 2 });
}

// The less of a sample is in the selected node, the more paper.
export function fadeCurve(s, pen) {
  if (!s.lit) return;
  const { edges } = s.data.surface.axes[0];
  const { g, theme, lit } = s;
  for (let i = 0; i + 1 < edges.length; i++) {
    const gone = 1 - lit.field[i] / (lit.most || 1);
    if (gone > 0.02)
      pen.path(rect(snap(g.X(edges[i])), g.top, snap(g.X(edges[i + 1])), g.top + g.h), {
        fill: theme.paper,
        alpha: 0.75 * gone,
      });
  }
}
