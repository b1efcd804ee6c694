// A cut of one's own on the surface: a line across the selected node's part of the plane.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cutPath, reach } from "../../assets/components/surface/reach.js";

const g = { left: 10, top: 0, w: 100, h: 50, x: { name: "a" }, y: { name: "b" }, X: (v) => 10 + v, Y: (v) => 50 - v };
const boxes = [
  { x0: -1000, x1: 40, y0: -1000, y1: 20, leaf: 1 },
  { x0: 40, x1: 1000, y0: 5, y1: 20, leaf: 3 },
  { x0: 40, x1: 60, y0: 20, y1: 1000, leaf: 4 },
];

test("without a lit box a node reaches over all of the plane", () => {
  assert.deepEqual(reach({ g, boxes, lit: new Set() }), { x0: 10, x1: 110, y0: 0, y1: 50 });
});

test("a node reaches as far as the boxes of its leaves, and no farther than the axes", () => {
  assert.deepEqual(reach({ g, boxes, lit: new Set([3, 4]) }), { x0: 50, x1: 110, y0: 0, y1: 45 });
});

test("a cut on the horizontal axis stands upright, one on the vertical axis lies", () => {
  const part = reach({ g, boxes, lit: new Set([3, 4]) });
  assert.equal(cutPath(g, { column: "a", at: 50 }, part), "M60 0V45");
  assert.equal(cutPath(g, { column: "b", at: 10 }, part), "M50 40H110");
});

test("a cut of another column, or outside the node, is not drawn", () => {
  const part = reach({ g, boxes, lit: new Set([3, 4]) });
  assert.equal(cutPath(g, { column: "c", at: 50 }, part), null);
  assert.equal(cutPath(g, { column: "a", at: 20 }, part), null);
  assert.equal(cutPath({ ...g, one: true }, { column: "b", at: 10 }, part), null);
});
