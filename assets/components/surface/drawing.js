// The whole surface, layer by layer.

import { heightOf } from "../shared/height.js";
import { round } from "../shared/numbers.js";
import { themeOf } from "../shared/theme.js";
import { axesLayer } from "./axes.js";
import { drawCross } from "./cross.js";
import { legendOf } from "./legend.js";
import { canvasPen, sized } from "./pens.js";
import { DASHES, geometry } from "./plane.js";
import { pointsLayer, sampleLayer } from "./samples.js";

export function drawAll(s) {
  const width = s.root.clientWidth;
  if (!width) return;
  const height = Math.min(heightOf(s.data.height, s.data.grows, s.root), Math.round(width * 0.95));
  s.theme = themeOf(s.root);
  s.g = geometry(s, width, height);
  s.stage.style.height = height + "px";
  for (const canvas of [s.canvas, s.top]) sized(canvas, width, height);
  legendOf(s);
  redraw(s);
}

export function redraw(s) {
  const c = s.canvas.getContext("2d");
  c.clearRect(0, 0, s.g.width, s.g.height);
  paintSurface(s, canvasPen(c, s.theme));
  drawCross(s);
}

// The curve that a simulated sample was drawn from.
export function truthLayer({ g, data: { surface }, theme }, pen) {
  if (!surface.truth) return;
  const step = g.w / (surface.truth.length - 1);
  const d = surface.truth.map((y, i) => `${round(g.left + i * step)} ${round(g.Y(y))}`).join("L");
  pen.path("M" + d, { stroke: theme.muted, ...DASHES });
}

export function paintSurface(s, pen) {
  s.form.paint(s, pen);
  axesLayer(s, pen);
  if (s.g.one && s.data.surface.kind === "number") s.form.curve(s, pen);
  truthLayer(s, pen);
  pointsLayer(s, pen); // above the curve: where it goes through every point, they are what is looked for
  if (s.g.one) s.form.fade(s, pen);
  sampleLayer(s, pen);
}
