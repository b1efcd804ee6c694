// The heights of a sketch: between the limits, in twenty-five steps from the lowest to the highest.

const STEPS = 25;

// The height that a place from 0, below, to 1, above, stands for.
export function heightAt(share, low, high) {
  const step = Math.round(Math.min(Math.max(share, 0), 1) * STEPS);
  return Number((low + (step / STEPS) * (high - low)).toPrecision(6));
}

export const shareOf = (height, low, high) => (height - low) / (high - low);

// The height after a key, or undefined for any other key.
export function afterKey(key, height, low, high) {
  const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[key];
  if (key === "Home") return low;
  if (key === "End") return high;
  return by === undefined ? undefined : heightAt(shareOf(height, low, high) + by / STEPS, low, high);
}

// Heights in a text, as the answer stands in an address.
export const written = (heights) => heights.map((height) => String(height)).join("~");
