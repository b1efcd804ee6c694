"""Promises of each leaf of a tree: which classes, or which interval, hold the truth of new rows that end in it.

The limit of a leaf is chosen on rows of that leaf alone which the tree has not seen. So the promise holds within
every leaf, not only over all of them (Mondrian conformal prediction with leaves as categories; Vovk, Gammerman &
Shafer 2005, section 4.5; Johansson, Sönströd, Linusson & Boström 2014, of regression trees): among new rows in a
leaf at least a share `level` has the truth in its set, if they are like the rows that chose it. A leaf with too
few of those promises nothing: its set has all classes, its interval all numbers. Where rows come in groups, the
groups of its rows are counted, and the promise is of rows of new groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.new_rows import conformal


class LeafPromises(NamedTuple):
    """The promise of each leaf, in the order of its nodes."""

    level: float
    node: np.ndarray  # (n_leaves,) int64
    n: np.ndarray  # (n_leaves,) int64 rows that chose the limit
    limits: np.ndarray  # (n_leaves,) of the scores of `conformal`; inf: too few rows
    sets: np.ndarray  # (n_leaves, n_classes) bool; (n_leaves, 0) where the target is a number
    ends: np.ndarray  # (n_leaves, 2) of intervals; (0, 2) where it is a class
    in_groups: bool = False  # whether groups were counted

    @property
    def is_promised(self) -> np.ndarray:
        """Whether each leaf has enough rows, or groups of them, (n_leaves,) bool."""
        return np.isfinite(self.limits)


class LeafAnswers(NamedTuple):
    """The leaves of a tree, and the rows that are to choose their limits."""

    node: np.ndarray  # (n_leaves,) int64: its leaves
    value: np.ndarray  # (n_leaves, n_outputs): class shares, or the mean, in each
    row_leaf: np.ndarray  # (n,) int64: node of the leaf of each row that the tree has not seen
    y: np.ndarray  # (n,) of these rows: class codes, int64, or numbers
    weight: np.ndarray | None = None  # (n,); None: all count the same
    unit: np.ndarray | None = None  # (n,) int64 group of each row; None: they come in none


def promised_leaves(leaves: LeafAnswers, level: float) -> LeafPromises:
    """Return what each leaf promises for a share `level` of the new rows that end in it.

    Raises ValueError for a level outside 0 to 1.

    >>> y = np.repeat([0, 1], [18, 2])
    >>> one = LeafAnswers(np.array([0]), np.array([[0.9, 0.1]]), np.zeros(20, int), y)
    >>> promised_leaves(one, 0.8).sets, promised_leaves(one, 0.95).sets
    (array([[ True, False]]), array([[ True,  True]]))
    >>> promised_leaves(one, 0.99).is_promised
    array([False])
    """
    is_classes = np.issubdtype(leaves.y.dtype, np.integer)
    place = np.searchsorted(leaves.node, leaves.row_leaf)
    said = leaves.value.argmax(axis=1)
    if is_classes:
        score = conformal.class_scores(leaves.value[place], said[place], leaves.y)
    else:
        score = conformal.error_scores(leaves.value[place, 0], leaves.y)
    limits = conformal.limits(score, place, len(leaves.node), level, leaves.weight, leaves.unit)
    n, in_groups = np.bincount(place, minlength=len(leaves.node)), leaves.unit is not None
    if is_classes:
        sets = conformal.class_sets(leaves.value, said, limits[:, None])
        return LeafPromises(level, leaves.node, n, limits, sets, np.empty((0, 2)), in_groups)
    ends = conformal.intervals(leaves.value[:, 0], limits)
    return LeafPromises(level, leaves.node, n, limits, np.empty((len(ends), 0), bool), ends, in_groups)
