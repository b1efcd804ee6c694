// The border between classes: where another one comes to the top.

export function borderOf({ fields, across, up, nx }) {
  const top = fields[0].map((_, i) => fields.reduce((best, field, k) => (field[i] > fields[best][i] ? k : best), 0));
  const found = [];
  for (let j = 0; j + 1 < up.length; j++) {
    for (let i = 0; i + 1 < across.length; i++) {
      const square = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ].map(([a, b]) => [across[a][0], up[b][0], up[b][1] * nx + across[a][1]]);
      if (square.every(([, , cell]) => top[cell] === top[square[0][2]])) continue;
      found.push(
        ...pieces(square.map((corner, k) => crossing(fields, top, corner, square[(k + 1) % 4])).filter(Boolean)),
      );
    }
  }
  return found.filter(([x0, y0, x1, y1]) => x0 !== x1 || y0 !== y1);
}

// Where the winners at both ends of a side are equal.
function crossing(fields, top, [x0, y0, a], [x1, y1, b]) {
  if (top[a] === top[b]) return null;
  const lead = (cell) => fields[top[a]][cell] - fields[top[b]][cell];
  const t = lead(a) / (lead(a) - lead(b)) || 0;
  return [x0 + t * (x1 - x0), y0 + t * (y1 - y0)];
}

function pieces(ends) {
  if (ends.length === 2) return [[...ends[0], ...ends[1]]];
  const middle = [0, 1].map((k) => ends.reduce((sum, end) => sum + end[k], 0) / ends.length);
  return ends.map((end) => [...end, ...middle]);
}
