"""The coded forest: a node is a word of eight bytes, and a row has two bytes for each feature that trees ask for.

A value's code is how many of the feature's thresholds are below it; a row goes left of a threshold if its code is
at most the threshold's place. The least code of all, or the greatest, stands for a missing value. Where some
splits on a feature send these to the left and others to the right, a row has two codes of the feature.

The way of many rows through a coded forest. Rows are coded once for all trees. More of them, and of nodes of half
the size, stay in a cache than in `espalier.kernels.forest.packed`. Eight rows descend together, for a number of
steps at first, whether they have arrived or not; those that have not go on in further rounds, so that few wait for
the longest way. Results are the same, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.packed import EIGHT, PackedForest, block_rows

MOST = 65_534  # different thresholds of a feature, and features; a leaf has a code that no value exceeds
MOST_SLOTS = 65_536  # equal pieces of a feature's range; each stores the code of its beginning
LARGEST = float(np.finfo(np.float64).max)
AHEAD = 4  # thresholds that are looked at together
FAR = 100.0  # times the range of all others: so far away, a lone threshold would leave them a slot or two
TO_LEFT, TO_RIGHT = 0, 65_535  # codes of missing values: at most, and above, the place of any threshold

NEXT, FEATURE, CODE = np.uint64(32), np.uint64(16), np.uint64(65_535)  # of a word, from the highest bits down


class ColumnCodes(NamedTuple):
    """The thresholds of the features that trees ask about, and where to begin the search among them."""

    feature: np.ndarray  # (n_used,) int64
    start: np.ndarray  # (n_used + 1,) int64: where the thresholds of each begin
    threshold: np.ndarray  # float64, of each feature ascending and different, then AHEAD times inf
    slot_start: np.ndarray  # (n_used + 1,) int64
    slot: np.ndarray  # uint16: code at the beginning of each slot
    scale: np.ndarray  # (n_used, 2) float64: where the slots begin, slots per unit


class CodedForest(NamedTuple):
    """The nodes of a `PackedForest`, in the same places."""

    words: np.ndarray  # (n_nodes,) uint64: left child or the leaf itself, number of the code of a row, code
    depth: np.ndarray  # (n_trees,) int64
    columns: ColumnCodes
    of: np.ndarray  # (n_codes,) int64: used feature of each code that a row has, ascending
    missing: np.ndarray  # (n_codes,) uint16: what stands there for a missing value


class LeafVotes(NamedTuple):
    """The votes of a forest whose leaves are each sure of one class and whose trees weigh the same."""

    label: np.ndarray  # (n_nodes,) uint16: class of each leaf; (0,) for other forests
    total: np.ndarray  # (n_trees + 1,) float64: sum of the weights of so many trees


class CodedSplits(NamedTuple):
    """CodedSplits of all trees on one feature, or feature after feature."""

    threshold: np.ndarray  # float64
    node: np.ndarray  # uint32: where it stands in the packed forest


@kernel
def _count_splits(nodes, leaf, counts):
    for at in range(len(nodes)):
        if leaf[at] < 0:
            counts[nodes[at].feature] += 1


@kernel
def _sort_out(packed, free, splits):
    """Write the splits on every feature from its place `free` on."""
    for at in range(len(packed.nodes)):
        if packed.leaf[at] < 0:
            feature = packed.nodes[at].feature
            splits.threshold[free[feature]] = packed.nodes[at].threshold
            splits.node[free[feature]] = at
            free[feature] += 1


@kernel
def _fill_slots(threshold, slot, low, per_unit):
    """Write how many thresholds (n,), all finite, are in slots before each (n_slots + 1,)."""
    number, most = 0, float(len(slot) - 1)
    for code in range(len(threshold)):
        beyond = min(max(threshold[code] - low, 0.0), LARGEST)
        own = np.int64(min(beyond * per_unit, most))
        while number <= own:  # slots up to its own have no more thresholds before them
            slot[number] = code
            number += 1
    for rest in range(number, len(slot)):
        slot[rest] = len(threshold)


@kernel
def code_all(values, columns, i, codes):
    """Write how many thresholds of the used feature i are less than each value (n,); any code for a missing one.

    There is no branch that a processor often guesses wrong, as long as a slot has few thresholds.
    """
    t = columns.threshold[columns.start[i] : columns.start[i + 1]]
    slot = columns.slot[columns.slot_start[i] : columns.slot_start[i + 1]]
    low, per_unit, most = columns.scale[i, 0], columns.scale[i, 1], float(len(slot) - 1)
    one, two, three = np.uint32(1), np.uint32(2), np.uint32(3)
    for row in range(len(values)):
        value = values[row]
        beyond = value - low
        beyond = min(beyond if beyond > 0.0 else 0.0, LARGEST)  # infinite times 0 would be no number
        code = np.uint32(slot[np.uint32(np.int32(min(beyond * per_unit, most)))])
        less = np.uint32(t[code] < value) + np.uint32(t[code + one] < value)
        less += np.uint32(t[code + two] < value) + np.uint32(t[code + three] < value)
        code = np.uint32(code + less)
        if less == AHEAD:
            while t[code] < value:
                code = np.uint32(code + one)
        codes[row] = code


@kernel
def _write_words(packed, words, depth):
    """Write the words of leaves, the left children of other nodes, and the depth of every tree."""
    n_trees, level = len(packed.root), np.zeros(len(packed.nodes), np.int32)
    for tree in range(n_trees):
        last = packed.root[tree + 1] if tree + 1 < n_trees else len(packed.nodes)
        for at in range(packed.root[tree], last):
            below = packed.nodes[at].next
            words[at] = np.uint64(below) << NEXT
            if packed.leaf[at] < 0:
                level[below] = level[below + 1] = level[at] + 1
            else:
                words[at] |= CODE
                depth[tree] = max(depth[tree], level[at])


@kernel
def _add_codes(columns, i, splits, words):
    """Complete the words of the nodes that ask about the used feature i, `splits`."""
    codes = np.empty(len(splits.node), np.uint16)
    code_all(splits.threshold, columns, i, codes)
    for at in range(len(codes)):
        words[splits.node[at]] |= (np.uint64(i) << FEATURE) | np.uint64(codes[at])


@kernel
def _name_codes(missing_left, leaf, number, words):
    """Write which code of a row each split asks; number (n_used, 2) has those of a feature, right and left."""
    for at in range(len(words)):
        if leaf[at] < 0:
            word = words[at]
            code = number[np.uint32((word >> FEATURE) & CODE), np.uint32(missing_left[at])]
            words[at] = (word & ~(CODE << FEATURE)) | (np.uint64(code) << FEATURE)


def make_coded(packed: PackedForest, missing: bool = False) -> CodedForest | None:
    """Return the coded forest; None for categories, and where a feature has too many thresholds.

    With `missing`, for rows with missing values, too.
    """
    if packed.has_categories:
        return None
    counts = np.zeros(int(packed.nodes["feature"].max()) + 1, np.int64)
    _count_splits(packed.nodes, packed.leaf, counts)
    ends = np.cumsum(counts)
    splits = CodedSplits(np.empty(int(ends[-1])), np.empty(int(ends[-1]), np.uint32))
    _sort_out(packed, ends - counts, splits)
    features = np.flatnonzero(counts)
    on = [CodedSplits(*(array[ends[f] - counts[f] : ends[f]] for array in splits)) for f in features.tolist()]
    distinct: list[np.ndarray] = []
    for own in on:
        distinct.append(_distinct(own.threshold))
        if len(distinct[-1]) > MOST or distinct[-1][0] == -np.inf or 2 * len(features) > MOST:
            return None
    columns = _column_codes(features, distinct)
    words, depth = np.empty(len(packed.nodes), np.uint64), np.zeros(len(packed.root), np.int64)
    _write_words(packed, words, depth)
    for i, own in enumerate(on):
        _add_codes(columns, i, own, words)
    if not missing:
        return CodedForest(words, depth, columns, np.arange(len(features)), np.zeros(len(features), np.uint16))
    sides = [packed.missing_left[own.node] for own in on]
    sides_asked = np.array([(not left.all(), left.any()) for left in sides], bool).reshape(-1, 2)
    number = np.where(sides_asked, np.cumsum(sides_asked).reshape(sides_asked.shape) - 1, 0)
    _name_codes(packed.missing_left, packed.leaf, number, words)
    of, side = (np.ascontiguousarray(places) for places in np.nonzero(sides_asked))
    return CodedForest(words, depth, columns, of, np.where(side == 1, TO_LEFT, TO_RIGHT).astype(np.uint16))


def _distinct(thresholds: np.ndarray) -> np.ndarray:
    """Return the different numbers among thresholds (n,), ascending."""
    ascending = np.sort(thresholds)
    return ascending[np.append(True, ascending[1:] != ascending[:-1])]


def _main_range(finite: np.ndarray) -> tuple[float, float]:
    """Return the ends of ascending thresholds (n,), without a first or last one that is far from all others.

    Models of other libraries may have the least number of single precision as a threshold, which parts missing
    values from all others. What is beyond the ends falls into the first slot or the last.
    """
    low, high = (float(finite[0]), float(finite[-1])) if len(finite) else (0.0, 0.0)
    if len(finite) > 3:
        first, last = float(finite[1]), float(finite[-2])
        low = low if first - low <= FAR * (last - first) else first
        high = high if high - last <= FAR * (last - first) else last
    return low, high


def _column_codes(used: np.ndarray, distinct: list[np.ndarray]) -> ColumnCodes:
    n_slots = [min(2 * len(own), MOST_SLOTS) + 1 for own in distinct]
    start, slot_start = np.cumsum([0, *(len(own) + AHEAD for own in distinct)]), np.cumsum([0, *n_slots])
    threshold, slot = np.full(int(start[-1]), np.inf), np.empty(int(slot_start[-1]), np.uint16)
    scale = np.empty((len(used), 2))
    for i, own in enumerate(distinct):
        threshold[start[i] : start[i] + len(own)] = own
        finite = own[np.isfinite(own)]
        low, high = _main_range(finite)
        with np.errstate(over="ignore"):
            per_unit = (n_slots[i] - 1) / (high - low) if high > low else 0.0
        scale[i] = low, per_unit if np.isfinite(per_unit) else 0.0
        _fill_slots(finite, slot[slot_start[i] : slot_start[i + 1]], float(scale[i, 0]), float(scale[i, 1]))
    return ColumnCodes(used, start, threshold, slot_start, slot, scale)


@kernel
def _label_leaves(leaf, value, label):
    """Write the class of each leaf into label (n_nodes,); return whether each is sure of one."""
    for at in range(len(leaf)):
        label[at] = 0
        if leaf[at] >= 0:
            n_sure, rest = 0, 0
            for k in range(value.shape[1]):
                if value[leaf[at], k] == 1:
                    label[at] = k
                    n_sure += 1
                else:
                    rest += value[leaf[at], k] != 0
            if n_sure != 1 or rest:
                return False
    return True


def votes_of(packed: PackedForest) -> LeafVotes:
    """Return the votes of the packed forest, if all are for one class and weigh the same; else none."""
    weight, label = packed.weight, np.empty(len(packed.leaf), np.uint16)
    is_even = packed.value.shape[1] > 1 and len(weight) <= MOST and (weight == weight[0]).all()
    if not is_even or not _label_leaves(packed.leaf, packed.value, label):
        return LeafVotes(label[:0], np.empty(0))
    return LeafVotes(label, np.cumsum(np.append(0.0, weight)))


# ---- Descent

TOGETHER = 8192  # rows that are coded feature by feature
FIRST, LATER = 20, 6  # steps of a round


class EightRows(NamedTuple):
    """A number of each of eight rows that descend together."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int


class CodedTree(NamedTuple):
    """What is needed of a tree to begin with it."""

    root: int
    depth: int
    width: int  # codes of a row


class CodedRows(NamedTuple):
    """Rows that descend together; the last is none of them, but makes groups of eight complete."""

    codes: np.ndarray  # ((n + EIGHT + 1) * n_used,) uint16, row after row
    at: np.ndarray  # (n + EIGHT + 1,) uint32: node of each row
    active: np.ndarray  # (n + 2 * EIGHT,) uint32: rows that have not arrived


@kernel
def code_rows(coded, X, codes):
    """Write the codes of rows X (n, n_features) into codes, flat.

    Some rows at a time, which stay in the cache while one feature after the other is read.
    """
    columns, width = coded.columns, len(coded.of)
    values, own = np.empty(TOGETHER), np.empty(TOGETHER, np.uint16)
    for first in range(0, len(X), TOGETHER):
        n = min(TOGETHER, len(X) - first)
        for number in range(width):
            i, missing = coded.of[number], coded.missing[number]
            if number == 0 or i != coded.of[number - 1]:
                feature = columns.feature[i]
                for row in range(n):
                    values[row] = X[first + row, feature]
                code_all(values[:n], columns, i, own)
            for row in range(n):
                codes[(first + row) * width + number] = missing if np.isnan(values[row]) else own[row]


@kernel
def _step(words, codes, base, at):
    word = words[at]
    code = codes[base + ((word >> FEATURE) & CODE)]
    return np.uint32(np.uint32(word >> NEXT) + np.uint32(code > (word & CODE)))


@kernel
def _steps(words, codes, base, at, n):
    """Return the nodes after n steps of eight rows from the nodes `at`; their codes begin at `base`."""
    a, b, c, d, e, f, g, h = at.a, at.b, at.c, at.d, at.e, at.f, at.g, at.h
    for _ in range(n):
        a, b = _step(words, codes, base.a, a), _step(words, codes, base.b, b)
        c, d = _step(words, codes, base.c, c), _step(words, codes, base.d, d)
        e, f = _step(words, codes, base.e, e), _step(words, codes, base.f, f)
        g, h = _step(words, codes, base.g, g), _step(words, codes, base.h, h)
    return EightRows(a, b, c, d, e, f, g, h)


@kernel
def _round(words, rows, width, n, steps):
    """Move the first n active rows, a multiple of eight, by steps and one; return how many have not arrived."""
    active, at, codes = rows.active, rows.at, rows.codes
    still = 0
    for first in range(0, n, EIGHT):
        eight = active[first : first + EIGHT]
        r = EightRows(eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7])
        base = EightRows(
            np.uint64(r.a) * width, np.uint64(r.b) * width, np.uint64(r.c) * width, np.uint64(r.d) * width,
            np.uint64(r.e) * width, np.uint64(r.f) * width, np.uint64(r.g) * width, np.uint64(r.h) * width,
        )  # fmt: skip
        here = EightRows(at[r.a], at[r.b], at[r.c], at[r.d], at[r.e], at[r.f], at[r.g], at[r.h])
        before = _steps(words, codes, base, here, steps)
        after = _steps(words, codes, base, before, 1)
        for lane in range(EIGHT):
            at[r[lane]] = after[lane]
            active[still] = r[lane]
            still += after[lane] != before[lane]
    return still


@kernel
def _descend(words, rows, n, tree):
    """Write into rows.at the leaf of each of the first n rows; tree is a `CodedTree`."""
    for row in range(len(rows.at)):
        rows.at[row] = tree.root
    spare = np.uint32(len(rows.at) - 1)
    for row in range(n):
        rows.active[row] = row
    steps = min(tree.depth, FIRST)
    while n > 0:
        while n % EIGHT:
            rows.active[n] = spare
            n += 1
        n = _round(words, rows, tree.width, n, steps)
        steps = LATER


@kernel
def _add_votes(label, at, counts):
    for row in range(len(counts)):
        counts[row, label[at[row]]] += np.uint16(1)


@kernel
def _add_values(packed, tree, at, out):
    weight = packed.weight[tree]
    for row in range(len(out)):
        leaf = packed.leaf[at[row]]
        for k in range(out.shape[1]):
            out[row, k] += weight * packed.value[leaf, k]


@kernel
def sum_coded(coded, packed, votes, X, out):
    """Write the predictions of all trees, times their weights, into out (n, n_outputs), which is all 0.

    X (n, n_features) is as from `espalier.kernels.forest.packed.rows_of`; it has missing values only if the forest
    is coded for them.
    """
    width = len(coded.of)
    size = min(block_rows(2 * width), len(X))
    rows = CodedRows(
        np.zeros((size + EIGHT + 1) * width + 1, np.uint16), np.empty(size + EIGHT + 1, np.uint32),
        np.empty(size + 2 * EIGHT, np.uint32),
    )  # fmt: skip
    counts_votes = len(votes.label) > 0
    counts = np.empty((size if counts_votes else 0, out.shape[1]), np.uint16)
    for start in range(0, len(X), max(size, 1)):
        stop = min(start + size, len(X))
        code_rows(coded, X[start:stop], rows.codes)
        counts[:] = 0
        for tree in range(len(packed.root)):
            coded_tree = CodedTree(np.uint32(packed.root[tree]), coded.depth[tree], np.uint64(width))
            _descend(coded.words, rows, stop - start, coded_tree)
            if counts_votes:
                _add_votes(votes.label, rows.at, counts[: stop - start])
            else:
                _add_values(packed, tree, rows.at, out[start:stop])
        for row in range(stop - start if counts_votes else 0):
            for k in range(out.shape[1]):
                out[start + row, k] = votes.total[counts[row, k]]
