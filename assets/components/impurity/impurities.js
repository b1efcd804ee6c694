// How mixed a node of two classes is, by the share of the first of them, and what a split gains; nothing here draws.

const bits = (p) => (p > 0 ? -p * Math.log2(p) : 0);

export const IMPURITIES = {
  gini: (p) => 2 * p * (1 - p),
  entropy: (p) => bits(p) + bits(1 - p),
  error: (p) => Math.min(p, 1 - p),
};
export const HIGHEST = { gini: 0.5, entropy: 1, error: 0.5 };

// The share in the node that is split: that of each child, as often as it has rows.
export const parentOf = ({ left, right, weight }) => weight * left + (1 - weight) * right;

// Impurity of the parent, of its children, of both together after the split, and what that gains.
export function numbersOf(name, split) {
  const of = IMPURITIES[name];
  const [parent, left, right] = [of(parentOf(split)), of(split.left), of(split.right)];
  const after = split.weight * left + (1 - split.weight) * right;
  return { parent, left, right, after, gain: Math.max(parent - after, 0) };
}

const whole = (share) => Math.round(Math.min(Math.max(share, 0), 1) * 100) / 100;

// The split with a handle at another share: a child's own, or the parent's, which says how many rows go left.
export function dragged(split, handle, share) {
  if (handle !== "parent") return { ...split, [handle]: whole(share) };
  const { left, right } = split;
  return left === right ? split : { ...split, weight: whole((share - right) / (left - right)) };
}

// The split after a key at a handle, `far` with Shift; undefined for any other key, such as the stage's Page Down.
export function afterKey(key, split, handle, far = false) {
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[key];
  const by = way && way * (far ? 10 : 1);
  if (handle === "parent") {
    const sign = split.left > split.right ? 1 : -1; // more rows in the child that lies that way
    return by === undefined ? undefined : { ...split, weight: whole(split.weight + (sign * by) / 100) };
  }
  if (key === "Home" || key === "End") return { ...split, [handle]: key === "End" ? 1 : 0 };
  return by === undefined ? undefined : { ...split, [handle]: whole(split[handle] + by / 100) };
}

// The split in a text, as it travels: shares in per cent.
export const written = ({ left, right, weight }) =>
  [left, right, weight].map((share) => Math.round(100 * share)).join("-");
