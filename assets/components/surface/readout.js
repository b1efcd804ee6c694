// What stands at a place or of a sample, in words; nothing here draws.

import { written } from "../shared/moments.js";
import { roundedTo } from "../shared/numbers.js";
import { spoken } from "../shared/language/spoken.js";

const MOST = 60; // letters

export function readout(s) {
  const { surface } = s.data;
  const { cross } = s;
  if (cross.point !== undefined) return pointWords(s, cross.point);
  const [says, more] = s.form.says(s, cross);
  const spot = [surface.axes[0].name + ": " + named(surface.axes[0], cross.x)];
  if (!s.g.one) spot.push(surface.axes[1].name + ": " + named(surface.axes[1], cross.y));
  return [...says, ...spot, ...meanings(surface.axes), ...more];
}

// What a person said that the columns mean, short enough for the box at the pointer.
const meanings = (axes) =>
  axes
    .filter((axis) => axis.meaning)
    .map(({ meaning }) => (meaning.length > MOST ? meaning.slice(0, MOST - 1) + "…" : meaning));

function pointWords(s, i) {
  const { points, axes, kind, classes, target, range } = s.data.surface;
  const at = points.target[i];
  const words = [kind === "class" ? classes[at].name : `${target}: ${roundedTo(range, 4)(at)}`];
  if (points.wrong?.[i]) words.push(spoken("misclassified"));
  if (points.ringed?.[i]) words.push(points.why);
  words.push(`${axes[0].name}: ${named(axes[0], points.x[i], 6, 1e-5)}`);
  if (axes[1]) words.push(`${axes[1].name}: ${named(axes[1], points.y[i], 6, 1e-5)}`);
  const row = points.label?.[i] || spoken("row {n}", { n: points.row[i] + 1 });
  return [...words, row + (points.out[i] ? `, ${spoken("held out")}` : "")];
}

// Of a row so many digits stand there that it is seen on which side of a threshold it lies.
const named = (axis, v, digits = 4, off = 1e-3) =>
  v === null ? spoken("missing") : (axis.names?.[v] ?? plainly(axis, v, digits, off));

const plainly = (axis, v, digits, off) =>
  axis.moment ? written(axis.moment, v) : roundedTo([axis.low, axis.high], digits, off)(v);
