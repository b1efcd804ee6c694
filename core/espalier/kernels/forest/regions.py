"""Predictions of a forest for many rows: sorted by region, 64 at once pass the splits of a region's trees.

They pass all splits of a tree in preorder. Those that a split sends right wait in a stack, those that it sends
left come to the next split. The place of a row's leaf is the number of leaves on the left of all splits that sent
it right. Where each level of a tree asks one question, as in those of CatBoost (oblivious trees), that question is
asked once a level, and no row waits. Results are those of one tree after the other, to the last bit.

A partition of the feature space into regions in which every tree of a forest is small. Inside a region a tree
needs only the splits that divide the region. A region is cut in two, at the feature that its trees use most, until
none of them has many leaves: then rows pass all splits of a tree in less time than they descend one by one
(Lucchese et al. 2015, "QuickScorer"; `espalier.kernels.forest.regions` says how). A forest whose trees are small
everywhere is a single region.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.coded import CODE, CodedForest, code_rows
from espalier.kernels.forest.coded import FEATURE as NUMBER
from espalier.kernels.forest.coded import NEXT as BELOW
from espalier.kernels.forest.packed import PackedForest
from espalier.kernels.simd import SHORTS, above, fill, load, same, store

FEATURE, RANK, NEXT, LEAF = range(4)  # of a node while cutting; NEXT as in `PackedForest`
NO_FEATURE = -1  # a leaf's
MOST_LEAVES = 64  # of a tree in a region that is cut off
MOST_NODES = 1 << 21  # written while cutting, at most
MANY_LEAVES = 160  # of the trees of a single region, on average: with more, rows descend one by one in less time
MOST_OF_ONE = 32_767  # leaves of one of them
MIDDLE = 32_768  # codes are stored less this, since vectors have a sign
WAITS, RETURNS = np.uint8(1), np.uint8(2)  # see `ForestRegions.turn`


class ForestRegions(NamedTuple):
    """The trees in every region: tree t in region i has the splits from ``first[i * n_trees + t]`` on.

    They are in preorder. Its leaves begin at the same place of `first_leaf`, from left to right.
    """

    router: np.ndarray  # (n_steps, 3) int32: number of a code, place, left step; for a region 0, its number, -1
    n_trees: int
    first: np.ndarray  # (n_regions * n_trees + 1,) int64
    first_leaf: np.ndarray  # (n_regions * n_trees + 1,) int64
    n_levels: np.ndarray  # (n_regions * n_trees,) int64: of a tree whose levels ask one question each; else -1
    number: np.ndarray  # (n_splits,) int32: which code of a row goes right if it is greater than
    place: np.ndarray  # (n_splits,) int16: this, less MIDDLE
    left: np.ndarray  # (n_splits,) int16: leaves on the left
    turn: np.ndarray  # (n_splits,) uint8: WAITS where a split is on the right, RETURNS where a leaf is on the left
    leaf: np.ndarray  # (n_leaves,) int32: number of each leaf in the packed forest; (0,) if it is its place


class RegionSide(NamedTuple):
    """One side of the cut of a region."""

    feature: int  # number of the used feature
    rank: int  # of the threshold
    is_left: bool


class SmallTrees(NamedTuple):
    """The splits and leaves of trees, tree after tree; see `ForestRegions`."""

    n_levels: np.ndarray
    number: np.ndarray
    place: np.ndarray
    left: np.ndarray
    turn: np.ndarray
    leaf: np.ndarray


def has_few_leaves(packed: PackedForest) -> bool:
    """Return whether the trees of a packed forest are small enough to be a single region."""
    n_leaves = (np.diff(np.append(packed.root, len(packed.nodes))) + 1) // 2
    return bool(n_leaves.mean() <= MANY_LEAVES and n_leaves.max() <= MOST_OF_ONE)


def single_region(packed: PackedForest, coded: CodedForest) -> ForestRegions:
    """Return a forest of small trees as one region, for the rows that it is coded for."""
    roots = np.append(packed.root, len(packed.nodes)).astype(np.int64)[None]
    n_splits, trees = _small_trees(_nodes_of(packed, coded), roots)
    router = np.array([(0, 0, -1)], np.int32)
    return _regions(router, len(packed.root), n_splits, trees._replace(leaf=trees.leaf[:0]))


def make_regions(packed: PackedForest, coded: CodedForest) -> ForestRegions | None:
    """Return the regions of a forest, coded for rows without missing values; None if they would be too many."""
    if len(packed.nodes) > MOST_NODES:
        return None
    nodes, roots = _nodes_of(packed, coded), np.append(packed.root, len(packed.nodes)).astype(np.int64)[None]
    router, small, n_steps, n_small, n_nodes = [], [], 1, 0, 0
    while len(roots):
        is_small = np.diff(roots).max(axis=1) < 2 * MOST_LEAVES
        large = roots[~is_small]
        small.append(_small_trees(nodes, roots[is_small]))
        steps = np.empty((len(roots), 3), np.int32)
        steps[is_small] = [(0, n_small + i, -1) for i in range(len(roots) - len(large))] or 0
        cuts = steps[~is_small, :2] = _cuts(nodes, large, coded.columns.start)
        steps[~is_small, 2] = n_steps + 2 * np.arange(len(large))
        router.append(steps)
        n_steps, n_small = n_steps + 2 * len(large), n_small + len(roots) - len(large)
        n_nodes += len(nodes)
        if n_nodes > MOST_NODES:
            return None
        nodes, roots = _halve(nodes, large, cuts)
    n_splits, parts = zip(*small, strict=True)
    trees = SmallTrees(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    return _regions(np.concatenate(router), len(packed.root), np.concatenate(n_splits), trees)


def _regions(router: np.ndarray, n_trees: int, n_splits: np.ndarray, trees: SmallTrees) -> ForestRegions:
    first, first_leaf = (np.append(0, np.cumsum(n)) for n in (n_splits, n_splits + 1))
    return ForestRegions(router, n_trees, first, first_leaf, *trees)


def _nodes_of(packed: PackedForest, coded: CodedForest) -> np.ndarray:
    """Return the nodes (n_nodes, 4) int32 of a coded forest."""
    nodes, words = np.empty((len(coded.words), 4), np.int32), coded.words
    nodes[:, FEATURE] = (words >> NUMBER) & CODE
    nodes[packed.leaf >= 0, FEATURE] = NO_FEATURE  # words have no sign: -1 cannot stand among them
    nodes[:, RANK], nodes[:, NEXT], nodes[:, LEAF] = words & CODE, words >> BELOW, packed.leaf
    return nodes


@kernel
def _open(nodes, node, side):
    """Return the first node, from this one down, whose split is not decided on this side of a cut."""
    while nodes[node, FEATURE] == side.feature:
        if side.is_left and nodes[node, RANK] >= side.rank:
            node = np.uint32(nodes[node, NEXT])
        elif not side.is_left and nodes[node, RANK] <= side.rank:
            node = np.uint32(nodes[node, NEXT] + 1)
        else:
            break
    return node


@kernel
def _cut_tree(nodes, root, side, into, first):
    """Write the part of a tree on one side of a cut, from place `first` on; return its end."""
    one, two = np.uint32(1), np.uint32(2)
    into[first, NEXT] = _open(nodes, np.uint32(root), side)
    at, free = np.uint32(first), np.uint32(first + 1)
    while at < free:
        node = np.uint32(into[at, NEXT])  # until its turn, a place holds the number of its source node
        into[at] = nodes[node]
        if nodes[node, FEATURE] == NO_FEATURE:
            into[at, NEXT] = at
        else:
            below = np.uint32(nodes[node, NEXT])
            into[at, NEXT] = free
            into[free, NEXT] = _open(nodes, below, side)
            into[free + one, NEXT] = _open(nodes, below + one, side)
            free = np.uint32(free + two)
        at = np.uint32(at + one)
    return np.int64(free)


@kernel
def _cut_all(nodes, roots, cuts, into, new_roots):
    """Cut every region in two; return how many nodes the new trees have."""
    free = 0
    for region in range(len(roots)):
        for number in range(2):
            side, number_of_cut = RegionSide(cuts[region, 0], cuts[region, 1], number == 0), 2 * region + number
            for tree in range(roots.shape[1] - 1):
                new_roots[number_of_cut, tree] = free
                free = _cut_tree(nodes, roots[region, tree], side, into, free)
            new_roots[number_of_cut, -1] = free
    return free


def _halve(nodes: np.ndarray, roots: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the regions with these roots (n, n_trees + 1), each cut in two."""
    into = np.empty((2 * int((roots[:, -1] - roots[:, 0]).sum()), 4), np.int32)
    new_roots = np.empty((2 * len(roots), roots.shape[1]), np.int64)
    return into[: _cut_all(nodes, roots, cuts, into, new_roots)], new_roots


@kernel
def _weigh_steps(nodes, root, share, steps):
    """Add the use of each feature by a region's large trees to steps (n_used,), and fill share (n_nodes,).

    share is how often each node is reached if half of the rows go each way; the use of a feature is its sum.
    """
    first = np.uint32(root[0])
    for tree in range(len(root) - 1):
        is_large = root[tree + 1] - root[tree] >= 2 * MOST_LEAVES
        share[root[tree] - root[0]] = 1.0 if is_large else 0.0
        for at in range(np.uint32(root[tree]), np.uint32(root[tree + 1])):
            if nodes[at, FEATURE] != NO_FEATURE:
                here, below = share[at - first], np.uint32(nodes[at, NEXT] - root[0])
                steps[nodes[at, FEATURE]] += here
                share[below] = share[below + np.uint32(1)] = here / 2


@kernel
def _cut_of(nodes, root, start, share):
    """Return where to cut a region: the feature that its large trees use most, and its median rank there."""
    steps = np.zeros(len(start) - 1)
    _weigh_steps(nodes, root, share, steps)
    feature = np.argmax(steps)
    n_questions = np.zeros(start[feature + 1] - start[feature])
    first = np.uint32(root[0])
    for at in range(first, np.uint32(root[-1])):
        if nodes[at, FEATURE] == feature:
            n_questions[nodes[at, RANK]] += share[at - first]
    rank, running = 0, n_questions[0]
    while running < steps[feature] / 2 and rank < len(n_questions) - 1:
        rank += 1
        running += n_questions[rank]
    return feature, rank


@kernel
def _cuts(nodes, roots, start):
    """Return the feature and rank of each region's cut, (n_regions, 2) int32."""
    cuts, share = np.empty((len(roots), 2), np.int32), np.empty(len(nodes))
    for region in range(len(roots)):
        cuts[region] = _cut_of(nodes, roots[region], start, share)
    return cuts


@kernel
def _count_levels(into, first, last):
    """Return the number of levels of a complete tree that asks one question in each; -1 for another tree."""
    n_levels, n_leaves = 0, last - first + 1
    while 1 << n_levels < n_leaves:
        n_levels += 1
    if 1 << n_levels != n_leaves:
        return -1
    for split in range(first, last):
        level, n_left, before = 0, n_leaves // 2, split - first
        while before > 0:  # from the root down to where a complete tree has this split
            before -= 1
            before -= n_left - 1 if before >= n_left - 1 else 0
            level, n_left = level + 1, n_left // 2
        other = first + level
        is_same = into.number[split] == into.number[other] and into.place[split] == into.place[other]
        if into.left[split] != n_left or not is_same:
            return -1
    return n_levels


@kernel
def _write_tree(nodes, first, n_leaves, into, begin):
    """Write a tree's splits and leaves; begin (n_nodes, 2) has the places of the first of each under a node."""
    for at in range(first, first + len(begin)):
        split, leaf = begin[at - first, 0], begin[at - first, 1]
        if nodes[at, FEATURE] == NO_FEATURE:
            into.leaf[leaf] = nodes[at, LEAF]
            continue
        below = nodes[at, NEXT] - first
        n_left, n_right = n_leaves[below], n_leaves[below + 1]
        begin[below, 0], begin[below + 1, 0] = split + 1, split + n_left
        begin[below, 1], begin[below + 1, 1] = leaf, leaf + n_left
        into.number[split], into.left[split] = nodes[at, FEATURE], n_left
        into.place[split] = nodes[at, RANK] - MIDDLE
        into.turn[split] = (WAITS if n_right > 1 else 0) | (RETURNS if n_left == 1 else 0)


@kernel
def _write_trees(nodes, roots, into):
    number, split, leaf = 0, 0, 0
    for region in range(len(roots)):
        for tree in range(roots.shape[1] - 1):
            first, last = roots[region, tree], roots[region, tree + 1]
            n_leaves, begin = np.ones(last - first, np.int64), np.empty((last - first, 2), np.int64)
            for at in range(last - 1, first - 1, -1):
                if nodes[at, FEATURE] != NO_FEATURE:
                    below = nodes[at, NEXT] - first
                    n_leaves[at - first] = n_leaves[below] + n_leaves[below + 1]
            begin[0, 0], begin[0, 1] = split, leaf
            _write_tree(nodes, first, n_leaves, into, begin)
            into.n_levels[number] = _count_levels(into, split, split + n_leaves[0] - 1)
            number, split, leaf = number + 1, split + n_leaves[0] - 1, leaf + n_leaves[0]


def _small_trees(nodes: np.ndarray, roots: np.ndarray) -> tuple[np.ndarray, SmallTrees]:
    """Return each tree's number of splits in regions of small trees, and these trees."""
    n_splits = (np.diff(roots).ravel() - 1) // 2
    n = int(n_splits.sum())
    split_arrays = (np.empty(n, kind) for kind in (np.int32, np.int16, np.int16, np.uint8))
    into = SmallTrees(np.empty(len(n_splits), np.int64), *split_arrays, np.empty(n + len(n_splits), np.int32))
    _write_trees(nodes, roots, into)
    return n_splits, into


# ---- Prediction

BLOCK = 8192  # rows that are sorted by region at a time
TOGETHER = 2 * SHORTS  # rows
ROWS = 8 * TOGETHER  # of a region that go through its trees at a time


class LeafTable(NamedTuple):
    """The values of a packed forest's leaves, times their trees' weights."""

    value: np.ndarray  # (n_outputs, n_leaves) float64
    is_used: np.ndarray  # (n_trees, n_outputs) bool: whether any leaf of the tree has another value than 0


class CodedBlock(NamedTuple):
    """The rows of a block."""

    codes: np.ndarray  # (n, n_codes) uint16
    out: np.ndarray  # (n, n_outputs) float64: sums of their predictions


class RegionRoom(NamedTuple):
    """Memory for rows of a region, at most ROWS."""

    codes: np.ndarray  # (n_codes * ROWS,) int16, code after code
    leaves: np.ndarray  # (ROWS,) int16: place of each row's leaf among those of a tree
    names: np.ndarray  # (ROWS,) int32: its number in the packed forest
    waiting: np.ndarray  # int16: of TOGETHER rows each, 1 for a row that waits
    sums: np.ndarray  # (n_outputs, ROWS) float64


def leaf_table(packed: PackedForest) -> LeafTable:
    """Return the values of a packed forest's leaves, times their trees' weights."""
    n_leaves = (np.diff(np.append(packed.root, len(packed.nodes))) + 1) // 2
    values = packed.value * np.repeat(packed.weight, n_leaves)[:, None]
    is_used = np.logical_or.reduceat(values != 0, np.cumsum(n_leaves) - n_leaves)
    return LeafTable(np.ascontiguousarray(values.T), is_used)


@kernel
def _take_levels(regions, tree, n, room):
    """Find the leaves of n rows in a tree whose levels ask one question each."""
    codes, first = room.codes, np.uint32(regions.first[tree])
    number, place, left = regions.number, regions.place, regions.left
    last = np.uint32(first + regions.n_levels[tree])  # the first splits in preorder are one of each level
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, SHORTS):
        leaf = nothing
        for split in range(first, last):
            is_right = above(load(codes, np.int64(number[split]) * ROWS + row), same(place, split))
            leaf = leaf + is_right * same(left, split)
        store(room.leaves, row, leaf)


@kernel
def _take_splits(regions, tree, n, room):
    """Find the leaves of n rows in any tree."""
    codes, waiting = room.codes, room.waiting
    number, place, left, turn = regions.number, regions.place, regions.left, regions.turn
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, TOGETHER):
        a = b = fill(nothing, 1)  # 1 for the rows that come to the split
        leaf_a = leaf_b = nothing
        top = TOGETHER
        for split in range(np.uint32(regions.first[tree]), np.uint32(regions.first[tree + 1])):
            at = np.int64(number[split]) * ROWS + row
            limit, n_left = same(place, split), same(left, split)
            right_a, right_b = above(load(codes, at), limit) & a, above(load(codes, at + SHORTS), limit) & b
            leaf_a, leaf_b = leaf_a + right_a * n_left, leaf_b + right_b * n_left
            if turn[split] & WAITS:
                store(waiting, top, right_a)
                store(waiting, top + SHORTS, right_b)
                top += TOGETHER
            if turn[split] & RETURNS:  # none waits any more after the last split, for which there is room below
                top -= TOGETHER
                a, b = load(waiting, top), load(waiting, top + SHORTS)
            else:
                a, b = a - right_a, b - right_b
        store(room.leaves, row, leaf_a)
        store(room.leaves, row + SHORTS, leaf_b)


@kernel
def _add(value, leaves, sums):
    for row in range(len(sums)):
        sums[row] += value[np.uint16(leaves[row])]


@kernel
def _add_by_name(value, names, sums):
    for row in range(len(sums)):
        sums[row] += value[np.uint32(names[row])]


@kernel
def _sum_region(regions, table, region, n, room):
    """Write the sums of the trees' predictions for n rows, whose codes are in a room."""
    sums, leaf = room.sums, regions.leaf
    sums[:] = 0.0
    for number in range(regions.n_trees):
        tree = region * regions.n_trees + number
        if regions.n_levels[tree] >= 0:
            _take_levels(regions, tree, n, room)
        else:
            _take_splits(regions, tree, n, room)
        first = regions.first_leaf[tree]
        for row in range(n if len(leaf) else 0):
            room.names[row] = leaf[first + np.uint16(room.leaves[row])]
        for k in range(len(sums)):
            if not table.is_used[number, k]:  # to add 0 would change nothing
                continue
            if len(leaf):
                _add_by_name(table.value[k], room.names, sums[k, :n])
            else:
                _add(table.value[k, first:], room.leaves, sums[k, :n])


@kernel
def _sort(router, codes, begin, order):
    """Write the rows sorted by region, and the end of each region into begin (n_regions + 1,), which is all 0."""
    region = np.zeros(len(codes), np.int32)
    for row in range(len(codes) if len(router) > 1 else 0):
        step = np.uint32(0)
        while router[step, 2] >= 0:
            step = np.uint32(router[step, 2] + (codes[row, router[step, 0]] > router[step, 1]))
        region[row] = router[step, 1]
    for row in range(len(codes)):
        begin[region[row] + 1] += 1
    for i in range(1, len(begin)):
        begin[i] += begin[i - 1]
    for row in range(len(codes)):
        order[begin[region[row]]] = row
        begin[region[row]] += 1


@kernel
def _sum_rows(regions, table, region, rows, block, room):
    """Write the sums of the trees' predictions for some rows of a block."""
    codes, out, n = block.codes, block.out, len(rows)
    for number in range(codes.shape[1]):
        for i in range(n):
            room.codes[number * ROWS + i] = np.int16(np.int32(codes[rows[i], number]) - MIDDLE)
    _sum_region(regions, table, region, n, room)
    for i in range(n):
        for k in range(out.shape[1]):
            out[rows[i], k] = room.sums[k, i]


@kernel
def _room(coded, n_outputs):
    waiting = np.zeros((coded.depth.max() + 2) * TOGETHER, np.int16)
    codes, sums = np.zeros(max(len(coded.of), 1) * ROWS, np.int16), np.empty((n_outputs, ROWS))
    return RegionRoom(codes, np.empty(ROWS, np.int16), np.empty(ROWS, np.int32), waiting, sums)


@kernel
def sum_by_region(regions, coded, table, X, out):
    """Write all trees' predictions, times their weights, for rows X (n, n_features) into out (n, n_outputs).

    X is as from `espalier.kernels.forest.packed.rows_of`; it has missing values only if the forest is coded for
    them. table is a `LeafTable`.
    """
    n_regions, width = (len(regions.first) - 1) // regions.n_trees, len(coded.of)
    size = min(BLOCK, len(X))
    codes, order, room = np.empty(size * width, np.uint16), np.empty(size, np.int64), _room(coded, out.shape[1])
    for start in range(0, len(X), BLOCK):
        n = min(BLOCK, len(X) - start)
        code_rows(coded, X[start : start + n], codes)
        block = CodedBlock(codes[: n * width].reshape((n, width)), out[start : start + n])
        begin = np.zeros(n_regions + 1, np.int64)
        _sort(regions.router, block.codes, begin, order)
        for region in range(n_regions):
            first, last = begin[region - 1] if region else 0, begin[region]
            for at in range(first, last, ROWS):
                _sum_rows(regions, table, region, order[at : min(at + ROWS, last)], block, room)
