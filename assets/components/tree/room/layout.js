// Where every card stands and how large it is. Each subtree is as narrow as its contour allows; of several plans,
// from large letters and tall cards to small ones, the first is taken that has room for the whole tree. Where none
// has, the deepest level is folded away: letters never become smaller than can be read.

import { isOpen } from "../nodes.js";
import { plansFor } from "./plans.js";

const WIDEST = { split: 340, leaf: 200 }; // world units: pixels at scale 1
const HIGHER = 0.65; // part of its height that a card may grow by
const KNOB = 18;

// Pixels around the tree: the legend and the buttons stand at the top, a note at the foot.
export const topOf = (s) => 38 * (s.theme?.letters ?? 1);
export const EDGE = 8;
const NOTE = 22;

export const NARROW = 560; // there the legend stands at the bottom

// Scales of the view: when fitted, and at all.
const LEAST_FIT = 0.305;
const MOST_FIT = 1; // of letters as large as the page has them
export const LEAST = 0.04;
export const MOST = 3;

export function layout(s) {
  if (!s.auto) return arrange(s, s.plan);
  const mayFold = !s.asked && !s.whole && ![...s.open.values()].includes(true);
  if (mayFold) s.most = Infinity;
  const plans = plansFor(s.theme?.letters ?? 1);
  for (;;) {
    const found = plans.find((plan) => fits(s, plan));
    const deepest = Math.max(...s.shown.map((node) => node.depth));
    if (found || !mayFold || deepest <= 1) return enlarge(s, found ?? plans.at(-1), Boolean(found));
    s.most = deepest - 1;
  }
}

function fits(s, plan) {
  arrange(s, plan);
  const box = bounds(s.shown);
  const { w, h } = roomOf(s);
  return plan.k * (box.right - box.left) <= w && plan.k * (box.bottom - box.top) <= h;
}

// What room is left goes to the cards, first to their height, then to their width.
function enlarge(s, plan, hasRoom) {
  arrange(s, plan);
  if (!hasRoom) return;
  const box = bounds(s.shown);
  const { w, h } = roomOf(s);
  const levels = new Set(s.shown.filter((node) => node.f !== undefined).map((node) => node.depth)).size;
  const spare = (h / plan.k - (box.bottom - box.top)) / Math.max(levels, 1);
  arrange(s, plan, Math.max(Math.min(spare - 0.5, HIGHER * plan.high), 0));
  widen(s, plan, w / plan.k / 2 - 0.5);
}

function arrange(s, plan, more = 0) {
  const root = s.cards.nodes[0];
  const tallest = [];
  s.plan = plan;
  s.shown = [];
  contour(s, root, plan, more);
  (function place(node, x) {
    node.x = x;
    s.shown.push(node);
    tallest[node.depth] = Math.max(tallest[node.depth] ?? 0, node.h);
    if (isOpen(s, node)) for (const kid of node.kids) place(kid, x + kid.dx);
  })(root, 0);
  const tops = tallest.map((_, depth) => tallest.slice(0, depth).reduce((y, h) => y + h + plan.between, 0));
  for (const node of s.shown) node.y = tops[node.depth];
}

function contour(s, node, plan, more) {
  measure(node, plan, more);
  const half = node.w / 2;
  const own = { low: [-half], high: [half] };
  if (!isOpen(s, node)) return own;
  const [a, b] = node.kids.map((kid) => contour(s, kid, plan, more));
  let apart = 0;
  for (let i = 0; i < Math.min(a.high.length, b.low.length); i++)
    apart = Math.max(apart, a.high[i] - b.low[i] + plan.gap);
  node.kids[0].dx = -apart / 2;
  node.kids[1].dx = apart / 2;
  for (let i = 0; i < Math.max(a.low.length, b.low.length); i++) {
    own.low.push(i < a.low.length ? a.low[i] - apart / 2 : b.low[i] + apart / 2);
    own.high.push(i < b.high.length ? b.high[i] + apart / 2 : a.high[i] - apart / 2);
  }
  return own;
}

// As wide as the plan has it, or as its words need.
function measure(node, plan, more) {
  const need = node.need?.[plan.lines] ?? 0;
  if (node.f === undefined) return Object.assign(node, { w: Math.max(plan.leaf, need), h: plan.low, listed: 0 });
  const listed = optionsHigh(node, plan);
  return Object.assign(node, { w: Math.max(plan.wide, need), h: plan.high + more + listed, listed });
}

// A card grows to both sides into what is free on its level, up to `most` units from the middle of the tree.
function widen(s, plan, most) {
  const box = bounds(s.shown);
  const middle = (box.left + box.right) / 2;
  const levels = [];
  for (const node of s.shown) (levels[node.depth] ??= []).push(node);
  for (const level of levels) {
    level.sort((a, b) => a.x - b.x);
    const free = level.map((node, i) =>
      Math.min(
        most - Math.abs(node.x - middle),
        ...[level[i - 1], level[i + 1]].filter(Boolean).map((other) => share(node, other, plan.gap)),
      ),
    );
    level.forEach((node, i) => {
      const widest = node.f === undefined ? WIDEST.leaf : WIDEST.split;
      node.w = Math.max(node.w, Math.min(2 * free[i], widest));
    });
  }
}

// Half of the way to a neighbour, or what that leaves.
function share(node, other, gap) {
  const way = Math.abs(node.x - other.x) - gap;
  return Math.min(way / 2, way - other.w / 2);
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
  return { w: s.root.clientWidth - 2 * EDGE, h: s.root.clientHeight - topOf(s) - below };
}

export function viewOf(s, nodes) {
  const { w, h } = roomOf(s);
  const box = bounds(nodes);
  const whole = Math.min(w / (box.right - box.left), h / (box.bottom - box.top), MOST_FIT * (s.theme?.letters ?? 1));
  const k = Math.max(whole, s.whole ? LEAST : LEAST_FIT);
  const middle = k > whole ? nodes[0].x : (box.left + box.right) / 2; // what does not fit shows its root
  const slack = Math.max(h - k * (box.bottom - box.top), 0);
  return { k, x: EDGE + w / 2 - k * middle, y: topOf(s) + slack / 2.6 - k * box.top };
}

const OPTION_H = 18; // world units
const LISTING = 150; // world units: narrower cards only count options
const MOST_ROWS = 4;

const rowsOf = (node) => (node.options ? Math.min(node.pooled - 1, MOST_ROWS) : 0);

const optionsHigh = (node, plan) => (!node.options ? 0 : plan.wide < LISTING ? 22 : rowsOf(node) * OPTION_H + 12);
