// A curve that a student draws by dragging a few points up and down, and later the true one beside it.

import { svg } from "../shared/elements.js";
import { themeOf } from "../shared/theme.js";
import { afterKey, heightAt, shareOf, written } from "./heights.js";

const BOX = { width: 260, height: 170, left: 34, right: 14, top: 12, bottom: 30 };
const sketches = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = sketches.get(parentElement);
  if (!s) sketches.set(parentElement, (s = { root: parentElement.querySelector(".espalier-sketch"), heights: [] }));
  s.tell = () => setStateValue("drawn", written(s.heights));
  if (!s.held) receive(s, data);
  return () => sketches.delete(parentElement);
}

function receive(s, data) {
  const isOther = s.data?.id !== data.id || data.over;
  s.data = data;
  if (isOther) s.heights = [...data.heights];
  draw(s);
}

const across = (s, i) => BOX.left + (i / (s.data.across.length - 1)) * (BOX.width - BOX.left - BOX.right);
const floor = BOX.height - BOX.bottom;
const up = (s, height) => floor - shareOf(height, s.data.low, s.data.high) * (floor - BOX.top);

function draw(s) {
  const { data, root } = s;
  const focused = [...root.querySelectorAll("circle")].indexOf(root.getRootNode().activeElement);
  root.replaceChildren();
  const theme = themeOf(root);
  const viewBox = `0 0 ${BOX.width} ${BOX.height}`;
  const picture = svg(root, "svg", { viewBox, role: "group", "aria-label": data.alt });
  axes(s, picture, theme);
  if (data.truth) curve(s, picture, data.truth, theme.ink, "5 4");
  curve(s, picture, s.heights, theme.accent, "");
  s.heights.forEach((_, i) => point(s, picture, i, theme));
  if (focused >= 0) picture.querySelectorAll("circle")[focused]?.focus();
}

function axes(s, picture, theme) {
  const { low, high, across: words } = s.data;
  const d = `M${BOX.left} ${BOX.top}V${floor}H${BOX.width - BOX.right}`;
  svg(picture, "path", { d, fill: "none", stroke: theme.line });
  const text = { fill: theme.muted, "font-size": 11, "font-family": theme.font };
  for (const height of [low, high])
    svg(picture, "text", { ...text, x: BOX.left - 5, y: up(s, height) + 4, "text-anchor": "end" }, String(height));
  words.forEach((word, i) =>
    svg(picture, "text", { ...text, x: across(s, i), y: floor + 16, "text-anchor": "middle" }, word),
  );
}

function curve(s, picture, heights, stroke, dashes) {
  const points = heights.map((height, i) => `${across(s, i)},${up(s, height)}`).join(" ");
  svg(picture, "polyline", { points, fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dashes });
}

function point(s, picture, i, theme) {
  const { data } = s;
  const place = { cx: across(s, i), cy: up(s, s.heights[i]), r: 7, fill: theme.accent };
  const dot = svg(picture, "circle", {
    ...place,
    tabindex: data.over ? -1 : 0,
    role: "slider",
    "aria-label": data.across[i],
    "aria-valuemin": data.low,
    "aria-valuemax": data.high,
    "aria-valuenow": s.heights[i],
  });
  if (data.over) return;
  dot.style.cssText = "cursor: ns-resize; touch-action: none";
  dot.addEventListener("keydown", (e) => {
    const height = afterKey(e.key, s.heights[i], data.low, data.high);
    if (height === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    set(s, i, height);
    s.tell();
  });
  dot.addEventListener("pointerdown", (e) => drag(s, i, e));
  dot.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false }); // the page does not scroll
}

function drag(s, i, down) {
  down.preventDefault();
  s.held = true;
  const move = (e) => {
    const box = s.root.querySelector("svg").getBoundingClientRect();
    const y = ((e.clientY - box.top) / box.height) * BOX.height;
    set(s, i, heightAt((floor - y) / (floor - BOX.top), s.data.low, s.data.high));
  };
  const end = () => {
    s.held = false;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    s.tell();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
}

function set(s, i, height) {
  s.heights[i] = height;
  draw(s);
}
