"""Successive halving: many settings are tried on little data, and ever fewer of them on ever more.

Jamieson & Talwalkar (2016, "Non-stochastic best arm identification and hyperparameter optimization") and Li et al.
(2018, "Hyperband", section 3): of n settings the best third goes on to the next rung, where each is given three
times as much. What is given are training rows; of a forest, which has them, trees.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.rows.folds import Fold, Folds, deal, most_folds
from espalier.learners.catalogue import Model

ETA = 3  # one of so many settings goes on to the next rung
MOST_RUNGS = 3
LEAST_ROWS, LEAST_TREES = 200, 10  # on the lowest rung: with fewer, scores say little of all rows


class Rung(NamedTuple):
    """A rung: how many settings stand on it, and how little each is given."""

    n_settings: int
    divisor: int  # each is given one of so many parts of the rows, or of the trees

    @property
    def cost(self) -> float:
        """Work on this rung, in settings that are given everything."""
        return self.n_settings / self.divisor


def rungs(n_settings: int, n_rungs: int) -> tuple[Rung, ...]:
    """Return the rungs that so many settings climb, the lowest first; at least one setting reaches each.

    All rungs cost about the same (Li et al. 2018, Table 1, where a bracket with s = 2 begins with 9 settings).

    >>> rungs(9, 3)
    (Rung(n_settings=9, divisor=9), Rung(n_settings=3, divisor=3), Rung(n_settings=1, divisor=1))
    >>> sum(rung.cost for rung in rungs(27, 3)), sum(rung.cost for rung in rungs(27, 1))
    (9.0, 27.0)
    """
    return tuple(Rung(max(n_settings // ETA**i, 1), ETA ** (n_rungs - 1 - i)) for i in range(n_rungs))


def rungs_for(model: Model, n_rows: int) -> int:
    """Return the number of rungs for a model whose folds train on so many rows: one where there is little to give.

    >>> rungs_for(Model("cart"), 120), rungs_for(Model("cart"), 600), rungs_for(Model("cart"), 1_000_000)
    (1, 2, 3)
    """
    amount, least = (n_rows, LEAST_ROWS) if model.n_trees is None else (model.n_trees, LEAST_TREES)
    return min(max(1 + math.floor(math.log(max(amount / least, 1.0), ETA) + 1e-9), 1), MOST_RUNGS)


def with_fewer_trees(model: Model, divisor: int) -> Model:
    """Return the model with one of so many parts of its trees; one that has no number of trees as it is.

    >>> with_fewer_trees(Model("random"), 9).n_trees
    11
    """
    if model.n_trees is None or divisor == 1:
        return model
    return model.with_settings(trees=max(round(model.n_trees / divisor), 1))


def thinned(dataset: Dataset, fold: Fold, divisor: int, seed: int = 0) -> Fold:
    """Return the fold with one of so many parts of the rows that its model is fitted to, a power of `ETA`.

    The rows of a greater divisor are among those of a smaller one. Classes have their shares, and groups stay
    whole where there are enough of them. All rows of the fold are still scored.

    >>> from espalier.data import samples
    >>> from espalier.data.rows.folds import folds_of
    >>> iris = samples.load("iris")
    >>> fold = folds_of(iris, Folds(5))[0]
    >>> [int(thinned(iris, fold, divisor).fitted_to.sum()) for divisor in (1, 3, 9)]
    [120, 39, 13]
    """
    if divisor == 1:
        return fold
    rows, n_parts = np.flatnonzero(fold.fitted_to), ETA ** (MOST_RUNGS - 1)
    roles = dataset.roles.of(rows)._replace(times=None)  # a part of the past is a part of the past
    if most_folds(len(rows), roles) < n_parts:
        roles = roles._replace(groups=None)
    parts = deal(dataset.strata[rows], Folds(n_parts, seed=seed), roles)
    taken = np.concatenate([part.rows for part in parts[: n_parts // divisor]])
    return fold._replace(fitted_to=_mask(rows[taken], len(fold.fitted_to)))


def folds_within(dataset: Dataset, rows: np.ndarray, plan: Folds) -> list[Fold]:
    """Return folds of some rows (indices, ascending) of the data alone, by their targets and roles.

    They are fewer where there are too few rows, groups or times. Raises ValueError if not even two are possible.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> folds = folds_within(iris, np.arange(0, 150, 2), Folds(3))
    >>> [len(fold.rows) for fold in folds], [int(fold.fitted_to.sum()) for fold in folds]
    ([25, 25, 25], [50, 50, 50])
    """
    roles = dataset.roles.of(rows)
    most = most_folds(len(rows), roles)
    dealt = deal(dataset.strata[rows], plan._replace(n_folds=min(plan.n_folds, most)), roles)
    n = len(dataset.y)
    return [Fold(one.number, rows[one.rows], _mask(rows[one.fitted_to], n)) for one in dealt]


def _mask(rows: np.ndarray, n: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask
