"""How many trees there are of each objective and number of splits, by products over both sides of every split.

Splits of one column that part the rows alike, or opposite, are one split; one with two leaves of the same class is
none.
"""

from __future__ import annotations

from collections import Counter

from tests.tools.naive.as_good import Table, splits_of

DIGITS = 6  # of an objective
Sizes = Counter[tuple[float, int]]  # trees by objective and splits


def sizes_within(table: Table, slack: float, depth: int, max_splits: int | None = None) -> Sizes:
    """Return how many trees there are within a slack of the best one."""
    every = _sizes(table, frozenset(range(len(table.loss))), depth, {})
    sizes = {size: n for size, n in every.items() if n and (max_splits is None or size[1] <= max_splits)}
    limit = min(objective for objective, _ in sizes) + slack + 10**-DIGITS
    return Counter({size: n for size, n in sizes.items() if size[0] <= limit})


def _sizes(table: Table, rows: frozenset[int], depth: int, known: dict) -> Sizes:
    if (rows, depth) not in known:
        sizes = Counter((round(cost, DIGITS), 0) for cost in _leaves(table, rows))
        for _, sides in splits_of(table, rows) if depth else ():
            left, right = (_sizes(table, side, depth - 1, known) for side in sides)
            for (a, i), n in left.items():
                for (b, j), m in right.items():
                    sizes[round(a + b, DIGITS), i + j + 1] += n * m
            for a, b in zip(*(_leaves(table, side) for side in sides), strict=True):
                sizes[round(round(a, DIGITS) + round(b, DIGITS), DIGITS), 1] -= 1
        known[rows, depth] = sizes
    return known[rows, depth]


def _leaves(table: Table, rows: frozenset[int]) -> list[float]:
    """Return the cost of a leaf of each class."""
    return table.loss[sorted(rows)].sum(axis=0).tolist()
