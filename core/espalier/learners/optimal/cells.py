"""Recognise trees that are the same function of x, by names that are equal for equal functions.

The thresholds of a number cut its range into cells; each category is a cell, and so is the missing value. Trees
are compared on the product of all features' cells, which is never written out: every cell gets a random mass
(those of a feature sum to 1), every class a random number, and a function is named by the mean of its classes'
numbers, modulo a prime of 127 bits. This name is a polynomial in the masses and numbers, a different one for every
function, and two of them have the same value with a probability of about 1 in 10^36 (Blum, Chandra & Wegman 1980;
Schwartz 1980).
"""

from __future__ import annotations

import random
from typing import TypeAlias

import numpy as np

from espalier.data.binarise import N_CODES, Questions, answers, make_questions
from espalier.learners.optimal.problem import DistinctQuestions
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape

PRIME = 2**127 - 1

Box: TypeAlias = "tuple[tuple[int, int], ...]"  # features, ascending, with the remaining cells of each, as bits


class QuestionCells:
    """The cells of all features, as separated by the columns of the search.

    In a subtree, a number without missing values is only compared with thresholds that separate the rows there. So
    its function beyond the thresholds of the path equals that at them, and two subtrees that differ anywhere
    differ on the path's own part of the range. Categories and missing values are different, because a path may
    exclude them for good: for these features, the `narrow` ones, a subtree's box keeps the remaining cells.
    """

    def __init__(self, questions: Questions, columns: DistinctQuestions, n_classes: int):
        self._random = random.Random(0)
        self.leaf_names = [self._random.randrange(PRIME) for _ in range(n_classes)]
        self.feature = questions.feature[columns.question].tolist()
        self.narrow = _narrow(questions)
        self._one = [0] * len(self.feature)  # the cells of a column's feature for which the column is 1
        self._chance: dict[int, list[int]] = {}  # mass of each cell, by feature
        self._masses: dict[tuple[int, int], int] = {}
        self._n_columns: dict[int, int] = {}
        of_feature: dict[int, list[int]] = {}
        for column, feature in enumerate(self.feature):
            of_feature.setdefault(feature, []).append(column)
        for feature, found in of_feature.items():
            self._add(feature, found, questions, columns)

    def _add(self, feature: int, found: list[int], questions: Questions, columns: DistinctQuestions) -> None:
        asked = columns.question[found]
        if feature in self.narrow:
            values = _values_of(feature, asked, questions)
            yes = answers(make_questions(asked * 0, *(field[asked] for field in questions[1:])), values[:, None])
        else:
            cuts = np.sort(questions.threshold[asked])
            values, yes = np.append(cuts, np.inf), np.append(cuts, np.inf)[:, None] <= questions.threshold[asked]
        for column, ones in zip(found, (yes ^ columns.flipped[found]).T.tolist(), strict=True):
            self._one[column] = sum(1 << cell for cell, one in enumerate(ones) if one)
        some = [self._random.randrange(PRIME) for _ in values[1:]]
        self._chance[feature] = [*some, (1 - sum(some)) % PRIME]
        self._n_columns[feature] = len(found)

    def is_alone(self, column: int) -> bool:
        """Return whether no other column uses the feature, which then has two or three cells."""
        return self._n_columns[self.feature[column]] == 1

    def part(self, box: Box, column: int, side: int) -> Box:
        """Return the cells of a box for which the column is 1 (`side` 1), or 0."""
        feature, some = self.feature[column], dict(box)
        here = some.get(feature, (1 << len(self._chance[feature])) - 1)
        some[feature] = here & self._one[column] if side else here & ~self._one[column]
        return tuple(sorted(some.items()))

    def mass(self, box: Box) -> int:
        """Return the mass of the cells of a box; that of all cells is 1."""
        product = 1
        for place in box:
            if place not in self._masses:
                feature, some = place
                chance = self._chance[feature]
                self._masses[place] = sum(c for cell, c in enumerate(chance) if some >> cell & 1) % PRIME
            product = product * self._masses[place] % PRIME
        return product

    def name(self, shape: Shape, box: Box) -> int:
        """Return the name of a subtree's function on a box; its leaves are classes."""
        if isinstance(shape, ColumnSplit):
            one, zero = (self.part(box, shape.column, side) for side in (1, 0))
            return (self.name(shape.one, one) + self.name(shape.zero, zero)) % PRIME
        assert shape is not None
        return self.leaf_names[shape] * self.mass(box) % PRIME


def codes_of(questions: Questions, about: np.ndarray) -> np.ndarray:
    """Return the categories that some of the questions ask about; `about` (n_questions,) bool tells which."""
    together = np.bitwise_or.reduce(questions.categories[about], initial=np.uint64(0))
    return np.flatnonzero(together >> np.arange(N_CODES, dtype=np.uint64) & np.uint64(1))


def _narrow(questions: Questions) -> frozenset[int]:
    """Return the features whose categories or missing values a path may exclude."""
    shuts = (questions.categories > 0) | questions.missing_left | (questions.threshold == np.inf)
    return frozenset(questions.feature[shuts].tolist())


def _values_of(feature: int, asked: np.ndarray, questions: Questions) -> np.ndarray:
    """Return a value in each cell of a feature with categories or missing values, nan last.

    Questions cover all categories, or the first of two; then one more value represents the other.
    """
    codes = codes_of(questions, questions.feature == feature)
    if len(codes):
        return np.append(codes if len(codes) > 1 else [codes[0], (codes[0] + 1) % N_CODES], np.nan)
    cuts = questions.threshold[asked]
    return np.append(np.unique(cuts[cuts < np.inf]), [np.inf, np.nan])
