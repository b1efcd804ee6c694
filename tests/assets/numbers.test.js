// How numbers are written and where an axis has its marks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { part, plain, round, short, ticks } from "../../assets/components/shared/numbers.js";

test("a number is written with so many places, a real minus, and groups from ten thousand on", () => {
  assert.equal(plain(2.5, 2), "2.50");
  assert.equal(plain(-0.125, 3), "−0.125");
  assert.equal(plain(9999.4, 0), "9999");
  assert.equal(plain(9999.5, 0), "10,000");
});

test("what is very large or very small is written with a power of ten", () => {
  assert.equal(plain(0.00001, 5), "1·10⁻⁵");
  assert.equal(plain(1e15, 0), "1·10¹⁵");
  assert.equal(plain(1.5e-7, 2), "1.5·10⁻⁷");
  assert.equal(plain(0, 1), "0.0");
});

test("a readout has four digits and no zeros at the end", () => {
  assert.equal(short(2.45), "2.45");
  assert.equal(short(123.456), "123.5");
  assert.equal(short(0.012345), "0.01235");
  assert.equal(short(3), "3");
  assert.equal(short(100), "100");
  assert.equal(short(2.0001), "2");
  assert.equal(short(1.23456, 6), "1.23456");
});

test("a missing value is called so", () => {
  assert.equal(short(null), "missing");
});

test("coordinates have two places", () => {
  assert.equal(round(1.23456), 1.23);
});

test("a part of a range is 0 at its low end, 1 at its high one, and a half where the range has no width", () => {
  assert.equal(part(2, [2, 6]), 0);
  assert.equal(part(6, [2, 6]), 1);
  assert.equal(part(3, [3, 3]), 0.5);
});

test("marks of an axis are multiples of 1, 2 or 5 within it", () => {
  assert.deepEqual(
    ticks({ low: 0.1, high: 1 }, 4).map(([, word]) => word),
    ["0.5", "1.0"],
  );
  assert.deepEqual(ticks({ low: -20, high: 20 }, 4), [
    [-20, "−20"],
    [-10, "−10"],
    [0, "0"],
    [10, "10"],
    [20, "20"],
  ]);
});

test("an axis of shares has per cents, one of categories their names", () => {
  assert.deepEqual(
    ticks({ low: 0, high: 1, percent: true }, 2).map(([, word]) => word),
    ["0 %", "50 %", "100 %"],
  );
  assert.deepEqual(ticks({ low: -0.5, high: 1.5, names: ["no", "yes"] }, 9), [
    [0, "no"],
    [1, "yes"],
  ]);
});
