"""Trees as good between accuracy, size and stability: how far each is from trees of redrawn rows.

Bertsimas & Digalakis (2023) grow many trees on redrawn rows and take one of those that no other one beats in both
accuracy and mean distance. Here the trees to choose among are those as good as an optimal one, and a tree is
stable if trees of as many splits, grown on redrawn rows, are near it: so small trees may be chosen for it, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.stability.path_distance import Ranges, TreePaths, mean_distance, path_distance, paths_of
from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier
from espalier.learners.optimal.as_good import TreesAsGood
from espalier.learners.optimal.as_good.nearest import nearest_of_each_value
from espalier.learners.optimal.as_good.nodes import GraphTree, shape_of
from espalier.learners.optimal.as_good.stable import bootstrap_trees, votes_of
from espalier.learners.optimal.tree_builder import build_tree
from espalier.trees import Tree

DRAWN = 40  # trees as good of each number of splits, drawn with equal chances
REDRAWS = 25


class StablePoint(NamedTuple):
    """A tree as good, and how far it is from trees of the same size on redrawn rows."""

    tree: GraphTree
    objective: float
    n_splits: int
    distance: float  # mean path distance


class Redraws:
    """CART trees of rows drawn with replacement, at most so deep, of any number of splits."""

    def __init__(self, training: TrainingData, ranges: Ranges, depth: int, n: int = REDRAWS, seed: int = 0):
        self.training, self.ranges, self.depth = training, ranges, depth
        self._n, self._seed = n, seed
        self._known: dict[int, tuple[TreePaths, ...]] = {}

    def models(self, n_splits: int | None = None) -> list[CartClassifier]:
        """Return the trees of at most so many splits; None for any number."""
        return bootstrap_trees(self.training, self.depth, self._n, self._seed, n_splits)

    def paths(self, n_splits: int) -> tuple[TreePaths, ...]:
        """Return the paths of the trees of at most so many splits."""
        if n_splits not in self._known:
            models = self.models(n_splits)
            paths = [paths_of(model.tree_, self.ranges, model.classes_.astype(np.int64)) for model in models]
            self._known[n_splits] = tuple(paths)
        return self._known[n_splits]

    @property
    def own_distance(self) -> float:
        """Mean distance of two of the trees of any number of splits."""
        pairs = itertools.combinations(self.paths(2**self.depth - 1), 2)
        return float(np.mean([path_distance(one, other, self.ranges, self.depth) for one, other in pairs]))

    def distance(self, tree: Tree) -> float:
        """Return the mean distance of a tree from those of at most as many splits."""
        others = self.paths(tree.n_leaves - 1)
        return mean_distance(paths_of(tree, self.ranges), others, self.ranges, self.depth)


def stable_points(trees: TreesAsGood, redraws: Redraws, n_drawn: int = DRAWN, seed: int = 0) -> list[StablePoint]:
    """Return trees as good with their distance from `redraws`, by distance, then objective, then splits.

    They are, of each number of splits, the best tree and `n_drawn` trees drawn with equal chances (or all); and of
    each objective and number of splits the tree that agrees most with the answers of `redraws`, which no drawing
    would find.

    >>> from espalier.analysis.stability.path_distance import ranges_of
    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> training = model.prepare(iris.X, iris.y)
    >>> found = stable_points(trees_as_good(model, training), Redraws(training, ranges_of(iris), 2))
    >>> found[0].objective, found[0].n_splits, found[0].distance < found[-1].distance
    (6.0, 2, True)
    """
    votes = votes_of(redraws.models(), redraws.training)
    chosen = [trees.tree(number) for number in _numbers(trees, n_drawn, seed)]
    chosen += nearest_of_each_value(trees, votes)
    points = {shape_of(tree): _point(trees, tree, redraws) for tree in chosen}
    return sorted(points.values(), key=lambda one: (one.distance, one.objective, one.n_splits))


def _numbers(trees: TreesAsGood, n_drawn: int, seed: int) -> list[int]:
    """Return the numbers of the best trees of each number of splits, and of some others."""
    source, start = np.random.default_rng(seed), 0
    of_size: dict[int, list[range]] = {}
    for size in trees.sizes:
        of_size.setdefault(size.n_splits, []).append(range(start, start + size.n_trees))
        start += size.n_trees
    return [number for ranges in of_size.values() for number in _some(ranges, n_drawn, source)]


def _some(ranges: list[range], n_drawn: int, source: np.random.Generator) -> set[int]:
    """Return the first number, and others drawn with equal chances; all if they are few."""
    sizes = [one.stop - one.start for one in ranges]
    if sum(sizes) <= n_drawn + 1:
        return {number for one in ranges for number in one}
    chances = np.array([size / sum(sizes) for size in sizes])
    which = source.choice(len(ranges), n_drawn, p=chances)
    return {ranges[0].start, *(ranges[at].start + int(source.random() * sizes[at]) for at in which)}


def _point(trees: TreesAsGood, chosen: GraphTree, redraws: Redraws) -> StablePoint:
    tree, objective = build_tree(trees.questions.inputs, shape_of(chosen))
    return StablePoint(chosen, objective, tree.n_leaves - 1, redraws.distance(tree))


def front(points: Sequence[StablePoint]) -> list[StablePoint]:
    """Return the points that no other one beats or equals in objective, splits and distance at once, by objective.

    >>> point = StablePoint(0, 6.0, 2, 0.1)
    >>> better, other = point._replace(distance=0.05), point._replace(objective=5.0, n_splits=3, distance=0.2)
    >>> [one.distance for one in front([point, better, other])]
    [0.2, 0.05]
    """
    kept: list[StablePoint] = []
    for one in sorted(points, key=_merits):
        if not any(all(a <= b for a, b in zip(_merits(other), _merits(one), strict=True)) for other in kept):
            kept.append(one)
    return kept


def _merits(point: StablePoint) -> tuple[float, int, float]:
    return point.objective, point.n_splits, point.distance
