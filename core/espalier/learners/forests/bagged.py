"""Forests whose trees see some of the data: bagged ones (Breiman 1996) and subspaces of features (Ho 1998)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from espalier.kinds import asked_by
from espalier.learners.base import TrainingData, check_bool, check_choice, check_whole, features_tried, is_number
from espalier.learners.forests.ensemble import (
    ForestOfAny,
    ForestOfAnyClasses,
    accuracies,
    bootstrap,
    by_accuracy,
    by_error,
    fit_part,
    half_of,
    of_table,
    soft_chances,
    softer_chances,
    subspace,
    uses,
)
from espalier.learners.forests.forest import ForestOfNumbers, Quantiles
from espalier.learners.optimal import OptimalClassifier
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import AnyTree


class DrawnForest(ForestOfAnyClasses):
    """Base of bagged and subspace forests; parameters are described in `BaggedForestClassifier`."""

    _votings: tuple[str, ...]

    def __init__(
        self, estimator=None, n_estimators=101, *, voting="equal", decorrelated=False, slack=0, max_choices=100,
        n_jobs=None, random_state=None,
    ):  # fmt: skip
        super().__init__(estimator, n_estimators, n_jobs=n_jobs, random_state=random_state)
        self.voting = voting
        self.decorrelated = decorrelated
        self.slack = slack
        self.max_choices = max_choices

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        super()._begin(learner, training, seeds)
        self._seeds = seeds
        shape = len(self.classes_), len(training.y)
        self._earlier = np.zeros(shape, np.int64) if self.decorrelated else None  # votes of the trees so far

    def _end(self) -> None:
        super()._end()
        self._earlier = None

    # ---- voting

    def _rows(self, training: TrainingData, seed: int) -> np.ndarray | None:
        return np.flatnonzero(half_of(seed, training.y, self._unit)) if self.voting == "validation" else None

    def _votes(self, trees: list[AnyTree], training: TrainingData) -> np.ndarray | None:
        if self.voting == "equal":
            return None
        if self.voting == "oob":
            judges = self._draw_counts() == 0
            return by_error(accuracies(trees, training, judges), judges.sum(axis=1))
        halves = [half_of(int(self._seeds[number]), training.y, self._unit) for number in self._numbers]
        return by_accuracy(accuracies(trees, training, ~np.stack(halves)))

    # ---- decorrelation

    def _grow_part(
        self, learner: Any, training: TrainingData, seed: int, own: Progress, rows: np.ndarray | None,
        features: np.ndarray | None = None,
    ) -> AnyTree:  # fmt: skip
        """Grow a tree.

        If decorrelated, return the one least like the earlier trees among all equally good ones.
        """
        if self._earlier is None:
            return super()._grow_part(learner, training, seed, own, rows, features)
        model = fit_part(learner, training, seed, own, rows=rows, features=features)
        trees = (of_table(tree, features) for tree in self._choices(model, own))
        return least_alike(trees, training.X, self._earlier)

    def _choices(self, learner: Any, progress: Progress) -> list[AnyTree]:
        """Return all trees within the slack if the learner's is proved optimal and they can be listed; else it."""
        if not learner.lists_trees:
            return [learner.tree_]
        near = learner.optimal_trees(self.slack, self.max_choices, progress)
        return [each.tree for each in near] or [learner.tree_]

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones."""
        return bool(self.decorrelated) or super().grows_in_order

    # ---- parameters

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("voting", self.voting, self._votings)
        check_bool("decorrelated", self.decorrelated)
        if self.decorrelated and not isinstance(self._base(), OptimalClassifier):
            raise ValueError(
                f"decorrelated is True, and estimator {self.estimator!r}; only of an OptimalClassifier can all "
                "trees be listed that are as good"
            )
        if not (is_number(self.slack) and self.slack >= 0):
            raise ValueError(f"slack is {self.slack!r}; it must be a number of at least 0")
        check_whole("max_choices", self.max_choices, least=1)


def least_alike(trees: Iterable[AnyTree], X: np.ndarray, votes: np.ndarray) -> AnyTree:
    """Return the tree with the least agreement, summed over the trees so far, the first of equals; add its votes.

    Agreement is the share of samples X (n_samples, n_features) with equal votes (Molhoek 2021, equation 4);
    `votes` (n_classes, n_samples) are those of the trees so far.
    """
    rows = np.arange(len(X))

    def agreement(tree: AnyTree) -> float:
        return float(votes[classes(tree, X), rows].sum() / len(X))

    best = min(trees, key=agreement)
    votes[classes(best, X), rows] += 1
    return best


# ---- bagged forests: every tree grows on samples drawn with replacement (Breiman 1996)


class _Bagged(ForestOfAny):
    """Base of the classifier and the regressor; parameters are described in `BaggedForestClassifier`."""

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        super()._begin(learner, training, seeds)
        self._counts: dict[int, np.ndarray] = {}

    def tree_of(self, learner: Any, training: TrainingData, number: int, seed: int, own: Progress) -> AnyTree:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        self._note(training, number, seed)
        rows = np.repeat(np.arange(len(training.y)), self._counts[number])
        return self._grow_part(learner, training, seed, own, rows)

    def _note(self, training: TrainingData, number: int, seed: int) -> None:
        n, rows = len(training.y), self._rows(training, seed)
        self._counts[number] = bootstrap(seed, np.arange(n) if rows is None else rows, self._unit, n)

    def _draw_counts(self) -> np.ndarray:
        return np.stack([self._counts[number] for number in self._numbers])

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bool("oob_score", self.oob_score)


class BaggedForestClassifier(DrawnForest, _Bagged):
    """Classification by the votes of trees, each grown on as many samples as there are, drawn with replacement.

    Every sample is equally likely to be drawn, and keeps its weight in the tree.

    Parameters
    ----------
    estimator : learner of the trees: a CartClassifier, CultivatedClassifier or OptimalClassifier; None for CART
        with its defaults. Its class weights are those of the forest, and its seed is replaced for every tree
    n_estimators : number of trees
    voting : how much a tree's vote counts. "equal": as much as any other's; "validation": in proportion to its
        accuracy on half of the samples, drawn for each tree by itself and set aside before the other half is
        drawn from; "oob": inversely to its error on the samples that it has not drawn, where a tree without any
        error counts as one with half a sample wrong
    decorrelated : whether each tree is chosen among all optimal trees of its samples, no two the same function:
        that with the least agreement, summed over the earlier trees, on all samples (Molhoek 2021, section
        4.2.2); of equals the one with fewer splits. With an OptimalClassifier only; a tree that is not proved
        optimal within its time limit has no rivals
    slack : how far from the optimum the trees to choose among may be, in misclassification cost
    max_choices : how many trees are chosen among at most, the best first
    oob_score : whether `fit` predicts every sample by the trees that did not see it
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it.
        Decorrelated trees grow one after the other
    random_state : seed

    Every tree votes for the class with the greatest share in the sample's leaf, the first of equals; of classes
    with equally many votes the most frequent in training wins (Molhoek 2021, section 3.4.4).

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares
    classes_ : (n_classes,) the labels, in order
    oob_decision_function_, oob_errors_ : as in `RandomForestClassifier`

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> BaggedForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y).score(iris.X, iris.y)
    1.0
    """

    _votings = ("equal", "validation", "oob")

    def __init__(
        self, estimator=None, n_estimators=101, *, voting="equal", decorrelated=False, slack=0, max_choices=100,
        oob_score=False, n_jobs=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            estimator, n_estimators, voting=voting, decorrelated=decorrelated, slack=slack,
            max_choices=max_choices, n_jobs=n_jobs, random_state=random_state,
        )  # fmt: skip
        self.oob_score = oob_score


class BaggedForestRegressor(Quantiles, _Bagged):
    """Regression by the mean of trees, each grown on as many samples as there are, drawn with replacement.

    Parameters
    ----------
    estimator : learner of the trees: a CartRegressor or CultivatedRegressor; None for CART with its defaults
    n_estimators, oob_score, n_jobs, random_state : as in `BaggedForestClassifier`
    keep_leaves : as in `RandomForestRegressor`; not for cultivated trees

    Attributes
    ----------
    forest_ : Forest, whose trees' values are means or medians
    oob_prediction_, oob_errors_ : as in `RandomForestRegressor`

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> forest = BaggedForestRegressor(n_estimators=5, random_state=0).fit(sine.X, sine.y)
    >>> forest.predict([[0.25]]).round(1)
    array([0.3])
    """

    def __init__(
        self, estimator=None, n_estimators=101, *, oob_score=False, n_jobs=None, random_state=None,
        keep_leaves=False,
    ):  # fmt: skip
        super().__init__(estimator, n_estimators, n_jobs=n_jobs, random_state=random_state)
        self.oob_score = oob_score
        self.keep_leaves = keep_leaves


# ---- subspace forests: every tree sees some of the features (Ho 1998)


class _Subspace(ForestOfAny):
    """Base of the classifier and the regressor; parameters are described in `SubspaceForestClassifier`."""

    max_features: int | float | str | None
    draw: str

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        super()._begin(learner, training, seeds)
        self._parts: dict[int, tuple[np.ndarray | None, np.ndarray]] = {}  # rows and features of each tree

    def tree_of(
        self, learner: Any, training: TrainingData, number: int, seed: int, own: Progress
    ) -> AnyTree | None:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        rows, features = self._part(training, seed)
        if len(features) == 0:
            return None
        tree = self._grow_part(learner, training, seed, own, rows, features)
        if self.draw == "hard" and number > 0 and len(asked_by(tree)) == 0:
            return None
        self._parts[number] = rows, features
        return tree

    def _note(self, training: TrainingData, number: int, seed: int) -> None:
        self._parts[number] = self._part(training, seed)

    def _part(self, training: TrainingData, seed: int) -> tuple[np.ndarray | None, np.ndarray]:
        """Return the rows and features of a tree; None: all rows."""
        return self._rows(training, seed), self._features(training.X.shape[1], seed)

    def _features(self, n_features: int, seed: int) -> np.ndarray:
        """Draw the features of the next tree, ascending."""
        if self.draw == "hard":
            return np.flatnonzero(uses(self._grown.values(), n_features) == 0)
        n_uses = np.zeros(n_features) if self.draw == "uniform" else uses(self._grown.values(), n_features)
        chances = softer_chances(n_uses) if self.draw == "softer" else soft_chances(n_uses)
        return subspace(seed, chances, features_tried(self.max_features, n_features))

    def _draw_counts(self) -> np.ndarray:
        counts = np.ones((len(self._numbers), self._n_used), np.uint8)
        for row, number in zip(counts, self._numbers, strict=True):
            if (rows := self._parts[number][0]) is not None:
                row[:] = 0
                row[rows] = 1
        return counts

    def subspaces(self) -> list[np.ndarray]:
        """Return the features that each tree of ``forest_`` saw, ascending."""
        subspaces_ = [self._parts[number][1] for number in self._numbers]
        return subspaces_ if self._columns is None else [self._columns[features] for features in subspaces_]

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones."""
        return self.draw != "uniform" or super().grows_in_order

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("draw", self.draw, ("uniform", "soft", "softer", "hard"))
        features_tried(self.max_features, 1)


class SubspaceForestClassifier(DrawnForest, _Subspace):
    """Classification by the votes of trees, each grown on all samples but only some of their features.

    Parameters
    ----------
    estimator : learner of the trees: a CartClassifier, CultivatedClassifier or OptimalClassifier; None for CART
        with its defaults. Its class weights are those of the forest, and its seed is replaced for every tree
    n_estimators : number of trees, at most
    max_features : features that a tree sees: int, share (float), "sqrt", "log2", None for all; with the draw
        "hard" it does not count
    voting : how much a tree's vote counts. "equal": as much as any other's; "validation": in proportion to its
        accuracy on half of the samples, drawn for each tree by itself and set aside; it grows on the other half
    draw : how features are drawn, none twice for a tree. "uniform": each as likely as any other; "soft": one
        after the other with chances inverse to one more than how many earlier trees ask about a feature;
        "softer": with chances in proportion to how many ask about the others, as the program behind Molhoek's
        Table 9 has it; "hard": all that no earlier tree asks about, until none is left, or the rest is no help
        (Molhoek 2021, section 4.2.1)
    decorrelated, slack, max_choices : as in `BaggedForestClassifier`, among the optimal trees of a subspace
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it.
        Only uniformly drawn trees that are not decorrelated grow at the same time
    random_state : seed

    Votes count as in `BaggedForestClassifier`.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares; they refer to the table's own columns
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = SubspaceForestClassifier(n_estimators=3, max_features=2, random_state=0).fit(iris.X, iris.y)
    >>> [features.tolist() for features in model.subspaces()]
    [[1, 2], [0, 2], [0, 1]]
    """

    _votings = ("equal", "validation")

    def __init__(
        self, estimator=None, n_estimators=101, *, max_features: int | float | str | None = 0.5, voting="equal",
        draw="uniform", decorrelated=False, slack=0, max_choices=100, n_jobs=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            estimator, n_estimators, voting=voting, decorrelated=decorrelated, slack=slack,
            max_choices=max_choices, n_jobs=n_jobs, random_state=random_state,
        )  # fmt: skip
        self.max_features = max_features
        self.draw = draw


class SubspaceForestRegressor(ForestOfNumbers, _Subspace):
    """Regression by the mean of trees, each grown on all samples but only some of their features.

    Parameters
    ----------
    estimator : learner of the trees: a CartRegressor or CultivatedRegressor; None for CART with its defaults
    n_estimators, max_features, draw, n_jobs, random_state : as in `SubspaceForestClassifier`

    Attributes
    ----------
    forest_ : Forest, whose trees' values are means or medians; they refer to the table's own columns

    Examples
    --------
    >>> from espalier.data import samples
    >>> diabetes = samples.load("diabetes")
    >>> forest = SubspaceForestRegressor(n_estimators=3, max_features=2, random_state=0)
    >>> [features.tolist() for features in forest.fit(diabetes.X, diabetes.y).subspaces()]
    [[3, 4], [5, 6], [2, 4]]
    """

    def __init__(
        self, estimator=None, n_estimators=101, *, max_features: int | float | str | None = 0.5, draw="uniform",
        n_jobs=None, random_state=None,
    ):  # fmt: skip
        super().__init__(estimator, n_estimators, n_jobs=n_jobs, random_state=random_state)
        self.max_features = max_features
        self.draw = draw
