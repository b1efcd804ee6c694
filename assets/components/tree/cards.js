// A card of the tree graph: drawn for the pixels that it will have on the screen, with as much as fits.

import { svg } from "../shared/elements.js";
import { cut, wide } from "../shared/lettering.js";
import { chart, goal } from "./charts.js";
import { leafSize, shortName, shortTest } from "./fitting.js";
import { isOpen } from "./nodes.js";
import { NARROW_CARD, options } from "./options.js";
import { colourOf, shares, text } from "./parts.js";
import { leafWords, perMille, sizeWords, withoutUnit } from "./words.js";

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
  if (node.f === undefined) return leafCard(s, g, node, box, inner);
  const below = (node.listed * box.h) / node.h;
  if (below) options(s, g, node, { ...inner, y: box.h - below, h: below });
  splitCard(s, g, node, { ...box, h: box.h - below }, inner);
  if (node.unsure) doubt(s, g, box);
  if (s.again) returns(s, g, node, box);
}

function splitCard(s, g, node, box, inner) {
  if (box.h < 56) return smallCard(s, g, node, box, inner);
  const tall = box.h >= 80;
  const foot = tall ? (node.shares ? 22 : 16) : node.shares ? 9 : 3;
  const ends = box.h >= 105 ? 11 : 0;
  const top = title(s, g, node, inner) + 7;
  chart(s, g, node, { x: inner.x, y: top, w: inner.w, h: box.h - top - foot - ends - 6, ends });
  if (node.shares) shares(s, g, node, { x: inner.x, y: box.h - foot, w: inner.w, h: 4 });
  if (tall) footer(s, g, node, { ...inner, y: box.h - 7 });
}

// One line, or two where the name would lose more than its unit.
function title(s, g, node, { x, w: all }) {
  const w = all - (all < NARROW_CARD ? 0 : share(s, g, node, x + all));
  const name = s.cards.scales[node.f].name;
  const rest = w - wide(s, node.test);
  const style = { "font-weight": 600 };
  if (wide(s, withoutUnit(name)) <= rest) {
    text(s, g, x, 17, shortName(s, node.f, rest) + node.test, style);
    return 17;
  }
  text(s, g, x, 14, shortName(s, node.f, w, 11), { ...style, "font-size": 11 });
  text(s, g, x, 27, shortTest(s, node, w), { "font-size": 11 });
  return 27;
}

// The mark of a split that a test did not decide, on the card's corner.
function doubt(s, g, { w }) {
  svg(g, "circle", { cx: w - 2, cy: 2, r: 8, fill: s.theme.ink, stroke: s.theme.paper, "stroke-width": 1.5 });
  text(s, g, w - 2, 6, "?", { "font-size": 12, "font-weight": 800, "text-anchor": "middle", fill: s.theme.paper });
}

// How often the split came back in trees from redrawn rows, on the card's upper edge.
function returns(s, g, node, { w }) {
  const words = String(s.again.times[node.id]);
  const width = wide(s, words, 10.5) + 12;
  const x = w - width - 10;
  svg(g, "rect", { x, y: -7.5, width, height: 15, rx: 7.5, fill: s.theme.paper, stroke: s.theme.line });
  text(s, g, x + width / 2, 3.8, words, { "font-size": 10.5, "text-anchor": "middle", fill: s.theme.muted });
}

// Of the best of several options; the room that it takes.
function share(s, g, node, x) {
  if (!node.options) return 0;
  return (
    text(s, g, x, 17, perMille(node.options[0].share), {
      "font-size": 10.5,
      "text-anchor": "end",
      fill: s.theme.muted,
    }) + 6
  );
}

function smallCard(s, g, node, box, inner) {
  text(s, g, inner.x, 15, shortName(s, node.f, inner.w, 11), { "font-size": 11, "font-weight": 600 });
  text(s, g, inner.x, 29, shortTest(s, node, inner.w), { "font-size": 11 });
  if (node.shares) shares(s, g, node, { x: inner.x, y: box.h - 11, w: inner.w, h: 6 });
}

function leafCard(s, g, node, box, inner) {
  const foot = box.h >= 46 ? 17 : 5;
  const size = leafSize(s, node, box, inner.w);
  const top = size + (box.h < 40 ? 8 : 12);
  svg(g, "rect", {
    width: box.w,
    height: box.h,
    rx: Math.max(9 * (box.h / node.h), 4),
    fill: colourOf(s, node),
    "fill-opacity": s.theme.dark ? 0.2 : 0.13,
  });
  text(s, g, inner.x, top - 7, cut(s, leafWords(s, node), inner.w, size, 700), {
    "font-size": size,
    "font-weight": 700,
  });
  const written = node.formula && box.h - foot - top >= 9 ? 13 : 0;
  if (written) text(s, g, inner.x, top + 5, cut(s, node.formula, inner.w, 10.5), { "font-size": 10.5 });
  const room = box.h - foot - top - written;
  if (!written || room >= 6) chartOfLeaf(s, g, node, { ...inner, y: top + written, h: Math.max(room, 4) });
  if (foot > 5) footer(s, g, node, { ...inner, y: box.h - 6 });
}

function chartOfLeaf(s, g, node, { x, y, w, h: room }) {
  const h = Math.min(room, 12);
  if (node.shares) shares(s, g, node, { x, y: y + (room - h) / 3, w, h });
  else if (node.hist) goal(s, g, node, { x, y, w, h: room - 3 });
}

function footer(s, g, node, { x, y, w }) {
  const size = sizeWords(s, node);
  const fault = node.f === undefined && node.percent ? node.percent : `${s.cards.criterion} ${node.impurity}`;
  const style = { "font-size": 10.5, fill: s.theme.muted };
  const left = cut(s, size, w, 10.5);
  const room = w - wide(s, left, 10.5) - 8;
  text(s, g, x, y, left, style);
  const brief = node.f === undefined ? "" : node.impurity;
  const right = [fault, brief].find((words) => wide(s, words, 10.5) <= room) ?? "";
  text(s, g, x + w, y, right, { ...style, "text-anchor": "end" });
}

export function knob(s, g, node, z) {
  const closed = !isOpen(s, node);
  const k = Math.min(1 / z, 2.4);
  const y = node.h + (closed ? 5 * k : 0);
  const word = closed ? `+${node.below}` : "–";
  const w = (closed ? wide(s, word, 10.5) + 12 : 15) * k;
  const h = 15 * k;
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
  text(s, b, 0, y + 3.6 * k, word, {
    "font-size": 10.5 * k,
    "text-anchor": "middle",
    fill: closed ? s.theme.paper : s.theme.ink,
  });
}
