"""Mean answers of trees over rows, wherever two features are: a function that changes at thresholds alone."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.arrays import first_not_below
from espalier.kernels.explanation.splits import splits_of
from espalier.kernels.route import row_goes_left


@kernel
def _count_rows(tree, columns, is_on_axis, count, waiting):
    """Add to count (n_leaves,) the rows that reach each leaf if every split on an axis sends them both ways."""
    feature, threshold, left, right, is_plain = tree.feature, tree.threshold, tree.left, tree.right, tree.is_plain
    for row in range(columns.shape[1]):
        waiting[0], top = 0, 1
        while top:
            top -= 1
            here = waiting[top]
            while here >= 0:
                if is_on_axis[here]:
                    waiting[top] = right[here]
                    top += 1
                    here = left[here]
                    continue
                own = columns[feature[here], row]
                is_left = own <= threshold[here]
                if not is_plain[here] or np.isnan(own):
                    is_left = row_goes_left(tree, here, columns, row)
                here = left[here] if is_left else right[here]
            count[-1 - here] += 1.0


@kernel
def _add_leaf(tree, leaf, box, share, changes):
    """Add a leaf's answer, times the share of the rows, to the places of its box: at the box's corners."""
    for k in range(changes.shape[2]):
        part = share * tree.value[k, leaf]
        changes[box[0], box[2], k] += part
        changes[box[1], box[2], k] -= part
        changes[box[0], box[3], k] -= part
        changes[box[1], box[3], k] += part


@kernel
def _add_tree(tree, axes, steps, count, n_rows, changes):
    """Add the answers of a tree's leaves, of which so many rows reach each."""
    n = len(tree.feature)
    waiting, boxes = np.empty(n + 2, np.int64), np.empty((n + 2, 4), np.int64)
    waiting[0], top = 0 if n else -1, 1
    boxes[0] = np.array([0, changes.shape[0] - 1, 0, changes.shape[1] - 1])
    while top:
        top -= 1
        here, box = waiting[top], boxes[top].copy()
        if here < 0:
            if count[-1 - here] > 0 and box[0] < box[1] and box[2] < box[3]:
                _add_leaf(tree, -1 - here, box, count[-1 - here] / n_rows, changes)
            continue
        waiting[top], waiting[top + 1] = tree.left[here], tree.right[here]
        boxes[top], boxes[top + 1] = box, box
        for axis in range(2):
            if tree.feature[here] == axes[axis]:
                cut = first_not_below(steps[axis], 0, len(steps[axis]), tree.threshold[here]) + 1
                boxes[top, 2 * axis + 1] = min(boxes[top, 2 * axis + 1], cut)
                boxes[top + 1, 2 * axis] = max(boxes[top + 1, 2 * axis], cut)
        top += 2


@kernel
def add_pair(forest, axes, steps, columns, changes):
    """Add to changes (n_places, n_places, n_outputs) how the trees' mean answer changes from place to place.

    axes (2,) are two features and steps the thresholds on each, ascending: place i is above step i - 1, and at
    most step i. Sums along both axes make answers of the changes; the last place of each axis is outside.
    columns is (n_features, n_samples). No split on an axis may be one of categories.
    """
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        count, waiting = np.zeros(n + 1), np.empty(n + 2, np.int64)
        is_on_axis = (tree.feature == axes[0]) | (tree.feature == axes[1])
        if n:
            _count_rows(tree, columns, is_on_axis, count, waiting)
        else:
            count[0] = columns.shape[1]
        _add_tree(tree, axes, steps, count, columns.shape[1], changes)
