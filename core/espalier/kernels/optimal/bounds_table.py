"""What the search remembers of sets of rows: a table of bounds that stays within the memory it is given.

A set is known by a key of 128 bits, the xor of random names of its rows, so that two sets are taken for one with a
probability of about N² / 2¹²⁹. Several threads may share the table without locks: each key is stored combined with
what is said of it, so that a half-written entry is the entry of no key (Hyatt & Mann 2002).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.simd import want

UNKNOWN = 1 << 42  # value of what has not been found: more than any tree's
LEAF_BEST, PAIR_BEST = -1, -2  # instead of a question: the best is a leaf; or what splits twice at most
BUCKET = 4  # entries that a key may stand in
_DEPTH_BIT, _VALUE_BIT = 16, 20  # an entry says: question + 2, depth, and the value
ENTRY_BYTES = 32


class BoundsTable(NamedTuple):
    """Remembered bounds: entry i of the table has the places 4i to 4i + 3."""

    table: np.ndarray  # int64: key, key, lower bound, the best found (see `_packed`)
    state: np.ndarray  # (3,) int64: mask of the entries in use, how many are taken, the mask's greatest value


@kernel
def recall(memory, first, second):
    """(lower bound, least value found, its question) of the set with this key."""
    table = memory.table
    bucket = first & memory.state[0] & ~np.int64(BUCKET - 1)
    for entry in range(bucket, bucket + BUCKET):
        low, found = table[4 * entry + 2], table[4 * entry + 3]
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ found == second:
            return low, found >> _VALUE_BIT, (found & 0xFFFF) - 2
    return np.int64(0), np.int64(UNKNOWN), np.int64(LEAF_BEST)


@inlined
def expect(memory, first):
    """Fetch what `recall` will read of this key: half a hundred keys are fetched in the time of one or two."""
    entry = first & memory.state[0] & ~np.int64(BUCKET - 1)
    want(memory.table, 4 * entry)
    want(memory.table, 4 * entry + 2 * BUCKET)


@kernel
def remember(memory, key, bounds, depth):
    """Keep (lower bound, least value found, its question) of a set, beside what is known of it already.

    Where all is full it takes the place of a set that was less work.
    """
    first, second = key
    low, value, question = bounds
    table, state = memory.table, memory.state
    found = value << _VALUE_BIT | depth << _DEPTH_BIT | question + 2
    entry = _place(table, first & state[0] & ~np.int64(BUCKET - 1), first, second)
    known, other = table[4 * entry + 2], table[4 * entry + 3]
    if table[4 * entry] == 0 and table[4 * entry + 1] == 0:
        state[1] += 1
    elif table[4 * entry] ^ known == first and table[4 * entry + 1] ^ other == second:
        low = max(low, known)  # another thread may have been here
        found = other if other >> _VALUE_BIT < value else found
    table[4 * entry], table[4 * entry + 1] = first ^ low, second ^ found
    table[4 * entry + 2], table[4 * entry + 3] = low, found
    if 2 * state[1] > state[0] and state[0] < state[2]:
        _double(table, state)


@inlined
def _place(table, bucket, first, second):
    """The key's entry, an empty one, or the one that was the least work; among equals by the key's chance."""
    chosen, least = bucket, np.int64(1 << 62)
    for entry in range(bucket, bucket + BUCKET):
        low, found = table[4 * entry + 2], table[4 * entry + 3]
        empty = table[4 * entry] == 0 and table[4 * entry + 1] == 0
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ found == second:
            return entry
        rank = -1 if empty else (found >> _DEPTH_BIT & 15) * BUCKET + ((second + entry) & (BUCKET - 1))
        if rank < least:
            chosen, least = entry, rank
    return chosen


@kernel
def _double(table, state):
    """Use twice as many entries: each stays, or moves by the old number, as the next bit of its key says."""
    half = state[0] + 1
    if half > state[2]:
        return  # another thread was faster
    for entry in range(half):
        taken = table[4 * entry] != 0 or table[4 * entry + 1] != 0
        if taken and (table[4 * entry] ^ table[4 * entry + 2]) & half:
            for part in range(4):
                table[4 * (entry + half) + part] = table[4 * entry + part]
                table[4 * entry + part] = 0
    state[0] = 2 * half - 1
