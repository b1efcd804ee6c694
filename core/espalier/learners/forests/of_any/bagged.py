"""Bagged forests: every tree grows on samples drawn with replacement (Breiman 1996)."""

from __future__ import annotations

import numpy as np

from espalier.learners.base import check_bool
from espalier.learners.forests.of_any.drawn import DrawnForest
from espalier.learners.forests.of_any.ensemble import ForestOfAny, ForestOfAnyNumbers
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner
from espalier.learners.forests.of_any.sampling import bootstrap
from espalier.learners.forests.quantiles import Quantiles
from espalier.progress import Progress
from espalier.trees import AnyTree


class _Bagged(ForestOfAny):
    """Base of the classifier and the regressor; parameters are described in `BaggedForestClassifier`."""

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        super()._begin(stock, seeds)
        self._counts: dict[int, np.ndarray] = {}

    def tree_of(self, stock: PartLearner, number: int, seed: int, own: Progress) -> AnyTree:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        self._note(stock, number, seed)
        drawn = np.repeat(np.arange(len(stock.training.y)), self._counts[number])
        return self._grow_part(stock, FittedPart(rows=drawn), seed, own)

    def _note(self, stock: PartLearner, number: int, seed: int) -> None:
        n, rows = len(stock.training.y), self._rows(stock.training, seed)
        self._counts[number] = bootstrap(seed, np.arange(n) if rows is None else rows, self._unit, n)

    def _seen(self) -> np.ndarray:
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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.voting = voting
        self.decorrelated = decorrelated
        self.slack = slack
        self.max_choices = max_choices
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state


class BaggedForestRegressor(Quantiles, ForestOfAnyNumbers, _Bagged):
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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_leaves = keep_leaves
