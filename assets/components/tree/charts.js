// The chart on a card: the node's samples along the feature, and where the split parts them.

import { svg } from "../shared/elements.js";
import { cut, wide } from "../shared/lettering.js";
import { round } from "../shared/numbers.js";
import { gateOver, gateShade } from "./gate.js";
import { soft } from "./nodes.js";
import { at, classColour, colourOf, line, text, threshold } from "./parts.js";
import { LETTERS } from "./room/plans.js";

export function chart(s, g, node, box) {
  const scale = s.cards.scales[node.f];
  if (soft(node)) gateShade(s, g, node, scale, box);
  else sides(s, g, node, scale, box);
  if (node.dots) dots(s, g, node, scale, box);
  else
    bars(
      s,
      g,
      node.hist,
      s.cards.classes.map((_, i) => classColour(s, i, node)),
      box,
      scale.names ? 0.18 : 0.04,
      node.edge === undefined ? null : beside(scale, node, box),
    );
  line(s, g, box.x, box.y + box.h, box.x + box.w, box.y + box.h, { stroke: s.theme.line });
  if (soft(node)) gateOver(s, g, node, scale, box);
  else if (node.t !== undefined && node.t !== null) threshold(s, g, at(scale, node.t, box), box);
  if (box.ends) ends(s, g, node, scale, box);
}

function sides(s, g, node, scale, box) {
  const shade = (x, w, yes) =>
    svg(g, "rect", {
      x: round(x),
      y: box.y,
      width: round(Math.max(w, 0)),
      height: box.h,
      fill: yes ? s.theme.accent : s.theme.ink,
      "fill-opacity": yes ? 0.13 : 0.035,
    });
  if (scale.names) {
    const step = box.w / scale.names.length;
    const goes = new Set(node.goes);
    scale.names.forEach((_, i) => shade(box.x + i * step, step, goes.has(i)));
  } else {
    const x = node.t === null ? box.x + box.w : Math.min(Math.max(at(scale, node.t, box), box.x), box.x + box.w);
    shade(box.x, x - box.x, true);
    shade(x, box.x + box.w - x, false);
  }
}

// From where to where each bar is: one of them ends at the cut, and the outermost reach no farther than the chart.
function beside({ low, high, bins }, { t, edge }, box) {
  const width = (high - low) / bins;
  const x = (b) => Math.min(Math.max(at({ low, high }, t + (b - edge) * width, box), box.x), box.x + box.w);
  return (b) => [x(b), x(b + 1)];
}

function bars(s, g, counts, colours, box, air, ends) {
  const k = colours.length;
  const bins = counts.length / k;
  const step = box.w / bins;
  const totals = [];
  for (let b = 0; b < bins; b++) totals.push(counts.slice(b * k, b * k + k).reduce((a, c) => a + c, 0));
  const unit = box.h / Math.max(...totals, 1);
  const high = new Array(bins).fill(0);
  colours.forEach((fill, c) => {
    let d = "";
    for (let b = 0; b < bins; b++) {
      const n = counts[b * k + c];
      if (!n) continue;
      const y = box.y + box.h - (high[b] += n) * unit;
      const [from, to] = ends?.(b) ?? [box.x + step * b, box.x + step * (b + 1)];
      const w = Math.max(to - from - 2 * air * step, Math.min(to - from, 0.5));
      d += `M${round(from + (to - from - w) / 2)} ${round(y)}h${round(w)}v${round(n * unit)}h${round(-w)}z`;
    }
    if (d) svg(g, "path", { d, fill });
  });
}

function dots(s, g, node, scale, box) {
  let d = "";
  for (let i = 0; i < node.dots.length; i += 2) {
    const shift = scale.names ? ((i * 7919) % 97) / 97 - 0.5 : 0; // spread samples of one category
    const x = node.dots[i] + (shift * 60) / (scale.names?.length ?? 1);
    d += `M${round(box.x + (box.w * x) / 100)} ${round(box.y + box.h * (1 - node.dots[i + 1] / 100))}h0`;
  }
  svg(g, "path", {
    d,
    stroke: s.theme.accent,
    "stroke-width": 3,
    "stroke-linecap": "round",
    "stroke-opacity": 0.55,
    fill: "none",
  });
  if (node.kids.length && !soft(node)) steps(s, g, node, scale, box);
}

// The mean on either side of the split.
function steps(s, g, node, scale, box) {
  const y = node.kids.map(
    (kid) => box.y + box.h - (box.h * (kid.mean - s.cards.goal.low)) / (s.cards.goal.high - s.cards.goal.low || 1),
  );
  const bold = { stroke: s.theme.ink, "stroke-width": 2 };
  if (scale.names) {
    const step = box.w / scale.names.length;
    scale.names.forEach((_, i) => {
      const h = y[node.goes.includes(i) ? 0 : 1];
      line(s, g, box.x + i * step + 1, h, box.x + i * step + step - 1, h, bold);
    });
  } else {
    const x = node.t === null ? box.x + box.w : at(scale, node.t, box);
    line(s, g, box.x, y[0], x, y[0], bold);
    line(s, g, x, y[1], box.x + box.w, y[1], bold);
  }
}

// A leaf of a regression: the target's distribution and its mean.
export function goal(s, g, node, box) {
  bars(s, g, node.hist, [colourOf(s, node)], box, 0.06);
  line(s, g, box.x, box.y + box.h, box.x + box.w, box.y + box.h, { stroke: s.theme.line });
  const x = at(s.cards.goal, node.mean, box);
  line(s, g, x, box.y - 2, x, box.y + box.h, { stroke: s.theme.ink, "stroke-width": 1.6 });
}

function ends(s, g, node, scale, box) {
  const style = { "font-size": LETTERS, fill: s.theme.muted };
  const y = box.y + box.h + 11;
  const step = box.w / (scale.names?.length ?? 1);
  if (scale.names && step >= 24) {
    const middle = { ...style, "text-anchor": "middle" };
    scale.names.forEach((name, i) =>
      text(s, g, box.x + (i + 0.5) * step, y, cut(s, name, step - 3, LETTERS, 400), middle),
    );
    return;
  }
  const [low, high] = scale.names ? [scale.names[0], scale.names[scale.names.length - 1]] : scale.ends;
  const wedge = node.t === undefined || node.t === null ? -1 : at(scale, node.t, box) - box.x; // leave it room
  const put = (words, x, anchor, free) => free && text(s, g, x, y, words, { ...style, "text-anchor": anchor });
  const fitting = (words) => {
    const short = cut(s, words, box.w / 2 - 4, LETTERS, 400);
    return scale.names || short === words ? short : "";
  };
  const [first, last] = [fitting(low), fitting(high)]; // half a number says something wrong
  put(first, box.x, "start", wedge < 0 || wedge > wide(s, first, LETTERS) + 5);
  put(last, box.x + box.w, "end", high !== low && box.w - wedge > wide(s, last, LETTERS) + 5);
}
