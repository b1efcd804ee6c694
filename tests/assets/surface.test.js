// Grids of numbers, the borders between classes, places on the plane, and the colours of all of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dotSize, stackPaths } from "../../assets/components/columns/stacks.js";
import { blend, rgb, scaled } from "../../assets/components/shared/colours.js";
import { unpacked } from "../../assets/components/shared/grids/packed.js";
import { borderOf } from "../../assets/components/surface/cells/borders.js";
import { between, doubtField, readAt, readCells } from "../../assets/components/surface/cells/fields.js";
import { truthLayer } from "../../assets/components/surface/drawing.js";
import { hex } from "../../assets/components/surface/inks.js";
import { nearestPoint, valuesAt } from "../../assets/components/surface/places.js";
import { cutPath, reach } from "../../assets/components/surface/reach.js";
import { readout } from "../../assets/components/surface/readout.js";
import { pointsLayer } from "../../assets/components/surface/samples.js";

// Whole numbers up to 10,000, as Python packs them between a low and a high value.
function packed(steps, low = 0, high = 1) {
  return { low, high, data: btoa(String.fromCharCode(...new Uint8Array(Uint16Array.from(steps).buffer))) };
}

test("packed numbers lie between the low and the high one", () => {
  assert.deepEqual([...unpacked(packed([0, 5000, 10000], -1, 3))], [-1, 1, 3]);
});

test("between the centres of smooth cells the picture is straight", () => {
  const axis = { edges: [0, 2, 4], smooth: true };
  const s = { data: { surface: { kind: "number", axes: [axis], cells: { value: packed([0, 10000]) } } } };
  readCells(s);
  const [field] = s.cells.fields;
  assert.deepEqual(
    [0.5, 1, 2, 3, 4].map((x) => readAt(s, field, { x })),
    [0, 0, 0.5, 1, 1],
  );
});

test("cells that are not smooth stand as they are", () => {
  const axis = { edges: [0, 2, 4], smooth: false };
  const s = {
    data: { surface: { kind: "class", classes: ["a", "b"], axes: [axis], cells: { shares: packed([2500, 10000]) } } },
  };
  readCells(s);
  const [first, second] = s.cells.fields;
  assert.deepEqual([...first], [0.75, 0]); // the first class has what the others leave
  assert.equal(readAt(s, second, { x: 1.9 }), 0.25);
  assert.equal(readAt(s, second, { x: 2.1 }), 1);
});

test("a place is found between two knots by halving", () => {
  const knots = [0, 1, 4, 9].map((place, cell) => [place, cell]);
  assert.deepEqual(between(knots, 2.5), [1, 2, 0.5]);
  assert.deepEqual(between(knots, -3), [0, 1, 0]);
  assert.deepEqual(between(knots, 99), [2, 3, 1]);
});

test("doubt is 1 where all classes have the same share, and 0 where one has all", () => {
  assert.deepEqual(
    doubtField([
      [0.5, 1],
      [0.5, 0],
    ]),
    [1, 0],
  );
});

test("the border between two classes stands where their shares are equal", () => {
  const knots = [
    [0, 0],
    [1, 1],
  ];
  const border = (...fields) => borderOf({ fields, across: knots, up: knots, nx: 2 });
  assert.deepEqual(border([1, 0, 1, 0], [0, 1, 0, 1]), [[0.5, 0, 0.5, 1]]);
  assert.deepEqual(border([1, 1, 1, 1], [0, 0, 0, 0]), []);
});

test("a click means the nearest sample within reach, or none", () => {
  const s = {
    spots: [
      [10, 10],
      [14, 10],
    ],
  };
  assert.equal(nearestPoint(s, 13, 10, 9), 1);
  assert.equal(nearestPoint(s, 40, 10, 9), null);
});

test("a place on the plane has values, on an axis of categories the nearest one", () => {
  const axes = { x: { low: 0, high: 10 }, y: { low: -0.5, high: 1.5, names: ["no", "yes"] } };
  const g = { left: 10, top: 0, w: 100, h: 100, ...axes };
  assert.deepEqual(valuesAt({ g }, 60, 90), { x: 5, y: 0 });
  assert.deepEqual(valuesAt({ g }, 10, 0), { x: 0, y: 1 });
});

test("colours mix in squared values, so that a half does not turn muddy", () => {
  assert.deepEqual(rgb("#0072b2"), [0, 114, 178]);
  assert.equal(blend(["#ff0000", "#0000ff"], [0.5, 0.5]), "#b400b4");
  assert.equal(blend(["#123456"], [1]), "#123456");
});

test("the scale has its own colours at the ends, also beyond them", () => {
  assert.deepEqual([-1, 0, 1, 2].map(scaled), ["#2a2f80", "#2a2f80", "#f5e663", "#f5e663"]);
});

test("a point is called by its label, and by its number where it has none", () => {
  const points = { row: [6, 7], x: [1, 2], target: [0, 0], out: [0, 1], label: ["customer 1543", ""] };
  const surface = { points, axes: [{ name: "age" }], kind: "class", classes: [{ name: "yes" }] };
  const [named, numbered] = [0, 1].map((point) => readout({ data: { surface }, cross: { point } }).at(-1));
  assert.deepEqual([named, numbered], ["customer 1543", "row 8, held out"]);
});

test("a place is read out with what its columns mean, in short", () => {
  const axes = [{ name: "bmi", meaning: "weight by height²" }, { name: "age", meaning: "y".repeat(99) }, { name: "s" }];
  const s = { data: { surface: { axes } }, cross: { x: 27, y: 40 }, g: {}, form: { says: () => [["151"], ["last"]] } };
  const [says, , , first, second, last] = readout(s);
  assert.deepEqual([says, first, last], ["151", "weight by height²", "last"]);
  assert.equal(second, "y".repeat(59) + "…");
});

test("a colour of a new kind is read from what is painted, one of an old kind from its name", () => {
  const pen = { fillRect() {}, getImageData: () => ({ data: [255, 254, 10, 255] }) };
  globalThis.document = { createElement: () => ({ getContext: () => pen }) };
  assert.equal(hex("color(srgb 1 1 0.04)"), "#fffe0a"); // as marimo has them
  assert.equal(hex("#123456"), "#123456");
  delete globalThis.document;
});

test("misclassified rows have rings, which would hide each other where they are many: then dark cores", () => {
  const strokes = (n) => {
    const each = Array.from({ length: n }, (_, i) => i);
    const points = { row: each, x: each, y: each, target: each, out: each.map(() => 0), wrong: each.map(() => 1) };
    const surface = { points, kind: "number", range: [0, n], axes: [{}, {}] };
    const s = { data: { surface }, g: { X: Number, Y: Number }, theme: { paper: "white", ink: "black" } };
    const drawn = [];
    pointsLayer(s, { path: (way, how) => drawn.push(how) });
    return drawn.at(-1);
  };
  assert.equal(strokes(40).stroke, "black");
  assert.deepEqual(strokes(41), { fill: "black" });
});

test("the curve that a simulated sample was drawn from is dashed, in quiet ink, from end to end of the axis", () => {
  const drawn = [];
  const g = { left: 10, w: 20, Y: (y) => 5 - y };
  const s = { data: { surface: { truth: [0, 1, -1] } }, g, theme: { muted: "grey" } };
  truthLayer(s, { path: (d, { stroke, dash }) => drawn.push(d, stroke, dash.length) });
  truthLayer({ ...s, data: { surface: {} } }, {});
  assert.deepEqual(drawn, ["M10 5L20 4L30 6", "grey", 2]);
});

// ---- A cut of one's own on the surface: a line across the selected node's part of the plane.

const g = { left: 10, top: 0, w: 100, h: 50, x: { name: "a" }, y: { name: "b" }, X: (v) => 10 + v, Y: (v) => 50 - v };
const boxes = [
  { x0: -1000, x1: 40, y0: -1000, y1: 20, leaf: 1 },
  { x0: 40, x1: 1000, y0: 5, y1: 20, leaf: 3 },
  { x0: 40, x1: 60, y0: 20, y1: 1000, leaf: 4 },
];

test("without a lit box a node reaches over all of the plane", () => {
  assert.deepEqual(reach({ g, boxes, lit: new Set() }), { x0: 10, x1: 110, y0: 0, y1: 50 });
});

test("a node reaches as far as the boxes of its leaves, and no farther than the axes", () => {
  assert.deepEqual(reach({ g, boxes, lit: new Set([3, 4]) }), { x0: 50, x1: 110, y0: 0, y1: 45 });
});

test("a cut on the horizontal axis stands upright, one on the vertical axis lies", () => {
  const part = reach({ g, boxes, lit: new Set([3, 4]) });
  assert.equal(cutPath(g, { column: "a", at: 50 }, part), "M60 0V45");
  assert.equal(cutPath(g, { column: "b", at: 10 }, part), "M50 40H110");
});

test("a cut of another column, or outside the node, is not drawn", () => {
  const part = reach({ g, boxes, lit: new Set([3, 4]) });
  assert.equal(cutPath(g, { column: "c", at: 50 }, part), null);
  assert.equal(cutPath(g, { column: "a", at: 20 }, part), null);
  assert.equal(cutPath({ ...g, one: true }, { column: "b", at: 10 }, part), null);
});

// ---- The stacks of a column.

test("dots are as large as the fullest stack allows, and none where they would be too small", () => {
  assert.deepEqual(
    [4, 5, 900].map((most) => dotSize([1, most], 14, 14)),
    [7, 4.5, 0],
  );
});

test("a stack has a dot for each row, one class above the other; bars are as high as their rows are many", () => {
  const few = stackPaths([[1, 2]], { width: 9, height: 14 });
  assert.deepEqual(few.paths, ["M4.5 11.75h0", few.paths[1]]);
  assert.equal(few.paths[1].match(/M/g).length, 2);
  const many = stackPaths([[100, 300]], { width: 10, height: 40 });
  assert.deepEqual(many, { paths: ["M1 40h8v-10h-8z", "M1 30h8v-30h-8z"], size: 0 });
});
