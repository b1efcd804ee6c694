// Reading the surface: hover, keys, clicks.

import { say } from "../shared/channel.js";
import { drawCross } from "./cross.js";
import { NEAR, NEAR_TOUCH, nearestPoint, valuesAt } from "./places.js";
import { readout } from "./readout.js";

export function listenSurface(s) {
  s.top.addEventListener("pointermove", (e) => point(s, e));
  s.top.addEventListener("pointerdown", (e) => point(s, e));
  s.top.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && clear(s));
  s.top.addEventListener("click", (e) => {
    point(s, e);
    pick(s);
  });
  s.top.addEventListener("keydown", (e) => surfaceKey(s, e));
  s.top.addEventListener("blur", () => clear(s));
}

function point(s, e) {
  const box = s.top.getBoundingClientRect();
  const px = e.clientX - box.left;
  const py = e.clientY - box.top;
  const { g } = s;
  const near = nearestPoint(s, px, py, e.pointerType === "touch" ? NEAR_TOUCH : NEAR);
  const inside = px >= g.left && px <= g.left + g.w && py >= g.top && py <= g.top + g.h;
  if (near !== null) s.cross = { point: near, px: s.spots[near][0], py: s.spots[near][1] };
  else s.cross = inside ? { ...valuesAt(s, px, py), px, py } : null;
  drawCross(s);
}

function clear(s) {
  s.cross = null;
  drawCross(s);
}

function pick(s) {
  if (!s.cross) return;
  const { points } = s.data.surface;
  const { x, y, point } = s.cross;
  const row = points.row[point];
  if (s.data.tree === null) {
    // of another tree than the one that is selected in: only samples are the same
    if (row !== undefined) s.send({ row }, say(s.channel, { ...s.channel.state, row: { row } }));
    return;
  }
  const leaf = point !== undefined ? points.leaf[point] : s.form.leaf(s, s.cross);
  const before = s.channel.state;
  // Where the leaf is not known here, Python will tell.
  const found = leaf === null ? { id: before?.id ?? 0, end: before?.end } : { id: leaf, end: leaf + 1 };
  const at = say(s.channel, { tree: s.data.tree, ...found, row: point !== undefined ? { row } : null });
  s.send(point !== undefined ? { row } : s.g.one ? { x } : { x, y }, at);
}

function surfaceKey(s, e) {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  const turn = { n: 1, p: -1 }[e.key.toLowerCase()];
  if (e.ctrlKey || e.metaKey || e.altKey || !(by || turn || ["Enter", " ", "Escape"].includes(e.key))) return;
  e.preventDefault();
  e.stopPropagation();
  if (by) step(s, by, e.shiftKey ? 10 : 1);
  else if (turn) nextPoint(s, turn);
  else if (e.key === "Escape") clear(s);
  else pick(s);
  s.voice.textContent = s.cross ? readout(s).join(", ") : "";
}

function step(s, [dx, dy], many) {
  const { g } = s;
  const stride = (axis, size) => (axis.names ? size / axis.names.length : (many * size) / 60);
  const from = s.cross ?? { px: g.left + g.w / 2, py: g.top + g.h / 2 };
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  const px = clamp(from.px + dx * stride(g.x, g.w), g.left, g.left + g.w);
  const py = clamp(from.py - dy * stride(g.y, g.h), g.top, g.top + g.h);
  s.cross = { ...valuesAt(s, px, py), px, py };
  drawCross(s);
}

function nextPoint(s, by) {
  const n = s.spots.length;
  const i = ((s.cross?.point ?? (by > 0 ? -1 : n)) + by + n) % n;
  if (!n) return;
  s.cross = { point: i, px: s.spots[i][0], py: s.spots[i][1] };
  drawCross(s);
}
