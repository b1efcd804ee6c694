// What a node says in words: its hint, the line below the graph, and the short forms on its card.

import { isOpen, soft } from "./nodes.js";
import { counted, marked, spoken } from "../shared/language/spoken.js";
import { bare } from "../shared/lettering.js";

export const ALONG = 0.62; // how far along an edge its word stands

// The line of pages/shared/tree/inspector.py, until that comes.
export function inWords(s, { id, row }) {
  const node = s.byId.get(id);
  const root = s.cards.nodes[0];
  if (!node) return null;
  const says = node.shares ? `${leafWords(s, node)}, ${node.percent}` : `${centre(s.cards)} ${node.says}`;
  const rows =
    s.cards.cultivated && node.up
      ? spoken("{n} rows in part, together {weight}, {share}", {
          n: counted(node.n),
          weight: node.weight,
          share: percent(node.part / 1000),
        })
      : `${spoken("{n} rows", { n: counted(node.n) })}, ${percent(node.n / root.n)}`;
  const words = [
    node.up ? `${spoken(node.f === undefined ? "Leaf" : "Node")} ${id}` : spoken("Root"),
    node.tie ? " · " : spoken(" says "),
    says,
    ` · ${rows}`,
  ];
  return row ? [...words, "", spoken(" · with "), nameOf(row)] : words;
}

// What a row is called: by its label, else by its number as people count.
function nameOf(row) {
  return row.name || spoken("row {n}", { n: row.row + 1 });
}

// What the number of a node is, of its rows.
const centre = (cards) => spoken(cards.centre === "median" ? "median" : "mean");

function percent(share) {
  const words = (100 * share).toFixed(1).replace(/\.0$/, "");
  return marked((words === "0" && share > 0 ? "<0.1" : words === "100" && share < 1 ? ">99.9" : words) + " %");
}

export function hint(s, node) {
  const c = s.cards;
  const lines = [];
  const weight = c.cultivated && node.up ? `, ${spoken("weight")} ${node.weight}` : "";
  const of = s.parts?.get(node.id);
  const answer = spoken(node.key.endsWith("L") ? "yes" : "no");
  if (node.up) lines.push(`${answer}: ${spoken("{n} rows", { n: counted(node.n) })}${weight}`);
  else lines.push(spoken("all {n} rows", { n: counted(node.n) }));
  if (node.f !== undefined) lines.push(`${spoken("split")}: ` + c.scales[node.f].name + node.test);
  const meaning = c.scales?.[node.f]?.meaning;
  if (meaning) lines.push(meaning);
  if (node.hand) lines.push(node.hand);
  if (node.unsure) lines.push(spoken("the test did not decide this split"));
  if (soft(node)) lines.push(...moduleHint(s, node));
  if (s.again && node.f !== undefined) lines.push(againHint(s.again, node));
  if (of !== undefined)
    lines.push(spoken("{share} of {row} is here", { share: perMille(of), row: nameOf(s.state.row) }));
  const kind = node.tie ? "" : `${spoken(node.f === undefined ? "leaf" : "mostly")}: `;
  lines.push(node.shares ? `${kind}${leafWords(s, node)}, ${node.percent}` : `${centre(c)} ${node.says}`);
  lines.push(...(node.formulas ?? []), `${c.criterion} ${node.impurity}`);
  if (node.missing) lines.push(missingHint(c, node.missing));
  if (node.below && !isOpen(s, node)) lines.push(spoken("{n} more nodes below", { n: counted(node.below) }));
  return lines.join("\n");
}

const againHint = ({ n, times }, node) =>
  spoken(
    node.up
      ? "came back in {times} of {n} trees grown on bootstrap samples, which ask the same columns from the root to here"
      : "came back in {times} of {n} trees grown on bootstrap samples, which ask the same column first",
    { times: times[node.id], n },
  );

// The word on an edge; with how many missing values go that way, where this leaves room for the other edge's word.
export function edgeWord(s, node, width) {
  const yes = node.key.endsWith("L");
  const [word, other] = yes ? [spoken("yes"), spoken("no")] : [spoken("no"), spoken("yes")];
  const { missing, kids } = node.up;
  if (s.cards.cultivated || !missing || missing[1] !== yes) return word;
  const full = `${word} + ${counted(missing[0])} ${spoken("missing")}`;
  const apart = ALONG * (kids[1].dx - kids[0].dx);
  return (width(full) + width(other)) / 2 < apart ? full : word;
}

function missingHint(cards, [many, yes]) {
  const n = counted(many);
  if (cards.cultivated) return spoken("{n} missing values go {share} to yes", { n, share: perMille(yes) });
  return spoken(yes ? "{n} missing values go to yes" : "{n} missing values go to no", { n });
}

export const perMille = (p) =>
  p >= 100 || p % 10 === 0 ? `${Math.round(p / 10)} %` : marked(p < 1 ? "<0.1 %" : `${(p / 10).toFixed(1)} %`);

function moduleHint(s, node) {
  const lines = [];
  const { features, criterion } = s.cards;
  if (node.cuts) lines.push(spoken("hesitates: {n} cuts {range}", { n: node.cuts[0], range: node.cuts[1] }));
  if (node.gates) {
    const { names } = s.cards.scales[node.f];
    const gates = names.slice(0, 8).map((name, i) => `${name} ${perMille(node.gates[i])} ${spoken("yes")}`);
    if (names.length > 8) gates.push(spoken("and {n} more", { n: counted(names.length - 8) }));
    lines.push(gates.join(", "));
  }
  if (!node.options) return lines;
  lines.push(
    spoken("one of {n} options, share {share}, {impurity}, tolerance {tolerance}", {
      n: counted(node.pooled),
      share: perMille(node.options[0].share),
      impurity: `${criterion} ${node.tolerance[0]}`,
      tolerance: node.tolerance[1],
    }),
  );
  for (const option of node.options.slice(1))
    lines.push(
      spoken("or {test}: share {share}, {impurity}", {
        test: features[option.f] + option.test,
        share: perMille(option.share),
        impurity: `${criterion} ${option.h}`,
      }),
    );
  const more = node.pooled - node.options.length;
  return more ? [...lines, spoken("and {n} more", { n: counted(more) })] : lines;
}

export const withoutUnit = (name) => bare(name).replace(/ \([^)]*\)$/, "");

// The answer of a node: its class, those that tie, or its number.
export const leafWords = (s, node) => (node.shares ? (node.tie ?? s.cards.classes[node.top].name) : node.says);

export function sizeWords(s, node) {
  const n = spoken(node.n === 1 ? "{n} row" : "{n} rows", { n: counted(node.n) });
  if (s.cards.cultivated) return node.up ? `${n} · w ${node.weight}` : n; // w: summed fractions
  return n + (node.weight ? ` (${node.weight})` : "");
}
