// Numbers: rounding, the marks of an axis, and how numbers are written.

import { marked, spoken } from "./language/spoken.js";
import { momentTicks } from "./moments.js";

export const round = (x) => Math.round(x * 100) / 100;

export const part = (x, [low, high]) => (high > low ? (x - low) / (high - low) : 0.5);

export function ticks(axis, many) {
  if (axis.names) return axis.names.map((name, i) => [i, name]);
  if (axis.moment) return momentTicks(axis, many);
  const span = axis.high - axis.low;
  const rough = span / many;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough) ?? 10 * power;
  const marks = [];
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = Math.ceil(axis.low / step - 1e-9); i * step <= axis.high + 1e-9 * span && marks.length < 50; i++)
    marks.push([i * step, axis.percent ? `${Math.round(100 * i * step)} %` : plain(i * step, places)]);
  return marks;
}

export function plain(x, places) {
  const size = Math.abs(x);
  const digits = Math.min(places, 10);
  const words =
    size >= 1e15 || (x && size < 1e-4)
      ? x.toPrecision(3)
      : size >= 9999.5
        ? x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
        : x.toFixed(digits);
  return marked(words.replace("-", "−"));
}

// A number in a readout.
export function short(x, digits = 4) {
  if (x === null) return spoken("missing");
  return plain(x, Math.max(0, Math.min(digits - 1 - Math.floor(Math.log10(Math.abs(x) || 1)), 8)))
    .replace(/([.,]\d*?)0+$/, "$1")
    .replace(/[.,]$/, "");
}
