"""What was found of nodes that were solved, and what follows for a node that holds nearly the same samples.

A tree costs no more on some of a node's samples than on all of them. So on any node no tree has a lower value than
on the samples that it shares with another one, which is at least the value there less what the other samples of
that one are worth; and so for the trees with a certain root. And a tree of the other node costs here at most as
much more as this node's own other samples are worth. Briţa et al. (2025, section 4.1) compare thresholds of one
column in this way; here it is any two nodes of the search. All this holds as leaves may have any weight, and for
trees of the same three splits: no other nodes are noted. Directions limit labels by columns, not by samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.classes import WORTH
from espalier.kernels.optimal.thresholds.nodes import NEVER, rank_behind
from espalier.kernels.simd import count_ones

NODES, POINTS = 512, 64  # nodes that are kept, the newest ones; and bounds of a column
MOST_BYTES = 1 << 26
BITS = 62  # of a word


class SolvedNodes(NamedTuple):
    """The newest nodes that were solved: their samples, as bits; and bounds of their trees.

    A bound of a column holds for roots whose rank is above that of the bound before, and at most its own.
    """

    member: np.ndarray  # (n_nodes, n_words) int64
    least: np.ndarray  # (n_nodes,) int64: no tree has a lower value
    most: np.ndarray  # (n_nodes,) int64: value of a tree
    worth: np.ndarray  # (n_nodes,) int64: of the node's samples
    rank: np.ndarray  # (n_nodes, n_columns, POINTS) int64
    bound: np.ndarray  # the same shape, int64
    n: np.ndarray  # (1,) int64: how many were noted
    mark: np.ndarray  # (n_words,) int64: the samples of the node that is compared
    floor: np.ndarray  # (n_columns, n_samples + 1) int64: no tree with this cut of it for a root has a lower value


class NearNode(NamedTuple):
    """What follows for a node from others: bounds of the least value of its trees."""

    least: int
    most: int


class NearestNodes(NamedTuple):
    """Two noted nodes, -1 for none: the ones that promise the greatest lower and the least upper bound."""

    below: int
    above: int


def make_solved_nodes(n_columns: int, n_samples: int, memory: float = MOST_BYTES) -> SolvedNodes:
    """Allocate room for as many nodes as the memory (bytes) allows, and for two at least."""
    n_words = n_samples // BITS + 1
    n = min(max(int(memory) // (8 * n_words + 16 * POINTS * n_columns), 2), NODES)
    facts = (np.zeros(n, np.int64) for _ in range(3))
    bounds = (np.zeros((n, n_columns, POINTS), np.int64) for _ in range(2))
    floor = np.zeros((n_columns, n_samples + 1), np.int64)
    stamp, mark = np.zeros(1, np.int64), np.zeros(n_words, np.int64)
    return SolvedNodes(np.zeros((n, n_words), np.int64), *facts, *bounds, stamp, mark, floor)


@kernel
def look_around(samples, node, solved):
    """Write lower bounds of the trees with each root into `floor`; return what follows for the best one."""
    mark, size = solved.mark, node.size[0]
    mark[:] = 0
    for i in range(size):
        here = node.order[i]
        mark[here // BITS] |= 1 << (here % BITS)
    worth = node.sums[0, node.n_cuts[0] - 1, WORTH]
    near = _neighbours(solved, samples.unit * worth / size)
    nearest = NearNode(0, NEVER)
    if near.below < 0:
        solved.floor[:] = 0
    else:
        nearest = _compare(samples, node, solved, near.below, nearest, True)
        if near.above != near.below:
            nearest = _compare(samples, node, solved, near.above, nearest, False)
    return nearest


@kernel
def _neighbours(solved, price):
    """Return the neighbours of the marked samples, if one more or less changes a value by this price."""
    highest, lowest, below, above = -np.inf, np.inf, -1, -1
    for slot in range(min(solved.n[0], len(solved.least))):
        n_others, own = 0, 0
        for w in range(len(solved.mark)):
            there, here = solved.member[slot, w], solved.mark[w]
            n_others += count_ones(there & ~here)
            own += count_ones(here & ~there)
        if solved.least[slot] - price * n_others > highest:
            highest, below = solved.least[slot] - price * n_others, slot
        if solved.most[slot] + price * own < lowest:
            lowest, above = solved.most[slot] + price * own, slot
    return NearestNodes(below, above)


@kernel
def _compare(samples, node, solved, slot, found, is_first):
    """Write what follows from one noted node; of what is there already the greater bounds remain."""
    common = 0
    for i in range(node.size[0]):
        here = node.order[i]
        common += samples.worth[here] * (solved.member[slot, here // BITS] >> (here % BITS) & 1)
    loss = samples.unit * (solved.worth[slot] - common)
    for f in range(len(node.n_cuts)):
        rank, bound, floor, j = solved.rank[slot, f], solved.bound[slot, f], solved.floor[f], 0
        for c in range(1, node.n_cuts[f] - 1):
            own = rank_behind(samples, node, f, c)
            while rank[j] < own:
                j += 1
            value = bound[j] - loss
            floor[c] = value if is_first else max(value, floor[c])
    more = samples.unit * (node.sums[0, node.n_cuts[0] - 1, WORTH] - common)
    most, least = solved.most[slot] + more, max(found.least, solved.least[slot] - loss)
    return NearNode(least, min(most, found.most))


@kernel
def note_solved(samples, node, points, most, least, solved):
    """Note the marked node, bounds of its least value, and what the points of its columns tell of others."""
    slot = solved.n[0] % len(solved.least)
    solved.n[0] += 1
    solved.member[slot] = solved.mark
    solved.least[slot], solved.most[slot] = least, most
    solved.worth[slot] = node.sums[0, node.n_cuts[0] - 1, WORTH]
    for f in range(len(node.n_cuts)):
        _note_column(samples, node, points, f, least, solved.rank[slot, f], solved.bound[slot, f])


@kernel
def _note_column(samples, node, points, f, least, rank, bound):
    """Note the bounds of a column, of several neighbouring points the least if there are too many."""
    at, last = f * len(samples.label), points.n[f] - 1
    rank[0], bound[0] = samples.rank[at + node.order[at]], least  # such a root leaves one side empty
    k, lowest, step = 1, NEVER, (last + POINTS - 3) // (POINTS - 2)
    for j in range(1, last + 1):
        lowest = min(lowest, max(points.low[f, j - 1], least))
        if j < last:
            lowest = min(lowest, max(points.left[f, j] + points.right[f, j] + samples.tie, least))
        if j == last or j % step == 0:
            cut = points.cut[f, j] if j < last else node.n_cuts[f] - 2
            rank[k] = rank_behind(samples, node, f, cut)
            bound[k], lowest = lowest, NEVER
            k += 1
    rank[k], bound[k] = NEVER, least
