// Impurity as a curve over the share of a class, with a split to drag along it: the two children on the curve, and the
// parent between them. The gain is what lies between the curve and the chord of the children.

import { html, svg } from "../shared/elements.js";
import { plain, round, short } from "../shared/numbers.js";
import { themeOf } from "../shared/theme.js";
import { HIGHEST, IMPURITIES, afterKey, dragged, numbersOf, parentOf, written } from "./impurities.js";

const BOX = { width: 560, height: 350, left: 40, right: 16, top: 36, bottom: 44 };
const STRIP = { top: 8, height: 22, gap: 10, under: 72 };
const HANDLES = ["left", "right", "parent"];
const N = 100; // pieces of a curve
// Where the name of a curve stands: the share, pixels beside the curve, and the side.
const NAMED = { entropy: [0.13, -8, "end"], gini: [0.8, -14, "end"], error: [0.87, -10, "end"] };
const figures = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = figures.get(parentElement);
  if (!s) figures.set(parentElement, (s = mountFigure(parentElement.querySelector(".espalier-impurity"))));
  s.tell = () => setStateValue("split", { at: written(s.split), n: Date.now() });
  s.data = data;
  if (!s.held) s.split = data.split;
  draw(s);
  return () => figures.delete(parentElement);
}

function mountFigure(root) {
  const s = { root, held: false };
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  s.svg = svg(root, "svg", { role: "group", viewBox: `0 0 ${BOX.width} ${BOX.height + STRIP.under}` });
  s.back = svg(s.svg, "g", {});
  for (const handle of HANDLES) s[handle] = newHandle(s, handle); // stays the same element: it keeps finger and focus
  s.table = html(root, "table", {});
  return s;
}

const side = { x: BOX.width - BOX.left - BOX.right, y: BOX.height - BOX.top - BOX.bottom };
const floor = BOX.height - BOX.bottom;
const X = (share) => round(BOX.left + share * side.x);
const Y = (value, name) => round(floor - (value / HIGHEST[name]) * side.y);
const shareOf = (s, handle) => (handle === "parent" ? parentOf(s.split) : s.split[handle]);

function draw(s) {
  const theme = themeOf(s.root);
  s.zoom = Math.max(1, BOX.width / (s.root.clientWidth || BOX.width)); // on a phone letters and handles stay as large
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

const lettering = (s, theme, size = 13) => ({
  "font-size": size * theme.letters * s.zoom,
  "font-family": theme.font,
  fill: theme.muted,
});

function axes(s, theme) {
  const d = `M${BOX.left} ${BOX.top}V${floor}H${BOX.width - BOX.right}`;
  svg(s.back, "path", { d, fill: "none", stroke: theme.line });
  const text = lettering(s, theme);
  for (const share of [0, 0.25, 0.5, 0.75, 1])
    svg(s.back, "text", { ...text, x: X(share), y: floor + 16, "text-anchor": "middle" }, plain(100 * share, 0));
  const below = { x: BOX.left + side.x / 2, y: floor + 38, "text-anchor": "middle" };
  svg(s.back, "text", { ...text, ...below }, s.data.words.across);
  const top = HIGHEST[s.data.measure];
  for (const value of [0, top / 2, top])
    svg(
      s.back,
      "text",
      { ...text, x: BOX.left - 6, y: Y(value, s.data.measure) + 4, "text-anchor": "end" },
      short(value),
    );
}

function curve(s, name, theme, chosen) {
  const of = IMPURITIES[name];
  const points = Array.from({ length: N + 1 }, (_, i) => `${X(i / N)},${Y(of(i / N), name)}`).join(" ");
  const stroke = chosen ? theme.accent : theme.line;
  svg(s.back, "polyline", { points, fill: "none", stroke, "stroke-width": chosen ? 3 : 1.5 });
  if (chosen) return;
  const [share, along, anchor] = NAMED[name];
  const at = { x: X(share) + along, y: Y(of(share), name) + 4, "text-anchor": anchor };
  svg(s.back, "text", { ...lettering(s, theme, 12), ...at }, s.data.words.measures[name]);
}

// From child to child; at the share of the parent the gain stands on it.
function chord(s, theme) {
  const { split, data } = s;
  const of = numbersOf(data.measure, split);
  const at = X(parentOf(split));
  const d = `M${X(split.left)} ${Y(of.left, data.measure)}L${X(split.right)} ${Y(of.right, data.measure)}`;
  svg(s.back, "path", { d, fill: "none", stroke: theme.ink, "stroke-width": 1.5, "stroke-dasharray": "5 4" });
  const [from, to] = [Y(of.after, data.measure), Y(of.parent, data.measure)];
  svg(s.back, "path", { d: `M${at} ${from}V${to}`, stroke: theme.ink, "stroke-width": 4 });
  svg(s.back, "circle", { cx: at, cy: from, r: 3.5, fill: theme.ink });
  const words = `${data.words.gain} ${plain(of.gain, 3)}`;
  const beside = { x: at + 9, y: (from + to) / 2 + 4, fill: theme.ink, "font-weight": 700, "paint-order": "stroke" };
  svg(s.back, "text", { ...lettering(s, theme, 14), ...beside, stroke: theme.paper, "stroke-width": 4 }, words);
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
  const at = { cx: X(share), cy: Y(of[handle], measure) };
  const above = { x: at.cx, y: at.cy - 13 * s.zoom, "text-anchor": "middle" };
  const letter = { ...lettering(s, theme), ...above, fill: theme.ink, "font-weight": 600 };
  svg(s.back, "text", letter, words.letters[handle]);
  const looks = { ...at, r: 8 * s.zoom, fill: handle === "parent" ? theme.paper : theme.accent, stroke: theme.ink };
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
    const x = ((e.clientX - box.left) / box.width) * BOX.width;
    s.split = dragged(s.split, handle, (x - BOX.left) / side.x);
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
  const top = BOX.height + STRIP.top;
  const all = side.x - STRIP.gap;
  bar(s, theme, BOX.left, top, side.x, parentOf(s.split), "parent");
  const below = top + STRIP.height + STRIP.gap;
  bar(s, theme, BOX.left, below, weight * all, left, "left");
  bar(s, theme, BOX.left + weight * all + STRIP.gap, below, (1 - weight) * all, right, "right");
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
  const text = { ...lettering(s, theme), x: round(x + width / 2), y: y + 16, "text-anchor": "middle" };
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
