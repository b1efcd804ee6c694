// The surface of what is soft: grids of numbers, drawn straight from the centre of one cell to that of the next
// where an axis is smooth, and as they stand where it is not.

const STEPS = 10000; // of a packed number
const SIGMA = { light: "#7a3e12", dark: "#b58462" };

const CELLS = {
  read: readCells,
  shown: ({ data: { show, surface }, cells }) => {
    const wanted = show === "uncertainty" && surface.kind === "number" ? "spread" : show;
    return wanted === "spread" && !cells.spread ? "probability" : wanted;
  },
  upright: (s) => (sigmaAxis(s) ? { name: "spread σ", low: 0, high: 1.06 * s.cells.most || 1 } : null),
  light: lightCells,
  paint: (s, pen) => {
    if (!s.g.one) planeOfCells(s, pen);
    else if (sigmaAxis(s)) sigmaCurve(s, pen);
    else if (s.data.surface.kind === "class") softShares(s, pen);
  },
  curve: valueCurve,
  fade: fadeCurve,
  says: cellWords,
  leaf: () => null,
  ramp: (s) => {
    const shown = CELLS.shown(s);
    if (shown === "spread" && (!s.g.one || sigmaAxis(s))) return [inkOf(SIGMA, s), "σ 0", short(s.cells.most, 3)];
    return shown === "uncertainty" && !s.g.one ? [doubtInk(s), "sure", "unsure"] : null;
  },
};

const inkOf = (pair, s) => pair[s.theme.dark ? "dark" : "light"];

const sigmaAxis = (s) => s.data.surface.axes.length === 1 && s.data.surface.kind === "class" && CELLS.shown(s) === "spread";

// Reading ---------------------------------------------------------------------------------------------

function unpacked({ low, high, data }) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  return Float32Array.from(new Uint16Array(bytes.buffer), (q) => low + ((high - low) * q) / STEPS);
}

function readCells(s) {
  const { axes, cells, kind, classes } = s.data.surface;
  if (s.cells?.of === cells) return;
  const across = knotsOf(axes[0]), up = axes[1] ? knotsOf(axes[1]) : [[0, 0], [1, 0]];
  const nx = axes[0].edges.length - 1, n = nx * (axes[1] ? axes[1].edges.length - 1 : 1);
  const spread = cells.spread && unpacked(cells.spread);
  s.cells = { of: cells, across, up, nx, n, spread, most: cells.spread?.high ?? 0 };
  s.cells.fields = kind === "number" ? [unpacked(cells.value)] : sharesOf(unpacked(cells.shares), n, classes.length);
  s.cells.border = kind === "class" && axes[1] ? borderOf(s.cells) : [];
}

function sharesOf(all, n, many) { // the first class has what the others leave
  const others = Array.from({ length: many - 1 }, (_, k) => all.subarray(k * n, (k + 1) * n));
  return [Float32Array.from({ length: n }, (_, i) => others.reduce((rest, field) => rest - field[i], 1)), ...others];
}

function knotsOf({ edges, smooth }) { // [place, cell]: between one knot and the next the picture is straight
  const n = edges.length - 1;
  if (!smooth) return edges.slice(1).flatMap((end, i) => [[edges[i], i], [end, i]]);
  const centres = edges.slice(1).map((end, i) => [(edges[i] + end) / 2, i]);
  return [[edges[0], 0], ...centres, [edges[n], n - 1]];
}

function between(knots, v) { // [cell, next cell, how far on the way]
  let low = 0, high = knots.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (knots[middle][0] < v) low = middle;
    else high = middle - 1;
  }
  const [a, from] = knots[low], [b, to] = knots[low + 1];
  return [from, to, b > a ? Math.min(Math.max((v - a) / (b - a), 0), 1) : 0];
}

function readAt({ cells }, field, { x, y }) {
  const [i0, i1, t] = between(cells.across, x), [j0, j1, u] = between(cells.up, y ?? 0), at = (i, j) => field[j * cells.nx + i];
  return (1 - u) * ((1 - t) * at(i0, j0) + t * at(i1, j0)) + u * ((1 - t) * at(i0, j1) + t * at(i1, j1));
}

function cellWords(s, spot) {
  const { surface } = s.data, { fields, spread } = s.cells, words = [];
  const sigma = spread ? [`spread σ ${short(readAt(s, spread, spot), 3)}`] : [];
  const lit = s.lit ? [`${percentOf(readAt(s, s.lit.field, spot))} in the selected node`] : [];
  if (surface.kind === "number") words.push(`${surface.target}: ${short(readAt(s, fields[0], spot))}`);
  else {
    const order = fields.map((field, k) => [readAt(s, field, spot), k]).filter(([share]) => share >= 5e-4).sort((a, b) => b[0] - a[0]);
    words.push(...order.slice(0, 4).map(([share, k]) => `${surface.classes[k].name} ${percentOf(share)}`));
  }
  return [[...words, ...sigma], lit];
}

const percentOf = (share) => `${Math.round(1000 * share) / 10} %`;

function lightCells(s, of) { // the old node's cells stay until Python has sent the new one's
  const { lit } = s.data;
  s.lit = of.id > 0 && lit ? { node: lit.node, field: unpacked(lit.cells), most: lit.cells.high } : null;
  if (s.lit && s.lit.field.length !== s.cells.n) s.lit = null;
  if (!s.lit || lit.node !== of.id) return "";
  if (lit.cells.high < 5e-4) return "The selected node lies outside this slice.";
  return `The selected node has up to ${percentOf(lit.cells.high)} of a row here.`;
}

// The picture -----------------------------------------------------------------------------------------

function planeOfCells(s, pen) {
  const { g, theme } = s, x = snap(g.left), y = snap(g.top), w = snap(g.left + g.w) - x, h = snap(g.top + g.h) - y;
  pen.image(pixelsOf(s, w, h), x, y, w, h);
  linesOf(s, pen);
  const border = s.cells.border.map(([x0, y0, x1, y1]) => `M${round(g.X(x0))} ${round(g.Y(y0))}L${round(g.X(x1))} ${round(g.Y(y1))}`).join("");
  if (!border) return;
  pen.path(border, { stroke: theme.paper, width: 3.6, alpha: 0.5 });
  pen.path(border, { stroke: theme.ink, width: 1.5, alpha: 0.85 });
}

function linesOf(s, pen) { // between cells that are not smooth, unless there are too many
  const { g } = s, [x, y] = s.data.surface.axes, inner = (axis) => (axis.smooth || axis.edges.length > 14 ? [] : axis.edges.slice(1, -1));
  const d = inner(x).map((v) => `M${round(g.X(v))} ${g.top}v${g.h}`).join("") + inner(y).map((v) => `M${g.left} ${round(g.Y(v))}h${g.w}`).join("");
  if (d) pen.path(d, { stroke: s.theme.ink, width: 0.7, alpha: 0.14 });
}

function pixelsOf(s, w, h) { // kept while nothing changes
  const ratio = devicePixelRatio || 1, W = Math.max(Math.round(w * ratio), 1), H = Math.max(Math.round(h * ratio), 1), shown = CELLS.shown(s);
  const name = [W, H, shown, s.theme.paper, s.lit?.node, s.data.surface.id].join();
  if (s.pixels?.name === name && s.pixels.lit === s.data.lit) return s.pixels.canvas;
  const canvas = Object.assign(document.createElement("canvas"), { width: W, height: H }), c = canvas.getContext("2d");
  const stretch = stretcher(s, W, H), squares = squaresOf(s, shown, stretch), picture = c.createImageData(W, H);
  if (s.lit) fadeSquares(squares, stretch(s.lit.field), s.lit.most, squared(hex(s.theme.paper)));
  for (let i = 0; i < W * H; i++) {
    for (let k = 0; k < 3; k++) picture.data[4 * i + k] = Math.sqrt(squares[k][i]) + 0.5;
    picture.data[4 * i + 3] = 255;
  }
  c.putImageData(picture, 0, 0);
  s.pixels = { name, lit: s.data.lit, canvas };
  return canvas;
}

function stretcher(s, W, H) { // a field of cells as one of W × H pixels
  const { cells, data: { surface: { axes: [x, y] } } } = s, { nx } = cells, ny = cells.n / nx;
  const along = (knots, axis, n) => Array.from({ length: n }, (_, p) => between(knots, axis.low + ((p + 0.5) / n) * (axis.high - axis.low)));
  const across = along(cells.across, x, W), up = along(cells.up, y, H).reverse(), wide = new Float32Array(W * ny);
  return (field) => {
    for (let j = 0; j < ny; j++) across.forEach(([from, to, t], p) => (wide[j * W + p] = (1 - t) * field[j * nx + from] + t * field[j * nx + to]));
    const out = new Float32Array(W * H);
    up.forEach(([from, to, t], q) => {
      for (let p = 0; p < W; p++) out[q * W + p] = (1 - t) * wide[from * W + p] + t * wide[to * W + p];
    });
    return out;
  };
}

const squared = (colour) => rgb(colour).map((v) => v * v); // colours mix as `blend` mixes them

function squaresOf(s, shown, stretch) { // red, green and blue of every pixel, squared
  const { kind, range } = s.data.surface, { fields, spread, most } = s.cells, paper = hex(s.theme.paper);
  const toInk = (ink) => (t) => blend([paper, ink], [1 - 0.85 * t, 0.85 * t]);
  if (shown === "spread") return byScale(stretch(spread), [0, most || 1], toInk(inkOf(SIGMA, s)));
  if (shown === "uncertainty") return byScale(stretch(doubtField(fields)), [0, 1], toInk(doubtInk(s)));
  if (kind === "number") return byScale(stretch(fields[0]), range, (t) => blend([paper, scaled(t)], [0.12, 0.88]));
  const tint = (strength) => fields.map((_, k) => squared(blend([paper, hex(classInk(s, k))], [1 - strength, strength])));
  const dim = s.theme.dark ? 0.4 : 1;
  return shown === "class" ? byWinner(fields.map(stretch), tint(0.44 * dim)) : byShares(fields, tint(0.52 * dim), stretch);
}

function doubtField(fields) { // 0 sure, 1 as unsure as can be
  return fields[0].map((_, i) => (1 - Math.max(...fields.map((field) => field[i]))) / (1 - 1 / fields.length || 1));
}

function byScale(values, range, colour) {
  const table = Array.from({ length: 256 }, (_, i) => squared(colour(i / 255)));
  const place = Uint8Array.from(values, (v) => Math.round(255 * Math.min(Math.max(part(v, range), 0), 1)));
  return [0, 1, 2].map((k) => Float32Array.from(place, (at) => table[at][k]));
}

function byShares(fields, inks, stretch) {
  return [0, 1, 2].map((k) => stretch(fields[0].map((_, i) => fields.reduce((sum, field, c) => sum + field[i] * inks[c][k], 0))));
}

function byWinner(fields, inks) {
  const top = new Uint8Array(fields[0].length);
  for (let i = 0; i < top.length; i++) for (let c = 1; c < fields.length; c++) if (fields[c][i] > fields[top[i]][i]) top[i] = c;
  return [0, 1, 2].map((k) => Float32Array.from(top, (c) => inks[c][k]));
}

function fadeSquares(squares, fraction, most, paper) { // to paper where little of a sample is in the selected node
  for (let i = 0; i < fraction.length; i++) {
    const keep = 0.12 + 0.88 * Math.min(fraction[i] / (most || 1), 1);
    for (let k = 0; k < 3; k++) squares[k][i] = paper[k] + keep * (squares[k][i] - paper[k]);
  }
}

// The border between classes: where another one comes to the top --------------------------------------

function borderOf({ fields, across, up, nx }) {
  const top = fields[0].map((_, i) => fields.reduce((best, field, k) => (field[i] > fields[best][i] ? k : best), 0)), found = [];
  for (let j = 0; j + 1 < up.length; j++) {
    for (let i = 0; i + 1 < across.length; i++) {
      const square = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => [across[a][0], up[b][0], up[b][1] * nx + across[a][1]]);
      if (square.every(([, , cell]) => top[cell] === top[square[0][2]])) continue;
      found.push(...pieces(square.map((corner, k) => crossing(fields, top, corner, square[(k + 1) % 4])).filter(Boolean)));
    }
  }
  return found.filter(([x0, y0, x1, y1]) => x0 !== x1 || y0 !== y1);
}

function crossing(fields, top, [x0, y0, a], [x1, y1, b]) { // where the winners at both ends of a side are equal
  if (top[a] === top[b]) return null;
  const lead = (cell) => fields[top[a]][cell] - fields[top[b]][cell], t = lead(a) / (lead(a) - lead(b)) || 0;
  return [x0 + t * (x1 - x0), y0 + t * (y1 - y0)];
}

function pieces(ends) {
  if (ends.length === 2) return [[...ends[0], ...ends[1]]];
  const middle = [0, 1].map((k) => ends.reduce((sum, end) => sum + end[k], 0) / ends.length);
  return ends.map((end) => [...end, ...middle]);
}

// One axis --------------------------------------------------------------------------------------------

function lineOf(s, height) { // along the knots; height of a cell
  return s.cells.across.map(([x, cell]) => `${round(s.g.X(x))} ${round(s.g.Y(height(cell)))}`).join("L");
}

function areaOf(s, low, high) {
  const back = [...s.cells.across].reverse().map(([x, cell]) => `${round(s.g.X(x))} ${round(s.g.Y(low(cell)))}`).join("L");
  return `M${lineOf(s, high)}L${back}z`;
}

function softShares(s, pen) {
  const { fields, spread } = s.cells, sums = [fields[0].map(() => 0)], { theme } = s;
  for (const field of fields) sums.push(sums.at(-1).map((sum, i) => Math.min(sum + field[i], 1)));
  fields.forEach((_, k) => pen.path(areaOf(s, (i) => sums[k][i], (i) => sums[k + 1][i]), { fill: blend([hex(theme.paper), hex(classInk(s, k))], [0.35, 0.65]) }));
  if (fields.length === 2 && spread) sigmaBand(s, pen, fields[0], [0, 1]);
  for (let k = 1; k < fields.length; k++) {
    pen.path("M" + lineOf(s, (i) => sums[k][i]), { stroke: theme.paper, width: 4, alpha: 0.55 });
    pen.path("M" + lineOf(s, (i) => sums[k][i]), { stroke: theme.ink, width: 1.6 });
  }
}

function sigmaBand(s, pen, field, [low, high]) { // as far as the value's spread reaches, within the plane
  const { spread } = s.cells, within = (v) => Math.min(Math.max(v, low), high);
  pen.path(areaOf(s, (i) => within(field[i] - spread[i]), (i) => within(field[i] + spread[i])), { fill: s.theme.ink, alpha: 0.16 });
}

function valueCurve(s, pen) {
  const [field] = s.cells.fields, { y } = s.g, d = "M" + lineOf(s, (i) => field[i]);
  if (s.cells.spread) sigmaBand(s, pen, field, [y.low, y.high]);
  pen.path(d, { stroke: s.theme.paper, width: 6, alpha: 0.8 });
  pen.path(d, { stroke: s.theme.ink, width: 2.4 });
}

function sigmaCurve(s, pen) {
  const ink = inkOf(SIGMA, s), { spread } = s.cells;
  pen.path(areaOf(s, () => 0, (i) => spread[i]), { fill: ink, alpha: 0.3 });
  pen.path("M" + lineOf(s, (i) => spread[i]), { stroke: ink, width: 2 });
}

function fadeCurve(s, pen) { // the less of a sample is in the selected node, the more paper
  if (!s.lit) return;
  const { edges } = s.data.surface.axes[0], { g, theme, lit } = s;
  for (let i = 0; i + 1 < edges.length; i++) {
    const gone = 1 - lit.field[i] / (lit.most || 1);
    if (gone > 0.02) pen.path(rect(snap(g.X(edges[i])), g.top, snap(g.X(edges[i + 1])), g.top + g.h), { fill: theme.paper, alpha: 0.75 * gone });
  }
}
