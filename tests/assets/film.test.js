// A film of growth: where its buttons lead, and where the dots of rows come from.

import assert from "node:assert/strict";
import { test } from "node:test";

import { frameOf } from "../../assets/components/player/panels.js";
import { after, pause } from "../../assets/components/player/steps.js";
import { pile, sources, started } from "../../assets/components/tree/falling.js";

const film = (at, isPlaying = false) => ({ at, most: 4, isPlaying });

test("steps go on and back as far as there are splits", () => {
  assert.equal(after(film(3), "step").at, 4);
  assert.equal(after(film(4), "step").at, 4);
  assert.equal(after(film(0), "back").at, 0);
  assert.equal(after(film(3), "start").at, 0);
  assert.equal(after(film(1), "end").at, 4);
  assert.equal(after(film(1), 3).at, 3);
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
