// Names and tests of a node, cut to the room on its card.

import { cut, shortened, wide } from "../../shared/lettering.js";
import { short } from "../../shared/numbers.js";
import { broken, wordsOf } from "./needs.js";
import { LETTERS } from "./plans.js";
import { leafWords, withoutUnit } from "../words.js";

// A split in lines: name and test are broken between words; where that is too long, the beginning of the name
// stands before its last word, and a single word that is too long is cut.
export function titleLines(s, node, room, most) {
  const width = (words) => wide(s, words);
  const all = wordsOf(s, node);
  const lines = broken(all, most, room, width);
  if (lines) return lines;
  const name = withoutUnit(s.cards.scales[node.f].name);
  const short = shortTest(s, node, room);
  const named = most > 2 && broken(elided(name.split(/\s+/), room, width), 2, room, width);
  return [...(named || [shortName(s, node.f, room)]), short];
}

// Two lines of a name: as many first words as have room, and the last one.
function elided(words, room, width) {
  let n = words.length - 1;
  while (n > 1 && width(`${words.slice(0, n).join(" ")}…`) > room) n--;
  return n < words.length - 1 ? [...words.slice(0, n - 1), `${words[n - 1]}…`, words.at(-1)] : words;
}

// Half a number says something wrong: where there is no room it is rounded, and says so, unless another threshold of
// the column would read the same.
function shortTest(s, node, room) {
  const full = node.test.trim();
  const sign = full.slice(0, 2);
  const others = s.cards.nodes.filter(({ f, t }) => f === node.f && (t ?? node.t) !== node.t);
  const isAlone = (digits) => others.every(({ t }) => short(t, digits) !== short(node.t, digits));
  const about = [3, 2].filter(isAlone).map((digits) => `≈ ${short(node.t ?? 0, digits)}`);
  const compares = ["≤ ", "≥ ", "≲ ", "≳ ", "> "].includes(sign);
  const tests = compares ? [full, ...about, ...about.slice(-1).map((words) => words.replace(" ", ""))] : [full];
  return tests.find((words) => wide(s, words) <= room) ?? cut(s, full, room);
}

// Without its unit, then cut where no other name is cut alike.
function shortName(s, f, room) {
  const full = s.cards.scales[f].name;
  const fits = (words) => wide(s, words) <= room;
  if (fits(full)) return full;
  const others = Object.values(s.cards.scales).map((other) => withoutUnit(other.name));
  return distinctName(withoutUnit(full), others, fits);
}

// Without its end; where others begin alike, with initials for its first word, then for all but the last ("w radi…"
// for "worst radius"), then without the ellipsis, whose room goes to letters, then without its middle.
export function distinctName(name, others, fits) {
  for (const [initials, end] of WAYS) {
    const begin = shortened(abbreviated(name, initials), (words) => fits(words.replace("…", end)));
    const stem = begin.replace("…", "");
    const alike = (other) => other !== name && abbreviated(other, initials).startsWith(stem);
    if (begin === name || (stem && !others.some(alike))) return begin.replace("…", end);
  }
  let n = Math.floor(name.length / 2);
  while (n > 1 && !fits(name.slice(0, n) + "…" + name.slice(-n))) n--;
  return name.slice(0, n).trimEnd() + "…" + name.slice(-n).trimStart();
}

const first = () => 1;
const allButLast = (words) => words.length - 1;
const WAYS = [
  [() => 0, "…"],
  [first, "…"],
  [allButLast, "…"],
  [first, ""],
  [allButLast, ""],
];

function abbreviated(name, initials) {
  const words = name.split(" ");
  const most = Math.min(initials(words), words.length - 1);
  return words.map((word, i) => (i < most ? word.slice(0, 1) : word)).join(" ");
}

// The same for all leaves where the names of the classes allow.
export function leafSize(s, node, box, room) {
  const all =
    node.shares && s.cards.classes.length <= 6 ? s.cards.classes.map((one) => one.name) : [leafWords(s, node)];
  const sizes = box.h < 46 ? [LETTERS] : [14, LETTERS];
  return sizes.find((size) => all.every((words) => wide(s, words, size, 700) <= room)) ?? LETTERS;
}
