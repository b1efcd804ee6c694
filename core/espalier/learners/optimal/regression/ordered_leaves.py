"""The best values of a regression tree's leaves that keep to the directions of its splits.

Of each split with a direction, no leaf of the one side has more than any leaf of the other. The best values under
such an order are found by parts (Spouge, Wan & Wilbur 2003 for squared error; Stout 2013 for absolute error):
leaves are divided at a value so that, with one value above and one below it, the order is kept at the least loss;
each part goes on by itself. Since the order is that of a tree, one walk through the tree divides the leaves best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

TINY = 1e-12  # of the sum of what each leaf saves: less may be rounding
Members: TypeAlias = "list[int]"  # numbers of nodes


class DirectedNodes(NamedTuple):
    """The nodes of a tree in preorder, with the directions of their splits."""

    left: Sequence[int]  # -1 for a leaf
    right: Sequence[int]
    direction: Sequence[int]  # 1 where no leaf on the left has more than one on the right, -1 less; else 0


class LeafRows(NamedTuple):
    """Targets of the rows in each leaf, and their weights."""

    y: dict[int, np.ndarray]
    weight: dict[int, np.ndarray]


class _Division(NamedTuple):
    """What the upper part of a branch's leaves saves at most, and its leaves; and all leaves together."""

    saved: float
    upper: Members
    all_saved: float
    all: Members


def values_in_order(nodes: DirectedNodes, rows: LeafRows, is_absolute: bool) -> dict[int, float]:
    """Return the value of each leaf, by its number: the means or medians where those keep the order.

    >>> rows = LeafRows({1: np.array([3.0]), 2: np.array([1.0])}, {1: np.ones(1), 2: np.ones(1)})
    >>> values_in_order(DirectedNodes([1, -1, -1], [2, -1, -1], [1, 0, 0]), rows, False)
    {1: 2.0, 2: 2.0}
    """
    own = {leaf: middle_of(y, rows.weight[leaf], is_absolute) for leaf, y in rows.y.items()}
    if is_in_order(nodes, own):
        return own
    return _medians(nodes, rows) if is_absolute else _means(nodes, rows)


def middle_of(y: np.ndarray, weight: np.ndarray, is_absolute: bool) -> float:
    """Return the mean or the median."""
    if not is_absolute:
        return float(y[0]) + float(np.average(y - y[0], weights=weight))  # exact where all are equal
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    ends = [np.searchsorted(below, below[-1] / 2, side) for side in ("left", "right")]
    low, high = y[order][np.minimum(ends, len(y) - 1)]
    return float(low / 2 + high / 2)


def is_in_order(nodes: DirectedNodes, value: dict[int, float]) -> bool:
    """Return whether the leaves' values keep to the directions."""

    def span(node: int) -> tuple[float, float, bool]:
        if nodes.left[node] < 0:
            return value[node], value[node], True
        (low, high, kept), (other_low, other_high, is_kept) = span(nodes.left[node]), span(nodes.right[node])
        is_right = {0: True, 1: high <= other_low, -1: low >= other_high}[nodes.direction[node]]
        return min(low, other_low), max(high, other_high), kept and is_kept and is_right

    return span(0)[2]


def _means(nodes: DirectedNodes, rows: LeafRows) -> dict[int, float]:
    weight = {leaf: float(of_leaf.sum()) for leaf, of_leaf in rows.weight.items()}
    mean = {leaf: middle_of(y, rows.weight[leaf], False) for leaf, y in rows.y.items()}
    found: dict[int, float] = {}
    pending = [list(mean)]
    while pending:
        part = pending.pop()
        first = mean[part[0]]
        shared = first + sum(weight[leaf] * (mean[leaf] - first) for leaf in part) / sum(
            weight[leaf] for leaf in part
        )
        upper = _upper(nodes, part, lambda leaf, at=shared: weight[leaf] * (mean[leaf] - at))
        if 0 < len(upper) < len(part):
            pending += [upper, [leaf for leaf in part if leaf not in set(upper)]]
        else:
            found |= dict.fromkeys(part, shared)
    return found


def _medians(nodes: DirectedNodes, rows: LeafRows) -> dict[int, float]:
    targets = np.unique(np.concatenate(list(rows.y.values())))
    found: dict[int, float] = {}
    pending = [(list(rows.y), 0, len(targets) - 1)]
    while pending:
        part, first, last = pending.pop()
        if first == last or not part:
            found |= dict.fromkeys(part, float(targets[first]))
            continue
        half = (first + last) // 2
        low, high = targets[half], targets[half + 1]

        def saved(leaf: int, low: float = low, high: float = high) -> float:
            y, weight = rows.y[leaf], rows.weight[leaf]
            return float(weight @ (np.abs(y - low) - np.abs(y - high)))

        upper = _upper(nodes, part, saved)
        pending.append((upper, half + 1, last))
        pending.append(([leaf for leaf in part if leaf not in set(upper)], first, half))
    return found


def _upper(nodes: DirectedNodes, part: Members, saved: Callable[[int], float]) -> Members:
    """Return the leaves of the part that are to lie higher: those that save most, in order; none if none saves."""
    of_part = {leaf: saved(leaf) for leaf in part}

    def divide(node: int) -> _Division:
        if nodes.left[node] < 0:
            own = of_part.get(node)
            if own is None:
                return _Division(0.0, [], 0.0, [])
            return _Division(max(own, 0.0), [node] if own > 0 else [], own, [node])
        left, right = divide(nodes.left[node]), divide(nodes.right[node])
        whole = left.all_saved + right.all_saved, left.all + right.all
        if nodes.direction[node] == 0:
            return _Division(left.saved + right.saved, left.upper + right.upper, *whole)
        lower, higher = (left, right) if nodes.direction[node] > 0 else (right, left)
        if higher.saved >= lower.saved + higher.all_saved:
            return _Division(higher.saved, higher.upper, *whole)
        return _Division(lower.saved + higher.all_saved, lower.upper + higher.all, *whole)

    best, scale = divide(0), sum(map(abs, of_part.values()))
    return best.upper if best.saved > TINY * scale else []
