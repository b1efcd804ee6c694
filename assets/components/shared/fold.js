// A tree that the browser cuts off by itself, as views/boundaries/fold.py describes it: a slider says where, and all
// that show the tree follow in the same frame. When the slider has come to rest, Python's own tree takes over.

const SPLIT = ["f", "test", "t", "goes", "left", "right", "missing", "hist", "dots", "open", "more"];

// The tree of a value: its cards, numbered as Python numbers them; by node of the greatest tree, the leaf that it is
// part of, in numbers of that tree; the leaves themselves; and the numbers above the tree.
export function cutOf(fold, value) {
  fold.cuts ??= new Map();
  if (!fold.cuts.has(value)) fold.cuts.set(value, cut(fold, value));
  return fold.cuts.get(value);
}

function cut(fold, asked) {
  const value = asked ?? Infinity; // no limit
  const nodes = [];
  const leafOf = [];
  const number = new Map();
  const cards = fold.cards.nodes;
  for (let id = 0; id < cards.length; id++) {
    const card = cards[id];
    const up = leafOf[id] ?? null;
    if (up === null) number.set(id, nodes.push(card) - 1);
    const isLeaf = up !== null || card.left === undefined || fold.stop[id] >= value;
    if (isLeaf) leafOf[id] = up ?? id;
    if (card.left !== undefined && isLeaf) for (const kid of [card.left, card.right]) leafOf[kid] = leafOf[id];
  }
  return {
    value: asked,
    leafOf,
    number,
    nodes: nodes.map((card) => renumbered(card, number)),
    numbers: fold.numbers.findLast(([from]) => from <= value)?.[1] ?? fold.numbers[0]?.[1],
  };
}

function renumbered(card, number) {
  const { left, right, ...rest } = card;
  const id = number.get(card.id);
  if (number.has(left)) return { ...rest, id, left: number.get(left), right: number.get(right) };
  for (const name of SPLIT) if (card.left !== undefined) delete rest[name];
  return { ...rest, id };
}

// The surface of a cut, as views/boundaries/surface.py describes surfaces.
export function surfaceOf(surface, fold, cut) {
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
  const of = fold.leaf.map((leaf) => cut.leafOf[leaf]);
  const { target, wrong } = surface.points;
  return {
    ...surface,
    boxes,
    leaves: leaves.map((leaf) => cut.number.get(leaf)),
    answers: leaves.map(says),
    doubt: fold.doubt && leaves.map((leaf) => fold.doubt[leaf]),
    points: {
      ...surface.points,
      leaf: of.map((leaf) => cut.number.get(leaf)),
      wrong: wrong && of.map((leaf, i) => Number(cards[leaf].top !== target[i])),
    },
  };
}

// On the channel of the tree ---------------------------------------------------------------------------

// What shows the tree is told of every cut. When the slider has come to rest, Python's own tree takes over as soon as
// what came of it is the tree of the slider's value: what is older would be a picture of the past.
//
//     s.isFolded: whether what came from Python is not to be shown yet; s.came, what that was, has `at`, the values
//     of sliders; `show(cut, fold)` draws a cut, or returns false if it cannot; `back()` draws Python's own tree.
//     The function returned ends all that.
export function followFold(s, channel, { show, back }) {
  const hear = (cut, fold, end) => {
    if (cut) {
      s.isFolded = show(cut, fold) !== false;
    } else if (!end || s.came.at[end.name] === end.value) {
      s.isFolded = false;
      back();
    } else s.isFolded = false;
  };
  channel.folded ??= new Set();
  channel.folded.add(hear);
  return () => channel.folded.delete(hear);
}

export function offerFold(channel, fold) {
  channel.fold = fold ?? null;
  if (!fold) unfold(channel);
}

// The channel whose tree a slider of this name folds, if there is one on the page.
export function foldedBy(name) {
  for (const channel of globalThis.espalier?.values() ?? []) if (channel.fold?.name === name) return channel;
  return null;
}

export function foldTo(channel, value) {
  channel.folding = cutOf(channel.fold, value);
  channel.name = channel.fold.name;
  for (const hear of [...(channel.folded ?? [])]) hear(channel.folding, channel.fold);
}

// Python's own tree is shown again, whatever it is.
// Whether some of what a slider changes is left to Python.
export const isPart = (channel) => !channel.fold?.boxes;

export function restore(channel) {
  if (!channel.folding) return;
  channel.folding = null;
  for (const hear of [...(channel.folded ?? [])]) hear(null, null, null);
}

export function unfold(channel) {
  if (!channel.folding) return;
  const end = { name: channel.name, value: channel.folding.value };
  channel.folding = null;
  for (const hear of [...(channel.folded ?? [])]) hear(null, null, end);
}
