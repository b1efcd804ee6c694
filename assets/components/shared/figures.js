// The numbers above a tree that the browser cuts off, written as Python writes them (views/theme.py).

import { short } from "./numbers.js";

// Of held-out rows and of training rows the score; the baseline, which stays; leaves and depth.
export function figuresOf({ cards, stop, scores }, cut) {
  const leaves = [...cut.number.keys()].filter((id) => cut.leafOf[id] === id);
  const written = cards.kind === "class" ? percent : (x) => short(Math.round(1000 * x) / 1000, 3);
  const said = scores.map(({ lost, of }) => {
    const score = leaves.reduce((left, leaf) => left - lost[leaf], of) / of;
    return Number.isNaN(score) ? "–" : written(score);
  });
  return [...said, null, String(leaves.length), String(Math.max(...leaves.map((leaf) => stop[leaf])))];
}

// A share with at most one decimal place; only 0 and 1 become 0 % and 100 %.
export function percent(share) {
  const hundredths = 100 * share;
  const text = (hundredths % 1 === 0.25 ? hundredths - 0.05 : hundredths).toFixed(1); // a tie goes to the even digit
  if (text === "0.0" && share > 0) return "<0.1 %";
  if (text === "100.0" && share < 1) return ">99.9 %";
  return `${text.replace(".0", "")} %`;
}
