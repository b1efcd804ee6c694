// Colours of nodes, and the small parts that cards are made of.

import { inkOf, scaled } from "../shared/colours.js";
import { svg } from "../shared/elements.js";
import { wide } from "../shared/lettering.js";
import { part, round } from "../shared/numbers.js";

export const at = (scale, x, box) => box.x + (box.w * (x - scale.low)) / (scale.high - scale.low || 1);

export function threshold(s, g, x, box) {
  const y = box.y + box.h;
  line(s, g, x, box.y - 2, x, y, { stroke: s.theme.ink, "stroke-width": 1.4 });
  svg(g, "path", { d: `M${round(x)} ${round(y)}l4 6h-8z`, fill: s.theme.ink });
}

export function shares(s, g, node, { x, y, w, h }) {
  let from = x;
  node.shares.forEach((share, i) => {
    if (!share) return;
    svg(g, "rect", {
      x: round(from),
      y: round(y),
      width: round((w * share) / 1000),
      height: h,
      fill: classColour(s, i, node),
    });
    from += (w * share) / 1000;
  });
}

// Of a class, on the card of a node or anywhere.
export const classColour = (s, i, node) =>
  inkOf(s.cards.classes, i, s.theme.dark, { chosen: s.channel?.chosen, at: node?.top });

const meanColour = (s, mean) => scaled(part(mean, [s.cards.goal.low, s.cards.goal.high]));

// Where classes tie, none of them has the node.
export function colourOf(s, node) {
  if (node.tie) return s.theme.tie;
  return node.shares ? classColour(s, node.top, node) : meanColour(s, node.mean);
}

export function line(s, g, x1, y1, x2, y2, style) {
  return svg(g, "line", { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...style });
}

export function text(s, g, x, y, words, style) {
  svg(
    g,
    "text",
    { x: round(x), y: round(y), "font-size": 12, "font-family": s.theme.font, fill: s.theme.ink, ...style },
    words,
  );
  return wide(s, words, style["font-size"] ?? 12);
}
