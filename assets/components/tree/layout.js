// Where every card stands and how large it is: each subtree is as narrow as its contour allows.

import { isOpen } from "./nodes.js";

const WIDTHS = [232, 196, 164, 136, 114]; // world units: pixels at scale 1
const SPLIT_H = 114;
const LEAF_H = 74;
const HIGHER = [1, 1.3, 1.65];
const GAP = 13;
const BETWEEN = 36;
const KNOB = 18;

// Pixels around the tree: the legend and the buttons stand at the top, a note at the foot.
export const TOP = 38;
export const EDGE = 12;
const NOTE = 22;

const BRIEF = 0.61; // of a smaller scale on, options are only counted
export const NARROW = 560; // there the legend stands at the bottom

// Scales of the view: when fitted, and at all.
const LEAST_FIT = 0.305;
const MOST_FIT = 1.1;
export const LEAST = 0.04;
export const MOST = 3;

function contour(s, node) {
  const half = node.w / 2;
  const own = { low: [-half], high: [half] };
  if (!isOpen(s, node)) return own;
  const [a, b] = node.kids.map((kid) => contour(s, kid));
  let apart = 0;
  for (let i = 0; i < Math.min(a.high.length, b.low.length); i++) apart = Math.max(apart, a.high[i] - b.low[i] + GAP);
  node.kids[0].dx = -apart / 2;
  node.kids[1].dx = apart / 2;
  for (let i = 0; i < Math.max(a.low.length, b.low.length); i++) {
    own.low.push(i < a.low.length ? a.low[i] - apart / 2 : b.low[i] + apart / 2);
    own.high.push(i < b.high.length ? b.high[i] + apart / 2 : a.high[i] - apart / 2);
  }
  return own;
}

// Options are listed where they can be read.
export function layout(s) {
  if (!s.auto) return sizes(s);
  s.brief = false;
  sizes(s);
  if (!s.cards.cultivated || viewOf(s, s.shown).k >= BRIEF) return;
  s.brief = true;
  sizes(s);
}

// The widest cards that the height has a use for, else the highest that the width has one for.
function sizes(s) {
  const fits = (wide, high, split = wide) => {
    Object.assign(s, { wide, high, split, shown: arranged(s, wide, high, split) });
    const box = bounds(s.shown);
    const { w, h } = roomOf(s);
    return w / (box.right - box.left) - Math.min(h / (box.bottom - box.top), MOST_FIT);
  };
  if (!s.auto) {
    fits(s.wide, s.high, s.split);
    return;
  }
  const found = WIDTHS.some((wide) => fits(wide, 1) >= 0) || HIGHER.some((high) => fits(s.wide, high) >= 0);
  if (found && s.high > 1) fits(s.wide, HIGHER[HIGHER.indexOf(s.high) - 1]);
  const { wide, high } = s;
  const across = (box) => box.right - box.left;
  const now = across(bounds(s.shown));
  // Splits have room beside them that leaves have not: as wide as makes the tree no wider.
  WIDTHS.some((split) => {
    fits(wide, high, split);
    return split === wide || across(bounds(s.shown)) < now + 1;
  });
}

const leafWidth = (wide) => Math.min(Math.max(wide * 0.74, 102), 142);

function arranged(s, wide, high, split) {
  const shown = [];
  const tallest = [];
  for (const node of s.cards.nodes)
    Object.assign(
      node,
      { listed: optionsHigh(s, node, split) },
      node.f === undefined
        ? { w: leafWidth(wide), h: LEAF_H * high }
        : { w: split, h: SPLIT_H * high + optionsHigh(s, node, split) },
    );
  (function place(node, x) {
    node.x = x;
    shown.push(node);
    tallest[node.depth] = Math.max(tallest[node.depth] ?? 0, node.h);
    if (isOpen(s, node)) for (const kid of node.kids) place(kid, x + kid.dx);
  })(s.cards.nodes[0], (contour(s, s.cards.nodes[0]), 0));
  const tops = tallest.map((_, depth) => tallest.slice(0, depth).reduce((y, h) => y + h + BETWEEN, 0));
  for (const node of shown) node.y = tops[node.depth];
  return shown;
}

export function bounds(nodes) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const { x, y, w, h, below } of nodes) {
    box.left = Math.min(box.left, x - w / 2);
    box.right = Math.max(box.right, x + w / 2);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y + h + (below ? KNOB : 0));
  }
  return box;
}

function roomOf(s) {
  const below = (s.width < NARROW ? 34 : EDGE) + (s.cards.omitted ? NOTE : 0);
  return { w: s.root.clientWidth - 2 * EDGE, h: s.root.clientHeight - TOP - below };
}

export function viewOf(s, nodes) {
  const { w, h } = roomOf(s);
  const box = bounds(nodes);
  const whole = Math.min(w / (box.right - box.left), h / (box.bottom - box.top), MOST_FIT);
  const k = Math.max(whole, s.whole ? LEAST : LEAST_FIT);
  const middle = k > whole ? nodes[0].x : (box.left + box.right) / 2; // what does not fit shows its root
  const slack = Math.max(h - k * (box.bottom - box.top), 0);
  return { k, x: EDGE + w / 2 - k * middle, y: TOP + slack / 2.6 - k * box.top };
}

const OPTION_H = 18; // world units
const LISTING = 150; // world units: narrower cards only count options
const MOST_ROWS = 4;

const rowsOf = (node) => (node.options ? Math.min(node.pooled - 1, MOST_ROWS) : 0);

const optionsHigh = (s, node, width) =>
  !node.options ? 0 : s.brief || width < LISTING ? 22 : rowsOf(node) * OPTION_H + 12;
