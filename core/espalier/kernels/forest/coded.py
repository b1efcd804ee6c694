"""The coded forest: a node is a word of eight bytes, and a row has two bytes for each feature that trees ask for.

A value's code is how many of the feature's thresholds are below it; a row goes left of a threshold if its code is
at most the threshold's place. The least code of all, or the greatest, stands for a missing value. Where some
splits on a feature send these to the left and others to the right, a row has two codes of the feature.

This is the way of many rows: they are coded once for all trees, and more of them, and of nodes of half the size,
stay in a cache than in `espalier.kernels.forest.packed`. Through large trees rows descend, eight together; they
pass all splits of small trees, 64 together. The sums are those of one tree after the other, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.forest.packed import EIGHT, PackedForest, block_rows
from espalier.kernels.simd import SHORTS, above, fill, load, same, store

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
    source: np.ndarray  # (n_codes,) int64: used feature of each code that a row has, ascending
    missing: np.ndarray  # (n_codes,) uint16: what stands there for a missing value


class FeatureSplits(NamedTuple):
    """The splits of all trees on one feature."""

    at: np.ndarray  # (n,) int64: where each stands in the packed forest
    threshold: np.ndarray  # (n,) float64
    to_left: np.ndarray  # (n,) bool: where missing values go
    numbers: np.ndarray  # (2,) uint64: of the codes in which these go right and left


@uncounted
def _code_values(values, columns, i, codes):
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
def _add_codes(columns, i, splits, words):
    """Complete the words of the nodes that ask about the used feature i, `splits`."""
    codes = np.empty(len(splits.at), np.uint16)
    _code_values(splits.threshold, columns, i, codes)
    for k in range(len(codes)):
        number = splits.numbers[np.uint8(splits.to_left[k])]
        words[splits.at[k]] |= (number << FEATURE) | np.uint64(codes[k])


@kernel
def _levels(words):
    """Return how many splits are above each node, (n_nodes,) int32."""
    level = np.zeros(len(words), np.int32)
    for at in range(len(words)):
        below = np.int64(words[at] >> NEXT)
        if below != at:
            level[below] = level[below + 1] = level[at] + 1
    return level


def make_coded(packed: PackedForest, missing: bool) -> CodedForest | None:
    """Return the coded forest, for rows with missing values or without; None for categories.

    None, too, where a feature has too many thresholds, or -inf as one.
    """
    feature, is_split = packed.nodes["feature"], packed.leaf < 0
    if packed.has_categories or not is_split.any() or 2 * int(feature.max()) >= MOST:
        return None
    splits = np.flatnonzero(is_split)
    splits = splits[np.argsort(feature[splits].astype(np.uint16), kind="stable")]
    features, starts = np.unique(feature[splits], return_index=True)
    groups = np.split(splits, starts[1:])
    thresholds = [packed.nodes["threshold"][at] for at in groups]
    distinct = [np.unique(own) for own in thresholds]
    if any(len(own) > MOST or own[0] == -np.inf for own in distinct):
        return None
    columns = _column_codes(features.astype(np.int64), distinct)
    words, sources, fills = packed.nodes["next"].astype(np.uint64) << NEXT, list[int](), list[int]()
    words[~is_split] |= CODE
    for i, (at, threshold) in enumerate(zip(groups, thresholds, strict=True)):
        to_left = packed.missing_left[at] & missing
        codes = [TO_RIGHT] * (not to_left.all()) + [TO_LEFT] * bool(to_left.any())
        numbers = np.array([len(sources), len(sources) + len(codes) - 1], np.uint64)
        _add_codes(columns, i, FeatureSplits(at, threshold, to_left, numbers), words)
        sources += [i] * len(codes)
        fills += codes
    depth = np.maximum.reduceat(_levels(words), packed.root).astype(np.int64)
    return CodedForest(words, depth, columns, np.array(sources), np.array(fills, np.uint16))


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
            beyond = np.minimum(np.maximum(finite - low, 0.0), LARGEST)
            home = np.minimum(beyond * scale[i, 1], n_slots[i] - 1.0).astype(np.int64)
        slot[slot_start[i] : slot_start[i + 1]] = np.bincount(home + 1, minlength=n_slots[i])[
            : n_slots[i]
        ].cumsum()
    return ColumnCodes(used, start, threshold, slot_start, slot, scale)


# ---- Rows

TOGETHER = 8192  # rows that are coded feature by feature


class CodedBlock(NamedTuple):
    """Where the codes of some rows are written, and memory to make them."""

    codes: np.ndarray  # uint16, flat
    row: int  # places from a row to the next
    code: int  # places from a code of a row to the next
    flip: int  # bits that are turned over, uint16
    values: np.ndarray  # (TOGETHER,) float64
    own: np.ndarray  # (TOGETHER,) uint16


@uncounted
def _code_rows(coded, X, block):
    """Write the codes of rows X (n, n_features), of which some stay in the cache from feature to feature."""
    values, own = block.values, block.own
    for first in range(0, len(X), TOGETHER):
        n = min(TOGETHER, len(X) - first)
        for number in range(len(coded.source)):
            i, missing = coded.source[number], coded.missing[number]
            if number == 0 or i != coded.source[number - 1]:
                feature = coded.columns.feature[i]
                for row in range(n):
                    values[row] = X[first + row, feature]
                _code_values(values[:n], coded.columns, i, own)
            for row in range(n):
                code = missing if np.isnan(values[row]) else own[row]
                block.codes[(first + row) * block.row + number * block.code] = code ^ block.flip


# ---- Descent

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

    codes: np.ndarray  # ((n + EIGHT + 1) * n_codes,) uint16, row after row
    at: np.ndarray  # (n + EIGHT + 1,) uint32: node of each row
    active: np.ndarray  # (n + 2 * EIGHT,) uint32: rows that have not arrived


@uncounted
def _step(words, codes, base, at):
    word = words[at]
    code = codes[base + ((word >> FEATURE) & CODE)]
    return np.uint32(np.uint32(word >> NEXT) + np.uint32(code > (word & CODE)))


@uncounted
def _steps(words, codes, base, at, n):
    """Return the nodes after n steps of eight rows from the nodes `at`; their codes begin at `base`."""
    a, b, c, d, e, f, g, h = at.a, at.b, at.c, at.d, at.e, at.f, at.g, at.h
    for _ in range(n):
        a, b = _step(words, codes, base.a, a), _step(words, codes, base.b, b)
        c, d = _step(words, codes, base.c, c), _step(words, codes, base.d, d)
        e, f = _step(words, codes, base.e, e), _step(words, codes, base.f, f)
        g, h = _step(words, codes, base.g, g), _step(words, codes, base.h, h)
    return EightRows(a, b, c, d, e, f, g, h)


@uncounted
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


@uncounted
def _descend(words, rows, n, tree):
    """Write into rows.at the leaf of each of the first n rows; tree is a `CodedTree`.

    They go down for a number of steps at first, whether they have arrived or not; those that have not go on in
    further rounds, so that few wait for the longest way.
    """
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


def labels_of(packed: PackedForest) -> np.ndarray:
    """Return the class of each node, (n_nodes,) uint16, if all leaves are each sure of one; else (0,)."""
    is_leaf, label = packed.leaf >= 0, np.zeros(len(packed.leaf), np.uint16)
    is_one, is_none = packed.value == 1, packed.value == 0
    if packed.value.shape[1] == 1 or not (is_one | is_none).all() or not (is_one.sum(axis=1) == 1).all():
        return label[:0]
    label[is_leaf] = packed.value.argmax(axis=1)[packed.leaf[is_leaf]]
    return label


@uncounted
def _add_answers(packed, tree, label, at, out):
    """Add a tree's predictions, times its weight, to out (n, n_outputs), for rows that are in the leaves `at`."""
    weight = packed.weight[tree]
    if len(label):
        for row in range(len(out)):
            out[row, label[at[row]]] += weight
        return
    for row in range(len(out)):
        leaf = packed.leaf[at[row]]
        for k in range(out.shape[1]):
            out[row, k] += weight * packed.value[leaf, k]


@kernel
def sum_coded(coded, packed, label, X, out):
    """Add the predictions of all trees, times their weights, to out (n, n_outputs); label is of `labels_of`.

    X (n, n_features) is as from `espalier.kernels.forest.packed.rows_of`; it has missing values only if the forest
    is coded for them.
    """
    width = len(coded.source)
    size = min(block_rows(2 * width), len(X))
    rows = CodedRows(
        np.zeros((size + EIGHT + 1) * width + 1, np.uint16), np.empty(size + EIGHT + 1, np.uint32),
        np.empty(size + 2 * EIGHT, np.uint32),
    )  # fmt: skip
    block = CodedBlock(rows.codes, width, 1, np.uint16(0), np.empty(TOGETHER), np.empty(TOGETHER, np.uint16))
    for start in range(0, len(X), max(size, 1)):
        stop = min(start + size, len(X))
        _code_rows(coded, X[start:stop], block)
        for tree in range(len(packed.root)):
            coded_tree = CodedTree(np.uint32(packed.root[tree]), coded.depth[tree], np.uint64(width))
            _descend(coded.words, rows, stop - start, coded_tree)
            _add_answers(packed, tree, label, rows.at, out[start:stop])


# ---- Small trees
#
# Rows pass all splits of a tree in preorder (Lucchese et al. 2015, "QuickScorer"). Those that a split sends right
# wait in a stack, those that it sends left come to the next split. The place of a row's leaf is the number of
# leaves on the left of all splits that sent it right. Where each level of a tree asks one question, as in those of
# CatBoost (oblivious trees), that question is asked once a level, and no row waits.

MANY_LEAVES = 160  # of a tree, on average: with more, rows descend one by one in less time
MOST_LEAVES = 32_767  # of a tree
MIDDLE = 32_768  # the bit that is turned over in codes, since vectors have a sign
WAITS, RETURNS = np.uint8(1), np.uint8(2)  # see `SmallTrees.turn`
PASSING = 2 * SHORTS  # rows that pass the splits of a tree together
ROWS = 8 * PASSING  # that pass through all trees before the next ones


class SmallTrees(NamedTuple):
    """The splits of all trees in preorder, tree after tree: tree t has those from ``first[t]`` on."""

    first: np.ndarray  # (n_trees + 1,) int64
    n_levels: np.ndarray  # (n_trees,) int64: of a tree whose levels ask one question each; else -1
    number: np.ndarray  # (n_splits,) int32: which code of a row goes right if it is greater than
    place: np.ndarray  # (n_splits,) int16: this, less MIDDLE
    left: np.ndarray  # (n_splits,) int16: leaves on the left
    turn: np.ndarray  # (n_splits,) uint8: WAITS where a split is on the right, RETURNS where a leaf is on the left


class LeafTable(NamedTuple):
    """The values of a packed forest's leaves, times their trees' weights."""

    value: np.ndarray  # (n_outputs, n_leaves) float64
    is_used: np.ndarray  # (n_trees, n_outputs) bool: whether any leaf of the tree has another value than 0


class PassingRows(NamedTuple):
    """Memory for at most ROWS rows."""

    codes: np.ndarray  # (n_codes * ROWS,) int16, code after code
    leaves: np.ndarray  # (ROWS,) int16: place of each row's leaf among those of a tree
    waiting: np.ndarray  # int16: of PASSING rows each, 1 for a row that waits
    sums: np.ndarray  # (n_outputs, ROWS) float64


def n_leaves_of(packed: PackedForest) -> np.ndarray:
    """Return how many leaves each tree has, (n_trees,) int64."""
    return (np.diff(np.append(packed.root, len(packed.nodes))) + 1) // 2


def has_few_leaves(packed: PackedForest) -> bool:
    """Return whether rows pass all splits of the trees in less time than they descend."""
    n_leaves = n_leaves_of(packed)
    return bool(n_leaves.mean() <= MANY_LEAVES and n_leaves.max() <= MOST_LEAVES)


def leaf_table(packed: PackedForest) -> LeafTable:
    """Return the values of a packed forest's leaves, times their trees' weights."""
    n_leaves = n_leaves_of(packed)
    values = packed.value * np.repeat(packed.weight, n_leaves)[:, None]
    is_used = np.logical_or.reduceat(values != 0, np.cumsum(n_leaves) - n_leaves)
    return LeafTable(np.ascontiguousarray(values.T), is_used)


@kernel
def _write_small(coded, root, level, n_leaves, into):
    """Write the splits of trees with these roots (n_trees + 1,), and fill n_leaves (n_nodes,), all 1."""
    words, begin = coded.words, np.empty(len(coded.words), np.int64)
    for at in range(len(words) - 1, -1, -1):
        below = np.int64(words[at] >> NEXT)
        if below != at:
            n_leaves[at] = n_leaves[below] + n_leaves[below + 1]
    for tree in range(len(root) - 1):
        begin[root[tree]] = first = into.first[tree]
        asks_levels = n_leaves[root[tree]] == 1 << coded.depth[tree]  # then no leaf is above the last level
        for at in range(root[tree], root[tree + 1]):
            below, split = np.int64(words[at] >> NEXT), begin[at]
            if below == at:
                continue
            n_left = n_leaves[below]
            begin[below], begin[below + 1] = split + 1, split + n_left
            into.number[split], into.left[split] = (words[at] >> FEATURE) & CODE, n_left
            into.place[split] = np.int64(words[at] & CODE) - MIDDLE
            into.turn[split] = (WAITS if n_leaves[below + 1] > 1 else 0) | (RETURNS if n_left == 1 else 0)
            if asks_levels:  # the first splits in preorder are one of each level
                other = first + level[at]
                asks_levels = into.number[split] == into.number[other] and into.place[split] == into.place[other]
        into.n_levels[tree] = coded.depth[tree] if asks_levels else -1


def small_trees(packed: PackedForest, coded: CodedForest) -> SmallTrees:
    """Return the splits of a forest whose trees have few leaves."""
    n, root = n_leaves_of(packed) - 1, np.append(packed.root, len(packed.nodes))
    arrays = (np.empty(int(n.sum()), kind) for kind in (np.int32, np.int16, np.int16, np.uint8))
    small = SmallTrees(np.append(0, np.cumsum(n)), np.empty(len(n), np.int64), *arrays)
    _write_small(coded, root, _levels(coded.words), np.ones(len(coded.words), np.int64), small)
    return small


@uncounted
def _take_levels(small, tree, n, rows):
    """Find the leaves of n rows in a tree whose levels ask one question each."""
    codes, first = rows.codes, np.uint32(small.first[tree])
    number, place, left = small.number, small.place, small.left
    last = np.uint32(first + small.n_levels[tree])  # the first splits in preorder are one of each level
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, SHORTS):
        leaf = nothing
        for split in range(first, last):
            is_right = above(load(codes, np.int64(number[split]) * ROWS + row), same(place, split))
            leaf = leaf + is_right * same(left, split)
        store(rows.leaves, row, leaf)


@uncounted
def _take_splits(small, tree, n, rows):
    """Find the leaves of n rows in any tree."""
    codes, waiting = rows.codes, rows.waiting
    number, place, left, turn = small.number, small.place, small.left, small.turn
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, PASSING):
        a = b = fill(nothing, 1)  # 1 for the rows that come to the split
        leaf_a = leaf_b = nothing
        top = PASSING
        for split in range(np.uint32(small.first[tree]), np.uint32(small.first[tree + 1])):
            at = np.int64(number[split]) * ROWS + row
            limit, n_left = same(place, split), same(left, split)
            right_a, right_b = above(load(codes, at), limit) & a, above(load(codes, at + SHORTS), limit) & b
            leaf_a, leaf_b = leaf_a + right_a * n_left, leaf_b + right_b * n_left
            if turn[split] & WAITS:
                store(waiting, top, right_a)
                store(waiting, top + SHORTS, right_b)
                top += PASSING
            if turn[split] & RETURNS:  # none waits any more after the last split, for which there is room below
                top -= PASSING
                a, b = load(waiting, top), load(waiting, top + SHORTS)
            else:
                a, b = a - right_a, b - right_b
        store(rows.leaves, row, leaf_a)
        store(rows.leaves, row + SHORTS, leaf_b)


@uncounted
def _sum_small(small, table, n, rows):
    """Write the sums of the trees' predictions for n rows."""
    leaves, sums = rows.leaves, rows.sums
    sums[:] = 0.0
    for tree in range(len(small.n_levels)):
        if small.n_levels[tree] >= 0:
            _take_levels(small, tree, n, rows)
        else:
            _take_splits(small, tree, n, rows)
        first_leaf = small.first[tree] + tree  # a tree has one leaf more than it has splits
        for k in range(len(sums)):
            if table.is_used[tree, k]:  # to add 0 would change nothing
                value = table.value[k, first_leaf:]
                for row in range(n):
                    sums[k, row] += value[np.uint16(leaves[row])]


@kernel
def sum_small(small, coded, table, X, out):
    """Write what `sum_coded` adds, into out (n, n_outputs); table is a `LeafTable`."""
    codes, waiting = (
        np.zeros(len(coded.source) * ROWS, np.int16),
        np.zeros((coded.depth.max() + 2) * PASSING, np.int16),
    )
    rows = PassingRows(codes, np.empty(ROWS, np.int16), waiting, np.empty((out.shape[1], ROWS)))
    flip, memory = np.uint16(MIDDLE), np.empty(ROWS)
    block = CodedBlock(codes.view(np.uint16), 1, ROWS, flip, memory, np.empty(ROWS, np.uint16))
    for start in range(0, len(X), ROWS):
        n = min(ROWS, len(X) - start)
        _code_rows(coded, X[start : start + n], block)
        _sum_small(small, table, n, rows)
        for row in range(n):
            for k in range(out.shape[1]):
                out[start + row, k] = rows.sums[k, row]
