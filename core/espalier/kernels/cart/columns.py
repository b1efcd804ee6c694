"""The table prepared for growing: each feature is sorted once, or coded as a few levels.

A feature with at most 64 different values (and every categorical one) becomes *levels*: a small code per
sample, so that a node needs one count per level and no order at all. Any other feature becomes a list of all
rows in order of its values, missing ones last; nodes are slices of these lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.simd import BYTES, REALS
from espalier.kernels.task import clear, first_not_below

MAX_LEVELS = 64  # also the number of bits of a category mask
MISSING = MAX_LEVELS  # the level of a missing value

WHOLE_RANGE = 4096  # whole numbers that span less than this find their level by a table
BYTE_RANGE = 256  # and less than this, by one byte
FIRST_ROWS = 256  # from whose least number, and `SLACK` below it, such a range is counted
SLACK = 64
CHUNK = 1024  # rows that are checked together

DIGIT_BITS = np.uint64(11)  # of a digit of a radix sort, which has two
LOW_DIGIT = np.uint64(2047)
MOST_KEY = 4194303.0
ROW_BITS = np.uint64(32)  # of a word, below its key

SORTED, LEVELS, CATEGORIES = range(3)
NO_DIRECTIONS = np.empty(0, np.int64)


class SortedColumns(NamedTuple):
    """The features, prepared before growing starts."""

    values: np.ndarray  # (n_features, n_samples) float64
    kind: np.ndarray  # (n_features,) int64: SORTED, LEVELS or CATEGORIES
    slot: np.ndarray  # (n_features,) int64: row in `order`, or in `codes` and `levels`
    has_missing: np.ndarray  # (n_features,) bool: whether values may be missing
    distinct: np.ndarray  # (n_features,) bool: no two known values are equal
    order: np.ndarray  # (1 + n_sorted, n_samples) uint32: rows in the table's order, then by each sorted feature
    codes: np.ndarray  # (n_samples, n_with_levels) uint8: level of each sample, 64 where missing
    levels: np.ndarray  # (n_with_levels, 64) float64: value of each level, ascending, inf past the last
    level_start: np.ndarray  # (n_with_levels + 1,) int64: where each feature's levels begin in a list of all
    most_levels: int  # of a feature that has levels, is no category and misses no value; 0 if there is none
    direction: np.ndarray  # (n_features,) int64: 1 if predictions may only rise with it, -1 fall, 0 either


class CodedColumns(NamedTuple):
    """Columns of few values, as they are coded one after the other."""

    codes: np.ndarray  # (n_features, n_samples) uint8: a byte for each value
    places: np.ndarray  # (n_features, 256) uint8: the level that a byte stands for
    levels: np.ndarray  # (n_features, 64) float64: as in `SortedColumns`


@kernel
def find_levels(column, levels):
    """Write the different values of a column, ascending, into levels (64,).

    Returns how many there are, or 65 as soon as there are more than 64; missing values do not count.
    """
    n = 0
    last = np.nan
    for x in column:
        if x == last or np.isnan(x):  # runs are common in tables
            continue
        last = x
        at = first_not_below(levels, 0, n, x)
        if at < n and levels[at] == x:
            continue
        if n == MAX_LEVELS:
            return MAX_LEVELS + 1
        for i in range(n, at, -1):
            levels[i] = levels[i - 1]
        levels[at] = x
        n += 1
    return n


@kernel
def code_whole(column, levels, codes, table):
    """Do `find_levels` and `code_levels` in one go, for whole numbers within a range of ``len(table)``.

    Returns the number of levels, 65 for more than 64, or -1 if the column does not qualify; a column of fractions
    is recognised at its first rows.
    """
    low = np.inf
    for x in column:
        if x < low:
            low = x
        if not np.isnan(x) and not (x - low < len(table) and x == np.floor(x)):
            return -1
    clear(table)
    for row in range(len(column)):
        offset = column[row] - low
        if offset >= len(table):
            return -1
        if not np.isnan(offset):
            table[int(offset)] = 1
    n = 0
    for offset in range(len(table)):
        if table[offset]:
            if n == MAX_LEVELS:
                return MAX_LEVELS + 1
            levels[n] = low + offset
            table[offset] = n
            n += 1
    for row in range(len(column)):
        offset = column[row] - low
        codes[row] = MISSING if np.isnan(offset) else table[int(offset)]
    return n


@inlined
def _bytes_of_chunk(column, base, codes):
    """Write how far numbers are above the base into codes; return whether all are whole and fit a byte.

    Without a branch, so that many are done at once.
    """
    is_wrong = False
    for row in range(len(column)):
        above = column[row] - base
        byte = np.uint8(above if (above >= 0.0) & (above < BYTE_RANGE) else 0.0)
        codes[row] = byte
        is_wrong |= above != np.float64(byte)
    return not is_wrong


@kernel
def code_near(column, levels, codes, places):
    """Do as `code_whole`, for whole numbers of a small range, none of them missing, in one pass over the column.

    Codes are bytes, and places (256,) uint8 say which level each stands for. Levels and places are written only if
    the column qualifies. That is recognised at its first rows, or in the worst case at its last.
    """
    base, is_used = np.inf, np.zeros(BYTE_RANGE, np.uint8)
    for x in column[:FIRST_ROWS]:
        base = min(base, x)
    base = np.floor(base) - SLACK
    for start in range(0, len(column), CHUNK):
        part = codes[start : start + CHUNK]
        if not _bytes_of_chunk(column[start : start + CHUNK], base, part):
            return -1
        for byte in part:
            is_used[byte] = 1
    if is_used.sum() > MAX_LEVELS:
        return MAX_LEVELS + 1
    n = 0
    for byte in range(BYTE_RANGE):
        places[byte] = n
        if is_used[byte]:
            levels[n] = base + byte
            n += 1
    return n


@kernel
def code_levels(column, levels, n_levels, codes):
    """Write each sample's level into codes (n_samples,) uint8."""
    for row in range(len(column)):
        x = column[row]
        codes[row] = MISSING if np.isnan(x) else first_not_below(levels, 0, n_levels, x)


@kernel
def code_categories(column, codes):
    """Write category codes into codes (n_samples,) uint8; anything but a category from 0 to 63 is missing."""
    for row in range(len(column)):
        x = column[row]
        codes[row] = np.uint8(x) if 0 <= x < MAX_LEVELS else MISSING


@kernel
def _least_and_greatest(column):
    """Return the least and the greatest known value; eight at once, each place for itself."""
    low, high = np.full(REALS, np.inf), np.full(REALS, -np.inf)
    stop = len(column) - len(column) % REALS
    for start in range(0, stop, REALS):
        for i in range(REALS):
            x = column[start + i]
            low[i] = x if x < low[i] else low[i]
            high[i] = x if x > high[i] else high[i]
    least, greatest = low.min(), high.max()
    for x in column[stop:]:
        least = x if x < least else least
        greatest = x if x > greatest else greatest
    return least, greatest


@inlined
def _key(x, low, scale):
    return np.uint64((x - low) * scale)


@kernel
def _count_digits(column, low, scale, counts):
    """Count both digits of 11 bits of the known values' keys into counts (2, 2048)."""
    clear(counts[0])
    clear(counts[1])
    for x in column:
        if not np.isnan(x):
            key = _key(x, low, scale)
            counts[0, key & LOW_DIGIT] += 1
            counts[1, key >> DIGIT_BITS] += 1


@kernel
def _starts_of(counts):
    """Make of the counts of digits the places where each digit begins."""
    start = 0
    for digit in range(len(counts)):
        count = counts[digit]
        counts[digit] = start
        start += count


@kernel
def _sort_low_digit(column, low, scale, starts, words):
    """Write (key, row) of the known values, a word each, by the key's low digit; return how many there are."""
    n_known = 0
    for row in range(len(column)):
        x = column[row]
        if not np.isnan(x):
            key = _key(x, low, scale)
            digit = key & LOW_DIGIT
            words[starts[digit]] = (key << ROW_BITS) | np.uint64(row)
            starts[digit] += 1
            n_known += 1
    return n_known


@kernel
def _sort_high_digit(source, starts, target):
    for word in source:
        digit = word >> (ROW_BITS + DIGIT_BITS)
        target[starts[digit]] = word
        starts[digit] += 1


@kernel
def _write_sorted(column, words, order):
    """Write the rows of sorted words into order: by value where keys are equal, and equal values in row order.

    Insertion sort: the keys leave only short runs, so that few values are read. Returns the number of neighbours
    with equal values, or -1 if it gives up because rows would have to move too far.
    """
    effort = 8 * len(order) + 1000
    equal, last = 0, ~np.uint64(0)
    for i in range(len(order)):
        key, row = words[i] >> ROW_BITS, np.uint32(words[i] & np.uint64(0xFFFFFFFF))
        order[i] = row
        if key == last:
            x, j = column[row], i
            while j > 0 and column[order[j - 1]] > x:
                order[j] = order[j - 1]
                j -= 1
            order[j] = row
            equal += j > 0 and column[order[j - 1]] == x
            effort -= i - j
            if effort < 0:
                return -1
        last = key
    return equal


@kernel
def sort_rows(column, order, words, spare, counts):
    """Write the rows into order (n_samples,) by ascending value, missing last.

    Returns (number of known values, number of equal neighbours).

    Values are mapped linearly to 22 bits, sorted by radix in two passes (stable), and finished exactly by
    insertion. If far outliers make the map squeeze too many values together for that, or if the range is too wide
    or too narrow for a map, the second number is -1.
    """
    low, high = _least_and_greatest(column)
    scale = MOST_KEY / (high - low) if high > low else 0.0
    if not (high - low < np.inf and scale < np.inf):
        return len(column) - np.isnan(column).sum(), -1
    _count_digits(column, low, scale, counts)
    _starts_of(counts[0])
    _starts_of(counts[1])
    n_known = _sort_low_digit(column, low, scale, counts[0], spare)
    missing = n_known
    if n_known < len(column):
        for row in range(len(column)):
            if np.isnan(column[row]):
                order[missing] = row
                missing += 1
    _sort_high_digit(spare[:n_known], counts[1], words)
    return n_known, _write_sorted(column, words[:n_known], order[:n_known])


def make_columns(
    values: np.ndarray, categorical: np.ndarray, directions: np.ndarray = NO_DIRECTIONS
) -> SortedColumns:
    """Prepare the columns of values (n_features, n_samples); categorical (n_features,) bool marks categories.

    The directions (n_features,) int64 are empty if no column has any.
    """
    p, n = values.shape
    kind, slot = np.full(p, SORTED, dtype=np.int64), np.zeros(p, dtype=np.int64)
    coding = _code_all(values, categorical, kind, slot)
    is_sorted = kind == SORTED
    slot[is_sorted] = np.arange(1, is_sorted.sum() + 1)
    order = np.empty((1 + is_sorted.sum(), n), np.uint32)
    order[0] = np.arange(n)
    has_missing, distinct = np.zeros(p, dtype=bool), np.zeros(p, dtype=bool)
    greatest = coding.codes.max(axis=1, initial=0)
    has_missing[~is_sorted] = coding.places[np.arange(len(greatest)), greatest] == MISSING
    has_missing[is_sorted], distinct[is_sorted] = _sort_all(values, np.flatnonzero(is_sorted), order[1:])
    codes, levels = _beside_each_other(coding), coding.levels
    n_levels = np.where(kind[~is_sorted] == CATEGORIES, MAX_LEVELS, np.isfinite(levels).sum(axis=1))
    level_start = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)
    is_counted = (kind == LEVELS) & ~has_missing
    most = int(n_levels[slot[is_counted]].max(initial=0))
    direction = np.zeros(p, np.int64)
    if len(directions):
        direction = directions
        has_missing |= direction != 0  # by which mark the plain search leaves a column out
    return SortedColumns(
        values, kind, slot, has_missing, distinct, order, codes, levels, level_start, most, direction
    )


def _code_all(values, categorical, kind, slot) -> CodedColumns:
    """Return the columns that have few values or are categorical; write their kinds, and their slots there."""
    p, n = values.shape
    alike = np.tile(np.arange(BYTE_RANGE, dtype=np.uint8), (p, 1))
    room = CodedColumns(np.empty((p, n), np.uint8), alike, np.full((p, MAX_LEVELS), np.inf))
    table, at = np.zeros(WHOLE_RANGE, np.int64), 0
    for f in range(p):
        slot[f] = at
        kind[f] = _code(values[f], categorical[f], CodedColumns(*(array[at] for array in room)), table)
        if kind[f] != SORTED:
            at += 1
        else:
            room.levels[at] = np.inf
    return CodedColumns(*(array[:at] for array in room))


@kernel
def _write_beside(codes, places, together):
    """Write the level of every column of a row beside each other; together (n_samples * n_columns + 64,) uint8."""
    p, n = codes.shape
    for start in range(0, n, CHUNK // 4):
        stop = min(start + CHUNK // 4, n)
        for f in range(p):
            for row in range(start, stop):
                together[row * p + f] = places[f, codes[f, row]]


def _beside_each_other(coded: CodedColumns) -> np.ndarray:
    """Return the levels of all columns, (n_samples, n_columns) uint8; 64 more bytes may be read."""
    p, n = coded.codes.shape
    memory = np.zeros(n * p + BYTES, np.uint8)
    _write_beside(coded.codes, coded.places, memory)
    return memory[: n * p].reshape(n, p)


def _code(column, is_category, coded: CodedColumns, table) -> int:
    """Write the column's codes and levels, if it has few values or is categorical; return its kind."""
    codes, places, levels = coded
    if is_category:
        code_categories(column, codes)
        return CATEGORIES
    n_levels = code_near(column, levels, codes, places)
    if n_levels < 0:
        n_levels = code_whole(column, levels, codes, table)
    if n_levels < 0:
        n_levels = find_levels(column, levels)
        if n_levels <= MAX_LEVELS:
            code_levels(column, levels, n_levels, codes)
    return LEVELS if n_levels <= MAX_LEVELS else SORTED


def _sort_all(values, features, order) -> tuple[np.ndarray, np.ndarray]:
    """Write the sorted rows of each feature into order (len(features), n_samples).

    Returns, for each feature, whether values are missing and whether all known ones differ.
    """
    n = values.shape[1]
    size = n if len(features) else 0
    keys, spare, counts = np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty((2, 2048), np.int64)
    has_missing, distinct = np.zeros(len(features), dtype=bool), np.zeros(len(features), dtype=bool)
    for i, feature in enumerate(features):
        column, rows = values[feature], order[i]
        n_known, equal = sort_rows(column, rows, keys, spare, counts)
        if equal < 0:  # far outliers: sort by comparison
            rows[:] = np.argsort(column, kind="stable")
            equal = np.count_nonzero(np.diff(column[rows[:n_known]]) == 0)
        has_missing[i], distinct[i] = n_known < n, equal == 0
    return has_missing, distinct
