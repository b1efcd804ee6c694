// Dates, times and durations on the axes of a surface.

import assert from "node:assert/strict";
import test from "node:test";

import { momentTicks, written } from "../../assets/components/shared/moments.js";
import { ticks } from "../../assets/components/shared/numbers.js";

const DAYS = ["date", 86400, 0];
const words = (marks) => marks.map(([, word]) => word);

test("a value is written as Python writes it", () => {
  assert.equal(written(DAYS, 18687), "2021-03-01");
  assert.equal(written(["date", 60, 18687 * 86400], 875), "2021-03-01 14:35");
  assert.equal(written(["time of day", 60, 0], 875), "14:35");
  assert.equal(written(["duration", 3600, 0], 76), "3 d 4 h");
  assert.equal(written(DAYS, -719162), "0001-01-01");
});

test("marks of dates stand at the beginnings of days, months and years", () => {
  assert.deepEqual(words(momentTicks({ moment: DAYS, low: 18687, high: 18691 }, 4)), [
    "2021-03-01",
    "2021-03-02",
    "2021-03-03",
    "2021-03-04",
    "2021-03-05",
  ]);
  assert.deepEqual(momentTicks({ moment: DAYS, low: 18600, high: 18760 }, 5), [
    [18628, "2021-01"],
    [18718, "2021-04"],
  ]);
  assert.deepEqual(words(momentTicks({ moment: DAYS, low: 15000, high: 18700 }, 6)), [
    "2012",
    "2014",
    "2016",
    "2018",
    "2020",
  ]);
});

test("marks of times and durations stand at full hours and days", () => {
  assert.deepEqual(words(ticks({ moment: ["time of day", 60, 0], low: 500, high: 1000 }, 5)), [
    "10:00",
    "12:00",
    "14:00",
    "16:00",
  ]);
  assert.deepEqual(words(momentTicks({ moment: ["duration", 3600, 0], low: 0, high: 72 }, 4)), [
    "0",
    "1 d",
    "2 d",
    "3 d",
  ]);
});
