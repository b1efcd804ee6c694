// The options of a module, behind and below the best one.

import { svg } from "../shared/elements.js";
import { counted, spoken } from "../shared/language/spoken.js";
import { cut, wide } from "../shared/lettering.js";
import { round } from "../shared/numbers.js";
import { line, text } from "./parts.js";
import { LETTERS } from "./room/plans.js";
import { perMille, withoutUnit } from "./words.js";

export const PEEKS = 2; // cards behind
export const PEEK = 4; // pixels
export const NARROW_CARD = 100; // pixels inside: below, options are only counted

// The other options, peeking out behind the best one.
export function peeks(s, g, node, z) {
  const k = PEEK / z;
  for (let i = Math.min((node.pooled ?? 1) - 1, PEEKS); i > 0; i--)
    svg(g, "rect", {
      class: "peek",
      x: round(-node.w / 2 + 1.5 * i * k),
      y: round(-i * k),
      width: round(node.w - 3 * i * k),
      height: round(6 * k),
      rx: round(1.6 * k),
      fill: s.theme.card,
      stroke: s.theme.line,
      "stroke-width": round(Math.min(1 / z, 1.6)),
    });
}

export function options(s, g, node, { x, y, w, h }) {
  const room = w < NARROW_CARD ? 0 : Math.floor((h - 4) / 15);
  const others = node.options.slice(1);
  const all = node.pooled - 1;
  line(s, g, x, y, x + w, y, { stroke: s.theme.line, "stroke-width": 0.8 });
  if (room < 1)
    return (
      h >= 12 &&
      text(
        s,
        g,
        x,
        y + h / 2 + 4,
        cut(s, spoken(all > 1 ? "+{n} options" : "+{n} option", { n: counted(all) }), w, LETTERS, 400),
        { "font-size": LETTERS, fill: s.theme.muted },
      )
    );
  const shown = all > room ? Math.min(room - 1, others.length) : Math.min(room, others.length);
  const step = (h - 9) / Math.min(all, room);
  others.slice(0, shown).forEach((option, i) => optionRow(s, g, option, { x, y: y + 3 + (i + 0.5) * step, w }));
  if (all > shown)
    text(
      s,
      g,
      x,
      y + 7 + (shown + 0.5) * step,
      spoken(shown ? "+{n} more" : "+{n} options", { n: counted(all - shown) }),
      { "font-size": LETTERS, fill: s.theme.muted },
    );
}

// What it asks, how far from the tolerance it is, and its share.
function optionRow(s, g, option, { x, y, w }) {
  const style = { "font-size": LETTERS, fill: s.theme.muted };
  const share = perMille(option.share);
  const track = w >= 128 ? Math.min(w / 6, 40) : 0;
  const right = wide(s, share, LETTERS, 400) + 6;
  const room = w - right - (track ? track + 8 : 0);
  const name = withoutUnit(s.cards.features[option.f]);
  const test = option.test.replace(/^ (is (mostly )?|ist (meist )?)/, ": ");
  const left = room - wide(s, test, LETTERS, 400);
  const named = left >= Math.min(wide(s, name, LETTERS, 400), 36);
  const words = named ? cut(s, name, left, LETTERS, 400) + test : cut(s, name, room, LETTERS, 400);
  text(s, g, x, y + 4, words, { ...style, fill: s.theme.ink });
  text(s, g, x + w, y + 4, share, { ...style, "text-anchor": "end" });
  if (!track) return;
  const from = x + w - right - track;
  const to = from + (track * option.off) / 1000;
  line(s, g, from, y, from + track, y, { stroke: s.theme.line, "stroke-width": 3, "stroke-linecap": "round" });
  line(s, g, from, y, to, y, {
    stroke: s.theme.muted,
    "stroke-width": 3,
    "stroke-linecap": "round",
    "stroke-opacity": 0.55,
  });
  svg(g, "circle", { cx: round(to), cy: round(y), r: 2.6, fill: s.theme.ink });
}
