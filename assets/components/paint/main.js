// Draw data: points placed class by class on a plane, by clicks, by a brush, or with the keyboard. The list of points
// goes to Python after every stroke, as {points: [[x, y, class], …]}; Undo stays here.

import { buttons, html, svg } from "../shared/elements.js";
import { themeOf } from "../shared/theme.js";
import { SPAN, added, cursorAfter, moved, nearest, removed, sprayed } from "./points.js";

const boards = new WeakMap();
const SIZE = 440;
const PAD = 30;
const REACH = 0.35; // of a pointer, in units of the plane
const REACH_TOUCH = 0.8; // of a finger, which hides what it is at
const RADIUS = 0.8;
const SHAPES = [
  "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", // circle
  "m-4.5 -4.5h9v9h-9z", // square
  "m0 -6l5.5 10h-11z", // triangle
  "m0 -6l6 6l-6 6l-6 -6z", // diamond
];

export default function ({ data, parentElement, setStateValue }) {
  let s = boards.get(parentElement);
  if (!s) boards.set(parentElement, (s = mountBoard(parentElement.querySelector(".espalier-paint"), data)));
  s.send = () => setStateValue("drawn", { points: s.points.map((p) => [p.x, p.y, p.c]), at: Date.now() });
  if (s.id !== data.id) {
    s.id = data.id;
    s.points = data.points.map(([x, y, c]) => ({ x, y, c }));
    s.past = [];
  }
  drawBoard(s);
  return () => boards.delete(parentElement);
}

function mountBoard(root, data) {
  const s = { root, data, points: [], past: [], c: 0, tool: "add", cursor: { x: 5, y: 5 }, held: -1 };
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  s.tools = choices(s, root, data.words.tools, "tool");
  s.classes = choices(s, root, data.classes, "c");
  buttons(html(root, "div", { class: "acts", role: "toolbar", "aria-label": data.words.acts }), [
    [data.words.undo, data.words.undo_help, () => undo(s)],
    [data.words.clear, data.words.clear_help, () => stroke(s, [])],
  ]);
  const box = { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-label": data.words.board };
  s.svg = svg(root, "svg", { role: "application", tabindex: 0, ...box });
  s.voice = html(root, "div", { class: "voice", role: "status" });
  listenBoard(s);
  return s;
}

// A row of buttons of which one is pressed.
function choices(s, root, entries, key) {
  const row = html(root, "div", { class: "choices", role: "group", "aria-label": s.data.words[key] });
  return Object.entries(entries).map(([value, word]) => {
    const of = key === "c" ? Number(value) : value;
    const b = html(row, "button", { type: "button" }, key === "c" ? word.name : word);
    b.addEventListener("click", () => {
      s[key] = of;
      drawBoard(s);
    });
    return [of, b];
  });
}

const X = (x) => PAD + ((SIZE - 2 * PAD) * x) / SPAN;
const Y = (y) => SIZE - PAD - ((SIZE - 2 * PAD) * y) / SPAN;

function placeOf(s, e) {
  const box = s.svg.getBoundingClientRect();
  const at = (v, from, size) => (((v - from) / size) * SIZE - PAD) / ((SIZE - 2 * PAD) / SPAN);
  return { x: at(e.clientX, box.left, box.width), y: SPAN - at(e.clientY, box.top, box.height) };
}

function listenBoard(s) {
  s.svg.addEventListener("pointerdown", (e) => {
    s.svg.setPointerCapture(e.pointerId);
    s.past.push(s.points);
    s.cursor = placeOf(s, e);
    s.down = true;
    s.reach = e.pointerType === "touch" ? REACH_TOUCH : REACH;
    s.held = s.tool === "move" ? nearest(s.points, s.cursor, s.reach) : -1;
    act(s, s.cursor, false);
  });
  s.svg.addEventListener("pointermove", (e) => s.down && s.tool !== "add" && act(s, placeOf(s, e), true));
  for (const end of ["pointerup", "pointercancel"])
    s.svg.addEventListener(end, () => {
      if (!s.down) return;
      s.down = false;
      done(s);
    });
  s.svg.addEventListener("keydown", (e) => boardKey(s, e));
}

function act(s, place) {
  if (s.tool === "add") s.points = added(s.points, { ...place, c: s.c });
  if (s.tool === "brush") s.points = sprayed(s.points, { ...place, c: s.c }, RADIUS);
  if (s.tool === "move" && s.held >= 0) s.points = moved(s.points, s.held, place);
  if (s.tool === "delete") s.points = removed(s.points, nearest(s.points, place, s.reach));
  drawBoard(s);
}

function stroke(s, points) {
  s.past.push(s.points);
  s.points = points;
  done(s);
}

function undo(s) {
  if (!s.past.length) return;
  s.points = s.past.pop();
  done(s);
}

function done(s) {
  drawBoard(s);
  s.voice.textContent = `${s.points.length} ${s.data.words.points}`;
  s.send();
}

function boardKey(s, e) {
  if (e.altKey || (e.key !== "z" && (e.ctrlKey || e.metaKey))) return;
  const to = cursorAfter(s.cursor, e);
  const number = Number(e.key);
  if (to) {
    s.cursor = to;
    s.voice.textContent = `${to.x.toFixed(2)}, ${to.y.toFixed(2)}`;
    drawBoard(s);
  } else if (e.key === "Enter" || e.key === " ") stroke(s, added(s.points, { ...s.cursor, c: s.c }));
  else if (e.key === "Delete" || e.key === "Backspace")
    stroke(s, removed(s.points, nearest(s.points, s.cursor, 2 * REACH)));
  else if (e.key === "z") undo(s);
  else if (number >= 1 && number <= s.classes.length) {
    s.c = number - 1;
    drawBoard(s);
  } else return;
  e.preventDefault();
  e.stopPropagation();
}

function drawBoard(s) {
  const theme = themeOf(s.root);
  for (const [of, b] of [...s.tools, ...s.classes]) b.setAttribute("aria-pressed", of === s.tool || of === s.c);
  s.svg.replaceChildren();
  const side = SIZE - 2 * PAD;
  svg(s.svg, "rect", { x: PAD, y: PAD, width: side, height: side, fill: theme.card, stroke: theme.line });
  const text = { "font-size": 13, fill: theme.muted, "font-family": theme.font, "text-anchor": "middle" };
  for (const v of [0, 5, 10]) {
    svg(s.svg, "text", { x: X(v), y: SIZE - 10, ...text }, String(v));
    svg(s.svg, "text", { x: 14, y: Y(v) + 4, ...text }, String(v));
  }
  const colours = s.data.classes.map((one) => one[theme.dark ? "dark" : "light"]);
  for (const p of s.points) svg(s.svg, "path", { d: shapeAt(p), fill: colours[p.c], stroke: theme.paper });
  const at = `M${X(s.cursor.x)} ${Y(s.cursor.y)}`;
  svg(s.svg, "path", { class: "cursor", d: `${at}m-9 0h18m-9 -9v18`, stroke: theme.ink, "stroke-width": 1.5 });
}

function shapeAt({ x, y, c }) {
  return `M${X(x).toFixed(1)} ${Y(y).toFixed(1)}${SHAPES[c]}`;
}
