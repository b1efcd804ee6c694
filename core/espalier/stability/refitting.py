"""Refitting an estimator on redrawn data, with the preparation of the data done once for all replicates.

CART on redrawn rows grows like the trees of a random forest that tries every feature: from a table that is coded
or sorted once, and several bootstrap samples in one call. The trees are equal to those that CART grows on a copy
of the sampled rows, each with the weight that it has in the data. All other trees are grown one by one: cultivated
trees from weights, since a row drawn twice counts as two; CART and optimal trees from copied rows, since weights
would change the candidate thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from sklearn.base import clone

from espalier.data.dataset import Dataset
from espalier.data.rows import parts
from espalier.fitting import check_takes_weights, fit, weights_for
from espalier.kernels.forest.grow import grow_given, make_workspace
from espalier.learners.approximation.classifier import Approximation
from espalier.learners.approximation.replication import ReplicationData, inputs_of, regrow
from espalier.learners.base import TrainingData, features_tried, is_whole
from espalier.learners.cart import Cart
from espalier.learners.cultivated import Cultivated
from espalier.learners.forests.forest import TreeForest
from espalier.learners.forests.growing import ForestData, forest_data, grower, suits_codes
from espalier.learners.forests.of_any.ensemble import TREE_CLASSIFIERS, TREE_REGRESSORS
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner, fit_part, make_part_learner
from espalier.learners.optimal import OptimalRegressor
from espalier.progress import Progress
from espalier.stability.resampling import Redraw, redrawn, seed_of
from espalier.trees import AnyTree

# Grows the replicates of the first of these numbers, at least one, with the progress as in `fit`; returns each
# tree and whether it is complete.
Grower: TypeAlias = Callable[[list[int], Progress], list[tuple[AnyTree, bool]]]


ROWS = ("subsample", "folds", "leave_out")  # redraws of rows, none of them twice


class Way(NamedTuple):
    """The settings that, with its number, determine the data of a replicate."""

    redraw: Redraw
    seed: int


class SharedGrowth(Protocol):
    """All that replicates have in common: prepared once, and sent once to other processes."""

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        ...


def growth_of(estimator: Any, data: Dataset, way: Way) -> SharedGrowth:
    """Return what makes a grower for each thread.

    Raises ValueError for an estimator that does not grow a single tree, and as `fit` does.
    """
    check_takes_weights(estimator, data)
    if isinstance(estimator, Approximation):
        return _approximating(estimator, data, way)
    if not isinstance(estimator, (*TREE_CLASSIFIERS, *TREE_REGRESSORS, OptimalRegressor)) or isinstance(
        estimator, TreeForest
    ):
        raise ValueError(f"{type(estimator).__name__} grows no single tree, whose structure could be compared")
    learner: Any = clone(estimator)
    training = learner.prepare(data.X, data.y, weights_for(learner, data, slice(None)))
    if _is_as_in_forests(learner, training):
        if way.redraw.kind == "bootstrap" and parts.is_plain(data.roles):
            return BootstrapGrowth(forest_data(learner, training, len(training.y)), way.seed)
        if way.redraw.kind in ROWS and _asks_counts(learner) and _suits_codes(learner, training):
            return ChosenRowsGrowth(forest_data(learner, training, len(training.y)), data, way)
    stock = make_part_learner(learner, training, getattr(learner, "classes_", None), learner.is_categorical_)
    stock.learner.set_params(**learner.get_params(deep=False))  # as for one tree, not as for those of a forest
    return SingleGrowth(stock, data, way)


# ---- CART on redrawn rows


def _is_as_in_forests(learner: Any, training: TrainingData) -> bool:
    """Return whether a random forest's trees can be equal to those of the learner."""
    if not isinstance(learner, Cart) or learner.missing != "side" or not training.weight.all():
        return False
    limited = learner.max_leaf_nodes or learner.min_impurity_decrease or learner.min_weight_fraction_leaf
    tried = features_tried(learner.max_features, training.X.shape[1])
    return learner.splitter == "best" and not limited and tried == training.X.shape[1]


def _asks_counts(learner: Any) -> bool:
    """Return whether the learner's limits are the same for any number of rows."""
    return is_whole(learner.min_samples_split) and is_whole(learner.min_samples_leaf)


def _suits_codes(learner: Any, training: TrainingData) -> bool:
    return suits_codes(learner, learner.growth(training), training.X)


class BootstrapGrowth(NamedTuple):
    """Makes growers on bootstrap samples, several of which the kernel draws in one call."""

    inputs: ForestData
    seed: int

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        grow_some = grower(self.inputs)

        def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
            seeds = np.array([seed_of(self.seed, number) for number in numbers])
            return [*grow_some(seeds, progress)]

        return grow


class ChosenRowsGrowth(NamedTuple):
    """Makes growers on rows drawn without replacement, from a table of ordinal codes."""

    inputs: ForestData
    data: Dataset
    way: Way

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        coded: Any = self.inputs.table
        growth, way = self.inputs.growth, self.way
        work = make_workspace(coded, growth.task, growth.limits)

        def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
            work.times[:] = redrawn(way.redraw, self.data, way.seed, numbers[0]).times
            tree, done = grow_given(coded, growth.task, growth.limits, work, progress.array)
            return [(growth.finished(tree), done)]

        return grow


# ---- one tree after the other


class SingleGrowth(NamedTuple):
    """Makes growers of one tree at a time, by the learner itself."""

    part_learner: PartLearner
    data: Dataset
    way: Way

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        return self.grow

    def grow(self, numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        """Grow the first of these replicates."""
        training, way = self.part_learner.training, self.way
        drawn = redrawn(way.redraw, self.data, way.seed, numbers[0])
        here = self.part_learner._replace(training=training._replace(X=drawn.X))
        drawn = drawn._replace(times=drawn.times * (training.weight > 0))
        if isinstance(self.part_learner.learner, Cultivated):
            part = FittedPart(np.flatnonzero(drawn.times), weight=training.weight * drawn.times)
        else:
            part = FittedPart(drawn.rows)
        return [(fit_part(here, part, drawn.seed, progress).tree_, not progress.is_stopped)]


# ---- approximation trees


class ResampledGrowth(NamedTuple):
    """Makes growers of an approximation tree from other pseudo-samples alone."""

    inputs: ReplicationData
    way: Way

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        return self.grow

    def grow(self, numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        """Grow the first of these replicates."""
        tree = regrow(self.inputs, seed_of(self.way.seed, numbers[0]), progress)[0]
        return [(tree, not progress.is_stopped)]


class ReapproximationGrowth(NamedTuple):
    """Makes growers of an approximation tree on redrawn rows."""

    estimator: Any
    data: Dataset
    way: Way

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        return self.grow

    def grow(self, numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        """Grow the first of these replicates."""
        drawn = redrawn(self.way.redraw, self.data, self.way.seed, numbers[0])
        learner: Any = clone(self.estimator)
        learner.random_state = drawn.seed
        fit(learner, self.data._replace(X=drawn.X), drawn.rows, progress)
        return [(learner.tree_, not progress.is_stopped)]


def _approximating(estimator: Any, data: Dataset, way: Way) -> SharedGrowth:
    if way.redraw.kind != "seeds":
        return ReapproximationGrowth(estimator, data, way)
    fitted: Any = estimator if hasattr(estimator, "tree_") else clone(estimator)
    return ResampledGrowth(inputs_of(fitted if fitted is estimator else fit(fitted, data, slice(None))), way)
