"""Models in the leaves of a tree: they stand beside it, one linear formula or a few for each leaf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from espalier.trees import LEAF, Tree, read_only

LINKS = ("identity", "logistic", "softmax")


class LeafModels(NamedTuple):
    """A linear formula in each leaf of a `Tree`, for every score: ``intercept + sum of coefficient * x``.

    x is the sample's value of the term's feature, kept within `low` and `high`, the least and greatest of the
    leaf's training samples, so that no formula is used where it saw nothing. A missing value counts as the
    feature's `fill`. Scores are kept within `least` and `greatest`; the link makes predictions of them.
    """

    intercept: np.ndarray  # (n_nodes, n_scores) float64; nan at a split
    start: np.ndarray  # (n_nodes + 1,) int32: node i has terms ``start[i]:start[i + 1]``, none at a split
    feature: np.ndarray  # (n_terms,) int32: column of X
    coefficient: np.ndarray  # (n_terms, n_scores) float64
    low: np.ndarray  # (n_terms,) float64
    high: np.ndarray  # (n_terms,) float64
    fill: np.ndarray  # (n_features,) float64: stands in for a missing value; of categories their code
    least: np.ndarray  # (n_scores,) float64
    greatest: np.ndarray  # (n_scores,) float64
    link: str  # "identity"; of classes "logistic" (one score: log odds of class 1) or "softmax"

    @property
    def n_scores(self) -> int:
        """Number of scores: 1 for a number or two classes, else one for each class."""
        return len(self.least)

    def __reduce__(self):
        return make_leaf_models, tuple(self)


class ModelTree(NamedTuple):
    """A tree with a formula in each leaf: the tree says which leaf a sample is in, its formula what is predicted.

    The tree's own values are those of its leaves without formulas: means, or class shares.

    >>> from espalier.data import samples
    >>> from espalier.learners import ModelTreeRegressor
    >>> sine = samples.load("sine")
    >>> model = ModelTreeRegressor(max_depth=1).fit(sine.X, sine.y).model_tree_
    >>> model.n_leaves, [term.feature for term in terms_at(model.models, 1)]
    (2, [0])
    """

    tree: Tree
    models: LeafModels

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.tree.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; a lone root has depth 0."""
        return self.tree.depth


class FormulaTerm(NamedTuple):
    """One term of a leaf's formula: a coefficient for every score, times a feature's value."""

    feature: int
    coefficient: tuple[float, ...]  # one for each score
    low: float  # the value counts as `low` below it, and as `high` above it
    high: float
    fill: float  # of a missing value, within both

    @property
    def reach(self) -> float:
        """The most by which the term can change a score of its leaf."""
        return max(map(abs, self.coefficient)) * (self.high - self.low)


def terms_at(models: LeafModels, leaf: int) -> list[FormulaTerm]:
    """Return the terms of a leaf's formula, in the order of their features; none at a split.

    >>> line = make_leaf_models([[1.0]], [0, 1], [0], [[2.0]], [0.0], [3.0], [9.0], [-9.0], [9.0], "identity")
    >>> terms_at(line, 0)
    [FormulaTerm(feature=0, coefficient=(2.0,), low=0.0, high=3.0, fill=3.0)]
    """
    at = slice(*models.start[leaf : leaf + 2].tolist())
    low, high = models.low[at], models.high[at]
    fill = np.clip(models.fill[models.feature[at]], low, high)
    fields = (models.feature[at], models.coefficient[at], low, high, fill)
    rows = zip(*(field.tolist() for field in fields), strict=True)
    return [FormulaTerm(f, tuple(c), *ends) for f, c, *ends in rows]


def formula_features(models: LeafModels, leaf: int | None = None) -> list[int]:
    """Return the features in the formula of a leaf, or of all leaves, ascending, each once.

    >>> line = make_leaf_models([[1.0]], [0, 1], [4], [[2.0]], [0.0], [3.0], [0.0] * 5, [-9.0], [9.0], "identity")
    >>> formula_features(line)
    [4]
    """
    at = slice(None) if leaf is None else slice(*models.start[leaf : leaf + 2].tolist())
    return np.unique(models.feature[at]).tolist()


def for_classes(models: LeafModels, present: ArrayLike, n_classes: int) -> LeafModels:
    """Return models with a score for each of `n_classes`, where those so far are for the classes `present`.

    `present` are the numbers of the classes, ascending; a class that is none of them has the share 0. Needed where
    the samples that a tree was grown on have none of some class.

    >>> line = make_leaf_models([[1.0]], [0, 0], [], np.empty((0, 1)), [], [], [0.0], [-9], [9], "logistic")
    >>> for_classes(line, [0, 2], 3).intercept.tolist()
    [[0.0, -inf, 1.0]]
    """
    changed = {}
    for name, absent in {"intercept": -np.inf, "coefficient": 0.0, "least": -np.inf, "greatest": np.inf}.items():
        scores = getattr(models, name).reshape(-1, models.n_scores)
        if models.link == "logistic":
            scores = np.hstack([np.zeros_like(scores), scores])  # the first class is the one that odds compare to
        wide = np.full((len(scores), n_classes), absent)
        wide[:, np.asarray(present)] = scores
        changed[name] = wide if getattr(models, name).ndim == 2 else wide[0]
    changed["intercept"][np.isnan(models.intercept[:, 0])] = np.nan
    return make_leaf_models(*models._replace(**changed, link="softmax"))


def check_model_tree(model: ModelTree) -> None:
    """Raise ValueError, naming the node or the array, where models are no formulas for the leaves of the tree.

    The tree itself is for `espalier.tree_checks.check_tree`.
    """
    tree, models = model
    _check_sizes(models, tree.n_nodes)
    is_leaf = tree.feature == LEAF
    for node in range(tree.n_nodes):
        n_terms = int(models.start[node + 1] - models.start[node])
        if np.isnan(models.intercept[node]).any() == is_leaf[node] or (n_terms and not is_leaf[node]):
            raise ValueError(f"node {node}: a leaf needs a formula, and a split has none")
    if len(models.feature) and (models.feature.min() < 0 or models.feature.max() >= len(models.fill)):
        raise ValueError(f"a formula has a feature outside of the {len(models.fill)} that there are")
    if not (models.low <= models.high).all():
        raise ValueError("a term's low is above its high")
    if not (models.least <= models.greatest).all():
        raise ValueError("the least of a score is above its greatest")


def _check_sizes(models: LeafModels, n_nodes: int) -> None:
    n_terms, n_scores = len(models.feature), models.n_scores
    shapes = {
        "intercept": (n_nodes, n_scores), "start": (n_nodes + 1,), "coefficient": (n_terms, n_scores),
        "low": (n_terms,), "high": (n_terms,), "greatest": (n_scores,),
    }  # fmt: skip
    for name, shape in shapes.items():
        if getattr(models, name).shape != shape:
            raise ValueError(f"{name} of the formulas has the shape {getattr(models, name).shape}, not {shape}")
    if models.start[0] != 0 or (np.diff(models.start) < 0).any() or models.start[-1] != n_terms:
        raise ValueError("start does not say where each node's terms begin")


def make_leaf_models(*fields) -> LeafModels:
    """LeafModels of the given arrays and link, in the order of the fields, read-only.

    Raises ValueError for an unknown link.
    """
    *arrays, link = fields
    if link not in LINKS:
        raise ValueError(f"link is {link!r}; it must be one of {', '.join(LINKS)}")
    dtypes = ("f8", "i4", "i4", "f8", "f8", "f8", "f8", "f8", "f8")
    return LeafModels._make([*_read_only(arrays, dtypes), link])


def scores_of(models: LeafModels, leaves: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the scores (n_samples, n_scores) of samples X (n_samples, n_features) in these leaves (n_samples,).

    >>> line = make_leaf_models([[1.0]], [0, 1], [0], [[2.0]], [0.0], [3.0], [1.5], [-9.0], [9.0], "identity")
    >>> scores_of(line, np.zeros(3, int), np.array([[1.0], [5.0], [np.nan]])).ravel().tolist()
    [3.0, 7.0, 4.0]
    """
    scores = models.intercept[leaves]
    for leaf in np.unique(leaves).tolist():
        terms = slice(*models.start[leaf : leaf + 2])
        features = models.feature[terms]
        if not len(features):
            continue
        rows = np.flatnonzero(leaves == leaf)
        x = X[np.ix_(rows, features)]
        x = np.clip(np.where(np.isnan(x), models.fill[features], x), models.low[terms], models.high[terms])
        scores[rows] += x @ models.coefficient[terms]
    return np.clip(scores, models.least, models.greatest)


def _read_only(arrays: Iterable[ArrayLike], dtypes: tuple[str, ...]) -> list[np.ndarray]:
    return [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in zip(arrays, dtypes, strict=True)]
