// How nodes hang together, and which branches are open.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ancestors, endOf, follow, isOpen, reveal, same, startDepth } from "../../assets/components/tree/nodes.js";
import { complete, graphOf, iris } from "./trees.js";

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
  assert.equal(endOf(s, s.byId.get(1)), 2);
  assert.equal(endOf(s, s.byId.get(3)), 4);
  assert.equal(endOf(s, s.byId.get(2)), Infinity);
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
  assert.equal(startDepth(graphOf(complete(4))), 4);
  assert.equal(startDepth(graphOf(complete(6))), 4);
  assert.equal(startDepth(graphOf(complete(6), { cultivated: true })), 2);
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
