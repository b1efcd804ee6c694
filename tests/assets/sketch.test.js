// The heights of a sketch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { afterKey, heightAt, shareOf, written } from "../../assets/components/sketch/heights.js";

test("a height lies between the limits, on one of the steps", () => {
  assert.equal(heightAt(0.5, 0, 0.15), 0.078); // the thirteenth of twenty-five steps
  assert.equal(heightAt(-1, 2, 3), 2);
  assert.equal(heightAt(7, 2, 3), 3);
});

test("a share is the way back from a height", () => {
  for (const share of [0, 0.2, 0.6, 1]) assert.ok(Math.abs(shareOf(heightAt(share, -1, 4), -1, 4) - share) < 1e-9);
});

test("arrows move a point by one step and stop at the limits; other keys leave it", () => {
  assert.equal(afterKey("ArrowUp", 0.4, 0, 1), 0.44);
  assert.equal(afterKey("ArrowDown", 0, 0, 1), 0);
  assert.equal(afterKey("PageUp", 0.9, 0, 1), 1);
  assert.equal(afterKey("Home", 0.9, 0.1, 1), 0.1);
  assert.equal(afterKey("End", 0.9, 0.1, 1), 1);
  assert.equal(afterKey("a", 0.9, 0, 1), undefined);
});

test("an answer is the heights in one text", () => {
  assert.equal(written([0, 0.5, 1]), "0~0.5~1");
});
