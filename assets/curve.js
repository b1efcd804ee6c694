// Choosing the threshold: the impurity after every possible cut on one feature, over the node's samples by
// class. Moving along the axis moves a cut of one's own and reads it out; nothing goes back to Python.
// Of a module (`curve.near`) also its neighbourhood T(t0): a band, and below it the gate that the cuts make.

const CURVE = { left: 64, right: 14, top: 26, foot: 40, strip: 62, gap: 12, height: 320, gate: 74 }, SHOW_POINTS = 60;

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
  const { curve } = s, width = (s.width = s.root.clientWidth), { left, right, top, foot, strip, gap } = CURVE;
  if (!width) return;
  s.theme = themeOf(s.root);
  const more = curve.near ? CURVE.gate + gap : 0, height = CURVE.height + more;
  const g = (s.g = { left, top, w: width - left - right, h: CURVE.height - top - foot - strip - gap, floor: height - foot, width, height });
  const span = heightOf(curve);
  g.X = (v) => g.left + (g.w * (v - curve.low)) / (curve.high - curve.low || 1);
  g.Y = (v) => g.top + g.h * (1 - (v - span.low) / (span.high - span.low || 1));
  s.svg.replaceChildren();
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) s.svg.setAttribute(name, value);
  s.shade = svg(s.svg, "g", { class: "ui" });
  if (curve.near) band(s);
  curveAxes(s, span);
  strips(s);
  if (curve.near) gate(s);
  curveLine(s);
  if (curve.near) meanLine(s, span);
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
  turned(g.floor - CURVE.strip / 2, curve.weighted ? "weight" : "rows");
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
  if (curve.own !== null) mark(s, curve.own, "the tree's split");
}

function mark(s, at, text) {
  const { g, theme } = s;
  const x = Math.min(Math.max(g.X(at), g.left), g.left + g.w), anchor = x < g.left + 70 ? "start" : x > g.left + g.w - 70 ? "end" : "middle";
  svg(s.svg, "path", { d: `M${round(x)} ${g.top - 6}V${g.floor}`, stroke: theme.ink, "stroke-width": 2 });
  words(s, x, g.top - 11, text, { fill: theme.ink, "font-weight": 600, "text-anchor": anchor });
}

// A module ---------------------------------------------------------------------------------------------

function band(s) {
  const { g, curve: { near }, theme } = s, top = g.top - 6;
  const [from, to] = [near.x[0], near.x[near.x.length - 1]].map((x) => Math.min(Math.max(g.X(x), g.left), g.left + g.w));
  const path = `M${round(from)} ${top}H${round(to)}V${g.floor}H${round(from)}z`;
  svg(s.svg, "path", { d: path, fill: theme.accent, "fill-opacity": near.share ? 0.13 : 0.06, stroke: theme.accent, "stroke-opacity": near.share ? 0.5 : 0.25 });
}

function meanLine(s, span) { // h_j over the band, and how high it may be for the feature to join
  const { g, curve: { near, before }, theme } = s, y = round(g.Y(near.mean)), end = g.left + g.w;
  const [from, to] = [near.x[0], near.x[near.x.length - 1]].map((x) => Math.min(Math.max(g.X(x), g.left), end));
  if (near.limit > span.low && near.limit < before) {
    const at = round(g.Y(near.limit));
    svg(s.svg, "path", { d: `M${g.left} ${at}h${round(g.w)}`, stroke: theme.ink, "stroke-dasharray": "7 4", "stroke-opacity": 0.6 });
    halo(s, g.left + 4, at - 5, "joins up to here", { "text-anchor": "start" });
  }
  svg(s.svg, "path", { d: `M${round(Math.max(Math.min(from, to - 14), g.left))} ${y}H${round(Math.min(Math.max(to, from + 14), end))}`, stroke: theme.ink, "stroke-width": 3, "stroke-linecap": "round" });
  const right = to + 70 < end;
  halo(s, right ? to + 8 : from - 8, y + 4, `h = ${short(near.mean, 3)}`, { fill: theme.ink, "font-weight": 600, "text-anchor": right ? "start" : "end" });
  mark(s, near.t0, near.share ? "t₀" : "t₀, not in the module");
}

function halo(s, x, y, text, style) { // words that lines may run behind
  const behind = { stroke: s.theme.paper, "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" };
  return words(s, x, y, text, { ...behind, ...style });
}

function gate(s) { // what part of a sample goes left, by its value, and the weight of the cuts that make it so
  const { g, curve: { near, classes }, theme } = s, foot = g.top + g.h + CURVE.gap + CURVE.gate, high = CURVE.gate - 14, end = g.left + g.w;
  const Y = (part) => round(foot - part * high), clip = (x) => round(Math.min(Math.max(g.X(x), g.left), end));
  for (const [part, text] of [[0, "0"], [1, "1"]]) {
    svg(s.svg, "path", { d: `M${g.left} ${Y(part)}h${round(g.w)}`, stroke: theme.line, "stroke-opacity": part ? 0.45 : 1 });
    words(s, g.left - 8, Y(part) + 4, text, { "text-anchor": "end" });
  }
  words(s, 0, 0, "to the left", { fill: theme.ink, "text-anchor": "middle", transform: `translate(12 ${round(foot - high / 2)}) rotate(-90)` });
  const most = Math.max(...near.phi), rug = near.x.map((x, i) => near.phi[i] ? `M${clip(x)} ${foot}v${round(-Math.max(0.55 * high * near.phi[i] / most, 2))}` : "").join("");
  svg(s.svg, "path", { d: rug, stroke: theme.muted, "stroke-width": near.x.length > 60 ? 1 : near.x.length > 12 ? 1.6 : 4, "stroke-opacity": 0.8 });
  let d = `M${g.left} ${Y(near.ends[0])}`;
  near.x.forEach((x, i) => (d += `${i ? `V${Y(near.psi[i])}` : ""}H${clip(x)}`));
  svg(s.svg, "path", { d: `${d}V${Y(near.ends[1])}H${round(end)}`, fill: "none", stroke: theme.accent, "stroke-width": 2, "stroke-linejoin": "round" });
  const many = near.cuts > 1 ? `${near.cuts} cuts, up to ${short(near.k, 3)} of weight on either side` : "one cut";
  const late = clip(near.x[0]) - g.left > end - clip(near.x[near.x.length - 1]); // the wider side of the band
  halo(s, late ? g.left + 4 : end, Y(1) - 6, `ψ, and φ of ${many}`, { "text-anchor": late ? "start" : "end" });
}

function goesLeft(part) { // what becomes of a row whose value is the cut itself
  const percent = (p) => `${short(100 * p, 3)} %`;
  return part >= 1 || part <= 0 ? `a row with this value goes ${part ? "left" : "right"}` : `a row with this value: ${percent(part)} of it goes left, ${percent(1 - part)} right`;
}

function psiAt({ ends, x, psi }, value) {
  const i = x.findIndex((cut) => value <= cut);
  return i < 0 ? ends[1] : i ? psi[i] : ends[0];
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
  if (curve.near) return nearestTo(curve, curve.near.t0);
  const i = curve.own === null ? -1 : curve.x.findIndex((x) => Math.abs(x - curve.own) <= 1e-6 * (curve.high - curve.low));
  return i < 0 ? curve.best : i;
}

function nearestTo({ x }, at) {
  return x.reduce((best, v, i) => (Math.abs(v - at) < Math.abs(x[best] - at) ? i : best), 0);
}

function said(curve, i, still) {
  if (i < 0) return [["span", "Nothing on this axis parts the rows."]];
  const left = curve.left[i], gain = Math.max(curve.before - curve.y[i], 0), what = curve.weighted ? "weight " : "";
  const rest = short(Math.max(curve.total - left, 0), 4), sides = `${short(left, 4)} left, ${rest} right`;
  const parted = curve.near ? `parts the ${curve.weighted ? "weight" : "rows"} ${short(left, 4)} : ${rest}` : what + sides; // a module may turn its sides
  const parts = [["b", cutWords(curve, i)], ["span", `gain${curve.near ? " of this cut" : ""} ${short(gain, 3)}`], ["span", `${curve.criterion} ${short(curve.y[i], 3)}`],
    ["span", parted]];
  if (curve.near) return [...parts, ["span", goesLeft(psiAt(curve.near, curve.x[i]))]];
  return still && i === curve.best ? [...parts, ["span", "the best on this feature"]] : parts;
}

function cutWords(curve, i) { // of a module, where a row goes is a matter of its gate
  const { name, names, stepped, whole, x, said, missing, near } = curve;
  const lost = missing[i] ? " or missing" : "", some = stepped || names.length ? names.slice(0, Math.floor(x[i] + 1e-9) + 1) : null;
  if (!some && near) return i === nearestTo(curve, near.t0) ? near.says : `${name}, cut ${whole ? `between ${said[i]} and ${short(Math.floor(x[i]) + 1, 16)}` : `at ${said[i]}`}`;
  if (!some) return `${name} ≤ ${said[i]}${lost}`;
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
