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
  const steps = [0.5, 1, 2, 5, 10].map((m) => m * power);
  const usual = steps.findIndex((step) => step >= rough);
  const count = (step) => Math.floor(axis.high / step + 1e-9) - Math.ceil(axis.low / step - 1e-9) + 1;
  const step = steps[usual < 0 ? 4 : usual - (count(steps[usual]) < 2)]; // a single mark says nothing of the scale
  const marks = [];
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = Math.ceil(axis.low / step - 1e-9); i * step <= axis.high + 1e-9 * span && marks.length < 50; i++)
    marks.push([i * step, axis.percent ? `${Math.round(100 * i * step)} %` : plain(i * step, places)]);
  return marks;
}

// Numbers of so many decimal places, at most as many digits as a float has.
export function plain(x, places) {
  if (isPowered(x)) return marked(powered(x, Math.max(places + powerOf(x) + 1, 3)));
  return marked(grouped(x, Math.max(Math.min(places, SURE_DIGITS - 1 - powerOf(x || 1)), 0)));
}

// A number in a readout.
export function short(x, digits = 4) {
  if (x === null) return spoken("missing");
  return number(x, digits);
}

// As views/theme.py writes numbers: so many significant digits, and every digit in front of the decimal point.
export function number(x, digits = 3) {
  if (!x) return "0";
  if (isPowered(x)) return marked(powered(x, digits));
  return marked(withoutZeros(grouped(x, Number.isInteger(x) ? 0 : Math.max(digits - 1 - powerOf(x), 0))));
}

// How numbers are written that are compared with each other, as `rounded_to` in views/theme.py: no text is off by more
// than a part `off` of their spread, and no two that differ by more than noise have the same text.
export function roundedTo(values, digits = 3, off = 0.01) {
  const known = [];
  for (const x of values
    .filter(Number.isFinite)
    .map(sure)
    .sort((a, b) => a - b))
    if (!known.length || x - known.at(-1) > NOISE * Math.abs(x)) known.push(x);
  const most = known.length ? 2 * off * (known.at(-1) - known[0]) : 0;
  return (x) => {
    if (!x) return x === null ? spoken("missing") : "0";
    x = sure(x);
    const noise = NOISE * Math.abs(x);
    const same = known.find((value) => Math.abs(value - x) <= noise) ?? x;
    const beside = [known.findLast((value) => value < x - noise), known.find((value) => value > x + noise)];
    const power = powerOf(same);
    let enough = most > 0 ? Math.min(Math.max(digits, power + 1 - powerOf(most)), SURE_DIGITS) : digits;
    const alike = (other) => other !== undefined && readsAlike(same, other, enough - 1 - power);
    while (enough < SURE_DIGITS && beside.some(alike)) enough++;
    return number(same, enough);
  };
}

const NOISE = 1e-14; // relative: numbers no farther apart are one number
const SURE_DIGITS = 15; // of a float
const SUPERSCRIPT = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((mark, i) => [i, mark])) };

const isPowered = (x) => Math.abs(x) >= 1e15 || (x !== 0 && Math.abs(x) < 1e-4);
const sure = (x) => Number(x.toPrecision(SURE_DIGITS)); // a mean of 0.09795 may be 0.0979500000000001
const powerOf = (x) => Math.floor(Math.log10(Math.abs(x)));
const withoutZeros = (text) => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

function readsAlike(x, y, places) {
  const fine = Math.min(isPowered(x) ? places : Math.max(places, 0), 100);
  if (Math.abs(x - y) > 10 ** -fine) return false;
  return fine < 0 ? Math.round(x * 10 ** fine) === Math.round(y * 10 ** fine) : fixed(x, fine) === fixed(y, fine);
}

// A tie goes to the even digit, as in Python; toFixed would round it away from zero.
function fixed(x, places) {
  const text = x.toFixed(places);
  const more = x.toFixed(Math.min(places + 30, 100)).slice(places ? -30 : -31);
  if (!/^\.?50*$/.test(more) || !/[13579]$/.test(text)) return text;
  const below = (Math.abs(x) - 0.5 * 10 ** -places).toFixed(places);
  return x < 0 ? `-${below}` : below;
}

function grouped(x, places) {
  const [whole, part] = fixed(x, places).split(".");
  const digits = Math.abs(x) >= GROUPED ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return (part ? `${digits}.${part}` : digits).replace("-", "−");
}

const GROUPED = 9999.5; // from here on in groups of three digits

function powered(x, digits) {
  const [factor, power] = x.toExponential(Math.min(digits, SURE_DIGITS) - 1).split("e");
  const above = [...String(Number(power))].map((mark) => SUPERSCRIPT[mark]).join("");
  return `${withoutZeros(factor)}·10${above}`.replace("-", "−");
}
