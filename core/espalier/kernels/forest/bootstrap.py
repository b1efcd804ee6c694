"""Bootstrap samples: drawn from a seed, and written into the lists that a tree grows from.

A sample drawn twice appears twice in every list. The lists of the whole table are sorted once for a forest; those
of one tree are the same rows, each as often as it was drawn. No tree sorts anything, and weights do not
change, so the fast search for samples of unit weight serves bootstrap samples, too.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.best_split import GrowthState
from espalier.kernels.randomness import below
from espalier.trees import LEAF, Surrogates, Tree, read_only

GIVEN = -1  # samples are drawn by whoever calls
AT_ONCE = 3  # copies that are always written: more than three draws of one sample are rare
LINE = 64  # bytes, at a multiple of which an array begins
MOST_BYTES = 1 << 25  # of a piece of memory, unless one array is larger
GROWTH = 8  # times as large as the last one is a piece of memory
_NO_SURROGATES = [read_only(np.empty(0, kind)) for kind in ("i4", "f8", "u8", "u8", "?", "f8")]


class TreeBatch(NamedTuple):
    """Trees to grow in one call of a kernel, so that threads seldom wait for the interpreter."""

    seeds: np.ndarray  # (n_trees,) int64
    n_draws: int  # samples drawn with replacement for each tree; 0: every sample once; GIVEN: as they stand there
    signals: np.ndarray  # (2,) int64, as in `espalier.kernels.cart.grow.grow_tree`


class BatchNodes(NamedTuple):
    """The nodes of a batch's trees, tree after tree, each in preorder: the fields of `Tree` that are given."""

    feature: np.ndarray
    threshold: np.ndarray
    right: np.ndarray
    categories: np.ndarray | None  # None: no split is on categories
    missing_left: np.ndarray
    n_samples: np.ndarray  # of any type of number
    weight: np.ndarray
    value: np.ndarray
    impurity: np.ndarray


class NodeRoom:
    """Memory for the nodes of one thread's trees, in few pieces: of large ones the system gives large pages.

    Each page is touched once, and only as far as trees need it.
    """

    def __init__(self, offset: float = 0.0):
        """`offset` is added to the values of all trees."""
        self.offset = offset
        self._piece = np.empty(0, np.uint8)
        self._last = 0  # bytes of the last piece

    def empty(self, shape: tuple[int, ...], kind: Any) -> np.ndarray:
        """Return an array of this shape and kind that nothing else uses."""
        n_bytes = math.prod(shape) * np.dtype(kind).itemsize
        size = -(-n_bytes // LINE) * LINE
        if size > len(self._piece):
            self._last = max(size, min(GROWTH * self._last, MOST_BYTES))
            self._piece = np.empty(self._last, np.uint8)
        array, self._piece = self._piece[:n_bytes], self._piece[size:]
        return array.view(kind).reshape(shape)

    def copy(self, array: np.ndarray, kind: Any = None) -> np.ndarray:
        """Return a copy that cannot be written."""
        own = self.empty(array.shape, kind or array.dtype)
        own[...] = array
        return read_only(own)

    def raised(self, value: np.ndarray) -> np.ndarray:
        """Return the values of leaves with the offset."""
        if not self.offset:
            return self.copy(value)
        return read_only(np.add(value, self.offset, out=self.empty(value.shape, value.dtype)))


def trees_of_batch(sizes: np.ndarray, nodes: BatchNodes, room: NodeRoom | None = None) -> list[tuple[Tree, bool]]:
    """Return each tree of so many nodes (n_trees,), and whether it is complete: its size is then positive.

    The nodes are copied into the room, those of all trees at once: a tree is a slice of each array.
    """
    room = room or NodeRoom()
    ends = np.cumsum(np.abs(sizes))
    n = int(ends[-1])
    left = room.empty((n,), np.int32)
    _write_left(nodes.feature, ends, left)
    own = BatchNodes(
        room.copy(nodes.feature[:n]), room.copy(nodes.threshold[:n]), room.copy(nodes.right[:n]),
        None if nodes.categories is None else room.copy(nodes.categories[:n]),
        room.copy(nodes.missing_left[:n]), room.copy(nodes.n_samples[:n], np.int64),
        room.copy(nodes.weight[:n]), room.raised(nodes.value[:n]), room.copy(nodes.impurity[:n]),
    )  # fmt: skip
    trees = _slices(own, read_only(left), [0, *ends.tolist()])
    return list(zip(trees, (sizes > 0).tolist(), strict=True))


@kernel
def _write_left(feature, ends, left):
    """Write the left child of every node into left (n,): in preorder it comes next."""
    start = 0
    for end in ends:
        for i in range(start, end):
            left[i] = LEAF if feature[i] == LEAF else np.int32(i - start + 1)
        start = end


def _slices(own: BatchNodes, left: np.ndarray, ends: list[int]) -> list[Tree]:
    """Return the trees that end there. What is 0 in every tree is one array for all."""
    most = max(stop - start for start, stop in pairwise(ends))
    zeros, no_bits = read_only(np.zeros(most + 1, np.int32)), read_only(np.zeros(most, np.uint64))
    trees = []
    for start, stop in pairwise(ends):
        at, bits = slice(start, stop), no_bits[: stop - start]
        surrogates = Surrogates(zeros[: stop - start + 1], bits, *_NO_SURROGATES)
        categories = bits if own.categories is None else own.categories[at]
        trees.append(
            Tree(
                own.feature[at], own.threshold[at], left[at], own.right[at], categories, own.missing_left[at],
                own.n_samples[at], own.weight[at], own.value[at], own.impurity[at], surrogates,
            )
        )  # fmt: skip
    return trees


@kernel
def draw_into(counts, n_draws, state):
    """Draw so many times from the n samples, and add to counts (n,) uint8 how often each was drawn."""
    n = len(counts)
    for _ in range(n_draws):
        counts[below(state, n)] += np.uint8(1)


@kernel
def _fill(lists, whole, counts):
    """Write each entry of whole (n_lists, n) into lists[0], as often as its sample was drawn.

    Three copies are always written. The next entry or the next list overwrites surplus copies; those of the
    last list fall into the second buffer.
    """
    flat = lists.reshape(lists.size)
    at = np.uint32(0)
    for i in range(whole.shape[0]):
        for j in range(whole.shape[1]):
            entry = whole[i, j]
            times = np.uint32(counts[entry >> np.uint32(1)])
            flat[at] = entry
            flat[at + np.uint32(1)] = entry
            flat[at + np.uint32(2)] = entry
            for k in range(np.uint32(AT_ONCE), times):
                flat[at + np.uint32(k)] = entry
            at = np.uint32(at + times)


def draw(seed: int, n: int, n_draws: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each of n samples is drawn in `n_draws` (or n) draws, (n,) uint8, and the random state."""
    state = np.array([seed], np.uint64)
    counts = np.zeros(n, np.uint8)
    draw_into(counts, n if n_draws is None else n_draws, state)
    return counts, state


def lists_for_draws(work: GrowthState, n_draws: int) -> GrowthState:
    """Return `work` with lists for so many draws, at most as many as there are samples; for 0, as it is."""
    n_lists, n = work.lists.shape[1:]
    return work._replace(lists=np.empty((2, n_lists, n_draws), np.uint32)) if 0 < n_draws < n else work


def refill(work: GrowthState, whole: np.ndarray, seed: int, n_draws: int) -> None:
    """Prepare `work` for the tree of this seed; whole (n_lists, n) holds the lists with every sample once.

    So many samples are drawn, for which `lists_for_draws` has made room; with 0 draws each stands there once.
    """
    if n_draws == 0:
        work.scratch.state[0] = seed
        work.lists[0] = whole
        return
    counts, state = draw(seed, whole.shape[1], n_draws)
    work.scratch.state[:] = state
    if work.lists[0].size > AT_ONCE:
        _fill(work.lists, whole, counts)
    else:
        work.lists[0] = [np.repeat(entries, counts[entries >> 1]) for entries in whole]
