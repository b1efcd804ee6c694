// Rows on a plane, to be dragged, with the curves that Python fits to them: rows follow the hand at once, curves as
// soon as they have been worked out. What moved goes to Python as {at: "row-x-y", over, n}.

import { courierOf, isBusy, landed, move } from "../shared/courier.js";
import { html, svg } from "../shared/elements.js";
import { plain, round } from "../shared/numbers.js";
import { themeOf } from "../shared/theme.js";
import { carried, nearest, nextTo, placed, written } from "./rows.js";

const WIDTH = 560; // pixels, where the page does not say
const TALL = 0.75; // of the width, at most: the height
const AROUND = 450; // pixels of the page that heading, table and controls take, in letters of their usual size
const EDGE = { left: 22, right: 12, top: 10, bottom: 22 }; // for letters of their usual size
const REACH = 0.5; // of a pointer, in units of the plane
const REACH_TOUCH = 1.1; // of a finger, which hides what it is at
const LATE_MS = 4000; // after which a message is taken for lost
const planes = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = planes.get(parentElement);
  if (!s) planes.set(parentElement, (s = mountPlane(parentElement.querySelector(".espalier-points"))));
  s.send = (message) => setStateValue("moved", message);
  receive(s, data);
  return () => {
    clearTimeout(s.late);
    s.watch.disconnect();
    planes.delete(parentElement);
  };
}

function mountPlane(root) {
  const s = { root, rows: [], chosen: 0, held: false };
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  s.courier = courierOf((message) => depart(s, message));
  s.svg = svg(root, "svg", { role: "application", tabindex: 0 });
  s.back = svg(s.svg, "g", {});
  s.front = svg(s.svg, "g", {}); // a row that a finger drags stays the same element: another one would lose the finger
  s.front.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false }); // nor does the page scroll
  const table = html(root, "table", {});
  s.head = html(html(table, "thead", {}), "tr", {});
  s.voice = html(html(s.head, "td", {}), "span", { class: "voice", role: "status" });
  s.numbers = html(table, "tbody", {});
  s.watch = new ResizeObserver(() => root.clientWidth !== s.width && s.data && draw(s)); // letters keep their size
  s.watch.observe(root);
  s.svg.addEventListener("pointerdown", (e) => grasp(s, e));
  s.svg.addEventListener("pointermove", (e) => s.held && carry(s, placeOf(s, e), false));
  for (const end of ["pointerup", "pointercancel"]) s.svg.addEventListener(end, () => release(s));
  s.svg.addEventListener("keydown", (e) => key(s, e));
  return s;
}

function depart(s, message) {
  s.send(message);
  clearTimeout(s.late);
  s.late = setTimeout(() => arrive(s), LATE_MS);
}

function arrive(s) {
  clearTimeout(s.late);
  landed(s.courier);
}

function receive(s, data) {
  s.data = data;
  if (s.courier.under && data.n === s.courier.under.n) arrive(s);
  if (!s.held && !isBusy(s.courier)) [s.rows, s.chosen] = [data.rows, data.chosen];
  draw(s);
}

// In pixels of the page.
function measure(s, letters) {
  s.width = s.root.clientWidth;
  const width = s.width || WIDTH;
  const tall = round(Math.min(TALL * width, Math.max(200, innerHeight - letters * AROUND)));
  const [x, y, floor] = [letters * EDGE.left, EDGE.top, tall - letters * EDGE.bottom];
  s.box = { x, y, width: width - x - EDGE.right, height: floor - y, floor, whole: width };
  s.svg.setAttribute("viewBox", `0 0 ${width} ${tall}`);
}

const X = (s, x) => round(s.box.x + placed(x, s.data) * s.box.width);
const Y = (s, y) => round(s.box.floor - placed(y, s.data) * s.box.height);

function placeOf(s, e) {
  const box = s.svg.getBoundingClientRect();
  const span = s.data.high - s.data.low;
  const pixel = s.box.whole / box.width;
  const across = ((e.clientX - box.left) * pixel - s.box.x) / s.box.width;
  const up = (s.box.floor - (e.clientY - box.top) * pixel) / s.box.height;
  return [s.data.low + across * span, s.data.low + up * span];
}

function grasp(s, e) {
  const at = nearest(s.rows, placeOf(s, e), e.pointerType === "touch" ? REACH_TOUCH : REACH);
  if (at < 0) return;
  e.preventDefault();
  s.svg.focus({ preventScroll: true });
  s.svg.setPointerCapture(e.pointerId);
  [s.held, s.chosen] = [true, at];
  draw(s);
}

function carry(s, place, over) {
  s.rows = carried(s.rows, s.chosen, place, s.data);
  draw(s);
  tell(s, over);
}

function release(s) {
  if (!s.held) return;
  s.held = false;
  tell(s, true);
}

function tell(s, over) {
  move(s.courier, written(s.chosen, s.rows[s.chosen]), over);
  if (over) say(s);
}

function say(s) {
  const [x, y] = s.rows[s.chosen].map((value) => plain(value, 1));
  s.voice.textContent = `${s.data.words.row} ${s.chosen + 1}: x ${x}, y ${y}`;
}

function key(s, e) {
  if (e.altKey || e.ctrlKey || e.metaKey) return;
  const step = e.shiftKey ? 1 : 0.1;
  const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[e.key];
  const on = { n: 1, p: -1 }[e.key.toLowerCase()];
  const [x, y] = s.rows[s.chosen];
  if (by) carry(s, [x + by[0], y + by[1]], true);
  else if (on) {
    s.chosen = nextTo(s.rows, s.chosen, on);
    draw(s);
    tell(s, true);
  } else return;
  e.preventDefault();
  e.stopPropagation();
}

function draw(s) {
  const theme = themeOf(s.root);
  measure(s, theme.letters);
  s.svg.setAttribute("aria-label", s.data.alt);
  s.back.replaceChildren();
  axes(s, theme);
  const curves = svg(s.back, "g", { "clip-path": "url(#plane)", fill: "none", "stroke-linejoin": "round" });
  for (const curve of s.data.curves) line(s, curves, curve);
  dots(s);
  table(s);
}

function axes(s, theme) {
  const { x, y, width, height, floor } = s.box;
  const box = { x, y, width, height };
  svg(svg(svg(s.back, "defs", {}), "clipPath", { id: "plane" }), "rect", box);
  svg(s.back, "rect", { ...box, fill: theme.card, stroke: theme.line });
  const text = { "font-size": 12 * theme.letters, fill: theme.muted, "font-family": theme.font };
  const { low, high } = s.data;
  for (const value of [low, (low + high) / 2, high]) {
    const anchor = value === low ? "start" : value === high ? "end" : "middle";
    const below = { x: X(s, value), y: floor + 16 * theme.letters, "text-anchor": anchor };
    svg(s.back, "text", { ...text, ...below }, value === high ? "x" : String(value));
    const beside = { x: x - 6, y: Y(s, value) + (value === high ? 10 : 4), "text-anchor": "end" };
    svg(s.back, "text", { ...text, ...beside }, value === high ? "y" : String(value));
  }
}

function line(s, parent, curve) {
  const points = curve.y.map((y, i) => `${X(s, s.data.at[i])},${Y(s, y)}`).join(" ");
  svg(parent, "polyline", { points, class: curve.role });
}

function dots(s) {
  while (s.front.children.length > s.rows.length) s.front.lastChild.remove();
  s.rows.forEach(([x, y], i) => {
    const dot = s.front.children[i] ?? newDot(s);
    dot.setAttribute("transform", `translate(${X(s, x)} ${Y(s, y)})`);
    dot.classList.toggle("chosen", i === s.chosen);
  });
}

function newDot(s) {
  const dot = svg(s.front, "g", {});
  for (const [name, r] of [
    ["ring", 10],
    ["row", 5],
    ["hand", 16],
  ])
    svg(dot, "circle", { class: name, r });
  return dot;
}

// What each curve is, how far it is from the truth, and what the chosen row counts in it.
function table(s) {
  while (s.head.children.length > 1) s.head.lastChild.remove(); // the first cell says which row has moved
  for (const column of s.data.columns) html(s.head, "th", { scope: "col" }, column);
  s.numbers.replaceChildren();
  for (const curve of s.data.curves.filter((one) => one.name)) {
    const row = html(s.numbers, "tr", {});
    const name = html(row, "th", { scope: "row" }, "");
    const sample = svg(name, "svg", { width: 26, height: 10, "aria-hidden": "true" });
    svg(sample, "path", { d: "M0 5H26", class: curve.role });
    name.append(curve.name);
    for (const value of s.data.numbers[curve.role] ?? ["", ""]) html(row, "td", {}, value);
  }
}
