"""Bootstrap samples: drawn from a seed, and written into the lists that a tree grows from.

A sample drawn twice stands twice in every list. The lists of the whole table are sorted once for a forest; those
of one tree are the same rows, each as often as it was drawn, so that no tree sorts anything and every weight
stays what it was: the fast search for samples of unit weight serves bootstrap samples too.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.best_split import GrowthState
from espalier.kernels.randomness import below

AT_ONCE = 3  # copies written without asking: more than three draws of one sample are rare


@kernel
def draw_into(counts, state):
    """Count, for as many draws as there are samples, how often each is drawn."""
    n = len(counts)
    for _ in range(n):
        counts[below(state, n)] += np.uint8(1)


@kernel
def _fill(lists, whole, counts):
    """Write each entry of whole (n_lists, n) into lists[0], as often as its sample was drawn.

    Three copies are written before asking how many there should be; what is too much the next entry, the next
    list, or in the end the other buffer writes over.
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


def draw(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each of n samples is drawn in n draws, (n,) uint8; and the state of chance after that, (1,)."""
    state = np.array([seed], np.uint64)
    counts = np.zeros(n, np.uint8)
    draw_into(counts, state)
    return counts, state


def refill(work: GrowthState, whole: np.ndarray, seed: int, bootstrap: bool) -> None:
    """Make `work` ready for the tree of this seed; whole (n_lists, n) are the lists with every sample once."""
    if not bootstrap:
        work.room.state[0] = seed
        work.lists[0] = whole
        return
    counts, state = draw(seed, whole.shape[1])
    work.room.state[:] = state
    if whole.size > AT_ONCE:
        _fill(work.lists, whole, counts)
    else:
        work.lists[0] = [np.repeat(entries, counts[entries >> 1]) for entries in whole]
