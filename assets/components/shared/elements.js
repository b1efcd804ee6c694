// Elements of SVG and HTML, and the small parts made of them that components share.

import { spoken } from "./language/spoken.js";
import { legible } from "./lettering.js";

export const SVG = "http://www.w3.org/2000/svg";

export function svg(parent, name, attributes, words) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = legible(words);
  parent?.append(made);
  return made;
}

export function html(parent, name, attributes, words) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = legible(words);
  parent.append(made);
  return made;
}

export function buttons(bar, entries) {
  for (const [word, hint, act] of entries.map(([word, hint, act]) => [spoken(word), spoken(hint), act]))
    html(bar, "button", { type: "button", title: hint, "aria-label": called(word, hint) }, word).addEventListener(
      "click",
      act,
    );
}

export function ramp(parent, colours, low, high) {
  const entry = html(parent, "span", {}, low);
  html(entry, "i", { class: "ramp" }).style.background = `linear-gradient(90deg, ${colours.join()})`;
  entry.append(high);
}

// The name of a button begins with the word on it, so that a person can say that word to it; a sign is no word.
export function called(word, hint) {
  return /\p{L}/u.test(word) && !hint.toLowerCase().includes(word.toLowerCase()) ? `${word}: ${hint}` : hint;
}
