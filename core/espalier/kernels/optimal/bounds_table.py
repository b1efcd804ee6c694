"""The bounds table: a hash table of bounds on sets of rows, within a fixed amount of memory (MurTree's *cache*).

A set is identified by a key of 128 bits, the xor of random names of its rows, so that two sets are taken for one
with a probability of about N² / 2¹²⁹. Several threads may share the table without locks: each key is stored
combined (xor) with its data, so that a half-written entry matches no key (Hyatt & Mann 2002).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.vectors.simd import want

UNKNOWN = 1 << 42  # value while no tree has been found: greater than any tree's
LEAF_BEST, PAIR_BEST = -1, -2  # in place of a question: the best is a leaf, or a tree of depth two at most
BUCKET = 4  # entries in which a key may be stored
_DEPTH_BIT, _VALUE_BIT = 16, 20  # bits of an entry's last number: question + 2, depth, and the value
ENTRY_BYTES = 32


class BoundsTable(NamedTuple):
    """SetBounds by key: entry i of the table has the places 4i to 4i + 3."""

    table: np.ndarray  # int64: key, key, lower bound; value, depth and question in one number
    state: np.ndarray  # (3,) int64: mask of the entries in use, how many are taken, the greatest mask


class SetKey(NamedTuple):
    """The names of a set of rows, combined with the salt of the search in it."""

    first: int
    second: int


class SetBounds(NamedTuple):
    """What is known of the best tree of a set."""

    low: int  # lower bound of its value
    value: int  # least value found
    question: int  # at the top of the tree with that value; LEAF_BEST or PAIR_BEST


@kernel
def recall(memory, first, second):
    """Return the `SetBounds` of a key: 0, UNKNOWN and LEAF_BEST if it is absent."""
    table = memory.table
    bucket = first & memory.state[0] & ~np.int64(BUCKET - 1)
    for entry in range(bucket, bucket + BUCKET):
        low, best = table[4 * entry + 2], table[4 * entry + 3]
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ best == second:
            return SetBounds(low, best >> _VALUE_BIT, (best & 0xFFFF) - 2)
    return SetBounds(np.int64(0), np.int64(UNKNOWN), np.int64(LEAF_BEST))


@inlined
def expect(memory, first):
    """Prefetch what `recall` will read for this key: fifty keys are fetched in the time of one or two."""
    entry = first & memory.state[0] & ~np.int64(BUCKET - 1)
    want(memory.table, 4 * entry)
    want(memory.table, 4 * entry + 2 * BUCKET)


@kernel
def remember(memory, key, bounds, depth):
    """Store the `SetBounds` of a `SetKey`, joined with the bounds it already has.

    If the bucket is full, the entry of the shallowest search is evicted, as the cheapest to find again.
    """
    first, second = key.first, key.second
    low, value, question = bounds.low, bounds.value, bounds.question
    table, state = memory.table, memory.state
    best = value << _VALUE_BIT | depth << _DEPTH_BIT | question + 2
    entry = _place(table, first & state[0] & ~np.int64(BUCKET - 1), first, second)
    known, other = table[4 * entry + 2], table[4 * entry + 3]
    if table[4 * entry] == 0 and table[4 * entry + 1] == 0:
        state[1] += 1
    elif table[4 * entry] ^ known == first and table[4 * entry + 1] ^ other == second:
        low = max(low, known)  # another thread may have been here
        best = other if other >> _VALUE_BIT < value else best
    table[4 * entry], table[4 * entry + 1] = first ^ low, second ^ best
    table[4 * entry + 2], table[4 * entry + 3] = low, best
    if 2 * state[1] > state[0] and state[0] < state[2]:
        _double(table, state)


@inlined
def _place(table, bucket, first, second):
    """Return the key's entry, an empty one, or that of the shallowest search; bits of the key break ties."""
    chosen, least = bucket, np.int64(1 << 62)
    for entry in range(bucket, bucket + BUCKET):
        low, best = table[4 * entry + 2], table[4 * entry + 3]
        empty = table[4 * entry] == 0 and table[4 * entry + 1] == 0
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ best == second:
            return entry
        rank = -1 if empty else (best >> _DEPTH_BIT & 15) * BUCKET + ((second + entry) & (BUCKET - 1))
        if rank < least:
            chosen, least = entry, rank
    return chosen


@kernel
def _double(table, state):
    """Double the entries in use: each stays or moves up by their old number, as the next bit of its key says."""
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
