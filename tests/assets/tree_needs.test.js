// Titles of cards broken into lines.

import assert from "node:assert/strict";
import { test } from "node:test";

import { broken, narrowest, wordsOf } from "../../assets/components/tree/room/needs.js";
import { wide } from "../../assets/components/shared/lettering.js";

const width = (words) => words.length;
const words = (name, condition) => wordsOf({ cards: { scales: { 0: { name } } } }, { f: 0, test: condition });

test("a sign and its number are one word, an answer in words is several, and a unit is left out", () => {
  assert.deepEqual(words("petal length (cm)", " ≤ 2.45"), ["petal", "length", "≤ 2.45"]);
  assert.deepEqual(words("jacket", " is red or blue"), ["jacket", "is", "red", "or", "blue"]);
});

test("names break between words, and every word and threshold is whole", () => {
  const worst = words("worst concave points", " ≤ 0.14655");
  assert.deepEqual(broken(worst, 3, 40, width), ["worst concave points ≤ 0.14655"]);
  assert.deepEqual(broken(worst, 3, 16, width), ["worst concave", "points ≤ 0.14655"]);
  assert.deepEqual(broken(worst, 3, 14, width), ["worst concave", "points", "≤ 0.14655"]);
  assert.equal(broken(worst, 2, 14, width), null);
  assert.equal(broken(["measurement1", "≤ 2"], 3, 11, width), null);
});

test("the least width of so many lines is that of their longest one", () => {
  const four = ["aa", "b", "cc", "d"];
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((lines) => narrowest(four, lines, width)),
    [9, 4, 4, 2, 2],
  );
});

test("words are measured once for each font, and anew when the page's font has come", () => {
  const measured = [];
  let come;
  const measureText = (words) => ({ width: measured.push(words) });
  globalThis.document = {
    createElement: () => ({ getContext: () => ({ measureText }) }),
    fonts: { addEventListener: (_, hear) => (come = hear) },
  };
  const s = { theme: { font: "Sans" } };
  assert.equal(wide(s, "petal"), wide(s, "petal"));
  wide(s, "petal", 14);
  assert.deepEqual(measured, ["petal", "petal"]);
  come();
  wide(s, "petal");
  assert.equal(measured.length, 3);
  delete globalThis.document;
});
