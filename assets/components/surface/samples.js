// The samples on the plane, by class and shape, and the selected one.

import { scaled } from "../shared/colours.js";
import { spoken } from "../shared/language/spoken.js";
import { part, round } from "../shared/numbers.js";
import { classInk } from "./inks.js";
import { placePoints, spotOf } from "./places.js";

export const SHAPES = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`, // circle
  (r) => `m${-r * 0.9} ${-r * 0.9}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`, // square
  (r) => `m0 ${-1.2 * r}l${1.15 * r} ${2 * r}h${-2.3 * r}z`, // triangle
  (r) => `m0 ${-1.35 * r}l${1.25 * r} ${1.35 * r}l${-1.25 * r} ${1.35 * r}l${-1.25 * r} ${-1.35 * r}z`, // diamond
  (r) => `m0 ${1.2 * r}l${1.15 * r} ${-2 * r}h${-2.3 * r}z`, // triangle, upside down
  (r) =>
    `m${-0.45 * r} ${-1.2 * r}h${0.9 * r}v${0.75 * r}h${0.75 * r}v${0.9 * r}h${-0.75 * r}v${0.75 * r}` +
    `h${-0.9 * r}v${-0.75 * r}h${-0.75 * r}v${-0.9 * r}h${0.75 * r}z`, // plus
  (r) => `m${-1.3 * r} ${-0.6 * r}h${2.6 * r}v${1.2 * r}h${-2.6 * r}z`, // bar
  (r) => `m${-0.6 * r} ${-1.3 * r}h${1.2 * r}v${2.6 * r}h${-1.2 * r}z`, // pillar
];

// The shape of a class, which as its colour does not depend on the order of the classes.
export const shapeOf = (s, k) => SHAPES[(s.data.surface.classes[k].place ?? k) % SHAPES.length];

// Rings hide their neighbours: of more rows than these, each that is marked has a dark core instead.
const MOST_RINGS = 40;

const radiusOf = (n) => (n <= 300 ? 4 : n <= 1000 ? 3.1 : 2.4);

// And what a ring says.
export const ringsOf = (points) =>
  points.ringed ? [points.ringed, points.why] : [points.wrong, spoken("misclassified")];

export function pointsLayer(s, pen) {
  placePoints(s);
  const { points, kind, range } = s.data.surface;
  const r = radiusOf(points.row.length);
  const groups = new Map();
  points.row.forEach((_, i) => {
    const step = kind === "class" ? points.target[i] : Math.round(24 * part(points.target[i], range));
    const name = `${step} ${points.out[i]}`;
    const [x, y] = s.spots[i];
    groups.set(
      name,
      (groups.get(name) ?? "") + `M${round(x)} ${round(y)}` + (kind === "class" ? shapeOf(s, step) : SHAPES[0])(r),
    );
  });
  for (const [name, d] of groups) {
    const [step, out] = name.split(" ").map(Number);
    const colour = kind === "class" ? classInk(s, step) : scaled(step / 24);
    pen.path(d, out ? { fill: s.theme.paper, stroke: s.theme.paper, width: 3.4, alpha: 0.75 } : { fill: colour });
    pen.path(d, out ? { stroke: colour, width: 1.7 } : { stroke: s.theme.paper, width: 0.9 });
  }
  const [flags] = ringsOf(points);
  const marked = s.spots.filter((_, i) => flags?.[i]).map(([x, y]) => `M${round(x)} ${round(y)}`);
  const circles = (radius) => marked.map((at) => at + SHAPES[0](radius)).join("");
  if (marked.length > MOST_RINGS) pen.path(circles(r * 0.45), { fill: s.theme.ink });
  else if (marked.length) pen.path(circles(r + (r > 3 ? 2.6 : 1.6)), { stroke: s.theme.ink, width: r > 3 ? 1.3 : 0.9 });
}

export function sampleLayer(s, pen) {
  const one = s.sample;
  if (!one) return;
  const [x, y] = spotOf(s, one.row, one.x, one.y, one.target);
  for (const [stroke, width] of [
    [s.theme.paper, 5],
    [s.theme.ink, 2.4],
  ])
    pen.path(`M${round(x)} ${round(y)}` + SHAPES[0](9) + `M${round(x)} ${round(y - 15)}v6m0 18v-6m-15 -9h6m18 0h-6`, {
      stroke,
      width,
    });
}
