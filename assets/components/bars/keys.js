// Where the keys lead from a bar; nothing here draws.

// The bar that a key leads to, of those up to the last; null for other keys.
export function barAfter(key, at, last) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (key === "Home" || key === "End") return key === "Home" ? 0 : last;
  return step ? Math.min(Math.max(at + step, 0), last) : null;
}
