"""Forests of any of our estimators: CART, cultivated or optimal trees."""

from __future__ import annotations

from concurrent.futures import Executor
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import compute_sample_weight

from espalier.learners.base import NO_LIMIT, TrainingData
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from espalier.learners.forests.forest import ForestOfClasses, ForestOfNumbers, TreeForest
from espalier.learners.forests.of_any.fit_part import (
    FittedPart,
    PartLearner,
    fit_part,
    make_part_learner,
    of_table,
)
from espalier.learners.forests.threads import GrowthPlan, grow_each, grow_in_tasks, grow_in_threads
from espalier.learners.frames import Choice
from espalier.learners.optimal import OptimalClassifier
from espalier.progress import Progress
from espalier.trees import AnyTree

TREE_CLASSIFIERS = (CartClassifier, CultivatedClassifier, OptimalClassifier)
TREE_REGRESSORS = (CartRegressor, CultivatedRegressor)


class ForestOfAny(TreeForest):
    """Base of forests of any estimator; parameters are described in `BaggedForestClassifier`.

    ``n_planned_`` is the greatest possible number of trees, set before the first tree grows.
    """

    _kinds: tuple[type, ...]  # classes of estimators that may grow the trees
    estimator: Any
    n_planned_: int

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        stock = make_part_learner(self._base(), training, getattr(self, "classes_", None), self.is_categorical_)
        seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self._most_trees(stock))
        self.n_planned_ = len(seeds)
        self._begin(stock, seeds)
        plan = GrowthPlan(len(seeds), len(training.y), 1 if self.grows_in_order else self._n_threads())
        if executor is not None:
            bare = copy(self)  # its own trees are not sent along
            bare._grown = {}
            shared = PartGrowth(bare, stock, seeds)
            for number, tree in grow_in_tasks(executor, grow_each, shared, plan, progress):
                self._note(stock, number, int(seeds[number]))
                self._grown[number] = tree
        if not self._grown:
            grow_in_threads(PartGrowth(self, stock, seeds), plan, progress, self._grown)
        self._end()

    # ---- hooks of the kinds of forests

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        """Prepare a fit, before its first tree."""

    def _end(self) -> None:
        """Clean up after the last tree."""

    def _note(self, stock: PartLearner, number: int, seed: int) -> None:
        """Keep what is asked of a tree beside itself, and follows from its seed."""

    def tree_of(self, stock: PartLearner, number: int, seed: int, own: Progress) -> AnyTree | None:
        """Return the tree of this number, in the table's columns.

        None if there are no more. `own` as in `Grow`.
        """
        raise NotImplementedError

    def _grow_part(self, stock: PartLearner, part: FittedPart, seed: int, own: Progress) -> AnyTree:
        """Grow a tree on its part of the table."""
        return of_table(fit_part(stock, part, seed, own).tree_, part.features)

    def _rows(self, training: TrainingData, seed: int) -> np.ndarray | None:
        """Return the samples that the tree of this seed may see; None: all."""
        return None

    def _most_trees(self, stock: PartLearner) -> int:
        return int(self.n_estimators or 1)

    # ---- the estimator

    def _base(self) -> Any:
        return self._kinds[0]() if self.estimator is None else self.estimator

    def _declared_forbidden(self) -> Any:
        return self._base().forbidden_features

    def _part_attributes(self, allowed: np.ndarray) -> dict[str, Any]:
        base: Any = clone(self._base())
        of_table = ("is_categorical_", "classes_", "feature_names_in_")
        vars(base).update({name: value for name, value in vars(self).items() if name in of_table})
        own = base._part_attributes(allowed)
        others = {name: value for name, value in own.items() if name in base.get_params(deep=False)}
        fresh: Any = clone(base)
        return {"is_categorical_": own["is_categorical_"], "estimator": fresh.set_params(**others)}

    def _declared_categories(self) -> Choice:
        return self._base().categorical_features

    def _check_parameters(self) -> None:
        self._check_forest()
        base = self._base()
        if not isinstance(base, self._kinds) or isinstance(base, TreeForest):
            names = ", ".join(f"{kind.__name__}()" for kind in self._kinds)
            raise ValueError(f"estimator is {base!r}; it must be one of {names}, or None for the first of them")
        base._check_parameters()
        if getattr(base, "forced_splits", None):
            raise ValueError("trees of a forest begin with no given splits: give the estimator forced_splits=None")
        if getattr(base, "missing", "side") == "surrogate":
            raise ValueError(
                "trees of a forest have no surrogate splits: give the estimator missing='side', 'category' or "
                "'impute' instead of missing='surrogate'"
            )


class PartGrowth(NamedTuple):
    """Grows the trees of a forest by their numbers."""

    forest: Any  # a `ForestOfAny`
    stock: PartLearner
    seeds: np.ndarray

    def __call__(self, number: int, own: Progress) -> AnyTree | None:
        """Return a tree; as `Grow`."""
        return self.forest.tree_of(self.stock, number, int(self.seeds[number]), own)


class ForestOfAnyClasses(ForestOfClasses, ForestOfAny):
    """Base of forests whose trees vote for one class each."""

    _kinds = TREE_CLASSIFIERS

    def _class_weights(self, y) -> np.ndarray | float:
        """Return the estimator's class weights: the forest applies them once, before its trees grow."""
        weights = self._base().class_weight
        return 1.0 if weights is None else compute_sample_weight(weights, self.classes_[y])

    def _combine(self) -> str:
        return "votes"


class ForestOfAnyNumbers(ForestOfNumbers, ForestOfAny):
    """Base of forests whose trees' predictions are averaged."""

    _kinds = TREE_REGRESSORS
