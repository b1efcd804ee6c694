// The picture of a grid over two axes, pixel by pixel.

import { blend, rgb, scaled } from "../../shared/colours.js";
import { part, round } from "../../shared/numbers.js";
import { SIGMA, classInk, doubtInk, hex, inkOf } from "../inks.js";
import { snap } from "../plane.js";
import { TIED, between, doubtField, shownOf } from "./fields.js";

export function planeOfCells(s, pen) {
  const { g, theme } = s;
  const x = snap(g.left);
  const y = snap(g.top);
  const w = snap(g.left + g.w) - x;
  const h = snap(g.top + g.h) - y;
  pen.image(pixelsOf(s, w, h), x, y, w, h);
  linesOf(s, pen);
  const border = s.cells.border
    .map(([x0, y0, x1, y1]) => `M${round(g.X(x0))} ${round(g.Y(y0))}L${round(g.X(x1))} ${round(g.Y(y1))}`)
    .join("");
  if (!border) return;
  pen.path(border, { stroke: theme.paper, width: 3.6, alpha: 0.5 });
  pen.path(border, { stroke: theme.ink, width: 1.5, alpha: 0.85 });
}

// Between cells that are not smooth, unless there are too many.
function linesOf(s, pen) {
  const { g } = s;
  const [x, y] = s.data.surface.axes;
  const inner = (axis) => (axis.smooth || axis.edges.length > 14 ? [] : axis.edges.slice(1, -1));
  const d =
    inner(x)
      .map((v) => `M${round(g.X(v))} ${g.top}v${g.h}`)
      .join("") +
    inner(y)
      .map((v) => `M${g.left} ${round(g.Y(v))}h${g.w}`)
      .join("");
  if (d) pen.path(d, { stroke: s.theme.ink, width: 0.7, alpha: 0.14 });
}

// Of a picture that the next frame replaces, half as many across and up.
const ratioOf = ({ cells }) => (cells.fields ? 0.5 : devicePixelRatio || 1);

// Kept while nothing changes.
function pixelsOf(s, w, h) {
  const ratio = ratioOf(s.data.surface);
  const W = Math.max(Math.round(w * ratio), 1);
  const H = Math.max(Math.round(h * ratio), 1);
  const shown = shownOf(s);
  const name = [W, H, shown, s.theme.paper, s.lit?.node, s.data.surface.id, s.channel?.chosen].join();
  if (s.pixels?.name === name && s.pixels.lit === s.data.lit) return s.pixels.canvas;
  const canvas = Object.assign(document.createElement("canvas"), { width: W, height: H });
  const c = canvas.getContext("2d");
  const stretch = stretcher(s, W, H);
  const squares = squaresOf(s, shown, stretch);
  const picture = c.createImageData(W, H);
  if (s.lit) fadeSquares(squares, stretch(s.lit.field), s.lit.most, squared(hex(s.theme.paper)));
  for (let i = 0; i < W * H; i++) {
    for (let k = 0; k < 3; k++) picture.data[4 * i + k] = Math.sqrt(squares[k][i]) + 0.5;
    picture.data[4 * i + 3] = 255;
  }
  c.putImageData(picture, 0, 0);
  s.pixels = { name, lit: s.data.lit, canvas };
  return canvas;
}

// A field of cells as one of W × H pixels.
function stretcher(s, W, H) {
  const {
    cells,
    data: {
      surface: {
        axes: [x, y],
      },
    },
  } = s;
  const { nx } = cells;
  const ny = cells.n / nx;
  const along = (knots, axis, n) =>
    Array.from({ length: n }, (_, p) => between(knots, axis.low + ((p + 0.5) / n) * (axis.high - axis.low)));
  const across = along(cells.across, x, W);
  const up = along(cells.up, y, H).reverse();
  const wide = new Float32Array(W * ny);
  return (field) => {
    for (let j = 0; j < ny; j++)
      across.forEach(([from, to, t], p) => (wide[j * W + p] = (1 - t) * field[j * nx + from] + t * field[j * nx + to]));
    const out = new Float32Array(W * H);
    up.forEach(([from, to, t], q) => {
      for (let p = 0; p < W; p++) out[q * W + p] = (1 - t) * wide[from * W + p] + t * wide[to * W + p];
    });
    return out;
  };
}

const squared = (colour) => rgb(colour).map((v) => v * v); // colours mix as `blend` mixes them

// Red, green and blue of every pixel, squared.
function squaresOf(s, shown, stretch) {
  const { kind, range } = s.data.surface;
  const { fields, spread, most } = s.cells;
  const paper = hex(s.theme.paper);
  const toInk = (ink) => (t) => blend([paper, ink], [1 - 0.85 * t, 0.85 * t]);
  if (shown === "spread") return byScale(stretch(spread), [0, most || 1], toInk(inkOf(SIGMA, s)));
  if (shown === "uncertainty") return byScale(stretch(doubtField(fields)), [0, 1], toInk(doubtInk(s)));
  if (kind === "number") return byScale(stretch(fields[0]), range, (t) => blend([paper, scaled(t)], [0.12, 0.88]));
  const mix = (strength) => [1 - strength, strength];
  const tint = (strength) => fields.map((_, k) => squared(blend([paper, hex(classInk(s, k))], mix(strength))));
  const dim = s.theme.dark ? 0.4 : 1;
  return shown === "class"
    ? byWinner(fields.map(stretch), [...tint(0.44 * dim), squared(blend([paper, hex(s.theme.tie)], mix(0.44 * dim)))])
    : byShares(fields, tint(0.52 * dim), stretch);
}

function byScale(values, range, colour) {
  const table = Array.from({ length: 256 }, (_, i) => squared(colour(i / 255)));
  const place = new Uint8Array(values.length);
  for (let i = 0; i < place.length; i++) place[i] = Math.round(255 * Math.min(Math.max(part(values[i], range), 0), 1));
  return looked(place, table);
}

// Of each place its entry in the table, channel by channel: loops, since `from` takes ten times as long.
function looked(places, table) {
  return [0, 1, 2].map((k) => {
    const channel = new Float32Array(places.length);
    for (let i = 0; i < places.length; i++) channel[i] = table[places[i]][k];
    return channel;
  });
}

function byShares(fields, inks, stretch) {
  return [0, 1, 2].map((k) =>
    stretch(fields[0].map((_, i) => fields.reduce((sum, field, c) => sum + field[i] * inks[c][k], 0))),
  );
}

// Where classes tie, in the last of the inks, which is that of none.
function byWinner(fields, inks) {
  const top = new Uint8Array(fields[0].length);
  for (let i = 0; i < top.length; i++) {
    let tied = false;
    for (let c = 1; c < fields.length; c++) {
      const more = fields[c][i] - fields[top[i]][i];
      tied = Math.abs(more) < TIED || (tied && more < 0);
      if (more > 0) top[i] = c;
    }
    if (tied) top[i] = fields.length;
  }
  return looked(top, inks);
}

// To paper where little of a sample is in the selected node.
function fadeSquares(squares, fraction, most, paper) {
  for (let i = 0; i < fraction.length; i++) {
    const keep = 0.12 + 0.88 * Math.min(fraction[i] / (most || 1), 1);
    for (let k = 0; k < 3; k++) squares[k][i] = paper[k] + keep * (squares[k][i] - paper[k]);
  }
}
