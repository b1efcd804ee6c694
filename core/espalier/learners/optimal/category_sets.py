"""Which sets of categories an optimal tree of two classes asks about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import MOST_CATEGORIES, categories_of, every_set, sets_in_order
from espalier.language import Refusal
from espalier.learners.base import TrainingData


class CategorySets(NamedTuple):
    """Sets of categories that splits may ask about."""

    masks: dict[int, np.ndarray]  # by column, without columns whose categories are asked about one by one
    is_all: bool = True  # else those of some columns are enough for the best stump, but not for others as good


NO_SETS = CategorySets({})


def numbers_of_categories(X: np.ndarray, is_categorical: np.ndarray) -> dict[int, int]:
    """Return how many categories columns of more than three have; of three, each set parts one from two."""
    counts = {int(f): len(categories_of(X[:, f])) for f in np.flatnonzero(is_categorical)}
    return {feature: n for feature, n in counts.items() if n > 3}


def few_of(numbers: Mapping[int, int]) -> dict[int, int]:
    """Return the columns of which every set may be asked about, with their numbers of categories."""
    return {feature: n for feature, n in numbers.items() if n <= MOST_CATEGORIES}


def columns_of(numbers: Mapping[int, int]) -> int:
    """Return how many sorted columns the sets of these numbers of categories take, beside one for each."""
    return sum(math.comb(n - 1, (n - 1) // 2) for n in numbers.values())


def every_set_of(X: np.ndarray, numbers: Mapping[int, int]) -> CategorySets:
    """Return every set of the categories of these columns."""
    return CategorySets({feature: every_set(X[:, feature]) for feature in numbers})


def sets_of_stump(training: TrainingData, numbers: Mapping[int, int]) -> CategorySets:
    """Return sets among which is the one of the best stump: every set of few categories, else those in order."""
    (X, y, weight), few = training, few_of(numbers)
    masks = {f: every_set(X[:, f]) if f in few else sets_in_order(X[:, f], y, weight) for f in numbers}
    return CategorySets(masks, len(few) == len(numbers))


def refuse_sets(option: str) -> None:
    """Raise Refusal: this option leaves no sets of categories."""
    raise Refusal(
        'categories="subset" cannot be kept together with {option}: set categories="one-vs-rest", so that a split '
        "parts one category from all others, or leave {option} out",
        option=option,
    )


def refuse_list() -> None:
    """Raise Refusal: of a stump, not every set of categories was looked at."""
    raise Refusal(
        "trees as good as the best one are not listed where a single split may part more than {n} categories in "
        'any way: set categories="one-vs-rest", or allow a second split',
        n=MOST_CATEGORIES,
    )
