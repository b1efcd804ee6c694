// The decision surface: a canvas with what a tree says everywhere, and the samples on top. Python sends what
// core/espalier/views/boundaries/surface.py describes; only what was clicked goes back. What is told as boxes (boxes.js) and what is
// told as a grid of cells (raster.js) have the same methods, the surface's form.
const NEAR = 9, NEAR_TOUCH = 18;

const surfaces = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = surfaces.get(parentElement);
  if (!s) surfaces.set(parentElement, (s = mountSurface(parentElement.querySelector(".espalier-surface"))));
  s.send = (picked, at) => setStateValue("picked", { surface: s.data.surface.id, ...picked, at });
  receiveSurface(s, data);
  return () => { s.observer.disconnect(); s.channel?.listeners.delete(s.hear); surfaces.delete(parentElement); };
}

function mountSurface(root) {
  const s = { root, cross: null };
  const head = html(root, "div", { class: "head" });
  s.legend = html(head, "div", { class: "legend" });
  buttons(html(head, "div", { class: "bar", role: "toolbar", "aria-label": "decision surface" }), [
    ["SVG", "download the picture as SVG", () => saveSvg(pictureOf(s), "surface.svg")],
    ["PNG", "download the picture as PNG", () => savePng(pictureOf(s), "surface.png")],
  ]);
  s.stage = html(root, "div", { class: "stage" });
  s.canvas = html(s.stage, "canvas", { "aria-hidden": "true" });
  s.top = html(s.stage, "canvas", { class: "top", tabindex: 0, role: "application" });
  s.tip = html(s.stage, "div", { class: "tip" });
  s.foot = html(root, "div", { class: "foot" });
  s.voice = html(root, "div", { class: "voice", "aria-live": "polite" });
  listenSurface(s);
  s.observer = new ResizeObserver(() => s.data && drawAll(s));
  s.observer.observe(root);
  return s;
}

function receiveSurface(s, data) {
  if (!s.data || s.data.surface.id !== data.surface.id) { s.cross = null; s.tip.hidden = true; }
  s.data = data;
  s.form = data.surface.cells ? CELLS : BOXES;
  s.form.read(s);
  if (!s.channel) tuneSurface(s, data.channel);
  marked(s, s.channel.state);
  const { axes } = data.surface;
  s.top.setAttribute("aria-label", `decision surface of ${data.surface.target} over ${axes.map((a) => a.name).join(" and ")}: ` +
    "arrows move the crosshair, N and P go to the next and previous row, Enter selects");
  drawAll(s);
}

function tuneSurface(s, name) {
  s.channel = channelOf(name);
  s.hear = (state) => {
    marked(s, state);
    if (s.g) redraw(s);
  };
  s.channel.listeners.add(s.hear);
}

function marked(s, state) {
  const { surface, tree } = s.data, other = { id: 0, end: 0, row: tree === null ? state?.row ?? null : null };
  const of = state?.tree === tree ? state : other;
  const where = s.form.light(s, of);
  s.sample = of.row && sampleOf(surface, of.row);
  const held = surface.held.map(([name, value]) => `${name} = ${value}`).join(", ");
  s.foot.textContent = [where, held && `Other features: ${held}.`,
    surface.left_out ? `${surface.left_out.toLocaleString("en")} rows are not drawn.` : ""].filter(Boolean).join(" ");
  s.foot.title = s.foot.textContent;
}

function sampleOf(surface, row) { // a sample of the points drawn is known here, any other comes from Python
  const i = surface.points.row.indexOf(row.row);
  if (i < 0) return row.x === undefined ? null : row;
  return { row: row.row, x: surface.points.x[i], y: surface.points.y?.[i] ?? null, target: surface.points.target[i] };
}

// Drawing ---------------------------------------------------------------------------------------------

function drawAll(s) {
  const width = s.root.clientWidth, narrow = width < PHONE_WIDTH;
  if (!width) return;
  const height = narrow ? Math.min(s.data.height, Math.round(width * 0.95)) : s.data.height;
  s.theme = themeOf(s.root);
  s.g = geometry(s, width, height);
  s.stage.style.height = height + "px";
  for (const canvas of [s.canvas, s.top]) sized(canvas, width, height);
  legendOf(s);
  redraw(s);
}

function redraw(s) {
  const c = s.canvas.getContext("2d");
  c.clearRect(0, 0, s.g.width, s.g.height);
  paintSurface(s, canvasPen(c, s.theme));
  drawCross(s);
}

function paintSurface(s, pen) {
  s.form.paint(s, pen);
  axesLayer(s, pen);
  pointsLayer(s, pen);
  if (s.g.one && s.data.surface.kind === "number") s.form.curve(s, pen);
  if (s.g.one) s.form.fade(s, pen);
  sampleLayer(s, pen);
}

// Reading: hover, keys, clicks ------------------------------------------------------------------------

function listenSurface(s) {
  s.top.addEventListener("pointermove", (e) => point(s, e));
  s.top.addEventListener("pointerdown", (e) => point(s, e));
  s.top.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && clear(s));
  s.top.addEventListener("click", (e) => { point(s, e); pick(s); });
  s.top.addEventListener("keydown", (e) => surfaceKey(s, e));
  s.top.addEventListener("blur", () => clear(s));
}

function point(s, e) {
  const box = s.top.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top, { g } = s;
  const near = nearestPoint(s, px, py, e.pointerType === "touch" ? NEAR_TOUCH : NEAR);
  const inside = px >= g.left && px <= g.left + g.w && py >= g.top && py <= g.top + g.h;
  if (near !== null) s.cross = { point: near, px: s.spots[near][0], py: s.spots[near][1] };
  else s.cross = inside ? { ...valuesAt(s, px, py), px, py } : null;
  drawCross(s);
}

function nearestPoint(s, px, py, reach) {
  let best = null, least = reach;
  s.spots.forEach(([x, y], i) => { const d = Math.hypot(x - px, y - py); if (d <= least) { least = d; best = i; } });
  return best;
}

function valuesAt(s, px, py) {
  const { g } = s, value = (t, axis) => { const v = axis.low + t * (axis.high - axis.low); return axis.names ? Math.min(Math.max(Math.round(v), 0), axis.names.length - 1) : v; };
  return { x: value((px - g.left) / g.w, g.x), y: value(1 - (py - g.top) / g.h, g.y) };
}

function clear(s) {
  s.cross = null;
  drawCross(s);
}

function pick(s) {
  if (!s.cross) return;
  const { points } = s.data.surface, { x, y, point } = s.cross, row = points.row[point];
  if (s.data.tree === null) { // of another tree than the one that is selected in: only samples are the same
    if (row !== undefined) s.send({ row }, say(s.channel, { ...s.channel.state, row: { row } }));
    return;
  }
  const leaf = point !== undefined ? points.leaf[point] : s.form.leaf(s, s.cross), before = s.channel.state;
  const found = leaf === null ? { id: before?.id ?? 0, end: before?.end } : { id: leaf, end: leaf + 1 }; // null: Python will tell
  const at = say(s.channel, { tree: s.data.tree, ...found, row: point !== undefined ? { row } : null });
  s.send(point !== undefined ? { row } : s.g.one ? { x } : { x, y }, at);
}

function surfaceKey(s, e) {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key], turn = { n: 1, p: -1 }[e.key.toLowerCase()];
  if (e.ctrlKey || e.metaKey || e.altKey || !(by || turn || ["Enter", " ", "Escape"].includes(e.key))) return;
  e.preventDefault();
  e.stopPropagation();
  if (by) step(s, by, e.shiftKey ? 10 : 1);
  else if (turn) nextPoint(s, turn);
  else if (e.key === "Escape") clear(s);
  else pick(s);
  s.voice.textContent = s.cross ? readout(s).join(", ") : "";
}

function step(s, [dx, dy], many) {
  const { g } = s, stride = (axis, size) => (axis.names ? size / axis.names.length : (many * size) / 60);
  const from = s.cross ?? { px: g.left + g.w / 2, py: g.top + g.h / 2 }, clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  const px = clamp(from.px + dx * stride(g.x, g.w), g.left, g.left + g.w), py = clamp(from.py - dy * stride(g.y, g.h), g.top, g.top + g.h);
  s.cross = { ...valuesAt(s, px, py), px, py };
  drawCross(s);
}

function nextPoint(s, by) {
  const n = s.spots.length, i = ((s.cross?.point ?? (by > 0 ? -1 : n)) + by + n) % n;
  if (!n) return;
  s.cross = { point: i, px: s.spots[i][0], py: s.spots[i][1] };
  drawCross(s);
}

function drawCross(s) {
  const c = s.top.getContext("2d"), { g, cross } = s;
  c.clearRect(0, 0, g.width, g.height);
  s.tip.hidden = !cross;
  s.top.style.cursor = cross?.point !== undefined ? "pointer" : "crosshair";
  if (!cross) return;
  const pen = canvasPen(c, s.theme), x = round(cross.px), y = round(cross.py);
  if (cross.point !== undefined) pen.path(`M${x} ${y}` + SHAPES[0](8), { stroke: s.theme.ink, width: 2 });
  else pen.path(`M${x} ${g.top}v${g.h}M${g.left} ${y}h${g.w}`, { stroke: s.theme.ink, alpha: 0.55, dash: [4, 3] });
  tipAt(s, cross);
}

function tipAt(s, { px, py }) {
  s.tip.replaceChildren();
  readout(s).forEach((words, i) => html(s.tip, i ? "div" : "b", {}, words));
  const w = s.tip.offsetWidth, h = s.tip.offsetHeight, x = px + 16 + w < s.g.width ? px + 16 : px - w - 16;
  s.tip.style.transform = `translate(${Math.max(x, 2)}px, ${Math.min(Math.max(py - h - 10, 2), s.g.height - h - 2)}px)`;
}

function readout(s) {
  const { surface } = s.data, { cross } = s;
  if (cross.point !== undefined) return pointWords(s, cross.point);
  const [says, more] = s.form.says(s, cross);
  const spot = [surface.axes[0].name + ": " + named(surface.axes[0], cross.x)];
  if (!s.g.one) spot.push(surface.axes[1].name + ": " + named(surface.axes[1], cross.y));
  return [...says, ...spot, ...more];
}

function pointWords(s, i) {
  const { points, axes, kind, classes, target } = s.data.surface;
  const words = [kind === "class" ? classes[points.target[i]].name : `${target}: ${short(points.target[i])}`];
  if (points.wrong?.[i]) words.push("misclassified");
  if (points.ringed?.[i]) words.push(points.why);
  words.push(`${axes[0].name}: ${named(axes[0], points.x[i], 6)}`);
  if (axes[1]) words.push(`${axes[1].name}: ${named(axes[1], points.y[i], 6)}`);
  return [...words, `row ${points.row[i] + 1}${points.out[i] ? ", held out" : ""}`];
}

// Of a row so many digits stand there that it is seen on which side of a threshold it lies.
const named = (axis, v, digits = 4) => (v === null ? "missing" : axis.names?.[v] ?? short(v, digits));

// Legend and downloads --------------------------------------------------------------------------------

function legendOf(s) {
  const { surface } = s.data, own = s.form.ramp(s);
  s.legend.replaceChildren();
  html(s.legend, "b", {}, surface.target);
  if (surface.kind === "class") surface.classes.slice(0, 10).forEach((one, i) => classEntry(s, one.name, classInk(s, i), i));
  else if (!own) ramp(s.legend, SCALE, short(surface.range[0], 3), short(surface.range[1], 3));
  if (own) ramp(s.legend, own.slice(0, 1).flatMap((ink) => [s.theme.paper, ink]), own[1], own[2]);
  if (surface.points.out.includes(1)) classEntry(s, "held out", s.theme.muted, 0, true);
  const [flags, why] = ringsOf(surface.points);
  if (flags?.includes(1)) classEntry(s, why, s.theme.ink, 0, true, true);
}

function classEntry(s, name, colour, shape, hollow, ringed) {
  const entry = html(s.legend, "span", { title: name }), icon = svg(entry, "svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" });
  svg(icon, "path", { d: "M0 0" + SHAPES[shape % SHAPES.length](ringed ? 5.6 : 4.2), fill: hollow ? "none" : colour, stroke: colour, "stroke-width": hollow ? 1.5 : 0 });
  if (ringed) svg(icon, "circle", { r: 2.6, fill: s.theme.muted });
  html(entry, "em", {}, name);
}

function pictureOf(s) {
  const { g, theme } = s, { surface } = s.data, own = s.form.ramp(s), top = 34, picture = svg(null, "svg", { xmlns: SVG, width: g.width, height: g.height + top, viewBox: `0 0 ${g.width} ${g.height + top}` });
  svg(picture, "rect", { width: g.width, height: g.height + top, fill: theme.paper });
  const pen = svgPen(picture, theme);
  pen.text(14, 22, surface.target, { size: 13, weight: 700 });
  let x = 14 + wide(s, surface.target, 13, 700) + 20;
  for (const [i, { name }] of surface.classes.entries()) {
    pen.path(`M${x} 18` + SHAPES[i % SHAPES.length](4.5), { fill: classInk(s, i) });
    pen.text(x + 10, 22, name, { size: 12 });
    x += 28 + wide(s, name, 12, 400);
  }
  const paper = hex(theme.paper);
  if (own) pictureRamp(s, pen, x, own.slice(1), (t) => blend([paper, own[0]], [1 - 0.85 * t, 0.85 * t]));
  else if (surface.kind === "number") pictureRamp(s, pen, x, surface.range.map((v) => short(v, 3)), scaled);
  paintSurface(s, svgPen(svg(picture, "g", { transform: `translate(0 ${top})`, "shape-rendering": "auto" }), theme));
  return new XMLSerializer().serializeToString(picture);
}

function pictureRamp(s, pen, x, [low, high], colour) {
  const from = x + wide(s, low, 11, 400) + 8;
  pen.text(x, 22, low, {});
  for (let i = 0; i < 40; i++) pen.path(rect(round(from + 3 * i), 12, round(from + 3 * i + 3.2), 24), { fill: colour(i / 39) });
  pen.text(from + 128, 22, high, {});
}
