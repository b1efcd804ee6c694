// The numbers above a tree. While a slider folds the tree they are those of what is left of it.

import { channelOf } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { followFold } from "../shared/fold.js";
import { followPicture } from "../shared/live.js";
import { explain, helpOf } from "../shared/help.js";

const lists = new WeakMap();
let count = 0;

export default function ({ data, parentElement }) {
  let s = lists.get(parentElement);
  if (!s) lists.set(parentElement, (s = mountNumbers(parentElement.querySelector(".espalier-numbers"), data.channel)));
  s.came = data;
  if (!s.isFolded && !s.isPictured) drawNumbers(s);
  return () => {
    s.leave();
    s.leavePictures();
    lists.delete(parentElement);
  };
}

function mountNumbers(root, name) {
  const s = { root, isFolded: false, items: [] };
  root.replaceChildren();
  const channel = channelOf(name);
  s.leave = followFold(s, channel, { show: (cut) => drawNumbers(s, cut.numbers), back: () => drawNumbers(s) });
  s.leavePictures = followPicture(s, channel, (picture) => drawNumbers(s, [], picture?.numbers));
  return s;
}

function drawNumbers(s, values = [], numbers = s.came.numbers) {
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
