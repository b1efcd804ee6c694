"""Surrogate splits: those that stand in where the value of a node's own split is missing.

Breiman et al. (1984), section 5.3. The node's own split is chosen among the samples that have its value. A
surrogate is a split on another feature that sends as much weight as possible to the same sides. Its agreement is
the share of the weight of the samples that have both values; it must exceed the share that goes to the larger
side, which needs no surrogate. Samples without the value follow the first surrogate that can say, and where none
can, the larger side, while the tree grows as well as when it predicts.

As in rpart (Therneau & Atkinson, "An introduction to recursive partitioning using the RPART routines"), the gain
of a split is summed over the samples that have its value; a threshold of a surrogate has at least two samples on
each side; a category goes to the side of its majority, and where both are equal to the larger side; one that does
not occur counts as missing, for a surrogate as for the node's own split. The agreement is that of the book;
rpart's own default divides by all samples of the node's split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import CATEGORIES, MAX_LEVELS, SORTED
from espalier.kernels.cart.nodes import ChildSlices, describe, part_both
from espalier.kernels.route import decides, passes
from espalier.kernels.task import ABSOLUTE_ERROR, GrowthLimits, beyond, midpoint, score

LEAST = 2  # samples on each side of a surrogate's threshold

_FIELDS = {
    "node": np.int64,
    "feature": np.int32,
    "threshold": np.float64,
    "categories": np.uint64,
    "seen": np.uint64,
    "reversed": np.bool_,
    "agreement": np.float64,
}
SURROGATE = np.dtype((np.record, np.dtype(list(_FIELDS.items()), align=True)))


class SurrogatePool(NamedTuple):
    """The surrogates of all nodes that were split, in the order in which they were split."""

    records: np.ndarray  # (room,) SURROGATE
    size: np.ndarray  # (1,) int64: how many there are


NO_POOL = SurrogatePool(np.empty(0, SURROGATE), np.zeros(1, np.int64))  # where no surrogates are sought


class StandIn(NamedTuple):
    """The best surrogate on one feature; its agreement is 0 where none beats the larger side."""

    agreement: float
    threshold: float
    categories: int
    seen: int
    reversed: bool


def make_pool(limits: GrowthLimits, n_samples: int) -> SurrogatePool:
    """Return a pool with room for all surrogates of a tree of so many samples."""
    most_splits = min(n_samples, limits.max_leaves or n_samples, 2 ** min(limits.max_depth, 40))
    return SurrogatePool(np.empty(most_splits * limits.max_surrogates, SURROGATE), np.zeros(1, np.int64))


def surrogates_of(pool: SurrogatePool, place: np.ndarray, own_seen: np.ndarray) -> list[np.ndarray]:
    """Return the fields of `espalier.trees.Surrogates`; place (n_nodes,) is where each node stands in preorder.

    own_seen (n_nodes,) is in preorder.
    """
    records = pool.records[: pool.size[0]]
    owner = place[records["node"]]
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(len(place) + 1))
    return [start, own_seen, *(records[name][order] for name in list(_FIELDS)[1:])]


@kernel
def is_known(value, is_category):
    """Return whether a value is there; a code that is no category counts as missing."""
    return not np.isnan(value) and (not is_category or 0 <= value < MAX_LEVELS)


@kernel
def known_entries(entries, column, is_category):
    """Return the entries (n,) of samples with a value in the column, in their order."""
    rows, n = np.empty(len(entries), np.uint32), 0
    for entry in entries:
        if is_known(column[entry >> np.uint32(1)], is_category):
            rows[n] = entry
            n += 1
    return rows[:n]


@kernel
def score_of_entries(entries, task, sums):
    """Return S of entries (n,), and write their sums; under absolute error they come in order of the target."""
    value = np.zeros(max(task.n_classes, 1))
    weight, impurity, _ = describe(entries, task, sums, value)
    return -impurity * weight if task.criterion == ABSOLUTE_ERROR else score(sums, task.criterion)


@kernel
def part_by_surrogates(work, node, number, side):
    """Find the surrogates of a node that has its split, and partition its samples; return how many go left.

    The surrogates go into the pool under the node's number, each sample's side into `side`.
    """
    entries = work.lists[node.buffer, 0, node.start : node.stop]
    known_rows = known_entries(entries, work.columns.values[node.feature], _is_category(work, node.feature))
    node.missing_left = _part_known(work, node, known_rows, side)
    first = work.surrogates.size[0]
    for feature in range(len(work.columns.kind)):
        if feature != node.feature:
            stand_in = _best_stand_in(work, node, known_rows, feature, side)
            if stand_in.agreement > 0:
                _insert(work, stand_in, first, number, feature)
    n_left = 0
    for entry in entries:
        row = entry >> np.uint32(1)
        if not is_known(work.columns.values[node.feature, row], _is_category(work, node.feature)):
            side[row] = _side_of(work, first, row, node.missing_left)
        n_left += side[row]
    slices = ChildSlices(node.start, node.start + n_left, node.stop)
    part_both(work.lists[node.buffer, 0], work.lists[1 - node.buffer, 0], side, slices)
    return n_left


@kernel
def _is_category(work, feature):
    return work.columns.kind[feature] == CATEGORIES


@kernel
def _part_known(work, node, known, side):
    """Write the sides of the entries that have the value of the node's split; return whether more goes left."""
    column = work.columns.values[node.feature]
    left, right = 0.0, 0.0
    for entry in known:
        row = entry >> np.uint32(1)
        side[row] = passes(column[row], node.threshold, node.categories, False)
        if side[row]:
            left += work.task.weight[row]
        else:
            right += work.task.weight[row]
    return left > right


@kernel
def _best_stand_in(work, node, known, feature, side):
    """Return the best surrogate on a feature for the entries `known`, whose sides are known."""
    kind, slot = work.columns.kind[feature], work.columns.slot[feature]
    if kind == SORTED:
        entries = work.lists[node.buffer, slot, node.start : node.stop]
        own, is_category = work.columns.values[node.feature], _is_category(work, node.feature)
        column = work.columns.values[feature]
        return _best_threshold(_points(entries, column, own, is_category, side, work.task.weight))
    sums = _sums_by_level(known, work.columns.codes[:, slot], side, work.task.weight)
    if kind == CATEGORIES:
        return _best_categories(sums)
    return _best_threshold(_points_of_levels(sums, work.columns.levels[slot]))


@kernel
def _points(entries, column, own, is_category, side, weight):
    """Return the sorted entries that have both values, (n, 4): value, weight on the left, on the right, samples.

    own is the column of the node's split; is_category says whether it holds categories.
    """
    points, n = np.zeros((len(entries), 4)), 0
    for entry in entries:
        row = entry >> np.uint32(1)
        if not np.isnan(column[row]) and is_known(own[row], is_category):
            points[n, 0], points[n, 3] = column[row], 1.0
            points[n, 1 if side[row] else 2] = weight[row]
            n += 1
    return points[:n]


@kernel
def _sums_by_level(known, codes, side, weight):
    """Return weight on the left, on the right, and samples of each level, (64, 3)."""
    sums = np.zeros((MAX_LEVELS, 3))
    for entry in known:
        row = entry >> np.uint32(1)
        if codes[row] < MAX_LEVELS:
            sums[codes[row], 0 if side[row] else 1] += weight[row]
            sums[codes[row], 2] += 1.0
    return sums


@kernel
def _points_of_levels(sums, values):
    points, n = np.zeros((len(sums), 4)), 0
    for level in range(len(sums)):
        if sums[level, 2] > 0:
            points[n, 0] = values[level]
            for k in range(3):
                points[n, 1 + k] = sums[level, k]
            n += 1
    return points[:n]


@kernel
def _no_stand_in():
    return StandIn(0.0, np.nan, np.uint64(0), np.uint64(0), False)


@kernel
def _best_threshold(points):
    """Return the best surrogate by a threshold between points (n, 4), which ascend."""
    left, right, n = 0.0, 0.0, 0.0
    for i in range(len(points)):
        left, right, n = left + points[i, 1], right + points[i, 2], n + points[i, 3]
    most, at, is_turned = max(left, right), -1, False
    bar = beyond(most)
    below_left, below_right, below = 0.0, 0.0, 0.0
    for i in range(len(points) - 1):
        below_left, below_right = below_left + points[i, 1], below_right + points[i, 2]
        below += points[i, 3]
        if points[i, 0] == points[i + 1, 0] or below < LEAST or n - below < LEAST:
            continue
        same, other = below_left + right - below_right, below_right + left - below_left
        if max(same, other) > bar:
            most, at, is_turned = max(same, other), i, other > same
            bar = beyond(most)
    if at < 0:
        return _no_stand_in()
    threshold = midpoint(points[at, 0], points[at + 1, 0])
    return StandIn(most / (left + right), threshold, np.uint64(0), np.uint64(0), is_turned)


@kernel
def _best_categories(sums):
    """Return the best surrogate by categories, from their sums (64, 3)."""
    left, right = 0.0, 0.0
    for code in range(len(sums)):
        left, right = left + sums[code, 0], right + sums[code, 1]
    same, mask, present = 0.0, np.uint64(0), np.uint64(0)
    for code in range(len(sums)):
        if sums[code, 2] == 0:
            continue
        same += max(sums[code, 0], sums[code, 1])
        bit = np.uint64(1) << np.uint64(code)
        present |= bit
        if sums[code, 0] > sums[code, 1] or (sums[code, 0] == sums[code, 1] and left > right):
            mask |= bit
    if same > beyond(max(left, right)):
        return StandIn(same / (left + right), np.nan, mask, present, False)
    return _no_stand_in()


@kernel
def _insert(work, found, first, number, feature):
    """Put a surrogate among those of the node of this number, best first; theirs stand from place `first` on.

    Of equal ones the first feature's comes first; those past the limit are dropped, and so would be one past the
    end of the pool, which has room for all (`make_pool`): nothing is ever written beyond it.
    """
    records, size = work.surrogates.records, work.surrogates.size
    at = size[0]
    while at > first and records[at - 1].agreement < found.agreement:
        at -= 1
    last = min(size[0], first + work.limits.max_surrogates - 1)
    if at > last or last >= len(records):
        return
    for i in range(last, at, -1):
        records[i] = records[i - 1]
    new = records[at]
    new.node, new.feature, new.threshold = number, feature, found.threshold
    new.categories, new.seen = found.categories, found.seen
    new.reversed, new.agreement = found.reversed, found.agreement
    size[0] = last + 1


@kernel
def _side_of(work, first, row, otherwise):
    """Return whether the surrogates in the pool from `first` on send a sample left, as a tree's will."""
    for at in range(first, work.surrogates.size[0]):
        record = work.surrogates.records[at]
        value = work.columns.values[record.feature, row]
        if decides(value, record.threshold, record.seen):
            return passes(value, record.threshold, record.categories, False) != record.reversed
    return otherwise
