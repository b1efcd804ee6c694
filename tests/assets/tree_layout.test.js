// Where cards stand: positions of nodes, and the view that shows them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bounds, layout, viewOf } from "../../assets/components/tree/layout.js";
import { complete, graphOf, iris } from "./trees.js";

function laidOut(nodes, settings) {
  const s = graphOf(nodes, settings);
  layout(s);
  return s;
}

const overlap = (a, b) => a !== b && a.depth === b.depth && Math.abs(a.x - b.x) < (a.w + b.w) / 2;

test("a parent stands in the middle above its children, the root at 0", () => {
  const {
    cards: {
      nodes: [root, left, right, ...leaves],
    },
  } = laidOut(iris());
  assert.equal(root.x, 0);
  assert.equal(root.y, 0);
  assert.equal((left.x + right.x) / 2, root.x);
  assert.equal((leaves[0].x + leaves[1].x) / 2, right.x);
});

test("a level stands below the highest card of the one above", () => {
  const {
    cards: { nodes },
  } = laidOut(iris());
  assert.equal(nodes[1].y, nodes[2].y);
  assert.equal(nodes[1].y, nodes[0].h + 36);
  assert.equal(nodes[3].y, nodes[2].y + Math.max(nodes[1].h, nodes[2].h) + 36);
});

test("no two cards of a level overlap", () => {
  const lopsided = [
    { id: 0, f: 0, left: 1, right: 6 },
    { id: 1, f: 0, left: 2, right: 3 },
    { id: 2 },
    { id: 3, f: 0, left: 4, right: 5 },
    { id: 4 },
    { id: 5 },
    { id: 6, f: 0, left: 7, right: 8 },
    { id: 7 },
    { id: 8 },
  ];
  for (const nodes of [iris(), complete(5), lopsided]) {
    const { shown } = laidOut(nodes);
    assert.equal(shown.length, nodes.length);
    assert.ok(!shown.some((a) => shown.some((b) => overlap(a, b))));
  }
});

test("closed branches take no room", () => {
  const s = laidOut(iris(), { depth: 1 });
  assert.deepEqual(
    s.shown.map((node) => node.id),
    [0, 1, 2],
  );
  const box = bounds(s.shown);
  s.open.set("R", true);
  layout(s);
  assert.ok(bounds(s.shown).bottom > box.bottom);
});

test("cards are as wide as the height has a use for, and narrower in a narrow graph", () => {
  assert.equal(laidOut(complete(1), { width: 1400 }).wide, 232);
  assert.ok(laidOut(complete(3), { width: 500 }).wide < 232);
});

test("a view shows all cards if that can be read, else the root", () => {
  const small = laidOut(iris());
  const { k, x, y } = viewOf(small, small.shown);
  const box = bounds(small.shown);
  assert.ok(x + k * box.left >= 12 && x + k * box.right <= 800 - 12);
  assert.ok(y + k * box.top >= 38 && y + k * box.bottom <= 500);
  const large = laidOut(complete(6));
  const view = viewOf(large, large.shown);
  assert.equal(view.k, 0.305);
  assert.equal(view.x + view.k * large.shown[0].x, 400);
});

test("a view that was asked for shows all cards even if they are too small to be read", () => {
  const s = laidOut(complete(6));
  s.whole = true;
  const { k } = viewOf(s, s.shown);
  assert.ok(k < 0.305);
});
