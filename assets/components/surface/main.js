// The decision surface: a canvas with what a tree says everywhere, and the samples on top. Python sends what
// core/espalier/display/boundaries/surface.py describes; only what was clicked goes back. What is told as boxes
// (boxes.js) and what is told as a grid of cells (cells/form.js) have the same methods, the surface's form.

import { channelOf } from "../shared/channel.js";
import { savePng, saveSvg } from "../shared/downloads.js";
import { buttons, html } from "../shared/elements.js";
import { followFold, surfaceOf } from "../shared/fold.js";
import { followPicture } from "../shared/live.js";
import { BOXES } from "./boxes.js";
import { CELLS } from "./cells/form.js";
import { drawCross } from "./cross.js";
import { drawAll, redraw } from "./drawing.js";
import { listenSurface } from "./hands.js";
import { pictureOf } from "./picture.js";
import { counted, spoken } from "../shared/language/spoken.js";

const surfaces = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = surfaces.get(parentElement);
  if (!s) surfaces.set(parentElement, (s = mountSurface(parentElement.querySelector(".espalier-surface"))));
  s.send = (picked, at) => setStateValue("picked", { surface: s.data.surface.id, ...picked, at });
  s.came = data;
  if (!s.isFolded && !s.isPictured) receiveSurface(s, data);
  return () => {
    s.observer.disconnect();
    s.channel?.listeners.delete(s.hear);
    s.channel?.cutting.delete(s.hearCut);
    s.channel?.colouring.delete(s.recolour);
    s.leave();
    s.leavePictures();
    surfaces.delete(parentElement);
  };
}

function mountSurface(root) {
  const s = { root, cross: null };
  const head = html(root, "div", { class: "head" });
  s.legend = html(head, "div", { class: "legend" });
  buttons(html(head, "div", { class: "bar", role: "toolbar", "aria-label": spoken("decision surface") }), [
    ["SVG", spoken("download the picture as SVG"), () => saveSvg(pictureOf(s), "surface.svg")],
    ["PNG", spoken("download the picture as PNG"), () => savePng(pictureOf(s), "surface.png")],
  ]);
  s.stage = html(root, "div", { class: "stage" });
  s.canvas = html(s.stage, "canvas", { "aria-hidden": "true" });
  s.top = html(s.stage, "canvas", { class: "top", tabindex: 0, role: "application" });
  s.tip = html(s.stage, "div", { class: "tip" });
  s.foot = html(root, "div", { class: "foot" });
  s.voice = html(root, "div", { class: "voice", "aria-live": "polite" });
  s.relist = () => drawAll(s);
  listenSurface(s);
  s.observer = new ResizeObserver(() => s.data && drawAll(s));
  s.observer.observe(root);
  return s;
}

function receiveSurface(s, data) {
  if (!s.data || s.data.surface.id !== data.surface.id) {
    s.cross = null;
    s.tip.hidden = true;
  }
  s.data = data;
  s.form = data.surface.cells ? CELLS : BOXES;
  s.form.read(s);
  if (!s.channel) tuneSurface(s, data.channel);
  marked(s, s.channel.state);
  const { axes } = data.surface;
  s.top.setAttribute(
    "aria-label",
    spoken("decision surface of {target} over {axes}", {
      target: data.surface.target,
      axes: axes.map((a) => a.name).join(", "),
    }) + `: ${spoken("arrows move the crosshair, N and P go to the next and previous row, Enter selects")}`,
  );
  drawAll(s);
}

// The surface of the tree that is left of a greater one; that of another tree stays as it is.
function foldedSurface(s, cut, fold) {
  if (!fold.leaf || s.came.tree === null) return false;
  s.data = { ...s.came, surface: surfaceOf(s.came.surface, fold, cut), lit: null };
  const form = s.data.surface.cells ? CELLS : BOXES;
  const draw = form === s.form ? redraw : drawAll; // to measure the page anew takes as long as all the rest
  s.form = form;
  s.form.read(s);
  s.form.light(s, { id: 0 });
  s.foot.textContent = othersOf(s.data.surface);
  if (s.g) draw(s);
  return true;
}

// Only the surface of the page's own tree follows: those of other trees know no sliders.
function pictured(s, picture) {
  if (picture && !Object.keys(s.came.at).length) s.isPictured = false;
  else
    receiveSurface(
      s,
      picture ? { ...s.came, surface: picture.surface, tree: picture.cards.id, lit: undefined } : s.came,
    );
}

function tuneSurface(s, name) {
  s.channel = channelOf(name);
  s.hear = (state) => {
    marked(s, state);
    if (s.g) redraw(s);
  };
  s.channel.listeners.add(s.hear);
  s.hearCut = () => s.g && drawCross(s);
  s.channel.cutting.add(s.hearCut);
  s.recolour = () => s.g && drawAll(s);
  s.channel.colouring.add(s.recolour);
  s.leave = followFold(s, s.channel, {
    show: (cut, fold) => foldedSurface(s, cut, fold),
    back: () => receiveSurface(s, s.came),
  });
  s.leavePictures = followPicture(s, s.channel, (picture) => pictured(s, picture));
}

function marked(s, state) {
  const { surface, tree } = s.data;
  const other = { id: 0, end: 0, row: tree === null ? (state?.row ?? null) : null };
  const of = state?.tree === tree ? state : other;
  const where = s.form.light(s, of);
  s.sample = of.row && sampleOf(surface, of.row);
  s.foot.textContent = [
    where,
    othersOf(surface),
    surface.left_out ? spoken("{n} rows are not drawn.", { n: counted(surface.left_out) }) : "",
  ]
    .filter(Boolean)
    .join(" ");
  s.foot.title = s.foot.textContent;
}

// Where the columns on no axis are held, or what is averaged over them.
function othersOf({ held, averaged, seen }) {
  if (!averaged)
    return held.length
      ? spoken("Other columns: {values}.", { values: held.map(([name, value]) => `${name} = ${value}`).join(", ") })
      : "";
  const shown =
    seen === undefined
      ? ""
      : spoken(" The plane shows {percent} % of how its answers differ.", { percent: Math.round(100 * seen) });
  return spoken("The answer, averaged over {n} rows that keep their other columns.", { n: counted(averaged) }) + shown;
}

// A sample of the points drawn is known here, any other comes from Python.
function sampleOf(surface, row) {
  const i = surface.points.row.indexOf(row.row);
  if (i < 0) return row.x === undefined ? null : row;
  return { row: row.row, x: surface.points.x[i], y: surface.points.y?.[i] ?? null, target: surface.points.target[i] };
}
