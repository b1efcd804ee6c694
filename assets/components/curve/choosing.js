// A cut of one's own: where the pointer or the arrows put it.

import { showCut } from "../shared/channel.js";
import { html, svg } from "../shared/elements.js";
import { round } from "../shared/numbers.js";
import { cutAfter, ownCut, said } from "./reading.js";

export function choose(s, i) {
  s.at = i;
  const { g, curve, theme } = s;
  s.button.disabled = i === null;
  if (s.channel) showCut(s.channel, i === null || curve.stepped ? null : { column: curve.name, at: curve.x[i] });
  if (!g) return;
  s.shade.replaceChildren();
  s.own.replaceChildren();
  s.readout.replaceChildren();
  const shown = i ?? ownCut(curve);
  for (const [tag, text] of said(curve, shown, i === null)) html(s.readout, tag, {}, text);
  s.readout.title = s.readout.textContent;
  if (i === null) return;
  const x = round(g.X(curve.x[i]));
  const y = round(g.Y(curve.y[i]));
  const top = g.top - 6;
  const side = (from, to, fill, alpha) =>
    svg(s.shade, "path", {
      d: `M${round(from)} ${top}H${round(to)}V${g.floor}H${round(from)}z`,
      fill,
      "fill-opacity": alpha,
    });
  side(g.left, x, theme.accent, 0.14);
  side(x, g.left + g.w, theme.ink, 0.045);
  svg(s.own, "path", {
    d: `M${x} ${top}V${g.floor}`,
    stroke: theme.accent,
    "stroke-width": 1.6,
    "stroke-dasharray": "5 3",
  });
  svg(s.own, "path", {
    d: `M${x} ${round(g.Y(curve.before))}V${y}`,
    stroke: theme.accent,
    "stroke-width": 5,
    "stroke-opacity": 0.45,
  });
  svg(s.own, "circle", { cx: x, cy: y, r: 5, fill: theme.paper, stroke: theme.accent, "stroke-width": 2.5 });
}

export function curveKey(s, e) {
  if (e.key.toLowerCase() === "t" && !(e.ctrlKey || e.metaKey || e.altKey)) {
    s.take();
    return;
  }
  const to = cutAfter(s.curve, s.at, e);
  if (e.ctrlKey || e.metaKey || e.altKey || to === undefined) return;
  e.preventDefault();
  e.stopPropagation();
  choose(s, (s.pinned = to));
}
