"""Samples with a number as target, in the scale in which the search for the best regression tree adds them up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.regression.rows import TargetNode, TargetRows, make_nodes, node_at

FINEST = 2.0**30  # the greatest weight, where weights have no common measure that is as fine
NEAR = 1e-10  # of the loss of a lone root: smaller differences may be rounding
PER_SPLIT = 4e-10  # the same: what a split must save, where the fewest splits are wanted


class RegressionTask(NamedTuple):
    """What a regression tree is to reduce, and the rows that its leaves need."""

    y: np.ndarray  # (n_samples,) float64
    weight: np.ndarray  # (n_samples,) float64
    min_samples_leaf: int
    fewest: bool  # whether to find, of trees as good, one with the fewest splits


class RegressionProblem(NamedTuple):
    """Rows for the search, and how to read its losses."""

    rows: TargetRows
    unit: float  # loss of the samples for one of the rows
    unavoidable: float  # loss, in these units, of samples that no question separates
    rounding: float  # by how much rounded weights may change the error of a tree

    def objective(self, loss: float, splits: int) -> float:
        """Return the weighted sum of errors of the samples, or a lower bound, by the loss of so many splits."""
        return (max(loss - splits * self.rows.per_split, 0.0) + self.unavoidable) * self.unit

    def tolerance(self, depth: int, splits: int) -> float:
        """Return how much less error a tree may have than the best one found, which counts as none.

        Every set of samples on the way to it is solved up to `near`, and a split must be worth `per_split`.
        """
        return (2**depth * self.rows.near + splits * self.rows.per_split) * self.unit + 2 * self.rounding


def regression_problem(task: RegressionTask, rank: np.ndarray) -> RegressionProblem:
    """Return the problem of samples with these ranks (n_samples, n_columns).

    Targets are centred and scaled before they are squared, and weights made whole numbers, so that sums are exact
    enough however far from 0 the targets lie. Samples with equal ranks everywhere become one row, at their mean.
    """
    weight, per = whole_weights(task.weight)
    away = task.y - float(task.y[0])
    is_spread = bool(away.any())
    away = away - np.average(away, weights=weight)
    spread = float(np.sqrt(np.average(away**2, weights=weight))) if is_spread else 0.0
    target = away / spread if is_spread else np.zeros(len(away))
    part = np.column_stack([weight, weight * target, weight * target**2, np.ones(len(target))])
    whole = float(part[:, 2].sum())  # also what no question separates, which sums are rounded by
    rank, part, unavoidable = _merged(rank, part)
    rows = TargetRows(
        np.ascontiguousarray(rank.T, dtype=np.int32), np.ascontiguousarray(part), float(task.min_samples_leaf),
        NEAR * whole, PER_SPLIT * whole if task.fewest else 0.0,
    )  # fmt: skip
    rounding = float((np.abs(weight / per - task.weight) * away**2).sum())
    return RegressionProblem(rows, spread**2 / per, unavoidable, rounding)


def whole_weights(weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights as whole numbers (float64), and by how much they are multiplied.

    They are rounded to a 2^30th of the greatest unless they are multiples of the least one.

    >>> whole_weights(np.array([0.5, 1.5]))
    (array([1., 3.]), 2.0)
    """
    least, most = float(weight.min()), float(weight.max())
    parts = np.rint(weight / least)
    if most / least <= FINEST and np.allclose(parts * least, weight, rtol=1e-12, atol=0):
        return parts, 1 / least
    return np.maximum(np.rint(weight * (FINEST / most)), 1.0), FINEST / most


def node_of_rows(rows: TargetRows, chosen: np.ndarray) -> TargetNode:
    """Return the node of some rows, by number."""
    nodes = make_nodes(1, len(rows.rank), len(chosen))
    for f, keys in enumerate(rows.rank):
        nodes.order[0, f] = chosen[np.argsort(keys[chosen], kind="stable")]
    nodes.size[0, 0] = len(chosen)
    return node_at(nodes, 0)


def _merged(rank: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return ranks and parts of the groups of rows with equal ranks, and the loss inside of groups."""
    order = np.lexsort(rank.T)
    start = np.flatnonzero(np.append(True, (np.diff(rank[order], axis=0) != 0).any(axis=1)))
    sums = np.add.reduceat(part[order], start, axis=0)
    alike = sums[:, 1] ** 2 / sums[:, 0]
    unavoidable = float(np.maximum(sums[:, 2] - alike, 0.0)[np.diff(np.append(start, len(order))) > 1].sum())
    sums[:, 2] = alike
    return rank[order[start]], sums, unavoidable
