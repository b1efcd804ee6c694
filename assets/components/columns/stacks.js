// Where the dots of a column's stacks stand, or how high its bars are; nothing here draws.

export const SIZE = { width: 240, height: 64 };
const DOT = { most: 7, least: 3, step: 0.5 }; // of a dot that stands for a row
const GAP = 2; // between stacks

// The size of the largest dots of which every stack has room; 0 where they would be too small to see.
export function dotSize(sums, width, height) {
  const most = Math.max(...sums, 1);
  for (let size = DOT.most; size >= DOT.least; size -= DOT.step)
    if (Math.floor(width / size) * Math.floor(height / size) >= most) return size;
  return 0;
}

// A path for each group, and the width of its strokes (0: an area), of how many rows of each group are in each bin.
export function stackPaths(counts, { width, height } = SIZE) {
  const step = width / Math.max(counts.length, 1);
  const room = Math.max(step - GAP, 1);
  const sums = counts.map((groups) => groups.reduce((sum, n) => sum + n, 0));
  const size = dotSize(sums, room, height);
  const paths = (counts[0] ?? []).map(() => "");
  const place = size ? dots(size, room, height) : bars(Math.max(...sums, 1), room, height);
  counts.forEach((groups, bin) => {
    let below = 0;
    groups.forEach((n, group) => {
      if (n) paths[group] += place(bin * step + GAP / 2, below, n);
      below += n;
    });
  });
  return { paths, size };
}

function dots(size, room, height) {
  const abreast = Math.floor(room / size);
  const indent = (room - abreast * size) / 2 + size / 2;
  return (left, below, n) =>
    Array.from({ length: n }, (_, i) => {
      const at = below + i;
      const x = left + indent + (at % abreast) * size;
      return `M${short(x)} ${short(height - (Math.floor(at / abreast) + 0.5) * size)}h0`;
    }).join("");
}

function bars(most, room, height) {
  const wide = short(room);
  return (left, below, n) =>
    `M${short(left)} ${short(height * (1 - below / most))}h${wide}v${short((-height * n) / most)}h${-wide}z`;
}

const short = (x) => Math.round(x * 100) / 100;
