"""The memory of a search for trees of any depth: a level for each depth but the last one, which stumps fill."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.depth_two import PairScratch, make_pair_scratch
from espalier.kernels.optimal.thresholds.points import NEVER, Points, make_points
from espalier.kernels.optimal.thresholds.samples import SortedNode, SortedSamples
from espalier.kernels.optimal.thresholds.solved_nodes import MOST_BYTES

VALUE, BOUND, OPEN = range(3)  # places in `found`
# Places in `work`
COLUMN, GAP, CUT, RANK, SIDE, OF_LEFT, OWN_LEFT, KNOWN_RIGHT, IS_NEW, KNOWN, LIMIT, REACH, HINT, SPLITS = range(14)
PROBES, BEST, BEST_CUT = range(14, 17)
AT, SOLVED, WRITTEN, MOST = range(4)  # places in `state`
FEW = 2  # splits of a tree that has a depth of at most two, however deep it may be
DONE = -1  # level of a search that is over
LAST_TREES = 64  # best trees that are kept, the newest of them


class StackLevel(NamedTuple):
    """Memory of a search at one depth: what is known of the roots, and the samples on both sides of one.

    `found` holds the value of the best tree; the least value that a tree may have; and how many cuts may still
    hold a better root. `work` holds the root that is being solved: its column, among those of all ways, and its
    gap, cut and rank; which side is, 0 or 1; the bound of the left side for more samples and its own, and the
    bound of the right one; whether the node is new, with the bound of its value; the limit from which on its value
    does not matter; how far the root is from the ends of its gap; the place of the node's hint, -1 for none;
    the most splits; and of the best root the probes beside it that are left, its column, as above, and its cut.
    """

    points: Points
    left: SortedNode
    right: SortedNode
    found: np.ndarray  # (3,) int64
    work: np.ndarray  # (17,) int64
    tree: np.ndarray  # (3, n_splits) int32: the best one: columns, ranks, and which sides may be stumps
    of_left: np.ndarray  # the same for the left side of the root that is being solved


class Finds(NamedTuple):
    """The newest of the best trees that were found, each in the place of its number modulo LAST_TREES."""

    value: np.ndarray  # (LAST_TREES,) int64
    tree: np.ndarray  # (LAST_TREES, 3, n_splits) int32


class SearchStack(NamedTuple):
    """A search for the best tree of some samples; the levels are of the greatest depth, one less, ..., 2."""

    samples: SortedSamples
    root: SortedNode
    levels: StackLevel  # whose arrays have a first axis for the levels
    scratch: PairScratch
    state: (
        np.ndarray
    )  # (4,) int64: level where it goes on; nodes solved at the last level, finds written; nodes at most
    finds: Finds
    hint: np.ndarray  # (3, n_splits) int32: a tree whose roots are tried first
    stop: np.ndarray  # (1,) int64: not 0 to stop


class SearchSize(NamedTuple):
    """The most that a tree may have."""

    depth: int
    splits: int


def make_search(
    samples: SortedSamples, root: SortedNode, size: SearchSize, stop: np.ndarray, memory: float = MOST_BYTES
) -> SearchStack:
    """Allocate a search for trees of this size, with a depth and splits of at least 2.

    It remembers nodes in so many bytes of memory.
    """
    n_levels, n_columns, n = size.depth - 1, len(root.n_cuts), len(samples.label)
    n_splits, weighs, n_kept = 2**n_levels - 1, samples.least > 0, n if n_levels > 1 else 0
    shape = n_levels, _most_ways(size) * n_columns, n_kept + 1
    points = make_points(shape, weighs, has_ends=False)  # only depth two has ends
    sides = (_make_nodes(n_levels, n_columns, n_kept, weighs) for _ in range(2))
    kept = (np.zeros((n_levels, 3, n_splits), np.int32) for _ in range(2))
    levels = StackLevel(
        points, *sides, np.zeros((n_levels, 3), np.int64), np.zeros((n_levels, 17), np.int64), *kept
    )
    levels.work[0, IS_NEW], levels.work[0, LIMIT], levels.work[0, SPLITS] = 1, NEVER, size.splits
    levels.found[0, VALUE] = NEVER
    finds = Finds(np.zeros(LAST_TREES, np.int64), np.zeros((LAST_TREES, 3, n_splits), np.int32))
    scratch = make_pair_scratch(samples, n_columns, stop, memory if n_levels > 1 else 0)
    hint, state = np.full((3, n_splits), -1, np.int32), np.array([0, 0, 0, NEVER])
    return SearchStack(samples, root, levels, scratch, state, finds, hint, stop)


def _most_ways(size: SearchSize) -> int:
    """Return in how many ways a root may share out splits between its sides, at most."""
    if size.splits == 2**size.depth - 1:
        return 1  # all sides may have all their splits
    few = [range(min(2 ** (below + 1), size.splits + 1)) for below in range(1, size.depth)]
    return max(ways_of(below, splits).n for below, some in enumerate(few, 1) for splits in some)


def _make_nodes(n_levels: int, n_columns: int, n: int, weighs: bool) -> SortedNode:
    shape, size = (n_levels, n_columns, n + 1), np.zeros((n_levels, 1), np.int64)
    order, n_cuts = np.zeros((n_levels, n_columns * n), np.int32), np.zeros((n_levels, n_columns), np.int64)
    weight = np.zeros(shape if weighs else (n_levels, n_columns, 0), np.int64)
    return SortedNode(order, size, np.zeros(shape, np.int32), n_cuts, np.zeros(shape, np.int64), weight)


class Ways(NamedTuple):
    """The ways to share out splits between the sides of a root: the least on the left side, and how many ways."""

    least: int
    n: int


@kernel
def ways_of(below, splits):
    """Return the ways to share out so many splits, less that of the root, on sides of a depth `below`."""
    most = 2**below - 1
    least = max(splits - 1 - most, 0)
    return Ways(least, max(min(splits - 1, most) - least + 1, 1))


@kernel
def splits_of_side(search, k, side):
    """Return the most splits of a side of the root that is being solved at level k."""
    work, below = search.levels.work[k], len(search.levels.found) - k
    left = ways_of(below, work[SPLITS]).least + work[COLUMN] // len(search.root.n_cuts)
    return work[SPLITS] - 1 - left if side else left


@kernel
def level_of(search, k):
    """Return level k."""
    all_, points = search.levels, search.levels.points
    of_points = Points(
        points.cut[k], points.left[k], points.right[k], points.own_left[k], points.own_right[k],
        points.low[k], points.first[k], points.last[k], points.n[k],
    )  # fmt: skip
    sides = _node_at(all_.left, k), _node_at(all_.right, k)
    return StackLevel(of_points, *sides, all_.found[k], all_.work[k], all_.tree[k], all_.of_left[k])


@kernel
def _node_at(nodes, k):
    return SortedNode(
        nodes.order[k], nodes.size[k], nodes.cut[k], nodes.n_cuts[k], nodes.worth[k], nodes.weight[k]
    )


@kernel
def node_of(search, k):
    """Return the node that is being solved at level k."""
    if k == 0:
        return search.root
    return _node_at(search.levels.right if search.levels.work[k - 1, SIDE] else search.levels.left, k - 1)
