// Trees typed by hand, as the tree graph has them after `index`.

import { index } from "../../assets/components/tree/nodes.js";

// The graph of a tree that has been opened down to a depth, on a root element of so many pixels.
export function graphOf(nodes, { depth = 9, width = 800, height = 500, cultivated = false } = {}) {
  const root = { clientWidth: width, clientHeight: height };
  const s = { cards: { nodes, cultivated, omitted: 0 }, open: new Map(), root, width, depth, auto: true, whole: false };
  index(s);
  return s;
}

//      0
//     ╱ ╲
//    1   2
//       ╱ ╲
//      3   4
export function iris() {
  return [{ id: 0, f: 2, left: 1, right: 2 }, { id: 1 }, { id: 2, f: 3, left: 3, right: 4 }, { id: 3 }, { id: 4 }];
}

// The next level of all nodes, down to a depth; nodes are numbered in preorder.
export function complete(depth) {
  const nodes = [];
  (function grow(left) {
    const node = { id: nodes.length };
    nodes.push(node);
    if (!left) return node.id;
    node.f = 0;
    node.left = grow(left - 1);
    node.right = grow(left - 1);
    return node.id;
  })(depth);
  return nodes;
}
