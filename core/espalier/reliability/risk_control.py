"""Risk control: the doubt up to which a model may answer, if few answers to new rows are to be wrong for certain.

Of the rows that a model doubts less than the k-th least doubted, each is wrong with the same unknown chance, so
their errors are binomial. A share of rows passes if so few errors would be rare at a greater risk than the one
allowed. `SHARES` are tried, each at an equal part of the doubt that the confidence leaves (Bonferroni), and the
greatest one that passes is chosen; the whole is a case of Learn then test (Angelopoulos, Bates, Candès, Jordan &
Lei 2025, Annals of Applied Statistics 19).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc

SHARES = np.arange(1, 21) / 20  # of the rows, that are tried


def last_certain(count: np.ndarray, errors: np.ndarray, level: float, confidence: float) -> int:
    """Return the place of the last doubt up to which answers are wrong at most at `level`; -1 if there is none.

    `count` and `errors` (n_doubts,) are the rows up to each doubt, ascending, and the errors among them. Over
    calibration rows drawn at random, the share of wrong answers to new rows is above `level` with a probability
    of at most 1 − `confidence`.

    >>> n = np.arange(1.0, 401)  # 400 rows, each of another doubt; the last 40 are wrong
    >>> last_certain(n, np.maximum(n - 360, 0), level=0.05, confidence=0.9)
    358
    >>> last_certain(n[:50], np.zeros(50), level=0.05, confidence=0.9)  # 50 right answers do not suffice
    -1
    """
    places = _places(count)
    there = places[places >= 0]
    n, wrong = count[there], errors[there]
    passes = chance_of_so_few(n, wrong, level) <= (1 - confidence) / len(SHARES)
    return int(there[passes].max()) if passes.any() else -1


def _places(count: np.ndarray) -> np.ndarray:
    """Return the place of each share of `SHARES`: of the last doubt under that of its last row; -1: none is.

    All rows stand at the last place: no doubt had to be chosen for them.
    """
    ranks = np.ceil(SHARES * count[-1] - 1e-9)
    places = np.searchsorted(count, ranks - 1e-9) - 1
    places[-1] = len(count) - 1
    return places


def chance_of_so_few(n: np.ndarray, wrong: np.ndarray, level: float) -> np.ndarray:
    """Return the probability of at most `wrong` errors among n rows, each wrong with probability `level`.

    All are (n_shares,); rows that count by weights need not be whole numbers.

    >>> chance_of_so_few(np.array([2.0]), np.array([1.0]), 0.5)
    array([0.75])
    """
    none_right = wrong >= n
    return np.where(none_right, 1.0, betainc(np.where(none_right, 1.0, n - wrong), wrong + 1, 1 - level))


def rows_needed(level: float, confidence: float) -> int:
    """Return the least number of answers, all of them right, that are promised to be wrong at most at `level`.

    >>> rows_needed(0.05, 0.9)
    104
    """
    return math.ceil(math.log((1 - confidence) / len(SHARES)) / math.log1p(-level)) if 0 < level < 1 else 0
