"""A forest that answers fast: values as ranks among its thresholds, a node in one word, eight rows at a time.

A value goes left of a threshold if its rank is at most the threshold's; ranks are found once for all trees. A node
is a word of its left child, whose sibling follows it, its feature, and the rank of its threshold; a leaf is a node
that leads to itself, so that eight rows go down side by side until none moves any more, and no step of one waits
for that of another. For known values and forests without categories; others go through `core.kernels.grove`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from core.kernels import kernel
from core.trees import LEAF, Forest, is_category_split, is_leaf

BLOCK = 256  # rows that go through a tree before the next tree is read
SLOTS = 2048  # pieces of a feature's range, each of which knows the rank at which it begins
LEFT, FEATURE = np.uint64(32), np.uint64(16)  # where the parts of a word begin
RANK_BITS = np.uint64(0xFFFF)
MOST = 0xFFFF  # thresholds of a feature, and features
ALWAYS = 0xFFFF  # a rank that all values are left of


class Ranked(NamedTuple):
    """The nodes of all trees, and what ranks are found with."""

    nodes: np.ndarray  # (n_nodes,) uint64
    root: np.ndarray  # (n_trees,) int64
    label: np.ndarray  # (n_nodes, n_outputs) float64: what a leaf says, times how much its tree counts
    feature: np.ndarray  # (n_used,) int64: columns that the forest asks for
    start: np.ndarray  # (n_used + 1,) int64
    threshold: np.ndarray  # (n_thresholds,) float64, ascending for each of them, from `start` on
    slots: np.ndarray  # (n_used, SLOTS + 1) int32: rank of the first value of a slot
    scale: np.ndarray  # (n_used, 2) float64: least threshold, slots for a unit


def make_ranked(forest: Forest, values: list[np.ndarray]) -> Ranked | None:
    """The forest, whose trees' nodes say values (n_nodes, n_outputs) each; None where it cannot be ranked."""
    trees: Any = forest.trees
    if any(is_category_split(tree).any() or (tree.threshold == np.inf).any() for tree in trees):
        return None
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])
    used = np.unique(feature[feature != LEAF])
    thresholds = [np.unique(threshold[feature == f]) for f in used]
    if max((len(t) for t in thresholds), default=0) >= MOST or len(used) > MOST or len(feature) >= 2**31:
        return None
    first = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    words = [_words(tree, int(at), used, thresholds) for tree, at in zip(trees, first[:-1], strict=True)]
    label = np.empty((len(feature), values[0].shape[1]))
    for (_, place), value, weight in zip(words, values, forest.weight, strict=True):
        label[place] = value * weight
    start = np.append(0, np.cumsum([len(t) for t in thresholds])).astype(np.int64)
    pool = np.concatenate([np.empty(0), *thresholds])
    slots, scale = slots_of(thresholds)
    nodes = np.concatenate([word for word, _ in words])
    return Ranked(nodes, first[:-1].astype(np.int64), label, used.astype(np.int64), start, pool, slots, scale)


def _words(tree: Any, first: int, used: np.ndarray, thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The words of a tree, siblings side by side from position `first` on, and the place of each of its nodes."""
    inner = np.flatnonzero(~is_leaf(tree))
    place = np.full(tree.n_nodes, first)
    place[tree.left[inner]] = first + 1 + 2 * np.arange(len(inner))
    place[tree.right[inner]] = place[tree.left[inner]] + 1
    left, rank = place.copy(), np.full(tree.n_nodes, ALWAYS)
    left[inner] = place[tree.left[inner]]
    number = np.zeros(tree.n_nodes, np.int64)
    number[inner] = np.searchsorted(used, tree.feature[inner])
    for node in inner:
        rank[node] = np.searchsorted(thresholds[number[node]], tree.threshold[node])
    word = (left.astype(np.uint64) << LEFT) | (number.astype(np.uint64) << FEATURE) | rank.astype(np.uint64)
    words = np.empty(tree.n_nodes, np.uint64)
    words[place - first] = word
    return words, place


def slots_of(thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """For lists of thresholds, ascending: where the slots of each begin (n_lists, SLOTS + 1), and their scale."""
    slots, scale = np.zeros((len(thresholds), SLOTS + 1), np.int32), np.zeros((len(thresholds), 2))
    for i, of_feature in enumerate(thresholds):
        finite = of_feature[np.isfinite(of_feature)]
        if not len(finite):
            scale[i] = np.inf, 0.0  # no value is above the least
            continue
        low, span = finite[0], finite[-1] - finite[0]
        per_unit = SLOTS / span if span > 0 and np.isfinite(SLOTS / span) else 0.0
        scale[i] = low, per_unit
        slot_of = np.minimum((finite - low) * per_unit, SLOTS).astype(np.int64)  # as `rank_rows` has it
        slots[i] = np.searchsorted(slot_of, np.arange(SLOTS + 1))
    return slots, scale


@kernel
def rank_of(value, threshold, slots, low, per_unit):
    """How many of the thresholds, ascending, are less than a known value.

    slots (SLOTS + 1,) and the two of a row of `scale`, as `slots_of` makes them, say where to begin to look.
    """
    if not value > low:
        return 0
    rank = slots[int(min((value - low) * per_unit, float(SLOTS)))]
    while rank < len(threshold) and threshold[rank] < value:
        rank += 1
    return rank


@kernel
def rank_rows(ranked, rows, ranks):
    """Write the ranks of rows (n, n_features), none of them missing, into ranks (n, n_used) uint16."""
    for i in range(len(ranked.feature)):
        threshold = ranked.threshold[ranked.start[i] : ranked.start[i + 1]]
        slots, feature = ranked.slots[i], ranked.feature[i]
        low, per_unit = ranked.scale[i]
        for row in range(len(rows)):
            ranks[row, i] = rank_of(rows[row, feature], threshold, slots, low, per_unit)


@kernel
def _step(nodes, ranks, row, at):
    """The node that a row goes to from the node `at`."""
    word = nodes[at]
    rank = ranks[row, (word >> FEATURE) & RANK_BITS]
    return np.int64(word >> LEFT) + np.int64(rank > (word & RANK_BITS))


@kernel
def _descend(ranked, ranks, root, leaves):
    """Write the leaf of each row of ranks, whose number is a multiple of 8, into leaves (n,)."""
    nodes = ranked.nodes
    for r in range(0, len(ranks), 8):
        a = b = c = d = e = f = g = h = root
        while True:
            a2, b2 = _step(nodes, ranks, r, a), _step(nodes, ranks, r + 1, b)
            c2, d2 = _step(nodes, ranks, r + 2, c), _step(nodes, ranks, r + 3, d)
            e2, f2 = _step(nodes, ranks, r + 4, e), _step(nodes, ranks, r + 5, f)
            g2, h2 = _step(nodes, ranks, r + 6, g), _step(nodes, ranks, r + 7, h)
            moved = (a ^ a2) | (b ^ b2) | (c ^ c2) | (d ^ d2) | (e ^ e2) | (f ^ f2) | (g ^ g2) | (h ^ h2)
            a, b, c, d, e, f, g, h = a2, b2, c2, d2, e2, f2, g2, h2
            if moved == 0:
                break
        leaves[r], leaves[r + 1], leaves[r + 2], leaves[r + 3] = a, b, c, d
        leaves[r + 4], leaves[r + 5], leaves[r + 6], leaves[r + 7] = e, f, g, h


@kernel
def sum_ranked(ranked, rows, out):
    """Add to out (n, n_outputs) what all trees say of rows (n, n_features) without missing values."""
    ranks = np.zeros((BLOCK, max(len(ranked.feature), 1)), np.uint16)
    leaves = np.empty(BLOCK, np.int64)
    for first in range(0, len(rows), BLOCK):
        n = min(BLOCK, len(rows) - first)
        rank_rows(ranked, rows[first : first + n], ranks)
        for tree in range(len(ranked.root)):
            _descend(ranked, ranks[: (n + 7) // 8 * 8], ranked.root[tree], leaves)
            for row in range(n):
                for k in range(out.shape[1]):
                    out[first + row, k] += ranked.label[leaves[row], k]
