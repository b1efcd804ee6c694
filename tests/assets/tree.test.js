// Where cards stand: positions of nodes, and the view that shows them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barAfter } from "../../assets/components/bars/keys.js";
import { cutAfter } from "../../assets/components/curve/reading.js";
import { LEADS } from "../../assets/components/tree/keys.js";
import { ancestors, endOf, follow, isOpen, reveal, same, startDepth } from "../../assets/components/tree/nodes.js";
import { bounds, layout, viewOf } from "../../assets/components/tree/room/layout.js";
import { complete, graphOf, iris } from "./trees.js";

function laidOut(nodes, settings) {
  const s = graphOf(nodes, settings);
  layout(s);
  return s;
}

const overlap = (a, b) => a !== b && a.depth === b.depth && Math.abs(a.x - b.x) < (a.w + b.w) / 2;

test("a parent stands in the middle above its children, the root at 0", () => {
  const [root, left, right, ...leaves] = laidOut(iris()).cards.nodes;
  assert.deepEqual([root.x, root.y], [0, 0]);
  assert.equal((left.x + right.x) / 2, root.x);
  assert.equal((leaves[0].x + leaves[1].x) / 2, right.x);
});

test("a level stands below the highest card of the one above", () => {
  const { cards, plan } = laidOut(iris());
  const { nodes } = cards;
  assert.equal(nodes[1].y, nodes[2].y);
  const { between } = plan;
  assert.equal(nodes[1].y, nodes[0].h + between);
  assert.equal(nodes[3].y, nodes[2].y + Math.max(nodes[1].h, nodes[2].h) + between);
});

test("no two cards of a level overlap", () => {
  const children = [[1, 6], [2, 3], [], [4, 5], [], [], [7, 8], [], []];
  const lopsided = children.map(([left, right], id) => (left ? { id, f: 0, left, right } : { id }));
  for (const nodes of [iris(), complete(5), lopsided]) {
    const { shown } = laidOut(nodes, { width: 2400, height: 1200 });
    assert.equal(shown.length, nodes.length);
    assert.ok(!shown.some((a) => shown.some((b) => overlap(a, b))));
  }
});

test("closed branches take no room", () => {
  const s = laidOut(iris(), { depth: 1 });
  assert.deepEqual(ids(s.shown), [0, 1, 2]);
  s.open.set("R", true);
  layout(s);
  assert.ok(s.shown.length > 3 && bounds(s.shown).bottom <= s.root.clientHeight);
});

test("cards grow into the room beside them, and are narrower in a narrow graph", () => {
  assert.equal(laidOut(complete(1), { width: 1400 }).shown[0].w, 340);
  assert.ok(laidOut(complete(3), { width: 600 }).plan.wide < laidOut(complete(3), { width: 1400 }).plan.wide);
  assert.ok(!laidOut(complete(3), { width: 700 }).shown.some((a) => a.x - a.w / 2 < -350 || a.x + a.w / 2 > 350));
});

test("cards grow with the graph, letters do not, and cards become narrow before letters become small", () => {
  const large = laidOut(iris(), { width: 1600, height: 1200 });
  assert.deepEqual([large.plan.k, large.plan.high], [1, 190]);
  const low = laidOut(iris(), { height: 330 });
  assert.equal(low.plan.k, 1);
  assert.ok(low.plan.high < 114);
});

test("what has no room in letters that can be read is folded away, and nothing else", () => {
  for (const height of [470, 330, 260]) {
    const s = laidOut(complete(4), { width: 700, height });
    const { k } = viewOf(s, s.shown);
    assert.ok(12 * k >= 11, `${12 * k} pixels`);
  }
  assert.equal(Math.max(...laidOut(complete(4), { width: 1500, height: 800 }).shown.map((node) => node.depth)), 4);
  const narrow = laidOut(complete(4), { width: 400 });
  const deepest = Math.max(...narrow.shown.map((node) => node.depth));
  assert.ok(deepest >= 1 && deepest < 4);
});

test("in a lecture hall letters are larger, whatever has to be folded away", () => {
  const s = graphOf(complete(4), { width: 900, height: 600 });
  s.theme = { letters: 1.2 };
  layout(s);
  assert.ok(12 * viewOf(s, s.shown).k >= 13.1);
});

test("a level that a person asks for is not folded away", () => {
  const s = graphOf(complete(5), { width: 500, height: 300 });
  s.asked = true;
  layout(s);
  assert.equal(s.shown.length, 63);
});

test("a view shows all cards if that can be read, else the root", () => {
  const small = laidOut(iris());
  const { k, x, y } = viewOf(small, small.shown);
  const box = bounds(small.shown);
  assert.ok(x + k * box.left >= 8 && x + k * box.right <= 800 - 8);
  assert.ok(y + k * box.top >= 38 && y + k * box.bottom <= 500);
  const large = graphOf(complete(6));
  large.asked = true;
  layout(large);
  const view = viewOf(large, large.shown);
  assert.equal(view.k, 0.305);
  assert.equal(view.x + view.k * large.shown[0].x, 400);
});

test("a view that was asked for shows all cards even if they are too small to be read", () => {
  const s = graphOf(complete(6));
  s.whole = true;
  layout(s);
  assert.equal(s.shown.length, 127);
  assert.ok(viewOf(s, s.shown).k < 0.305);
});

// ---- How nodes hang together, and which branches are open.

const ids = (nodes) => [...nodes].map((node) => node.id);

test("a node's key is its way from the root", () => {
  const { cards } = graphOf(iris());
  assert.deepEqual(
    cards.nodes.map((node) => node.key),
    ["", "L", "R", "RL", "RR"],
  );
  assert.deepEqual(
    cards.nodes.map((node) => node.depth),
    [0, 1, 1, 2, 2],
  );
});

test("nodes below a node are counted, also those that are not drawn", () => {
  assert.deepEqual(
    graphOf(iris()).cards.nodes.map((node) => node.below),
    [4, 0, 2, 0, 0],
  );
  const cut = iris();
  cut[4].more = 10;
  assert.equal(graphOf(cut).cards.nodes[0].below, 14);
});

test("a subtree is a slice of the nodes", () => {
  const s = graphOf(iris());
  assert.deepEqual(
    [1, 3, 2].map((id) => endOf(s, s.byId.get(id))),
    [2, 4, Infinity],
  );
});

test("branches are open down to the depth, unless they were opened or closed", () => {
  const s = graphOf(iris(), { depth: 1 });
  assert.deepEqual(
    s.cards.nodes.map((node) => isOpen(s, node)),
    [true, false, false, false, false],
  );
  s.open.set("R", true);
  assert.ok(isOpen(s, s.byId.get(2)));
});

test("a node is revealed by opening what is above it, once", () => {
  const s = graphOf(iris(), { depth: 0 });
  assert.equal(reveal(s, 4), true);
  assert.deepEqual([...s.open.keys()], ["R", ""]);
  assert.equal(reveal(s, 4), false);
  assert.equal(reveal(s, 77), false);
});

test("the line of a node goes up to the root", () => {
  const s = graphOf(iris());
  assert.deepEqual(ids(ancestors(s.byId.get(4))), [4, 2, 0]);
  assert.deepEqual(ids(ancestors(undefined)), []);
});

test("a tree starts with as many levels as have 31 cards", () => {
  const trees = [graphOf(complete(4)), graphOf(complete(6)), graphOf(complete(6), { cultivated: true })];
  assert.deepEqual(trees.map(startDepth), [4, 4, 2]);
});

test("a sample is followed into the branches that most of it goes to, and the last one's are closed again", () => {
  const s = graphOf(complete(3), { depth: 1, cultivated: true });
  const [, left, low] = s.cards.nodes;
  s.parts = new Map([
    [0, 1000],
    [left.id, 900],
    [low.id, 700],
    [s.cards.nodes[0].right, 100],
  ]);
  follow(s);
  assert.deepEqual(s.followed, ["L", "R"]);
  s.parts = new Map([[0, 1000]]);
  follow(s);
  assert.deepEqual(s.followed, []);
  assert.equal(s.open.size, 0);
});

test("two states are the same if node, tree and row are, and both know the fractions or neither does", () => {
  const state = { tree: "t", id: 1, row: { row: 5 } };
  assert.ok(same(state, { ...state, at: 7 }));
  assert.ok(!same(state, { ...state, id: 2 }));
  assert.ok(!same(state, { ...state, row: { row: 5, fractions: { 0: 1000 } } }));
});

// ---- Where the keys lead: in the tree graph, along the impurity curve, from bar to bar.

function walk(nodes, from, keys, settings) {
  const s = graphOf(nodes, settings);
  layout(s);
  return keys.reduce((node, key) => LEADS[key](s, node), s.byId.get(from))?.id;
}

test("down goes to the first child, up to the parent; down leads nowhere from a leaf, nor from a closed branch", () => {
  assert.deepEqual([walk(iris(), 2, ["ArrowDown"]), walk(iris(), 4, ["ArrowUp"])], [3, 2]);
  assert.equal(walk(iris(), 0, ["ArrowUp"]), undefined);
  assert.equal(walk(iris(), 1, ["ArrowDown"]), undefined);
  assert.equal(walk(iris(), 2, ["ArrowDown"], { depth: 1 }), undefined);
});

test("left and right stay on a level, also from one subtree to the next", () => {
  assert.equal(walk(iris(), 1, ["ArrowRight"]), 2);
  assert.equal(walk(complete(2), 3, ["ArrowRight"]), 5);
  assert.equal(walk(complete(2), 5, ["ArrowLeft", "ArrowLeft"]), 2);
  assert.equal(walk(iris(), 1, ["ArrowLeft"]), undefined);
});

test("home and end go to the first and the last card shown", () => {
  const ends = [walk(iris(), 3, ["Home"]), walk(iris(), 0, ["End"]), walk(iris(), 0, ["End"], { depth: 1 })];
  assert.deepEqual(ends, [0, 4, 2]);
});

const curve = { x: Array.from({ length: 30 }, (_, i) => i), own: null, best: 12, low: 0, high: 29 };
const press = (key, at, shiftKey = false) => cutAfter(curve, at, { key, shiftKey });

test("arrows go to the next cut, with shift ten further, and never past the ends", () => {
  assert.deepEqual([press("ArrowRight", 4), press("ArrowLeft", 4, true), press("ArrowRight", 29)], [5, 0, 29]);
});

test("arrows start from the best cut where none is chosen, and Enter goes there", () => {
  assert.equal(press("ArrowRight", null), 13);
  assert.equal(press("Enter", 3), 12);
  assert.equal(cutAfter({ ...curve, own: 20 }, null, { key: "ArrowLeft" }), 19);
});

test("Escape chooses none, other keys mean nothing, and no key does without cuts", () => {
  assert.deepEqual([press("Escape", 3), press("a", 3)], [null, undefined]);
  assert.equal(cutAfter({ ...curve, x: [] }, null, { key: "Home" }), undefined);
});

test("arrows go from bar to bar, as far as there are bars", () => {
  const steps = [
    ["ArrowRight", 1],
    ["ArrowDown", 4],
    ["ArrowUp", 0],
    ["End", 0],
    ["Home", 3],
    ["a", 3],
  ];
  assert.deepEqual(
    steps.map(([key, at]) => barAfter(key, at, 4)),
    [2, 4, 0, 4, 0, null],
  );
});
