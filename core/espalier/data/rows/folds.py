"""Folds: rows divided so that a model tells each from others, with groups whole and without their future.

They follow from the targets, the roles and the `Folds` alone, so that models evaluated separately, at other times,
can be compared fold by fold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.rows import parts
from espalier.data.rows.roles import NO_ROLES, RowGroups, RowRoles
from espalier.language import Refusal


class Folds(NamedTuple):
    """Number of folds and repeats, and the seed."""

    n_folds: int = 10
    n_repeats: int = 1  # each repeat divides all rows anew
    seed: int = 0
    is_forward: bool = False  # whether each fold is told from earlier rows alone, as of data with times

    @property
    def n_all(self) -> int:
        """Folds of all repeats: the number of fits."""
        return self.n_folds * self.n_repeats

    @property
    def ratio_tested(self) -> float:
        """Test rows per training row, in every fold; of forward folds, whose models know ever more, the mean."""
        if self.is_forward:
            return sum(1 / number for number in range(1, self.n_folds + 1)) / self.n_folds
        return 1 / (self.n_folds - 1)


class Fold(NamedTuple):
    """A fold: its number, the rows in it, and those that its model is fitted to."""

    number: int
    rows: np.ndarray  # (n,) indices, ascending
    fitted_to: np.ndarray  # (n_samples,) bool: all others; of data with times, those that are earlier


def plan_for(dataset: Dataset, plan: Folds) -> Folds:
    """Return the plan for these data: with times the folds go forward, and no repeat would bring others.

    >>> from espalier.data import samples
    >>> plan_for(samples.load("iris"), Folds(5, 2))
    Folds(n_folds=5, n_repeats=2, seed=0, is_forward=False)
    """
    return _planned(dataset.roles, plan)


def folds_of(dataset: Dataset, plan: Folds) -> list[Fold]:
    """Return every fold of the data, as `deal` does with their targets and roles.

    >>> from espalier.data import samples
    >>> [len(fold.rows) for fold in folds_of(samples.load("iris"), Folds(n_folds=4))]
    [38, 37, 37, 38]
    """
    return deal(dataset.strata, plan, dataset.roles)


def deal(y: np.ndarray, plan: Folds, roles: RowRoles = NO_ROLES) -> list[Fold]:
    """Return every fold of samples with targets y (n_samples,), repeat after repeat; a repeat's are disjoint.

    Folds are stratified by class (integer y), or by the size of the target, up to a row. Groups stay whole, and
    about as many rows of each class are in each fold. With times the rows are parted into one block more than
    there are folds, in order; fold number k holds block k + 1, told from all rows before its first one (forward
    chaining; Hyndman & Athanasopoulos 2021, section 5.10), which with groups are those of other groups. Raises
    ValueError for fewer than two folds, and for more than `most_folds`.

    >>> first, second = deal(np.array([0, 0, 1, 1]), Folds(n_folds=2))
    >>> sorted([*first.rows.tolist(), *second.rows.tolist()])
    [0, 1, 2, 3]
    >>> from espalier.data import row_groups
    >>> visits = RowRoles(groups=row_groups("patient", ["ann", "bob", "bob", "ann"]))
    >>> [fold.rows.tolist() for fold in deal(np.array([0, 0, 1, 1]), Folds(n_folds=2), visits)]
    [[0, 3], [1, 2]]
    """
    plan = _planned(roles, plan)
    if plan.is_forward:
        return _forward(roles, plan.n_folds, len(y))
    tested = _rows_dealt(y, plan) if roles.groups is None else _groups_dealt(y, roles.groups, plan)
    return [Fold(number, rows, parts.others(roles, rows, len(y))) for number, rows in enumerate(tested)]


def most_folds(n_samples: int, roles: RowRoles = NO_ROLES) -> int:
    """Return the most folds of so many samples: each needs a row, a group, or a time after the first.

    >>> from espalier.data import row_times
    >>> most_folds(4), most_folds(4, RowRoles(times=row_times("year", np.array([2019, 2020, 2020, 2021]))))
    (4, 2)
    """
    if roles.times is not None:
        return len(np.unique(roles.times.values)) - 1
    return n_samples if roles.groups is None else len(np.unique(roles.groups.codes))


def _planned(roles: RowRoles, plan: Folds) -> Folds:
    return plan._replace(n_repeats=1, is_forward=True) if parts.is_ordered(roles) else plan


def _rows_dealt(y: np.ndarray, plan: Folds) -> list[np.ndarray]:
    """Return the rows (indices, ascending) of every fold, each row by itself."""
    if not 2 <= plan.n_folds <= len(y):
        raise Refusal(
            "{n} folds cannot be made of {rows} rows; there must be 2 to {rows}", n=plan.n_folds, rows=len(y)
        )
    rng = np.random.default_rng(plan.seed)
    return [rows for _ in range(plan.n_repeats) for rows in _dealt_once(y, plan.n_folds, rng)]


def _dealt_once(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Sort rows by target, equal ones at random; each fold takes one of every `n_folds` consecutive rows.

    For classes the folds follow each other in turn, so that small classes are spread evenly too.
    """
    shuffled = rng.permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    rounds = -(-len(y) // n_folds)
    if np.issubdtype(y.dtype, np.integer):
        dealt = np.tile(rng.permutation(n_folds), rounds)
    else:
        dealt = np.concatenate([rng.permutation(n_folds) for _ in range(rounds)])
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = dealt[: len(y)]
    return [np.flatnonzero(fold == number) for number in range(n_folds)]


def _groups_dealt(y: np.ndarray, groups: RowGroups, plan: Folds) -> list[np.ndarray]:
    n_groups = len(np.unique(groups.codes))
    if not 2 <= plan.n_folds <= n_groups:
        raise Refusal(
            "{n} folds cannot be made of {groups} groups of “{name}”; there must be 2 to {groups}",
            n=plan.n_folds,
            groups=n_groups,
            name=groups.name,
        )
    rng, shares = np.random.default_rng(plan.seed), [1 / plan.n_folds] * plan.n_folds
    dealt = [parts.by_group(groups.codes, parts.strata_of(y), shares, rng) for _ in range(plan.n_repeats)]
    return [np.flatnonzero(fold == number) for fold in dealt for number in range(plan.n_folds)]


def _forward(roles: RowRoles, n_folds: int, n: int) -> list[Fold]:
    if n_folds < 2:
        raise Refusal("{n} folds cannot be made; there must be at least 2", n=n_folds)
    block = parts.in_blocks(roles, n_folds + 1)
    tested = [np.flatnonzero(block == number) for number in range(1, n_folds + 1)]
    folds = [Fold(number, rows, parts.others(roles, rows, n)) for number, rows in enumerate(tested)]
    if any(not fold.fitted_to.any() for fold in folds):
        raise Refusal("no group ends before the first fold begins; choose groups or times, not both")
    return folds
