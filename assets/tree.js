// The tree graph: cards in SVG. Python sends what core/espalier/views/tree/cards.py describes; only the selected node goes
// back. Zoom, collapsed branches and focus stay here. A node's key is its way from the root ("LRL"), so that
// the common part of two trees stays in place when one replaces the other.

const WIDTHS = [232, 196, 164, 136, 114]; // world units: pixels at scale 1
const SPLIT_H = 114, LEAF_H = 74, HIGHER = [1, 1.3, 1.65], GAP = 13, BETWEEN = 36, KNOB = 18;
const TOP = 38, EDGE = 12, NOTE = 22; // pixels around the tree; the legend and the buttons stand at the top, a note at the foot
const DETAILS = [[0.85, 1], [0.61, 0.74], [0.46, 0.56], [0.3, 0.38], [0, 0]]; // from this scale on, drawn for that one
const START_CARDS = 31, START_MODULES = 7, BRIEF = 0.61, PHONE = 500, PHONE_DEPTH = 2, NARROW = 560; // there the legend stands at the bottom
const LEAST_FIT = 0.305, MOST_FIT = 1.1, LEAST = 0.04, MOST = 3;
const MOVE_MS = 420, STILL_OVER = 400; // no animation of more nodes than that

const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = instances.get(parentElement);
  if (!s) instances.set(parentElement, (s = mount(parentElement.querySelector(".espalier-tree"))));
  s.send = (id, at) => setStateValue("selected", { tree: s.cards.id, id, at });
  receive(s, data);
  return () => { s.observer.disconnect(); s.channel?.listeners.delete(s.hear); instances.delete(parentElement); };
}

function mount(root) {
  const s = { root, open: new Map(), items: new Map(), links: new Map(), shown: [], path: new Set(),
    view: { x: 0, y: 0, k: 1 }, auto: true, selected: null, focus: "", pointers: new Map() };
  s.legend = html(root, "div", { class: "legend" });
  s.svg = svg(root, "svg", { role: "tree", "aria-label": "decision tree" });
  s.world = svg(s.svg, "g", { role: "none" });
  s.edges = svg(s.world, "g", { "aria-hidden": "true" });
  s.nodes = svg(s.world, "g", { role: "none" });
  s.note = html(root, "div", { class: "note" });
  toolbar(s);
  listen(s);
  s.observer = new ResizeObserver(() => s.cards && resized(s));
  s.observer.observe(root);
  return s;
}

// What comes from Python ------------------------------------------------------------------------------

function receive(s, data) {
  const fresh = !s.cards || s.cards.id !== data.cards.id;
  const otherData = !s.cards || s.cards.data !== data.cards.data;
  s.theme = themeOf(s.root);
  const look = JSON.stringify(s.theme) + data.cards.id;
  if (fresh) s.cards = data.cards; // the same id means the same cards
  if (fresh) index(s);
  s.height = data.height;
  sized(s);
  if (otherData) { s.open.clear(); s.followed = []; s.auto = true; s.whole = false; }
  if (fresh) { s.selected = null; s.state = null; s.parts = null; s.path = new Set(); s.depth = startDepth(s); }
  if (s.look !== look) { s.look = look; for (const item of s.items.values()) item.detail = null; legend(s); }
  if (!s.channel) tune(s, data.channel);
  marked(s, s.channel.state);
  update(s, fresh && !otherData);
}

function tune(s, name) {
  s.channel = channelOf(name);
  s.hear = (state) => {
    if (marked(s, state)) update(s, true);
    else marks(s);
  };
  s.channel.listeners.add(s.hear);
  s.channel.describe = (state) => (state.tree === s.cards.id ? inWords(s, state) : null);
}

function marked(s, state) { // whether branches were opened to show it
  if (state?.tree !== s.cards.id || (s.state && same(s.state, state))) return false;
  s.state = state;
  s.selected = state.id;
  s.parts = fractionsOf(state);
  s.path = s.parts ? new Set(s.parts.keys()) : state.row ? new Set(s.cards.nodes.filter((node) => node.id <= state.id && state.id < endOf(s, node)).map((node) => node.id)) : new Set();
  if (s.parts) return follow(s);
  return s.cards.cultivated && state.row ? false : reveal(s, state.id); // its fractions are on their way
}

function same(a, b) {
  return a.id === b.id && a.tree === b.tree && a.row?.row === b.row?.row && !a.row?.fractions === !b.row?.fractions;
}

const endOf = (s, node) => (!node.up ? Infinity : node === node.up.kids[0] ? node.up.kids[1].id : endOf(s, node.up)); // a subtree is a slice

function inWords(s, { id, row }) { // the line of pages/shared/tree/inspector.py, until that comes
  const node = s.byId.get(id), root = s.cards.nodes[0];
  if (!node) return null;
  const says = node.open ? "no answer yet" : node.shares ? `${s.cards.classes[node.top].name}, ${node.percent}` : `mean ${node.says}`;
  const rows = s.cards.cultivated && node.up ? `${node.n} rows in part, together ${node.weight}, ${percent(node.part / 1000)}` : `${node.n} rows, ${percent(node.n / root.n)}`;
  const words = [`${node.up ? (node.f === undefined ? "Leaf" : "Node") : "Root"} ${id}`, " says ", says, ` · ${rows} · depth ${node.depth}`];
  return row ? [...words, "", " · with ", `row ${row.row + 1}`] : words;
}

function percent(share) {
  const words = (100 * share).toFixed(1).replace(/\.0$/, "");
  return (words === "0" && share > 0 ? "<0.1" : words === "100" && share < 1 ? ">99.9" : words) + " %";
}

function index(s) {
  const { nodes } = s.cards;
  s.byId = new Map(nodes.map((node) => [node.id, node]));
  nodes[0].key = "";
  nodes[0].depth = 0;
  for (const node of nodes) {
    node.kids = node.left === undefined ? [] : [s.byId.get(node.left), s.byId.get(node.right)];
    node.kids.forEach((kid, i) => Object.assign(kid, { up: node, key: node.key + "LR"[i], depth: node.depth + 1 }));
  }
  for (const node of nodes.slice().reverse())
    node.below = node.more ?? node.kids.reduce((sum, kid) => sum + 1 + kid.below, 0);
  s.byKey = new Map(nodes.map((node) => [node.key, node]));
}

function sized(s) { // a page that is hidden has no width yet
  const width = s.root.clientWidth;
  s.root.style.height = (width < PHONE ? Math.round(s.height * 0.8) : s.height) + "px";
  s.root.classList.toggle("narrow", width < NARROW);
  if (width && !s.width) s.depth = startDepth(s);
  s.width = width;
}

function startDepth(s) {
  if (s.root.clientWidth < PHONE) return PHONE_DEPTH;
  const perDepth = [];
  for (const node of s.cards.nodes) perDepth[node.depth] = (perDepth[node.depth] ?? 0) + 1;
  let total = 0, depth = 0;
  while (depth < perDepth.length && (total += perDepth[depth]) <= (s.cards.cultivated ? START_MODULES : START_CARDS)) depth++;
  return Math.max(depth - 1, 1);
}

const isOpen = (s, node) => node.kids.length > 0 && (s.open.get(node.key) ?? node.depth < s.depth);

function reveal(s, id) { // whether anything had to be opened
  let opened = false;
  for (let node = s.byId.get(id)?.up; node; node = node.up) if (!isOpen(s, node)) { s.open.set(node.key, true); opened = true; }
  return opened;
}

function ancestors(node) {
  const found = new Set();
  for (; node; node = node.up) found.add(node);
  return found;
}

// Layout: each subtree as narrow as its contour allows ------------------------------------------------

function contour(s, node) {
  const half = node.w / 2, own = { low: [-half], high: [half] };
  if (!isOpen(s, node)) return own;
  const [a, b] = node.kids.map((kid) => contour(s, kid));
  let apart = 0;
  for (let i = 0; i < Math.min(a.high.length, b.low.length); i++) apart = Math.max(apart, a.high[i] - b.low[i] + GAP);
  node.kids[0].dx = -apart / 2;
  node.kids[1].dx = apart / 2;
  for (let i = 0; i < Math.max(a.low.length, b.low.length); i++) {
    own.low.push(i < a.low.length ? a.low[i] - apart / 2 : b.low[i] + apart / 2);
    own.high.push(i < b.high.length ? b.high[i] + apart / 2 : a.high[i] - apart / 2);
  }
  return own;
}

function layout(s) { // options are listed where they can be read
  if (!s.auto) return sizes(s);
  s.brief = false;
  sizes(s);
  if (!s.cards.cultivated || viewOf(s, s.shown).k >= BRIEF) return;
  s.brief = true;
  sizes(s);
}

function sizes(s) { // the widest cards that the height has a use for, else the highest that the width has one for
  const fits = (wide, high, split = wide) => {
    Object.assign(s, { wide, high, split, shown: arranged(s, wide, high, split) });
    const box = bounds(s.shown), { w, h } = roomOf(s);
    return w / (box.right - box.left) - Math.min(h / (box.bottom - box.top), MOST_FIT);
  };
  if (!s.auto) { fits(s.wide, s.high, s.split); return; }
  const found = WIDTHS.some((wide) => fits(wide, 1) >= 0) || HIGHER.some((high) => fits(s.wide, high) >= 0);
  if (found && s.high > 1) fits(s.wide, HIGHER[HIGHER.indexOf(s.high) - 1]);
  const { wide, high } = s, across = (box) => box.right - box.left, now = across(bounds(s.shown));
  // Splits have room beside them that leaves have not: as wide as makes the tree no wider.
  WIDTHS.some((split) => { fits(wide, high, split); return split === wide || across(bounds(s.shown)) < now + 1; });
}

const leafWidth = (wide) => Math.min(Math.max(wide * 0.74, 102), 142);

function arranged(s, wide, high, split) {
  const shown = [], tallest = [];
  for (const node of s.cards.nodes)
    Object.assign(node, { listed: optionsHigh(s, node, split) },
      node.f === undefined ? { w: leafWidth(wide), h: LEAF_H * high } : { w: split, h: SPLIT_H * high + optionsHigh(s, node, split) });
  (function place(node, x) {
    node.x = x;
    shown.push(node);
    tallest[node.depth] = Math.max(tallest[node.depth] ?? 0, node.h);
    if (isOpen(s, node)) for (const kid of node.kids) place(kid, x + kid.dx);
  })(s.cards.nodes[0], (contour(s, s.cards.nodes[0]), 0));
  const tops = tallest.map((_, depth) => tallest.slice(0, depth).reduce((y, h) => y + h + BETWEEN, 0));
  for (const node of shown) node.y = tops[node.depth];
  return shown;
}

function bounds(nodes) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const { x, y, w, h, below } of nodes) {
    box.left = Math.min(box.left, x - w / 2);
    box.right = Math.max(box.right, x + w / 2);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y + h + (below ? KNOB : 0));
  }
  return box;
}

function roomOf(s) {
  const below = (s.width < NARROW ? 34 : EDGE) + (s.cards.omitted ? NOTE : 0);
  return { w: s.root.clientWidth - 2 * EDGE, h: s.root.clientHeight - TOP - below };
}

function viewOf(s, nodes) {
  const { w, h } = roomOf(s), box = bounds(nodes);
  const whole = Math.min(w / (box.right - box.left), h / (box.bottom - box.top), MOST_FIT);
  const k = Math.max(whole, s.whole ? LEAST : LEAST_FIT);
  const middle = k > whole ? nodes[0].x : (box.left + box.right) / 2; // what does not fit shows its root
  const slack = Math.max(h - k * (box.bottom - box.top), 0);
  return { k, x: EDGE + w / 2 - k * middle, y: TOP + slack / 2.6 - k * box.top };
}

// Update: from where everything stands to where it belongs --------------------------------------------

function update(s, animated) {
  const old = new Map([...s.items].map(([key, item]) => [key, { x: item.x, y: item.y }]));
  layout(s);
  const keys = new Set(s.shown.map((node) => node.key));
  for (const node of s.shown) item(s, node, old);
  for (const [key, it] of s.items) if (!keys.has(key)) leave(s, key, it);
  if (s.auto) s.goal = viewOf(s, s.shown);
  marks(s);
  const still = !(animated || s.moving) || s.items.size > STILL_OVER || matchMedia("(prefers-reduced-motion: reduce)").matches;
  move(s, s.goal ?? s.view, still ? 0 : MOVE_MS);
}

function item(s, node, old) {
  let it = s.items.get(node.key);
  if (!it) {
    const from = nearest(node.key, old) ?? node;
    it = { x: from.x, y: from.y, fade: old.size ? 0 : 1 };
    it.g = svg(s.nodes, "g", { class: "node", role: "treeitem", tabindex: -1, "data-key": node.key });
    it.link = node.up && svg(s.edges, "g", {});
    s.items.set(node.key, it);
  }
  const size = `${s.wide} ${s.high} ${s.split} ${node.h}`;
  if (it.node !== node || it.size !== size) it.detail = null;
  Object.assign(it, { node, size, toX: node.x, toY: node.y, toFade: 1, gone: false });
  it.g.setAttribute("data-node", node.id);
}

function leave(s, key, it) {
  let up = key;
  while (up && !s.shown.some((node) => node.key === up)) up = up.slice(0, -1);
  const to = s.byKey.get(up) ?? s.cards.nodes[0];
  Object.assign(it, { toX: to.x, toY: to.y, toFade: 0, gone: true });
}

function nearest(key, places) {
  for (let up = key; ; up = up.slice(0, -1)) {
    if (places.has(up)) return places.get(up);
    if (!up) return null;
  }
}

function move(s, goal, ms) {
  cancelAnimationFrame(s.frame);
  const start = performance.now(), from = { ...s.view };
  const items = [...s.items.values()].map((it) => [it, it.x, it.y, it.fade]);
  const step = (now) => {
    const t = ms ? Math.min(Math.max((now - start) / ms, 0), 1) : 1, e = 1 - (1 - t) ** 3;
    for (const name of ["x", "y", "k"]) s.view[name] = mix(from[name], goal[name], e);
    for (const [it, x, y, fade] of items)
      Object.assign(it, { x: mix(x, it.toX, e), y: mix(y, it.toY, e), fade: mix(fade, it.toFade, e) });
    s.moving = t < 1;
    if (t === 1) sweep(s);
    place(s);
    paint(s, t < 1);
    if (t < 1) s.frame = requestAnimationFrame(step);
  };
  s.goal = goal;
  step(start);
  if (!ms) return;
  s.frame = requestAnimationFrame(step);
}

const mix = (a, b, t) => a + (b - a) * t;

function sweep(s) {
  for (const [key, it] of s.items) {
    if (!it.gone) continue;
    it.g.remove();
    it.link?.remove();
    s.items.delete(key);
  }
}

function place(s) {
  for (const it of s.items.values()) {
    it.g.setAttribute("transform", `translate(${round(it.x)} ${round(it.y)})`);
    it.g.style.opacity = it.fade;
    if (it.link) drawLink(s, it);
  }
}

function drawLink(s, it) {
  const up = s.items.get(it.node.key.slice(0, -1));
  if (!up) return;
  const y0 = up.y + up.node.h, bend = (it.y - y0) / 2;
  it.link.style.opacity = it.fade;
  if (!it.line) {
    it.line = svg(it.link, "path", { fill: "none" });
    it.word = svg(it.link, "text", { "text-anchor": "middle", "paint-order": "stroke", "stroke-width": 5, "stroke-linejoin": "round" });
  }
  it.line.setAttribute("d", `M${round(up.x)} ${round(y0)}C${round(up.x)} ${round(y0 + bend)} ${round(it.x)} ${round(it.y - bend)} ${round(it.x)} ${round(it.y)}`);
  it.word.setAttribute("x", round(mix(up.x, it.x, 0.62)));
  it.word.setAttribute("y", round(y0 + bend + (s.cards.cultivated ? 2 : 8))); // cards of modules are stacked: their backs stand out at the top
}

// Painting: cards for the scale they are seen at ------------------------------------------------------

function detailOf(k) {
  return DETAILS.find(([from]) => k >= from)[1];
}

function paint(s, moving) {
  const { x, y, k } = s.view;
  s.world.setAttribute("transform", `translate(${round(x)} ${round(y)}) scale(${k.toFixed(4)})`);
  const detail = detailOf(moving ? s.goal.k : k), many = s.items.size > 120;
  for (const it of s.items.values())
    if (!it.gone && it.detail !== detail && (!many || inSight(s, it))) draw(s, it, detail);
}

function inSight(s, it) {
  const x = s.view.x + s.view.k * it.toX, y = s.view.y + s.view.k * it.toY;
  const w = 200 * s.view.k, h = 150 * s.view.k;
  return x > -w && x < s.root.clientWidth + w && y > -h && y < s.root.clientHeight + h;
}

function draw(s, it, detail) {
  const { node } = it, { w, h } = node, t = s.theme;
  it.detail = detail;
  it.g.replaceChildren();
  svg(it.g, "title", {}, hint(s, node));
  it.ring = svg(it.g, "rect", { class: "ring ui", x: -w / 2 - 4, y: -4, width: w + 8, height: h + 8, rx: 12, fill: "none" });
  const z = detail || 0.2;
  if (detail) peeks(s, it.g, node, z);
  const card = svg(it.g, "g", { transform: `translate(${-w / 2} 0) scale(${round(1 / z)})` });
  it.back = svg(card, "rect", { x: 0, y: 0, width: w * z, height: h * z, rx: Math.max(9 * z, 4), fill: t.card });
  it.tint = s.cards.cultivated ? svg(card, "rect", { class: "tint", width: w * z, height: h * z, rx: Math.max(9 * z, 4), fill: t.ink, "fill-opacity": 0 }) : null;
  if (detail) content(s, card, node, { w: w * z, h: h * z });
  else dot(s, card, node, { w: w * z, h: h * z });
  if (node.below && detail) knob(s, it.g, node, z);
  if (it.link) label(s, it, z);
  mark(s, it);
}

function label(s, it, z) {
  const yes = it.node.key.endsWith("L"), up = it.node.up;
  const lost = !s.cards.cultivated && up.missing && up.missing[1] === yes ? ` + ${up.missing[0]} missing` : "";
  it.word.textContent = z < 0.4 ? "" : (yes ? "yes" : "no") + lost;
  for (const [name, value] of Object.entries({ "font-size": 11 / z, fill: s.theme.muted, stroke: s.theme.paper, "font-family": s.theme.font }))
    it.word.setAttribute(name, value);
  weigh(s, it, z);
}

function weigh(s, it, z) { // an edge is as wide as what goes along it: of all samples, or of the selected one
  const root = s.cards.nodes[0], { part, n, id } = it.node;
  const share = s.parts ? (s.parts.get(id) ?? 0) / 1000 : part === undefined ? n / Math.max(root.n, 1) : part / 1000;
  it.line.setAttribute("stroke-width", round(1.2 / z + 15 * share));
}

// Marks: selection, path, focus -----------------------------------------------------------------------

function marks(s) {
  s.line = ancestors(s.byId.get(s.selected));
  if (!s.shown.some((node) => node.key === s.focus)) s.focus = "";
  for (const it of s.items.values()) if (!it.gone && it.back) mark(s, it);
  s.shown.forEach((node) => { const it = s.items.get(node.key); spoken(s, node, it.g); });
}

function mark(s, it) {
  const { node } = it, t = s.theme, picked = node.id === s.selected;
  const onPath = s.path.has(node.id), aside = s.path.size && !onPath && !picked;
  it.g.classList.toggle("aside", Boolean(aside));
  it.link?.classList.toggle("aside", Boolean(aside));
  const z = it.detail || 0.2, stroke = picked ? t.accent : onPath ? t.ink : node.f === undefined ? colourOf(s, node) : t.line;
  it.back.setAttribute("stroke", stroke);
  it.back.setAttribute("stroke-width", picked ? 3 : onPath ? 2 : z < 0.4 ? 0.6 : 1.2);
  if (s.cards.cultivated) portion(s, it, z);
  if (it.line) weigh(s, it, z);
  it.line?.setAttribute("stroke", onPath ? t.ink : s.line?.has(node) ? t.accent : t.edge);
}

function spoken(s, node, g) {
  const values = { "aria-label": hint(s, node).replace(/\n/g, ", "), "aria-level": node.depth + 1, tabindex: node.key === s.focus ? 0 : -1,
    "aria-selected": node.id === s.selected };
  for (const [name, value] of Object.entries(values)) g.setAttribute(name, value);
  if (node.kids.length) g.setAttribute("aria-expanded", isOpen(s, node));
  else g.removeAttribute("aria-expanded");
}

function hint(s, node) {
  const c = s.cards, lines = [];
  const weight = c.cultivated && node.up ? `, weight ${node.weight}` : "", of = s.parts?.get(node.id);
  if (node.up) lines.push((node.key.endsWith("L") ? "yes" : "no") + `: ${node.n} rows${weight}`);
  else lines.push(`all ${node.n} rows`);
  if (node.f !== undefined) lines.push("split: " + c.scales[node.f].name + node.test);
  if (node.unsure) lines.push("the test did not decide this split");
  if (soft(node)) lines.push(...moduleHint(s, node));
  if (of !== undefined) lines.push(`${perMille(of)} of row ${s.state.row.row + 1} is here`);
  if (node.open) lines.push("no answer yet: classes tie");
  else lines.push(node.shares ? `${node.f === undefined ? "leaf" : "mostly"}: ${c.classes[node.top].name}, ${node.percent}` : `mean ${node.says}`);
  lines.push(`${c.criterion} ${node.impurity}`);
  if (node.missing) lines.push(`${node.missing[0]} missing values go ${c.cultivated ? perMille(node.missing[1]) + " to yes" : node.missing[1] ? "to yes" : "to no"}`);
  if (node.below && !isOpen(s, node)) lines.push(`${node.below} more nodes below`);
  return lines.join("\n");
}

// Hands: mouse, touch, keys ---------------------------------------------------------------------------

function listen(s) {
  s.svg.addEventListener("pointerdown", (e) => down(s, e));
  s.svg.addEventListener("pointermove", (e) => drag(s, e));
  for (const name of ["pointerup", "pointercancel"]) s.svg.addEventListener(name, (e) => up(s, e));
  s.svg.addEventListener("dblclick", (e) => { const node = nodeAt(s, e); node ? zoomTo(s, node) : fit(s); });
  s.svg.addEventListener("wheel", (e) => wheel(s, e), { passive: false });
  s.svg.addEventListener("keydown", (e) => key(s, e));
}

function nodeAt(s, e) {
  const g = e.target.closest?.(".node");
  return g && s.byKey.get(g.dataset.key);
}

function down(s, e) {
  s.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  if (s.pointers.size === 1) s.press = { x: e.clientX, y: e.clientY, node: nodeAt(s, e), knob: e.target.closest?.(".knob") };
  else s.press = null;
}

function drag(s, e) {
  const last = s.pointers.get(e.pointerId);
  if (!last) return;
  if (s.press && Math.hypot(e.clientX - s.press.x, e.clientY - s.press.y) < 5) return;
  if (s.press) s.svg.setPointerCapture(e.pointerId);
  s.press = null;
  const others = [...s.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
  if (others.length) pinch(s, last, e, others[0]);
  else look(s, { x: s.view.x + e.clientX - last.x, y: s.view.y + e.clientY - last.y, k: s.view.k });
  s.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
}

function pinch(s, last, e, other) {
  const before = Math.hypot(last.x - other.x, last.y - other.y);
  const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
  zoom(s, after / Math.max(before, 1), { clientX: (e.clientX + other.x) / 2, clientY: (e.clientY + other.y) / 2 });
}

function up(s, e) {
  s.pointers.delete(e.pointerId);
  const press = s.press;
  s.press = null;
  if (!press || e.type === "pointercancel") return;
  if (!press.node) select(s, null);
  else if (press.knob) toggle(s, press.node);
  else { focus(s, press.node); select(s, press.node.id); }
}

function wheel(s, e) {
  if (!e.ctrlKey && !e.metaKey) return; // the page scrolls
  e.preventDefault();
  zoom(s, Math.exp(-Math.max(-80, Math.min(e.deltaY, 80)) * 0.006), e);
}

function zoom(s, factor, e) {
  const box = s.svg.getBoundingClientRect(), k = Math.min(Math.max(s.view.k * factor, LEAST), MOST);
  const px = e ? e.clientX - box.left : box.width / 2, py = e ? e.clientY - box.top : box.height / 2;
  look(s, { k, x: px - ((px - s.view.x) * k) / s.view.k, y: py - ((py - s.view.y) * k) / s.view.k });
}

function look(s, view) { // the person's own view: keep it until "fit"
  s.auto = false;
  move(s, view, 0);
}

function fit(s) { // asked for, the whole tree is shown even where it cannot be read
  s.auto = s.whole = true;
  update(s, true);
}

function zoomTo(s, node) {
  s.auto = false;
  s.goal = viewOf(s, s.shown.filter((other) => other.key.startsWith(node.key)));
  update(s, true);
}

function resized(s) {
  sized(s);
  if (s.auto) update(s, false);
}

function select(s, id) {
  if (s.selected === id && !s.path.size) return;
  const node = s.byId.get(id) ?? s.cards.nodes[0];
  const at = say(s.channel, { tree: s.cards.id, id: node.id, end: endOf(s, node), row: null });
  s.send(id, at);
}

function toggle(s, node, open = !isOpen(s, node)) {
  if (!node.kids.length || open === isOpen(s, node)) return;
  s.open.set(node.key, open);
  s.items.get(node.key).detail = null;
  update(s, true);
}

function levels(s, by) {
  const deepest = Math.max(...s.shown.map((node) => node.depth));
  s.depth = Math.max(deepest + by, 1);
  s.open.clear();
  for (const it of s.items.values()) it.detail = null;
  update(s, true);
}

function focus(s, node) {
  s.focus = node.key;
  for (const other of s.shown) s.items.get(other.key).g.setAttribute("tabindex", other === node ? 0 : -1);
  s.items.get(node.key).g.focus({ preventScroll: true });
  const x = s.view.x + s.view.k * node.x, y = s.view.y + s.view.k * node.y, { clientWidth: w, clientHeight: h } = s.root;
  const half = (s.view.k * node.w) / 2, high = s.view.k * node.h; // what is seen whole stays where it is
  const dx = x < half ? half + EDGE - x : x + half > w ? w - half - EDGE - x : 0, dy = y < 0 ? TOP - y : y + high > h ? h - high - EDGE - y : 0;
  if (dx || dy) { s.auto = false; move(s, { x: s.view.x + dx, y: s.view.y + dy, k: s.view.k }, 160); }
}

function beside(s, node, by) {
  const row = s.shown.filter((other) => other.depth === node.depth).sort((a, b) => a.x - b.x);
  return row[row.indexOf(node) + by];
}

function key(s, e) {
  const node = nodeAt(s, e) ?? s.byKey.get(s.focus);
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const go = { ArrowDown: () => isOpen(s, node) ? node.kids[0] : toggle(s, node, true), ArrowUp: () => node.up,
    ArrowLeft: () => beside(s, node, -1), ArrowRight: () => beside(s, node, 1), Home: () => s.shown[0], End: () => s.shown[s.shown.length - 1] }[e.key];
  const act = { Enter: () => select(s, node.id), " ": () => select(s, node.id), Escape: () => select(s, null), f: () => fit(s),
    "+": () => toggle(s, node, true), "-": () => toggle(s, node, false) }[e.key];
  if (!go && !act) return;
  e.preventDefault();
  e.stopPropagation();
  const to = go ? go() : act();
  if (to) focus(s, to);
}

// Around the tree: buttons, legend, downloads ---------------------------------------------------------

function toolbar(s) {
  const bar = html(s.root, "div", { class: "bar", role: "toolbar", "aria-label": "tree graph" });
  buttons(bar, [
    ["−", "zoom out", () => zoom(s, 0.8)],
    ["+", "zoom in (Ctrl and the wheel)", () => zoom(s, 1.25)],
    ["Fit", "show the whole tree (F)", () => fit(s)],
    ["− level", "one level less", () => levels(s, -1)],
    ["+ level", "one level more", () => levels(s, 1)],
    ["SVG", "download the picture as SVG", () => saveSvg(picture(s), "tree.svg")],
    ["PNG", "download the picture as PNG", () => savePng(picture(s), "tree.png")],
  ]);
}

function legend(s) {
  const { classes, kind, target, omitted } = s.cards, most = 8;
  s.legend.replaceChildren();
  html(s.legend, "b", {}, target);
  classes.slice(0, most).forEach((one, i) => {
    const entry = html(s.legend, "span", { title: one.name });
    html(entry, "i", {}).style.background = classColour(s, i);
    entry.append(one.name);
  });
  if (classes.length > most) html(s.legend, "span", {}, `+${classes.length - most}`);
  if (kind === "number") ramp(s.legend, SCALE, ...s.cards.goal.ends);
  s.note.textContent = omitted ? `${omitted.toLocaleString("en")} nodes of the smallest branches are not drawn` : "";
}

function picture(s) { // every open card in full, with nothing that needs a style sheet
  const box = bounds(s.shown), w = box.right - box.left + 40, h = box.bottom - box.top + 70, before = { ...s.view };
  move(s, { x: 20 - box.left, y: 50 - box.top, k: 1 }, 0);
  for (const node of s.shown) draw(s, s.items.get(node.key), 1);
  const copy = s.svg.cloneNode(true);
  for (const extra of copy.querySelectorAll(".ui")) extra.remove();
  for (const dim of copy.querySelectorAll(".aside")) dim.style.opacity = 0.3;
  for (const [name, value] of Object.entries({ xmlns: SVG, width: w, height: h, viewBox: `0 0 ${w} ${h}` })) copy.setAttribute(name, value);
  const back = svg(null, "rect", { width: w, height: h, fill: s.theme.paper });
  copy.prepend(back);
  let x = 20 + text(s, copy, 20, 28, s.cards.target, { "font-weight": 700 }) + 16;
  s.cards.classes.slice(0, 8).forEach(({ name }, i) => {
    svg(copy, "rect", { x, y: 18, width: 11, height: 11, rx: 2, fill: classColour(s, i) });
    x += 16 + text(s, copy, x + 16, 28, name, {}) + 14;
  });
  move(s, before, 0);
  return new XMLSerializer().serializeToString(copy);
}
