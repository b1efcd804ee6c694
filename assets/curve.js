// Choosing the threshold: the impurity after every possible cut on one feature, over the node's samples by
// class. Moving along the axis moves a cut of one's own and reads it out; nothing goes back to Python.

const CURVE = { left: 64, right: 14, top: 26, foot: 40, strip: 62, gap: 12, height: 320 }, SHOW_POINTS = 60;

const curves = new WeakMap();

export default function ({ data, parentElement }) {
  let s = curves.get(parentElement);
  if (!s) curves.set(parentElement, (s = mountCurve(parentElement.querySelector(".espalier-curve"))));
  if (s.curve?.id !== data.curve.id) s.at = null;
  s.curve = data.curve;
  s.svg.setAttribute("aria-label", data.alt + " Arrows move a cut of your own, Home and End go to the ends, Escape ends it.");
  drawCurve(s);
  return () => { s.observer.disconnect(); curves.delete(parentElement); };
}

function mountCurve(root) {
  const s = { root, at: null };
  const head = html(root, "div", { class: "head" });
  s.readout = html(head, "div", { class: "readout", "aria-live": "polite" });
  buttons(html(head, "div", { class: "bar", role: "toolbar", "aria-label": "impurity curve" }), [
    ["SVG", "download the picture as SVG", () => saveSvg(curvePicture(s), "impurity.svg")],
    ["PNG", "download the picture as PNG", () => savePng(curvePicture(s), "impurity.png")],
  ]);
  s.svg = svg(root, "svg", { role: "application", tabindex: 0 });
  s.svg.addEventListener("pointermove", (e) => choose(s, nearestCut(s, e.clientX - s.svg.getBoundingClientRect().left)));
  s.svg.addEventListener("pointerdown", (e) => choose(s, nearestCut(s, e.clientX - s.svg.getBoundingClientRect().left)));
  s.svg.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && choose(s, null));
  s.svg.addEventListener("blur", () => choose(s, null));
  s.svg.addEventListener("keydown", (e) => curveKey(s, e));
  s.observer = new ResizeObserver(() => s.curve && s.root.clientWidth !== s.width && drawCurve(s));
  s.observer.observe(root);
  return s;
}

// Drawing ---------------------------------------------------------------------------------------------

function drawCurve(s) {
  const { curve } = s, width = (s.width = s.root.clientWidth), { left, right, top, foot, strip, gap, height } = CURVE;
  if (!width) return;
  s.theme = themeOf(s.root);
  const g = (s.g = { left, top, w: width - left - right, h: height - top - foot - strip - gap, floor: height - foot, width, height });
  const span = heightOf(curve);
  g.X = (v) => g.left + (g.w * (v - curve.low)) / (curve.high - curve.low || 1);
  g.Y = (v) => g.top + g.h * (1 - (v - span.low) / (span.high - span.low || 1));
  s.svg.replaceChildren();
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) s.svg.setAttribute(name, value);
  s.shade = svg(s.svg, "g", { class: "ui" });
  curveAxes(s, span);
  strips(s);
  curveLine(s);
  s.own = svg(s.svg, "g", { class: "ui" });
  choose(s, s.at);
}

function heightOf({ before, y }) { // from 0.9 of the node's impurity at most, so that small gains look small
  const high = Math.max(before, ...y, 1e-12), low = Math.min(0.9 * before, ...y);
  return { low: Math.max(low - 0.08 * (high - low), 0), high: high + 0.04 * (high - low) };
}

function words(s, x, y, text, style = {}) {
  return svg(s.svg, "text", { x: round(x), y: round(y), "font-size": 12, "font-family": s.theme.font, fill: s.theme.muted, ...style }, text);
}

function curveAxes(s, span) {
  const { g, curve, theme } = s, grid = { stroke: theme.line, "stroke-opacity": 0.45 };
  for (const [v, text] of ticks(span, g.h / 45)) {
    const y = round(g.Y(v));
    svg(s.svg, "path", { d: `M${g.left} ${y}h${round(g.w)}`, ...grid });
    words(s, g.left - 8, y + 4, text, { "text-anchor": "end" });
  }
  const axis = { low: curve.low, high: curve.high, ...(curve.names.length ? { names: curve.names } : {}) }, marks = ticks(axis, g.w / 80);
  const room = g.w / Math.max(marks.length, 1), every = axis.names ? Math.ceil(30 / room) : 1;
  marks.forEach(([v, text], i) => i % every || words(s, g.X(v), g.floor + 15, axis.names ? cut(s, text, room * every - 6, 12, 400) : text, { "text-anchor": "middle" }));
  const strong = { fill: theme.ink, "text-anchor": "middle" };
  words(s, g.left + g.w / 2, g.height - 6, cut(s, curve.name, g.w, 12, 400), strong);
  const turned = (y, text) => words(s, 0, 0, text, { ...strong, transform: `translate(12 ${round(y)}) rotate(-90)` });
  turned(g.top + g.h / 2, cut(s, `${curve.criterion} after the split`, g.h, 12, 400));
  turned(g.floor - CURVE.strip / 2, curve.weighted ? "weight" : "samples");
}

function strips(s) { // the node's samples, stacked by class
  const { g, curve, theme } = s, n = curve.centre.length, high = new Array(n).fill(0);
  const most = Math.max(...curve.centre.map((_, i) => curve.bars.reduce((sum, bar) => sum + bar[i], 0)), 1e-12);
  const unit = CURVE.strip / most, half = (curve.width / 2) * (curve.names.length ? 0.8 : 0.94);
  curve.bars.forEach((bar, k) => {
    let d = "";
    bar.forEach((weight, i) => {
      if (!weight) return;
      const x0 = g.X(curve.centre[i] - half), x1 = g.X(curve.centre[i] + half);
      d += `M${round(x0)} ${round(g.floor - (high[i] += weight) * unit)}H${round(x1)}v${round(weight * unit)}H${round(x0)}z`;
    });
    const colour = curve.classes.length ? curve.classes[k][theme.dark ? "dark" : "light"] : theme.muted;
    if (d) svg(s.svg, "path", { d, fill: colour });
  });
  svg(s.svg, "path", { d: `M${g.left} ${g.floor}h${round(g.w)}`, stroke: theme.line });
  words(s, g.left - 8, g.floor - CURVE.strip + 9, short(most, 3), { "text-anchor": "end" });
  words(s, g.left - 8, g.floor + 1, "0", { "text-anchor": "end" });
}

function curveLine(s) {
  const { g, curve, theme } = s, level = round(g.Y(curve.before));
  svg(s.svg, "path", { d: `M${g.left} ${level}h${round(g.w)}`, stroke: theme.muted, "stroke-dasharray": "2 4" });
  words(s, g.left + g.w, level - 5, `before: ${short(curve.before, 3)}`, { "text-anchor": "end" });
  const places = curve.x.map((x, i) => [round(g.X(x)), round(g.Y(curve.y[i]))]);
  if (places.length > 1) svg(s.svg, "path", { d: "M" + places.map((p) => p.join(" ")).join("L"), fill: "none", stroke: theme.accent, "stroke-width": 2, "stroke-linejoin": "round" });
  if (places.length <= SHOW_POINTS) svg(s.svg, "path", { d: places.map(([x, y]) => `M${x} ${y}h0`).join(""), stroke: theme.accent, "stroke-width": 6, "stroke-linecap": "round" });
  if (curve.best >= 0) {
    const [x, y] = places[curve.best];
    svg(s.svg, "path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, fill: theme.accent, stroke: theme.paper });
  }
  if (curve.own === null) return;
  const x = Math.min(Math.max(g.X(curve.own), g.left), g.left + g.w), anchor = x < g.left + 70 ? "start" : x > g.left + g.w - 70 ? "end" : "middle";
  svg(s.svg, "path", { d: `M${round(x)} ${g.top - 6}V${g.floor}`, stroke: theme.ink, "stroke-width": 2 });
  words(s, x, g.top - 11, "the tree's split", { fill: theme.ink, "font-weight": 600, "text-anchor": anchor });
}

// Choosing --------------------------------------------------------------------------------------------

function nearestCut(s, px) {
  const { x } = s.curve;
  if (!x.length || !s.g) return null;
  let best = 0;
  x.forEach((v, i) => { if (Math.abs(s.g.X(v) - px) < Math.abs(s.g.X(x[best]) - px)) best = i; });
  return best;
}

function choose(s, i) {
  s.at = i;
  const { g, curve, theme } = s;
  if (!g) return;
  s.shade.replaceChildren();
  s.own.replaceChildren();
  s.readout.replaceChildren();
  const shown = i ?? ownCut(curve);
  for (const [tag, text] of said(curve, shown, i === null)) html(s.readout, tag, {}, text);
  s.readout.title = s.readout.textContent;
  if (i === null) return;
  const x = round(g.X(curve.x[i])), y = round(g.Y(curve.y[i])), top = g.top - 6, side = (from, to, fill, alpha) =>
    svg(s.shade, "path", { d: `M${round(from)} ${top}H${round(to)}V${g.floor}H${round(from)}z`, fill, "fill-opacity": alpha });
  side(g.left, x, theme.accent, 0.14);
  side(x, g.left + g.w, theme.ink, 0.045);
  svg(s.own, "path", { d: `M${x} ${top}V${g.floor}`, stroke: theme.accent, "stroke-width": 1.6, "stroke-dasharray": "5 3" });
  svg(s.own, "path", { d: `M${x} ${round(g.Y(curve.before))}V${y}`, stroke: theme.accent, "stroke-width": 5, "stroke-opacity": 0.45 });
  svg(s.own, "circle", { cx: x, cy: y, r: 5, fill: theme.paper, stroke: theme.accent, "stroke-width": 2.5 });
}

function ownCut(curve) { // what is read out where nothing is chosen: the tree's split, else the best one
  const i = curve.own === null ? -1 : curve.x.findIndex((x) => Math.abs(x - curve.own) <= 1e-6 * (curve.high - curve.low));
  return i < 0 ? curve.best : i;
}

function said(curve, i, still) {
  if (i < 0) return [["span", "Nothing on this axis parts the samples."]];
  const left = curve.left[i], gain = Math.max(curve.before - curve.y[i], 0), what = curve.weighted ? "weight " : "";
  const parts = [["b", cutWords(curve, i)], ["span", `gain ${short(gain, 3)}`], ["span", `${curve.criterion} ${short(curve.y[i], 3)}`],
    ["span", `${what}${short(left, 4)} left, ${short(Math.max(curve.total - left, 0), 4)} right`]];
  return still && i === curve.best ? [...parts, ["span", "the best on this feature"]] : parts;
}

function cutWords({ name, names, stepped, x, missing }, i) {
  const lost = missing[i] ? " or missing" : "", some = stepped || names.length ? names.slice(0, Math.floor(x[i] + 1e-9) + 1) : null;
  if (!some) return `${name} ≤ ${short(x[i])}${lost}`;
  if (!stepped && some.length > 1) return `${name} is at most ${some[some.length - 1]}${lost}`;
  return `${name} is ` + (some.length > 4 ? `one of ${some.length}: ${some.slice(0, 4).join(", ")}, …` : some.join(" or ")) + lost;
}

function curveKey(s, e) {
  const last = s.curve.x.length - 1, from = s.at ?? ownCut(s.curve), far = e.shiftKey ? 10 : 1;
  const to = { ArrowLeft: from - far, ArrowRight: from + far, Home: 0, End: last, Enter: s.curve.best, " ": s.curve.best, Escape: null }[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || to === undefined || last < 0) return;
  e.preventDefault();
  e.stopPropagation();
  choose(s, to === null ? null : Math.min(Math.max(to, 0), last));
}

function curvePicture(s) {
  const copy = s.svg.cloneNode(true), { width, height } = s.g;
  for (const extra of copy.querySelectorAll(".ui")) extra.replaceChildren();
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, value);
  copy.prepend(svg(null, "rect", { width, height, fill: s.theme.paper }));
  return new XMLSerializer().serializeToString(copy);
}
