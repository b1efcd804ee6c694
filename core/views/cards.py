"""What the tree graph shows of a tree: a card per node, as small and byte-stable JSON.

The same tree, data and rows always give the same bytes, so that a browser that has them is sent nothing.

    {"id": str,                       digest of all that follows: a selection carries it back
     "data": str,                     digest of the data alone: while it stays, the view stays
     "kind": "class" | "number", "target": str, "criterion": str, "weighted": bool,
     "classes": [{"name": str, "light": "#rrggbb", "dark": "#rrggbb"}, …],
     "scales": {"3": scale, …}        by feature: one range for all nodes that split on it
     "goal": scale                    range of the target (regression)
     "omitted": int,                  nodes that are not sent, past settings.MAX_CARDS
     "nodes": [node, …]}              preorder

    scale = {"name": str, "low": float, "high": float, "bins": int, "ends": ["0.1", "2.5"], "names": [str, …]}
            `names` only where values are codes of categories; `ends` are the data's least and greatest value

    node  = {"id": int, "n": int, "impurity": "0.5",
             "weight": "12.5", "part": per mille of the root's weight       weighted trees
             "shares": [per mille, …], "top": int, "percent": "98 %"        classification
             "mean": float, "says": "151"                                   regression
             "f": int, "test": " ≤ 0.8", "t": float | None, "goes": [int, …], "left": int, "right": int
             "missing": [int, bool]   rows without a value, and whether they go left
             "hist": [int, …]         bins × classes, one bin after the other; at a leaf of a regression
                                      bins of the target
             "dots": [int, …]         x, y, x, y, … in hundredths of the ranges (regression)
             "more": int}             nodes below that are not sent; then there is no `left` and `right`
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from core.data.dataset import Dataset, Feature
from core.kernels.route import leaf_of
from core.settings import MAX_CARDS
from core.trees import LEAF, Tree, parents, subtree_end
from core.views.theme import class_colours, number, percent
from core.views.words import condition

BINS = 20  # of a histogram
FEW_BINS = 10  # of a histogram in a tree of more than MANY nodes
MANY = 255
ALL_COUNTS = 120_000  # numbers in all histograms together, at most
ALL_DOTS = 4_000  # samples drawn in all cards of a regression together, at most
DOTS = 60  # samples drawn in one card at most


class Scale(NamedTuple):
    """How the values of a column fall into bins: the bin of x is ``floor((x - low) / width)``."""

    low: float
    width: float
    bins: int


class Sample(NamedTuple):
    """The rows that the cards show, each with the leaf it falls into."""

    X: np.ndarray  # (n_rows, n_features)
    y: np.ndarray  # (n_rows,)
    leaf: np.ndarray  # (n_rows,) int32


def cards(tree: Tree, dataset: Dataset, rows: np.ndarray, criterion: str = "impurity") -> dict[str, Any]:
    """The tree graph's data, as the module describes it.

    `rows` chooses the samples of the histograms, (n_samples,) bool or indices; sizes, shares and impurities
    are the tree's own. `criterion` is the word that stands before an impurity. Raises ValueError where the
    tree splits on a feature that the dataset does not have.
    """
    if tree.feature.max() >= len(dataset.features):
        raise ValueError(f"the tree splits on feature {tree.feature.max()}, the data have {len(dataset.features)}")
    X, y = dataset.X[rows], dataset.y[rows]
    sample = Sample(X, y, leaf_of(tree, X))
    opened = shown_splits(tree)
    shown = _shown_nodes(tree, opened)
    splits = np.array([node for node in shown if tree.feature[node] != LEAF], dtype=np.int64)
    scales = _scales(tree, dataset, sample, splits)
    drawn = _drawings(tree, dataset, sample, splits, scales)._replace(opened=frozenset(opened.tolist()))
    return {
        "id": fingerprint(tree, dataset, np.asarray(rows).tobytes() + criterion.encode()),
        "data": dataset.digest,
        "kind": "class" if dataset.is_classification else "number",
        "target": dataset.target.name,
        "criterion": criterion.replace("_", " "),
        "weighted": is_weighted(tree),
        "classes": coloured(dataset.classes),
        "scales": {str(f): _scale_card(dataset.features[f], scales[f], X[:, f]) for f in sorted(scales)},
        **_goal(dataset),
        "omitted": tree.n_nodes - len(shown),
        "nodes": [_card(tree, dataset, node, drawn) for node in shown],
    }


def fingerprint(tree: Tree, dataset: Dataset, more: bytes = b"") -> str:
    """Short digest of a tree on its data: the name that a selection in the browser refers to."""
    digest = hashlib.blake2b(dataset.digest.encode(), digest_size=8)
    for array in tree:
        digest.update(array.tobytes())
    digest.update(more)
    return digest.hexdigest()


def coloured(classes: Sequence[str]) -> list[dict[str, str]]:
    """Name and colours, light and dark, of each class."""
    colours = class_colours(len(classes))
    return [
        {"name": name, "light": light, "dark": dark}
        for name, light, dark in zip(classes, colours["light"], colours["dark"], strict=True)
    ]


def is_weighted(tree: Tree) -> bool:
    """Whether a node's weight says anything that its number of samples does not."""
    return not np.allclose(tree.weight, tree.n_samples)


def shown_splits(tree: Tree) -> np.ndarray:
    """Splits whose children are sent, in preorder: all, or the largest whose nodes make up MAX_CARDS.

    A child is never larger than its parent, so the largest splits always hang together.
    """
    splits = np.flatnonzero(tree.feature != LEAF)
    largest = np.argsort(-tree.n_samples[splits], kind="stable")
    return np.sort(splits[largest[: (MAX_CARDS - 1) // 2]])


def _shown_nodes(tree: Tree, splits: np.ndarray) -> list[int]:
    return np.sort(np.concatenate([[0], tree.left[splits], tree.right[splits]])).astype(int).tolist()


# Scales ----------------------------------------------------------------------------------------------


def _scales(tree: Tree, dataset: Dataset, sample: Sample, splits: np.ndarray) -> dict[int, Scale]:
    bins = _bins(len(splits), len(dataset.classes))
    used = np.unique(tree.feature[splits]).tolist()
    return {f: scale_of(dataset.features[f], sample.X[:, f], bins) for f in used}


def _bins(n_splits: int, n_classes: int) -> int:
    wanted = BINS if 2 * n_splits + 1 <= MANY else FEW_BINS
    affordable = ALL_COUNTS // max(n_splits * max(n_classes, 1), 1)
    return int(np.clip(affordable, 4, wanted))


def scale_of(feature: Feature, x: np.ndarray, bins: int) -> Scale:
    """Bins over the known values of x: one per category; over whole numbers and tenths, as many in each."""
    if feature.categories:
        return Scale(-0.5, 1.0, len(feature.categories))
    known = x[np.isfinite(x)]
    if not len(known):
        return Scale(-0.5, 1.0, 1)
    low, high = float(known.min()), float(known.max())
    unit = _unit(known)
    if unit:
        values = round((high - low) / unit) + 1
        step = -(-values // bins)
        return Scale(low - unit / 2, step * unit, -(-values // step))
    return Scale(low, (high - low) / bins, bins)


def _unit(x: np.ndarray) -> float:
    """1, 0.1 or 0.01 if all of x are multiples of it, else 0.

    Bins that hold unequally many of the possible values would show a comb that is not in the data.
    """
    for unit in (1.0, 0.1, 0.01):
        for some in (x[:50], x):  # measurements fail on the first few
            steps = some / unit
            if np.abs(steps - np.round(steps)).max() > 1e-6:
                break
        else:
            return unit
    return 0.0


def bin_of(x: np.ndarray, low: np.ndarray, width: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Bin of each known x; the greatest value, and whatever falls outside, goes to the bin at the end."""
    return np.clip(np.floor((x - low) / width), 0, bins - 1).astype(np.int64)


def _scale_card(feature: Feature, scale: Scale, x: np.ndarray) -> dict[str, Any]:
    low, high = rounded(scale.low), rounded(scale.low + scale.width * scale.bins)
    card: dict[str, Any] = {"name": feature.name, "low": low, "high": high, "bins": scale.bins}
    if feature.categories:
        return card | {"names": list(feature.categories)}
    known = x[np.isfinite(x)]
    ends = [number(float(end)) for end in (known.min(), known.max())] if len(known) else ["", ""]
    return card | {"ends": ends}


def _goal(dataset: Dataset) -> dict[str, Any]:
    if dataset.is_classification:
        return {}
    # Of all rows, as on the surface: the same value has the same colour there.
    return {"goal": _scale_card(dataset.target, scale_of(dataset.target, dataset.y, BINS), dataset.y)}


# Histograms ------------------------------------------------------------------------------------------


class Drawings(NamedTuple):
    """What the cards draw, by node: counts of a histogram, dots, and how many values are missing."""

    hist: dict[int, list[int]]
    dots: dict[int, list[int]]
    missing: dict[int, int]
    opened: Set[int] = frozenset()  # splits whose children are sent


def _drawings(
    tree: Tree, dataset: Dataset, sample: Sample, splits: np.ndarray, scales: dict[int, Scale]
) -> Drawings:
    if dataset.is_classification:
        hist, missing = histograms(tree, sample, splits, scales, len(dataset.classes))
        return Drawings(hist, {}, missing)
    _, missing = histograms(tree, sample._replace(y=np.zeros(len(sample.y), np.int64)), splits, scales, 1)
    return Drawings(_leaf_histograms(tree, dataset, sample), _dots(tree, dataset, sample, splits), missing)


def histograms(
    tree: Tree, sample: Sample, splits: np.ndarray, scales: dict[int, Scale], n_classes: int
) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Counts (bins × classes, flat) of the split feature, and of missing values, at each of `splits`."""
    low, width, bins = _by_feature(scales, sample.X.shape[1])
    slot = np.full(tree.n_nodes, -1)
    slot[splits] = np.arange(len(splits))
    most = int(bins.max(initial=1))
    counts = np.zeros(len(splits) * most * n_classes, np.int64)
    missing = np.zeros(len(splits), np.int64)
    for node, row in _climb(tree, sample.leaf):
        drawn = slot[node] >= 0
        node, row = node[drawn], row[drawn]
        f, x = tree.feature[node], sample.X[row, tree.feature[node]]
        lost = np.isnan(x)
        cell = slot[node] * most + bin_of(np.where(lost, low[f], x), low[f], width[f], bins[f])
        counts += np.bincount((cell * n_classes + sample.y[row])[~lost], minlength=len(counts))
        missing += np.bincount(slot[node[lost]], minlength=len(splits))
    table = counts.reshape(len(splits), most * n_classes).tolist()
    wanted = (bins[tree.feature[splits]] * n_classes).tolist()
    keys = splits.tolist()
    hist = {node: line[:n] for node, line, n in zip(keys, table, wanted, strict=True)}
    return hist, dict(zip(keys, missing.tolist(), strict=True))


def _climb(tree: Tree, leaf: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All rows at once, from their leaves to the root: the parents that they pass, and which rows do."""
    parent = parents(tree)
    node, row = parent[leaf], np.arange(len(leaf))
    while True:
        below = node >= 0
        node, row = node[below], row[below]
        if not len(row):
            return
        yield node, row
        node = parent[node]


def _by_feature(scales: dict[int, Scale], n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, width, bins = np.zeros(n_features), np.ones(n_features), np.ones(n_features, np.int64)
    for f, scale in scales.items():
        low[f], width[f], bins[f] = scale.low, scale.width or 1.0, scale.bins
    return low, width, bins


def _leaf_histograms(tree: Tree, dataset: Dataset, sample: Sample) -> dict[int, list[int]]:
    scale = scale_of(dataset.target, dataset.y, BINS)
    leaves, at = np.unique(sample.leaf, return_inverse=True)
    cell = at * scale.bins + bin_of(sample.y, *map(np.asarray, (scale.low, scale.width or 1.0, scale.bins)))
    counts = np.bincount(cell, minlength=len(leaves) * scale.bins).reshape(len(leaves), scale.bins)
    return dict(zip(leaves.tolist(), counts.tolist(), strict=True))


def _dots(tree: Tree, dataset: Dataset, sample: Sample, splits: np.ndarray) -> dict[int, list[int]]:
    """Samples of each split, evenly taken from its leaves, as x and y in hundredths of the ranges."""
    most = int(np.clip(ALL_DOTS // max(len(splits), 1), 6, DOTS))
    order = np.argsort(sample.leaf, kind="stable")  # a subtree's rows then stand side by side
    leaf = sample.leaf[order]
    goal = scale_of(dataset.target, dataset.y, BINS)
    scales = _scales(tree, dataset, sample, splits)
    dots = {}
    for node in splits.tolist():
        start, stop = np.searchsorted(leaf, [node, subtree_end(tree, node)])
        taken = order[start + np.unique(np.arange(most) * (stop - start) // most)] if stop > start else []
        f = int(tree.feature[node])
        x, y = _hundredths(sample.X[taken, f], scales[f]), _hundredths(sample.y[taken], goal)
        known = ~np.isnan(x)
        dots[node] = np.stack([x[known], y[known]], axis=1).astype(int).ravel().tolist()
    return dots


def _hundredths(x: np.ndarray, scale: Scale) -> np.ndarray:
    return np.round(100 * (x - scale.low) / ((scale.width or 1.0) * scale.bins))


# Cards -----------------------------------------------------------------------------------------------


def _card(tree: Tree, dataset: Dataset, node: int, drawn: Drawings) -> dict[str, Any]:
    card: dict[str, Any] = {"id": node, "n": int(tree.n_samples[node])}
    if is_weighted(tree):
        card["weight"] = number(float(tree.weight[node]))
        card["part"] = round(1000 * float(tree.weight[node] / (tree.weight[0] or 1.0)))
    card["impurity"] = number(float(tree.impurity[node]))
    card |= _class_answer(tree, node) if dataset.is_classification else _number_answer(tree, node)
    if tree.feature[node] != LEAF:
        card |= _split(tree, dataset, node, drawn)
    if node in drawn.hist:
        card["hist"] = drawn.hist[node]
    return card


def _class_answer(tree: Tree, node: int) -> dict[str, Any]:
    shares = tree.value[node]
    top = int(shares.argmax())
    return {
        "shares": np.round(1000 * shares).astype(int).tolist(),
        "top": top,
        "percent": percent(float(shares[top])),
    }


def _number_answer(tree: Tree, node: int) -> dict[str, Any]:
    mean = float(tree.value[node, 0])
    return {"mean": rounded(mean), "says": number(mean)}


def _split(tree: Tree, dataset: Dataset, node: int, drawn: Drawings) -> dict[str, Any]:
    f = int(tree.feature[node])
    name = dataset.features[f].name
    split: dict[str, Any] = {"f": f, "test": condition(tree, dataset.features, node).removeprefix(name)}
    if dataset.features[f].categories:
        split["goes"] = categories_going_left(tree, node, len(dataset.features[f].categories))
    else:
        split["t"] = rounded(float(tree.threshold[node])) if np.isfinite(tree.threshold[node]) else None
    if drawn.missing.get(node):
        split["missing"] = [drawn.missing[node], bool(tree.missing_left[node])]
    if node in drawn.dots:
        split["dots"] = drawn.dots[node]
    if node in drawn.opened:
        return split | {"left": int(tree.left[node]), "right": int(tree.right[node])}
    return split | {"more": subtree_end(tree, node) - node - 1}


def categories_going_left(tree: Tree, node: int, n: int) -> list[int]:
    """Codes among 0, …, n - 1 that the split at `node` sends left."""
    if np.isnan(tree.threshold[node]):
        mask = int(tree.categories[node])
        return [code for code in range(n) if mask >> code & 1]
    return [code for code in range(n) if code <= tree.threshold[node]]


def rounded(x: float) -> float:
    """x to seven significant digits, which no screen shows: short, and the same bytes everywhere."""
    return float(f"{x:.7g}")
