// From where everything stands to where it belongs.

import { svg } from "../shared/elements.js";
import { round } from "../shared/numbers.js";
import { layout, viewOf } from "./room/layout.js";
import { marks, paint } from "./painting.js";
import { ALONG } from "./words.js";

export const MOVE_MS = 420;
const STILL_OVER = 400; // no animation of more nodes than that

export function update(s, animated) {
  const old = new Map([...s.items].map(([key, item]) => [key, { x: item.x, y: item.y }]));
  layout(s);
  const keys = new Set(s.shown.map((node) => node.key));
  for (const node of s.shown) item(s, node, old);
  for (const [key, it] of s.items) if (!keys.has(key)) leave(s, key, it);
  if (s.auto) s.goal = viewOf(s, s.shown);
  marks(s);
  const still =
    !(animated || s.moving) || s.items.size > STILL_OVER || matchMedia("(prefers-reduced-motion: reduce)").matches;
  move(s, s.goal ?? s.view, still ? 0 : MOVE_MS);
}

function item(s, node, old) {
  let it = s.items.get(node.key);
  if (!it) {
    const from = nearest(node.key, old) ?? node;
    it = { x: from.x, y: from.y, fade: old.size ? 0 : 1 };
    it.g = svg(s.nodes, "g", { class: "node", role: "treeitem", tabindex: -1, "data-key": node.key });
    it.link = node.up && svg(s.edges, "g", {});
    s.items.set(node.key, it);
  }
  const size = `${round(node.w)} ${round(node.h)}`;
  if (it.node !== node || it.size !== size) it.detail = null;
  Object.assign(it, { node, size, toX: node.x, toY: node.y, toFade: 1, gone: false });
  it.g.setAttribute("data-node", node.id);
}

function leave(s, key, it) {
  let up = key;
  while (up && !s.shown.some((node) => node.key === up)) up = up.slice(0, -1);
  const to = s.byKey.get(up) ?? s.cards.nodes[0];
  Object.assign(it, { toX: to.x, toY: to.y, toFade: 0, gone: true });
}

function nearest(key, places) {
  for (let up = key; ; up = up.slice(0, -1)) {
    if (places.has(up)) return places.get(up);
    if (!up) return null;
  }
}

export function move(s, goal, ms) {
  cancelAnimationFrame(s.frame);
  const start = performance.now();
  const from = { ...s.view };
  const items = [...s.items.values()].map((it) => [it, it.x, it.y, it.fade]);
  const step = (now) => {
    const t = ms ? Math.min(Math.max((now - start) / ms, 0), 1) : 1;
    const e = 1 - (1 - t) ** 3;
    for (const name of ["x", "y", "k"]) s.view[name] = mix(from[name], goal[name], e);
    for (const [it, x, y, fade] of items)
      Object.assign(it, { x: mix(x, it.toX, e), y: mix(y, it.toY, e), fade: mix(fade, it.toFade, e) });
    s.moving = t < 1;
    if (t === 1) sweep(s);
    place(s);
    paint(s, t < 1);
    if (t < 1) s.frame = requestAnimationFrame(step);
  };
  s.goal = goal;
  step(start);
  if (!ms) return;
  s.frame = requestAnimationFrame(step);
}

const mix = (a, b, t) => a + (b - a) * t;

function sweep(s) {
  for (const [key, it] of s.items) {
    if (!it.gone) continue;
    it.g.remove();
    it.link?.remove();
    s.items.delete(key);
  }
}

function place(s) {
  for (const it of s.items.values()) {
    it.g.setAttribute("transform", `translate(${round(it.x)} ${round(it.y)})`);
    it.g.style.opacity = it.fade;
    if (it.link) drawLink(s, it);
  }
}

function drawLink(s, it) {
  const up = s.items.get(it.node.key.slice(0, -1));
  if (!up) return;
  const y0 = up.y + up.node.h;
  const bend = (it.y - y0) / 2;
  it.link.style.opacity = it.fade;
  if (!it.line) {
    it.line = svg(it.link, "path", { fill: "none" });
    it.word = svg(it.link, "text", {
      "text-anchor": "middle",
      "paint-order": "stroke",
      "stroke-width": 5,
      "stroke-linejoin": "round",
    });
  }
  it.line.setAttribute(
    "d",
    `M${round(up.x)} ${round(y0)}C${round(up.x)} ${round(y0 + bend)} ` +
      `${round(it.x)} ${round(it.y - bend)} ${round(it.x)} ${round(it.y)}`,
  );
  it.word.setAttribute("x", round(mix(up.x, it.x, ALONG)));
  // Cards of modules are stacked: their backs stand out at the top.
  it.word.setAttribute("y", round(y0 + bend + (s.cards.cultivated ? 2 : 8)));
}
