// A slider's messages, and the words that explain it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { paragraphs, parts } from "../../assets/components/shared/prose.js";
import { courierOf, isBusy, landed, move, told } from "../../assets/components/shared/courier.js";

function courier() {
  const sent = [];
  const c = courierOf((message) => sent.push([message.at, message.over]), () => 0);
  told(c, 3);
  return { c, sent };
}

test("one message is under way, and what comes meanwhile is only its last value", () => {
  const { c, sent } = courier();
  for (const at of [4, 5, 6, 7]) move(c, at, false);
  assert.deepEqual(sent, [[4, false]]);
  landed(c);
  assert.deepEqual(sent.slice(1), [[7, false]]);
  landed(c);
  assert.equal(sent.length, 2);
  assert.equal(isBusy(c), false);
});

test("the end of a move is always said, once, be its value known or not", () => {
  const { c, sent } = courier();
  move(c, 4, false);
  move(c, 4, true);
  landed(c);
  move(c, 4, true);
  landed(c);
  assert.deepEqual(sent, [
    [4, false],
    [4, true],
  ]);
});

test("a value that Python has already is not sent", () => {
  const { c, sent } = courier();
  move(c, 3, true);
  move(c, 3, false);
  assert.deepEqual(sent, []);
  told(c, 8);
  move(c, 3, true);
  assert.deepEqual(sent, [[3, true]]);
});

test("there and back again while a message is under way ends where it began", () => {
  const { c, sent } = courier();
  move(c, 4, false);
  move(c, 5, false);
  move(c, 3, true);
  landed(c);
  assert.deepEqual(sent, [
    [4, false],
    [3, true],
  ]);
});

test("messages have growing numbers, also within one tick of the clock", () => {
  const numbers = [];
  const c = courierOf((message) => numbers.push(message.n), () => 7);
  for (const at of [1, 2, 3]) {
    move(c, at, false);
    landed(c);
  }
  assert.deepEqual(numbers, [7, 8, 9]);
});

test("terms, names and code of an explanation are told apart, and lines are paragraphs", () => {
  assert.deepEqual(parts("*Term:* `max_depth`."), [
    ["em", "Term:"],
    ["", " "],
    ["code", "max_depth"],
    ["", "."],
  ]);
  assert.deepEqual(paragraphs("- **By hand.** As many.\nRest"), [
    [
      ["", "• "],
      ["strong", "By hand."],
      ["", " As many."],
    ],
    [["", "Rest"]],
  ]);
});

test("a lone star, and a sign that opens nothing, stay as they are", () => {
  assert.deepEqual(parts("2 * 3 < `"), [["", "2 * 3 < `"]]);
});
