"""Decisions by what errors cost: the share from which a class is the answer, for as many of it as there will be.

Where missing a class costs so many times as much as any other error, the answer of least expected cost is that
class wherever its share, times this number, is not below another's; of two classes, from a share of
1 / (1 + times) on (Elkan 2001, "The foundations of cost-sensitive learning", equation 2 and theorem 2). Where the
class will be rarer or more frequent than in the table, shares are corrected first (Saerens, Latinne & Decaestecker
2002), and rows of the class count as much less or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDING = 1e-12  # by which shares, as sums of floats, may fall short


class Decision(NamedTuple):
    """A class against the others: what missing it costs, from which share it is the answer, how frequent it is.

    >>> Decision(1, times=4.0).cut
    0.2
    """

    code: int | None = None  # of the class; None: all errors are alike, and the likeliest class is the answer
    times: float = 1.0  # as much as any other error costs an answer that misses the class
    threshold: float | None = None  # share of the class from which it is the answer; None: as the costs ask for
    prevalence: float | None = None  # share of the class among rows to come; None: as in the table

    @property
    def cut(self) -> float:
        """Share of the class from which it is the answer; of more than two classes, from there at the latest."""
        return 1 / (1 + self.times) if self.threshold is None else self.threshold

    @property
    def is_plain(self) -> bool:
        """Whether the likeliest class is the answer, and each error costs the same."""
        return self.code is None or (self.times == 1 and self.threshold is None and self.prevalence is None)


def check(decision: Decision) -> None:
    """Raise ValueError for numbers that no decision can have."""
    if not decision.times > 0:
        raise ValueError(f"an error cannot cost {decision.times:g} times as much; give a number above 0")
    for name, share in (("threshold", decision.threshold), ("prevalence", decision.prevalence)):
        if share is not None and not 0 < share < 1:
            raise ValueError(f"a {name} of {share:g} is no share; it must lie between 0 and 1")


def costs(decision: Decision, n_classes: int) -> np.ndarray:
    """Return the costs of errors, (n_classes, n_classes) float64, [true, predicted].

    >>> costs(Decision(1, times=4.0), 2).tolist()
    [[0.0, 1.0], [4.0, 0.0]]
    """
    table = 1.0 - np.eye(n_classes)
    if decision.code is not None:
        table[decision.code] *= decision.times
    return table


def corrected(shares: np.ndarray, code: int, here: float, there: float) -> np.ndarray:
    """Return shares (n, n_classes) as they would be if a part `there` of all rows were of class `code`.

    `here` is the part in the table that the shares come from.

    >>> corrected(np.array([[0.5, 0.5]]), 1, here=0.5, there=0.1).round(3).tolist()
    [[0.9, 0.1]]
    """
    factor = np.full(shares.shape[1], (1 - there) / (1 - here))
    factor[code] = there / here
    odds = shares * factor
    return odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)


def unweighted(shares: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return shares (n, n_classes) as they would be if the rows of all classes had counted the same.

    `weight` (n_classes,) is how much a row of each class counted for the model that gives the shares; None: the
    same. Costs are then met once, by the decision, and not a second time.

    >>> unweighted(np.array([[0.2, 0.8]]), np.array([1.0, 4.0])).tolist()
    [[0.5, 0.5]]
    """
    if weight is None:
        return shares
    odds = shares / weight
    return odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)


def decide(shares: np.ndarray, said: np.ndarray, decision: Decision, here: float | None = None) -> np.ndarray:
    """Return the class decided on for each row, (n,) int64.

    `said` (n,) are the model's own answers, which stay where every error is alike; `here` is the part of the
    table's rows that are of the class, for a prevalence. Raises ValueError as `check` does.

    >>> shares = np.array([[0.7, 0.3], [0.9, 0.1]])
    >>> decide(shares, np.array([0, 0]), Decision(1, times=4.0))
    array([1, 0])
    """
    check(decision)
    if decision.code is None or decision.is_plain:
        return said
    if decision.prevalence is not None and here is not None and 0 < here < 1:
        shares = corrected(shares, decision.code, here, decision.prevalence)
    others = np.delete(shares, decision.code, axis=1)
    best = others.argmax(axis=1)
    odds = (1 - decision.cut) / decision.cut
    is_it = odds * shares[:, decision.code] >= others.max(axis=1) * (1 - ROUNDING)
    return np.where(is_it, decision.code, best + (best >= decision.code))


def counted(y: np.ndarray, weight: np.ndarray, decision: Decision) -> np.ndarray:
    """Return how much each row counts, (n,), if its class is as frequent as the decision says; y (n,) int64.

    >>> counted(np.array([1, 0, 0, 0]), np.ones(4), Decision(1, prevalence=0.5)).round(2).tolist()
    [2.0, 0.67, 0.67, 0.67]
    """
    here = part_of(y, weight, decision.code)
    if decision.prevalence is None or not 0 < here < 1:
        return weight
    there = decision.prevalence
    return weight * np.where(y == decision.code, there / here, (1 - there) / (1 - here))


def part_of(y: np.ndarray, weight: np.ndarray, code: int | None) -> float:
    """Return the part of the rows, by weight, that are of the class; nan without rows."""
    total = float(weight.sum())
    return float(weight[y == code].sum()) / total if total else float("nan")
