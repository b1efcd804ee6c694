// The numbers above a tree. While a slider folds the tree they are those of what is left of it.

import { channelOf } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { followFold } from "../shared/fold.js";

const lists = new WeakMap();

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
  const s = { root, isFolded: false };
  root.replaceChildren();
  s.leave = followFold(s, channelOf(name), { show: (cut) => drawNumbers(s, cut.numbers), back: () => drawNumbers(s) });
  return s;
}

function drawNumbers(s, values = []) {
  const { numbers } = s.came;
  while (s.root.children.length > numbers.length) s.root.lastChild.remove();
  while (s.root.children.length < numbers.length) {
    const item = html(s.root, "div", {});
    html(item, "dt", {});
    html(item, "dd", {});
  }
  numbers.forEach(({ label, value, help }, i) => {
    const [term, number] = s.root.children[i].children;
    s.root.children[i].title = help;
    write(term, label);
    write(number, values[i] ?? value);
  });
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
