// Measures of the picture, and the small parts that it is made of.

import { svg } from "../shared/elements.js";
import { round } from "../shared/numbers.js";

export const CURVE = { left: 64, right: 14, top: 26, foot: 40, strip: 62, gap: 12, height: 320, gate: 74 };

export function words(s, x, y, text, style = {}) {
  return svg(
    s.svg,
    "text",
    {
      x: round(x),
      y: round(y),
      "font-size": 12 * s.theme.letters,
      "font-family": s.theme.font,
      fill: s.theme.muted,
      ...style,
    },
    text,
  );
}

export function mark(s, at, text) {
  const { g, theme } = s;
  const x = Math.min(Math.max(g.X(at), g.left), g.left + g.w);
  const anchor = x < g.left + 70 ? "start" : x > g.left + g.w - 70 ? "end" : "middle";
  svg(s.svg, "path", { d: `M${round(x)} ${g.top - 6}V${g.floor}`, stroke: theme.ink, "stroke-width": 2 });
  words(s, x, g.top - 11, text, { fill: theme.ink, "font-weight": 600, "text-anchor": anchor });
}

// Words that lines may run behind.
export function halo(s, x, y, text, style) {
  const behind = { stroke: s.theme.paper, "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" };
  return words(s, x, y, text, { ...behind, ...style });
}
