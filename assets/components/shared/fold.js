// A tree that the browser cuts off by itself, as views/boundaries/fold.py describes it: a slider says where, and all
// that show the tree follow in the same frame. When the slider has come to rest, Python's own tree takes over.

import { figuresOf } from "./figures.js";
import { averageOf } from "./grids/averages.js";
import { softOf } from "./grids/soft.js";
import { roundedTo } from "./numbers.js";

const OF_MODULES = ["gate", "gates", "cuts", "pooled", "tolerance", "options"];
const OF_HISTOGRAMS = ["hist", "edge", "dots"];
const OF_SPLITS = ["f", "test", "t", "goes", "left", "right", "missing", "more", ...OF_HISTOGRAMS, ...OF_MODULES];
const NO_LIMIT = 1e9; // what is never split has this place

// The tree of these values of sliders, {depth: 3, alpha: 0.01}: its cards, numbered as Python numbers them; by node of
// the greatest tree, the leaf that it is part of, in numbers of that tree; the leaves themselves; and the numbers above
// the tree. Values of the same tree give the same cut.
export function cutOf(fold, values) {
  const level = values[fold.name] ?? NO_LIMIT;
  const prices = pricesOf(fold, level);
  const reached = prices.filter((price) => values.alpha > 0 && price <= values.alpha);
  const alpha = Math.max(0, ...reached);
  const key = `${Math.min(level, Math.max(...fold.stop))} ${reached.length && alpha}`;
  fold.cuts ??= new Map();
  if (!fold.cuts.has(key))
    fold.cuts.set(
      key,
      cut(fold, level, (id) => reached.length > 0 && prices[id] <= alpha),
    );
  return fold.cuts.get(key);
}

// By node, the price per leaf from which it is a leaf in the tree of this level.
function pricesOf(fold, level) {
  if (!fold.prices) return [];
  const listed = fold.prices[Math.min(level, fold.prices.length) - 1];
  let next = 0;
  return fold.cards.nodes.map((card, id) =>
    card.left !== undefined && fold.stop[id] < level ? listed[next++] : Infinity,
  );
}

function cut(fold, level, isPruned) {
  const nodes = [];
  const leafOf = [];
  const number = new Map();
  const cards = fold.cards.nodes;
  for (let id = 0; id < cards.length; id++) {
    const card = cards[id];
    const up = leafOf[id] ?? null;
    if (up === null) number.set(id, nodes.push(card) - 1);
    const isLeaf = up !== null || card.left === undefined || fold.stop[id] >= level || isPruned(id);
    if (isLeaf) leafOf[id] = up ?? id;
    if (card.left !== undefined && isLeaf) for (const kid of [card.left, card.right]) leafOf[kid] = leafOf[id];
  }
  const written = cards[0].says && roundedTo(nodes.map(({ mean }) => mean)); // of fewer nodes fewer digits may do
  const saying = (card) => (written ? { ...card, says: written(card.mean) } : card);
  const found = { level, leafOf, number, nodes: nodes.map((card) => renumbered(saying(card), number)) };
  return { ...found, numbers: fold.scores ? figuresOf(fold, found) : listedOf(fold.numbers, level) };
}

const listedOf = (list, level) => list.findLast(([from]) => from <= level)?.[1] ?? list[0]?.[1];

function renumbered(card, number) {
  const { left, right, ...rest } = card;
  const id = number.get(card.id);
  if (number.has(left)) return { ...rest, id, left: number.get(left), right: number.get(right) };
  for (const name of OF_SPLITS) if (card.left !== undefined) delete rest[name];
  return { ...rest, id };
}

// The surface of a cut, as views/boundaries/surface.py describes surfaces.
export function surfaceOf(surface, fold, cut) {
  const of = fold.leaf.map((leaf) => cut.leafOf[leaf]);
  const { target, wrong } = surface.points;
  const isWrong = fold.soft ? listedOf(fold.soft.wrong, cut.level) : null;
  const formOf = fold.soft ? softCellsOf : fold.average ? cellsOf : boxesOf;
  return {
    ...formOf(surface, fold, cut),
    points: {
      ...surface.points,
      leaf: of.map((leaf) => cut.number.get(leaf)),
      wrong: wrong && of.map((leaf, i) => Number(isWrong?.[i] ?? fold.cards.nodes[leaf].top !== target[i])),
    },
  };
}

function cellsOf({ boxes, leaves, answers, doubt, ...surface }, fold, cut) {
  const { fields, along } = averageOf(surface, fold, cut);
  const axes = surface.axes.map((axis, k) => ({ ...axis, edges: along[k].edges, smooth: along[k].smooth }));
  const id = `${surface.id} ${[...cut.number.keys()]}`;
  return { ...surface, id, axes, cells: { fields }, held: [], averaged: fold.average.rows, seen: undefined };
}

// Of a cut that has been drawn already the grids are kept: a hand goes to and fro.
function softCellsOf(surface, fold, cut) {
  cut.cells ??= softOf(fold, cut);
  const axes = surface.axes.map((axis, k) => ({ ...axis, ...ends(fold.soft.along[k]) }));
  return { ...surface, id: `${surface.id} ${[...cut.number.keys()]}`, axes, cells: cut.cells };
}

const ends = ({ edges, smooth }) => ({ edges, smooth });

function boxesOf(surface, fold, cut) {
  const size = 2 * surface.axes.length + 1;
  const [boxes, leaves, place] = [[], [], new Map()];
  for (let i = 0; i < fold.boxes.length; i += size) {
    const node = fold.boxes[i + size - 1];
    if (cut.leafOf[node] !== node) continue;
    if (!place.has(node)) place.set(node, leaves.push(node) - 1);
    boxes.push(...fold.boxes.slice(i, i + size - 1), place.get(node));
  }
  const cards = fold.cards.nodes;
  const says = (node) => (surface.kind === "class" ? cards[node].shares : fold.means[node]);
  return {
    ...surface,
    boxes,
    leaves: leaves.map((leaf) => cut.number.get(leaf)),
    answers: leaves.map(says),
    ties: leaves.map((leaf) => cards[leaf].tie ?? null),
    rows: leaves.map((leaf) => cards[leaf].n),
    doubt: fold.doubt && leaves.map((leaf) => fold.doubt[leaf]),
  };
}

// On the channel of the tree ---------------------------------------------------------------------------

// What shows the tree is told of every cut. When the sliders have come to rest, Python's own tree takes over as soon as
// what came of it is the tree of their values: what is older would be a picture of the past.
//
//     s.isFolded: whether what came from Python is not to be shown yet; s.came, what that was, has `at`, the values
//     of sliders; `show(cut, fold)` draws a cut, or returns false if it cannot; `back()` draws Python's own tree.
//     The function returned ends all that.
export function followFold(s, channel, { show, back }) {
  const hear = (cut, fold, end) => {
    if (cut) {
      s.isFolded = show(cut, fold) !== false;
    } else if (!end || Object.keys(end).every((name) => s.came.at[name] === end[name])) {
      s.isFolded = false;
      back();
    } else s.isFolded = false;
  };
  channel.folded ??= new Set();
  channel.folded.add(hear);
  // What comes late shows the cut, too, once it has something to cut.
  queueMicrotask(() => channel.folded.has(hear) && channel.folding && hear(channel.folding, channel.fold));
  return () => channel.folded.delete(hear);
}

// `at` are the values of sliders that Python's own tree has.
export function offerFold(channel, fold, at) {
  channel.fold = fold ?? null;
  channel.at = at ?? {};
  if (!fold) end(channel, channel.values);
  else if (channel.begin?.name === fold.name) {
    const { act } = channel.begin;
    delete channel.begin;
    act();
  }
}

// Do this once there is the fold of this name: at once, or when the tree comes.
export function beginWith(channel, name, act) {
  if (channel.fold?.name === name) act();
  else channel.begin = { name, act };
}

const slidersOf = (fold) => (fold?.prices ? [fold.name, "alpha"] : [fold?.name]);

// The channel whose tree a slider of this name folds, if there is one on the page.
export function foldedBy(name) {
  for (const channel of globalThis.espalier?.values() ?? []) if (slidersOf(channel.fold).includes(name)) return channel;
  return null;
}

// A slider has a value that Python may not know of yet; others may be on their way, too.
export function foldTo(channel, name, value) {
  channel.values = { ...channel.values, [name]: value };
  channel.moving ??= new Set();
  channel.moving.add(name);
  const cut = cutOf(channel.fold, { ...channel.at, ...channel.values });
  if (cut === channel.folding) return;
  channel.folding = cut;
  tell(channel, cut, channel.fold);
}

function tell(channel, ...news) {
  for (const hear of [...(channel.folded ?? [])]) hear(...news);
}

// Whether some of what a slider changes is left to Python.
export const isPart = (channel) => !channel.fold?.leaf;

function end(channel, values) {
  const wasFolded = channel.folding;
  channel.folding = channel.values = null;
  channel.moving?.clear();
  if (wasFolded) tell(channel, null, null, values);
}

// Python's own tree is shown again, whatever it is.
export const restore = (channel) => end(channel, null);

// Python knows of this slider's value; its tree is shown again when that is so of all that moved.
export function unfold(channel, name) {
  channel.moving?.delete(name);
  if (!channel.moving?.size) end(channel, channel.values);
}
