"""Drift: are new rows like the old ones, or does something tell them apart?

A forest learns to tell new rows from old ones by their columns, and is asked about each row by the trees that have
not drawn it. If rows are alike it does no better than guessing. How often it would do as well by luck follows from
forests that learn the same task with old and new shuffled: under the hypothesis that all rows come from one
distribution, every shuffle is as likely, so that the test is exact for any number of rows and columns (Hediger,
Michel & Näf 2022, "On the use of random forest for two-sample testing"; Lopez-Paz & Oquab 2017; p values as in
Phipson & Smyth 2010). The target is not looked at: its relation to the columns may change while the columns do
not. Where rows come in groups that are old or new as a whole, groups are shuffled: the rows of a group are like
each other, and would be told from the rest in any case.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.comparison.scores import one_score
from espalier.data.dataset import Dataset
from espalier.learners.forests.random import RandomForestClassifier
from espalier.progress import Progress

N_SHUFFLES = 99  # forests with old and new shuffled: the smallest p value is 1 in 100
N_TREES, LEAF = 50, 5  # of each forest, and rows in a leaf at least
MOST_ROWS = 1_000  # old ones, and new ones, at most; of more as many drawn at random
FEWEST = 10  # old rows, and new ones, below which nothing is tested
ALPHA = 0.05


class Drift(NamedTuple):
    """Result of the test."""

    auc: float  # how often a new row looks newer than an old one; 0.5: they are alike
    p_value: float
    shuffled: np.ndarray  # (n_shuffles,) the same with old and new shuffled
    use: np.ndarray  # (n_features,) how much the forest uses each column to tell them apart; sums to 1
    n_old: int
    n_new: int

    @property
    def is_found(self) -> bool:
        """Whether rows differ beyond chance, at the 5 % level."""
        return self.p_value <= ALPHA


def drift(
    dataset: Dataset,
    new: np.ndarray,
    n_shuffles: int = N_SHUFFLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Drift:
    """Return whether the rows `new` (n_samples,) bool differ from the others in their columns.

    `progress` counts a step for each shuffle; once it is stopped those that are done make the p value.
    Raises ValueError for fewer than `FEWEST` rows on a side.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> found = drift(iris, iris.X[:, 0] > 6, n_shuffles=19)
    >>> found.is_found, iris.features[found.use.argmax()].name
    (True, 'sepal length')
    """
    rng = np.random.default_rng(seed)
    old_rows, new_rows = _drawn(~new, rng), _drawn(new, rng)
    if min(len(old_rows), len(new_rows)) < FEWEST:
        raise ValueError(f"{len(old_rows)} old and {len(new_rows)} new rows are too few; give {FEWEST} of each")
    rows = np.concatenate((old_rows, new_rows))
    is_new = (np.arange(len(rows)) >= len(old_rows)).astype(np.int64)
    X, categorical = dataset.X[rows], dataset.categorical
    groups = dataset.roles.groups
    unit = np.arange(len(rows)) if groups is None else groups.codes[rows]
    auc, use = _told_apart(X, is_new, categorical, seed)
    progress, shuffled = progress or Progress(), []
    while len(shuffled) < n_shuffles and not progress.is_stopped:
        one = _shuffled(is_new, unit, rng)
        shuffled.append(_told_apart(X, one, categorical, seed + 1 + len(shuffled))[0])
        progress.advance()
    p_value = (1 + np.count_nonzero(np.array(shuffled) >= auc)) / (1 + len(shuffled))
    return Drift(auc, float(p_value), np.array(shuffled), use, len(old_rows), len(new_rows))


def _drawn(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the indices of the rows of a mask, or of `MOST_ROWS` of them."""
    there = np.flatnonzero(rows)
    return there if len(there) <= MOST_ROWS else np.sort(rng.choice(there, MOST_ROWS, replace=False))


def _shuffled(is_new: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return what is new (n,) int64 among whole units (n,), or among rows where a unit is old and new."""
    _, first, place = np.unique(unit, return_index=True, return_inverse=True)
    of_unit = is_new[first]
    return rng.permutation(of_unit)[place] if np.array_equal(of_unit[place], is_new) else rng.permutation(is_new)


def _told_apart(X: np.ndarray, is_new: np.ndarray, categorical: np.ndarray, seed: int) -> tuple[float, np.ndarray]:
    """Return the AUC out of bag of a forest that tells new from old, and its use of columns, (n_features,)."""
    forest = RandomForestClassifier(
        n_estimators=N_TREES, min_samples_leaf=LEAF, oob_score=True, random_state=seed,
        categorical_features=categorical,
    ).fit(X, is_new)  # fmt: skip
    shares = forest.oob_decision_function_
    known = np.isfinite(shares).all(axis=1)
    answers, truth = shares[known], is_new[known]
    return one_score("auc", truth, answers, answers.argmax(axis=1)), forest.feature_importances_
