// The legend above the surface.

import { SCALE } from "../shared/colours.js";
import { classEntries, html, legendTitle, ramp, svg } from "../shared/elements.js";
import { roundedTo } from "../shared/numbers.js";
import { classInk } from "./inks.js";
import { DASHES } from "./plane.js";
import { SHAPES, ringsOf, shapeOf } from "./samples.js";
import { spoken } from "../shared/language/spoken.js";

export function legendOf(s) {
  const { surface } = s.data;
  const own = s.form.ramp(s);
  legendTitle(s, surface.target);
  s.legend.classList.toggle("below", Boolean(s.data.grows)); // the legend of the tree above it names the target, too
  if (surface.kind === "class")
    classEntries(s, surface.classes, (entry, i) => sign(s, entry, classInk(s, i), shapeOf(s, i)));
  else if (!own) ramp(s.legend, SCALE, ...surface.range.map(roundedTo(surface.range)));
  if (own)
    ramp(
      s.legend,
      own.slice(0, 1).flatMap((ink) => [s.theme.paper, ink]),
      own[1],
      own[2],
    );
  if (surface.points.out.includes(1)) other(s, spoken("held out"), s.theme.muted, SHAPES[0], true);
  if (surface.truth) dashes(s, spoken("true curve"));
  const [flags, why] = ringsOf(surface.points);
  if (flags?.includes(1)) other(s, why, s.theme.ink, SHAPES[0], true, true);
}

function dashes(s, name) {
  const entry = html(s.legend, "span", { title: name });
  const { width, dash } = DASHES;
  const icon = svg(entry, "svg", { width: 18, height: 14, viewBox: "0 -7 18 14" });
  svg(icon, "path", { d: "M0 0h18", stroke: s.theme.muted, "stroke-width": width, "stroke-dasharray": dash.join(" ") });
  html(entry, "em", {}, name);
}

function other(s, name, ...how) {
  const entry = html(s.legend, "span", { title: name });
  sign(s, entry, ...how);
  html(entry, "em", {}, name);
}

function sign(s, entry, colour, shape, hollow, ringed) {
  const icon = svg(entry, "svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" });
  svg(icon, "path", {
    d: "M0 0" + shape(ringed ? 5.6 : 4.2),
    fill: hollow ? "none" : colour,
    stroke: colour,
    "stroke-width": hollow ? 1.5 : 0,
  });
  if (ringed) svg(icon, "circle", { r: 2.6, fill: s.theme.muted });
}
