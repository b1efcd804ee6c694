// The numbers above a tree, of which the first one counts. While a slider folds the tree they are those of what is
// left of it.

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
  root.replaceChildren();
  const s = { list: html(root, "dl", {}), isFolded: false, items: [] };
  s.help = helpOf(root, root, `numbers-help-${++count}`);
  const channel = channelOf(name);
  s.leave = followFold(s, channel, { show: (cut) => drawNumbers(s, cut.numbers), back: () => drawNumbers(s) });
  s.leavePictures = followPicture(s, channel, (picture) => drawNumbers(s, [], picture?.numbers));
  return s;
}

function drawNumbers(s, values = [], numbers = s.came.numbers) {
  while (s.items.length > numbers.length) s.items.pop().root.remove();
  while (s.items.length < numbers.length) s.items.push(itemOf(s));
  numbers.forEach(({ label, value }, i) => {
    write(s.items[i].term, label);
    write(s.items[i].number, values[i] ?? value);
  });
  const helps = numbers.map(({ label, help }) => `**${label}** · ${help}`);
  explain(s.help, numbers[0].label, helps.join("\n\n"));
}

function itemOf({ list }) {
  const root = html(list, "div", {});
  return { root, term: html(root, "dt", {}), number: html(root, "dd", {}) };
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
