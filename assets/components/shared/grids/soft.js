// The surface of a cultivated tree, when the browser takes levels off, as views/boundaries/soft_fold.py describes it.
// From the root down each node parts what is in it between its children, cell by cell where it asks for an axis; where
// the tree ends, its answers are mixed by these fractions.

import { unpacked } from "./packed.js";

const LEAST = 0.002; // of a row: where no cell has more of it in a node, the node answers for all below

// The grids of all answers, and of their spread with its greatest value.
export function softOf(fold, cut) {
  const soft = (fold.soft.read ??= readSoft(fold));
  const mean = soft.values[0].map(() => new Float32Array(soft.n));
  const field = new Float32Array(soft.n);
  for (const fixed of soft.others) addRow({ ...soft, cut, fixed }, mean, field);
  return { fields: mean, spread: { field, high: field.reduce((most, v) => Math.max(most, v), 0) } };
}

function readSoft({ soft: { along, others, values }, cards: { nodes } }) {
  const size = ({ edges }) => edges.length - 1;
  const parts = along.map((axis) => rowsOf(unpacked(axis.parts), size(axis)));
  const asks = along.map(({ nodes: some }, k) => new Map(some.map((id, i) => [id, parts[k][i]])));
  const n = along.reduce((cells, axis) => cells * size(axis), 1);
  const squares = values.map((value) => value.reduce((sum, v) => sum + v * v, 0));
  const fixed = rowsOf(unpacked(others), nodes.length);
  return { nodes, values, squares, asks, others: fixed, n, nx: size(along[0]), pool: [] };
}

function rowsOf(all, size) {
  return Array.from({ length: all.length / size }, (_, i) => all.subarray(i * size, (i + 1) * size));
}

// One of the rows that the answer is averaged over; its spread is that of the answers about the mean.
function addRow(w, mean, spread) {
  const own = mean.map(() => new Float32Array(w.n));
  const squares = new Float32Array(w.n);
  mix({ ...w, sums: [...own, squares] }, 0, { field: new Float32Array(w.n).fill(1), most: 1, depth: 0 });
  const many = w.others.length;
  const twice = own.length > 1 ? 2 : 1;
  for (let i = 0; i < w.n; i++) {
    let left = squares[i];
    for (let k = 0; k < own.length; k++) {
      left -= own[k][i] * own[k][i];
      mean[k][i] += own[k][i] / many;
    }
    spread[i] += Math.sqrt(Math.max(left, 0) / twice) / many;
  }
}

// What is in a node, as a field, goes on. As long as nobody asks for an axis numbers do, and the field is added once.
function mix(w, id, at) {
  const answer = w.sums.map(() => 0);
  follow(w, id, 1, { ...at, answer });
  const { field } = at;
  answer.forEach((value, k) => {
    if (value) for (let i = 0; i < w.n; i++) w.sums[k][i] += value * field[i];
  });
}

function follow(w, id, share, at) {
  if (share === 0) return;
  if (w.cut.leafOf[id] !== undefined || share * at.most < LEAST) return answerOf(w, id, share, at.answer);
  const { left, right } = w.nodes[id];
  if (w.asks.some((axis) => axis.has(id))) return part(w, id, share, at);
  follow(w, left, share * w.fixed[id], at);
  follow(w, right, share * (1 - w.fixed[id]), at);
}

function answerOf(w, id, share, answer) {
  w.values[id].forEach((value, k) => (answer[k] += share * value));
  answer[answer.length - 1] += share * w.squares[id];
}

function part(w, id, share, { field, depth }) {
  const { left, right } = w.nodes[id];
  const [across, up] = w.asks.map((axis) => axis.get(id));
  const goes = (w.pool[depth] ??= [new Float32Array(w.n), new Float32Array(w.n)]);
  const most = [0, 0];
  for (let i = 0, x = 0, y = 0; i < w.n; i++) {
    const gate = w.fixed[id] + (across ? across[x] : 0) + (up ? up[y] : 0);
    const here = share * field[i];
    goes[0][i] = gate < 1 ? here * gate : here;
    goes[1][i] = here - goes[0][i];
    if (goes[0][i] > most[0]) most[0] = goes[0][i];
    if (goes[1][i] > most[1]) most[1] = goes[1][i];
    if (++x === w.nx) [x, y] = [0, y + 1];
  }
  [left, right].forEach((kid, k) => most[k] > 0 && mix(w, kid, { field: goes[k], most: most[k], depth: depth + 1 }));
}
