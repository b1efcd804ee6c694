"""The stable tree: the nearest to trees of redrawn rows of those that are nearly as good as CART.

Bertsimas & Digalakis (2023) grow many trees on redrawn rows, estimate of each how accurate it is and how far it is
from the others on average, and take one that no other tree beats in both. Here the trees are CART trees of every
number of splits up to those of the depth. Each is asked, with leaves filled anew from every bag, about the rows
out of that bag. Of those whose mean area under the ROC curve is at most `most_lost` below that of redrawn trees of
the full size, the one nearest to the redrawn trees of as many splits is taken. So smaller trees are chosen where
they are nearly as good, since they are nearer to each other. CART of all rows is no measure for the others: all
rows that it is asked about have chosen its splits, of a redrawn tree's two thirds of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.analysis.stability.path_distance import Ranges, TreePaths, mean_distance, paths_of
from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier
from espalier.predict import leaves
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, read_only

BAGS = 40
MOST_LOST = 0.02  # of CART's area under the ROC curve
PRIOR = 1e-3  # rows' worth of all rows' shares in a leaf that has none of a bag


class StableTree(NamedTuple):
    """A tree, and how stable and how good it is beside CART on all rows."""

    tree: Tree  # with the shares of all training samples
    distance: float  # mean path distance from redrawn trees of at most as many splits
    auc: float  # mean area under the ROC curve out of bag, each class against the rest
    of_cart: CartTree
    n_candidates: int


class CartTree(NamedTuple):
    """CART of the same depth."""

    tree: Tree  # of all samples
    distance: float  # from redrawn trees
    auc: float  # mean area under the ROC curve of redrawn trees, out of bag


class Bags(NamedTuple):
    """Draws of the training samples with replacement; samples that are equal in all columns are drawn together."""

    times: np.ndarray  # (n_bags, n_samples) int64: how often each is drawn

    @classmethod
    def of(cls, training: TrainingData, n: int, seed: int, together: np.ndarray | None = None) -> Bags:
        """Draw `n` bags; `together` (n_samples,) are codes of what else is drawn together."""
        if together is None:
            rows = np.column_stack([np.nan_to_num(training.X, nan=np.inf), training.y])
            together = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        source, n_units = np.random.default_rng(seed), int(together.max()) + 1
        draws = [np.bincount(source.integers(0, n_units, n_units), minlength=n_units) for _ in range(n)]
        return cls(np.array(draws)[:, together])


def stable_tree(
    training: TrainingData, ranges: Ranges, learner: CartClassifier, bags: Bags, most_lost: float = MOST_LOST,
    progress: Progress | None = None,
) -> StableTree | None:  # fmt: skip
    """Return the stable tree of the depth of a CART `learner`; None where `progress` was stopped.

    `training` has class numbers from 0. Raises ValueError for a learner without a depth.

    >>> from espalier.analysis.stability.path_distance import ranges_of
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> cart = CartClassifier(max_depth=3, random_state=0)
    >>> training = cart.prepare(iris.X, iris.y)
    >>> found = stable_tree(training, ranges_of(iris), cart, Bags.of(training, 10, seed=0))
    >>> found.tree.n_leaves, found.of_cart.tree.n_leaves, found.distance < found.of_cart.distance
    (3, 5, True)
    """
    if learner.max_depth is None:
        raise ValueError("the distance of trees needs a greatest depth: set max_depth")
    search, progress = _StableSearch(training, ranges, learner, bags), Progress() if progress is None else progress
    found = [search.judged(search.grown(np.ones(len(training.y), np.int64), None))]
    of_size: list[_Judged] = []
    for n_leaves in range(2, 2**search.depth + 1):
        if progress.is_stopped:
            return None
        of_size = [search.judged(tree) for tree in search.redrawn(n_leaves)]
        found += of_size
        progress.advance()
    whole = CartTree(found[0].tree, found[0].distance, float(np.mean([one.auc for one in of_size])))
    good = [one for one in found if one.auc >= (1 - most_lost) * whole.auc]
    best = min(good, key=lambda one: (one.distance, -one.auc))
    return StableTree(*best, whole, len({_name(one.tree) for one in found}))


class _Judged(NamedTuple):
    tree: Tree
    distance: float
    auc: float


class _StableSearch:
    """Trees of bags, and what is known of them."""

    def __init__(self, training: TrainingData, ranges: Ranges, learner: CartClassifier, bags: Bags):
        self.training, self.ranges, self.learner, self.times = training, ranges, learner, bags.times
        self.depth, self.n_classes = int(learner.max_depth or 0), int(training.y.max()) + 1
        shares = np.bincount(training.y, training.weight, self.n_classes)
        self._prior = PRIOR * shares / shares.sum()
        self._paths: dict[int, list[TreePaths]] = {}

    def grown(self, times: np.ndarray, n_leaves: int | None) -> Tree:
        """Return the tree of samples drawn so often, with the shares of all samples in its nodes."""
        rows = np.repeat(np.arange(len(times)), times)
        model = CartClassifier(**{**self.learner.get_params(deep=False), "max_leaf_nodes": n_leaves})
        X, y, weight = self.training
        return refilled(model.fit(X[rows], y[rows], weight[rows]).tree_, self.training, self.n_classes)

    def redrawn(self, n_leaves: int) -> list[Tree]:
        """Return the tree of each bag with at most so many leaves."""
        trees = [self.grown(times, n_leaves) for times in self.times]
        self._paths[n_leaves] = [paths_of(tree, self.ranges) for tree in trees]
        return trees

    def judged(self, tree: Tree) -> _Judged:
        """Return a tree with its distance and area under the curve."""
        n_leaves = max(tree.n_leaves, 2)
        if n_leaves not in self._paths:
            self.redrawn(n_leaves)
        distance = mean_distance(paths_of(tree, self.ranges), self._paths[n_leaves], self.ranges, self.depth)
        return _Judged(tree, distance, self._auc(tree))

    def _auc(self, tree: Tree) -> float:
        """Return the mean area under the curve of the rows out of each bag, leaves filled from the bag."""
        X, weight = self.training.X, self.training.weight
        at = np.unique(leaves(tree, X), return_inverse=True)[1].ravel()
        drawn, left = self._counts(at, self.times * weight), self._counts(at, (self.times == 0) * weight)
        score = drawn + self._prior
        score /= score.sum(axis=2, keepdims=True)
        return areas(score, left)

    def _counts(self, at: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the weight of each class in each leaf, (n_bags, n_leaves, n_classes)."""
        cell, n = at * self.n_classes + self.training.y, (int(at.max()) + 1) * self.n_classes
        counts = np.array([np.bincount(cell, of_bag, n) for of_bag in weight])
        return counts.reshape(len(weight), -1, self.n_classes)


def areas(score: np.ndarray, counts: np.ndarray) -> float:
    """Return the mean area under the ROC curve of leaves, over bags and classes, each against the rest.

    `score` (n_bags, n_leaves, n_classes) orders the leaves for each class; `counts`, of the same shape, are the
    weights of the classes in them. A class that all rows of a bag have, or none, says nothing there.

    >>> areas(np.array([[[0.9, 0.1], [0.2, 0.8]]]), np.array([[[3.0, 1.0], [1.0, 3.0]]]))
    0.75
    """
    above = (score[:, :, None] > score[:, None]) + 0.5 * (score[:, :, None] == score[:, None])
    others = counts.sum(axis=2, keepdims=True) - counts
    pairs = counts.sum(axis=1) * others.sum(axis=1)  # (n_bags, n_classes)
    right = np.einsum("bik,bijk,bjk->bk", counts, above, others)
    known = pairs > 0
    return float((right[known] / pairs[known]).mean()) if known.any() else 0.5


def refilled(tree: Tree, training: TrainingData, n_classes: int) -> Tree:
    """Return the tree with the shares of the training samples in its nodes, each of which some sample reaches."""
    X, y, weight = training
    counts = np.zeros((tree.n_nodes, n_classes))
    np.add.at(counts, (leaves(tree, X), y), weight)
    for node in reversed(range(tree.n_nodes)):  # children come after their parent
        if tree.feature[node] != LEAF:
            counts[node] = counts[tree.left[node]] + counts[tree.right[node]]
    total = counts.sum(axis=1)
    value = counts / total[:, None]
    impurity = 1 - (value**2).sum(axis=1)
    return tree._replace(value=read_only(value), weight=read_only(total), impurity=read_only(impurity))


def _name(tree: Tree) -> tuple[bytes, ...]:
    return tuple(np.asarray(part).tobytes() for part in (tree.feature, tree.threshold, tree.left))
