// Names of strangers beside signs and numbers, and names that are too long for their room.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bare, legible, shortNames, withEnds } from "../../assets/components/shared/lettering.js";
import { withoutUnit } from "../../assets/components/tree/words.js";

const HEBREW = "\u05d2\u05d9\u05dc";
const isolated = (words) => `\u2068${words}\u2069`;
const within = (most) => (words) => words.length <= most;

test("letters from right to left are apart from signs and numbers, once", () => {
  assert.equal(legible(`${HEBREW} ${HEBREW} ≤ −0.5`), `${isolated(`${HEBREW} ${HEBREW}`)} ≤ −0.5`);
  for (const words of [`${isolated(`${HEBREW} (cm)`)} ≤ 5`, "petal length ≤ 2.45 cm", "Größe > −1", "👩‍🔬 5"])
    assert.equal(legible(words), words);
  assert.equal(legible(`x\u202e${HEBREW}, ${HEBREW}`), `x\ufffd${isolated(HEBREW)}, ${isolated(HEBREW)}`);
});

test("what is cut within an isolate is isolated anew", () => {
  assert.equal(legible(`\u2068${HEBREW}`), isolated(HEBREW));
  assert.equal(legible(`${HEBREW}\u2069 5`), `${isolated(HEBREW)} 5`);
  assert.equal(legible(isolated(`a ${isolated(HEBREW)} b`)), isolated(`a ${isolated(HEBREW)} b`));
});

test("of a long name both ends stay, so that names of a family differ", () => {
  const names = ["A", "B"].map((end) => `${"how satisfied are you with it all in all ".repeat(5)}${end}`);
  const short = names.map((name) => withEnds(name, within(30)));
  assert.notEqual(short[0], short[1]);
  for (const words of short) assert.match(words, /^how satisfied.*….*[AB]$/);
  assert.ok(short.every(within(30)));
  assert.equal(withEnds("petal length", within(12)), "petal length");
  assert.equal(withEnds("petal length", within(7)), "petal…"); // no room for both
});

test("names that would be cut alike have a number", () => {
  const names = ["07", "08"].map((n) => `municipality of region number ${n} in the far north`);
  const short = shortNames([...names, "town"], 24);
  assert.deepEqual(
    short.map((words) => words.replace(/.*(?= \(\d\)$)/, "cut")),
    ["cut (1)", "cut (2)", "town"],
  );
  assert.ok(short.every(within(24)));
});

test("the unit of a name is found within its isolate", () => {
  assert.equal(withoutUnit(isolated(`${HEBREW} (cm)`)), HEBREW);
  assert.equal(bare(isolated(HEBREW)), HEBREW);
});
