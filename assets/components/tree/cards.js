// A card of the tree graph: drawn for the pixels that it will have on the screen, with as much as fits.

import { svg } from "../shared/elements.js";
import { cut, wide } from "../shared/lettering.js";
import { chart, goal } from "./charts.js";
import { leafSize, titleLines } from "./room/fitting.js";
import { isOpen } from "./nodes.js";
import { NARROW_CARD, PEEK, PEEKS, options } from "./options.js";
import { colourOf, shares, text } from "./parts.js";
import { LETTERS } from "./room/plans.js";
import { leafWords, perMille, sizeWords } from "./words.js";
import { counted } from "../shared/language/spoken.js";

const LINE = 14; // pixels from one line of a title to the next
const LEAST_CHART = 11; // a lower one says nothing
const LEAST_NUMBERED = 0.7; // scale below which levels are too near for a number between them

export function dot(s, g, node, { w, h }) {
  svg(g, "rect", {
    width: w,
    height: h,
    rx: 4,
    fill: colourOf(s, node),
    "fill-opacity": node.f === undefined ? 0.95 : 0.4,
  });
}

export function content(s, g, node, box) {
  const pad = box.h < 56 || box.w < 80 ? 5 : 8;
  const inner = { x: pad, w: box.w - 2 * pad };
  if (node.f === undefined) leafCard(s, g, node, box, inner);
  else splitContent(s, g, node, box, inner);
  if (node.hand) hand(s, g);
  if (node.up && box.h >= LEAST_NUMBERED * node.h) number(s, g, node, box);
}

// The number of a node, which words name it by: above the corner of its card that no edge comes near.
function number(s, g, node, { w }) {
  const atEnd = node.key.endsWith("R");
  const x = atEnd ? w - 3 : node.hand ? 14 : 3;
  const style = { "font-size": LETTERS, "text-anchor": atEnd ? "end" : "start", fill: s.theme.muted };
  const behind = PEEK * Math.min((node.pooled ?? 1) - 1, PEEKS);
  const pill = atEnd && s.again && node.f !== undefined ? 7 : 0; // of how often the split came back
  text(s, g, x, -4 - Math.max(behind, pill), String(node.id), style);
}

function splitContent(s, g, node, box, inner) {
  const below = (node.listed * box.h) / node.h;
  if (below) options(s, g, node, { ...inner, y: box.h - below, h: below });
  splitCard(s, g, node, { ...box, h: box.h - below }, inner);
  if (node.unsure) doubt(s, g, box);
  if (s.again) returns(s, g, node, box);
}

// The words first; then as much of chart, shares and numbers as has room below them.
function splitCard(s, g, node, box, inner) {
  const top = title(s, g, node, { ...inner, h: box.h }) + 6;
  const bar = node.shares ? 6 : 0;
  const tall = box.h - top >= 42;
  const foot = tall ? bar + 17 : bar + 4;
  const ends = box.h - top - foot >= 48 ? 13 : 0;
  const h = box.h - top - foot - ends - 4;
  if (h >= LEAST_CHART) chart(s, g, node, { x: inner.x, y: top, w: inner.w, h, ends });
  if (node.shares) shares(s, g, node, { x: inner.x, y: box.h - foot, w: inner.w, h: bar - 2 });
  if (tall) footer(s, g, node, { ...inner, y: box.h - 6 });
}

// Returns where its last line ends.
function title(s, g, node, { x, w: all, h }) {
  const w = all - (all < NARROW_CARD ? 0 : share(s, g, node, x + all)) - (node.unsure ? 14 : 0);
  const first = h < 56 ? 14 : 17;
  const lines = titleLines(s, node, w, h < 50 ? 2 : 3);
  lines.forEach((words, i) => text(s, g, x, first + i * LINE, words, { "font-weight": 600 }));
  return first + (lines.length - 1) * LINE;
}

// The mark of a node that was changed by hand, on the card's other corner.
function hand(s, g) {
  svg(g, "circle", { cx: 2, cy: 2, r: 8.5, fill: s.theme.accent, stroke: s.theme.paper, "stroke-width": 1.5 });
  text(s, g, 2, 6, "✎", { "font-size": 12, "font-weight": 700, "text-anchor": "middle", fill: s.theme.paper });
}

// The mark of a split that a test did not decide, on the card's corner.
function doubt(s, g, { w }) {
  svg(g, "circle", { cx: w - 11, cy: 11, r: 8, fill: s.theme.ink }); // inside, since cards stand close together
  text(s, g, w - 11, 15, "?", { "font-size": 12, "font-weight": 800, "text-anchor": "middle", fill: s.theme.paper });
}

// In what share of trees from redrawn rows the split came back, on the card's upper edge: a percentage, since a
// number alone beside it is the node's.
function returns(s, g, node, { w }) {
  const words = perMille((1000 * s.again.times[node.id]) / s.again.n);
  const width = wide(s, words, LETTERS) + 12;
  const x = w - width - 10;
  svg(g, "rect", { x, y: -8, width, height: 16, rx: 8, fill: s.theme.paper, stroke: s.theme.line });
  text(s, g, x + width / 2, 4.2, words, { "font-size": LETTERS, "text-anchor": "middle", fill: s.theme.muted });
}

// Of the best of several options; the room that it takes.
function share(s, g, node, x) {
  if (!node.options) return 0;
  return (
    text(s, g, x, 17, perMille(node.options[0].share), {
      "font-size": LETTERS,
      "text-anchor": "end",
      fill: s.theme.muted,
    }) + 6
  );
}

function leafCard(s, g, node, box, inner) {
  const foot = box.h >= 60 ? 17 : 5;
  const size = leafSize(s, node, box, inner.w);
  const top = size + (box.h < 40 ? 8 : 12);
  svg(g, "rect", {
    width: box.w,
    height: box.h,
    rx: Math.max(9 * (box.h / node.h), 4),
    fill: colourOf(s, node),
    "fill-opacity": s.theme.dark ? 0.2 : 0.13,
  });
  text(s, g, inner.x, top - 7, leafName(s, node, inner.w, size), {
    "font-size": size,
    "font-weight": 700,
  });
  const written = node.formula && box.h - foot - top >= 9 ? 13 : 0;
  if (written) text(s, g, inner.x, top + 5, cut(s, node.formula, inner.w, LETTERS), { "font-size": LETTERS });
  const room = box.h - foot - top - written;
  if (!written || room >= 6) chartOfLeaf(s, g, node, { ...inner, y: top + written, h: Math.max(room, 4) });
  if (foot > 5) footer(s, g, node, { ...inner, y: box.h - 6 });
}

// Of classes that tie, "tie" alone where their names have no room: the bar shows which they are.
function leafName(s, node, room, size) {
  const words = leafWords(s, node);
  const fits = !node.tie || wide(s, words, size, 700) <= room;
  return cut(s, fits ? words : words.slice(0, words.indexOf(":")), room, size, 700);
}

function chartOfLeaf(s, g, node, { x, y, w, h: room }) {
  const h = Math.min(room, 12);
  if (node.shares) shares(s, g, node, { x, y: y + (room - h) / 3, w, h });
  else if (node.hist) goal(s, g, node, { x, y, w, h: room - 3 });
}

function footer(s, g, node, { x, y, w }) {
  const fault = node.f === undefined && node.percent ? node.percent : `${s.cards.criterion} ${node.impurity}`;
  const style = { "font-size": LETTERS, fill: s.theme.muted };
  const fits = (words) => wide(s, words, LETTERS) <= w;
  const left = [sizeWords(s, node), counted(node.n)].find(fits) ?? "";
  const room = w - wide(s, left, LETTERS) - 8;
  text(s, g, x, y, left, style);
  const brief = node.f === undefined ? "" : node.impurity;
  const right = [fault, brief].find((words) => wide(s, words, LETTERS) <= room) ?? "";
  text(s, g, x + w, y, right, { ...style, "text-anchor": "end" });
}

export function knob(s, g, node, z) {
  const closed = !isOpen(s, node);
  const k = Math.min(1 / z, 2.4);
  const y = node.h + (closed ? 5 * k : 0);
  const word = closed ? `+${node.below}` : "–";
  const w = (closed ? wide(s, word, LETTERS) + 12 : 15) * k;
  const h = 16 * k;
  const b = svg(g, "g", { class: closed ? "knob closed" : "knob ui" });
  svg(b, "rect", {
    x: -w / 2,
    y: y - h / 2,
    width: w,
    height: h,
    rx: h / 2,
    fill: closed ? s.theme.ink : s.theme.paper,
    stroke: s.theme.line,
  });
  text(s, b, 0, y + 4.2 * k, word, {
    "font-size": LETTERS * k,
    "text-anchor": "middle",
    fill: closed ? s.theme.paper : s.theme.ink,
  });
}
