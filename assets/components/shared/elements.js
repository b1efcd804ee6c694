// Elements of SVG and HTML, and the small parts made of them that components share.

import { chooseClass } from "./channel.js";
import { MANY, listed } from "./colours.js";
import { counted, spoken } from "./language/spoken.js";
import { legible, shortNames } from "./lettering.js";

const LONGEST = 30; // letters of a class's name in a legend

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
  for (const [word, hint, act] of entries)
    html(bar, "button", { type: "button", title: hint, "aria-label": called(word, hint) }, word).addEventListener(
      "click",
      act,
    );
}

// Of what the legend is.
export function legendTitle(s, name) {
  s.legend.replaceChildren();
  html(s.legend, "b", { title: name }, shortNames([name], LONGEST)[0]);
}

// The classes of a legend, each with the sign that `sign` draws into its entry. Of many classes some are named, and a
// button says how many more there are and lists them; a click on one lets it alone have its colour.
export function classEntries(s, classes, sign, first = MANY) {
  const isMany = classes.length > MANY;
  const shown = listed(classes, s.channel?.chosen, s.isListed, first);
  const short = shortNames(
    classes.map(({ name }) => name),
    LONGEST,
  );
  s.legend.classList.toggle("listed", Boolean(isMany && s.isListed));
  for (const i of shown) {
    const { name } = classes[i];
    const isChosen = name === s.channel?.chosen;
    const entry = html(s.legend, isMany ? "button" : "span", { title: name });
    if (isMany) {
      Object.entries({ type: "button", "aria-pressed": isChosen }).forEach((pair) => entry.setAttribute(...pair));
      entry.addEventListener("click", () => kept(s, name, () => chooseClass(s.channel, isChosen ? null : name)));
    }
    sign(entry, i);
    html(entry, "em", {}, short[i]);
  }
  if (!isMany) return;
  const n = counted(classes.length - shown.length);
  const more = html(s.legend, "button", { type: "button", class: "more", "aria-expanded": Boolean(s.isListed) });
  more.textContent = s.isListed ? spoken("fewer") : spoken(shown.length ? "and {n} more" : "{n} classes", { n });
  more.addEventListener("click", () => kept(s, null, () => s.relist((s.isListed = !s.isListed))));
}

// The legend is drawn anew, and the focus stays on its button.
function kept(s, name, act) {
  act();
  const all = [...s.legend.querySelectorAll("button")];
  (all.find((one) => one.title === name) ?? all.at(-1))?.focus();
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
