// The surface of a tree whose answer is averaged over rows, when the browser cuts the tree off: the cells of a grid, as
// views/boundaries/averaged.py describes it. A split on an axis parts the plane; of any other, Python has counted how
// many rows go which way.

export function averageOf(surface, fold, cut) {
  const { rows, reached, values, rulers } = fold.average;
  const nodes = fold.cards.nodes;
  const axisOf = (card) => surface.axes.findIndex((axis) => axis.feature === card.f);
  const isSplit = (id) => cut.leafOf[id] === undefined;
  const cuts = surface.axes.map((_, k) => nodes.filter((card) => isSplit(card.id) && axisOf(card) === k));
  const along = rulers.map((ruler, k) => cellsAlong(ruler, cuts[k]));
  const [nx, ny] = [along[0].at.length, along[1]?.at.length ?? 1];
  const fields = values[0].map(() => new Float32Array(nx * ny));
  const add = (id, cells) => {
    if (!reached[id] || cells.some((some) => !some.length)) return;
    if (!isSplit(id)) return fill(fields, cells, nx, reached[id] / rows, values[id]);
    const card = nodes[id];
    const axis = axisOf(card);
    if (axis < 0) for (const kid of [card.left, card.right]) add(kid, cells);
    else {
      const goes = (i) => (card.goes ? card.goes.includes(along[axis].at[i]) : along[axis].at[i] <= card.t);
      add(card.left, cells.with(axis, cells[axis].filter(goes)));
      add(
        card.right,
        cells.with(
          axis,
          cells[axis].filter((i) => !goes(i)),
        ),
      );
    }
  };
  add(0, [[...along[0].at.keys()], [...Array(ny).keys()]]);
  return { fields, along };
}

function fill(fields, [across, up], nx, share, value) {
  fields.forEach((field, k) => {
    for (const j of up) for (const i of across) field[j * nx + i] += share * value[k];
  });
}

// From cut to cut where these are few, else many of equal width.
function cellsAlong(ruler, cards) {
  if (ruler.edges) return { ...ruler, smooth: false };
  const { low, high, few, most } = ruler;
  const cuts = [...new Set(cards.map((card) => card.t))].filter((t) => t > low && t < high).sort((a, b) => a - b);
  const smooth = cuts.length >= few;
  const edges = smooth
    ? Array.from({ length: most + 1 }, (_, i) => low + ((high - low) * i) / most)
    : [low, ...cuts, high];
  return { edges, at: edges.slice(1).map((edge, i) => (edge + edges[i]) / 2), smooth };
}
