// The surface of a tree that is constant on boxes.

import { blend, scaled } from "../shared/colours.js";
import { part, round, roundedTo } from "../shared/numbers.js";
import { classInk, doubtInk, hex } from "./inks.js";
import { rect, snap } from "./plane.js";
import { spoken } from "../shared/language/spoken.js";

const FEW = 10; // rows: shares of fewer come with their number

export const BOXES = {
  read: (s) => {
    s.boxes = boxesOf(s.data.surface);
  },
  shown: (s) => (s.data.show === "spread" ? "uncertainty" : s.data.show),
  upright: () => null,
  light: (s, of) => {
    // leaves below the selected node; none for the root, which would be all of them
    s.lit = new Set(s.data.surface.leaves.filter((leaf) => of.id > 0 && leaf >= of.id && leaf < (of.end ?? of.id + 1)));
    return of.id > 0 && !s.lit.size ? spoken("The selected node lies outside this slice.") : "";
  },
  paint: (s, pen) => {
    if (!s.g.one) boxesLayer(s, pen);
    else if (s.data.surface.kind === "class") shareCurves(s, pen);
  },
  curve: (s, pen) => stepCurve(s, pen),
  fade: (s, pen) => {
    if (s.lit.size) dimmed(s, pen);
  },
  says: (s, spot) => {
    const box = boxAt(s, spot);
    return [answerWords(s.data.surface, box.answer), [`${spoken("leaf")} ${box.leaf}`]];
  },
  leaf: (s, spot) => boxAt(s, spot).leaf,
  ramp: (s) => (s.form.shown(s) === "uncertainty" && !s.g.one ? [doubtInk(s), spoken("sure"), spoken("unsure")] : null),
};

function boxesOf(surface) {
  const flat = surface.boxes;
  const size = 2 * surface.axes.length + 1;
  const boxes = [];
  for (let i = 0; i < flat.length; i += size) {
    const [x0, x1, y0, y1] = flat.slice(i, i + size - 1);
    boxes.push({ x0, x1, y0, y1, answer: flat[i + size - 1], leaf: surface.leaves[flat[i + size - 1]] });
  }
  return boxes;
}

function boxAt(s, { x, y }) {
  return s.boxes.find((b) => x >= b.x0 && x <= b.x1 && (s.g.one || (y > b.y0 && y <= b.y1))) ?? s.boxes[0];
}

function answerWords(surface, answer) {
  const says = surface.answers[answer];
  if (surface.kind === "number") return [`${surface.target}: ${roundedTo(surface.answers, 4)(says)}`];
  const order = says
    .map((share, i) => [share, i])
    .filter(([share]) => share)
    .sort((a, b) => b[0] - a[0]);
  const shares = order.slice(0, 4).map(([share, i]) => `${surface.classes[i].name} ${share / 10} %`);
  const n = surface.rows?.[answer] ?? FEW;
  const few = n < FEW ? [spoken(n === 1 ? "{n} row" : "{n} rows", { n })] : [];
  return [...[surface.ties?.[answer] ?? []].flat(), ...shares, ...few];
}

// 0 sure, 1 as unsure as can be.
function doubtOf(surface, answer) {
  if (surface.kind === "number") return surface.doubt[answer] / (Math.max(...surface.doubt) || 1);
  const k = surface.classes.length;
  return (1 - Math.max(...surface.answers[answer]) / 1000) / (1 - 1 / k || 1);
}

function fillOf(s, answer) {
  const { surface } = s.data;
  const show = BOXES.shown(s);
  const says = surface.answers[answer];
  const paper = hex(s.theme.paper);
  if (show === "uncertainty") {
    const d = doubtOf(surface, answer);
    return blend([paper, doubtInk(s)], [1 - d * 0.85, d * 0.85]);
  }
  if (surface.kind === "number") return blend([paper, scaled(part(says, surface.range))], [0.12, 0.88]);
  const strength = (show === "class" ? 0.44 : 0.52) * (s.theme.dark ? 0.4 : 1);
  const top = says.indexOf(Math.max(...says));
  if (show === "class" && surface.ties?.[answer]) return blend([paper, hex(s.theme.tie)], [1 - strength, strength]);
  const weights =
    show === "class" ? says.map((_, i) => (i === top ? strength : 0)) : says.map((share) => (share / 1000) * strength);
  return blend([paper, ...surface.classes.map((_, i) => hex(classInk(s, i)))], [1 - strength, ...weights]);
}

function rectOf(s, box) {
  const { g } = s;
  const [y0, y1] = g.one ? [g.top, g.top + g.h] : [g.Y(box.y1), g.Y(box.y0)];
  return rect(snap(g.X(box.x0)), snap(y0), snap(g.X(box.x1)), snap(y1));
}

function boxesLayer(s, pen) {
  const { theme, boxes } = s;
  const lit = boxes.filter((box) => s.lit.has(box.leaf));
  const byAnswer = new Map();
  for (const box of boxes) byAnswer.set(box.answer, (byAnswer.get(box.answer) ?? "") + rectOf(s, box));
  for (const [answer, d] of byAnswer) pen.path(d, { fill: fillOf(s, answer) });
  if (boxes.length < 500)
    pen.path(boxes.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 0.7, alpha: 0.2 });
  if (!s.lit.size) return;
  pen.path(
    boxes
      .filter((box) => !s.lit.has(box.leaf))
      .map((box) => rectOf(s, box))
      .join(""),
    { fill: theme.paper, alpha: 0.62 },
  );
  pen.path(lit.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 5 });
  for (const box of lit) pen.path(rectOf(s, box), { fill: fillOf(s, box.answer) }); // only the outline of all stays
  pen.path(lit.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 0.7, alpha: 0.2 });
}

function shareCurves(s, pen) {
  const { surface } = s.data;
  const paths = surface.classes.map(() => "");
  for (const box of s.boxes) {
    let from = 0;
    surface.answers[box.answer].forEach((share, i) => {
      if (share)
        paths[i] += rect(
          round(s.g.X(box.x0)),
          round(s.g.Y(from)),
          round(s.g.X(box.x1)),
          round(s.g.Y((from += share / 1000))),
        );
    });
  }
  paths.forEach((d, i) => d && pen.path(d, { fill: blend([hex(s.theme.paper), hex(classInk(s, i))], [0.35, 0.65]) }));
  pen.path(s.boxes.map((box) => rectOf(s, box)).join(""), { stroke: s.theme.ink, width: 0.7, alpha: 0.2 });
}

function stepCurve(s, pen) {
  const boxes = [...s.boxes].sort((a, b) => a.x0 - b.x0);
  const heights = boxes.map((box) => round(s.g.Y(s.data.surface.answers[box.answer])));
  const start = (box, i) => (i ? "V" : `M${round(s.g.X(box.x0))} `);
  const d = boxes.map((box, i) => `${start(box, i)}${heights[i]}H${round(s.g.X(box.x1))}`).join("");
  pen.path(d, { stroke: s.theme.paper, width: 6, alpha: 0.8 });
  pen.path(d, { stroke: s.theme.ink, width: 2.4 });
}

function dimmed(s, pen) {
  pen.path(
    s.boxes
      .filter((box) => !s.lit.has(box.leaf))
      .map((box) => rectOf(s, box))
      .join(""),
    { fill: s.theme.paper, alpha: 0.6 },
  );
}
