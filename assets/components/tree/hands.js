// What hands do to the tree graph: mouse, touch, keys.

import { say } from "../shared/channel.js";
import { LEADS } from "./keys.js";
import { EDGE, LEAST, MOST, topOf, viewOf } from "./room/layout.js";
import { move, update } from "./motion.js";
import { endOf, isOpen } from "./nodes.js";

export function listen(s) {
  s.svg.addEventListener("pointerdown", (e) => down(s, e));
  s.svg.addEventListener("pointermove", (e) => drag(s, e));
  for (const name of ["pointerup", "pointercancel"]) s.svg.addEventListener(name, (e) => up(s, e));
  s.svg.addEventListener("dblclick", (e) => {
    const node = nodeAt(s, e);
    node ? zoomTo(s, node) : fit(s);
  });
  s.svg.addEventListener("wheel", (e) => wheel(s, e), { passive: false });
  s.svg.addEventListener("keydown", (e) => key(s, e));
}

function nodeAt(s, e) {
  const g = e.target.closest?.(".node");
  return g && s.byKey.get(g.dataset.key);
}

function down(s, e) {
  s.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  if (s.pointers.size === 1)
    s.press = { x: e.clientX, y: e.clientY, node: nodeAt(s, e), knob: e.target.closest?.(".knob") };
  else s.press = null;
}

function drag(s, e) {
  const last = s.pointers.get(e.pointerId);
  if (!last) return;
  if (s.press && Math.hypot(e.clientX - s.press.x, e.clientY - s.press.y) < 5) return;
  if (s.press) s.svg.setPointerCapture(e.pointerId);
  s.press = null;
  const others = [...s.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
  if (others.length) pinch(s, last, e, others[0]);
  else look(s, { x: s.view.x + e.clientX - last.x, y: s.view.y + e.clientY - last.y, k: s.view.k });
  s.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
}

function pinch(s, last, e, other) {
  const before = Math.hypot(last.x - other.x, last.y - other.y);
  const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
  zoom(s, after / Math.max(before, 1), { clientX: (e.clientX + other.x) / 2, clientY: (e.clientY + other.y) / 2 });
}

function up(s, e) {
  s.pointers.delete(e.pointerId);
  const press = s.press;
  s.press = null;
  if (!press || e.type === "pointercancel") return;
  if (!press.node) select(s, null);
  else if (press.knob) toggle(s, press.node);
  else {
    focus(s, press.node);
    select(s, press.node.id);
  }
}

function wheel(s, e) {
  if (!e.ctrlKey && !e.metaKey) return; // the page scrolls
  e.preventDefault();
  zoom(s, Math.exp(-Math.max(-80, Math.min(e.deltaY, 80)) * 0.006), e);
}

export function zoom(s, factor, e) {
  const box = s.svg.getBoundingClientRect();
  const k = Math.min(Math.max(s.view.k * factor, LEAST), MOST);
  const px = e ? e.clientX - box.left : box.width / 2;
  const py = e ? e.clientY - box.top : box.height / 2;
  look(s, { k, x: px - ((px - s.view.x) * k) / s.view.k, y: py - ((py - s.view.y) * k) / s.view.k });
}

// The person's own view: keep it until "fit".
function look(s, view) {
  s.auto = false;
  move(s, view, 0);
}

// Asked for, the whole tree is shown even where it cannot be read.
export function fit(s) {
  s.auto = s.whole = true;
  update(s, true);
}

function zoomTo(s, node) {
  s.auto = false;
  s.goal = viewOf(
    s,
    s.shown.filter((other) => other.key.startsWith(node.key)),
  );
  update(s, true);
}

function select(s, id) {
  if (s.selected === id && !s.path.size) return;
  const node = s.byId.get(id) ?? s.cards.nodes[0];
  const at = say(s.channel, { tree: s.cards.id, id: node.id, end: endOf(s, node), row: null });
  s.send(id, at);
}

function toggle(s, node, open = !isOpen(s, node)) {
  if (!node.kids.length || open === isOpen(s, node)) return;
  s.open.set(node.key, open);
  s.items.get(node.key).detail = null;
  update(s, true);
}

export function levels(s, by) {
  const deepest = Math.max(...s.shown.map((node) => node.depth));
  s.depth = Math.max(deepest + by, 1);
  s.most = Infinity;
  s.asked = true;
  s.open.clear();
  for (const it of s.items.values()) it.detail = null;
  update(s, true);
}

function focus(s, node) {
  s.focus = node.key;
  for (const other of s.shown) s.items.get(other.key).g.setAttribute("tabindex", other === node ? 0 : -1);
  s.items.get(node.key).g.focus({ preventScroll: true });
  const x = s.view.x + s.view.k * node.x;
  const y = s.view.y + s.view.k * node.y;
  const { clientWidth: w, clientHeight: h } = s.root;
  const half = (s.view.k * node.w) / 2;
  const high = s.view.k * node.h; // what is seen whole stays where it is
  const dx = x < half ? half + EDGE - x : x + half > w ? w - half - EDGE - x : 0;
  const dy = y < 0 ? topOf(s) - y : y + high > h ? h - high - EDGE - y : 0;
  if (dx || dy) {
    s.auto = false;
    move(s, { x: s.view.x + dx, y: s.view.y + dy, k: s.view.k }, 160);
  }
}

function key(s, e) {
  const node = nodeAt(s, e) ?? s.byKey.get(s.focus);
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const act = {
    Enter: () => select(s, node.id),
    " ": () => select(s, node.id),
    Escape: () => select(s, null),
    f: () => fit(s),
    "+": () => toggle(s, node, true),
    "-": () => toggle(s, node, false),
  }[e.key];
  if (!LEADS[e.key] && !act) return;
  e.preventDefault();
  e.stopPropagation();
  const to = LEADS[e.key]?.(s, node);
  if (act) act();
  else if (to) focus(s, to);
  else if (e.key === "ArrowDown") toggle(s, node, true);
}
