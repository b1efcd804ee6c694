"""The splits that a learner admits at a node, by its way with missing values and the directions of columns."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from espalier.tree.impurity import SideAnswers
from espalier.trees import Tree, path_to, read_only

NO_DIRECTIONS = read_only(np.empty(0, np.int64))


class SplitRules(NamedTuple):
    """What a split needs beside a gain; by default nothing, and missing values go to the better side."""

    by_surrogates: bool = (
        False  # it is chosen among the samples that have its value, and surrogates decide on others
    )
    beyond: bool = False  # missing numbers stand beyond all others, and so never go left
    direction: np.ndarray = NO_DIRECTIONS  # (n_features,) int64: 1 if answers may only rise, -1 fall, 0; empty: 0
    low: float = -math.inf  # bounds of the answers below the node
    high: float = math.inf

    def direction_of(self, feature: int) -> int:
        """Return the direction of a feature; 0 if it has none."""
        return int(self.direction[feature]) if feature < len(self.direction) else 0

    def admits(self, feature: int, answers: SideAnswers) -> np.ndarray:
        """Return whether the answers of both sides keep the direction of the feature, (m,) bool."""
        lower, upper = np.minimum(answers.left, answers.right), np.maximum(answers.left, answers.right)
        goes = (answers.right - answers.left) * self.direction_of(feature) >= 0
        return goes & (lower >= self.low) & (upper <= self.high)


FREE = SplitRules()


def rules_at(tree: Tree, node: int, missing: str, direction: np.ndarray = NO_DIRECTIONS) -> SplitRules:
    """Return the rules of the splits at a node of a CART tree; `missing` and `direction` are the learner's.

    Each split above the node on a column with a direction bounds its answers by the middle of both sides, as
    `espalier.kernels.cart.directed` has it.

    >>> from espalier.learners import CartRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> tree = CartRegressor(monotonic_cst=[1]).fit(X, [0, 3, 1, 2, 6, 4]).tree_
    >>> rules_at(tree, 1, "side", np.array([1])).high
    3.25
    """
    low, high = -math.inf, math.inf
    for parent, child in itertools.pairwise(path_to(tree, node)):
        way = int(direction[tree.feature[parent]]) if len(direction) else 0
        if way == 0 or np.isinf(tree.threshold[parent]):
            continue
        sides = tree.value[[tree.left[parent], tree.right[parent]], -1]
        middle = min(max(float(sides.mean()), low), high)
        is_below = (child == tree.left[parent]) == (way > 0)
        low, high = (low, middle) if is_below else (middle, high)
    return SplitRules(missing == "surrogate", missing == "category", direction, low, high)
