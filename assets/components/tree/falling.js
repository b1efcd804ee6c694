// Rows as dots, which pile up below the leaves in their colours and fall on when a leaf is split.

import { svg } from "../shared/elements.js";
import { round } from "../shared/numbers.js";
import { isOpen } from "./nodes.js";
import { classColour, colourOf } from "./parts.js";

const MOST_DOTS = 240; // of all leaves together; with more rows a dot stands for several
const SIZE = 5; // of a dot, in the units of the cards, and its share of a pile
const FALL_MS = 800;

// The piles of a tree whose places are known, and the fall of the dots to them from where they were.
export function fall(s) {
  const old = s.piles ?? new Map();
  const each = Math.max(s.cards.nodes[0].n / MOST_DOTS, 1);
  const leaves = s.shown.filter((node) => !isOpen(s, node));
  s.piles = new Map(leaves.map((node) => [node.key, pile(s, node, each)]));
  s.dots ??= svg(s.world, "g", { "aria-hidden": "true", class: "ui" });
  s.dots.replaceChildren();
  const dots = leaves.flatMap((node) => started(s.piles.get(node.key), sources(old, node.key)));
  for (const dot of dots) dot.shape = svg(s.dots, "circle", { r: SIZE / 2 - 0.4, fill: dot.colour });
  run(s, dots, old.size && !matchMedia("(prefers-reduced-motion: reduce)").matches ? FALL_MS : 0);
}

export function clearDots(s) {
  cancelAnimationFrame(s.falling);
  s.dots?.replaceChildren();
  s.piles = null;
}

// The dots of a leaf: by class, in rows below its card.
export function pile(s, node, each) {
  const kinds = node.shares
    ? node.shares.map((share, i) => [Math.round((node.n * share) / 1000 / each), classColour(s, i)])
    : [[Math.round(node.n / each), colourOf(s, node)]];
  const colours = kinds.flatMap(([many, colour]) => Array(many).fill(colour));
  const columns = Math.max(Math.floor(node.w / SIZE), 1);
  return colours.map((colour, i) => ({
    colour,
    x: node.x - node.w / 2 + SIZE * ((i % columns) + 0.5),
    y: node.y + node.h + 4 + SIZE * (Math.floor(i / columns) + 0.5),
  }));
}

// Dots of the same leaf before, else of its parent, which was split, or of its children, which are gone.
export function sources(old, key) {
  const up = key ? old.get(key.slice(0, -1)) : null;
  return old.get(key) ?? up ?? [...(old.get(key + "L") ?? []), ...(old.get(key + "R") ?? [])];
}

// Each dot begins where one of its colour was that no other has taken; or where it belongs.
export function started(dots, from) {
  return dots.map((dot) => {
    const source = from.find((other) => other.colour === dot.colour && !other.isTaken) ?? dot;
    if (source !== dot) source.isTaken = true;
    return { ...dot, from: { x: source.x, y: source.y } };
  });
}

function run(s, dots, ms) {
  cancelAnimationFrame(s.falling);
  const start = performance.now();
  const step = (now) => {
    dots.forEach((dot, i) => {
      const late = (0.35 * i) / dots.length; // one after the other
      const t = ms ? Math.min(Math.max(((now - start) / ms - late) / 0.65, 0), 1) : 1;
      const [across, down] = [1 - (1 - t) ** 2, t ** 2];
      dot.shape.setAttribute("cx", round(dot.from.x + (dot.x - dot.from.x) * across));
      dot.shape.setAttribute("cy", round(dot.from.y + (dot.y - dot.from.y) * down));
    });
    if (ms && now - start < ms) s.falling = requestAnimationFrame(step);
  };
  step(start);
  if (ms) s.falling = requestAnimationFrame(step);
}
