// The surface as a picture of its own, for a download.

import { blend, listed, scaled } from "../shared/colours.js";
import { SVG, svg } from "../shared/elements.js";
import { counted, spoken } from "../shared/language/spoken.js";
import { cut, wide } from "../shared/lettering.js";
import { round, roundedTo } from "../shared/numbers.js";
import { paintSurface } from "./drawing.js";
import { classInk, hex } from "./inks.js";
import { svgPen } from "./pens.js";
import { DASHES, rect } from "./plane.js";
import { shapeOf } from "./samples.js";

const LONGEST = 180; // pixels of a class's name

export function pictureOf(s) {
  const { g, theme } = s;
  const { surface } = s.data;
  const own = s.form.ramp(s);
  const top = 34;
  const picture = svg(null, "svg", {
    xmlns: SVG,
    width: g.width,
    height: g.height + top,
    viewBox: `0 0 ${g.width} ${g.height + top}`,
  });
  svg(picture, "rect", { width: g.width, height: g.height + top, fill: theme.paper });
  const pen = svgPen(picture, theme);
  const target = cut(s, surface.target, LONGEST, 13, 700);
  pen.text(14, 22, target, { size: 13, weight: 700 });
  let x = 14 + wide(s, target, 13, 700) + 20;
  const named = listed(surface.classes, s.channel?.chosen, false);
  for (const i of named) {
    const name = cut(s, surface.classes[i].name, LONGEST);
    pen.path(`M${x} 18` + shapeOf(s, i)(4.5), { fill: classInk(s, i) });
    pen.text(x + 10, 22, name, { size: 12 });
    x += 28 + wide(s, name, 12, 400);
  }
  const more = surface.classes.length - named.length;
  if (more) pen.text(x, 22, spoken("and {n} more", { n: counted(more) }), { size: 12 });
  const paper = hex(theme.paper);
  if (own) pictureRamp(s, pen, x, own.slice(1), (t) => blend([paper, own[0]], [1 - 0.85 * t, 0.85 * t]));
  else if (surface.kind === "number") x = pictureRamp(s, pen, x, surface.range.map(roundedTo(surface.range)), scaled);
  if (surface.truth) {
    pen.path(`M${x} 18h18`, { stroke: theme.muted, ...DASHES });
    pen.text(x + 24, 22, spoken("true curve"), { size: 12 });
  }
  paintSurface(s, svgPen(svg(picture, "g", { transform: `translate(0 ${top})`, "shape-rendering": "auto" }), theme));
  return new XMLSerializer().serializeToString(picture);
}

function pictureRamp(s, pen, x, [low, high], colour) {
  const from = x + wide(s, low, 11, 400) + 8;
  pen.text(x, 22, low, {});
  for (let i = 0; i < 40; i++)
    pen.path(rect(round(from + 3 * i), 12, round(from + 3 * i + 3.2), 24), { fill: colour(i / 39) });
  pen.text(from + 128, 22, high, {});
  return from + 128 + wide(s, high, 11, 400) + 20;
}
