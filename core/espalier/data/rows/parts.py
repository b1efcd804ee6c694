"""Dividing and drawing rows so that groups stay whole and the past is never told from the future.

Everything that holds rows out, deals folds or draws rows anew comes here if the data have groups or times:

==================  ======================================  ==============================================
                    groups                                  times
==================  ======================================  ==============================================
held out            whole groups                            the last rows
folds               whole groups                            blocks in order, each told from those before
drawn anew          whole groups (Davison & Hinkley 1997,   blocks of neighbouring rows, which keep what
                    section 3.8)                            ties them together (Carlstein 1986; Künsch 1989)
==================  ======================================  ==============================================

Rows of the same time are never parted. With groups and times together, the groups that end last are held out, and
a fold in order of time is told from earlier rows of other groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.rows.roles import RowRoles, last_times
from espalier.language import Refusal

N_STRATA = 5  # runs of a numeric target that parts should have equally many rows of


def is_plain(roles: RowRoles) -> bool:
    """Return whether every row stands for itself: no groups, no times."""
    return roles.groups is None and roles.times is None


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


def in_blocks(roles: RowRoles, n_blocks: int) -> np.ndarray:
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


def by_group(
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
        allowed = sorted(empty) if left <= len(empty) else range(len(shares))
        part[group] = min(allowed, key=change.__getitem__)
        lacks[part[group]] -= count[group]
        empty.discard(int(part[group]))
    return part[codes]


def strata_of(y: np.ndarray) -> np.ndarray:
    """Return class codes as they are, and of numbers the run of the sorted values that each is in, (n,) int64."""
    if np.issubdtype(y.dtype, np.integer):
        return y
    rank = np.empty(len(y), dtype=np.int64)
    rank[np.argsort(y, kind="stable")] = np.arange(len(y))
    return rank * N_STRATA // max(len(y), 1)


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
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(roles.times.values, kind="stable")] = np.arange(n)
    return np.unique((rank + np.random.default_rng(seed).integers(length)) // length, return_inverse=True)[1]


def others(roles: RowRoles, rows: np.ndarray, n: int, is_forecast: bool = True) -> np.ndarray:
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
