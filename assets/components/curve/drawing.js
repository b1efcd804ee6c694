// The whole picture of a curve: axes, the node's samples, the curve itself.

import { svg } from "../shared/elements.js";
import { cut } from "../shared/lettering.js";
import { round, roundedTo, short, ticks } from "../shared/numbers.js";
import { themeOf } from "../shared/theme.js";
import { choose } from "./choosing.js";
import { band, gate, meanLine } from "./neighbourhood.js";
import { CURVE, mark, words } from "./parts.js";
import { spoken } from "../shared/language/spoken.js";

const SHOW_POINTS = 60;

export function drawCurve(s) {
  const { curve } = s;
  const width = (s.width = s.root.clientWidth);
  const { left, right, top, foot, strip, gap } = CURVE;
  if (!width) return;
  s.theme = themeOf(s.root);
  const more = curve.near ? CURVE.gate + gap : 0;
  const height = CURVE.height + more;
  const g = (s.g = {
    left,
    top,
    w: width - left - right,
    h: CURVE.height - top - foot - strip - gap,
    floor: height - foot,
    width,
    height,
  });
  const span = heightOf(curve);
  g.X = (v) => g.left + (g.w * (v - curve.low)) / (curve.high - curve.low || 1);
  g.Y = (v) => g.top + g.h * (1 - (v - span.low) / (span.high - span.low || 1));
  s.svg.replaceChildren();
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    s.svg.setAttribute(name, value);
  s.shade = svg(s.svg, "g", { class: "ui" });
  if (curve.near) band(s);
  curveAxes(s, span);
  strips(s);
  if (curve.near) gate(s);
  curveLine(s);
  if (curve.near) meanLine(s, span);
  s.own = svg(s.svg, "g", { class: "ui" });
  choose(s, s.at);
}

// From 0.9 of the node's impurity at most, so that small gains look small.
function heightOf({ before, y }) {
  const high = Math.max(before, ...y, 1e-12);
  const low = Math.min(0.9 * before, ...y);
  return { low: Math.max(low - 0.08 * (high - low), 0), high: high + 0.04 * (high - low) };
}

function curveAxes(s, span) {
  const { g, curve, theme } = s;
  const grid = { stroke: theme.line, "stroke-opacity": 0.45 };
  for (const [v, text] of ticks(span, g.h / 45)) {
    const y = round(g.Y(v));
    svg(s.svg, "path", { d: `M${g.left} ${y}h${round(g.w)}`, ...grid });
    words(s, g.left - 8, y + 4, text, { "text-anchor": "end" });
  }
  const axis = { low: curve.low, high: curve.high, moment: curve.moment };
  if (curve.names.length) axis.names = curve.names;
  const marks = ticks(axis, g.w / 80);
  const room = g.w / Math.max(marks.length, 1);
  const every = axis.names ? Math.ceil(30 / room) : 1;
  marks.forEach(
    ([v, text], i) =>
      i % every ||
      words(s, g.X(v), g.floor + 15, axis.names ? cut(s, text, room * every - 6, 12, 400) : text, {
        "text-anchor": "middle",
      }),
  );
  const strong = { fill: theme.ink, "text-anchor": "middle" };
  words(s, g.left + g.w / 2, g.height - 6, cut(s, curve.name, g.w, 12, 400), strong);
  const turned = (y, text) => words(s, 0, 0, text, { ...strong, transform: `translate(12 ${round(y)}) rotate(-90)` });
  turned(g.top + g.h / 2, cut(s, spoken("{criterion} after the split", { criterion: curve.criterion }), g.h, 12, 400));
  turned(g.floor - CURVE.strip / 2, spoken(curve.weighted ? "weight" : "rows"));
}

// The node's samples, stacked by class.
function strips(s) {
  const { g, curve, theme } = s;
  const n = curve.centre.length;
  const high = new Array(n).fill(0);
  const most = Math.max(...curve.centre.map((_, i) => curve.bars.reduce((sum, bar) => sum + bar[i], 0)), 1e-12);
  const unit = CURVE.strip / most;
  const half = (curve.width / 2) * (curve.names.length ? 0.8 : 0.94);
  curve.bars.forEach((bar, k) => {
    let d = "";
    bar.forEach((weight, i) => {
      if (!weight) return;
      const x0 = g.X(curve.centre[i] - half);
      const x1 = g.X(curve.centre[i] + half);
      const top = round(g.floor - (high[i] += weight) * unit);
      d += `M${round(x0)} ${top}H${round(x1)}v${round(weight * unit)}H${round(x0)}z`;
    });
    const colour = curve.classes.length ? curve.classes[k][theme.dark ? "dark" : "light"] : theme.muted;
    if (d) svg(s.svg, "path", { d, fill: colour });
  });
  svg(s.svg, "path", { d: `M${g.left} ${g.floor}h${round(g.w)}`, stroke: theme.line });
  words(s, g.left - 8, g.floor - CURVE.strip + 9, short(most, 3), { "text-anchor": "end" });
  words(s, g.left - 8, g.floor + 1, "0", { "text-anchor": "end" });
}

function curveLine(s) {
  const { g, curve, theme } = s;
  const level = round(g.Y(curve.before));
  svg(s.svg, "path", { d: `M${g.left} ${level}h${round(g.w)}`, stroke: theme.muted, "stroke-dasharray": "2 4" });
  const before = spoken("before: {value}", { value: roundedTo([curve.before, ...curve.y])(curve.before) });
  words(s, g.left + g.w, level - 5, before, { "text-anchor": "end" });
  const places = curve.x.map((x, i) => [round(g.X(x)), round(g.Y(curve.y[i]))]);
  if (places.length > 1)
    svg(s.svg, "path", {
      d: "M" + places.map((p) => p.join(" ")).join("L"),
      fill: "none",
      stroke: theme.accent,
      "stroke-width": 2,
      "stroke-linejoin": "round",
    });
  if (places.length <= SHOW_POINTS)
    svg(s.svg, "path", {
      d: places.map(([x, y]) => `M${x} ${y}h0`).join(""),
      stroke: theme.accent,
      "stroke-width": 6,
      "stroke-linecap": "round",
    });
  if (curve.best >= 0) {
    const [x, y] = places[curve.best];
    svg(s.svg, "path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, fill: theme.accent, stroke: theme.paper });
  }
  if (curve.own !== null) mark(s, curve.own, spoken("the tree's split"));
}
