// The surface of what is soft: grids of numbers, drawn straight from the centre of one cell to that of the next
// where an axis is smooth, and as they stand where it is not.

import { unpacked } from "../../shared/grids/packed.js";
import { marked, spoken } from "../../shared/language/spoken.js";
import { roundedTo, short } from "../../shared/numbers.js";
import { SIGMA, doubtInk, inkOf } from "../inks.js";
import { fadeCurve, sigmaCurve, softShares, valueCurve } from "./curves.js";
import { TIED, readAt, readCells, shownOf, sigmaAxis } from "./fields.js";
import { planeOfCells } from "./pixels.js";

export const CELLS = {
  read: readCells,
  shown: shownOf,
  upright: (s) => (sigmaAxis(s) ? { name: "spread σ", low: 0, high: 1.06 * s.cells.most || 1 } : null),
  light: lightCells,
  paint: (s, pen) => {
    if (!s.g.one) planeOfCells(s, pen);
    else if (sigmaAxis(s)) sigmaCurve(s, pen);
    else if (s.data.surface.kind === "class") softShares(s, pen);
  },
  curve: valueCurve,
  fade: fadeCurve,
  says: cellWords,
  leaf: () => null,
  ramp: (s) => {
    const shown = shownOf(s);
    if (shown === "spread" && (!s.g.one || sigmaAxis(s))) return [inkOf(SIGMA, s), "σ 0", short(s.cells.most, 3)];
    return shown === "uncertainty" && !s.g.one ? [doubtInk(s), spoken("sure"), spoken("unsure")] : null;
  },
};

function cellWords(s, spot) {
  const { surface } = s.data;
  const { fields, spread } = s.cells;
  const words = [];
  const sigma = spread ? [`${spoken("spread σ")} ${short(readAt(s, spread, spot), 3)}`] : [];
  const inside = (share) =>
    spoken(surface.averaged ? "{share} of the rows in the selected node" : "{share} in the selected node", { share });
  const lit = s.lit ? [inside(percentOf(readAt(s, s.lit.field, spot)))] : [];
  const written = roundedTo(surface.range ?? [], 4);
  if (surface.kind === "number") words.push(`${surface.target}: ${written(readAt(s, fields[0], spot))}`);
  else {
    const order = fields
      .map((field, k) => [readAt(s, field, spot), k])
      .filter(([share]) => share >= 5e-4)
      .sort((a, b) => b[0] - a[0]);
    const tied = order.filter(([share]) => order[0][0] - share < TIED).map(([, k]) => surface.classes[k].name);
    if (tied.length > 1) words.push(spoken("tie: {classes}", { classes: tied.join(", ") }));
    words.push(...order.slice(0, 4).map(([share, k]) => `${surface.classes[k].name} ${percentOf(share)}`));
  }
  return [[...words, ...sigma], lit];
}

const percentOf = (share) => marked(`${Math.round(1000 * share) / 10} %`);

// The old node's cells stay until Python has sent the new one's.
function lightCells(s, of) {
  const { lit } = s.data;
  s.lit = of.id > 0 && lit ? { node: lit.node, field: unpacked(lit.cells), most: lit.cells.high } : null;
  if (s.lit && s.lit.field.length !== s.cells.n) s.lit = null;
  if (!s.lit || lit.node !== of.id) return "";
  const { averaged } = s.data.surface;
  if (lit.cells.high < 5e-4)
    return spoken(averaged ? "Hardly any row is in the selected node." : "The selected node lies outside this slice.");
  if (lit.whole) return "";
  return spoken(
    averaged
      ? "Up to {share} of the rows are in the selected node here."
      : "The selected node has up to {share} of a row here.",
    { share: percentOf(lit.cells.high) },
  );
}
