// The tree graph: cards in SVG. Python sends what core/espalier/display/tree/cards.py describes; only the selected
// node goes back. Zoom, collapsed branches and focus stay here. A node's key is its way from the root ("LRL"), so
// that the common part of two trees stays in place when one replaces the other.

import { channelOf } from "../shared/channel.js";
import { html, svg } from "../shared/elements.js";
import { followFold, offerFold } from "../shared/fold.js";
import { heightOf } from "../shared/height.js";
import { spoken } from "../shared/language/spoken.js";
import { followPicture } from "../shared/live.js";
import { themeOf } from "../shared/theme.js";
import { legend, toolbar } from "./around.js";
import { clearDots, fall } from "./falling.js";
import { listen } from "./hands.js";
import { NARROW } from "./room/layout.js";
import { MOVE_MS, update } from "./motion.js";
import { measureNeeds } from "./room/needs.js";
import { endOf, follow, fractionsOf, index, reveal, same, startDepth } from "./nodes.js";
import { marks } from "./painting.js";
import { listenToFocus } from "./tip.js";
import { inWords } from "./words.js";

const FILM = "film"; // name of the fold in which rows fall through the tree
const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let s = instances.get(parentElement);
  if (!s) instances.set(parentElement, (s = mount(parentElement.querySelector(".espalier-tree"))));
  s.send = (id, at) => setStateValue("selected", { tree: s.cards.id, id, at });
  s.came = data;
  if (!s.isFolded && !s.isPictured) receive(s, data);
  offerFold(s.channel, data.fold, data.at);
  return () => {
    s.observer.disconnect();
    s.channel?.listeners.delete(s.hear);
    s.channel?.colouring.delete(s.recolour);
    offerFold(s.channel, null);
    s.leave();
    s.leavePictures();
    instances.delete(parentElement);
  };
}

function mount(root) {
  const s = {
    root,
    open: new Map(),
    items: new Map(),
    links: new Map(),
    shown: [],
    path: new Set(),
    view: { x: 0, y: 0, k: 1 },
    auto: true,
    selected: null,
    focus: "",
    pointers: new Map(),
  };
  s.legend = html(root, "div", { class: "legend" });
  s.svg = svg(root, "svg", { role: "tree" });
  s.world = svg(s.svg, "g", { role: "none" });
  s.edges = svg(s.world, "g", { "aria-hidden": "true" });
  s.nodes = svg(s.world, "g", { role: "none" });
  s.note = html(root, "div", { class: "note" });
  s.relist = () => legend(s);
  listen(s);
  listenToFocus(s);
  s.observer = new ResizeObserver(() => s.cards && resized(s));
  s.observer.observe(root);
  return s;
}

function receive(s, data, isStill = false) {
  const fresh = !s.cards || s.cards.id !== data.cards.id;
  const otherData = !s.cards || s.cards.data !== data.cards.data;
  speak(s);
  s.theme = themeOf(s.root);
  s.again = data.again ?? null; // how often splits came back
  const look = JSON.stringify([s.theme, s.again]) + data.cards.id;
  if (fresh) s.cards = data.cards; // the same id means the same cards
  if (fresh) index(s);
  s.height = data.height;
  s.grows = data.grows;
  sized(s);
  if (otherData) {
    s.open.clear();
    s.followed = [];
    s.auto = true;
    s.whole = false;
  }
  if (fresh) begin(s);
  if (s.look !== look) {
    s.look = look;
    measureNeeds(s);
    for (const item of s.items.values()) item.detail = null;
    legend(s);
  }
  if (!s.channel) tune(s, data.channel);
  marked(s, s.channel.state);
  update(s, fresh && !otherData && !isStill);
}

function speak(s) {
  const { lang } = document.documentElement;
  if (s.language === lang) return;
  s.language = lang;
  s.svg.setAttribute("aria-label", spoken("decision tree"));
  toolbar(s);
}

// Another tree on the same data: nothing of it is selected.
function begin(s) {
  s.selected = null;
  s.state = null;
  s.parts = null;
  s.path = new Set();
  s.depth = startDepth(s);
  s.most = Infinity;
  s.asked = false;
}

function whole(s) {
  clearDots(s);
  receive(s, s.came);
}

// The tree that is left of a greater one, without Python: its cards are known.
function folded(s, cut, fold) {
  const isWhole = cut.nodes.length === fold.cards.nodes.length;
  const id = isWhole ? fold.cards.id : `${fold.cards.id} ${[...cut.number.keys()]}`;
  s.cards = { ...fold.cards, id, nodes: cut.nodes };
  index(s);
  measureNeeds(s);
  begin(s);
  update(s, true);
  if (fold.name === FILM) fall(s);
}

// Pictures that follow each other closely are a film of their own: each stands still.
function pictured(s, picture) {
  const now = performance.now();
  const isClose = now - (s.picturedAt ?? -Infinity) < MOVE_MS;
  s.picturedAt = now;
  if (isClose) s.moving = false;
  receive(s, picture ? { ...s.came, cards: picture.cards, again: null } : s.came, isClose);
}

function tune(s, name) {
  s.channel = channelOf(name);
  s.hear = (state) => {
    if (marked(s, state)) update(s, true);
    else marks(s);
  };
  s.channel.listeners.add(s.hear);
  s.recolour = () => repainted(s);
  s.channel.colouring.add(s.recolour);
  s.leave = followFold(s, s.channel, { show: (cut, fold) => folded(s, cut, fold), back: () => whole(s) });
  s.leavePictures = followPicture(s, s.channel, (picture) => pictured(s, picture));
  s.channel.describe = (state) => (state.tree === s.cards.id ? inWords(s, state) : null);
}

// Another class has its colour.
function repainted(s) {
  for (const item of s.items.values()) item.detail = null;
  legend(s);
  update(s, false);
}

// Whether branches were opened to show it.
function marked(s, state) {
  if (state?.tree !== s.cards.id || (s.state && same(s.state, state))) return false;
  s.state = state;
  s.selected = state.id;
  s.parts = fractionsOf(state);
  s.path = s.parts
    ? new Set(s.parts.keys())
    : state.row
      ? new Set(s.cards.nodes.filter((node) => node.id <= state.id && state.id < endOf(s, node)).map((node) => node.id))
      : new Set();
  if (s.parts) return follow(s);
  return s.cards.cultivated && state.row ? false : reveal(s, state.id); // its fractions are on their way
}

// A page that is hidden has no width yet.
function sized(s) {
  const width = s.root.clientWidth;
  s.root.style.height = `${heightOf(s.height, s.grows, s.root)}px`;
  s.root.classList.toggle("narrow", width < NARROW);
  s.width = width;
}

function resized(s) {
  sized(s);
  const theme = themeOf(s.root);
  if (theme.letters !== s.theme.letters) {
    s.theme = theme;
    for (const item of s.items.values()) item.detail = null;
  }
  if (s.auto) update(s, false);
}
