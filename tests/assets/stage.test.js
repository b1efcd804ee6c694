// Keys of a lecture.

import assert from "node:assert/strict";
import { test } from "node:test";

import { actOf, filmActOf, isTyping, neighbour } from "../../assets/components/stage/keys.js";
import { joined } from "../../assets/components/stage/units.js";

test("P leads on to the stage and off it, Escape only off it", () => {
  assert.equal(actOf("p", false), "present");
  assert.equal(actOf("P", true), "present");
  assert.equal(actOf("Escape", true), "present");
  assert.equal(actOf("Escape", false), undefined);
});

test("a remote control turns pages on the stage alone", () => {
  assert.deepEqual(
    ["PageDown", "PageUp", "l", "x"].map((key) => actOf(key, true)),
    ["next", "previous", "laser", undefined],
  );
  assert.equal(actOf("PageDown", false), undefined);
});

test("what is written stays where it is written", () => {
  assert.ok(isTyping({ tagName: "INPUT" }) && isTyping({ tagName: "DIV", isContentEditable: true }));
  assert.ok(!isTyping({ tagName: "BUTTON" }) && !isTyping(null));
});

test("beyond the first and the last page there is none, nor where no page is known", () => {
  const pages = ["data", "tree", "forests"];
  assert.deepEqual(
    [neighbour(pages, 1, 1), neighbour(pages, 1, -1), neighbour(pages, 2, 1), neighbour(pages, 0, -1)],
    ["forests", "data", undefined, undefined],
  );
  assert.equal(neighbour(pages, -1, 1), undefined);
});

test("arrows step through a film and the space bar plays it, on the stage alone", () => {
  assert.deepEqual(
    ["ArrowRight", "ArrowLeft", "Home", "End", " ", "x"].map((key) => filmActOf(key, true)),
    ["step", "back", "start", "end", "play", undefined],
  );
  assert.equal(filmActOf("ArrowRight", false), undefined);
});

test("a percent sign stays with its number, and other words break as they did", () => {
  assert.equal(joined("right on 8.9 % of 45 rows, 0 % of none"), "right on 8.9\u00a0% of 45 rows, 0\u00a0% of none");
  assert.equal(joined("100% and % alone"), "100% and % alone");
});
