"""The cost of the cheapest alignment of two trees of classes, by trying every way."""

import numpy as np

from espalier.learners.forced_splits import branch_of
from espalier.predict import leaves
from espalier.trees import LEAF


def side(tree, node, X):
    """Which samples X a split sends left, asked of the tree that has this split as its root."""
    branch = branch_of(tree, node)
    return leaves(branch, X) < branch.right[0]


def n_splits(tree, node):
    if tree.feature[node] == LEAF:
        return 0
    return 1 + n_splits(tree, tree.left[node]) + n_splits(tree, tree.right[node])


def cost(a, b, X, one=0, two=0):
    """The least cost of aligning the branches at `one` and `two`."""
    if a.feature[one] == LEAF and b.feature[two] == LEAF:
        return 0.5 * float(a.value[one].argmax() != b.value[two].argmax())
    if a.feature[one] == LEAF:
        return n_splits(b, two)
    if b.feature[two] == LEAF:
        return n_splits(a, one)
    tried = []
    for stays, goes in ((a.left, a.right), (a.right, a.left)):
        tried.append(1 + n_splits(a, goes[one]) + cost(a, b, X, stays[one], two))
    for stays, goes in ((b.left, b.right), (b.right, b.left)):
        tried.append(1 + n_splits(b, goes[two]) + cost(a, b, X, one, stays[two]))
    straight = cost(a, b, X, a.left[one], b.left[two]) + cost(a, b, X, a.right[one], b.right[two])
    mirrored = cost(a, b, X, a.left[one], b.right[two]) + cost(a, b, X, a.right[one], b.left[two])
    if a.feature[one] != b.feature[two]:
        return min(*tried, 1 + straight, 1 + mirrored)
    apart = float(np.mean(side(a, one, X) != side(b, two, X)))
    tried.append(apart + straight)
    if np.isnan(a.threshold[one]) and np.isnan(b.threshold[two]):
        tried.append(1 - apart + mirrored)
    return min(tried)
