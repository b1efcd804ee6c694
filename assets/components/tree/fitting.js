// Names and tests of a node, cut to the room on its card.

import { cut, wide } from "../shared/lettering.js";
import { short } from "../shared/numbers.js";
import { leafWords, withoutUnit } from "./words.js";

// Half a number says something wrong: where there is no room it is rounded, and says so.
export function shortTest(s, node, room) {
  const full = node.test.trim();
  const sign = full.slice(0, 2);
  const about = [3, 2].map((digits) => `≈ ${short(node.t ?? 0, digits)}`);
  const compares = ["≤ ", "≥ ", "≲ ", "≳ ", "> "].includes(sign);
  const tests = compares ? [full, ...about, about[1].replace(" ", "")] : [full];
  return tests.find((words) => wide(s, words, 11) <= room) ?? cut(s, full, room, 11);
}

// Without its unit, then without its end, or its middle where others begin alike.
export function shortName(s, f, room, size = 12) {
  const full = s.cards.scales[f].name;
  const name = withoutUnit(full);
  if (wide(s, full, size) <= room) return full;
  const begin = cut(s, name, room, size);
  const stem = begin.replace("…", "");
  if (
    begin === name ||
    !Object.values(s.cards.scales).some((other) => other.name !== full && other.name.startsWith(stem))
  )
    return begin;
  let n = Math.floor(name.length / 2);
  while (n > 1 && wide(s, name.slice(0, n) + "…" + name.slice(-n), size) > room) n--;
  return name.slice(0, n).trimEnd() + "…" + name.slice(-n).trimStart();
}

// The same for all leaves where the names of the classes allow.
export function leafSize(s, node, box, room) {
  const all =
    node.shares && s.cards.classes.length <= 6 ? s.cards.classes.map((one) => one.name) : [leafWords(s, node)];
  const sizes = box.h < 40 ? [11, 10] : [13, 12, 11, 10];
  return sizes.find((size) => all.every((words) => wide(s, words, size, 700) <= room)) ?? 10.5;
}
