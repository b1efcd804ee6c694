// The decision surface: a canvas with the tree's boxes, and the samples on top. Python sends what
// core/views/surface.py describes; only what was clicked goes back. Screen and SVG are drawn by the same code
// through a pen with two methods, path and text.

const SHAPES = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`, // circle
  (r) => `m${-r * 0.9} ${-r * 0.9}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`, // square
  (r) => `m0 ${-1.2 * r}l${1.15 * r} ${2 * r}h${-2.3 * r}z`, // triangle
  (r) => `m0 ${-1.35 * r}l${1.25 * r} ${1.35 * r}l${-1.25 * r} ${1.35 * r}l${-1.25 * r} ${-1.35 * r}z`, // diamond
  (r) => `m0 ${1.2 * r}l${1.15 * r} ${-2 * r}h${-2.3 * r}z`, // triangle, upside down
  (r) => `m${-0.45 * r} ${-1.2 * r}h${0.9 * r}v${0.75 * r}h${0.75 * r}v${0.9 * r}h${-0.75 * r}v${0.75 * r}h${-0.9 * r}v${-0.75 * r}h${-0.75 * r}v${-0.9 * r}h${0.75 * r}z`, // plus
  (r) => `m${-1.3 * r} ${-0.6 * r}h${2.6 * r}v${1.2 * r}h${-2.6 * r}z`, // bar
  (r) => `m${-0.6 * r} ${-1.3 * r}h${1.2 * r}v${2.6 * r}h${-1.2 * r}z`, // pillar
];
const DOUBT = { light: "#6d2e8f", dark: "#c79be6" };
const STRIP = 30, PHONE_WIDTH = 500, NEAR = 9, NEAR_TOUCH = 18;

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
  s.boxes = boxesOf(data.surface);
  if (!s.channel) tuneSurface(s, data.channel);
  marked(s, s.channel.state);
  const { axes } = data.surface;
  s.top.setAttribute("aria-label", `decision surface of ${data.surface.target} over ${axes.map((a) => a.name).join(" and ")}: ` +
    "arrows move the crosshair, N and P go to the next and previous sample, Enter selects");
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

function marked(s, state) { // leaves below the selected node; none for the root, which would be all of them
  const { surface, tree } = s.data, of = state?.tree === tree ? state : { id: 0, end: 0, row: null };
  const inside = (leaf) => of.id > 0 && leaf >= of.id && leaf < (of.end ?? of.id + 1);
  s.lit = new Set(surface.leaves.filter(inside));
  s.sample = of.row && sampleOf(surface, of.row);
  const held = surface.held.map(([name, value]) => `${name} = ${value}`).join(", ");
  s.foot.textContent = [of.id > 0 && !s.lit.size ? "The selected node lies outside this slice." : "", held && `Other features: ${held}.`,
    surface.left_out ? `${surface.left_out.toLocaleString("en")} samples are not drawn.` : ""].filter(Boolean).join(" ");
  s.foot.title = s.foot.textContent;
}

function sampleOf(surface, row) { // a sample of the points drawn is known here, any other comes from Python
  const i = surface.points.row.indexOf(row.row);
  if (i < 0) return row.x === undefined ? null : row;
  return { row: row.row, x: surface.points.x[i], y: surface.points.y?.[i] ?? null, target: surface.points.target[i] };
}

function boxesOf(surface) {
  const flat = surface.boxes, size = 2 * surface.axes.length + 1, boxes = [];
  for (let i = 0; i < flat.length; i += size) {
    const [x0, x1, y0, y1] = flat.slice(i, i + size - 1);
    boxes.push({ x0, x1, y0, y1, answer: flat[i + size - 1], leaf: surface.leaves[flat[i + size - 1]] });
  }
  return boxes;
}

// Geometry --------------------------------------------------------------------------------------------

function geometry(s, width, height) {
  const { axes, kind, range } = s.data.surface, narrow = width < PHONE_WIDTH, [x, y] = axes;
  const up = y ?? (kind === "number" ? { name: s.data.surface.target, low: range[0], high: range[1] } : { name: "share", low: 0, high: 1, percent: true });
  if (!y && kind === "number") { const pad = 0.04 * (up.high - up.low) || 1; up.low -= pad; up.high += pad; }
  const sideways = ticks(up, (height - 60) / 44).map(([, word]) => wide(s, word, 11, 400));
  const left = Math.min(Math.max(...sideways, y?.missing ? 38 : 20), narrow ? 60 : 110) + 34 + (x.missing ? STRIP : 0);
  const rug = !y && kind === "class" ? 46 : 0;
  const bottom = 44 + (y?.missing ? STRIP : 0) + rug;
  const g = { x, y: up, left, top: 8, w: width - left - 14, h: height - bottom - 8, rug, width, height, one: !y };
  g.X = (v) => g.left + (g.w * (v - x.low)) / (x.high - x.low);
  g.Y = (v) => g.top + g.h * (1 - (v - up.low) / (up.high - up.low));
  return g;
}

// Colours ---------------------------------------------------------------------------------------------

const classInk = (s, i) => s.data.surface.classes[i][s.theme.dark ? "dark" : "light"];

function doubtOf(surface, answer) { // 0 sure, 1 as unsure as can be
  if (surface.kind === "number") return surface.doubt[answer] / (Math.max(...surface.doubt) || 1);
  const k = surface.classes.length;
  return (1 - Math.max(...surface.answers[answer]) / 1000) / (1 - 1 / k || 1);
}

function fillOf(s, answer) {
  const { surface, show } = s.data, says = surface.answers[answer], paper = hex(s.theme.paper);
  if (show === "uncertainty") { const d = doubtOf(surface, answer); return blend([paper, DOUBT[s.theme.dark ? "dark" : "light"]], [1 - d * 0.85, d * 0.85]); }
  if (surface.kind === "number") return blend([paper, scaled(part(says, surface.range))], [0.12, 0.88]);
  const strength = (show === "class" ? 0.44 : 0.52) * (s.theme.dark ? 0.4 : 1), top = says.indexOf(Math.max(...says));
  const weights = show === "class" ? says.map((_, i) => (i === top ? strength : 0)) : says.map((share) => (share / 1000) * strength);
  return blend([paper, ...surface.classes.map((_, i) => hex(classInk(s, i)))], [1 - strength, ...weights]);
}

const probe = document.createElement("canvas").getContext("2d");

function hex(colour) {
  probe.fillStyle = colour;
  return probe.fillStyle.slice(0, 7);
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

function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  Object.assign(canvas.style, { width: width + "px", height: height + "px" });
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
}

function canvasPen(c, theme) {
  return {
    path(d, { fill, stroke, width = 1, alpha = 1, dash = [] }) {
      const p = new Path2D(d);
      c.globalAlpha = alpha;
      c.setLineDash(dash);
      if (fill) { c.fillStyle = fill; c.fill(p); }
      if (stroke) { c.strokeStyle = stroke; c.lineWidth = width; c.lineJoin = "round"; c.stroke(p); }
      c.globalAlpha = 1;
    },
    text(x, y, words, { size = 11, anchor = "start", weight = 400, fill = theme.ink, turned = false }) {
      c.save();
      c.translate(x, y);
      if (turned) c.rotate(-Math.PI / 2);
      Object.assign(c, { font: `${weight} ${size}px ${theme.font}`, fillStyle: fill, textAlign: anchor === "middle" ? "center" : anchor });
      c.fillText(words, 0, 0);
      c.restore();
    },
  };
}

function svgPen(parent, theme) {
  return {
    path(d, { fill = "none", stroke = "none", width = 1, alpha = 1, dash = [] }) {
      svg(parent, "path", { d, fill, stroke, "stroke-width": width, opacity: alpha, "stroke-dasharray": dash.join(" ") || "none", "stroke-linejoin": "round" });
    },
    text(x, y, words, { size = 11, anchor = "start", weight = 400, fill = theme.ink, turned = false }) {
      svg(parent, "text", { transform: `translate(${round(x)} ${round(y)})${turned ? " rotate(-90)" : ""}`, "font-size": size,
        "font-weight": weight, "font-family": theme.font, fill, "text-anchor": anchor }, words);
    },
  };
}

function paintSurface(s, pen) {
  if (!s.g.one) boxesLayer(s, pen);
  else if (s.data.surface.kind === "class") shareCurves(s, pen);
  axesLayer(s, pen);
  if (s.g.one && s.data.surface.kind === "number") { pointsLayer(s, pen); stepCurve(s, pen); }
  else pointsLayer(s, pen);
  if (s.g.one && s.lit.size) dimmed(s, pen);
  sampleLayer(s, pen);
}

const rect = (x0, y0, x1, y1) => `M${x0} ${y0}H${x1}V${y1}H${x0}z`;

function rectOf(s, box) { // on whole device pixels: no seams between neighbours
  const snap = (v) => { const r = devicePixelRatio || 1; return Math.round(v * r) / r; }, { g } = s;
  const [y0, y1] = g.one ? [g.top, g.top + g.h] : [g.Y(box.y1), g.Y(box.y0)];
  return rect(snap(g.X(box.x0)), snap(y0), snap(g.X(box.x1)), snap(y1));
}

function boxesLayer(s, pen) {
  const { theme, boxes } = s, lit = boxes.filter((box) => s.lit.has(box.leaf)), byAnswer = new Map();
  for (const box of boxes) byAnswer.set(box.answer, (byAnswer.get(box.answer) ?? "") + rectOf(s, box));
  for (const [answer, d] of byAnswer) pen.path(d, { fill: fillOf(s, answer) });
  if (boxes.length < 500) pen.path(boxes.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 0.7, alpha: 0.2 });
  if (!s.lit.size) return;
  pen.path(boxes.filter((box) => !s.lit.has(box.leaf)).map((box) => rectOf(s, box)).join(""), { fill: theme.paper, alpha: 0.62 });
  pen.path(lit.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 5 });
  for (const box of lit) pen.path(rectOf(s, box), { fill: fillOf(s, box.answer) }); // only the outline of all stays
  pen.path(lit.map((box) => rectOf(s, box)).join(""), { stroke: theme.ink, width: 0.7, alpha: 0.2 });
}

function shareCurves(s, pen) {
  const { surface } = s.data, paths = surface.classes.map(() => "");
  for (const box of s.boxes) {
    let from = 0;
    surface.answers[box.answer].forEach((share, i) => {
      if (share) paths[i] += rect(round(s.g.X(box.x0)), round(s.g.Y(from)), round(s.g.X(box.x1)), round(s.g.Y((from += share / 1000))));
    });
  }
  paths.forEach((d, i) => d && pen.path(d, { fill: blend([hex(s.theme.paper), hex(classInk(s, i))], [0.35, 0.65]) }));
  pen.path(s.boxes.map((box) => rectOf(s, box)).join(""), { stroke: s.theme.ink, width: 0.7, alpha: 0.2 });
}

function stepCurve(s, pen) {
  const boxes = [...s.boxes].sort((a, b) => a.x0 - b.x0);
  const d = boxes.map((box, i) => `${i ? "V" : `M${round(s.g.X(box.x0))} `}${round(s.g.Y(s.data.surface.answers[box.answer]))}H${round(s.g.X(box.x1))}`).join("");
  pen.path(d, { stroke: s.theme.paper, width: 6, alpha: 0.8 });
  pen.path(d, { stroke: s.theme.ink, width: 2.4 });
}

function dimmed(s, pen) {
  pen.path(s.boxes.filter((box) => !s.lit.has(box.leaf)).map((box) => rectOf(s, box)).join(""), { fill: s.theme.paper, alpha: 0.6 });
}

function axesLayer(s, pen) {
  const { g, theme } = s, foot = g.top + g.h, soft = { fill: theme.muted }, below = foot + g.rug + (s.data.surface.axes[1]?.missing ? STRIP : 0);
  pen.path(rect(g.left, g.top, g.left + g.w, foot), { stroke: theme.line });
  const xs = ticks(g.x, g.w / 70), room = g.w / Math.max(xs.length, 1) - 6;
  const every = g.x.names ? Math.ceil(28 / Math.max(room + 6, 1)) : 1;
  xs.forEach(([v, word], i) => {
    if (i % every) return;
    const x = round(g.X(v));
    pen.path(`M${x} ${below}v4`, { stroke: theme.line });
    pen.text(x, below + 16, g.x.names ? cut(s, word, room * every, 11, 400) : word, { ...soft, anchor: "middle" });
  });
  for (const [v, word] of ticks(g.y, (g.height - 60) / 44)) {
    const y = round(g.Y(v)), x = g.left - (g.x.missing ? STRIP : 0);
    pen.path(`M${x} ${y}h-4`, { stroke: theme.line });
    pen.text(x - 7, y + 4, cut(s, word, x - 28, 11, 400), { ...soft, anchor: "end" });
  }
  pen.text(g.left + g.w / 2, g.height - 6, cut(s, g.x.name, g.w, 12), { size: 12, weight: 600, anchor: "middle" });
  pen.text(13, g.top + g.h / 2, cut(s, g.y.name, g.h, 12), { size: 12, weight: 600, anchor: "middle", turned: true });
  const small = { size: 10, fill: theme.muted, anchor: "end" };
  if (g.x.missing) {
    strip(s, pen, g.left - STRIP, g.top, STRIP - 4, g.h);
    pen.text(g.left - 4, below + 15, "missing", small);
  }
  if (s.data.surface.axes[1]?.missing) {
    strip(s, pen, g.left, foot + 4, g.w, STRIP - 4);
    pen.text(g.left - 6, foot + STRIP / 2 + 5, "missing", small);
  }
}

function strip(s, pen, x, y, w, h) {
  pen.path(rect(x, y, x + w, y + h), { fill: s.theme.ink, alpha: 0.05 });
}

// Samples ---------------------------------------------------------------------------------------------

const shake = (row, salt) => { const x = Math.sin((row + 1) * 12.9898 + salt) * 43758.5453; return x - Math.floor(x) - 0.5; }; // the same for a sample each time

function spotOf(s, row, x, y, target) {
  const { g } = s, { axes, kind } = s.data.surface;
  const along = (v, axis, map, gap, salt) => (v === null ? gap + 12 * shake(row, salt) : map(v + (axis.names ? 0.62 * shake(row, salt) : 0)));
  const px = along(x, axes[0], g.X, g.left - STRIP / 2 - 2, 631);
  if (!g.one) return [px, along(y, axes[1], g.Y, g.top + g.h + STRIP / 2 + 2, 397)];
  if (kind === "number") return [px, g.Y(target)];
  return [px, g.top + g.h + g.rug * (0.5 + 0.75 * shake(row, 397))];
}

function placePoints(s) {
  const { points } = s.data.surface;
  s.spots = points.row.map((row, i) => spotOf(s, row, points.x[i], points.y?.[i] ?? null, points.target[i]));
}

const radiusOf = (n) => (n <= 300 ? 4 : n <= 1000 ? 3.1 : 2.4);

function pointsLayer(s, pen) {
  placePoints(s);
  const { points, kind, range } = s.data.surface, r = radiusOf(points.row.length), groups = new Map();
  points.row.forEach((_, i) => {
    const step = kind === "class" ? points.target[i] : Math.round(24 * part(points.target[i], range));
    const name = `${step} ${points.out[i]}`, [x, y] = s.spots[i];
    groups.set(name, (groups.get(name) ?? "") + `M${round(x)} ${round(y)}` + SHAPES[kind === "class" ? step % SHAPES.length : 0](r));
  });
  for (const [name, d] of groups) {
    const [step, out] = name.split(" ").map(Number), colour = kind === "class" ? classInk(s, step) : scaled(step / 24);
    pen.path(d, out ? { fill: s.theme.paper, stroke: s.theme.paper, width: 3.4, alpha: 0.75 } : { fill: colour });
    pen.path(d, out ? { stroke: colour, width: 1.7 } : { stroke: s.theme.paper, width: 0.9 });
  }
  const rings = s.spots.filter((_, i) => points.wrong?.[i]).map(([x, y]) => `M${round(x)} ${round(y)}` + SHAPES[0](r + (r > 3 ? 2.6 : 1.6))).join("");
  if (rings) pen.path(rings, { stroke: s.theme.ink, width: r > 3 ? 1.3 : 0.9 });
}

function sampleLayer(s, pen) {
  const one = s.sample;
  if (!one) return;
  const [x, y] = spotOf(s, one.row, one.x, one.y, one.target);
  for (const [stroke, width] of [[s.theme.paper, 5], [s.theme.ink, 2.4]])
    pen.path(`M${round(x)} ${round(y)}` + SHAPES[0](9) + `M${round(x)} ${round(y - 15)}v6m0 18v-6m-15 -9h6m18 0h-6`, { stroke, width });
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
  const found = point !== undefined ? { id: points.leaf[point], row: { row } } : { id: boxAt(s, s.cross).leaf, row: null };
  const at = say(s.channel, { tree: s.data.tree, ...found, end: found.id + 1 });
  s.send(point !== undefined ? { row } : s.g.one ? { x } : { x, y }, at);
}

function boxAt(s, { x, y }) {
  return s.boxes.find((b) => x >= b.x0 && x <= b.x1 && (s.g.one || (y > b.y0 && y <= b.y1))) ?? s.boxes[0];
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
  const box = boxAt(s, cross);
  const spot = [surface.axes[0].name + ": " + named(surface.axes[0], cross.x)];
  if (!s.g.one) spot.push(surface.axes[1].name + ": " + named(surface.axes[1], cross.y));
  return [...answerWords(surface, box.answer), ...spot, `leaf ${box.leaf}`];
}

function answerWords(surface, answer) {
  const says = surface.answers[answer];
  if (surface.kind === "number") return [`${surface.target}: ${short(says)}`];
  const order = says.map((share, i) => [share, i]).filter(([share]) => share).sort((a, b) => b[0] - a[0]);
  return order.slice(0, 4).map(([share, i]) => `${surface.classes[i].name} ${share / 10} %`);
}

function pointWords(s, i) {
  const { points, axes, kind, classes, target } = s.data.surface;
  const words = [kind === "class" ? classes[points.target[i]].name : `${target}: ${short(points.target[i])}`];
  if (points.wrong?.[i]) words.push("misclassified");
  words.push(`${axes[0].name}: ${named(axes[0], points.x[i])}`);
  if (axes[1]) words.push(`${axes[1].name}: ${named(axes[1], points.y[i])}`);
  return [...words, `sample ${points.row[i]}${points.out[i] ? ", held out" : ""}`];
}

const named = (axis, v) => (v === null ? "missing" : axis.names ? axis.names[v] ?? short(v) : short(v));

// Legend and downloads --------------------------------------------------------------------------------

function legendOf(s) {
  const { surface, show } = s.data;
  s.legend.replaceChildren();
  html(s.legend, "b", {}, surface.target);
  if (surface.kind === "class") surface.classes.slice(0, 10).forEach((one, i) => classEntry(s, one.name, classInk(s, i), i));
  else if (show !== "uncertainty" || s.g.one) ramp(s.legend, SCALE, short(surface.range[0], 3), short(surface.range[1], 3));
  if (show === "uncertainty" && !s.g.one) ramp(s.legend, [s.theme.paper, DOUBT[s.theme.dark ? "dark" : "light"]], "sure", "unsure");
  if (surface.points.out.includes(1)) classEntry(s, "held out", s.theme.muted, 0, true);
  if (surface.points.wrong?.includes(1)) classEntry(s, "misclassified", s.theme.ink, 0, true, true);
}

function classEntry(s, name, colour, shape, hollow, ringed) {
  const entry = html(s.legend, "span", { title: name }), icon = svg(entry, "svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" });
  svg(icon, "path", { d: "M0 0" + SHAPES[shape % SHAPES.length](ringed ? 5.6 : 4.2), fill: hollow ? "none" : colour, stroke: colour, "stroke-width": hollow ? 1.5 : 0 });
  if (ringed) svg(icon, "circle", { r: 2.6, fill: s.theme.muted });
  html(entry, "em", {}, name);
}

function pictureOf(s) {
  const { g, theme } = s, { surface, show } = s.data, top = 34, picture = svg(null, "svg", { xmlns: SVG, width: g.width, height: g.height + top, viewBox: `0 0 ${g.width} ${g.height + top}` });
  svg(picture, "rect", { width: g.width, height: g.height + top, fill: theme.paper });
  const pen = svgPen(picture, theme);
  pen.text(14, 22, surface.target, { size: 13, weight: 700 });
  let x = 14 + wide(s, surface.target, 13, 700) + 20;
  for (const [i, { name }] of surface.classes.entries()) {
    pen.path(`M${x} 18` + SHAPES[i % SHAPES.length](4.5), { fill: classInk(s, i) });
    pen.text(x + 10, 22, name, { size: 12 });
    x += 28 + wide(s, name, 12, 400);
  }
  if (surface.kind === "number" && show !== "uncertainty") pictureRamp(s, pen, x);
  paintSurface(s, svgPen(svg(picture, "g", { transform: `translate(0 ${top})`, "shape-rendering": "auto" }), theme));
  return new XMLSerializer().serializeToString(picture);
}

function pictureRamp(s, pen, x) {
  const [low, high] = s.data.surface.range.map((x) => short(x, 3)), from = x + wide(s, low, 11, 400) + 8;
  pen.text(x, 22, low, {});
  for (let i = 0; i < 40; i++) pen.path(rect(round(from + 3 * i), 12, round(from + 3 * i + 3.2), 24), { fill: scaled(i / 39) });
  pen.text(from + 128, 22, high, {});
}
