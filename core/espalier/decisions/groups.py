"""Rates of decisions in each group of a column: is a model as good for one group as for the others?

Each group is set against all other rows. The gap between two shares has the interval of Newcombe (1998, method
10), made of Wilson's intervals of both; it is as wide as so many comparisons ask for (Bonferroni), so that one
group in twenty does not stand out by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from espalier.comparison.subgroups import Subgroups, subgroups
from espalier.data.dataset import Dataset
from espalier.decisions.judged import JudgedRows, Rate, share_of
from espalier.wilson_interval import wilson

ALPHA = 0.05  # of the intervals
N_RANGES = 4  # of a column of numbers: quartiles
RIGHT, SAID, RECALL, ALARM, PRECISION = "right", "said", "recall", "alarm", "precision"
OF_ALL, OF_CLASS = (RIGHT,), (RIGHT, SAID, RECALL, ALARM, PRECISION)  # rates without a class, and of one


class GroupRate(NamedTuple):
    """A rate in a group, and how it differs from that of all other rows."""

    rate: Rate
    gap: float  # to the other rows; nan if one of both has no rows
    low: float  # the interval of the gap, as wide as all comparisons together ask for
    high: float

    @property
    def verdict(self) -> str:
        """Return "few", where it cannot be said; else "lower" or "higher" beyond chance, or "alike"."""
        if not self.rate.is_known or np.isnan(self.gap):
            return "few"
        return "lower" if self.high < 0 else "higher" if self.low > 0 else "alike"


class GroupRates(NamedTuple):
    """The rates of one group."""

    words: str  # its condition, such as "sex is female"
    n: int  # rows of it that were judged
    rates: dict[str, GroupRate]  # by RIGHT and so on


class RatesByGroup(NamedTuple):
    """The groups of a column."""

    groups: tuple[GroupRates, ...]
    n_others: int  # smaller groups that are left out


def rates_by_group(
    rows: JudgedRows,
    answer: np.ndarray,
    dataset: Dataset,
    column: str,
    code: int | None = None,
    cuts: Sequence[float] = (),
) -> RatesByGroup:
    """Return the rates of the decisions `answer` (n,) in each group of a column, of class `code` if there is one.

    The groups are those of `subgroups`, a column of numbers cut at its quartiles or at `cuts`; rows without a
    value are one. Raises FilterError for a column that
    there is not.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.decisions.judged import rows_of_folds
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> monks = samples.load("monks-1")
    >>> rows = rows_of_folds(ask(CartClassifier(max_depth=3), monks, Folds(n_folds=5)))
    >>> found = rates_by_group(rows, rows.said, monks, "jacket", code=1)
    >>> [(group.words, group.rates["said"].verdict) for group in found.groups][0]
    ('jacket is red', 'higher')
    """
    there: Subgroups = subgroups(dataset, column, N_RANGES, cuts)
    names = OF_ALL if code is None else OF_CLASS
    taken = [one.taken[rows.row] for one in there.groups]
    n_compared = max(len(taken), 1) * len(names)
    groups = tuple(
        GroupRates(
            one.rows.words,
            len(np.unique(rows.row[inside])),
            {name: _compared(name, rows, answer, inside, code, n_compared) for name in names},
        )
        for one, inside in zip(there.groups, taken, strict=True)
    )
    return RatesByGroup(groups, there.n_others)


def _compared(
    name: str, rows: JudgedRows, answer: np.ndarray, inside: np.ndarray, code: int | None, n_compared: int
) -> GroupRate:
    holds, among = _counted(name, rows, answer, code)
    here, there = (share_of(holds, among & part, rows) for part in (inside, ~inside))
    if not (here.n and there.n):
        return GroupRate(here, np.nan, np.nan, np.nan)
    return GroupRate(here, here.value - there.value, *_newcombe(here, there, ALPHA / n_compared))


def _counted(name: str, rows: JudgedRows, answer: np.ndarray, code: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows hold, and among which, (n,) bool each, for a rate."""
    every, is_class, is_answer = np.ones(len(rows.y), bool), rows.y == code, answer == code
    return {
        RIGHT: (answer == rows.y, every),
        SAID: (is_answer, every),
        RECALL: (is_answer, is_class),
        ALARM: (is_answer, ~is_class),
        PRECISION: (is_class, is_answer),
    }[name]


def _newcombe(one: Rate, other: Rate, alpha: float) -> tuple[float, float]:
    """Return the interval of the difference of two shares, at the level 1 − alpha."""
    z = float(stats.norm.ppf(1 - alpha / 2))
    (low, high), (low_other, high_other) = (
        (float(end) for end in wilson(np.array(rate.value), np.array(rate.n), z)) for rate in (one, other)
    )
    gap = one.value - other.value
    below = np.hypot(one.value - low, high_other - other.value)
    above = np.hypot(high - one.value, other.value - low_other)
    return float(gap - below), float(gap + above)
