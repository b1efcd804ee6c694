"""What trees answer along one feature, all else kept: for each row a function that changes at thresholds alone."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.arrays import first_not_below
from espalier.kernels.explanation.splits import splits_of
from espalier.kernels.route import row_goes_left


@kernel
def _add_tree(tree, columns, on_feature, rank, jumps):
    """Add a tree's answers to jumps (n_samples, n_places + 1, n_outputs); rank (n_splits,) is of thresholds."""
    feature, threshold, left, right = tree.feature, tree.threshold, tree.left, tree.right
    is_plain, value, last, n_outputs = tree.is_plain, tree.value, jumps.shape[1] - 2, jumps.shape[2]
    size = len(rank) + 2
    nodes, firsts, stops = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    for row in range(len(jumps)):
        nodes[0], firsts[0], stops[0], top = 0, 0, last, 1
        while top:
            top -= 1
            here, first, stop = nodes[top], firsts[top], stops[top]
            while here >= 0:
                if on_feature[here]:
                    at = rank[here]
                    if first <= at < stop:  # the right side waits on the stack
                        nodes[top], firsts[top], stops[top] = right[here], at + 1, stop
                        top, stop = top + 1, at
                    here = left[here] if first <= at else right[here]
                    continue
                own = columns[feature[here], row]
                is_left = own <= threshold[here]
                if not is_plain[here] or np.isnan(own):
                    is_left = row_goes_left(tree, here, columns, row)
                here = left[here] if is_left else right[here]
            for k in range(n_outputs):
                jumps[row, first, k] += value[k, -1 - here]
                jumps[row, stop + 1, k] -= value[k, -1 - here]


@kernel
def add_jumps(forest, feature, steps, columns, jumps):
    """Add to jumps (n_samples, n_steps + 2, n_outputs) how each row's answers change from place to place.

    steps (n_steps,) are the thresholds on the feature, ascending: place i is above step i - 1, and at most step i.
    columns is (n_features, n_samples). No split on the feature may be one of categories.
    """
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        on_feature, rank = tree.feature == feature, np.zeros(n, np.int64)
        for i in range(n):
            if on_feature[i]:
                rank[i] = first_not_below(steps, 0, len(steps), tree.threshold[i])
        if n:
            _add_tree(tree, columns, on_feature, rank, jumps)
            continue
        for row in range(len(jumps)):
            for k in range(jumps.shape[2]):
                jumps[row, 0, k] += tree.value[k, 0]
