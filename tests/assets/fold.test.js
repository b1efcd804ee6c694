// What shows a tree that a slider folds: it follows at once, and goes back only to Python's tree of the same value.

import assert from "node:assert/strict";
import { test } from "node:test";

import { frameOf } from "../../assets/components/player/panels.js";
import { after, pause } from "../../assets/components/player/steps.js";
import { channelOf } from "../../assets/components/shared/channel.js";
import {
  beginWith,
  cutOf,
  foldedBy,
  foldTo,
  followFold,
  isPart,
  offerFold,
  unfold,
} from "../../assets/components/shared/fold.js";
import { pile, sources, started } from "../../assets/components/tree/falling.js";

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
  assert.deepEqual(
    [0, 0.09, 0.1, 0.29, 0.3, 5].map((alpha) => left(null, alpha)),
    [5, 5, 3, 3, 1, 1],
  );
  assert.deepEqual(
    [0, 0.1, 0.2, 0.29].map((alpha) => left(1, alpha)),
    [3, 3, 1, 1],
  );
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
    [6, 0, 3, 0, 1],
    [7, 1, 2, 0, 0],
  ].map((lost) => ({ lost, of: 8 }));
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
  assert.deepEqual(
    [a.drawn, b.drawn],
    [
      [3, 5],
      [3, 5],
    ],
  );
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

test("what comes to a folded tree late shows it, too", async () => {
  const channel = channelOf("late");
  offerFold(channel, fold());
  foldTo(channel, "depth", 1);
  const s = follower(channel, 3);
  await null;
  assert.deepEqual(s.drawn, [3]);
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

test("a film begins when the tree has come that it folds, and at once where that is there", () => {
  const channel = channelOf("four");
  const begun = [];
  beginWith(channel, "depth", () => begun.push("then"));
  offerFold(channel, null);
  assert.deepEqual(begun, []);
  for (let times = 0; times < 2; times++) offerFold(channel, fold());
  beginWith(channel, "depth", () => begun.push("at once"));
  assert.deepEqual(begun, ["then", "at once"]);
  offerFold(channel, null);
});

// ---- A film of growth: where its buttons lead, and where the dots of rows come from.

const film = (at, isPlaying = false) => ({ at, most: 4, isPlaying });

test("steps go on and back as far as there are splits", () => {
  const moves = [
    [3, "step", 4],
    [4, "step", 4],
    [0, "back", 0],
    [3, "start", 0],
    [1, "end", 4],
    [1, 3, 3],
  ];
  for (const [at, move, next] of moves) assert.equal(after(film(at), move).at, next);
});

test("play goes on from where the film stands, from the leaf at its end, and again it pauses", () => {
  assert.deepEqual(after(film(2), "play"), film(2, true));
  assert.deepEqual(after(film(4), "play"), film(0, true));
  assert.deepEqual(after(film(2, true), "play"), film(2));
  assert.deepEqual(after({ at: 0, most: 0, isPlaying: false }, "play"), { at: 0, most: 0, isPlaying: false });
});

test("a film runs until the tree is whole, and a step by hand stops it", () => {
  assert.deepEqual(after(film(2, true), "tick"), film(3, true));
  assert.deepEqual(after(film(3, true), "tick"), film(4));
  assert.deepEqual(after(film(1, true), "step"), film(2));
});

test("a long film is faster, and none is too fast to see", () => {
  assert.equal(pause(4), pause(8));
  assert.equal(pause(100), 300);
  assert.equal(pause(10000), 80);
});

const s = { theme: { dark: false }, cards: { classes: [{ light: "#00f" }, { light: "#f80" }] } };
const leaf = (n, shares) => ({ n, shares, x: 0, y: 10, w: 10, h: 20, kids: [] });

test("a pile has a dot for each row, by class, in rows as wide as the card", () => {
  const dots = pile(s, leaf(3, [667, 333]), 1);
  assert.deepEqual(
    dots.map((dot) => dot.colour),
    ["#00f", "#00f", "#f80"],
  );
  assert.deepEqual([dots[0].y, dots[2].y], [36.5, 41.5]); // two abreast
});

test("with many rows a dot stands for several", () => {
  assert.equal(pile(s, leaf(1000, [500, 500]), 10).length, 100);
});

test("dots fall from the parent that was split, and rise to it when a split is taken back", () => {
  const old = new Map([["", ["parent"]]]);
  assert.deepEqual(sources(old, "L"), ["parent"]);
  assert.deepEqual(
    sources(
      new Map([
        ["L", [1]],
        ["R", [2]],
      ]),
      "",
    ),
    [1, 2],
  );
  assert.deepEqual(
    sources(
      new Map([
        ["L", ["own"]],
        ["", ["up"]],
      ]),
      "L",
    ),
    ["own"],
  );
});

test("each dot comes from one of its own colour, no two from the same", () => {
  const from = [
    { colour: "#f80", x: 1, y: 1 },
    { colour: "#00f", x: 2, y: 2 },
  ];
  const dots = ["#00f", "#00f", "#f80"].map((colour) => ({ colour, x: 9, y: 9 }));
  assert.deepEqual(
    started(dots, from).map((dot) => dot.from.x),
    [2, 9, 1],
  );
});

test("a frame is the picture with the step's own parts in their places, and the page's font first", () => {
  const svg = '<svg><path d="{0}"/><g>{1}{0}</g></svg>';
  const drawn = '<svg><style>{0}</style><path d="M1,2"/><g>$&M1,2</g></svg>';
  assert.equal(frameOf(svg, ["M1,2", "$&"], "<style>{0}</style>"), drawn);
});
