// How numbers are written and where an axis has its marks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { momentTicks, written } from "../../assets/components/shared/moments.js";
import { part, plain, round, short, ticks } from "../../assets/components/shared/numbers.js";

const words = (marks) => marks.map(([, word]) => word);

test("a number is written with so many places, a real minus, and groups from ten thousand on", () => {
  assert.deepEqual([plain(2.5, 2), plain(-0.125, 3)], ["2.50", "−0.125"]);
  assert.deepEqual([plain(9999.4, 0), plain(9999.5, 0)], ["9999", "10,000"]);
});

test("what is very large or very small is written with a power of ten", () => {
  assert.deepEqual([plain(0.00001, 5), plain(1e15, 0), plain(1.5e-7, 2)], ["1·10⁻⁵", "1·10¹⁵", "1.5·10⁻⁷"]);
  assert.equal(plain(0, 1), "0.0");
});

test("a readout has four digits and no zeros at the end", () => {
  const numbers = [2.45, 123.456, 0.012345, 3, 100, 2.0001];
  assert.deepEqual(
    numbers.map((x) => short(x)),
    ["2.45", "123.5", "0.01235", "3", "100", "2"],
  );
  assert.equal(short(1.23456, 6), "1.23456");
});

test("a missing value is called so, and coordinates have two places", () => {
  assert.equal(short(null), "missing");
  assert.equal(round(1.23456), 1.23);
});

test("a part of a range is 0 at its low end, 1 at its high one, and a half where the range has no width", () => {
  assert.deepEqual([part(2, [2, 6]), part(6, [2, 6]), part(3, [3, 3])], [0, 1, 0.5]);
});

test("marks of an axis are multiples of 1, 2 or 5 within it", () => {
  assert.deepEqual(words(ticks({ low: 0.1, high: 1 }, 4)), ["0.5", "1.0"]);
  const marks = [
    [-20, "−20"],
    [-10, "−10"],
    [0, "0"],
    [10, "10"],
    [20, "20"],
  ];
  assert.deepEqual(ticks({ low: -20, high: 20 }, 4), marks);
});

test("an axis of shares has per cents, one of categories their names", () => {
  assert.deepEqual(words(ticks({ low: 0, high: 1, percent: true }, 2)), ["0 %", "50 %", "100 %"]);
  assert.deepEqual(ticks({ low: -0.5, high: 1.5, names: ["no", "yes"] }, 9), [
    [0, "no"],
    [1, "yes"],
  ]);
});

// ---- Dates, times and durations on the axes of a surface.

const DAYS = ["date", 86400, 0];

test("a value is written as Python writes it", () => {
  assert.equal(written(DAYS, 18687), "2021-03-01");
  assert.equal(written(["date", 60, 18687 * 86400], 875), "2021-03-01 14:35");
  assert.equal(written(["time of day", 60, 0], 875), "14:35");
  assert.equal(written(["duration", 3600, 0], 76), "3 d 4 h");
  assert.equal(written(DAYS, -719162), "0001-01-01");
});

test("marks of dates stand at the beginnings of days, months and years", () => {
  const days = [1, 2, 3, 4, 5].map((day) => `2021-03-0${day}`);
  assert.deepEqual(words(momentTicks({ moment: DAYS, low: 18687, high: 18691 }, 4)), days);
  const quarters = [
    [18628, "2021-01"],
    [18718, "2021-04"],
  ];
  assert.deepEqual(momentTicks({ moment: DAYS, low: 18600, high: 18760 }, 5), quarters);
  const years = ["2012", "2014", "2016", "2018", "2020"];
  assert.deepEqual(words(momentTicks({ moment: DAYS, low: 15000, high: 18700 }, 6)), years);
});

test("marks of times and durations stand at full hours and days", () => {
  const hours = ["10:00", "12:00", "14:00", "16:00"];
  assert.deepEqual(words(ticks({ moment: ["time of day", 60, 0], low: 500, high: 1000 }, 5)), hours);
  const days = ["0", "1 d", "2 d", "3 d"];
  assert.deepEqual(words(momentTicks({ moment: ["duration", 3600, 0], low: 0, high: 72 }, 4)), days);
});
