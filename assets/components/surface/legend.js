// The legend above the surface.

import { SCALE } from "../shared/colours.js";
import { html, ramp, svg } from "../shared/elements.js";
import { short } from "../shared/numbers.js";
import { classInk } from "./inks.js";
import { SHAPES, ringsOf, shapeOf } from "./samples.js";
import { spoken } from "../shared/language/spoken.js";

export function legendOf(s) {
  const { surface } = s.data;
  const own = s.form.ramp(s);
  s.legend.replaceChildren();
  html(s.legend, "b", {}, surface.target);
  if (surface.kind === "class")
    surface.classes.slice(0, 10).forEach((one, i) => classEntry(s, one.name, classInk(s, i), shapeOf(s, i)));
  else if (!own) ramp(s.legend, SCALE, short(surface.range[0], 3), short(surface.range[1], 3));
  if (own)
    ramp(
      s.legend,
      own.slice(0, 1).flatMap((ink) => [s.theme.paper, ink]),
      own[1],
      own[2],
    );
  if (surface.points.out.includes(1)) classEntry(s, spoken("held out"), s.theme.muted, SHAPES[0], true);
  const [flags, why] = ringsOf(surface.points);
  if (flags?.includes(1)) classEntry(s, spoken(why), s.theme.ink, SHAPES[0], true, true);
}

function classEntry(s, name, colour, shape, hollow, ringed) {
  const entry = html(s.legend, "span", { title: name });
  const icon = svg(entry, "svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" });
  svg(icon, "path", {
    d: "M0 0" + shape(ringed ? 5.6 : 4.2),
    fill: hollow ? "none" : colour,
    stroke: colour,
    "stroke-width": hollow ? 1.5 : 0,
  });
  if (ringed) svg(icon, "circle", { r: 2.6, fill: s.theme.muted });
  html(entry, "em", {}, name);
}
