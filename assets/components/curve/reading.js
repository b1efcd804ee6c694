// What a cut says, in words and places; nothing here draws.

import { written } from "../shared/moments.js";
import { roundedTo, short } from "../shared/numbers.js";
import { counted, spoken } from "../shared/language/spoken.js";

// What becomes of a row whose value is the cut itself.
function goesLeft(part) {
  const percent = (p) => `${short(100 * p, 3)} %`;
  return part >= 1 || part <= 0
    ? spoken(part ? "a row with this value goes left" : "a row with this value goes right")
    : spoken("a row with this value: {left} of it goes left, {right} right", {
        left: percent(part),
        right: percent(1 - part),
      });
}

function psiAt({ ends, x, psi }, value) {
  const i = x.findIndex((cut) => value <= cut);
  return i < 0 ? ends[1] : i ? psi[i] : ends[0];
}

export function nearestCut(s, px) {
  const { x } = s.curve;
  if (!x.length || !s.g) return null;
  let best = 0;
  x.forEach((v, i) => {
    if (Math.abs(s.g.X(v) - px) < Math.abs(s.g.X(x[best]) - px)) best = i;
  });
  return best;
}

// What is read out where nothing is chosen: the tree's split, else the best one.
export function ownCut(curve) {
  if (curve.near) return nearestTo(curve, curve.near.t0);
  const i =
    curve.own === null ? -1 : curve.x.findIndex((x) => Math.abs(x - curve.own) <= 1e-6 * (curve.high - curve.low));
  return i < 0 ? curve.best : i;
}

function nearestTo({ x }, at) {
  return x.reduce((best, v, i) => (Math.abs(v - at) < Math.abs(x[best] - at) ? i : best), 0);
}

export function said(curve, i, still) {
  if (i < 0) return [["span", spoken("Nothing on this axis parts the rows.")]];
  const left = curve.left[i];
  const gain = Math.max(curve.before - curve.y[i], 0);
  const range = [curve.before, Math.min(...curve.y), Math.max(...curve.y)];
  const what = curve.weighted ? `${spoken("weight")} ` : "";
  const amount = curve.near && !curve.weighted ? counted : (x) => short(x, 4);
  const halves = { left: amount(left), right: amount(Math.max(curve.total - left, 0)) };
  const sides = spoken("{left} left, {right} right", halves);
  const parted = curve.near
    ? spoken(curve.weighted ? "parts the weight {left} : {right}" : "parts the rows {left} : {right}", halves)
    : what + sides; // a module may turn its sides
  const parts = [
    ["b", cutWords(curve, i)],
    ["span", `${spoken(curve.near ? "gain of this cut" : "gain")} ${short(gain, 3)}`],
    ["span", `${curve.criterion} ${roundedTo(range)(curve.y[i])}`],
    ["span", parted],
  ];
  if (curve.near) return [...parts, ["span", goesLeft(psiAt(curve.near, curve.x[i]))]];
  return still && i === curve.best ? [...parts, ["span", spoken("the best on this column")]] : parts;
}

const above = (curve, value) => (curve.moment ? written(curve.moment, value) : short(value, 16));

// Of a module, where a row goes is a matter of its gate.
function cutWords(curve, i) {
  const { name, names, stepped, whole, x, said, missing, near } = curve;
  const lost = missing[i] ? ` ${spoken("or missing")}` : "";
  const some = stepped || names.length ? names.slice(0, Math.floor(x[i] + 1e-9) + 1) : null;
  if (!some && near)
    return i === nearestTo(curve, near.t0)
      ? near.says
      : whole
        ? spoken("{name}, cut between {low} and {high}", {
            name,
            low: said[i],
            high: above(curve, Math.floor(x[i]) + 1),
          })
        : spoken("{name}, cut at {cut}", { name, cut: said[i] });
  if (!some) return `${name} ≤ ${said[i]}${lost}`;
  if (!stepped && some.length > 1)
    return spoken("{name} is at most {value}", { name, value: some[some.length - 1] }) + lost;
  const few = { name, n: some.length, values: some.slice(0, 4).join(", ") };
  if (some.length > 4) return spoken("{name} is one of {n}: {values}, …", few) + lost;
  return spoken("{name} is {value}", { name, value: some.join(spoken(" or ")) }) + lost;
}

// The cut that a key leads to: its number, null for none chosen, undefined where the key means nothing.
export function cutAfter(curve, at, { key, shiftKey }) {
  const last = curve.x.length - 1;
  const from = at ?? ownCut(curve);
  const far = shiftKey ? 10 : 1;
  const to = {
    ArrowLeft: from - far,
    ArrowRight: from + far,
    Home: 0,
    End: last,
    Enter: curve.best,
    " ": curve.best,
    Escape: null,
  }[key];
  if (to === undefined || last < 0) return undefined;
  return to === null ? null : Math.min(Math.max(to, 0), last);
}
