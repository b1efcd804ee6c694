// What a card of the tree graph has beyond CART's where the tree is cultivated: the options of a module behind and
// below the best one, its gate over the histogram, and the fraction of the selected sample that is in the node.

const OPTION_H = 18, LISTING = 150, MOST_ROWS = 4, PEEKS = 2, PEEK = 4; // world units (narrower cards only count options), rows and cards behind, pixels
const NARROW_CARD = 100; // pixels inside: below, options are only counted
const FOLLOWED = 15; // cards that are opened to show where a sample goes

const rowsOf = (node) => (node.options ? Math.min(node.pooled - 1, MOST_ROWS) : 0);
const optionsHigh = (s, node, width) => (!node.options ? 0 : s.brief || width < LISTING ? 22 : rowsOf(node) * OPTION_H + 12);
const soft = (node) => node.gate !== undefined || node.gates !== undefined;

function peeks(s, g, node, z) { // the other options, peeking out behind the best one
  const k = PEEK / z;
  for (let i = Math.min((node.pooled ?? 1) - 1, PEEKS); i > 0; i--)
    svg(g, "rect", { class: "peek", x: round(-node.w / 2 + 1.5 * i * k), y: round(-i * k), width: round(node.w - 3 * i * k), height: round(6 * k),
      rx: round(1.6 * k), fill: s.theme.card, stroke: s.theme.line, "stroke-width": round(Math.min(1 / z, 1.6)) });
}

function options(s, g, node, { x, y, w, h }) {
  const room = w < NARROW_CARD ? 0 : Math.floor((h - 4) / 13), others = node.options.slice(1), all = node.pooled - 1;
  line(s, g, x, y, x + w, y, { stroke: s.theme.line, "stroke-width": 0.8 });
  if (room < 1) return h >= 12 && text(s, g, x, y + h / 2 + 4, cut(s, `+${all.toLocaleString("en")} ${all > 1 ? "options" : "option"}`, w, 10, 400), { "font-size": 10, fill: s.theme.muted });
  const shown = all > room ? Math.min(room - 1, others.length) : Math.min(room, others.length), step = (h - 9) / Math.min(all, room);
  others.slice(0, shown).forEach((option, i) => optionRow(s, g, option, { x, y: y + 3 + (i + 0.5) * step, w }));
  if (all > shown) text(s, g, x, y + 6.5 + (shown + 0.5) * step, `+${(all - shown).toLocaleString("en")} ${shown ? "more" : "options"}`, { "font-size": 10, fill: s.theme.muted });
}

function optionRow(s, g, option, { x, y, w }) { // what it asks, how far from the tolerance it is, and its share
  const style = { "font-size": 10, fill: s.theme.muted }, share = perMille(option.share), track = w >= 128 ? Math.min(w / 6, 40) : 0;
  const right = wide(s, share, 10, 400) + 6, room = w - right - (track ? track + 8 : 0);
  const name = withoutUnit(s.cards.features[option.f]), test = option.test.replace(/^ is (mostly )?/, ": "), left = room - wide(s, test, 10, 400);
  const words = left >= Math.min(wide(s, name, 10, 400), 36) ? cut(s, name, left, 10, 400) + test : cut(s, name, room, 10, 400);
  text(s, g, x, y + 3.5, words, { ...style, fill: s.theme.ink });
  text(s, g, x + w, y + 3.5, share, { ...style, "text-anchor": "end" });
  if (!track) return;
  const from = x + w - right - track, to = from + (track * option.off) / 1000;
  line(s, g, from, y, from + track, y, { stroke: s.theme.line, "stroke-width": 3, "stroke-linecap": "round" });
  line(s, g, from, y, to, y, { stroke: s.theme.muted, "stroke-width": 3, "stroke-linecap": "round", "stroke-opacity": 0.55 });
  svg(g, "circle", { cx: round(to), cy: round(y), r: 2.6, fill: s.theme.ink });
}

const perMille = (p) => (p >= 100 || p % 10 === 0 ? `${Math.round(p / 10)} %` : p < 1 ? "<0.1 %" : `${(p / 10).toFixed(1)} %`);

// The gate --------------------------------------------------------------------------------------------

function gateSteps(node, scale, box) { // [from x, to x, part that goes left], from left to right
  if (node.gates) return node.gates.map((p, i) => [box.x + (i * box.w) / node.gates.length, box.x + ((i + 1) * box.w) / node.gates.length, p / 1000]);
  const steps = [], end = box.x + box.w, inside = (x) => Math.min(Math.max(box.x + (box.w * x) / 1000, box.x), end);
  let from = box.x, p = node.gate[0] / 1000;
  for (let i = 1; i < node.gate.length; i += 2) {
    const to = inside(node.gate[i]);
    steps.push([from, to, p]);
    [from, p] = [to, node.gate[i + 1] / 1000];
  }
  return [...steps, [from, end, p]];
}

function gateShade(s, g, node, scale, box) { // what lies under the curve goes left
  const base = box.y + box.h;
  let d = `M${round(box.x)} ${round(base)}`;
  for (const [from, to, p] of gateSteps(node, scale, box)) d += `L${round(from)} ${round(base - p * box.h)}H${round(to)}`;
  svg(g, "rect", { x: round(box.x), y: round(box.y), width: round(box.w), height: round(box.h), fill: s.theme.ink, "fill-opacity": 0.035 });
  svg(g, "path", { d: d + `V${round(base)}z`, fill: s.theme.accent, "fill-opacity": 0.15 });
}

function gateOver(s, g, node, scale, box) { // the curve, the best cut, and the band of all cuts on the axis
  const height = node.dots && node.kids.length ? between(s, node, box) : (p) => box.y + box.h * (1 - p);
  const base = box.y + box.h, steps = gateSteps(node, scale, box);
  if (node.cuts) {
    const [from, to] = [steps[0][1], steps[steps.length - 1][0]];
    svg(g, "rect", { x: round(from), y: round(box.y), width: round(Math.max(to - from, 1)), height: round(box.h), fill: s.theme.accent, "fill-opacity": 0.09 });
    svg(g, "rect", { x: round(from), y: round(base), width: round(Math.max(to - from, 1)), height: 3.4, rx: 1.2, fill: s.theme.accent });
  }
  if (node.cuts || node.gates || node.dots) curve(s, g, steps, height, Boolean(node.gates));
  if (node.t !== undefined) {
    const x = Math.min(Math.max(at(scale, node.t, box), box.x), box.x + box.w);
    if (node.cuts) line(s, g, x, box.y - 2, x, base, { stroke: s.theme.ink, "stroke-width": 1, "stroke-dasharray": "2 2" });
    else line(s, g, x, box.y - 2, x, base, { stroke: s.theme.ink, "stroke-width": 1.4 });
    svg(g, "path", { d: `M${round(x)} ${round(base)}l4 6h-8z`, fill: s.theme.ink });
  }
}

function between(s, node, box) { // a regression's curve: from the mean of one child to that of the other
  const [left, right] = node.kids.map((kid) => box.y + box.h * (1 - Math.min(Math.max(part(kid.mean, [s.cards.goal.low, s.cards.goal.high]), 0), 1)));
  return (p) => right + p * (left - right);
}

function curve(s, g, steps, height, apart) {
  const d = steps.map(([from, to, p], i) => `${i && !apart ? "L" : "M"}${round(from + (apart ? 2 : 0))} ${round(height(p))}H${round(to - (apart ? 2 : 0))}`).join("");
  const style = { d, fill: "none", "stroke-linejoin": "round" };
  svg(g, "path", { ...style, stroke: s.theme.card, "stroke-width": 4, "stroke-opacity": 0.75 });
  svg(g, "path", { ...style, stroke: s.theme.ink, "stroke-width": 1.8 });
}

// The selected sample: its fraction in the node ---------------------------------------------------------

function fractionsOf(state) {
  const found = state.row?.fractions;
  return found ? new Map(Object.entries(found).map(([id, p]) => [Number(id), p])) : null;
}

function follow(s) { // open the branches that most of the sample goes to, as far as can be read; close the last one's
  for (const key of s.followed ?? []) s.open.delete(key);
  s.followed = [];
  const { nodes } = s.cards, seen = new Set([nodes[0].id]);
  const show = (node) => node.kids.forEach((kid) => seen.add(kid.id));
  for (const node of nodes) if (seen.has(node.id) && isOpen(s, node)) show(node);
  const most = [...s.parts.keys()].sort((a, b) => s.parts.get(b) - s.parts.get(a) || a - b).map((id) => s.byId.get(id));
  for (const node of most) {
    if (!node?.kids.length || !seen.has(node.id) || isOpen(s, node) || s.open.has(node.key)) continue;
    if (seen.size >= FOLLOWED || node.depth > s.depth) continue;
    s.open.set(node.key, true);
    s.followed.push(node.key);
    show(node);
  }
  return true;
}

function portion(s, it, z) {
  const { node } = it, p = s.parts?.get(node.id), part = (p ?? 0) / 1000;
  it.badge?.remove();
  it.badge = null;
  it.tint?.setAttribute("fill-opacity", round((z < 0.3 ? 0.8 : 0.2) * part));
  if (p === undefined || z < 0.3 || !node.up) return;
  const words = perMille(p), k = 1 / z, w = (wide(s, words, 10.5, 700) + 10) * k, h = 15 * k, y = node.pooled ? -PEEK * Math.min(node.pooled - 1, PEEKS) * k : 0;
  it.badge = svg(it.g, "g", { class: "badge" });
  svg(it.badge, "rect", { x: round(-w / 2), y: round(y - h * 0.6), width: round(w), height: round(h), rx: round(h / 2), fill: s.theme.ink });
  text(s, it.badge, 0, y - h * 0.6 + 11 * k, words, { "font-size": round(10.5 * k), "font-weight": 700, "text-anchor": "middle", fill: s.theme.paper });
}

// In words --------------------------------------------------------------------------------------------

function moduleHint(s, node) {
  const lines = [], { features, criterion } = s.cards;
  if (node.cuts) lines.push(`hesitates: ${node.cuts[0]} cuts ${node.cuts[1]}`);
  if (node.gates) lines.push(s.cards.scales[node.f].names.slice(0, 8).map((name, i) => `${name} ${perMille(node.gates[i])} yes`).join(", "));
  if (!node.options) return lines;
  lines.push(`one of ${node.pooled.toLocaleString("en")} options, share ${perMille(node.options[0].share)}, ${criterion} ${node.tolerance[0]}, tolerance ${node.tolerance[1]}`);
  for (const option of node.options.slice(1)) lines.push(`or ${features[option.f]}${option.test}: share ${perMille(option.share)}, ${criterion} ${option.h}`);
  const more = node.pooled - node.options.length;
  return more ? [...lines, `and ${more.toLocaleString("en")} more`] : lines;
}
