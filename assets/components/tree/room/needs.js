// How wide a card has to be for its words: names break between words, and thresholds stay whole.

import { wide } from "../../shared/lettering.js";
import { LETTERS } from "./plans.js";
import { leafWords, withoutUnit } from "../words.js";

const PAD = 10; // both sides of a narrow card
const MOST = { split: 170, leaf: 120 }; // world units: longer words are cut

// Puts the least width on every node: {2: over two lines, 3: over three}.
export function measureNeeds(s) {
  for (const node of s.cards.nodes) node.need = node.f === undefined ? leafNeed(s, node) : splitNeed(s, node);
}

function leafNeed(s, node) {
  const need = Math.min(PAD + wide(s, leafWords(s, node), LETTERS, 700), MOST.leaf);
  return { 2: need, 3: need };
}

function splitNeed(s, node) {
  const words = wordsOf(s, node);
  const of = (n) => Math.min(PAD + 1 + narrowest(words, n, (text) => wide(s, text, LETTERS)), MOST.split);
  return { 2: of(2), 3: of(3) };
}

// The words of a split's title; a comparison is one of them: a sign and its number never part.
export function wordsOf(s, node) {
  const test = node.test.trim();
  const name = withoutUnit(s.cards.scales[node.f].name).split(/\s+/);
  return [...name, ...(/^[≤≥≲≳><]/.test(test) ? [test] : test.split(" "))];
}

// The least width of so many lines.
export function narrowest(words, lines, width) {
  if (lines === 1 || words.length === 1) return width(words.join(" "));
  const below = (rest) => (rest.length ? narrowest(rest, lines - 1, width) : 0);
  return Math.min(...words.map((_, i) => Math.max(width(words.slice(0, i + 1).join(" ")), below(words.slice(i + 1)))));
}

// Words broken into as few lines as the room allows, as even as those can be; null where there are more than `most`.
export function broken(words, most, room, width) {
  for (let n = 1; n <= most; n++) {
    const lines = filled(words, Math.max(narrowest(words, n, width), 0), width);
    if (lines.every((line) => width(line) <= room)) return lines;
  }
  return null;
}

function filled(words, room, width) {
  const lines = [];
  for (const word of words) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && width(longer) <= room + 1e-6) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
