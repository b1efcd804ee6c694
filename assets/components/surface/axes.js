// The axes of the plane, with strips for missing values.

import { spoken } from "../shared/language/spoken.js";
import { cut, wide } from "../shared/lettering.js";
import { round, ticks } from "../shared/numbers.js";
import { STRIP, rect } from "./plane.js";

export function axesLayer(s, pen) {
  const { g, theme } = s;
  const foot = g.top + g.h;
  const soft = { fill: theme.muted };
  const below = foot + g.rug + (s.data.surface.axes[1]?.missing ? STRIP : 0);
  pen.path(rect(g.left, g.top, g.left + g.w, foot), { stroke: theme.line });
  const [small, large] = [11 * theme.letters, 12 * theme.letters];
  const title = { size: 12, weight: 600, anchor: "middle" };
  const xs = ticks(g.x, g.w / (70 * theme.letters));
  const ys = ticks(g.y, (g.height - 60) / 44);
  const every = g.x.names
    ? spacing(xs, g.w, Math.min(Math.max(...xs.map(([, word]) => wide(s, word, small, 400))) + 8, 64))
    : 1;
  const room = (g.w / Math.max(xs.length, 1)) * every - 6;
  xs.forEach(([v, word], i) => {
    if (i % every) return;
    const x = round(g.X(v));
    pen.path(`M${x} ${below}v4`, { stroke: theme.line });
    pen.text(x, below + 4 + large, g.x.names ? cut(s, word, room, small, 400) : word, { ...soft, anchor: "middle" });
  });
  const apart = g.y.names ? spacing(ys, g.h, 14) : 1;
  for (const [v, word] of ys.filter((_, i) => i % apart === 0)) {
    const y = round(g.Y(v));
    const x = g.left - (g.x.missing ? STRIP : 0);
    pen.path(`M${x} ${y}h-4`, { stroke: theme.line });
    pen.text(x - 7, y + 4, cut(s, word, x - 28, small, 400), { ...soft, anchor: "end" });
  }
  pen.text(g.left + g.w / 2, g.height - 6, cut(s, g.x.name, g.w, large), title);
  pen.text(13, g.top + g.h / 2, cut(s, g.y.name, g.h, large), { ...title, turned: true });
  const beside = { fill: theme.muted, anchor: "end" };
  if (g.x.missing) {
    strip(s, pen, g.left - STRIP, g.top, STRIP - 4, g.h);
    pen.text(g.left - 4, below + 15, spoken("missing"), beside);
  }
  if (s.data.surface.axes[1]?.missing) {
    strip(s, pen, g.left, foot + 4, g.w, STRIP - 4);
    pen.text(g.left - 6 - (g.x.missing ? STRIP : 0), foot + STRIP / 2 + 5, spoken("missing"), beside);
  }
}

// Of labels: every how many.
const spacing = (marks, length, need) => Math.max(1, Math.ceil((need * marks.length) / Math.max(length, 1)));

function strip(s, pen, x, y, w, h) {
  pen.path(rect(x, y, x + w, y + h), { fill: s.theme.ink, alpha: 0.05 });
}
