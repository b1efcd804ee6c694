"""Shapley values of predictions (SHAP), and of pairs of features, exact for trees of any depth.

A prediction is what is expected of no row in particular, plus a part for each feature. A feature's part is what
knowing it adds to the expected prediction, averaged over all orders in which features become known (Shapley 1953;
Lundberg & Lee 2017). Where a feature is not known, a row goes both ways at its splits, by the weights of the
children ("path dependent"; Lundberg et al. 2020, algorithm 1); `espalier.kernels.explanation.shapley` says how.

Parts of a boosted forest add up to its score before the link: log odds, or a logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from espalier.explanation.dependence import ScoreTrees, can_explain, scores_of
from espalier.kernels.explanation.shapley import (
    FREE,
    Coalition,
    add_shapley_values,
    expected,
    most_features,
    quadrature,
)
from espalier.kernels.explanation.splits import ForestSplits, make_splits
from espalier.kernels.forest.packed import parts_of
from espalier.kernels.route import columns_of
from espalier.trees import Forest, Tree, is_leaf

LEAST_ROWS = 64  # for a thread of its own
SAME = 1e-12  # sums of shares that differ by less are equal
ALONE = Coalition(FREE, 0.0, 1.0)  # nothing is known beside the features whose order is drawn


class ShapleyValues(NamedTuple):
    """Predictions, or scores, taken apart: `base` plus the sum of `added` over the features."""

    base: np.ndarray  # (n_outputs,) what is expected of no row in particular
    added: np.ndarray  # (n_samples, n_features, n_outputs)


class ShapleyInteractions(NamedTuple):
    """Shapley values, each divided among the pairs that its feature makes with the others and itself."""

    base: np.ndarray  # (n_outputs,)
    added: np.ndarray  # (n_samples, n_features, n_features, n_outputs); symmetric in the features


class _Game(NamedTuple):
    """Trees, and the rows that are explained."""

    splits: ForestSplits
    start: np.ndarray  # (n_outputs,)
    columns: np.ndarray  # (n_features, n_samples)
    total: float | None  # of all outputs, if it is always the same: the last is then what the others leave


def shapley_values(
    model: Tree | Forest, X: np.ndarray, *, n_jobs: int | None = None, background: None = None
) -> ShapleyValues:
    """Return the path dependent Shapley values of each row of X (n_samples, n_features), exact to rounding.

    In the units of `predict.shares`, but of a boosted forest in those of its scores. With surrogate splits a row's
    side of a split counts for the feature of that split. Raises ValueError for trees that are no `Tree`, and for
    `background`, which an earlier version took.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartRegressor
    >>> diabetes = samples.load("diabetes")
    >>> tree = CartRegressor(max_depth=2).fit(diabetes.X, diabetes.y).tree_
    >>> found = shapley_values(tree, diabetes.X[:1])
    >>> float(found.base[0].round(1)), float((found.base + found.added.sum(axis=1))[0, 0].round(1))
    (152.1, 225.9)
    """
    game = _game(model, X, background)
    parts = np.zeros((*np.shape(X), len(game.splits.value)))
    _add_values(game, n_jobs, parts, ALONE)
    return ShapleyValues(_base(game), _all_outputs(game, parts, 0.0))


def shapley_interactions(
    model: Tree | Forest, X: np.ndarray, *, n_jobs: int | None = None, features: Sequence[int] | None = None,
    background: None = None,
) -> ShapleyInteractions:  # fmt: skip
    """Return the Shapley interaction values of each row of X (n_samples, n_features): see `shapley_values`.

    Half of what two features add together, beyond what each adds without the other, stands at both places of the
    pair; what remains of a feature's Shapley value stands on the diagonal (Fujimoto et al. 2006; Lundberg et al.
    2020). With `features`, only these are looked at, in this order: n_features is then their number, and the rest
    of a row's sum is with others. It takes twice as long for every feature that the trees ask for.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartRegressor
    >>> diabetes = samples.load("diabetes")
    >>> tree = CartRegressor(max_depth=2).fit(diabetes.X, diabetes.y).tree_
    >>> pairs, values = shapley_interactions(tree, diabetes.X[:3]), shapley_values(tree, diabetes.X[:3])
    >>> bool(np.allclose(pairs.added.sum(axis=2), values.added))
    True
    >>> shapley_interactions(tree, diabetes.X[:3], features=[2, 8]).added.shape
    (3, 2, 2, 1)
    """
    game = _game(model, X, background)
    some = np.arange(np.shape(X)[1]) if features is None else np.array([int(f) for f in features])
    split_features = set(np.unique(game.splits.feature).tolist())
    n_outputs = len(game.splits.value)
    values = np.zeros((*np.shape(X), n_outputs))
    _add_values(game, n_jobs, values, ALONE)
    parts = np.zeros((len(X), len(some), len(some), n_outputs))
    for place, feature in enumerate(some.tolist()):
        if feature in split_features:  # half of the difference that knowing it makes to the values of all others
            pairs = np.zeros_like(values)
            _add_values(game, n_jobs, pairs, Coalition(feature, 1.0, 0.5), Coalition(feature, 0.0, -0.5))
            pairs[:, feature] = values[:, feature] - pairs.sum(axis=1)
            parts[:, place] = pairs[:, some]
    return ShapleyInteractions(_base(game), _all_outputs(game, parts, 0.0))


def mean_size(values: ShapleyValues) -> np.ndarray:
    """Return the mean absolute Shapley value of each feature, (n_features, n_outputs): its importance.

    >>> mean_size(ShapleyValues(np.zeros(1), np.array([[[1.0], [0.0]], [[-3.0], [0.5]]]))).ravel().tolist()
    [2.0, 0.25]
    """
    return np.abs(values.added).mean(axis=0)


def _game(model: Tree | Forest, X: np.ndarray, background: object) -> _Game:
    if background is not None:
        raise ValueError(
            "values beside background rows are not offered any more: leave background out, or give a tree from "
            "to_sklearn to the package shap, whose TreeExplainer takes them"
        )
    scores = scores_of(model)
    total = _total(scores)
    values = scores.values if total is None else [value[:, :-1] for value in scores.values]
    return _Game(make_splits(scores.trees, values), scores.start, columns_of(X), total)


def _add_values(game: _Game, n_jobs: int | None, values: np.ndarray, *coalitions: Coalition) -> None:
    """Add the Shapley values of all rows, beside what the coalitions say is known; threads take spans of rows."""
    points = quadrature(most_features(game.splits))

    def add(span: np.ndarray) -> None:
        for coalition in coalitions:
            add_shapley_values(game.splits, points, coalition, game.columns, span, values)

    n_threads = max(1, min(effective_n_jobs(n_jobs or 1), len(values) // LEAST_ROWS))
    spans = [np.array([part.start, part.stop]) for part in parts_of(len(values), n_threads)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(add, spans))


def _base(game: _Game) -> np.ndarray:
    mean = np.zeros(len(game.splits.value))
    expected(game.splits, mean)
    return game.start + _all_outputs(game, mean, game.total or 0.0)


def _total(scores: ScoreTrees) -> float | None:
    """Return the sum of all outputs if it is the same for every row, as of class shares; else None."""
    if len(scores.start) == 1:
        return None
    sums = [value.sum(axis=1)[is_leaf(tree)] for tree, value in zip(scores.trees, scores.values, strict=True)]
    return float(sum(each[0] for each in sums)) if all(np.ptp(each) < SAME for each in sums) else None


def _all_outputs(game: _Game, outputs: np.ndarray, total: float) -> np.ndarray:
    """Return outputs (…, n) with the last one, which brings them to their total, where it was left out."""
    if game.total is None:
        return outputs
    return np.concatenate([outputs, total - outputs.sum(axis=-1, keepdims=True)], axis=-1)


# ---- what each feature adds to one prediction, in the units in which the parts add up

LOG_ODDS = ("logistic", "softmax")  # links of scores that are log odds


class PredictionParts(NamedTuple):
    """A prediction of one class, or of a number, taken apart: `base` plus the sum of `added`."""

    base: float
    added: np.ndarray  # (n_features,)
    link: (
        str  # "identity" if the parts are of a share, or of the number itself; else of the score before this link
    )


def prediction_parts(model: Any, x: np.ndarray, output: int) -> PredictionParts | None:
    """Return the Shapley values of one output of a model's prediction for x (n_features,); None if it has none.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> parts = prediction_parts(tree, iris.X[0], 0)
    >>> round(parts.base, 3), parts.added.round(3).tolist(), parts.link
    (0.333, [0.0, 0.0, 0.667, 0.0], 'identity')
    """
    if model is None or not can_explain(model):
        return None
    values = shapley_values(model, x[np.newaxis])
    link = model.link if isinstance(model, Forest) else "identity"
    sign, column = 1.0, output
    if link == "logistic":  # one score, that of class 1
        sign, column = (1.0 if output == 1 else -1.0), 0
    return PredictionParts(sign * float(values.base[column]), sign * values.added[0, :, column], link)
