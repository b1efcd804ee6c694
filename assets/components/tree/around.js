// Around the tree: buttons, legend, downloads.

import { SCALE, listed } from "../shared/colours.js";
import { savePng, saveSvg } from "../shared/downloads.js";
import { SVG, buttons, classEntries, html, legendTitle, ramp, svg } from "../shared/elements.js";
import { cut } from "../shared/lettering.js";
import { fit, levels, zoom } from "./hands.js";
import { bounds } from "./room/layout.js";
import { move } from "./motion.js";
import { draw } from "./painting.js";
import { classColour, text } from "./parts.js";
import { counted, spoken } from "../shared/language/spoken.js";

const LONGEST = 180; // pixels of a class's name in the picture

// In the language of the page, which may change while the tree stays: the new buttons take the place of the old ones.
export function toolbar(s) {
  const bar = html(s.root, "div", { class: "bar", role: "toolbar", "aria-label": spoken("tree graph") });
  buttons(bar, [
    ["−", spoken("zoom out"), () => zoom(s, 0.8)],
    ["+", spoken("zoom in (Ctrl and the wheel)"), () => zoom(s, 1.25)],
    [spoken("Fit"), spoken("show the whole tree (F)"), () => fit(s)],
    [spoken("− level"), spoken("one level less"), () => levels(s, -1)],
    [spoken("+ level"), spoken("one level more"), () => levels(s, 1)],
    ["SVG", spoken("download the picture as SVG"), () => saveSvg(picture(s), "tree.svg")],
    ["PNG", spoken("download the picture as PNG"), () => savePng(picture(s), "tree.png")],
  ]);
  s.bar?.replaceWith(bar);
  s.bar = bar;
}

export function legend(s) {
  const { classes, kind, target, omitted } = s.cards;
  legendTitle(s, target);
  // Above the cards is no room for many names.
  classEntries(s, classes, (entry, i) => (html(entry, "i", {}).style.background = classColour(s, i)), 0);
  if (kind === "number") ramp(s.legend, SCALE, ...s.cards.goal.ends);
  s.note.textContent = omitted
    ? spoken("{n} nodes of the smallest branches are not drawn", { n: counted(omitted) })
    : "";
}

// Every open card in full, with nothing that needs a style sheet.
function picture(s) {
  const box = bounds(s.shown);
  const w = box.right - box.left + 40;
  const h = box.bottom - box.top + 70;
  const before = { ...s.view };
  move(s, { x: 20 - box.left, y: 50 - box.top, k: 1 }, 0);
  for (const node of s.shown) draw(s, s.items.get(node.key), 1);
  const copy = s.svg.cloneNode(true);
  for (const extra of copy.querySelectorAll(".ui")) extra.remove();
  for (const dim of copy.querySelectorAll(".aside")) dim.style.opacity = 0.3;
  for (const [name, value] of Object.entries({ xmlns: SVG, width: w, height: h, viewBox: `0 0 ${w} ${h}` }))
    copy.setAttribute(name, value);
  const back = svg(null, "rect", { width: w, height: h, fill: s.theme.paper });
  copy.prepend(back);
  let x = 20 + text(s, copy, 20, 28, cut(s, s.cards.target, LONGEST, 12, 700), { "font-weight": 700 }) + 16;
  const named = listed(s.cards.classes, s.channel?.chosen, false);
  for (const i of named) {
    svg(copy, "rect", { x, y: 18, width: 11, height: 11, rx: 2, fill: classColour(s, i) });
    x += 16 + text(s, copy, x + 16, 28, cut(s, s.cards.classes[i].name, LONGEST), {}) + 14;
  }
  const more = s.cards.classes.length - named.length;
  if (more) text(s, copy, x, 28, spoken("and {n} more", { n: counted(more) }), {});
  move(s, before, 0);
  return new XMLSerializer().serializeToString(copy);
}
