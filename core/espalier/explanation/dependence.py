"""How predictions change along a feature: for each row (ICE), on average (partial dependence), accumulated (ALE).

What trees predict changes along a feature at their own thresholds alone. Between these nothing has to be tried, so
that the curves are exact everywhere, and not on a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from espalier.data.dataset import Feature
from espalier.kernels.explanation.splits import add_jumps, add_pair, make_splits
from espalier.kernels.route import columns_of
from espalier.kinds import are_boxes
from espalier.predict import leaves, through_link, votes_at_nodes
from espalier.trees import Forest, Tree


class ScoreTrees(NamedTuple):
    """Trees whose answers add up to a model's scores."""

    trees: tuple[Tree, ...]
    values: tuple[np.ndarray, ...]  # of each tree, (n_nodes, n_outputs)
    start: np.ndarray  # (n_outputs,) float64: what is added to them
    link: str  # what makes predictions of the scores, of `espalier.trees.LINKS`


def can_explain(model: Any) -> bool:
    """Return whether in a tree, or each tree of a forest, a row is in one leaf, which has one answer.

    Others (cultivated and oblique trees, models in leaves) have no exact Shapley values here.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier, CultivatedClassifier
    >>> iris = samples.load("iris")
    >>> kinds = CartClassifier(max_depth=2), CultivatedClassifier(max_depth=2)
    >>> [can_explain(kind.fit(iris.X, iris.y).tree_) for kind in kinds]
    [True, False]
    """
    return are_boxes(model)


def scores_of(model: Tree | Forest) -> ScoreTrees:
    """Return the trees of a model with the values that add up to its scores; ValueError for other records."""
    if not can_explain(model):
        raise ValueError(
            "this explanation needs trees in which a row is in one leaf, and each leaf has one answer: CART, "
            "optimal and approximation trees, and their forests. A cultivated, oblique or model tree is none"
        )
    if isinstance(model, Tree):
        return ScoreTrees((model,), (model.value,), np.zeros(model.value.shape[1]), "identity")
    trees: Any = model.trees
    weights = zip(trees, model.weight, strict=True)
    values = tuple(weight * votes_at_nodes(tree, model.combine) for tree, weight in weights)
    return ScoreTrees(trees, values, model.start, model.link)


# ---- predictions along a feature: for each row (ICE), on average (partial dependence), accumulated (ALE)

MOST_INTERVALS = 40  # of accumulated effects


class FeatureCurves(NamedTuple):
    """What a model predicts for each row as one feature varies and all others keep their values (ICE).

    The values of the feature fall into places: place i has those above step i - 1, up to step i itself.
    """

    feature: int
    steps: np.ndarray  # (n_steps,) ascending: the thresholds; of categories 0.5, 1.5, …, so that places are codes
    answers: np.ndarray  # (n_samples, n_steps + 1, n_outputs)

    def places_of(self, values: np.ndarray) -> np.ndarray:
        """Return the place of each of these values of the feature, (n,) whole numbers.

        >>> found = FeatureCurves(0, np.array([1.0, 2.0]), np.empty((0, 3, 1)))
        >>> found.places_of(np.array([0.5, 1.0, 1.5, 9.0])).tolist()
        [0, 0, 1, 2]
        """
        return np.searchsorted(self.steps, values, side="left")

    @property
    def mean(self) -> np.ndarray:
        """Mean over the rows, (n_steps + 1, n_outputs): partial dependence (Friedman 2001, section 8.2)."""
        return self.answers.mean(axis=0)


class AccumulatedEffects(NamedTuple):
    """Accumulated local effects of a feature at some of its values, with mean 0 over the rows."""

    at: np.ndarray  # (n,) float64, ascending
    effect: np.ndarray  # (n, n_outputs)


class PairDependence(NamedTuple):
    """The mean score over the rows where two features have other values."""

    features: tuple[int, int]
    steps: tuple[np.ndarray, np.ndarray]  # of each feature, ascending, as in `FeatureCurves`
    scores: np.ndarray  # (n_places of the first, n_places of the second, n_outputs)


def feature_curves(model: Tree | Forest, X: np.ndarray, feature: int, n_categories: int = 0) -> FeatureCurves:
    """Return the predictions for the rows of X (n_samples, n_features) as one feature varies.

    `n_categories` is the number of its categories, 0 of a number. In the units of `predict.shares`, exact to
    rounding. Raises ValueError for trees that are no `Tree`, and for splits on categories of a feature that is
    said to have none.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> found = feature_curves(tree, iris.X, 3)  # petal width
    >>> found.steps.tolist(), found.mean[:, 2].round(3).tolist()
    ([1.75], [0.062, 0.652])
    """
    scores = scores_of(model)
    steps = _thresholds(scores, feature)
    if not n_categories and np.isnan(steps).any():
        raise ValueError(
            f"feature {feature} is split by categories; give the number of its categories, n_categories"
        )
    steps = np.arange(n_categories - 1) + 0.5 if n_categories else steps[np.isfinite(steps)]
    if n_categories or any(tree.has_surrogates for tree in scores.trees):
        above = np.nextafter(steps[-1], np.inf) if len(steps) else 0.0  # a value above the last step
        values = np.arange(n_categories) + 0.0 if n_categories else np.append(steps, above)
        sums = _sums_by_values(scores, X, feature, values)
    else:
        sums = _sums_by_jumps(scores, X, feature, steps)
    predictions = through_link(sums.reshape(-1, sums.shape[2]) + scores.start, scores.link)
    return FeatureCurves(feature, steps, predictions.reshape(*sums.shape[:2], -1))


def _thresholds(scores: ScoreTrees, feature: int) -> np.ndarray:
    """Return the distinct thresholds of splits and surrogates on a feature, (n,) ascending; nan of categories."""
    pools = [(tree.feature, tree.threshold) for tree in scores.trees]
    pools += [(tree.surrogates.feature, tree.surrogates.threshold) for tree in scores.trees]
    return np.unique(np.concatenate([threshold[features == feature] for features, threshold in pools]))


def _sums_by_jumps(scores: ScoreTrees, X: np.ndarray, feature: int, steps: np.ndarray) -> np.ndarray:
    """Return the sums of the trees' answers, (n_samples, n_steps + 1, n_outputs), from one way down each tree."""
    jumps = np.zeros((len(X), len(steps) + 2, len(scores.start)))
    add_jumps(make_splits(scores.trees, scores.values), feature, steps, columns_of(X), jumps)
    return jumps[:, :-1].cumsum(axis=1)


def _sums_by_values(scores: ScoreTrees, X: np.ndarray, feature: int, values: np.ndarray) -> np.ndarray:
    """Return the sums of the trees' answers, (n_samples, n_values, n_outputs): asked for one value at a time."""
    sums = np.zeros((len(X), len(values), len(scores.start)))
    table = np.array(X, dtype=np.float64, order="F")
    for place, value in enumerate(values):
        table[:, feature] = value
        for tree, node_values in zip(scores.trees, scores.values, strict=True):
            sums[:, place] += node_values[leaves(tree, table)]
    return sums


def accumulated_effects(curves: FeatureCurves, values: np.ndarray) -> AccumulatedEffects:
    """Return the accumulated local effects of a feature that is a number (Apley & Zhu 2020).

    values (n_samples,) are the rows' own, of which the missing ones are left out. Between neighbouring quantiles,
    the rows that lie there change their value from one to the other and nothing else, and the mean changes of
    their predictions add up. So no row is moved to where no rows are, as it is for partial dependence.

    >>> answers = np.tile([[[0.0], [1.0]]], (4, 1, 1))
    >>> found = accumulated_effects(FeatureCurves(0, np.array([2.5]), answers), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> found.at.tolist(), found.effect[:, 0].tolist()
    ([1.0, 2.0, 3.0, 4.0], [-0.375, -0.375, 0.625, 0.625])
    """
    is_finite = np.isfinite(values)
    x, answers = values[is_finite], curves.answers[is_finite]
    if not len(x):
        return AccumulatedEffects(np.empty(0), np.empty((0, answers.shape[2])))
    share = np.linspace(0, 1, MOST_INTERVALS + 1)
    edges = np.unique(np.quantile(x, share, method="inverted_cdf"))
    interval = np.maximum(np.searchsorted(edges, x, side="left"), 1)  # the least value is in the first one
    place, rows = curves.places_of(edges), np.arange(len(x))
    if len(edges) < 2:
        return AccumulatedEffects(edges, np.zeros((len(edges), answers.shape[2])))
    change = answers[rows, place[interval]] - answers[rows, place[interval - 1]]
    count = np.bincount(interval, minlength=len(edges))[1:]
    sums = np.stack([np.bincount(interval, column, len(edges))[1:] for column in change.T], axis=1)
    effect = np.vstack([np.zeros(sums.shape[1]), (sums / np.maximum(count, 1)[:, None]).cumsum(axis=0)])
    middle = (effect[1:] + effect[:-1]) / 2
    return AccumulatedEffects(edges, effect - (count @ middle) / len(x))


def pair_dependence(model: Tree | Forest, X: np.ndarray, features: Sequence[int]) -> PairDependence:
    """Return the mean score over the rows of X (n_samples, n_features) wherever two features that are numbers are.

    Scores are predictions, of a boosted forest its sums before the link.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> pair_dependence(tree, iris.X, (2, 3)).scores[..., 2].round(3).tolist()
    [[0.0, 0.0], [0.093, 0.978]]
    """
    scores, axes = scores_of(model), np.array([int(feature) for feature in features])
    steps = [_cuts(scores, feature) for feature in axes.tolist()]
    n_x, n_y = (len(each) + 2 for each in steps)
    changes = np.zeros((n_x, n_y, len(scores.start)))
    add_pair(make_splits(scores.trees, scores.values), axes, (steps[0], steps[1]), columns_of(X), changes)
    table = changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    return PairDependence((int(axes[0]), int(axes[1])), (steps[0], steps[1]), scores.start + table)


def _cuts(scores: ScoreTrees, feature: int) -> np.ndarray:
    """Return the thresholds on a feature that is a number."""
    cuts = _thresholds(scores, feature)
    if np.isnan(cuts).any():
        raise ValueError(f"feature {feature} is split by categories; a pair needs two features that are numbers")
    return cuts[np.isfinite(cuts)]


# ---- whether answers only rise, or only fall, along a feature: for which share of the rows, with an example

TOLERANCE = 1e-9  # by which answers may differ by rounding


class Reversal(NamedTuple):
    """The greatest change of an answer in one direction, along the curve of one row."""

    row: int  # its place among the rows
    before: float  # the answer
    after: float
    place: int  # of the feature's values, from which on the answer is `after`; the place before it has `before`


class Monotony(NamedTuple):
    """How answers change along a feature, over rows whose other values stay."""

    rising: float  # share of the rows whose answer never falls
    falling: float  # share of the rows whose answer never rises
    fall: Reversal | None  # the greatest fall from one place to the next; None: no answer falls
    rise: Reversal | None

    def kept(self, direction: int) -> float:
        """Return the share of the rows that keep to a direction, 1 for rising and -1 for falling."""
        return self.rising if direction > 0 else self.falling

    def against(self, direction: int) -> Reversal | None:
        """Return the greatest change against a direction; None where all rows keep to it."""
        return self.fall if direction > 0 else self.rise


def monotony(curves: FeatureCurves, output: int) -> Monotony:
    """Return how one output changes along the feature of the curves, which are exact: nothing is missed between.

    >>> answers = np.array([[[0.1], [0.4], [0.3]], [[0.2], [0.2], [0.6]]])
    >>> found = monotony(FeatureCurves(0, np.array([1.0, 2.0]), answers), 0)
    >>> found.rising, found.falling, found.fall
    (0.5, 0.0, Reversal(row=0, before=0.4, after=0.3, place=2))
    """
    answers = curves.answers[:, :, output]
    steps = np.diff(answers, axis=1)
    rising, falling = (steps >= -TOLERANCE).all(axis=1), (steps <= TOLERANCE).all(axis=1)
    return Monotony(float(rising.mean()), float(falling.mean()), _turn(answers, -steps), _turn(answers, steps))


def _turn(answers: np.ndarray, steps: np.ndarray) -> Reversal | None:
    """Return the greatest of the steps (n_rows, n_steps), if any is above rounding."""
    if not steps.size or steps.max() <= TOLERANCE:
        return None
    row, step = np.unravel_index(int(steps.argmax()), steps.shape)
    return Reversal(int(row), float(answers[row, step]), float(answers[row, step + 1]), int(step) + 1)


# ---- the feature that goes most closely together with another: with one, curves are to be read with care

LEAST_ROWS = 3  # with both values, of which a correlation is taken


def closest_companion(X: np.ndarray, feature: int, features: tuple[Feature, ...]) -> tuple[int, float] | None:
    """Return the feature whose ranks correlate most with those of another, and the correlation (Spearman 1904).

    X is (n_samples, n_features). Of two that are as close, the first; samples in which either value is missing
    are left out. None for a feature of unordered categories, for one that does not vary, and if no other feature
    has an order and varies.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> feature, correlation = closest_companion(iris.X, 2, iris.features)  # petal length
    >>> iris.features[feature].name, round(correlation, 3)
    ('petal width', 0.938)
    """
    if features[feature].kind == "category":
        return None
    candidates = [f for f, other in enumerate(features) if f != feature and other.kind != "category"]
    correlations = [(f, _rank_correlation(X[:, feature], X[:, f])) for f in candidates]
    companions = [(f, r) for f, r in correlations if r is not None]
    return max(companions, key=lambda companion: abs(companion[1]), default=None)


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < LEAST_ROWS:
        return None
    a, b = rankdata(x[both]), rankdata(y[both])
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
