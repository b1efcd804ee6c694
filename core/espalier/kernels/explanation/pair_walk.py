"""The walk of a row down a tree beside a background row: both ways wherever they part, until a leaf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel


class PairWalk(NamedTuple):
    """Room for the walk of a row beside a background row."""

    node: np.ndarray  # (n_splits + 2,) int64: waiting
    depth: np.ndarray  # (n_splits + 2,) int64: how many features were settled there
    feature: np.ndarray  # (n_splits + 2,) int64: settled last
    way: np.ndarray  # (n_splits + 2,) int64: settled features, in order
    whose: np.ndarray  # (n_features,) int64: 1 the row answers it, 2 the background row, 0 both alike so far


@kernel
def _add_leaf(weight, value, walk, a, b, found):
    """Add what the settled features owe to a leaf: a are settled by the row, and b by the background row."""
    for place in range(a + b):
        feature = walk.way[place]
        part = weight[a - 1, b] if walk.whose[feature] == 1 else -weight[a, b - 1]
        for k in range(len(found)):
            found[k, feature] += value[k] * part


@kernel
def _walk(weight, tree, own, other, walk, found):
    """Add to found (n_outputs, n_features) the Shapley values of a row beside a background row."""
    walk.node[0], walk.depth[0], walk.feature[0], walk.whose[:] = 0, 0, -1, 0
    top, depth, a = 1, 0, 0
    while top:
        top -= 1
        while depth > walk.depth[top]:
            depth -= 1
            a -= walk.whose[walk.way[depth]] == 1
            walk.whose[walk.way[depth]] = 0
        if walk.feature[top] >= 0:
            walk.way[depth], walk.whose[walk.feature[top]] = walk.feature[top], 2
            depth += 1
        here = walk.node[top]
        while here >= 0:
            feature = tree.feature[here]
            is_left = other[here] if walk.whose[feature] == 2 else own[here]
            if walk.whose[feature] == 0 and own[here] != other[here]:
                walk.node[top] = tree.left[here] if other[here] else tree.right[here]
                walk.depth[top], walk.feature[top], top = depth, feature, top + 1
                walk.way[depth], walk.whose[feature] = feature, 1
                depth, a = depth + 1, a + 1
            here = tree.left[here] if is_left else tree.right[here]
        _add_leaf(weight, tree.value[:, -1 - here], walk, a, depth - a, found)


@kernel
def explain_pairs(weight, tree, sides, other_sides, found):
    """Add to found (n_outputs, n_features, n) the Shapley values of a tree, each row beside each background row.

    Sides are (n_splits, n), 1 on the left; weight are `beside.order_weights`.
    """
    n, n_others = len(sides) + 2, other_sides.shape[1]
    room = np.empty((4, n), np.int64)
    walk = PairWalk(room[0], room[1], room[2], room[3], np.zeros(found.shape[1], np.int64))
    others = np.ascontiguousarray(other_sides.T)
    for row in range(sides.shape[1]):
        own = np.ascontiguousarray(sides[:, row])
        for number in range(n_others):
            _walk(weight, tree, own, others[number], walk, found[:, :, row])
