// The nodes of a tree: how they hang together, which branches are open, and which are opened to show a sample.

const START_CARDS = 31;
const START_MODULES = 7;
const FOLLOWED = 15; // cards that are opened to show where a sample goes

export function same(a, b) {
  return a.id === b.id && a.tree === b.tree && a.row?.row === b.row?.row && !a.row?.fractions === !b.row?.fractions;
}

// A subtree is a slice.
export const endOf = (s, node) =>
  !node.up ? Infinity : node === node.up.kids[0] ? node.up.kids[1].id : endOf(s, node.up);

export function index(s) {
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

export function startDepth(s) {
  const perDepth = [];
  for (const node of s.cards.nodes) perDepth[node.depth] = (perDepth[node.depth] ?? 0) + 1;
  let total = 0;
  let depth = 0;
  while (depth < perDepth.length && (total += perDepth[depth]) <= (s.cards.cultivated ? START_MODULES : START_CARDS))
    depth++;
  return Math.max(depth - 1, 1);
}

// Below `most` levels are folded for lack of room, unless a person opened them.
export const isOpen = (s, node) =>
  node.kids.length > 0 && (s.open.get(node.key) ?? node.depth < Math.min(s.depth, s.most ?? Infinity));

// Whether anything had to be opened.
export function reveal(s, id) {
  let opened = false;
  for (let node = s.byId.get(id)?.up; node; node = node.up)
    if (!isOpen(s, node)) {
      s.open.set(node.key, true);
      opened = true;
    }
  return opened;
}

export function ancestors(node) {
  const found = new Set();
  for (; node; node = node.up) found.add(node);
  return found;
}

export const soft = (node) => node.gate !== undefined || node.gates !== undefined;

export function fractionsOf(state) {
  const found = state.row?.fractions;
  return found ? new Map(Object.entries(found).map(([id, p]) => [Number(id), p])) : null;
}

// Open the branches that most of the sample goes to, as far as can be read; close the last one's.
export function follow(s) {
  for (const key of s.followed ?? []) s.open.delete(key);
  s.followed = [];
  const { nodes } = s.cards;
  const seen = new Set([nodes[0].id]);
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
