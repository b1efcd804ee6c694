"""Boosted forests (Freund & Schapire 1997): later trees weight misclassified samples more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier
from espalier.learners.forests.of_any.ensemble import ForestOfAnyClasses
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner, fit_part
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import AnyTree

PERFECT = 1e-12  # a share of wrong weight up to this is rounding
UNIT = 2.0**-32  # step of the factors of weights, whose mean is 1


class Round(NamedTuple):
    """Result of one round of boosting."""

    say: float  # weight of the tree's vote: 0 or less if it is no better than chance, inf if it is perfect
    # (n_samples,) float64: weight of each sample in the next round, relative to its first weight
    factor: np.ndarray


def boost(weight: np.ndarray, factor: np.ndarray, is_wrong: np.ndarray, n_classes: int) -> Round:
    """Return the vote weight of a tree with these errors (n_samples,) bool, and the next factors.

    The tree grew with ``weight * factor``. ``say = log((1 - error) / error) + log(n_classes - 1)``, and wrong
    samples grow by exp(say) before all are scaled to the same sum: for two classes AdaBoost (Freund & Schapire
    1997, figure 2: beta = exp(-say)), for more SAMME (Zhu, Zou, Rosset & Hastie 2009, algorithm 2).
    """
    mass = weight * factor
    error = float(mass[is_wrong].sum() / mass.sum())
    if error <= PERFECT:
        return Round(np.inf, factor)
    if 1.0 - error <= PERFECT:
        return Round(-np.inf, factor)
    say = float(np.log((1.0 - error) / error) + np.log(max(n_classes - 1, 1)))
    grown = factor * np.where(is_wrong, np.exp(say), 1.0)
    return Round(say, _on_grid(grown * (weight.sum() / (weight * grown).sum())))


def _on_grid(factor: np.ndarray) -> np.ndarray:
    """Round to whole multiples of a small unit, at least one, so that sums are exact.

    Boosting makes ties, because wrong and right samples weigh the same after each round; rounding errors in sums
    would break them arbitrarily.
    """
    return np.maximum(np.rint(factor / UNIT), 1.0) * UNIT


class BoostedForestClassifier(ForestOfAnyClasses):
    """Classification by the weighted votes of trees grown one after the other, by AdaBoost.

    Parameters
    ----------
    estimator : learner of the trees: a CartClassifier, CultivatedClassifier or OptimalClassifier; None for CART
        of depth 1. Its class weights are the forest's, and its seed is replaced for every tree
    n_estimators : number of trees, at most
    random_state : seed; relevant only if the estimator is randomised

    Every tree votes for the class with the greatest share in the sample's leaf; of classes with equal votes the
    most frequent in training wins. For more than two classes the votes are those of SAMME.

    A tree without any error on the samples would have infinite weight: boosting ends, and that tree alone decides;
    the earlier ones are kept with vote weight 0. A tree that is no better than chance (an error of at least ``1 -
    1 / n_classes``, by the weights of its round) also ends boosting, and is discarded unless it is the first.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares by the weights that they grew with
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = BoostedForestClassifier(n_estimators=10).fit(iris.X, iris.y)
    >>> round(model.score(iris.X, iris.y), 2)
    0.97
    """

    n_jobs = None

    def __init__(self, estimator=None, n_estimators=101, *, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _base(self) -> Any:
        return CartClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        self._factor: np.ndarray | None = np.ones(len(stock.training.y))
        self._say: dict[int, float] = {}
        self._is_over = False

    def _end(self) -> None:
        self._factor = None

    def tree_of(self, stock: PartLearner, number: int, seed: int, own: Progress) -> AnyTree | None:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        if self._is_over or self._factor is None:
            return None
        X, y, weight = stock.training
        tree = fit_part(stock, FittedPart(weight=weight * self._factor), seed, own).tree_
        say, self._factor = boost(weight, self._factor, classes(tree, X) != y, len(self.classes_))
        self._is_over = say == np.inf or say <= 0
        if say <= 0 and number > 0:
            return None
        self._say[number] = say
        return tree

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones."""
        return True

    def _votes(self, trees: list[AnyTree], training: TrainingData) -> np.ndarray:
        say = np.array([self._say[number] for number in self._numbers])
        if np.isinf(say).any():
            return (say == np.inf).astype(float) if say.max() == np.inf else np.ones(len(say))
        return say if say[0] > 0 else np.ones(1)
