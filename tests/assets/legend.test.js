// Legends of few classes and of many: which are named, and which class has its colour.

import assert from "node:assert/strict";
import { test } from "node:test";

import { channelOf, chooseClass } from "../../assets/components/shared/channel.js";
import { MANY, inkOf, listed } from "../../assets/components/shared/colours.js";

const classesOf = (n) =>
  Array.from({ length: n }, (_, i) => ({ name: `class ${i}`, light: `light ${i}`, dark: `dark ${i}` }));

test("of few classes each is named and has its colour, whatever is chosen", () => {
  const classes = classesOf(MANY);
  assert.deepEqual(listed(classes, "class 3", false), [...classes.keys()]);
  for (const i of classes.keys()) assert.equal(inkOf(classes, i, true, { chosen: "class 3", at: 2 }), `dark ${i}`);
});

test("of many classes the first ones and the chosen one are named, and all on demand", () => {
  const classes = classesOf(40);
  assert.deepEqual(listed(classes, null, false), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(listed(classes, "class 20", false), [0, 1, 2, 3, 4, 5, 6, 7, 20]);
  assert.deepEqual(listed(classes, "class 20", true), [...classes.keys()]);
  assert.deepEqual(listed(classes, "class 20", false, 0), [20]);
});

test("of many classes the chosen one has its colour, else that of the node at hand; the rest share one", () => {
  const classes = classesOf(40);
  const inks = (how) => classes.map((_, i) => inkOf(classes, i, false, how));
  const alone = (k, all) => {
    assert.equal(all[k], `light ${k}`);
    assert.equal(new Set(all.filter((_, i) => i !== k)).size, 1);
  };
  alone(20, inks({ chosen: "class 20" }));
  alone(20, inks({ chosen: "class 20", at: 3 }));
  alone(3, inks({ at: 3 }));
  alone(3, inks({ at: 3, chosen: "a class of another table" }));
  assert.deepEqual(
    inks({}),
    classes.map(({ light }) => light),
  );
});

test("a class that is chosen on one picture is chosen on all of the page", () => {
  const channel = channelOf("page of legends");
  let times = 0;
  channel.colouring.add(() => times++);
  chooseClass(channel, "class 20");
  assert.equal(channelOf("page of legends").chosen, "class 20");
  chooseClass(channel, null);
  assert.deepEqual([channel.chosen, times], [null, 2]);
});
