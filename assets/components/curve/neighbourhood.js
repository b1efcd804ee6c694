// The neighbourhood of a module's split: the band of its cuts, their mean, and the gate they make.

import { svg } from "../shared/elements.js";
import { spoken } from "../shared/language/spoken.js";
import { round, short } from "../shared/numbers.js";
import { CURVE, halo, mark, words } from "./parts.js";

export function band(s) {
  const {
    g,
    curve: { near },
    theme,
  } = s;
  const top = g.top - 6;
  const [from, to] = [near.x[0], near.x[near.x.length - 1]].map((x) =>
    Math.min(Math.max(g.X(x), g.left), g.left + g.w),
  );
  const path = `M${round(from)} ${top}H${round(to)}V${g.floor}H${round(from)}z`;
  svg(s.svg, "path", {
    d: path,
    fill: theme.accent,
    "fill-opacity": near.share ? 0.13 : 0.06,
    stroke: theme.accent,
    "stroke-opacity": near.share ? 0.5 : 0.25,
  });
}

// h_j over the band, and how high it may be for the feature to join.
export function meanLine(s, span) {
  const {
    g,
    curve: { near, before },
    theme,
  } = s;
  const y = round(g.Y(near.mean));
  const end = g.left + g.w;
  const [from, to] = [near.x[0], near.x[near.x.length - 1]].map((x) => Math.min(Math.max(g.X(x), g.left), end));
  if (near.limit > span.low && near.limit < before) {
    const at = round(g.Y(near.limit));
    svg(s.svg, "path", {
      d: `M${g.left} ${at}h${round(g.w)}`,
      stroke: theme.ink,
      "stroke-dasharray": "7 4",
      "stroke-opacity": 0.6,
    });
    halo(s, g.left + 4, at - 5, spoken("joins up to here"), { "text-anchor": "start" });
  }
  svg(s.svg, "path", {
    d: `M${round(Math.max(Math.min(from, to - 14), g.left))} ${y}H${round(Math.min(Math.max(to, from + 14), end))}`,
    stroke: theme.ink,
    "stroke-width": 3,
    "stroke-linecap": "round",
  });
  const right = to + 70 < end;
  halo(s, right ? to + 8 : from - 8, y + 4, `h = ${short(near.mean, 3)}`, {
    fill: theme.ink,
    "font-weight": 600,
    "text-anchor": right ? "start" : "end",
  });
  mark(s, near.t0, near.share ? "t₀" : spoken("t₀, not in the module"));
}

// What part of a sample goes left, by its value, and the weight of the cuts that make it so.
export function gate(s) {
  const {
    g,
    curve: { near },
    theme,
  } = s;
  const foot = g.top + g.h + CURVE.gap + CURVE.gate;
  const high = CURVE.gate - 14;
  const end = g.left + g.w;
  const Y = (part) => round(foot - part * high);
  const clip = (x) => round(Math.min(Math.max(g.X(x), g.left), end));
  for (const [part, text] of [
    [0, "0"],
    [1, "1"],
  ]) {
    svg(s.svg, "path", {
      d: `M${g.left} ${Y(part)}h${round(g.w)}`,
      stroke: theme.line,
      "stroke-opacity": part ? 0.45 : 1,
    });
    words(s, g.left - 8, Y(part) + 4, text, { "text-anchor": "end" });
  }
  words(s, 0, 0, spoken("to the left"), {
    fill: theme.ink,
    "text-anchor": "middle",
    transform: `translate(12 ${round(foot - high / 2)}) rotate(-90)`,
  });
  const most = Math.max(...near.phi);
  const rug = near.x
    .map((x, i) =>
      near.phi[i] ? `M${clip(x)} ${foot}v${round(-Math.max((0.55 * high * near.phi[i]) / most, 2))}` : "",
    )
    .join("");
  svg(s.svg, "path", {
    d: rug,
    stroke: theme.muted,
    "stroke-width": near.x.length > 60 ? 1 : near.x.length > 12 ? 1.6 : 4,
    "stroke-opacity": 0.8,
  });
  let d = `M${g.left} ${Y(near.ends[0])}`;
  near.x.forEach((x, i) => (d += `${i ? `V${Y(near.psi[i])}` : ""}H${clip(x)}`));
  svg(s.svg, "path", {
    d: `${d}V${Y(near.ends[1])}H${round(end)}`,
    fill: "none",
    stroke: theme.accent,
    "stroke-width": 2,
    "stroke-linejoin": "round",
  });
  const few = { n: near.cuts, k: short(near.k, 3) };
  const said = spoken(
    near.cuts > 1 ? "ψ, and φ of {n} cuts, up to {k} of weight on either side" : "ψ, and φ of one cut",
    few,
  );
  const late = clip(near.x[0]) - g.left > end - clip(near.x[near.x.length - 1]); // the wider side of the band
  halo(s, late ? g.left + 4 : end, Y(1) - 6, said, { "text-anchor": late ? "start" : "end" });
}
