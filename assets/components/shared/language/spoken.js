// Words and numbers in the language of the page, which the element `html` names (assets/dressed.js).

// By language, the texts by the English ones: `views/components/scripts.py` puts in those that the script has.
const TEXTS = {};

const language = () => globalThis.document?.documentElement.lang;

// The text in the language of the page, with these values in the places of their names: {n}.
export function spoken(text, values = {}) {
  const words = TEXTS[language()]?.[text] ?? text;
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// A number that is written in English, with the marks of the language.
export const marked = (number) =>
  language() === "de" ? number.replace(/[,.]/g, (mark) => (mark === "," ? "\u202f" : ",")) : number;

// A count of things.
export const counted = (n) => marked(n.toLocaleString("en"));
