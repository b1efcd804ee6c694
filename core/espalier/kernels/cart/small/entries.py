"""The entries of tables of classes: the samples in order of each feature, one word for each.

A word holds a sample, the rank of its value, and its class, from the lowest bits up, so that a sweep along a
feature looks nothing up.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.impurity import clear

BITS = np.uint64(24)  # of a sample, and of a rank
CLASS = np.uint64(48)  # place of the class
LOW = np.uint64((1 << 24) - 1)

FEW = 256  # samples that need fewer buckets
FEW_BUCKETS, MANY_BUCKETS = 128, 1024  # equal parts of a feature's range, by which it is sorted at first
IN_BUCKET = 4  # samples, on average, in a table that needs more buckets
MOVES = 8  # of a sample, before runs are merged instead of moving one after the other


@kernel
def _into_buckets(column, order, buckets):
    """Write the rows into order (n,) by the bucket of their values; return whether all values are finite."""
    low, high = column[0], column[0]
    for x in column:
        low, high = min(low, x), max(high, x)
        if x - x != 0:
            return False
    scale = (len(buckets) - 2) / (high - low) if high > low else 0.0
    scale = scale if scale < np.inf else 0.0
    clear(buckets)
    for x in column:
        buckets[np.int64((x - low) * scale) + 1] += 1
    for i in range(1, len(buckets)):
        buckets[i] += buckets[i - 1]
    for row in range(len(column)):
        bucket = np.int64((column[row] - low) * scale)
        order[buckets[bucket]] = row
        buckets[bucket] += 1
    return True


@kernel
def _merge(column, order, spare, middle):
    """Merge the rows before `middle` with those from there on, both in ascending order; stably."""
    for i in range(middle):
        spare[i] = order[i]
    left, right, at = 0, middle, 0
    while left < middle and right < len(order):
        from_left = column[spare[left]] <= column[order[right]]
        order[at] = spare[left] if from_left else order[right]
        left += from_left
        right += not from_left
        at += 1
    for i in range(left, middle):
        order[at + i - left] = spare[i]


@kernel
def _merge_all(column, order, spare):
    """Sort the rows in order (n,) by ascending value, stably; parts that are in order already cost little."""
    n, width = len(order), 1
    while width < n:
        for start in range(0, n - width, 2 * width):
            if column[order[start + width]] < column[order[start + width - 1]]:
                _merge(column, order[start : min(start + 2 * width, n)], spare, width)
        width *= 2


@kernel
def _sort(column, order, spare, buckets):
    """Write the rows into order (n,) by ascending value, stably; return whether all values are finite."""
    if not _into_buckets(column, order, buckets):
        return False
    effort = MOVES * len(order)
    for i in range(1, len(order)):  # within a bucket values may not be in order yet
        row, at = order[i], i
        x = column[row]
        while at > 0 and column[order[at - 1]] > x:
            order[at] = order[at - 1]
            at -= 1
        order[at] = row
        effort -= i - at
        if effort < 0:  # far outliers, which leave most values in one bucket
            _merge_all(column, order, spare)
            break
    return True


@kernel
def make_entries(values, label, lists):
    """Write the entries of every feature in order of its values into lists (n_features, n).

    Returns whether all values are finite; otherwise some are not written.
    """
    n = values.shape[1]
    order, spare = np.empty(n, np.uint32), np.empty(n, np.uint32)
    buckets = np.empty(FEW_BUCKETS if n < FEW else max(MANY_BUCKETS, n // IN_BUCKET), np.uint32)
    for feature in range(len(values)):
        column = values[feature]
        if not _sort(column, order, spare, buckets):
            return False
        rank, last = np.uint64(0), column[order[0]]
        for i in range(n):
            row = order[i]
            rank += np.uint64(column[row] != last)
            last = column[row]
            lists[feature, i] = np.uint64(row) | (rank << BITS) | (np.uint64(label[row]) << CLASS)
    return True
