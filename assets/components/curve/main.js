// Choosing the threshold: the impurity after every possible cut on one feature, over the node's samples by
// class. Moving along the axis moves a cut of one's own and reads it out; a click keeps it, and only a cut that is
// taken goes back to Python. The surfaces of the same channel draw it, too.
// Of a module (`curve.near`) also its neighbourhood T(t0): a band, and below it the gate that the cuts make.

import { channelOf, showCut } from "../shared/channel.js";
import { savePng, saveSvg } from "../shared/downloads.js";
import { SVG, buttons, html, svg } from "../shared/elements.js";
import { choose, curveKey } from "./choosing.js";
import { drawCurve } from "./drawing.js";
import { nearestCut } from "./reading.js";
import { spoken } from "../shared/language/spoken.js";

const curves = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = curves.get(parentElement);
  if (!s) curves.set(parentElement, (s = mountCurve(parentElement.querySelector(".espalier-curve"))));
  if (s.curve?.id !== data.curve.id) s.at = s.pinned = null;
  s.curve = data.curve;
  s.channel = data.channel ? channelOf(data.channel) : null;
  s.taking.hidden = !data.takes;
  s.take = () =>
    s.at !== null && data.takes && setStateValue("taken", { curve: s.curve.id, cut: s.at, at: Date.now() });
  s.svg.setAttribute(
    "aria-label",
    data.alt +
      spoken(" Arrows move a cut of your own, Home and End go to the ends, Escape ends it.") +
      (data.takes ? spoken(" T takes it as the split.") : ""),
  );
  drawCurve(s);
  return () => {
    s.observer.disconnect();
    if (s.channel) showCut(s.channel, null);
    curves.delete(parentElement);
  };
}

function mountCurve(root) {
  const s = { root, at: null, pinned: null };
  const head = html(root, "div", { class: "head" });
  s.readout = html(head, "div", { class: "readout", "aria-live": "polite" });
  buttons(html(head, "div", { class: "bar", role: "toolbar", "aria-label": spoken("impurity curve") }), [
    ["SVG", spoken("download the picture as SVG"), () => saveSvg(curvePicture(s), "impurity.svg")],
    ["PNG", spoken("download the picture as PNG"), () => savePng(curvePicture(s), "impurity.png")],
  ]);
  s.taking = html(head, "div", { class: "taking" });
  s.button = html(s.taking, "button", { type: "button" }, spoken("Split at this cut"));
  s.button.addEventListener("click", () => s.take());
  s.svg = svg(root, "svg", { role: "application", tabindex: 0 });
  const under = (e) => nearestCut(s, e.clientX - s.svg.getBoundingClientRect().left);
  s.svg.addEventListener("pointermove", (e) => choose(s, under(e)));
  s.svg.addEventListener("pointerdown", (e) => choose(s, (s.pinned = under(e))));
  s.svg.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && choose(s, s.pinned));
  s.svg.addEventListener("keydown", (e) => curveKey(s, e));
  s.observer = new ResizeObserver(() => s.curve && s.root.clientWidth !== s.width && drawCurve(s));
  s.observer.observe(root);
  return s;
}

function curvePicture(s) {
  const copy = s.svg.cloneNode(true);
  const { width, height } = s.g;
  for (const extra of copy.querySelectorAll(".ui")) extra.replaceChildren();
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, value);
  copy.prepend(svg(null, "rect", { width, height, fill: s.theme.paper }));
  return new XMLSerializer().serializeToString(copy);
}
