// What shows a tree that a slider folds: it follows at once, and goes back only to Python's tree of the same value.

import assert from "node:assert/strict";
import { test } from "node:test";

import { channelOf } from "../../assets/components/shared/channel.js";
import { cutOf, foldTo, foldedBy, followFold, isPart, offerFold, unfold } from "../../assets/components/shared/fold.js";

//      0
//     ╱ ╲
//    1   2
//       ╱ ╲
//      3   4
const fold = () => ({
  name: "depth",
  stop: [0, 1, 1, 2, 2],
  cards: {
    id: "t",
    nodes: [
      { id: 0, f: 2, test: " ≤ 2", left: 1, right: 2 },
      { id: 1, top: 0 },
      { id: 2, f: 3, test: " ≤ 1", left: 3, right: 4, hist: [1], top: 1 },
      { id: 3, top: 1 },
      { id: 4, top: 2 },
    ],
  },
  numbers: [
    [1, ["60 %"]],
    [2, ["90 %"]],
  ],
});

test("a tree is cut off where its splits stop, and the cut split is a leaf", () => {
  const { nodes, leafOf, numbers } = cutOf(fold(), { depth: 1 });
  assert.deepEqual(nodes, [
    { id: 0, f: 2, test: " ≤ 2", left: 1, right: 2 },
    { id: 1, top: 0 },
    { id: 2, top: 1 },
  ]);
  assert.deepEqual(leafOf, [, 1, 2, 2, 2]); // eslint-disable-line no-sparse-arrays
  assert.deepEqual(numbers, ["60 %"]);
});

test("past its depth, and without a limit, it is whole", () => {
  for (const value of [2, 30, null]) {
    assert.deepEqual(cutOf(fold(), { depth: value }).nodes, fold().cards.nodes);
    assert.deepEqual(cutOf(fold(), { depth: value }).numbers, ["90 %"]);
  }
});

// Node 2 goes at a price of 0.1, the root at 0.3; in the tree of depth 1 the root goes at 0.2.
const priced = () => ({ ...fold(), prices: [[0.2], [0.3, 0.1]] });

test("a split goes from its price on, which depends on the depth", () => {
  const left = (depth, alpha) => cutOf(priced(), { depth, alpha }).nodes.length;
  assert.deepEqual([0, 0.09, 0.1, 0.29, 0.3, 5].map((alpha) => left(null, alpha)), [5, 5, 3, 3, 1, 1]);
  assert.deepEqual([0, 0.1, 0.2, 0.29].map((alpha) => left(1, alpha)), [3, 3, 1, 1]);
});

test("values of the same tree give the same cut, and no second drawing", () => {
  const one = priced();
  assert.equal(cutOf(one, { depth: 2, alpha: 0.1 }), cutOf(one, { depth: 9, alpha: 0.25 }));
  const channel = channelOf("same");
  offerFold(channel, one, { depth: 2, alpha: 0 });
  const s = follower(channel, 2);
  for (const alpha of [0.1, 0.2, 0.3]) foldTo(channel, "alpha", alpha);
  assert.deepEqual(s.drawn, [3, 1]);
  offerFold(channel, null);
});

test("two sliders fold one tree, and it is Python's again when both have come to rest", () => {
  const channel = channelOf("both");
  offerFold(channel, priced(), { depth: 2, alpha: 0 });
  const s = follower(channel, 1, 0.1);
  assert.equal(foldedBy("alpha"), channel);
  foldTo(channel, "depth", 1);
  foldTo(channel, "alpha", 0.25);
  unfold(channel, "depth");
  assert.deepEqual(s.drawn, [3, 1]);
  foldTo(channel, "alpha", 0.1);
  unfold(channel, "alpha");
  assert.deepEqual(s.drawn, [3, 1, 3, "back"]);
  offerFold(channel, null);
});

test("the numbers of a cut are those that Python would write", () => {
  const scores = [
    { lost: [6, 0, 3, 0, 1], of: 8 },
    { lost: [7, 1, 2, 0, 0], of: 8 },
  ];
  const whole = { ...fold(), cards: { ...fold().cards, kind: "class" }, scores };
  const said = (value) => cutOf(whole, { depth: value }).numbers;
  assert.deepEqual(said(1), ["62.5 %", "62.5 %", null, "2", "1"]);
  assert.deepEqual(said(null), ["87.5 %", "87.5 %", null, "3", "2"]);
});

function follower(channel, depth, alpha = 0) {
  const s = { came: { at: { depth, alpha } }, drawn: [] };
  followFold(s, channel, {
    show: (cut) => s.drawn.push(cut.nodes.length),
    back: () => s.drawn.push("back"),
  });
  return s;
}

test("all that show the tree follow the slider of its name", () => {
  const channel = channelOf("one");
  offerFold(channel, fold());
  const [a, b] = [follower(channel, 3), follower(channel, 3)];
  assert.equal(foldedBy("depth"), channel);
  assert.equal(foldedBy("k"), null);
  for (const value of [1, 2]) foldTo(channel, "depth", value);
  assert.deepEqual([a.drawn, b.drawn], [
    [3, 5],
    [3, 5],
  ]);
  offerFold(channel, null);
});

test("at rest, what has the tree of that value goes back to it; what has an older one waits for it", () => {
  const channel = channelOf("two");
  offerFold(channel, fold());
  const [old, fresh] = [follower(channel, 3), follower(channel, 1)];
  foldTo(channel, "depth", 1);
  unfold(channel, "depth");
  assert.deepEqual([old.drawn, fresh.drawn], [[3], [3, "back"]]);
  assert.deepEqual([old.isFolded, fresh.isFolded], [false, false]); // what comes next is drawn
  offerFold(channel, null);
});

test("what cannot show a cut goes on showing what Python sends", () => {
  const channel = channelOf("three");
  offerFold(channel, fold());
  const s = { came: { at: { depth: 3 } } };
  followFold(s, channel, { show: () => false, back: () => {} });
  foldTo(channel, "depth", 1);
  assert.equal(s.isFolded, false);
  assert.equal(isPart(channel), true); // it has no boxes: the surface is Python's
  offerFold(channel, null);
});
