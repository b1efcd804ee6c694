"""The plane of a decision surface: its axes, the samples on top, and the cells of a grid over it.

`display.boundaries.surface` describes the JSON. Cells are for cultivated trees, for answers averaged over rows and
for models that are not constant on boxes. Categories and features of few values have a column of cells for each
value. If a tree has few cuts on an axis, its cells reach from cut to cut, and the picture is exact. Any other axis
has many cells of equal width, which the browser draws as a smooth picture.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.values import in_words, on_axis
from espalier.display.theme import all_rounded, round_digits
from espalier.display.tree.cards import class_colours_card
from espalier.inert import inert, legible
from espalier.kernels.cultivated.fractions import Slice, fraction_slice, predict_slice
from espalier.kernels.route import averages, shares_of_rows
from espalier.predict import samples_over, shares
from espalier.settings import MAX_POINTS
from espalier.trees import AnyTree, CultivatedTree, Tree, is_leaf, read_only, subtree_end

PAD = 0.04  # of the data's range, at either end of an axis
Interval = tuple[float, float]
Judge = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # X -> the leaf and the prediction of each row


def check_axes(dataset: Dataset, axes: Sequence[int]) -> None:
    """Raise ValueError if the axes are not one or two different features of the data."""
    if not 1 <= len(axes) <= 2 or len(set(axes)) != len(axes):
        raise ValueError(f"a surface has one or two different features, not {list(axes)}")
    if not all(0 <= a < len(dataset.features) for a in axes):
        raise ValueError(f"axes {list(axes)} name a feature that the data do not have")


def typical(dataset: Dataset) -> np.ndarray:
    """Return median of numbers and ordered categories, else the most frequent code, (n_features,) float64."""
    values = np.full(len(dataset.features), np.nan)
    for f, feature in enumerate(dataset.features):
        x = dataset.X[:, f]
        x = x[np.isfinite(x)]
        if not len(x):
            continue
        if feature.kind in ("category", "yes/no"):
            values[f] = np.bincount(x.astype(int)).argmax()
        elif feature.kind == "ordered":
            values[f] = np.sort(x)[(len(x) - 1) // 2]  # the lower median, which is an existing level
        else:
            values[f] = _median(x)
    return values


def _median(x: np.ndarray) -> float:
    """Return the median. NumPy's own takes ten times as long for short columns, and tables may have thousands."""
    middle = [(len(x) - 1) // 2, len(x) // 2]
    low, high = np.partition(x, middle)[middle]
    return float((low + high) / 2)


def ends_of(feature: Feature, x: np.ndarray) -> Interval:
    """Return both ends of an axis: half a step around categories, else the data's range, padded."""
    if feature.categories:
        return -0.5, len(feature.categories) - 0.5
    finite = x[np.isfinite(x)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    pad = PAD * (high - low) or max(abs(low), 1.0) / 2
    return low - pad, high + pad


def axis_card(dataset: Dataset, f: int, ends: Interval) -> dict[str, Any]:
    """Return the JSON of an axis, as `espalier.display.boundaries.surface` describes it."""
    feature, x = dataset.features[f], dataset.X[:, f]
    axis: dict[str, Any] = {"feature": int(f), "name": inert(feature.name)}
    axis |= {"meaning": legible(feature.meaning)} if feature.meaning else {}
    low, high = all_rounded(np.array(ends))
    axis |= {"low": low, "high": high, "missing": int(np.isnan(x).sum())}
    if feature.categories:
        return axis | {"names": [inert(name) for name in feature.categories]}
    return axis if feature.moment is None else axis | on_axis(feature)


def held_words(dataset: Dataset, features: Iterable[int], held: np.ndarray) -> list[list[str]]:
    """Return the names and fixed values of the features that matter but are not on the surface's axes."""
    return [[inert(dataset.features[f].name), in_words(dataset.features[f], float(held[f]))] for f in features]


def points(
    dataset: Dataset,
    axes: Sequence[int],
    judge: Judge,
    out: np.ndarray | None = None,
    dots: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the JSON of the samples drawn, as `espalier.display.boundaries.surface` describes it.

    `judge` is called with the rows of `drawn_rows`; `out` (n_samples,) bool are the held-out rows. `dots` is what
    `drawn_points` returns for the same, where it is there already.
    """
    dots = drawn_points(dataset, axes, out) if dots is None else dots
    rows = dots["points"]["row"]
    leaf, says = judge(dataset.X[rows])
    verdict = {"leaf": leaf.tolist()}
    if dataset.is_classification:
        verdict["wrong"] = (says.argmax(axis=1) != dataset.y[rows]).astype(int).tolist()
    return dots | {"points": dots["points"] | verdict}


def drawn_points(dataset: Dataset, axes: Sequence[int], out: np.ndarray | None) -> dict[str, Any]:
    """Return what the JSON of the samples drawn has whatever a model says of them, as `points` does."""
    rows = drawn_rows(len(dataset.y))
    X, y = dataset.X[rows], dataset.y[rows]
    card: dict[str, Any] = {"row": rows.tolist(), "x": _values(X[:, axes[0]])}
    if (labels := dataset.roles.labels) is not None:
        card["label"] = [inert(name) for name in labels.called(rows.tolist())]
    card["y"] = _values(X[:, axes[1]]) if len(axes) == 2 else None
    card["target"] = y.tolist() if dataset.is_classification else _values(y)
    card["out"] = ([0] * len(rows)) if out is None else out[rows].astype(int).tolist()
    dots: dict[str, Any] = {"points": card, "left_out": len(dataset.y) - len(rows)}
    if dataset.truth is not None and len(axes) == 1:
        low, high = ends_of(dataset.features[axes[0]], dataset.X[:, axes[0]])
        dots["truth"] = all_rounded(dataset.truth(np.linspace(low, high, TRUTH_POINTS)))
    return dots


def ringed(surface: dict[str, Any], rows: np.ndarray, why: str) -> dict[str, Any]:
    """Return the surface with rings around these rows, (n_samples,) bool, instead of errors.

    `why` gives the reason.
    """
    flags = rows[surface["points"]["row"]].astype(int).tolist()
    return surface | {"points": surface["points"] | {"ringed": flags, "why": why}}


def mark(dataset: Dataset, axes: Sequence[int], row: int) -> dict[str, Any]:
    """Return the place of a sample on the surface of `axes`, and its name if it has a label, for the browser."""
    x = [_values(dataset.X[:, axis], [row])[0] for axis in axes]
    spot = {"row": int(row), "x": x[0], "y": x[1] if len(axes) == 2 else None}
    spot |= {} if dataset.roles.labels is None else {"name": inert(dataset.roles.name_of(row))}
    return spot | {"target": _values(np.asarray(dataset.y, dtype=float), [row])[0]}


def drawn_rows(n: int) -> np.ndarray:
    """Return the rows drawn as points, ascending: all, or MAX_POINTS of them, always the same ones."""
    if n <= MAX_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_POINTS, replace=False))


def _values(x: np.ndarray, rows: Sequence[int] | None = None) -> list[float | None]:
    """Return the values of a column, of all or some of its `rows`, rounded by the range of all; None: missing."""
    finite = x[np.isfinite(x)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    each = x if rows is None else x[list(rows)]
    return [round_digits(v, span) if np.isfinite(v) else None for v in each.tolist()]


# The surface in cells --------------------------------------------------------------------------------


TRUTH_POINTS = 121  # of the curve that a simulated sample was drawn from
CELLS = (120, 90)  # along x and y, at most
CELLS_OF_ONE = 400  # if there is no second axis
MOST_NUMBERS = 40_000  # sent in all grids together: about 110 kB
FEW_VALUES = 12  # distinct values with a column each
FEW_CUTS = 60  # cells reach from cut to cut up to so many; more cuts look smooth anyway
STEPS = 10_000  # of a packed number
Predict = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | None]]


class Ruler(NamedTuple):
    """The cells along an axis."""

    edges: np.ndarray  # (n_cells + 1,) float64, ascending
    at: np.ndarray  # (n_cells,) float64: the value that a cell is predicted at
    smooth: bool  # whether values change within cells


def tree_raster(
    tree: CultivatedTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray, brief: bool = False
) -> dict[str, Any]:
    """Return the surface of a cultivated tree without points, as `espalier.display.boundaries.surface` has it.

    A `brief` surface, which another soon replaces, is `coarse`.
    """
    rulers = rulers_of(dataset, axes, tree)
    rulers = [coarse(ruler) for ruler in rulers] if brief else rulers
    features_in_use = [f for f in np.unique(tree.decisions.feature).tolist() if f not in axes]
    mean, spread = _mean_of(lambda row: predict_slice(tree, _slice(axes, rulers, row)), held)
    return card_of(dataset, axes, rulers, mean, spread) | held_or_rows(dataset, features_in_use, held)


def raster(
    predict: Predict,
    dataset: Dataset,
    axes: Sequence[int],
    held: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the surface of any model, in the form of a cultivated tree's.

    `predict` takes X (n, n_features) and gives the mean (n, n_outputs) and the spread (n,), or None for it; with
    `held` (n_rows, n_features) it is asked about all places once for each of these rows. The other arguments are
    those of `display.boundaries.surface.surface`. Raises ValueError if the axes are not one or two different ones.
    """
    check_axes(dataset, axes)
    held = typical(dataset) if held is None else held
    rulers = rulers_of(dataset, axes)
    at = [ruler.at for ruler in rulers]
    mean, spread = _mean_of(lambda row: predict(samples_over(axes, at, row)), held)
    mean = np.reshape(mean, (-1, len(at[0]), max(len(dataset.classes), 1)))
    spread = None if spread is None else np.reshape(spread, (-1, len(at[0])))
    off_plane = [f for f in range(len(dataset.features)) if f not in axes]
    card = card_of(dataset, axes, rulers, mean, spread) | held_or_rows(dataset, off_plane, held)
    return card | points(dataset, axes, lambda X: (np.zeros(len(X), np.int64), predict(X)[0]), out)


def node_raster(
    tree: CultivatedTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray | None, node: int
) -> dict[str, Any]:
    """Return the fraction in a node of a sample in each cell of the surface: {"node": int, "cells": packed}."""
    held, rulers = typical(dataset) if held is None else held, rulers_of(dataset, axes, tree)
    fraction, _ = _mean_of(lambda row: (fraction_slice(tree, _slice(axes, rulers, row), node), None), held)
    return {"node": int(node), "cells": packed(fraction, 0.0, float(fraction.max()))}


# Other features --------------------------------------------------------------------------------------


def held_or_rows(dataset: Dataset, features: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return what a surface says of features on no axis: the values they are held at, or rows averaged over."""
    if held.ndim == 2:
        return {"held": [], "averaged": len(held)}
    return {"held": held_words(dataset, features, held)}


def _mean_of(
    ask: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | None]], held: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the mean of both answers over the rows of `held`, if it has two axes; else its own answers."""
    if held.ndim == 1:
        return ask(held)
    mean, spread = ask(held[0])
    for row in held[1:]:
        more, wider = ask(row)
        mean = mean + more
        spread = None if spread is None or wider is None else spread + wider
    return mean / len(held), None if spread is None else spread / len(held)


# The grid --------------------------------------------------------------------------------------------


def rulers_of(dataset: Dataset, axes: Sequence[int], tree: AnyTree | None = None) -> list[Ruler]:
    """Return the cells along each axis; without a tree, those for any model."""
    n_fields = max(len(dataset.classes), 2)  # shares of all classes but one (or the value), and the spread
    shrunk = min(1.0, np.sqrt(MOST_NUMBERS / (n_fields * CELLS[0] * CELLS[1])))
    most = [int(n * shrunk) for n in CELLS] if len(axes) == 2 else [CELLS_OF_ONE]
    return [_ruler(dataset, a, n, tree) for a, n in zip(axes, most, strict=True)]


def ruler_cards(dataset: Dataset, axes: Sequence[int]) -> list[dict[str, Any]]:
    """Return the JSON of what decides on the cells along each axis, whatever the cuts of a tree.

    {"edges": [float, …], "at": [float, …]} if they are the same for all trees; else {"low": float, "high": float,
    "few": int, "most": int}: cells reach from cut to cut if there are fewer than `few`, else there are `most`.
    """
    cards = []
    for ruler in rulers_of(dataset, axes):
        if ruler.smooth:
            most, (low, high) = len(ruler.at), (float(end) for end in ruler.edges[[0, -1]])
            few = most if len(axes) == 1 else FEW_CUTS
            low, high = all_rounded(np.array([low, high]))
            cards.append({"low": low, "high": high, "few": few, "most": most})
        else:
            cards.append({"edges": all_rounded(ruler.edges), "at": ruler.at.tolist()})
    return cards


def _ruler(dataset: Dataset, f: int, most: int, tree: AnyTree | None) -> Ruler:
    feature, x = dataset.features[f], dataset.X[:, f]
    low, high = ends_of(feature, x)
    values = np.unique(x[np.isfinite(x)])
    if feature.categories:
        values = np.arange(float(len(feature.categories)))
    if feature.categories or 0 < len(values) <= FEW_VALUES:
        between = (values[1:] + values[:-1]) / 2
        return Ruler(np.concatenate([[low], between, [high]]), values, False)
    if tree is not None:
        if isinstance(tree, CultivatedTree):
            cuts = tree.cuts.value[np.repeat(tree.decisions.feature, np.diff(tree.cuts.start)) == f]
        else:
            cuts = tree.threshold[tree.feature == f]
        cuts = np.unique(cuts[(cuts > low) & (cuts < high)])
        if len(cuts) < (most if most == CELLS_OF_ONE else FEW_CUTS):
            return cells_between(np.concatenate([[low], cuts, [high]]), False)
    return cells_between(np.linspace(low, high, most + 1), True)


def coarse(ruler: Ruler) -> Ruler:
    """Return fewer cells along a smooth axis, 60 by 45 at most: for pictures while something moves."""
    if not ruler.smooth:
        return ruler
    return cells_between(np.linspace(ruler.edges[0], ruler.edges[-1], len(ruler.at) // 2 + 1), smooth=True)


def cells_between(edges: np.ndarray, smooth: bool) -> Ruler:
    """Return the cells from edge to edge (n_cells + 1,), each predicted at its centre."""
    return Ruler(edges, (edges[1:] + edges[:-1]) / 2, smooth)


def _slice(axes: Sequence[int], rulers: Sequence[Ruler], held: np.ndarray) -> Slice:
    second = (int(axes[1]), rulers[1].at) if len(axes) == 2 else (-1, np.zeros(1))
    held = np.ascontiguousarray(held, dtype=np.float64)
    return Slice(np.array([int(axes[0]), second[0]]), rulers[0].at, second[1], held)


# JSON ------------------------------------------------------------------------------------------------


def card_of(
    dataset: Dataset,
    axes: Sequence[int],
    rulers: Sequence[Ruler],
    mean: np.ndarray,
    spread: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the JSON of a surface of cells, without its points and without the features on no axis.

    `mean` (ny, nx, n_outputs) are the predictions in the cells, `spread` (ny, nx) how far they spread.
    """
    cells = {} if spread is None else {"spread": packed(spread, 0.0, float(spread.max()))}
    if dataset.is_classification:
        # Differences of rounded sums, so that the shares of all classes still sum to 1.
        sums = np.round(STEPS * mean.cumsum(axis=2)) / STEPS
        shares = np.moveaxis(np.diff(np.minimum(sums, 1.0), axis=2), 2, 0)
        cells = {"shares": packed(shares, 0.0, 1.0)} | cells
    else:
        value = mean[:, :, 0]
        cells = {"value": packed(value, float(value.min()), float(value.max()))} | cells
    axis = [
        axis_card(dataset, a, (float(ruler.edges[0]), float(ruler.edges[-1])))
        | {"edges": all_rounded(ruler.edges), "smooth": ruler.smooth}
        for a, ruler in zip(axes, rulers, strict=True)
    ]
    digest = hashlib.blake2b(repr((dataset.digest, axis, cells)).encode(), digest_size=8)
    card = {
        "id": digest.hexdigest(),
        "kind": "class" if dataset.is_classification else "number",
        "target": inert(dataset.target.name),
        "classes": class_colours_card(dataset.target),
        "axes": axis,
        "cells": cells,
    }
    if dataset.is_classification:
        return card
    return card | {"range": all_rounded(np.array([dataset.y.min(), dataset.y.max()]))}


def packed(numbers: np.ndarray, low: float, high: float) -> dict[str, Any]:
    """Return numbers from low to high in STEPS steps: {"low", "high", "data": base64 of little-endian uint16}."""
    part = (numbers - low) / (high - low) if high > low else np.zeros_like(numbers)
    steps = np.round(STEPS * np.clip(part, 0.0, 1.0)).astype("<u2")
    low, high = all_rounded(np.array([low, high]))
    return {"low": low, "high": high, "data": base64.b64encode(steps.tobytes()).decode("ascii")}


# Averages over rows ----------------------------------------------------------------------------------


def tree_average(tree: Tree, dataset: Dataset, axes: Sequence[int], rows: np.ndarray) -> dict[str, Any]:
    """Return the surface of a tree averaged over rows (n_rows, n_features), as `surface` describes it.

    It is without the points.

    "seen" says how much of the variance of the tree's answers to the rows the plane shows.
    """
    rulers = rulers_of(dataset, axes, tree)
    places = samples_over(axes, [ruler.at for ruler in rulers], rows[0])
    mean = averages(tree, places, axes, shares_of_rows(tree, rows, axes))
    card = card_of(dataset, axes, rulers, mean.reshape(-1, len(rulers[0].at), mean.shape[1]))
    share = round(max(share_shown(tree, rows, axes), 0.0), 3)
    return card | {"held": [], "averaged": len(rows), "seen": share}


def node_average(tree: Tree, dataset: Dataset, axes: Sequence[int], rows: np.ndarray, node: int) -> dict[str, Any]:
    """Return the share of the rows that would be in a node, in each cell: {"node": int, "cells": packed}."""
    number = np.arange(tree.n_nodes)
    inside = is_leaf(tree) & (number >= node) & (number < subtree_end(tree, node))
    counting = tree._replace(value=read_only(inside.astype(np.float64)[:, np.newaxis]))
    places = samples_over(axes, [ruler.at for ruler in rulers_of(dataset, axes, tree)], rows[0])
    share = averages(counting, places, axes, shares_of_rows(tree, rows, axes))[:, 0]
    return {"node": int(node), "cells": packed(share, 0.0, float(share.max()))}


# How much of a tree's answers a plane of two features shows ------------------------------------------

MOST_ROWS = 400  # asked, spread evenly over the table
MOST_FEATURES = 6  # whose pairs are tried
NEARLY = 0.05  # of the variance of the answers: a pair that shows so much less than the best is as good


def best_plane(tree: Tree, X: np.ndarray, features: Sequence[int]) -> tuple[int, ...]:
    """Return the two features whose plane shows most of the tree's answers, in the order of the table.

    X is (n_samples, n_features); only the first `MOST_FEATURES` of `features` are tried, those that the tree has
    most use for first. Of pairs that show nearly as much as the best, the first one is returned: it has the splits
    near the root. Fewer than two features are returned as they are.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=3).fit(iris.X, iris.y).tree_
    >>> best_plane(tree, iris.X, [3, 2, 0, 1])
    (2, 3)
    """
    rows = X[np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64)]
    pairs = list(itertools.combinations(features[:MOST_FEATURES], 2))
    if not pairs:
        return tuple(features)
    scores = [share_shown(tree, rows, pair) for pair in pairs]
    pair_shown = next(pair for pair, share in zip(pairs, scores, strict=True) if share >= max(scores) - NEARLY)
    return tuple(sorted(pair_shown))


def share_shown(tree: Tree, X: np.ndarray, axes: Sequence[int]) -> float:
    """Return how much of the variance of the tree's answers to the rows of X the plane of `axes` shows.

    1 where the tree's answer averaged over the other features is everywhere its own answer, 0 where it tells no
    more than the mean of all answers; it may be negative. Of classes, the variances of all shares are added up.
    """
    says = shares(tree, X)
    off = says - averages(tree, X, axes, shares_of_rows(tree, X, axes))
    variance = float(np.square(says - says.mean(axis=0)).sum())
    return 1.0 - float(np.square(off).sum()) / variance if variance > 0 else 1.0
