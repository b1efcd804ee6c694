// The plane that a surface is drawn on: geometry, axes, samples, and a pen of three methods, path, text and
// image, by which screen and SVG are drawn with the same code.

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
const STRIP = 30, PHONE_WIDTH = 500;

function geometry(s, width, height) {
  const { axes, kind, range } = s.data.surface, narrow = width < PHONE_WIDTH, [x, y] = axes;
  const up = y ?? s.form.upright(s) ?? (kind === "number" ? { name: s.data.surface.target, low: range[0], high: range[1] } : { name: "share", low: 0, high: 1, percent: true });
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

const classInk = (s, i) => s.data.surface.classes[i][s.theme.dark ? "dark" : "light"];

const probe = document.createElement("canvas").getContext("2d");

function hex(colour) {
  probe.fillStyle = colour;
  return probe.fillStyle.slice(0, 7);
}

const snap = (v) => { const r = devicePixelRatio || 1; return Math.round(v * r) / r; }; // to whole device pixels: no seams

const rect = (x0, y0, x1, y1) => `M${x0} ${y0}H${x1}V${y1}H${x0}z`;

// Pens ------------------------------------------------------------------------------------------------

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
    image(picture, x, y, w, h) {
      c.drawImage(picture, x, y, w, h);
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
    image(picture, x, y, width, height) {
      svg(parent, "image", { href: picture.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
    },
  };
}

// Axes ------------------------------------------------------------------------------------------------

function axesLayer(s, pen) {
  const { g, theme } = s, foot = g.top + g.h, soft = { fill: theme.muted }, below = foot + g.rug + (s.data.surface.axes[1]?.missing ? STRIP : 0);
  pen.path(rect(g.left, g.top, g.left + g.w, foot), { stroke: theme.line });
  const xs = ticks(g.x, g.w / 70), ys = ticks(g.y, (g.height - 60) / 44);
  const every = g.x.names ? spacing(xs, g.w, Math.min(Math.max(...xs.map(([, word]) => wide(s, word, 11, 400))) + 8, 64)) : 1;
  const room = (g.w / Math.max(xs.length, 1)) * every - 6;
  xs.forEach(([v, word], i) => {
    if (i % every) return;
    const x = round(g.X(v));
    pen.path(`M${x} ${below}v4`, { stroke: theme.line });
    pen.text(x, below + 16, g.x.names ? cut(s, word, room, 11, 400) : word, { ...soft, anchor: "middle" });
  });
  const apart = g.y.names ? spacing(ys, g.h, 14) : 1;
  for (const [v, word] of ys.filter((_, i) => i % apart === 0)) {
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
    pen.text(g.left - 6 - (g.x.missing ? STRIP : 0), foot + STRIP / 2 + 5, "missing", small);
  }
}

const spacing = (marks, length, need) => Math.max(1, Math.ceil((need * marks.length) / Math.max(length, 1))); // of labels: every how many

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

const ringsOf = (points) => (points.ringed ? [points.ringed, points.why] : [points.wrong, "misclassified"]); // and what a ring says

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
  const [flags] = ringsOf(points);
  const rings = s.spots.filter((_, i) => flags?.[i]).map(([x, y]) => `M${round(x)} ${round(y)}` + SHAPES[0](r + (r > 3 ? 2.6 : 1.6))).join("");
  if (rings) pen.path(rings, { stroke: s.theme.ink, width: r > 3 ? 1.3 : 0.9 });
}

function sampleLayer(s, pen) {
  const one = s.sample;
  if (!one) return;
  const [x, y] = spotOf(s, one.row, one.x, one.y, one.target);
  for (const [stroke, width] of [[s.theme.paper, 5], [s.theme.ink, 2.4]])
    pen.path(`M${round(x)} ${round(y)}` + SHAPES[0](9) + `M${round(x)} ${round(y - 15)}v6m0 18v-6m-15 -9h6m18 0h-6`, { stroke, width });
}
