"""Conformal prediction: sets of classes, and intervals, that hold the truth of new rows as often as one asks.

A model is asked about calibration rows that it has not seen, and each gets a score of how badly the answer fits
the truth. A new row's set holds every answer that would fit no worse than all but a few of them did: the limit is
the ⌈(n + 1) level⌉-th least of n scores. If the rows are exchangeable, sets hold the truth of at least a share
`level` of new rows, whatever the model (Vovk, Gammerman & Shafer 2005; Papadopoulos et al. 2002). With a limit
for each group of rows, that holds in every group (Mondrian; Vovk et al. 2005, section 4.5).

Rows of one patient, or school, are not exchangeable with those of others: these units are. Then each unit counts
as one, its rows share that, and the promise is of a row of a new unit (Lee, Barber & Willett 2023,
"Distribution-free inference with hierarchical data").

Scores are 1 − the share of the true class (the least ambiguous sets; Sadinle, Lei & Wasserman 2019), but 0 where
the model says that class: so no set is empty, and a model that is right often enough names one class. Of numbers
they are the absolute error, as a multiple of the row's doubt if intervals are to be wider where the model doubts
(Lei et al. 2018, section 5.2).
"""

from __future__ import annotations

import math

import numpy as np

from espalier.data.weights import within_units


def limit(
    score: np.ndarray, level: float, weight: np.ndarray | None = None, unit: np.ndarray | None = None
) -> float:
    """Return the score up to which a new row's answers stay in its set; inf if so few scores cannot say.

    `score` (n,) is that of the calibration rows, `weight` (n,) how much each counts; the new row counts as the
    mean of them. `unit` (n,) says which rows belong together; a row's weight is then compared within its unit.
    Raises ValueError for a level outside 0 to 1.

    >>> limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.8)  # the 4th of 4: 5 × 0.8
    0.4
    >>> limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.9)
    inf
    >>> limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.8, unit=np.array([0, 0, 1, 1]))  # 3 × 0.8 of 2 units
    inf
    """
    if not 0 < level < 1:
        raise ValueError(f"a level of {level:g} cannot be promised; it must lie between 0 and 1")
    n = len(score)
    weight = np.ones(n) if weight is None else weight
    if unit is not None:
        weight = within_units(weight, unit)
        n = round(weight.sum())
    if not n:
        return float("inf")
    order = np.argsort(score, kind="stable")
    total = np.cumsum(weight[order])
    place = int(np.searchsorted(total, level * (total[-1] + total[-1] / n) * (1 - 1e-12)))
    return float(score[order[place]]) if place < len(score) else float("inf")


def units_needed(level: float) -> int:
    """Return the least number of calibration rows, or of units of rows, with which a level can be promised.

    >>> units_needed(0.9), units_needed(0.95)
    (9, 19)
    """
    return math.ceil(level / (1 - level) - 1e-9)


def limits(
    score: np.ndarray, group: np.ndarray, n_groups: int, level: float, weight: np.ndarray | None = None,
    unit: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Return the `limit` of each group, (n_groups,) float64, from scores (n,) and groups (n,) int64.

    Rows of a unit may be in several groups: in each, those that are there count as one.

    >>> limits(np.array([0.3, 0.1, 0.2, 0.4]), np.array([0, 0, 1, 1]), 3, 0.6)
    array([0.3, 0.4, inf])
    """
    every = np.ones(len(score)) if weight is None else weight
    inside = (group == number for number in range(n_groups))
    return np.array(
        [limit(score[rows], level, every[rows], None if unit is None else unit[rows]) for rows in inside]
    )


def class_scores(shares: np.ndarray, said: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return 1 − the share of the true class, and 0 where the model says it, (n,).

    From shares (n, n_classes), and the classes said and true (n,) int64.

    >>> class_scores(np.array([[0.75, 0.25], [0.625, 0.375]]), said=np.array([0, 0]), y=np.array([0, 1]))
    array([0.   , 0.625])
    """
    return np.where(said == y, 0.0, 1 - shares[np.arange(len(y)), y])


def class_sets(shares: np.ndarray, said: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return the classes in the set of each row, (n, n_classes) bool: the one said, and others within the limit.

    `limits` broadcasts to `shares` (n, n_classes): one limit, one for each class (n_classes,), or one for the
    group of each row, (n, 1).

    >>> class_sets(np.array([[0.7, 0.3], [0.45, 0.55]]), np.array([0, 1]), np.array([0.6]))
    array([[ True, False],
           [ True,  True]])
    """
    return (1 - shares <= limits) | (np.arange(shares.shape[1]) == said[:, None])


def error_scores(prediction: np.ndarray, y: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    """Return absolute errors, (n,), each as a multiple of the row's scale, if there is one.

    >>> error_scores(np.array([3.0, 5.0]), np.array([2.0, 9.0]), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    off = np.abs(prediction - y)
    return off if scale is None else off / scale


def intervals(prediction: np.ndarray, limit: np.ndarray | float, scale: np.ndarray | None = None) -> np.ndarray:
    """Return the ends of each row's interval, (n, 2), at the limit of error scores.

    >>> intervals(np.array([3.0, 5.0]), 2.0, np.array([1.0, 0.5]))
    array([[1., 5.],
           [4., 6.]])
    """
    half = np.broadcast_to(limit if scale is None else limit * scale, prediction.shape)
    return np.stack((prediction - half, prediction + half), axis=1)
