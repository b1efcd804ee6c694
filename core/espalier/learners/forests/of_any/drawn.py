"""Base of forests whose trees see a random part of the table: vote weights, choice among equal trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from espalier.learners.base import TrainingData, check_bool, check_choice, check_whole, is_number
from espalier.learners.forests.of_any.ensemble import ForestOfAnyClasses
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner, fit_part, of_table
from espalier.learners.forests.of_any.sampling import half_of
from espalier.learners.forests.of_any.voting import accuracies, by_accuracy, by_error
from espalier.learners.optimal import OptimalClassifier
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import AnyTree


class DrawnForest(ForestOfAnyClasses):
    """Base of bagged and subspace forests; parameters are described in `BaggedForestClassifier`."""

    _votings: tuple[str, ...]
    voting: str
    decorrelated: bool
    slack: float
    max_choices: int

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        super()._begin(stock, seeds)
        self._seeds = seeds
        self._earlier = EarlierVotes(stock.training.X, len(self.classes_)) if self.decorrelated else None

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
            judges = self._seen() == 0
            return by_error(accuracies(trees, training, judges), judges.sum(axis=1))
        halves = [half_of(int(self._seeds[number]), training.y, self._unit) for number in self._numbers]
        return by_accuracy(accuracies(trees, training, ~np.stack(halves)))

    # ---- decorrelation

    def _grow_part(self, stock: PartLearner, part: FittedPart, seed: int, own: Progress) -> AnyTree:
        """Grow a tree.

        If decorrelated, return the one least like the earlier trees among all equally good ones.
        """
        if self._earlier is None:
            return super()._grow_part(stock, part, seed, own)
        grown = fit_part(stock, part, seed, own)
        return self._earlier.least_alike(of_table(tree, part.features) for tree in self._choices(grown, own))

    def _choices(self, grown: Any, progress: Progress) -> list[AnyTree]:
        """Return all trees within the slack if the grown one is proved optimal and they can be listed; else it."""
        if not grown.lists_trees:
            return [grown.tree_]
        near = grown.optimal_trees(self.slack, self.max_choices, progress)
        return [each.tree for each in near] or [grown.tree_]

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


class EarlierVotes:
    """Votes of the trees chosen so far on the samples X (n_samples, n_features).

    Of all equally good trees, the next one is that with the least agreement (Molhoek 2021, section 4.2.2).
    """

    def __init__(self, X: np.ndarray, n_classes: int):
        self._X, self._rows = X, np.arange(len(X))
        self._votes = np.zeros((n_classes, len(X)), np.int64)

    def agreement(self, tree: AnyTree) -> float:
        """Return the share of samples with equal votes, summed over the trees so far (equation 4)."""
        return float(self._votes[classes(tree, self._X), self._rows].sum() / len(self._X))

    def least_alike(self, trees: Iterable[AnyTree]) -> AnyTree:
        """Return the tree with the least summed agreement, the first of equals, and remember it."""
        chosen = min(trees, key=self.agreement)
        self._votes[classes(chosen, self._X), self._rows] += 1
        return chosen
