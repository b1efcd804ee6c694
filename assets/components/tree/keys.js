// Where the keys lead from a node; nothing here draws.

import { isOpen } from "./nodes.js";

function beside({ shown }, node, by) {
  const row = shown.filter((other) => other.depth === node.depth).sort((a, b) => a.x - b.x);
  return row[row.indexOf(node) + by];
}

// A function from the graph and a node to the node that the key leads to, or undefined; none for other keys.
export const LEADS = {
  ArrowDown: (s, node) => (isOpen(s, node) ? node.kids[0] : undefined),
  ArrowUp: (s, node) => node.up,
  ArrowLeft: (s, node) => beside(s, node, -1),
  ArrowRight: (s, node) => beside(s, node, 1),
  Home: ({ shown }) => shown[0],
  End: ({ shown }) => shown[shown.length - 1],
};
