// The gate of a module over its histogram.

import { svg } from "../shared/elements.js";
import { part, round } from "../shared/numbers.js";
import { at, line } from "./parts.js";

// [from x, to x, part that goes left], from left to right.
function gateSteps(node, scale, box) {
  if (node.gates)
    return node.gates.map((p, i) => [
      box.x + (i * box.w) / node.gates.length,
      box.x + ((i + 1) * box.w) / node.gates.length,
      p / 1000,
    ]);
  const steps = [];
  const end = box.x + box.w;
  const inside = (x) => Math.min(Math.max(box.x + (box.w * x) / 1000, box.x), end);
  let from = box.x;
  let p = node.gate[0] / 1000;
  for (let i = 1; i < node.gate.length; i += 2) {
    const to = inside(node.gate[i]);
    steps.push([from, to, p]);
    [from, p] = [to, node.gate[i + 1] / 1000];
  }
  return [...steps, [from, end, p]];
}

// What lies under the curve goes left.
export function gateShade(s, g, node, scale, box) {
  const base = box.y + box.h;
  let d = `M${round(box.x)} ${round(base)}`;
  for (const [from, to, p] of gateSteps(node, scale, box))
    d += `L${round(from)} ${round(base - p * box.h)}H${round(to)}`;
  svg(g, "rect", {
    x: round(box.x),
    y: round(box.y),
    width: round(box.w),
    height: round(box.h),
    fill: s.theme.ink,
    "fill-opacity": 0.035,
  });
  svg(g, "path", { d: d + `V${round(base)}z`, fill: s.theme.accent, "fill-opacity": 0.15 });
}

// The curve, the best cut, and the band of all cuts on the axis.
export function gateOver(s, g, node, scale, box) {
  const height = node.dots && node.kids.length ? between(s, node, box) : (p) => box.y + box.h * (1 - p);
  const base = box.y + box.h;
  const steps = gateSteps(node, scale, box);
  if (node.cuts) {
    const [from, to] = [steps[0][1], steps[steps.length - 1][0]];
    svg(g, "rect", {
      x: round(from),
      y: round(box.y),
      width: round(Math.max(to - from, 1)),
      height: round(box.h),
      fill: s.theme.accent,
      "fill-opacity": 0.09,
    });
    svg(g, "rect", {
      x: round(from),
      y: round(base),
      width: round(Math.max(to - from, 1)),
      height: 3.4,
      rx: 1.2,
      fill: s.theme.accent,
    });
  }
  if (node.cuts || node.gates || node.dots) curve(s, g, steps, height, Boolean(node.gates));
  if (node.t !== undefined) {
    const x = Math.min(Math.max(at(scale, node.t, box), box.x), box.x + box.w);
    if (node.cuts)
      line(s, g, x, box.y - 2, x, base, { stroke: s.theme.ink, "stroke-width": 1, "stroke-dasharray": "2 2" });
    else line(s, g, x, box.y - 2, x, base, { stroke: s.theme.ink, "stroke-width": 1.4 });
    svg(g, "path", { d: `M${round(x)} ${round(base)}l4 6h-8z`, fill: s.theme.ink });
  }
}

// A regression's curve: from the mean of one child to that of the other.
function between(s, node, box) {
  const [left, right] = node.kids.map(
    (kid) => box.y + box.h * (1 - Math.min(Math.max(part(kid.mean, [s.cards.goal.low, s.cards.goal.high]), 0), 1)),
  );
  return (p) => right + p * (left - right);
}

function curve(s, g, steps, height, apart) {
  const d = steps
    .map(
      ([from, to, p], i) =>
        `${i && !apart ? "L" : "M"}${round(from + (apart ? 2 : 0))} ${round(height(p))}H${round(to - (apart ? 2 : 0))}`,
    )
    .join("");
  const style = { d, fill: "none", "stroke-linejoin": "round" };
  svg(g, "path", { ...style, stroke: s.theme.card, "stroke-width": 4, "stroke-opacity": 0.75 });
  svg(g, "path", { ...style, stroke: s.theme.ink, "stroke-width": 1.8 });
}
