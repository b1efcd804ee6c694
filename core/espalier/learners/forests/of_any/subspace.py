"""Subspace forests: every tree sees some of the features (Ho 1998)."""

from __future__ import annotations

import numpy as np

from espalier.learners.base import check_choice, features_tried
from espalier.learners.forests.of_any.drawn import DrawnForest
from espalier.learners.forests.of_any.ensemble import ForestOfAny, ForestOfAnyNumbers
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner, asked_by
from espalier.learners.forests.of_any.sampling import soft_chances, softer_chances, subspace, uses
from espalier.progress import Progress
from espalier.trees import AnyTree


class _Subspace(ForestOfAny):
    """Base of the classifier and the regressor; parameters are described in `SubspaceForestClassifier`."""

    max_features: int | float | str | None
    draw: str

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        super()._begin(stock, seeds)
        self._parts: dict[int, FittedPart] = {}

    def tree_of(self, stock: PartLearner, number: int, seed: int, own: Progress) -> AnyTree | None:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        part = self._part(stock, seed)
        if part.features is None or len(part.features) == 0:
            return None
        tree = self._grow_part(stock, part, seed, own)
        if self.draw == "hard" and number > 0 and len(asked_by(tree)) == 0:
            return None
        self._parts[number] = part
        return tree

    def _note(self, stock: PartLearner, number: int, seed: int) -> None:
        self._parts[number] = self._part(stock, seed)

    def _part(self, stock: PartLearner, seed: int) -> FittedPart:
        return FittedPart(self._rows(stock.training, seed), self._features(stock.training.X.shape[1], seed))

    def _features(self, n_features: int, seed: int) -> np.ndarray:
        """Draw the features of the next tree, ascending."""
        if self.draw == "hard":
            return np.flatnonzero(uses(self._grown.values(), n_features) == 0)
        used = np.zeros(n_features) if self.draw == "uniform" else uses(self._grown.values(), n_features)
        chances = softer_chances(used) if self.draw == "softer" else soft_chances(used)
        return subspace(seed, chances, features_tried(self.max_features, n_features))

    def _seen(self) -> np.ndarray:
        seen = np.ones((len(self._numbers), self._n_used), np.uint8)
        for row, number in zip(seen, self._numbers, strict=True):
            if (rows := self._parts[number].rows) is not None:
                row[:] = 0
                row[rows] = 1
        return seen

    def subspaces(self) -> list[np.ndarray]:
        """Return the features that each tree of ``forest_`` saw, ascending."""
        seen = [np.asarray(self._parts[number].features) for number in self._numbers]
        return seen if self._columns is None else [self._columns[features] for features in seen]

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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.voting = voting
        self.draw = draw
        self.decorrelated = decorrelated
        self.slack = slack
        self.max_choices = max_choices
        self.n_jobs = n_jobs
        self.random_state = random_state


class SubspaceForestRegressor(ForestOfAnyNumbers, _Subspace):
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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.draw = draw
        self.n_jobs = n_jobs
        self.random_state = random_state
