// The numbers above a tree. While a slider folds the tree they are those of what is left of it.

import { channelOf } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { followFold } from "../shared/fold.js";
import { explain, helpOf } from "../shared/help.js";

const lists = new WeakMap();
let count = 0;

export default function ({ data, parentElement }) {
  let s = lists.get(parentElement);
  if (!s) lists.set(parentElement, (s = mountNumbers(parentElement.querySelector(".espalier-numbers"), data.channel)));
  s.came = data;
  if (!s.isFolded) drawNumbers(s);
  return () => {
    s.leave();
    lists.delete(parentElement);
  };
}

function mountNumbers(root, name) {
  const s = { root, isFolded: false, items: [] };
  root.replaceChildren();
  s.leave = followFold(s, channelOf(name), { show: (cut) => drawNumbers(s, cut.numbers), back: () => drawNumbers(s) });
  return s;
}

function drawNumbers(s, values = []) {
  const { numbers } = s.came;
  while (s.items.length > numbers.length) s.items.pop().root.remove();
  while (s.items.length < numbers.length) s.items.push(itemOf(s.root));
  numbers.forEach(({ label, value, help }, i) => {
    const item = s.items[i];
    write(item.term, label);
    write(item.number, values[i] ?? value);
    explain(item.help, label, help);
  });
}

function itemOf(list) {
  const root = html(list, "div", {});
  const head = html(root, "dt", {});
  const term = html(head, "span", {});
  const help = helpOf(head, head, `number-help-${++count}`);
  return { root, term, help, number: html(root, "dd", {}) };
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
