// What a hand drags: splits along the curves of impurity, rows, the heights of a sketch, points that are drawn.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  HIGHEST,
  IMPURITIES,
  afterKey,
  dragged,
  numbersOf,
  parentOf,
  written as asText,
} from "../../assets/components/impurity/impurities.js";
import * as paint from "../../assets/components/paint/points.js";
import { carried, nearest, nextTo, written } from "../../assets/components/points/rows.js";
import * as sketch from "../../assets/components/sketch/heights.js";

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const split = { left: 0.1, right: 0.4, weight: 0.5 };

test("impurities are those of a worked example, with their highest in the middle", () => {
  near(IMPURITIES.gini(0.25), 0.375);
  near(IMPURITIES.entropy(0.25), 2 - 0.75 * Math.log2(3));
  near(IMPURITIES.error(0.75), 0.25);
  for (const [name, of] of Object.entries(IMPURITIES)) {
    near(of(0.5), HIGHEST[name]);
    near(of(0), 0);
    near(of(1), 0);
  }
});

test("children of one majority gain nothing by error, and something by the arches", () => {
  near(parentOf(split), 0.25);
  assert.equal(numbersOf("error", split).gain, 0);
  near(numbersOf("gini", split).gain, 0.045);
  assert.ok(numbersOf("entropy", split).gain > 0.05);
});

test("no split of any shares has a negative gain", () => {
  for (let i = 0; i <= 10; i++)
    for (let j = 0; j <= 10; j++)
      for (const weight of [0, 0.3, 1])
        for (const name of Object.keys(IMPURITIES))
          assert.ok(numbersOf(name, { left: i / 10, right: j / 10, weight }).gain >= 0);
});

test("a child is dragged to a share, and the parent between its children", () => {
  assert.deepEqual(dragged(split, "left", 0.333), { ...split, left: 0.33 });
  assert.deepEqual(dragged(split, "right", 7), { ...split, right: 1 });
  near(dragged(split, "parent", 0.2).weight, 0.67);
  assert.equal(dragged(split, "parent", 0).weight, 1);
  const same = { left: 0.3, right: 0.3, weight: 0.4 };
  assert.equal(dragged(same, "parent", 0.9), same);
});

test("arrows move a handle to the right or to the left, whichever child lies there", () => {
  assert.equal(afterKey("ArrowRight", split, "left").left, 0.11);
  assert.equal(afterKey("ArrowDown", split, "right", true).right, 0.3);
  assert.equal(afterKey("PageDown", split, "right"), undefined); // it turns the stage to the next step
  assert.equal(afterKey("Home", split, "left").left, 0);
  assert.ok(parentOf(afterKey("ArrowRight", split, "parent")) > parentOf(split));
  const turned = { left: 0.4, right: 0.1, weight: 0.5 };
  assert.ok(parentOf(afterKey("ArrowRight", turned, "parent")) > parentOf(turned));
  assert.equal(afterKey("a", split, "left"), undefined);
  assert.equal(asText(split), "10-40-50");
});

const plane = { low: 0, high: 10 };
const three = [
  [5, 1],
  [1, 1],
  [9, 2],
];

test("a row is carried to the grid of the plane, and not beyond its border", () => {
  assert.deepEqual(carried(three, 1, [2.34, 11], plane)[1], [2.3, 10]);
  assert.deepEqual(carried(three, 1, [2.34, 11], plane)[0], [5, 1]);
  assert.equal(written(2, [9, 2.5]), "2-9-2.5");
});

test("a hand takes the nearest row within its reach", () => {
  assert.equal(nearest(three, [8.8, 2], 0.5), 2);
  assert.equal(nearest(three, [7, 2], 0.5), -1);
});

test("keys go through the rows from left to right, and round", () => {
  assert.deepEqual([nextTo(three, 1, 1), nextTo(three, 0, 1), nextTo(three, 2, 1)], [0, 2, 1]);
  assert.equal(nextTo(three, 1, -1), 2);
});

// ---- The heights of a sketch.

test("a height lies between the limits, on one of the steps", () => {
  assert.equal(sketch.heightAt(0.5, 0, 0.15), 0.078); // the thirteenth of twenty-five steps
  assert.deepEqual([sketch.heightAt(-1, 2, 3), sketch.heightAt(7, 2, 3)], [2, 3]);
});

test("a share is the way back from a height", () => {
  for (const share of [0, 0.2, 0.6, 1]) near(sketch.shareOf(sketch.heightAt(share, -1, 4), -1, 4), share);
});

test("arrows move a point by one step and stop at the limits; other keys leave it", () => {
  assert.deepEqual([sketch.afterKey("ArrowUp", 0.4, 0, 1), sketch.afterKey("ArrowDown", 0, 0, 1)], [0.44, 0]);
  const keys = ["PageUp", "Home", "End", "a"];
  assert.deepEqual(
    keys.map((key) => sketch.afterKey(key, 0.9, 0.1, 1)),
    [1, 0.1, 1, undefined],
  );
});

test("an answer is the heights in one text", () => {
  assert.equal(sketch.written([0, 0.5, 1]), "0~0.5~1");
});

// ---- Points drawn by hand: added, sprayed, moved and removed, and where keys take the cursor.

const two = [
  { x: 1, y: 1, c: 0 },
  { x: 5, y: 5, c: 1 },
];

test("a point outside the plane is put on its border", () => {
  assert.deepEqual(paint.added([], { x: -3, y: 12, c: 2 }), [{ x: 0, y: 10, c: 2 }]);
});

test("no more points are added than a table may have", () => {
  const full = new Array(paint.MOST).fill(two[0]);
  assert.equal(paint.added(full, two[1]), full);
});

test("the brush puts its points around the place, within its radius", () => {
  let seed = 0.1;
  const some = paint.sprayed([], { x: 5, y: 5, c: 1 }, 1, () => (seed = (seed * 7.3 + 0.17) % 1));
  assert.equal(some.length, 4);
  for (const p of some) assert.ok(Math.hypot(p.x - 5, p.y - 5) <= 1 && p.c === 1);
});

test("the nearest point is within reach, or there is none", () => {
  assert.equal(paint.nearest(two, { x: 4.8, y: 5 }, 0.5), 1);
  assert.equal(paint.nearest(two, { x: 3, y: 3 }, 0.5), -1);
});

test("a point is moved, or removed, and the others stay", () => {
  assert.deepEqual(paint.moved(two, 0, { x: 2, y: 11 })[0], { x: 2, y: 10, c: 0 });
  assert.deepEqual(paint.removed(two, 0), [two[1]]);
  assert.equal(paint.removed(two, -1), two);
});

test("arrows move the cursor, with Shift farther, and other keys do not", () => {
  assert.deepEqual(paint.cursorAfter({ x: 0, y: 5 }, { key: "ArrowUp", shiftKey: true }), { x: 0, y: 6 });
  assert.deepEqual(paint.cursorAfter({ x: 0, y: 5 }, { key: "ArrowLeft" }), { x: 0, y: 5 });
  assert.equal(paint.cursorAfter({ x: 0, y: 5 }, { key: "q" }), undefined);
});
