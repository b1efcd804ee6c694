// A slider's messages and the words that explain it, legends, and the picture that a slider brings along.

import assert from "node:assert/strict";
import { test } from "node:test";

import { channelOf, chooseClass } from "../../assets/components/shared/channel.js";
import { inkOf, listed, MANY } from "../../assets/components/shared/colours.js";
import { courierOf, isBusy, landed, move, told } from "../../assets/components/shared/courier.js";
import { followPicture, showPicture } from "../../assets/components/shared/live.js";
import { paragraphs, parts } from "../../assets/components/shared/prose.js";

function courier() {
  const sent = [];
  const c = courierOf(
    (message) => sent.push([message.at, message.over]),
    () => 0,
  );
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
  const c = courierOf(
    (message) => numbers.push(message.n),
    () => 7,
  );
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
  const first = [
    ["", "• "],
    ["strong", "By hand."],
    ["", " As many."],
  ];
  assert.deepEqual(paragraphs("- **By hand.** As many.\nRest"), [first, [["", "Rest"]]]);
});

test("a lone star, and a sign that opens nothing, stay as they are", () => {
  assert.deepEqual(parts("2 * 3 < `"), [["", "2 * 3 < `"]]);
});

// ---- Legends of few classes and of many: which are named, and which class has its colour.

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

// ---- The picture that a slider brings along: who shows it, and when the page's own comes back.

function follower(channel, s = {}) {
  const drawn = [];
  return { s, drawn, leave: followPicture(s, channel, (picture) => drawn.push(picture)) };
}

test("all that follow a channel draw the picture, and then Python's own again", () => {
  const channel = {};
  const [one, two] = [follower(channel), follower(channel)];
  showPicture(channel, { cards: 1 });
  assert.ok(one.s.isPictured && two.s.isPictured);
  showPicture(channel, null);
  assert.ok(!one.s.isPictured);
  assert.deepEqual(one.drawn, [{ cards: 1 }, null]);
  assert.deepEqual(two.drawn, one.drawn);
});

test("a tree that the browser folds is not drawn over", () => {
  const channel = {};
  const { drawn } = follower(channel, { isFolded: true });
  showPicture(channel, { cards: 1 });
  assert.deepEqual(drawn, []);
});

test("who has left hears nothing more", () => {
  const channel = {};
  const { drawn, leave } = follower(channel);
  leave();
  showPicture(channel, { cards: 1 });
  assert.deepEqual(drawn, []);
});
