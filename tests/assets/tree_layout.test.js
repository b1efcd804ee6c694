// Where cards stand: positions of nodes, and the view that shows them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bounds, layout, viewOf } from "../../assets/components/tree/room/layout.js";
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
    plan,
  } = laidOut(iris());
  assert.equal(nodes[1].y, nodes[2].y);
  const { between } = plan;
  assert.equal(nodes[1].y, nodes[0].h + between);
  assert.equal(nodes[3].y, nodes[2].y + Math.max(nodes[1].h, nodes[2].h) + between);
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
    const { shown } = laidOut(nodes, { width: 2400, height: 1200 });
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
