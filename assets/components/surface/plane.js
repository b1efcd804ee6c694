// The plane that a surface is drawn on: its size, its axes' scales, rectangles on whole pixels.

import { wide } from "../shared/lettering.js";
import { ticks } from "../shared/numbers.js";

export const STRIP = 30; // pixels, for missing values
export const PHONE_WIDTH = 500;
export const DASHES = { width: 1.5, dash: [4, 3] }; // of the true curve

export function geometry(s, width, height) {
  const { axes, kind, range } = s.data.surface;
  const narrow = width < PHONE_WIDTH;
  const [x, y] = axes;
  const up =
    y ??
    s.form.upright(s) ??
    (kind === "number"
      ? { name: s.data.surface.target, low: range[0], high: range[1] }
      : { name: "share", low: 0, high: 1, percent: true });
  if (!y && kind === "number") {
    const pad = 0.04 * (up.high - up.low) || 1;
    up.low -= pad;
    up.high += pad;
  }
  const sideways = ticks(up, (height - 60) / 44).map(([, word]) => wide(s, word, 11 * s.theme.letters, 400));
  const words = Math.min(Math.max(...sideways, y?.missing ? 38 : 20), narrow ? 60 : 110);
  const left = words + 34 * s.theme.letters + (x.missing ? STRIP : 0);
  const rug = !y && kind === "class" ? 46 : 0;
  const bottom = 44 * s.theme.letters + (y?.missing ? STRIP : 0) + rug;
  const g = { x, y: up, left, top: 8, w: width - left - 14, h: height - bottom - 8, rug, width, height, one: !y };
  g.X = (v) => g.left + (g.w * (v - x.low)) / (x.high - x.low);
  g.Y = (v) => g.top + g.h * (1 - (v - up.low) / (up.high - up.low));
  return g;
}

// To whole device pixels: no seams.
export const snap = (v) => {
  const r = devicePixelRatio || 1;
  return Math.round(v * r) / r;
};

export const rect = (x0, y0, x1, y1) => `M${x0} ${y0}H${x1}V${y1}H${x0}z`;
