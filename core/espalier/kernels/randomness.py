"""Random numbers inside kernels: SplitMix64 (Steele, Lea & Flood 2014), its state in an array of one word."""

from __future__ import annotations

import numpy as np

from espalier.kernels import uncounted


@uncounted
def next_word(state):
    """Return the next random uint64 and advance the state (1,)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@uncounted
def child_seed(seed, left):
    """Return the seed of a node's child: draws at a node then do not depend on the order of growing."""
    word = (seed ^ np.uint64(left)) * np.uint64(0xBF58476D1CE4E5B9)
    return (word ^ (word >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)


@uncounted
def uniform(state):
    """Return a random float64 from [0, 1)."""
    return (next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@uncounted
def below(state, n):
    """Return a random whole number from 0 to n - 1."""
    return int(uniform(state) * n)


@uncounted
def shuffle(order, state):
    """Shuffle order (n,) in place."""
    for i in range(len(order) - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]
