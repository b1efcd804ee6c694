// Where the keys lead: in the tree graph, along the impurity curve, from bar to bar.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barAfter } from "../../assets/components/bars/keys.js";
import { cutAfter } from "../../assets/components/curve/reading.js";
import { LEADS } from "../../assets/components/tree/keys.js";
import { layout } from "../../assets/components/tree/room/layout.js";
import { complete, graphOf, iris } from "./trees.js";

function walk(nodes, from, keys, settings) {
  const s = graphOf(nodes, settings);
  layout(s);
  return keys.reduce((node, key) => LEADS[key](s, node), s.byId.get(from))?.id;
}

test("down goes to the first child, up to the parent", () => {
  assert.equal(walk(iris(), 2, ["ArrowDown"]), 3);
  assert.equal(walk(iris(), 4, ["ArrowUp"]), 2);
  assert.equal(walk(iris(), 0, ["ArrowUp"]), undefined);
});

test("down leads nowhere from a leaf, nor from a closed branch", () => {
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
  assert.equal(walk(iris(), 3, ["Home"]), 0);
  assert.equal(walk(iris(), 0, ["End"]), 4);
  assert.equal(walk(iris(), 0, ["End"], { depth: 1 }), 2);
});

const curve = { x: Array.from({ length: 30 }, (_, i) => i), own: null, best: 12, low: 0, high: 29 };
const press = (key, at, shiftKey = false) => cutAfter(curve, at, { key, shiftKey });

test("arrows go to the next cut, with shift ten further, and never past the ends", () => {
  assert.equal(press("ArrowRight", 4), 5);
  assert.equal(press("ArrowLeft", 4, true), 0);
  assert.equal(press("ArrowRight", 29), 29);
});

test("arrows start from the best cut where none is chosen, and Enter goes there", () => {
  assert.equal(press("ArrowRight", null), 13);
  assert.equal(press("Enter", 3), 12);
  assert.equal(cutAfter({ ...curve, own: 20 }, null, { key: "ArrowLeft" }), 19);
});

test("Escape chooses none, other keys mean nothing, and no key does without cuts", () => {
  assert.equal(press("Escape", 3), null);
  assert.equal(press("a", 3), undefined);
  assert.equal(cutAfter({ ...curve, x: [] }, null, { key: "Home" }), undefined);
});

test("arrows go from bar to bar, as far as there are bars", () => {
  assert.equal(barAfter("ArrowRight", 1, 4), 2);
  assert.equal(barAfter("ArrowDown", 4, 4), 4);
  assert.equal(barAfter("ArrowUp", 0, 4), 0);
  assert.equal(barAfter("End", 0, 4), 4);
  assert.equal(barAfter("Home", 3, 4), 0);
  assert.equal(barAfter("a", 3, 4), null);
});
