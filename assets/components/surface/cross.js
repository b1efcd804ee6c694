// The crosshair and the words beside it.

import { html } from "../shared/elements.js";
import { round } from "../shared/numbers.js";
import { canvasPen } from "./pens.js";
import { readout } from "./readout.js";
import { cutPath, reach } from "./reach.js";
import { SHAPES } from "./samples.js";

export function drawCross(s) {
  const c = s.top.getContext("2d");
  const { g, cross } = s;
  c.clearRect(0, 0, g.width, g.height);
  s.tip.hidden = !cross;
  s.top.style.cursor = cross?.point !== undefined ? "pointer" : "crosshair";
  const pen = canvasPen(c, s.theme);
  cutLayer(s, pen);
  if (!cross) return;
  const x = round(cross.px);
  const y = round(cross.py);
  if (cross.point !== undefined) pen.path(`M${x} ${y}` + SHAPES[0](8), { stroke: s.theme.ink, width: 2 });
  else pen.path(`M${x} ${g.top}v${g.h}M${g.left} ${y}h${g.w}`, { stroke: s.theme.ink, alpha: 0.55, dash: [4, 3] });
  tipAt(s, cross);
}

// The cut that a person moves on the impurity curve, across the node's part of the plane.
function cutLayer(s, pen) {
  const { g, channel, data } = s;
  const cut = data.tree === null || channel.state?.tree !== data.tree ? null : channel.cut;
  const d = cut && cutPath(g, cut, reach(s));
  if (!d) return;
  pen.path(d, { stroke: s.theme.paper, width: 5, alpha: 0.8 });
  pen.path(d, { stroke: s.theme.accent, width: 2.5, dash: [7, 4] });
}

function tipAt(s, { px, py }) {
  s.tip.replaceChildren();
  readout(s).forEach((words, i) => html(s.tip, i ? "div" : "b", {}, words));
  const w = s.tip.offsetWidth;
  const h = s.tip.offsetHeight;
  const x = px + 16 + w < s.g.width ? px + 16 : px - w - 16;
  s.tip.style.transform = `translate(${Math.max(x, 2)}px, ${Math.min(Math.max(py - h - 10, 2), s.g.height - h - 2)}px)`;
}
