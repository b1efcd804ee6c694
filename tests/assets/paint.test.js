// Points drawn by hand: added, sprayed, moved and removed, and where keys take the cursor.

import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST, added, cursorAfter, moved, nearest, removed, sprayed } from "../../assets/components/paint/points.js";

const two = [
  { x: 1, y: 1, c: 0 },
  { x: 5, y: 5, c: 1 },
];

test("a point outside the plane is put on its border", () => {
  assert.deepEqual(added([], { x: -3, y: 12, c: 2 }), [{ x: 0, y: 10, c: 2 }]);
});

test("no more points are added than a table may have", () => {
  const full = new Array(MOST).fill(two[0]);
  assert.equal(added(full, two[1]), full);
});

test("the brush puts its points around the place, within its radius", () => {
  let seed = 0.1;
  const some = sprayed([], { x: 5, y: 5, c: 1 }, 1, () => (seed = (seed * 7.3 + 0.17) % 1));
  assert.equal(some.length, 4);
  for (const p of some) assert.ok(Math.hypot(p.x - 5, p.y - 5) <= 1 && p.c === 1);
});

test("the nearest point is within reach, or there is none", () => {
  assert.equal(nearest(two, { x: 4.8, y: 5 }, 0.5), 1);
  assert.equal(nearest(two, { x: 3, y: 3 }, 0.5), -1);
});

test("a point is moved, or removed, and the others stay", () => {
  assert.deepEqual(moved(two, 0, { x: 2, y: 11 })[0], { x: 2, y: 10, c: 0 });
  assert.deepEqual(removed(two, 0), [two[1]]);
  assert.equal(removed(two, -1), two);
});

test("arrows move the cursor, with Shift farther, and other keys do not", () => {
  assert.deepEqual(cursorAfter({ x: 0, y: 5 }, { key: "ArrowUp", shiftKey: true }), { x: 0, y: 6 });
  assert.deepEqual(cursorAfter({ x: 0, y: 5 }, { key: "ArrowLeft" }), { x: 0, y: 5 });
  assert.equal(cursorAfter({ x: 0, y: 5 }, { key: "q" }), undefined);
});
