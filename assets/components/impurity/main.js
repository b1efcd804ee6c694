// Impurity as a curve over the share of a class, with a split to drag along it: the two children on the curve, and the
// parent between them. The gain is what lies between the curve and the chord of the children.

import { html, svg } from "../shared/elements.js";
import { plain, round, short } from "../shared/numbers.js";
import { themeOf } from "../shared/theme.js";
import { HIGHEST, IMPURITIES, afterKey, dragged, numbersOf, parentOf, written } from "./impurities.js";

const WIDTH = 560; // pixels, where the page does not say
const TALL = 0.75; // of the width, at most: the height of the curves with their axes
const AROUND = 390; // pixels of the page that heading, bars and table take, in letters of their usual size
const STRIP = { top: 8, height: 22, gap: 10, under: 66 };
const RADIUS = 9; // of a handle
const LONG = 90; // pixels of the number beside the gain
const HANDLES = ["left", "right", "parent"];
const N = 100; // pieces of a curve
// Where the name of a curve stands: the share, pixels beside the curve, and the side.
const NAMED = { entropy: [0.87, 10, "start"], gini: [0.8, -14, "end"], error: [0.87, -10, "end"] };
const figures = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = figures.get(parentElement);
  if (!s) figures.set(parentElement, (s = mountFigure(parentElement.querySelector(".espalier-impurity"))));
  s.tell = () => setStateValue("split", { at: written(s.split), n: Date.now() });
  s.data = data;
  if (!s.held) s.split = data.split;
  draw(s);
  return () => {
    s.watch.disconnect();
    figures.delete(parentElement);
  };
}

function mountFigure(root) {
  const s = { root, held: false };
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  s.svg = svg(root, "svg", { role: "group" });
  s.back = svg(s.svg, "g", {});
  for (const handle of HANDLES) s[handle] = newHandle(s, handle); // stays the same element: it keeps finger and focus
  s.table = html(root, "table", {});
  s.watch = new ResizeObserver(() => root.clientWidth !== s.width && draw(s)); // letters keep their size
  s.watch.observe(root);
  return s;
}

// In pixels of the page: room for the letters around the curves, whatever their size and the width are.
function measure(s, letters) {
  s.width = s.root.clientWidth;
  const width = s.width || WIDTH;
  const height = round(Math.min(TALL * width, Math.max(200, innerHeight - letters * AROUND)));
  const box = { width, height, left: 38 * letters, right: 16, top: 30, bottom: 42 * letters };
  s.box = { ...box, across: width - box.left - box.right, floor: box.height - box.bottom };
  s.svg.setAttribute("viewBox", `0 0 ${width} ${box.height + STRIP.under}`);
}

const X = ({ box }, share) => round(box.left + share * box.across);
const Y = ({ box }, value, name) => round(box.floor - (value / HIGHEST[name]) * (box.floor - box.top));
const shareOf = (s, handle) => (handle === "parent" ? parentOf(s.split) : s.split[handle]);

function draw(s) {
  const theme = themeOf(s.root);
  measure(s, theme.letters);
  s.svg.setAttribute("aria-label", s.data.words.alt);
  s.back.replaceChildren();
  axes(s, theme);
  for (const name of Object.keys(IMPURITIES)) if (name !== s.data.measure) curve(s, name, theme, false);
  curve(s, s.data.measure, theme, true);
  chord(s, theme);
  for (const handle of HANDLES) place(s, handle, theme);
  strips(s, theme);
  table(s);
}

const lettering = (theme, size = 12) => ({
  "font-size": size * theme.letters,
  "font-family": theme.font,
  fill: theme.muted,
});

function axes(s, theme) {
  const { left, right, top, width, across, floor } = s.box;
  const d = `M${left} ${top}V${floor}H${width - right}`;
  svg(s.back, "path", { d, fill: "none", stroke: theme.line });
  const text = lettering(theme);
  const foot = { ...text, y: floor + 16 * theme.letters, "text-anchor": "middle" };
  for (const share of [0, 0.25, 0.5, 0.75, 1]) svg(s.back, "text", { ...foot, x: X(s, share) }, plain(100 * share, 0));
  const below = { x: left + across / 2, y: floor + 34 * theme.letters, "text-anchor": "middle" };
  svg(s.back, "text", { ...text, ...below }, s.data.words.across);
  const highest = HIGHEST[s.data.measure];
  for (const value of [0, highest / 2, highest]) {
    const at = { x: left - 6, y: Y(s, value, s.data.measure) + 4, "text-anchor": "end" };
    svg(s.back, "text", { ...text, ...at }, short(value));
  }
}

function curve(s, name, theme, chosen) {
  const of = IMPURITIES[name];
  const points = Array.from({ length: N + 1 }, (_, i) => `${X(s, i / N)},${Y(s, of(i / N), name)}`).join(" ");
  const stroke = chosen ? theme.ink : theme.line;
  svg(s.back, "polyline", { points, fill: "none", stroke, "stroke-width": chosen ? 3 : 1.5 });
  if (chosen) return;
  const [share, along, anchor] = NAMED[name];
  const at = { x: X(s, share) + along, y: Y(s, of(share), name) + 4, "text-anchor": anchor };
  svg(s.back, "text", { ...lettering(theme), ...at }, s.data.words.measures[name]);
}

// From child to child; at the share of the parent the gain stands on it.
function chord(s, theme) {
  const { split, data } = s;
  const of = numbersOf(data.measure, split);
  const at = X(s, parentOf(split));
  const [left, right] = ["left", "right"].map((child) => [X(s, split[child]), Y(s, of[child], data.measure)]);
  const d = `M${left}L${right}`;
  svg(s.back, "path", { d, fill: "none", stroke: theme.ink, "stroke-width": 1.5, "stroke-dasharray": "5 4" });
  const [from, to] = [Y(s, of.after, data.measure), Y(s, of.parent, data.measure)];
  svg(s.back, "path", { d: `M${at} ${from}V${to}`, stroke: theme.ink, "stroke-width": 4 });
  svg(s.back, "circle", { cx: at, cy: from, r: 3.5, fill: theme.ink });
  const words = `${data.words.gain} ${plain(of.gain, 3)}`;
  // Beside a tall gain; below one that the chord would cross, on the side where the chord rises.
  const slope = (right[1] - left[1]) / (right[0] - left[0] || 1);
  const isTall = from + slope * LONG * theme.letters > (from + to) / 2 + 10 || from > s.box.floor - 2 * RADIUS;
  const isRight = isTall || slope < 0;
  const place = { x: at + (isRight ? 9 : -9), y: isTall ? (from + to) / 2 + 5 : from + 20 * theme.letters };
  const bold = { "font-weight": 700, "paint-order": "stroke", "stroke-width": 4 };
  const looks = { fill: theme.ink, stroke: theme.paper, ...bold };
  const text = { ...lettering(theme, 16), ...looks, ...place, "text-anchor": isRight ? "start" : "end" };
  svg(s.back, "text", text, words);
}

function newHandle(s, handle) {
  const made = svg(s.svg, "circle", { tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 100 });
  made.addEventListener("keydown", (e) => key(s, handle, e));
  made.addEventListener("pointerdown", (e) => drag(s, handle, e));
  made.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false }); // the page does not scroll
  return made;
}

function place(s, handle, theme) {
  const { words, measure } = s.data;
  const share = shareOf(s, handle);
  const of = numbersOf(measure, s.split);
  const at = { cx: X(s, share), cy: Y(s, of[handle], measure) };
  const above = { x: at.cx, y: at.cy - 14, "text-anchor": "middle" };
  const letter = { ...lettering(theme, 14), ...above, fill: theme.ink, "font-weight": 600 };
  svg(s.back, "text", letter, words.letters[handle]);
  const looks = { ...at, r: RADIUS, fill: handle === "parent" ? theme.paper : theme.ink, stroke: theme.ink };
  const said = { "aria-label": words.handles[handle], "aria-valuenow": Math.round(100 * share) };
  const all = { ...looks, "stroke-width": 2, ...said, "aria-valuetext": inWords(s, share, of[handle], of.gain) };
  for (const [name, value] of Object.entries(all)) s[handle].setAttribute(name, value);
}

function inWords(s, share, impurity, gain) {
  const { words, measure } = s.data;
  const shown = `${words.measures[measure]} ${plain(impurity, 3)}`;
  return `${plain(100 * share, 0)} %, ${shown}, ${words.gain} ${plain(gain, 3)}`;
}

function key(s, handle, e) {
  if (e.altKey || e.ctrlKey || e.metaKey) return;
  const split = afterKey(e.key, s.split, handle, e.shiftKey);
  if (!split) return;
  e.preventDefault();
  e.stopPropagation();
  s.split = split;
  draw(s);
  s.tell();
}

function drag(s, handle, down) {
  down.preventDefault();
  s.held = true;
  s[handle].focus({ preventScroll: true });
  const go = (e) => {
    const box = s.svg.getBoundingClientRect();
    const x = ((e.clientX - box.left) / box.width) * s.box.width;
    s.split = dragged(s.split, handle, (x - s.box.left) / s.box.across);
    draw(s);
  };
  const end = () => {
    s.held = false;
    removeEventListener("pointermove", go);
    for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, end);
    s.tell();
  };
  addEventListener("pointermove", go);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end);
}

// The rows of parent and children as bars, as wide as they have rows.
function strips(s, theme) {
  const { left, right, weight } = s.split;
  const { height, left: start, across } = s.box;
  const top = height + STRIP.top;
  const all = across - STRIP.gap;
  bar(s, theme, start, top, across, parentOf(s.split), "parent");
  const below = top + STRIP.height + STRIP.gap;
  bar(s, theme, start, below, weight * all, left, "left");
  bar(s, theme, start + weight * all + STRIP.gap, below, (1 - weight) * all, right, "right");
}

function bar(s, theme, x, y, width, share, handle) {
  const colours = s.data.colours[theme.dark ? "dark" : "light"];
  const parts = [
    [x, share * width, colours[0]],
    [x + share * width, (1 - share) * width, colours[1]],
  ];
  for (const [from, wide, fill] of parts)
    svg(s.back, "rect", { x: round(from), y, width: round(wide), height: STRIP.height, fill });
  if (width < 16) return;
  const text = { ...lettering(theme, 14), x: round(x + width / 2), y: y + 16, "text-anchor": "middle" };
  const seen = { fill: theme.ink, "font-weight": 700, stroke: theme.paper, "stroke-width": 4, "paint-order": "stroke" };
  svg(s.back, "text", { ...text, ...seen }, s.data.words.letters[handle]);
}

function table(s) {
  const { words, measure } = s.data;
  s.table.replaceChildren();
  const head = html(html(s.table, "thead", {}), "tr", {});
  html(head, "td", {});
  for (const column of words.columns) html(head, "th", { scope: "col" }, column);
  const body = html(s.table, "tbody", {});
  for (const name of Object.keys(IMPURITIES)) {
    const row = html(body, "tr", name === measure ? { class: "chosen" } : {});
    html(row, "th", { scope: "row" }, words.measures[name]);
    const { parent, left, right, after, gain } = numbersOf(name, s.split);
    for (const value of [parent, left, right, after, gain]) html(row, "td", {}, plain(value, 3));
  }
}
