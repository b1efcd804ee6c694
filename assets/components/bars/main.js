// The bars of structures: Python has worked out every shape; here they are drawn, pointed at and clicked. A click
// goes back as {chart, bar}; arrows go from bar to bar, Enter chooses, and what a bar stands for is said below.

import { html, svg } from "../shared/elements.js";
import { barAfter } from "./keys.js";

const charts = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = charts.get(parentElement);
  if (!s) charts.set(parentElement, (s = mountBars(parentElement.querySelector(".espalier-bars"))));
  s.send = (bar) => setStateValue("picked", { chart: s.chart.id, bar, at: Date.now() });
  s.chart = data.chart;
  drawBars(s);
  return () => charts.delete(parentElement);
}

function mountBars(root) {
  const s = { root, at: 0, bars: [] };
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  s.svg = svg(root, "svg", { role: "group", tabindex: 0 });
  s.tip = html(root, "div", { class: "tip", "aria-live": "polite" });
  s.svg.addEventListener("keydown", (e) => barKey(s, e));
  s.svg.addEventListener("focus", () => s.svg.matches(":focus-visible") && point(s, s.at));
  s.svg.addEventListener("blur", () => point(s, null));
  s.svg.addEventListener("pointerleave", () => point(s, null));
  return s;
}

function drawBars(s) {
  const { chart, svg: picture } = s;
  picture.setAttribute("viewBox", `0 0 ${chart.width} ${chart.height}`);
  const keys = chart.keys ?? "Arrows go from bar to bar, Enter shows its tree.";
  picture.setAttribute("aria-label", `${chart.alt} ${keys}`);
  picture.replaceChildren();
  s.root.style.maxWidth = chart.most ? `calc(${chart.most}px * var(--espalier-letters, 1))` : ""; // larger on the stage
  for (const [name, attributes, words] of chart.still) svg(picture, name, attributes, words || undefined);
  s.bars = chart.bars.map((bar, i) => drawBar(s, bar, i));
  s.at = Math.min(s.at, Math.max(chart.bars.length - 1, 0));
  point(s, null);
}

function drawBar(s, bar, i) {
  const { id, say, ...place } = bar;
  const { top, floor } = s.chart;
  const shape = svg(s.svg, "g", { class: "bar-of" + (id === s.chart.selected ? " selected" : ""), "data-bar": id });
  const column = { x: place.x, y: top, width: place.width + 1, height: floor - top, fill: "transparent" };
  if (!s.chart.cells) svg(shape, "rect", column); // a bar is pointed at above it, too; a cell only where it is
  svg(shape, "rect", { ...place, class: "shape" });
  shape.addEventListener("pointerenter", () => point(s, i));
  shape.addEventListener("click", () => s.send(id));
  return shape;
}

function point(s, i) {
  s.bars.forEach((bar, j) => bar.classList.toggle("pointed", i === j));
  const bar = i === null ? null : s.chart.bars[i];
  s.tip.textContent = bar ? bar.say : "";
  s.tip.style.visibility = bar ? "visible" : "hidden";
  if (!bar) return;
  s.at = i;
  const scale = s.svg.clientWidth / s.chart.width;
  const most = s.root.clientWidth - s.tip.offsetWidth;
  const right = (bar.x + bar.width) * scale + 8; // beside the bar: what a click shows stands below
  const left = right <= most ? right : bar.x * scale - 8 - s.tip.offsetWidth;
  s.tip.style.left = `${Math.max(0, left)}px`;
  s.tip.style.top = `${(s.chart.cells ? bar.y : s.chart.top) * scale}px`;
}

function barKey(s, e) {
  const last = s.bars.length - 1;
  const to = barAfter(e.key, s.at, last);
  if (last < 0) return;
  if (e.key === "Enter" || e.key === " ") s.send(s.chart.bars[s.at].id);
  else if (to !== null) point(s, to);
  else return;
  e.preventDefault();
}
