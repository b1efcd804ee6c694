// Numbers as Python packs them (display/boundaries/plane.py): steps from the least to the greatest.

const STEPS = 10000;

export function unpacked({ low, high, data }) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const steps = new Uint16Array(bytes.buffer);
  return new Float32Array(steps.length).map((_, i) => low + ((high - low) * steps[i]) / STEPS);
}
