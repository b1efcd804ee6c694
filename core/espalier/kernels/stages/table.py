"""A small table with a column of every kind: sorted, levels that are fractions or whole, categories."""

from __future__ import annotations

import numpy as np

from espalier.trees import Tree, make_tree

N = 70
X = np.column_stack([np.arange(N) / 3, np.arange(N) % 3 / 2, np.arange(N) % 2, np.arange(N) % 5])
CATEGORICAL = np.array([False, False, False, True])
LABEL = (np.arange(N) > 40).astype(np.uint16)
SIGNALS = np.zeros(2, np.int64)


def stump() -> Tree:
    """Return a tree of one split, for two classes."""
    zeros, ones, leaves = np.zeros(3), np.ones(3), [-1, -1]
    threshold = [1, np.nan, np.nan]
    return make_tree(
        [0, *leaves], threshold, [1, *leaves], [2, *leaves], zeros, zeros, ones, ones, np.ones((3, 2)), zeros
    )
