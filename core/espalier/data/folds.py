"""Rows divided, held out and dealt into folds, with groups whole and without their future.

They follow from the targets, the roles and the `Folds` alone, so that models evaluated separately, at other times,
can be compared fold by fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, columns_of
from espalier.data.filters import filter_of
from espalier.data.roles import NO_ROLES, RowGroups, RowRoles, last_times
from espalier.language import Refusal

N_STRATA = 5  # runs of a numeric target that parts should have equally many rows of


def is_plain(roles: RowRoles) -> bool:
    """Return whether every row stands for itself: no groups, no times."""
    return roles.groups is None and roles.times is None


# Everything that holds rows out, deals folds or draws rows anew comes here if the data have groups or times:
#
# ==================  ======================================  ==============================================
#                     groups                                  times
# ==================  ======================================  ==============================================
# held out            whole groups                            the last rows
# folds               whole groups                            blocks in order, each told from those before
# drawn anew          whole groups (Davison & Hinkley 1997,   blocks of neighbouring rows, which keep what
#                     section 3.8)                            ties them together (Carlstein 1986; Künsch 1989)
# ==================  ======================================  ==============================================
#
# Rows of the same time are never parted. With groups and times together, the groups that end last are held out,
# and a fold in order of time is told from earlier rows of other groups.
def is_ordered(roles: RowRoles) -> bool:
    """Return whether rows have times."""
    return roles.times is not None


def late(roles: RowRoles, n_late: int) -> np.ndarray:
    """Return the last rows, (n_samples,) bool: about `n_late`, at least one, and not all.

    With groups whole ones, those that end last; no other row is as late as the first end among them.
    """
    times = _times(roles)
    first = np.sort(times)[max(len(times) - max(n_late, 1), 0)]
    choices = [out for out in (times >= first, times > first) if out.any() and not out.all()]
    if not choices:  # the first time itself is asked for: all that is later must do
        return times > times.min()
    return min(choices, key=lambda out: abs(int(out.sum()) - n_late))


def time_blocks(roles: RowRoles, n_blocks: int) -> np.ndarray:
    """Return the block of each row in order of time, (n_samples,) int64 from 0.

    Blocks are as equal as times allow. Raises ValueError for more blocks than there are different times.
    """
    assert roles.times is not None
    values, place, sizes = np.unique(roles.times.values, return_inverse=True, return_counts=True)
    if len(values) < n_blocks:
        raise Refusal(
            "{n} blocks cannot be made of {times} different times; choose fewer, or another time",
            n=n_blocks,
            times=len(values),
        )
    middle = np.cumsum(sizes) - sizes / 2
    block = np.minimum((middle * n_blocks / sizes.sum()).astype(np.int64), n_blocks - 1)
    for i in range(len(block)):  # every block has a time, whatever their sizes
        lowest = max(0, n_blocks - (len(block) - i))
        before = block[i - 1] if i else -1
        block[i] = min(max(block[i], lowest, before), before + 1)
    return block[place]


def group_parts(
    codes: np.ndarray, strata: np.ndarray, shares: Sequence[float], rng: np.random.Generator
) -> np.ndarray:
    """Deal whole groups into parts of about these shares of every stratum; return the part of each row, (n,).

    `codes` (n,) are the groups and `strata` (n,) the classes, both from 0. From the largest group to the smallest,
    in random order among equals, each goes where it lessens most the distance between the rows that are there and
    those that should be, summed over strata. Every part gets a group, if there are as many groups as parts.
    """
    count = np.zeros((codes.max() + 1, strata.max() + 1))
    np.add.at(count, (codes, strata), 1.0)
    there = count.sum(axis=1)
    aims = np.outer(shares, count.sum(axis=0))
    scale = 1.0 / np.maximum(count.sum(axis=0), 1.0)
    order = rng.permutation(np.flatnonzero(there))
    order = order[np.argsort(-there[order], kind="stable")]
    lacks, part, empty = aims.copy(), np.zeros(len(there), np.int64), set(range(len(shares)))
    for left, group in zip(range(len(order), 0, -1), order, strict=True):
        change = ((lacks - count[group]) ** 2 - lacks**2) @ scale
        numbers = sorted(empty) if left <= len(empty) else range(len(shares))
        part[group] = min(numbers, key=change.__getitem__)
        lacks[part[group]] -= count[group]
        empty.discard(int(part[group]))
    return part[codes]


def strata_of(y: np.ndarray) -> np.ndarray:
    """Return class codes as they are, and of numbers the run of the sorted values that each is in, (n,) int64."""
    if np.issubdtype(y.dtype, np.integer):
        return y
    return _ranks(y) * N_STRATA // max(len(y), 1)


def units(roles: RowRoles, seed: int) -> np.ndarray | None:
    """Return what each row is drawn together with, (n_samples,) int64 codes from 0; None: with none.

    That is its group; with times alone a block of neighbours in order of time, about n^(1/3) of them, which
    begin at another row for every seed.
    """
    if roles.groups is not None:
        return np.unique(roles.groups.codes, return_inverse=True)[1]
    if roles.times is None:
        return None
    n = len(roles.times.values)
    length = max(round(n ** (1 / 3)), 1)
    ranks = _ranks(roles.times.values) + np.random.default_rng(seed).integers(length)
    return np.unique(ranks // length, return_inverse=True)[1]


def rows_to_fit(roles: RowRoles, rows: np.ndarray, n: int, is_forecast: bool = True) -> np.ndarray:
    """Return the samples that a model of these rows (indices) may be fitted to, of all n, (n,) bool.

    They are the others; with groups those of no group among the rows; with times those of other times, or for a
    forecast those that are earlier than all of the rows. There may be none of them.
    """
    inside = np.zeros(n, dtype=bool)
    inside[rows] = True
    if roles.groups is not None:
        inside = np.isin(roles.groups.codes, roles.groups.codes[rows])
    if roles.times is not None and len(rows):
        times = roles.times.values
        inside |= times >= times[rows].min() if is_forecast else np.isin(times, times[rows])
    return ~inside


def _times(roles: RowRoles) -> np.ndarray:
    assert roles.times is not None
    return roles.times.values if roles.groups is None else last_times(roles.groups, roles.times)


# ---- folds: rows divided so that a model tells each from others, with groups whole and without their future


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
    return _adapt_plan(dataset.roles, plan)


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
    plan = _adapt_plan(roles, plan)
    if plan.is_forward:
        return _forward(roles, plan.n_folds, len(y))
    row_sets = _deal_rows(y, plan) if roles.groups is None else _deal_groups(y, roles.groups, plan)
    return [Fold(number, rows, rows_to_fit(roles, rows, len(y))) for number, rows in enumerate(row_sets)]


def most_folds(n_samples: int, roles: RowRoles = NO_ROLES) -> int:
    """Return the most folds of so many samples: each needs a row, a group, or a time after the first.

    >>> from espalier.data import row_times
    >>> most_folds(4), most_folds(4, RowRoles(times=row_times("year", np.array([2019, 2020, 2020, 2021]))))
    (4, 2)
    """
    if roles.times is not None:
        return len(np.unique(roles.times.values)) - 1
    return n_samples if roles.groups is None else len(np.unique(roles.groups.codes))


def _adapt_plan(roles: RowRoles, plan: Folds) -> Folds:
    return plan._replace(n_repeats=1, is_forward=True) if is_ordered(roles) else plan


def _deal_rows(y: np.ndarray, plan: Folds) -> list[np.ndarray]:
    """Return the rows (indices, ascending) of every fold, each row by itself."""
    if not 2 <= plan.n_folds <= len(y):
        raise Refusal(
            "{n} folds cannot be made of {rows} rows; there must be 2 to {rows}", n=plan.n_folds, rows=len(y)
        )
    rng = np.random.default_rng(plan.seed)
    return [rows for _ in range(plan.n_repeats) for rows in _deal_once(y, plan.n_folds, rng)]


def _deal_once(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Sort rows by target, equal ones at random; each fold takes one of every `n_folds` consecutive rows.

    For classes the folds follow each other in turn, so that small classes are spread evenly too.
    """
    shuffle = rng.permutation(len(y))
    order = shuffle[np.argsort(y[shuffle], kind="stable")]
    rounds = -(-len(y) // n_folds)
    if np.issubdtype(y.dtype, np.integer):
        numbers = np.tile(rng.permutation(n_folds), rounds)
    else:
        numbers = np.concatenate([rng.permutation(n_folds) for _ in range(rounds)])
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = numbers[: len(y)]
    return [np.flatnonzero(fold == number) for number in range(n_folds)]


def _deal_groups(y: np.ndarray, groups: RowGroups, plan: Folds) -> list[np.ndarray]:
    n_groups = len(np.unique(groups.codes))
    if not 2 <= plan.n_folds <= n_groups:
        raise Refusal(
            "{n} folds cannot be made of {groups} groups of “{name}”; there must be 2 to {groups}",
            n=plan.n_folds,
            groups=n_groups,
            name=groups.name,
        )
    rng, shares = np.random.default_rng(plan.seed), [1 / plan.n_folds] * plan.n_folds
    deals = [group_parts(groups.codes, strata_of(y), shares, rng) for _ in range(plan.n_repeats)]
    return [np.flatnonzero(fold == number) for fold in deals for number in range(plan.n_folds)]


def _forward(roles: RowRoles, n_folds: int, n: int) -> list[Fold]:
    if n_folds < 2:
        raise Refusal("{n} folds cannot be made; there must be at least 2", n=n_folds)
    block = time_blocks(roles, n_folds + 1)
    blocks = [np.flatnonzero(block == number) for number in range(1, n_folds + 1)]
    folds = [Fold(number, rows, rows_to_fit(roles, rows, n)) for number, rows in enumerate(blocks)]
    if any(not fold.fitted_to.any() for fold in folds):
        raise Refusal("no group ends before the first fold begins; choose groups or times, not both")
    return folds


STRATUM = 20  # rows with neighbouring targets: any multiple of 5 % of them is a whole number


class HeldOut(NamedTuple):
    """Share of the rows that is held out for testing, and the seed that says which rows these are; or a filter.

    The share is a whole percentage, as in addresses, so that equal records always mean equal rows.

    >>> HeldOut(30).fraction
    0.3
    >>> HeldOut(30) == HeldOut(percent=30, seed=0)
    True
    """

    percent: int  # from 0 to 100
    seed: int = 0
    where: str = ""  # text of a filter (`espalier.data.filter_of`): its rows are held out, whatever the share

    @property
    def fraction(self) -> float:
        """Share of the rows that is held out, from 0 to 1."""
        return self.percent / 100

    def n_left(self, n_samples: int) -> int:
        """Return about how many of so many rows are left to grow on."""
        return round(n_samples * (1 - self.fraction))


def held_out(dataset: Dataset, holdout: HeldOut) -> np.ndarray:
    """Return the rows held out for testing, (n_samples,) bool; at least one sample remains to grow on.

    The split is stratified by class (each class gives ``round(fraction * its size)`` rows), or for regression by
    each run of `STRATUM` rows in the order of their targets. Of data with groups whole groups are held out, and
    of data with times the last rows (`espalier.data.folds`); these are then about as many. Rows that
    a filter takes are held out as they are. Raises ValueError for a percentage outside 0 to 100, and FilterError
    for a filter that does not fit.

    >>> from espalier.data import samples
    >>> int(held_out(samples.load("iris"), HeldOut(30)).sum())
    45
    >>> int(held_out(samples.load("iris"), HeldOut(30, where="petal length~gt~6")).sum())
    9
    """
    if holdout.where:
        return filter_of(holdout.where).mask(columns_of(dataset), len(dataset.y))
    if not 0 <= holdout.percent <= 100:
        raise ValueError(f"{holdout.percent} % of the rows cannot be held out; choose a percentage from 0 to 100")
    rng = np.random.default_rng(holdout.seed)
    out = np.zeros(len(dataset.y), dtype=bool)
    if holdout.percent and not is_plain(dataset.roles):
        return _held_together(dataset, holdout.fraction, rng)
    groups = dataset.strata if dataset.is_classification else _ranks(dataset.y) // STRATUM
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        take = min(round(holdout.fraction * len(rows)), len(rows) - 1)
        out[rng.permutation(rows)[:take]] = True
    return out


def _held_together(dataset: Dataset, fraction: float, rng: np.random.Generator) -> np.ndarray:
    """Return the rows held out of data with groups or times, (n_samples,) bool."""
    groups = dataset.roles.groups
    if groups is None or is_ordered(dataset.roles):
        return late(dataset.roles, round(fraction * len(dataset.y)))
    strata = strata_of(dataset.strata)
    return group_parts(groups.codes, strata, (1 - fraction, fraction), rng) == 1


def _ranks(x: np.ndarray) -> np.ndarray:
    """Return the place of each value in their order, (n,) int64 from 0; of equals the first comes first."""
    ranks = np.empty(len(x), dtype=np.int64)
    ranks[np.argsort(x, kind="stable")] = np.arange(len(x))
    return ranks
