"""Predictions of trees and forests: leaves, shares, votes, classes, numbers, spreads, and fractions in a node.

X is always (n_samples, n_features) float64, categories as codes and missing values as nan; ``n_outputs`` is the
number of classes, or 1 for a number. Arrays in Fortran order are read without a copy.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier, RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> leaves(tree, iris.X[[0, 50, 100]]).tolist()
    [1, 3, 4]
    >>> shares(tree, iris.X[[50]]).round(3).tolist()
    [[0.0, 0.907, 0.093]]
    >>> forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y).forest_
    >>> classes(forest, iris.X[[0, 50, 100]]).tolist()
    [0, 1, 2]
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from espalier.kernels.cultivated import fractions as gate
from espalier.kernels.forest.out_of_bag import ALIKE, NO_PRIOR
from espalier.kernels.forest.packed import PackedForest, pack_forest, weighted_sum
from espalier.kernels.oblique import oblique_leaf_of
from espalier.kernels.route import leaf_of
from espalier.kinds import SomeTree, ability, are_boxes, n_outputs, nodes_of, unknown
from espalier.leaf_models import ModelTree, scores_of
from espalier.oblique import ObliqueTree
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree, is_leaf, path_to, prune_to, subtree_end

CHUNK = 65_536  # samples whose fractions are held in memory together
ROUNDING = 1e-12  # of the mean square: what a variance may be by rounding alone


# ---- leaves


@ability
@functools.singledispatch
def leaves(tree: SomeTree, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row of X, (n_samples,) whole numbers; of a `CultivatedTree` the one with most of it.

    The first of leaves that have equally much.
    """
    raise unknown(tree, "leaves")


@leaves.register
def _(tree: Tree, X: np.ndarray) -> np.ndarray:
    return leaf_of(tree, X)


@leaves.register
def _(tree: ObliqueTree, X: np.ndarray) -> np.ndarray:
    return oblique_leaf_of(tree, X)


@leaves.register
def _(tree: ModelTree, X: np.ndarray) -> np.ndarray:
    return leaf_of(tree.tree, X)


@leaves.register
def _(tree: CultivatedTree, X: np.ndarray) -> np.ndarray:
    return leaves_and_shares(tree, X)[0]


@ability
@functools.singledispatch
def leaves_and_shares(tree: SomeTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `leaves` and `shares` of each row of X; a `CultivatedTree` is walked through once for both."""
    raise unknown(tree, "leaves_and_shares")


@leaves_and_shares.register(Tree)
@leaves_and_shares.register(ObliqueTree)
def _(tree: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    leaf = leaves(tree, X)
    return leaf, tree.value[leaf]


@leaves_and_shares.register
def _(tree: ModelTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    leaf = leaves(tree, X)
    return leaf, through_link(scores_of(tree.models, leaf, X), tree.models.link)


@leaves_and_shares.register
def _(tree: CultivatedTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    start, rows, fraction = gate.reach(tree, X)
    node = np.repeat(np.arange(tree.n_nodes), np.diff(start))
    at = np.flatnonzero(is_leaf(tree)[node])
    node, rows, fraction = node[at], rows[at], fraction[at]
    most = np.zeros(len(X))
    np.maximum.at(most, rows, fraction)
    best = np.flatnonzero(fraction == most[rows])[::-1]  # of each row the one written last stays: the first leaf
    leaf = np.zeros(len(X), np.int64)
    leaf[rows[best]] = node[best]
    mean = [np.bincount(rows, fraction * value[node], minlength=len(X)) for value in tree.value.T]
    return leaf, np.stack(mean, axis=1)


# ---- predictions


@ability
@functools.singledispatch
def shares(model: SomeTree | Forest, X: np.ndarray) -> np.ndarray:
    """Return the class shares, or the number, that the model predicts for each row of X, (n_samples, n_outputs).

    Of a forest: its trees' votes, added up by their weights, and of a sum what its link makes of that.
    """
    raise unknown(model, "shares")


@shares.register(Tree)
@shares.register(ObliqueTree)
@shares.register(ModelTree)
def _(model: Any, X: np.ndarray) -> np.ndarray:
    return leaves_and_shares(model, X)[1]


@shares.register
def _(model: CultivatedTree, X: np.ndarray) -> np.ndarray:
    return gate.predict(model, X)[0]


@shares.register
def _(model: Forest, X: np.ndarray) -> np.ndarray:
    arrays = packed(model)
    if arrays is not None:
        return linked(model, weighted_sum(arrays, X))
    X = np.asfortranarray(X, dtype=np.float64)
    weighted = (w * vote(tree, X, model.combine) for tree, w in zip(model.trees, model.weight, strict=True))
    return sum(weighted, np.zeros(()))


def classes(model: SomeTree | Forest, X: np.ndarray) -> np.ndarray:
    """Return the class number with the greatest share, (n_samples,) int64; ties as `winners` has them."""
    if isinstance(model, (Tree, ObliqueTree)):
        return model.value.argmax(axis=1)[leaves(model, X)]
    return winners(shares(model, X), prior_of(model))


def means(model: SomeTree | Forest, X: np.ndarray) -> np.ndarray:
    """Return the predictions of a regression tree or forest, (n_samples,) float64."""
    return shares(model, X)[:, 0]


def predictions(model: SomeTree | Forest, X: np.ndarray) -> np.ndarray:
    """Return `classes` of a model with several outputs, `means` of a model with one, (n_samples,)."""
    return classes(model, X) if n_outputs(model) > 1 else means(model, X)


def linked(forest: Forest, sums: np.ndarray) -> np.ndarray:
    """Return the predictions, (n_samples, n_outputs), that a forest makes of the weighted sums of its trees.

    >>> from espalier.trees import make_sum, make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> linked(make_sum([leaf], [-1.5], "logistic", [0.5, 0.5]), np.array([[1.5], [3.0]])).round(2).tolist()
    [[0.5, 0.5], [0.18, 0.82]]
    """
    return through_link(sums + forest.start, forest.link) if forest.combine == "sum" else sums


def through_link(scores: np.ndarray, link: str) -> np.ndarray:
    """Return the predictions (n_samples, n_outputs) that a link of `espalier.trees.LINKS` makes of scores.

    >>> through_link(np.array([[0.0], [2.0]]), "logistic").round(2).tolist()
    [[0.5, 0.5], [0.12, 0.88]]
    """
    if link == "log":
        return np.exp(scores)
    if link == "logistic":
        share = expit(scores)
        return np.hstack([1.0 - share, share])
    return softmax(scores, axis=1) if link == "softmax" else scores


def check_sum(forest: Forest) -> None:
    """Raise ValueError for a forest whose trees are not steps of a sum."""
    if forest.combine != "sum":
        raise ValueError(f"combine is {forest.combine!r}; only a sum of trees has stages")


def staged(forest: Forest, X: np.ndarray, every: int = 1) -> Iterator[np.ndarray]:
    """Yield the predictions of the first `every`, 2 `every`, … trees of a sum, (n_samples, n_outputs) each.

    X is (n_samples, n_features). Boosting calls these the stages of the model (ESL, algorithm 10.3). Raises
    ValueError for a forest whose trees are not added up.

    >>> from espalier.trees import make_sum, make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> [float(said[0, 0]) for said in staged(make_sum([leaf, leaf], [1.0], "identity", []), np.zeros((1, 1)))]
    [2.5, 4.0]
    """
    check_sum(forest)
    X = np.asfortranarray(X, dtype=np.float64)
    sums = np.zeros((len(X), len(forest.start)))
    for number, tree in enumerate(forest.trees, start=1):
        sums += shares(tree, X)
        if number % every == 0:
            yield linked(forest, sums)


def record_of(estimator: Any) -> AnyTree | ObliqueTree | ModelTree | Forest | None:
    """Return the record that a fitted estimator answers by: its model tree, forest or tree; None without one.

    >>> from espalier.learners import ModelTreeRegressor
    >>> type(record_of(ModelTreeRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]))).__name__
    'ModelTree'
    """
    names = ("model_tree_", "forest_", "tree_")  # a model tree has a `tree_`, too, but does not answer by it
    return next((getattr(estimator, name) for name in names if hasattr(estimator, name)), None)


# ---- the trees of a forest


def votes_at_nodes(tree: SomeTree, combine: str) -> np.ndarray:
    """Return the vote of each node, (n_nodes, n_outputs): its values, or of "votes" 1 for the first greatest.

    >>> from espalier.trees import make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[0.25, 0.75]], [0.375])
    >>> votes_at_nodes(leaf, "mean").tolist(), votes_at_nodes(leaf, "votes").tolist()
    ([[0.25, 0.75]], [[0.0, 1.0]])
    """
    if isinstance(tree, ModelTree):
        raise ValueError("the leaves of a model tree have formulas, so that a node alone has no vote; ask `vote`")
    return _as_votes(tree.value, combine)


def vote(tree: SomeTree, X: np.ndarray, combine: str) -> np.ndarray:
    """Return the tree's vote on each row of X in a forest that combines so, (n_samples, n_outputs)."""
    if isinstance(tree, (CultivatedTree, ModelTree)):
        return _as_votes(shares(tree, X), combine)
    return votes_at_nodes(tree, combine)[leaves(tree, X)]


def check_votes(forest: Forest) -> None:
    """Raise ValueError for a forest whose trees are steps of a sum (gradient boosting): they have no votes."""
    if forest.combine == "sum":
        raise ValueError(
            "the trees of a boosted sum are steps, each on what the earlier ones left; alone they predict nothing "
            "and have no votes. Ask the forest as a whole, or a forest whose trees vote or are averaged"
        )


def votes(forest: Forest, X: np.ndarray) -> np.ndarray:
    """Return the vote of each tree on each row of X, (n_trees, n_samples, n_outputs)."""
    check_votes(forest)
    X = np.asfortranarray(X, dtype=np.float64)
    return np.stack([vote(tree, X, forest.combine) for tree in forest.trees])


def shares_by_tree(forest: Forest, X: np.ndarray) -> np.ndarray:
    """Return `shares` of each tree, (n_trees, n_samples, n_outputs), also where a tree votes for one class."""
    check_votes(forest)
    X = np.asfortranarray(X, dtype=np.float64)
    return np.stack([shares(tree, X) for tree in forest.trees])


def packed(forest: Forest) -> PackedForest | None:
    """Return the forest in the arrays by which it predicts fastest; None unless each is a `Tree`."""
    return pack_forest(forest) if are_boxes(forest) else None


def _as_votes(value: np.ndarray, combine: str) -> np.ndarray:
    return np.eye(value.shape[1])[value.argmax(axis=1)] if combine == "votes" else value


# ---- spreads and fractions


def spread_of_trees(forest: Forest, X: np.ndarray) -> np.ndarray:
    """Return how far the numbers of a forest's trees differ, (n_samples,): their weighted standard deviation.

    All trees are `Tree`s without surrogate splits. What rounding alone may make counts as 0.

    >>> from espalier.trees import make_forest, make_tree
    >>> trees = [make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[x]], [0.0]) for x in (1.0, 3.0)]
    >>> spread_of_trees(make_forest(trees, np.ones(2), "mean", []), np.zeros((1, 1))).tolist()
    [1.0]
    """
    arrays = pack_forest(forest)
    number = arrays.value[:, 0] - arrays.value[:, 0].mean()  # small numbers have small squares
    both = weighted_sum(arrays._replace(value=np.stack((number, number**2), axis=1)), X)
    variance = both[:, 1] - both[:, 0] ** 2
    return np.sqrt(np.where(variance > ROUNDING * both[:, 1], variance, 0.0))


def spreads(tree: SomeTree, X: np.ndarray) -> np.ndarray:
    """Return the spread sigma of each prediction over its leaves, (n_samples,) float64; 0 for a single leaf."""
    return shares_and_spreads(tree, X)[1]


def shares_and_spreads(tree: SomeTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `shares` and `spreads` of each row of X; a `CultivatedTree` is walked through once for both."""
    return gate.predict(tree, X) if isinstance(tree, CultivatedTree) else (shares(tree, X), np.zeros(len(X)))


@ability
@functools.singledispatch
def fractions_in(tree: SomeTree, X: np.ndarray, node: int) -> np.ndarray:
    """Return the fraction of each row of X in the node, (n_samples,) float64; 1 or 0 in a `Tree`."""
    raise unknown(tree, "fractions_in")


@fractions_in.register(Tree)
@fractions_in.register(ObliqueTree)
@fractions_in.register(ModelTree)
def _(tree: Any, X: np.ndarray, node: int) -> np.ndarray:
    leaf = leaves(tree, X)
    return np.logical_and(leaf >= node, leaf < subtree_end(nodes_of(tree), node)).astype(np.float64)


@fractions_in.register
def _(tree: CultivatedTree, X: np.ndarray, node: int) -> np.ndarray:
    way = np.zeros(tree.n_nodes, dtype=bool)
    way[path_to(tree, node)[:-1]] = True
    alone = prune_to(tree, way)  # only the path down is computed
    here = _number_in(tree, way, node)
    found = np.zeros(len(X))
    for first in range(0, len(X), CHUNK):
        start, rows, fraction = gate.reach(alone, X[first : first + CHUNK])
        inside = slice(start[here], start[here + 1])
        found[first + rows[inside].astype(np.int64)] = fraction[inside]
    return found


def _number_in(tree: CultivatedTree, way: np.ndarray, node: int) -> int:
    """Return the number of `node` in the tree pruned to `way`."""
    before, at = 0, 0
    while at != node:
        before, at = before + 1, at + 1 if way[at] else subtree_end(tree, at)
    return before


# ---- the samples in the cells of a grid over one or two features


def samples_over(axes: Sequence[int] | np.ndarray, at: Sequence[np.ndarray], held: np.ndarray) -> np.ndarray:
    """Return the sample in each cell, (n_cells, n_features) float64, the first axis fastest.

    `at` has the values along each axis, `held` (n_features,) those of all other features; an axis of -1 is none.
    """
    grids = np.meshgrid(*at)
    X = np.tile(np.asarray(held, np.float64), (grids[0].size, 1))
    for axis, grid in zip(axes, grids, strict=True):
        if axis >= 0:
            X[:, axis] = grid.ravel()
    return X


# ---- the predicted class where several have the greatest share: one rule, for predictions and every view of them
#
# A single tree predicts the first of equal shares. A forest, whose shares are floating-point sums, treats those
# within `ALIKE` as equal and predicts the class that was the most frequent in training, of several the first: so
# its prior, (n_classes,), is needed wherever its shares become a class.

TIED = 1e-9  # shares that differ by less tie


def winners(shares: np.ndarray, prior: np.ndarray = NO_PRIOR) -> np.ndarray:
    """Return class numbers (n_samples,): the greatest of the shares (n_samples, n_classes), ties broken by the
    prior.

    Of tied classes, return the one with the greatest prior (n_classes,), then the first. Without a prior, the
    first of those that are exactly equal.

    >>> winners(np.array([[0.5, 0.5], [0.6, 0.4]]), prior=np.array([0.3, 0.7])).tolist()
    [1, 0]
    """
    if not len(prior):
        return shares.argmax(axis=1)
    tied = shares >= shares.max(axis=1, keepdims=True) - ALIKE
    return np.where(tied, prior, -1.0).argmax(axis=1)


def winner(shares: np.ndarray, prior: np.ndarray = NO_PRIOR) -> int:
    """Return the class number that `winners` gives the shares (n_classes,) of one sample."""
    return int(winners(shares[None, :], prior)[0])


def leaders(shares: np.ndarray) -> list[int]:
    """Return the classes that have the greatest of the shares (n_classes,): one, or all that tie.

    >>> leaders(np.array([0.4, 0.2, 0.4]))
    [0, 2]
    """
    return np.flatnonzero(shares > shares.max() - TIED).tolist()


def are_tied(shares: np.ndarray) -> np.ndarray:
    """Return which of the shares (n_samples, n_classes) have several `leaders`, (n_samples,) bool.

    >>> are_tied(np.array([[0.4, 0.2, 0.4], [0.2, 0.2, 0.6]])).tolist()
    [True, False]
    """
    return (shares > shares.max(axis=1, keepdims=True) - TIED).sum(axis=1) > 1


def prior_of(model: Any) -> np.ndarray:
    """Return the prior (n_classes,) by which a `Forest` or an estimator breaks ties; (0,) if it has none."""
    forest = model if isinstance(model, Forest) else getattr(model, "forest_", None)
    return forest.prior if isinstance(forest, Forest) else NO_PRIOR


def prior_among(model: Any, n_classes: int) -> np.ndarray:
    """Return `prior_of` an estimator whose ``classes_`` are numbers below `n_classes`, for shares of all of
    these.
    """
    prior = prior_of(model)
    if not len(prior):
        return NO_PRIOR
    among = np.zeros(n_classes)
    among[np.asarray(model.classes_, dtype=np.int64)] = prior
    return among
