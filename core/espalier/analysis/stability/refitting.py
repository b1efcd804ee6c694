"""How an estimator grows again on redrawn data: what is worked out once, and what for every replicate.

CART on redrawn rows grows as the trees of a random forest do that try every feature: from a table that is coded or
sorted once, bootstrap samples many in one call. The trees are those that CART grows on the samples written out.
All others are grown one by one: cultivated trees from weights, since a row drawn twice counts as two; CART and
optimal trees from the rows written out, since weights would change which thresholds are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from espalier.analysis.stability.resampling import Redraw, redrawn, seed_of
from espalier.data.dataset import Dataset
from espalier.kernels.cart.columns import make_columns
from espalier.kernels.forest.grow import grow_given, make_workspace
from espalier.kernels.forest.ordinal import make_coded, serves
from espalier.kernels.route import columns_of
from espalier.learners.approximation.classifier import Approximation
from espalier.learners.approximation.replication import ground_of, regrow
from espalier.learners.base import features_tried, is_whole
from espalier.learners.cart import Cart
from espalier.learners.cultivated import Cultivated
from espalier.learners.forests.ensemble import OF_CLASSES, OF_NUMBERS
from espalier.learners.forests.fit_part import FittedPart, PartLearner, fit_part, make_part_learner
from espalier.learners.forests.forest import TreeForest, Used
from espalier.learners.forests.random import ForestData, grower
from espalier.learners.pruning import prune
from espalier.progress import Progress
from espalier.trees import AnyTree, make_tree

# Grows the replicates of the first numbers, at least one, with the progress as in `fit`; says of each
# tree whether it is complete.
Grower: TypeAlias = Callable[[list[int], Progress], list[tuple[AnyTree, bool]]]


ROWS = ("subsample", "folds", "leave_out")  # redraws of rows, none of them twice


class Way(NamedTuple):
    """What decides on the data of a replicate, but for its number."""

    redraw: Redraw
    seed: int


def grower_of(estimator: Any, data: Dataset, way: tuple[Redraw, int]) -> Callable[[], Grower]:
    """What makes a grower for each thread. Raises ValueError for what grows no single tree, and as `fit` does."""
    if isinstance(estimator, Approximation):
        return _approximating(estimator, data, Way(*way))
    if not isinstance(estimator, OF_CLASSES + OF_NUMBERS) or isinstance(estimator, TreeForest):
        raise ValueError(f"{type(estimator).__name__} grows no single tree, whose structure could be compared")
    learner: Any = clone(estimator)
    used = Used(*learner._weighed(data.X, data.y, None))
    if _is_as_in_forests(learner, used):
        if way[0].kind == "bootstrap":
            return _drawn_as_in_forests(learner, _ground(learner, used), way[1])
        if way[0].kind in ROWS and _asks_counts(learner) and _is_coded(learner, used):
            return _given_to_forests(learner, _ground(learner, used), data, Way(*way))
    stock = make_part_learner(learner, used, getattr(learner, "classes_", None), learner._categorical(used.X))
    return _one_by_one(stock, data, Way(*way))


# ---- CART on redrawn rows


def _is_as_in_forests(learner: Any, used: Used) -> bool:
    """Whether the trees of a random forest can be such as the learner grows."""
    if not isinstance(learner, Cart) or not used.weight.all():
        return False
    limited = learner.max_leaf_nodes or learner.min_impurity_decrease or learner.min_weight_fraction_leaf
    tried = features_tried(learner.max_features, used.X.shape[1])
    return learner.splitter == "best" and not limited and tried == used.X.shape[1]


def _asks_counts(learner: Any) -> bool:
    """Whether the learner's limits are the same for any number of rows."""
    return is_whole(learner.min_samples_split) and is_whole(learner.min_samples_leaf)


def _is_coded(learner: Any, used: Used) -> bool:
    return serves(learner._task(used.y, used.weight)[0], used.X) and not learner._categorical(used.X).any()


def _drawn_as_in_forests(learner: Any, ground: ForestData, seed: int) -> Callable[[], Grower]:
    """Of bootstrap samples, which the kernel draws, several at a time."""

    def make() -> Grower:
        grow_some = grower(ground)

        def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
            seeds = np.array([seed_of(seed, number) for number in numbers])
            return [(_finished(tree, learner, ground), done) for tree, done in grow_some(seeds, progress)]

        return grow

    return make


def _given_to_forests(learner: Any, ground: ForestData, data: Dataset, way: Way) -> Callable[[], Grower]:
    """Of other rows, from a coded table."""
    coded: Any = ground.table

    def make() -> Grower:
        bed = make_workspace(coded, ground.task, ground.limits)

        def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
            bed.times[:] = redrawn(way.redraw, data, way.seed, numbers[0]).times
            tree, done = grow_given(coded, ground.task, ground.limits, bed, progress.array)
            return [(_finished(tree, learner, ground), done)]

        return grow

    return make


def _ground(learner: Any, used: Used) -> ForestData:
    """What the trees of a random forest grow from; see `espalier.learners.forests.random`."""
    task, offset = learner._task(used.y, used.weight)
    categorical = learner._categorical(used.X)
    if _is_coded(learner, used):
        table = make_coded(columns_of(used.X))
    else:
        table = make_columns(columns_of(used.X), categorical)
        table = table._replace(distinct=np.zeros_like(table.distinct))  # a sample drawn twice is equal to itself
    return ForestData(table, task, learner._limits(used.X, task), offset, True, np.empty(0, np.int64))


def _finished(tree: Any, learner: Any, ground: ForestData) -> AnyTree:
    if ground.offset:
        tree = make_tree(*tree._replace(value=tree.value + ground.offset))
    return prune(tree, learner.ccp_alpha) if learner.ccp_alpha > 0 else tree


# ---- one tree after the other


def _one_by_one(stock: PartLearner, data: Dataset, way: Way) -> Callable[[], Grower]:
    by_weight, has_weight = isinstance(stock.learner, Cultivated), stock.used.weight > 0

    def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        drawn = redrawn(way.redraw, data, way.seed, numbers[0])
        here = stock._replace(used=stock.used._replace(X=drawn.X))
        drawn = drawn._replace(times=drawn.times * has_weight)
        if by_weight:
            part = FittedPart(np.flatnonzero(drawn.times), weight=stock.used.weight * drawn.times)
        else:
            part = FittedPart(drawn.rows)
        return [(fit_part(here, part, drawn.seed, progress).tree_, not progress.is_stopped)]

    return lambda: grow


# ---- approximation trees


def _approximating(estimator: Any, data: Dataset, way: Way) -> Callable[[], Grower]:
    if way.redraw.kind == "seeds":
        fitted: Any = estimator if hasattr(estimator, "tree_") else clone(estimator)
        ground = ground_of(fitted if fitted is estimator else fitted.fit(data.X, data.y))

        def again(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
            tree = regrow(ground, seed_of(way.seed, numbers[0]), progress)[0]
            return [(tree, not progress.is_stopped)]

        return lambda: again

    def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        drawn = redrawn(way.redraw, data, way.seed, numbers[0])
        learner: Any = clone(estimator)
        learner.random_state = drawn.seed
        learner.fit(drawn.X[drawn.rows], data.y[drawn.rows], progress=progress)
        return [(learner.tree_, not progress.is_stopped)]

    return lambda: grow
