"""Forests of any of our estimators: the parts of the data that each tree sees, its fit, and weights of votes."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import compute_sample_weight

from espalier.data.folds import group_parts
from espalier.kernels.forest.bootstrap import draw
from espalier.kinds import asked_by
from espalier.learners.base import NO_LIMIT, TrainingData
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from espalier.learners.forbidden import number_as_table
from espalier.learners.forests.forest import ForestOfClasses, TreeForest
from espalier.learners.forests.growing import GrowthPlan, grow_each, grow_in_tasks, grow_in_threads
from espalier.learners.frames import Choice
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.classifier import AUTO, USUAL
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import AnyTree


def make_part_learner(estimator: Any, classes: np.ndarray | None, is_category: np.ndarray) -> Any:
    """Return a copy of the estimator, not fitted, for checked samples, some of which its trees may not see.

    `classes` are the forest's labels, None for regression; `is_category` (n_features,) bool are its columns.
    """
    learner: Any = clone(estimator)
    if learner.get_params(deep=False).get("max_thresholds") == AUTO:  # every threshold is for one tree
        learner.set_params(max_thresholds=USUAL)
    if classes is not None:
        learner.classes_ = classes
    learner.is_categorical_ = is_category
    return learner


def fit_part(
    learner: Any, training: TrainingData, seed: int, progress: Progress | None = None, *,
    rows: np.ndarray | None = None, features: np.ndarray | None = None, weight: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """Fit the estimator to these rows and features; None: all. ``tree_`` numbers features by place among these.

    `rows` are numbers of samples, of which one that is drawn twice is listed twice; `features` ascend; `weight` is
    that of all samples, in place of their own.
    """
    learner, (X, y, own) = copy(learner), training
    learner.random_state = seed
    weight = own if weight is None else weight
    if features is not None:
        X = X.T[features].T
        learner.is_categorical_ = learner.is_categorical_[features]
    if rows is not None:
        X, y, weight = X.T.take(rows, axis=1).T, y[rows], weight[rows]
    return learner.grow(TrainingData(X, y, weight), progress)


def of_table(tree: Any, features: np.ndarray | None) -> Any:
    """Return the tree of a part with these features (None: all), renumbered to the table's columns."""
    return tree if features is None else number_as_table(tree, features)


# ---- forests of any of our estimators: CART, cultivated or optimal trees

TREE_CLASSIFIERS = (CartClassifier, CultivatedClassifier, OptimalClassifier)
TREE_REGRESSORS = (CartRegressor, CultivatedRegressor)


class ForestOfAny(TreeForest):
    """Base of forests of any estimator; parameters are described in `BaggedForestClassifier`.

    ``n_planned_`` is the greatest possible number of trees, set before the first tree grows.
    """

    _kinds: tuple[type, ...] = TREE_REGRESSORS  # classes of estimators that may grow the trees
    n_planned_: int

    def __init__(self, estimator=None, n_estimators: int | None = 101, *, n_jobs=None, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        learner = make_part_learner(self._base(), getattr(self, "classes_", None), self.is_categorical_)
        seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self._most_trees(learner, training))
        self.n_planned_ = len(seeds)
        self._begin(learner, training, seeds)
        plan = GrowthPlan(len(seeds), len(training.y), 1 if self.grows_in_order else self._n_threads())
        if executor is not None:
            bare = copy(self)  # its own trees are not sent along
            bare._grown = {}
            growth = bare.tree_of_number, learner, training, seeds
            for number, tree in grow_in_tasks(executor, grow_each, growth, plan, progress):
                self._note(training, number, int(seeds[number]))
                self._grown[number] = tree
        if not self._grown:
            grow_in_threads(partial(self.tree_of_number, learner, training, seeds), plan, progress, self._grown)
        self._end()

    def tree_of_number(
        self, learner: Any, training: TrainingData, seeds: np.ndarray, number: int, own: Progress
    ) -> AnyTree | None:
        """Return the tree of this number, or None; as `Grow`, after what all trees share."""
        return self.tree_of(learner, training, number, int(seeds[number]), own)

    # ---- hooks of the kinds of forests

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        """Prepare a fit, before its first tree."""

    def _end(self) -> None:
        """Clean up after the last tree."""

    def _note(self, training: TrainingData, number: int, seed: int) -> None:
        """Keep what is asked of a tree beside itself, and follows from its seed."""

    def tree_of(
        self, learner: Any, training: TrainingData, number: int, seed: int, own: Progress
    ) -> AnyTree | None:
        """Return the tree of this number, in the table's columns.

        None if there are no more. `own` as in `Grow`.
        """
        raise NotImplementedError

    def _grow_part(
        self, learner: Any, training: TrainingData, seed: int, own: Progress, rows: np.ndarray | None,
        features: np.ndarray | None = None,
    ) -> AnyTree:  # fmt: skip
        """Grow a tree on its part of the table."""
        return of_table(fit_part(learner, training, seed, own, rows=rows, features=features).tree_, features)

    def _rows(self, training: TrainingData, seed: int) -> np.ndarray | None:
        """Return the samples that the tree of this seed may see; None: all."""
        return None

    def _most_trees(self, learner: Any, training: TrainingData) -> int:
        return int(self.n_estimators or 1)

    # ---- the estimator

    def _base(self) -> Any:
        return self._kinds[0]() if self.estimator is None else self.estimator

    def _declared_forbidden(self) -> Any:
        return self._base().forbidden_features

    def _part_attributes(self, allowed: np.ndarray) -> dict[str, Any]:
        base: Any = clone(self._base())
        names = ("is_categorical_", "classes_", "feature_names_in_")
        vars(base).update({name: value for name, value in vars(self).items() if name in names})
        own = base._part_attributes(allowed)
        parameters = {name: value for name, value in own.items() if name in base.get_params(deep=False)}
        fresh: Any = clone(base)
        return {"is_categorical_": own["is_categorical_"], "estimator": fresh.set_params(**parameters)}

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


class ForestOfAnyClasses(ForestOfClasses, ForestOfAny):
    """Base of forests whose trees vote for one class each."""

    _kinds = TREE_CLASSIFIERS

    def _class_weights(self, y) -> np.ndarray | float:
        """Return the estimator's class weights: the forest applies them once, before its trees grow."""
        weights = self._base().class_weight
        return 1.0 if weights is None else compute_sample_weight(weights, self.classes_[y])

    def _combine(self) -> str:
        return "votes"


# ---- draw the samples and features that each tree of a forest sees


def bootstrap(seed: int, rows: np.ndarray, unit: np.ndarray | None, n: int) -> np.ndarray:
    """Return how often each of n samples is drawn, (n,) uint8, in as many draws as there are `rows`, from these.

    Where samples are drawn together, `unit` (n,) says with which: then as many units are drawn as the rows have.
    """
    counts = np.zeros(n, np.uint8)
    if unit is None:
        counts[rows] = draw(seed, len(rows))[0]
    else:
        counts[rows] = draw_units(seed, unit[rows])
    return counts


def draw_units(seed: int, unit: np.ndarray, share: float = 1.0) -> np.ndarray:
    """Return how often each sample is drawn with all of its `unit` (n,), in so many draws per unit, (n,) uint8."""
    units, place = np.unique(unit, return_inverse=True)
    return draw(seed, len(units), max(round(share * len(units)), 1))[0][place]


def half_of(seed: int, y: np.ndarray, unit: np.ndarray | None = None) -> np.ndarray:
    """Draw the half of the samples that a tree grows on, (n_samples,) bool, as evenly as possible in each class.

    y are class numbers; of an odd number the larger part is grown on. Samples of one `unit` (n_samples,) stay
    together; the half is then only about one.
    """
    rng = np.random.default_rng(seed)
    if unit is not None:
        return group_parts(np.unique(unit, return_inverse=True)[1], y, (0.5, 0.5), rng) == 0
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    grows = np.zeros(len(y), dtype=bool)
    grows[order[::2]] = True
    return grows


def uses(trees: Iterable[AnyTree], n_features: int) -> np.ndarray:
    """Return how many of the trees use each feature, (n_features,) int64."""
    features = [np.unique(asked_by(tree)) for tree in trees]
    return np.bincount(np.concatenate([np.empty(0, np.int32), *features]), minlength=n_features)


def soft_chances(used: np.ndarray) -> np.ndarray:
    """Return probabilities of the first draw, (n_features,): inverse to 1 + number of trees with the feature.

    Molhoek (2021), section 4.2.1, makes them inverse to the number of trees; the added one admits features that no
    tree uses yet, and makes all equal before the first tree.
    """
    chances = 1.0 / (1.0 + used)
    return chances / chances.sum()


def softer_chances(used: np.ndarray) -> np.ndarray:
    """Return probabilities of the first draw, (n_features,), in proportion to the use of all other features.

    For each feature, sum one plus the number of trees that use another feature over the others: this is the rule
    of the program behind Molhoek's Table 9, github.com/jmolhoek/forests_of_optimal_trees. No feature becomes rare.
    """
    rest = (1.0 + used).sum() - (1.0 + used)
    return rest / rest.sum() if len(used) > 1 else np.ones(len(used))


def subspace(seed: int, chances: np.ndarray, size: int) -> np.ndarray:
    """Return features drawn without replacement by their probabilities (n_features,); (size,), sorted."""
    return np.sort(np.random.default_rng(seed).choice(len(chances), size, replace=False, p=chances))


# ---- votes of trees and the weights of the votes (Molhoek 2021, section 3.4.4)


def accuracies(trees: list[AnyTree], training: TrainingData, judges: np.ndarray) -> np.ndarray:
    """Return each tree's weighted accuracy, (n_trees,), on its samples `judges` (n_trees, n_samples) bool.

    nan for a tree without test samples.
    """
    shares = np.full(len(trees), np.nan)
    for number, (tree, rows) in enumerate(zip(trees, judges, strict=True)):
        if rows.any():
            right = classes(tree, training.X[rows]) == training.y[rows]
            shares[number] = np.average(right, weights=training.weight[rows])
    return shares


def by_accuracy(accuracy: np.ndarray) -> np.ndarray:
    """Return votes in proportion to the accuracy, (n_trees,); equal ones if it gives no preference."""
    votes = _fill_gaps(accuracy)
    return votes if votes.any() else np.ones(len(votes))


def by_error(accuracy: np.ndarray, n_judges: np.ndarray) -> np.ndarray:
    """Return votes inverse to the error on so many test samples, (n_trees,).

    A tree without any error counts as one with half a sample wrong: the more test samples, the larger its vote.
    """
    return 1.0 / _fill_gaps(np.maximum(1.0 - accuracy, 0.5 / np.maximum(n_judges, 1)))


def _fill_gaps(found: np.ndarray) -> np.ndarray:
    """Replace nan (unknown) by the mean of the other trees."""
    is_known = ~np.isnan(found)
    return np.where(is_known, found, found[is_known].mean()) if is_known.any() else np.ones(len(found))
