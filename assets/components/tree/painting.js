// Painting: cards for the scale they are seen at, with the marks of selection, path and focus.

import { svg } from "../shared/elements.js";
import { wide } from "../shared/lettering.js";
import { round } from "../shared/numbers.js";
import { content, dot, knob } from "./cards.js";
import { ancestors, isOpen } from "./nodes.js";
import { PEEK, PEEKS, peeks } from "./options.js";
import { colourOf, text } from "./parts.js";
import { LEGIBLE, LETTERS } from "./room/plans.js";
import { edgeWord, hint, perMille } from "./words.js";

// Cards are drawn for one of these scales, at which their letters are never smaller than can be read; for none where
// only their colour is seen.
const DETAILS = [1, 0.74, 0.56, 0.38];
const COLOUR_ONLY = 0.3;

function detailOf(s, k) {
  const z = k / (s.theme.letters * LEGIBLE);
  return DETAILS.find((detail) => z >= detail) ?? (z >= COLOUR_ONLY ? DETAILS.at(-1) : 0);
}

export function paint(s, moving) {
  const { x, y, k } = s.view;
  s.world.setAttribute("transform", `translate(${round(x)} ${round(y)}) scale(${k.toFixed(4)})`);
  const detail = detailOf(s, moving ? s.goal.k : k);
  const many = s.items.size > 120;
  for (const it of s.items.values())
    if (!it.gone && it.detail !== detail && (!many || inSight(s, it))) draw(s, it, detail);
}

function inSight(s, it) {
  const x = s.view.x + s.view.k * it.toX;
  const y = s.view.y + s.view.k * it.toY;
  const w = 200 * s.view.k;
  const h = 150 * s.view.k;
  return x > -w && x < s.root.clientWidth + w && y > -h && y < s.root.clientHeight + h;
}

export function draw(s, it, detail) {
  const { node } = it;
  const { w, h } = node;
  const t = s.theme;
  it.detail = detail;
  it.g.replaceChildren();
  svg(it.g, "title", {}, hint(s, node));
  it.ring = svg(it.g, "rect", {
    class: "ring ui",
    x: -w / 2 - 4,
    y: -4,
    width: w + 8,
    height: h + 8,
    rx: 12,
    fill: "none",
  });
  const z = detail || 0.2;
  if (detail) peeks(s, it.g, node, z);
  const card = svg(it.g, "g", { transform: `translate(${-w / 2} 0) scale(${round(1 / z)})` });
  it.back = svg(card, "rect", { x: 0, y: 0, width: w * z, height: h * z, rx: Math.max(9 * z, 4), fill: t.card });
  it.tint = s.cards.cultivated
    ? svg(card, "rect", {
        class: "tint",
        width: w * z,
        height: h * z,
        rx: Math.max(9 * z, 4),
        fill: t.ink,
        "fill-opacity": 0,
      })
    : null;
  if (detail) content(s, card, node, { w: w * z, h: h * z });
  else dot(s, card, node, { w: w * z, h: h * z });
  if (node.below && detail) knob(s, it.g, node, z);
  if (it.link) label(s, it, z);
  mark(s, it);
}

function label(s, it, z) {
  it.word.textContent = z < 0.4 ? "" : edgeWord(s, it.node, (words) => wide(s, words, LETTERS, 400) / z);
  for (const [name, value] of Object.entries({
    "font-size": LETTERS / z,
    fill: s.theme.muted,
    stroke: s.theme.paper,
    "font-family": s.theme.font,
  }))
    it.word.setAttribute(name, value);
  weigh(s, it, z);
}

// An edge is as wide as what goes along it: of all samples, or of the selected one.
function weigh(s, it, z) {
  const root = s.cards.nodes[0];
  const { part, n, id } = it.node;
  const share = s.parts ? (s.parts.get(id) ?? 0) / 1000 : part === undefined ? n / Math.max(root.n, 1) : part / 1000;
  it.line.setAttribute("stroke-width", round(1.2 / z + 15 * share));
}

export function marks(s) {
  s.line = ancestors(s.byId.get(s.selected));
  if (!s.shown.some((node) => node.key === s.focus)) s.focus = "";
  for (const it of s.items.values()) if (!it.gone && it.back) mark(s, it);
  s.shown.forEach((node) => {
    const it = s.items.get(node.key);
    spoken(s, node, it.g);
  });
}

function mark(s, it) {
  const { node } = it;
  const t = s.theme;
  const picked = node.id === s.selected;
  const onPath = s.path.has(node.id);
  const aside = s.path.size && !onPath && !picked;
  it.g.classList.toggle("aside", Boolean(aside));
  it.link?.classList.toggle("aside", Boolean(aside));
  const z = it.detail || 0.2;
  const stroke = picked ? t.accent : onPath ? t.ink : node.f === undefined ? colourOf(s, node) : t.line;
  it.back.setAttribute("stroke", stroke);
  it.back.setAttribute("stroke-width", picked ? 3 : onPath ? 2 : z < 0.4 ? 0.6 : 1.2);
  if (s.cards.cultivated) portion(s, it, z);
  if (it.line) weigh(s, it, z);
  it.line?.setAttribute("stroke", onPath ? t.ink : s.line?.has(node) ? t.accent : t.edge);
}

// A node is called by its title, as under the mouse: a label would have to repeat all that stands on the card.
function entitle(g, words) {
  const title = g.querySelector(":scope > title") || svg(g, "title", {});
  if (title.textContent !== words) title.textContent = words;
}

function spoken(s, node, g) {
  const values = {
    "aria-level": node.depth + 1,
    tabindex: node.key === s.focus ? 0 : -1,
    "aria-selected": node.id === s.selected,
  };
  for (const [name, value] of Object.entries(values)) g.setAttribute(name, value);
  entitle(g, hint(s, node));
  if (node.kids.length) g.setAttribute("aria-expanded", isOpen(s, node));
  else g.removeAttribute("aria-expanded");
}

function portion(s, it, z) {
  const { node } = it;
  const p = s.parts?.get(node.id);
  const part = (p ?? 0) / 1000;
  it.badge?.remove();
  it.badge = null;
  it.tint?.setAttribute("fill-opacity", round((z < 0.3 ? 0.8 : 0.2) * part));
  if (p === undefined || z < 0.3 || !node.up) return;
  const words = perMille(p);
  const k = 1 / z;
  const w = (wide(s, words, LETTERS, 700) + 10) * k;
  const h = 16 * k;
  const y = node.pooled ? -PEEK * Math.min(node.pooled - 1, PEEKS) * k : 0;
  it.badge = svg(it.g, "g", { class: "badge" });
  svg(it.badge, "rect", {
    x: round(-w / 2),
    y: round(y - h * 0.6),
    width: round(w),
    height: round(h),
    rx: round(h / 2),
    fill: s.theme.ink,
  });
  text(s, it.badge, 0, y - h * 0.6 + 12.3 * k, words, {
    "font-size": round(LETTERS * k),
    "font-weight": 700,
    "text-anchor": "middle",
    fill: s.theme.paper,
  });
}
