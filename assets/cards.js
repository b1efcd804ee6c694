// A card of the tree graph: drawn for the pixels that it will have on the screen, with as much as fits.

function dot(s, g, node, { w, h }) {
  svg(g, "rect", { width: w, height: h, rx: 4, fill: colourOf(s, node), "fill-opacity": node.f === undefined ? 0.95 : 0.4 });
}

function content(s, g, node, box) {
  const pad = box.h < 56 || box.w < 80 ? 5 : 8, inner = { x: pad, w: box.w - 2 * pad };
  if (node.f === undefined) return leafCard(s, g, node, box, inner);
  const below = (node.listed * box.h) / node.h;
  if (below) options(s, g, node, { ...inner, y: box.h - below, h: below });
  splitCard(s, g, node, { ...box, h: box.h - below }, inner);
  if (node.unsure) doubt(s, g, box);
}

function splitCard(s, g, node, box, inner) {
  if (box.h < 56) return smallCard(s, g, node, box, inner);
  const tall = box.h >= 80, foot = tall ? (node.shares ? 22 : 16) : node.shares ? 9 : 3, ends = box.h >= 105 ? 11 : 0;
  const top = title(s, g, node, inner) + 7;
  chart(s, g, node, { x: inner.x, y: top, w: inner.w, h: box.h - top - foot - ends - 6, ends });
  if (node.shares) shares(s, g, node, { x: inner.x, y: box.h - foot, w: inner.w, h: 4 });
  if (tall) footer(s, g, node, { ...inner, y: box.h - 7 });
}

function title(s, g, node, { x, w: all }) { // one line, or two where the name would lose more than its unit
  const w = all - (all < NARROW_CARD ? 0 : share(s, g, node, x + all));
  const name = s.cards.scales[node.f].name, rest = w - wide(s, node.test), style = { "font-weight": 600 };
  if (wide(s, withoutUnit(name)) <= rest) {
    text(s, g, x, 17, shortName(s, node.f, rest) + node.test, style);
    return 17;
  }
  text(s, g, x, 14, shortName(s, node.f, w, 11), { ...style, "font-size": 11 });
  text(s, g, x, 27, shortTest(s, node, w), { "font-size": 11 });
  return 27;
}

function doubt(s, g, { w }) { // the mark of a split that a test did not decide, on the card's corner
  svg(g, "circle", { cx: w - 2, cy: 2, r: 8, fill: s.theme.ink, stroke: s.theme.paper, "stroke-width": 1.5 });
  text(s, g, w - 2, 6, "?", { "font-size": 12, "font-weight": 800, "text-anchor": "middle", fill: s.theme.paper });
}

function share(s, g, node, x) { // of the best of several options; the room that it takes
  if (!node.options) return 0;
  return text(s, g, x, 17, perMille(node.options[0].share), { "font-size": 10.5, "text-anchor": "end", fill: s.theme.muted }) + 6;
}

function shortTest(s, node, room) { // half a number says something wrong: where there is no room it is rounded, and says so
  const full = node.test.trim(), sign = full.slice(0, 2), about = [3, 2].map((digits) => `≈ ${short(node.t ?? 0, digits)}`);
  const tests = ["≤ ", "≥ ", "≲ ", "≳ ", "> "].includes(sign) ? [full, ...about, about[1].replace(" ", "")] : [full];
  return tests.find((words) => wide(s, words, 11) <= room) ?? cut(s, full, room, 11);
}

const withoutUnit = (name) => name.replace(/ \([^)]*\)$/, "");

function shortName(s, f, room, size = 12) { // without its unit, then without its end, or its middle where others begin alike
  const full = s.cards.scales[f].name, name = withoutUnit(full);
  if (wide(s, full, size) <= room) return full;
  const begin = cut(s, name, room, size), stem = begin.replace("…", "");
  if (begin === name || !Object.values(s.cards.scales).some((other) => other.name !== full && other.name.startsWith(stem))) return begin;
  let n = Math.floor(name.length / 2);
  while (n > 1 && wide(s, name.slice(0, n) + "…" + name.slice(-n), size) > room) n--;
  return name.slice(0, n).trimEnd() + "…" + name.slice(-n).trimStart();
}

function smallCard(s, g, node, box, inner) {
  text(s, g, inner.x, 15, shortName(s, node.f, inner.w, 11), { "font-size": 11, "font-weight": 600 });
  text(s, g, inner.x, 29, shortTest(s, node, inner.w), { "font-size": 11 });
  if (node.shares) shares(s, g, node, { x: inner.x, y: box.h - 11, w: inner.w, h: 6 });
}

function leafCard(s, g, node, box, inner) {
  const foot = box.h >= 46 ? 17 : 5, size = leafSize(s, node, box, inner.w), top = size + (box.h < 40 ? 8 : 12);
  svg(g, "rect", { width: box.w, height: box.h, rx: Math.max(9 * (box.h / node.h), 4), fill: colourOf(s, node), "fill-opacity": s.theme.dark ? 0.2 : 0.13 });
  text(s, g, inner.x, top - 7, cut(s, leafWords(s, node), inner.w, size, 700), { "font-size": size, "font-weight": 700 });
  const room = Math.max(box.h - foot - top, 4), h = Math.min(room, 12);
  if (node.shares) shares(s, g, node, { x: inner.x, y: top + (room - h) / 3, w: inner.w, h });
  else if (node.hist) goal(s, g, node, { x: inner.x, y: top, w: inner.w, h: room - 3 });
  if (foot > 5) footer(s, g, node, { ...inner, y: box.h - 6 });
}

const leafWords = (s, node) => (node.shares ? s.cards.classes[node.top].name : node.says);

function leafSize(s, node, box, room) { // the same for all leaves where the names of the classes allow
  const all = node.shares && s.cards.classes.length <= 6 ? s.cards.classes.map((one) => one.name) : [leafWords(s, node)];
  const sizes = box.h < 40 ? [11, 10] : [13, 12, 11, 10];
  return sizes.find((size) => all.every((words) => wide(s, words, size, 700) <= room)) ?? 10.5;
}

function footer(s, g, node, { x, y, w }) {
  const size = sizeWords(s, node);
  const fault = node.f === undefined && node.percent ? node.percent : `${s.cards.criterion} ${node.impurity}`;
  const style = { "font-size": 10.5, fill: s.theme.muted };
  const left = cut(s, size, w, 10.5), room = w - wide(s, left, 10.5) - 8;
  text(s, g, x, y, left, style);
  const brief = node.f === undefined ? "" : node.impurity;
  const right = [fault, brief].find((words) => wide(s, words, 10.5) <= room) ?? "";
  text(s, g, x + w, y, right, { ...style, "text-anchor": "end" });
}

function sizeWords(s, node) {
  const n = `${node.n.toLocaleString("en")} row${node.n === 1 ? "" : "s"}`;
  if (s.cards.cultivated) return node.up ? `${n} · w ${node.weight}` : n; // w: summed fractions
  return n + (node.weight ? ` (${node.weight})` : "");
}

// Charts in a card ------------------------------------------------------------------------------------

function chart(s, g, node, box) {
  const scale = s.cards.scales[node.f];
  if (soft(node)) gateShade(s, g, node, scale, box);
  else sides(s, g, node, scale, box);
  if (node.dots) dots(s, g, node, scale, box);
  else bars(s, g, node.hist, s.cards.classes.map((_, i) => classColour(s, i)), box, scale.names ? 0.18 : 0.04);
  line(s, g, box.x, box.y + box.h, box.x + box.w, box.y + box.h, { stroke: s.theme.line });
  if (soft(node)) gateOver(s, g, node, scale, box);
  else if (node.t !== undefined && node.t !== null) threshold(s, g, at(scale, node.t, box), box);
  if (box.ends) ends(s, g, node, scale, box);
}

const at = (scale, x, box) => box.x + (box.w * (x - scale.low)) / (scale.high - scale.low || 1);

function sides(s, g, node, scale, box) {
  const shade = (x, w, yes) => svg(g, "rect", { x: round(x), y: box.y, width: round(Math.max(w, 0)), height: box.h,
    fill: yes ? s.theme.accent : s.theme.ink, "fill-opacity": yes ? 0.13 : 0.035 });
  if (scale.names) {
    const step = box.w / scale.names.length, goes = new Set(node.goes);
    scale.names.forEach((_, i) => shade(box.x + i * step, step, goes.has(i)));
  } else {
    const x = node.t === null ? box.x + box.w : Math.min(Math.max(at(scale, node.t, box), box.x), box.x + box.w);
    shade(box.x, x - box.x, true);
    shade(x, box.x + box.w - x, false);
  }
}

function bars(s, g, counts, colours, box, air) {
  const k = colours.length, bins = counts.length / k, step = box.w / bins, totals = [];
  for (let b = 0; b < bins; b++) totals.push(counts.slice(b * k, b * k + k).reduce((a, c) => a + c, 0));
  const unit = box.h / Math.max(...totals, 1), high = new Array(bins).fill(0);
  colours.forEach((fill, c) => {
    let d = "";
    for (let b = 0; b < bins; b++) {
      const n = counts[b * k + c];
      if (!n) continue;
      const y = box.y + box.h - (high[b] += n) * unit, w = step * (1 - 2 * air);
      d += `M${round(box.x + step * (b + air))} ${round(y)}h${round(w)}v${round(n * unit)}h${round(-w)}z`;
    }
    if (d) svg(g, "path", { d, fill });
  });
}

function dots(s, g, node, scale, box) {
  let d = "";
  for (let i = 0; i < node.dots.length; i += 2) {
    const shift = scale.names ? ((i * 7919) % 97) / 97 - 0.5 : 0; // spread samples of one category
    const x = node.dots[i] + (shift * 60) / (scale.names?.length ?? 1);
    d += `M${round(box.x + (box.w * x) / 100)} ${round(box.y + box.h * (1 - node.dots[i + 1] / 100))}h0`;
  }
  svg(g, "path", { d, stroke: s.theme.accent, "stroke-width": 3, "stroke-linecap": "round", "stroke-opacity": 0.55, fill: "none" });
  if (node.kids.length && !soft(node)) steps(s, g, node, scale, box);
}

function steps(s, g, node, scale, box) { // the mean on either side of the split
  const y = node.kids.map((kid) => box.y + box.h - (box.h * (kid.mean - s.cards.goal.low)) / (s.cards.goal.high - s.cards.goal.low || 1));
  const bold = { stroke: s.theme.ink, "stroke-width": 2 };
  if (scale.names) {
    const step = box.w / scale.names.length;
    scale.names.forEach((_, i) => { const h = y[node.goes.includes(i) ? 0 : 1]; line(s, g, box.x + i * step + 1, h, box.x + i * step + step - 1, h, bold); });
  } else {
    const x = node.t === null ? box.x + box.w : at(scale, node.t, box);
    line(s, g, box.x, y[0], x, y[0], bold);
    line(s, g, x, y[1], box.x + box.w, y[1], bold);
  }
}

function goal(s, g, node, box) { // a leaf of a regression: the target's distribution and its mean
  bars(s, g, node.hist, [colourOf(s, node)], box, 0.06);
  line(s, g, box.x, box.y + box.h, box.x + box.w, box.y + box.h, { stroke: s.theme.line });
  const x = at(s.cards.goal, node.mean, box);
  line(s, g, x, box.y - 2, x, box.y + box.h, { stroke: s.theme.ink, "stroke-width": 1.6 });
}

function threshold(s, g, x, box) {
  const y = box.y + box.h;
  line(s, g, x, box.y - 2, x, y, { stroke: s.theme.ink, "stroke-width": 1.4 });
  svg(g, "path", { d: `M${round(x)} ${round(y)}l4 6h-8z`, fill: s.theme.ink });
}

function ends(s, g, node, scale, box) {
  const style = { "font-size": 9.5, fill: s.theme.muted }, y = box.y + box.h + 10, step = box.w / (scale.names?.length ?? 1);
  if (scale.names && step >= 24) {
    scale.names.forEach((name, i) => text(s, g, box.x + (i + 0.5) * step, y, cut(s, name, step - 3, 9.5, 400), { ...style, "text-anchor": "middle" }));
    return;
  }
  const [low, high] = scale.names ? [scale.names[0], scale.names[scale.names.length - 1]] : scale.ends;
  const wedge = node.t === undefined || node.t === null ? -1 : at(scale, node.t, box) - box.x; // leave it room
  const put = (words, x, anchor, free) => free && text(s, g, x, y, words, { ...style, "text-anchor": anchor });
  const fitting = (words) => { const short = cut(s, words, box.w / 2 - 4, 9.5, 400); return scale.names || short === words ? short : ""; };
  const [first, last] = [fitting(low), fitting(high)]; // half a number says something wrong
  put(first, box.x, "start", wedge < 0 || wedge > wide(s, first, 9.5) + 5);
  put(last, box.x + box.w, "end", high !== low && box.w - wedge > wide(s, last, 9.5) + 5);
}

function shares(s, g, node, { x, y, w, h }) {
  let from = x;
  node.shares.forEach((share, i) => {
    if (!share) return;
    svg(g, "rect", { x: round(from), y: round(y), width: round((w * share) / 1000), height: h, fill: classColour(s, i) });
    from += (w * share) / 1000;
  });
}

function knob(s, g, node, z) {
  const closed = !isOpen(s, node), k = Math.min(1 / z, 2.4), y = node.h + (closed ? 5 * k : 0);
  const word = closed ? `+${node.below}` : "–", w = (closed ? wide(s, word, 10.5) + 12 : 15) * k, h = 15 * k;
  const b = svg(g, "g", { class: closed ? "knob closed" : "knob ui" });
  svg(b, "rect", { x: -w / 2, y: y - h / 2, width: w, height: h, rx: h / 2, fill: closed ? s.theme.ink : s.theme.paper, stroke: s.theme.line });
  text(s, b, 0, y + 3.6 * k, word, { "font-size": 10.5 * k, "text-anchor": "middle", fill: closed ? s.theme.paper : s.theme.ink });
}

// Small parts -----------------------------------------------------------------------------------------

const classColour = (s, i) => s.cards.classes[i][s.theme.dark ? "dark" : "light"];
const meanColour = (s, mean) => scaled(part(mean, [s.cards.goal.low, s.cards.goal.high]));
const colourOf = (s, node) => (node.shares ? classColour(s, node.top) : meanColour(s, node.mean));
function line(s, g, x1, y1, x2, y2, style) {
  return svg(g, "line", { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...style });
}

function text(s, g, x, y, words, style) {
  svg(g, "text", { x: round(x), y: round(y), "font-size": 12, "font-family": s.theme.font, fill: s.theme.ink, ...style }, words);
  return wide(s, words, style["font-size"] ?? 12);
}
