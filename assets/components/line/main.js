// The selected node in a line: from the tree graph in the frame of the click, from Python a moment later.

import { channelOf, confirm } from "../shared/channel.js";

const lines = new WeakMap();

export default function ({ data, parentElement }) {
  let s = lines.get(parentElement);
  if (!s) lines.set(parentElement, (s = mountLine(parentElement.querySelector(".espalier-line"), data.channel)));
  if (confirm(s.channel, data.state)) write(s, data.line, data.rule);
  return () => {
    s.channel.listeners.delete(s.hear);
    lines.delete(parentElement);
  };
}

function mountLine(root, name) {
  const s = { root, channel: channelOf(name), shown: "" };
  s.line = root.querySelector(".what");
  s.rule = root.querySelector(".rule");
  s.hear = (state) => {
    const words = s.channel.describe?.(state);
    if (words) write(s, words, "");
  };
  s.channel.listeners.add(s.hear);
  return s;
}

// Every other part stands out.
function write(s, line, rule) {
  const text = line.join("\n");
  if (text !== s.shown) {
    s.line.replaceChildren(
      ...line.map((words, i) => {
        const part = document.createElement(i % 2 ? "span" : "b");
        part.textContent = words;
        return part;
      }),
    );
    s.shown = text;
    s.line.title = s.line.textContent;
  }
  s.rule.textContent = rule;
  s.rule.title = rule;
}
