"""The plain search: all complete, sorted features of a node in one call, without random choices.

This is what growing spends its time on, most of it in small nodes; so the features are looped over inside one
kernel, on whole arrays: cutting a view out of an array for every feature would cost more than a small sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels import kernel
from core.kernels.columns import SORTED
from core.kernels.impurity import GINI
from core.kernels.sweep import BLOCK, sweep_pairs
from core.kernels.task import Sweep

SMALL = BLOCK  # samples up to which a node is swept cut by cut


class Place(NamedTuple):
    """A node's samples, ``lists[buffer, :, start:stop]``, and the cuts that leave enough on both sides."""

    buffer: int
    start: int
    stop: int
    min_leaf: int


@kernel
def is_plain(columns, feature):
    """Whether a feature is searched here."""
    return columns.kind[feature] == SORTED and not columns.has_missing[feature]


@kernel
def _sweep_of(lists, columns, feature, place):
    n = place.stop - place.start
    entries = lists[place.buffer, columns.slot[feature], place.start : place.stop]
    return Sweep(
        entries, n, columns.values[feature], columns.distinct[feature],
        False, place.min_leaf - 1, n - place.min_leaf - 1,
    )  # fmt: skip


@kernel
def search_pairs(lists, columns, features, place, totals, task):
    """Best gini, entropy or misclassification cut for two classes of unit weight: (score, feature, cut).

    totals are the node's two counts. Of equal cuts the first of the first feature.
    """
    best, best_feature, best_cut = -np.inf, -1, -1
    small = place.stop - place.start <= SMALL and task.criterion == GINI
    for feature in features:
        if not is_plain(columns, feature):
            continue
        if small:
            found, cut = _small_pairs(lists, columns, feature, place, totals, best)
        else:
            sweep = _sweep_of(lists, columns, feature, place)
            found, cut = sweep_pairs(sweep, totals, task.criterion, task.table, best)
        if cut >= 0:
            best, best_feature, best_cut = found, feature, cut
    return best, best_feature, best_cut


@kernel
def _small_pairs(lists, columns, feature, place, totals, best):
    n = place.stop - place.start
    buffer, slot, start, distinct = place.buffer, columns.slot[feature], place.start, columns.distinct[feature]
    n0, n1 = float(totals[0]), float(totals[1])
    l1 = 0.0
    at = -1
    for i in range(n - place.min_leaf):
        entry = lists[buffer, slot, start + i]
        l1 += float(entry & np.uint32(1))
        if i < place.min_leaf - 1:
            continue
        left = float(i + 1)
        right = n - left
        l0 = left - l1
        r0, r1 = n0 - l0, n1 - l1
        here = ((l0 * l0 + l1 * l1) * right + (r0 * r0 + r1 * r1) * left) / (left * right)
        if here > best:
            after = lists[buffer, slot, start + i + 1] >> np.uint32(1)
            if distinct or columns.values[feature, entry >> np.uint32(1)] != columns.values[feature, after]:
                best, at = here, i
    return best, at


@kernel
def search_means(lists, columns, features, place, totals, task):
    """Best squared-error cut for unit weights: (score, feature, cut); totals are (weight, sum of y)."""
    best, best_feature, best_cut = -np.inf, -1, -1
    for feature in features:
        if is_plain(columns, feature):
            found, cut = _plain_means(lists, columns, feature, place, totals[1], task.y, best)
            if cut >= 0:
                best, best_feature, best_cut = found, feature, cut
    return best, best_feature, best_cut


@kernel
def _plain_means(lists, columns, feature, place, total, y, best):
    n = place.stop - place.start
    buffer, slot, start, distinct = place.buffer, columns.slot[feature], place.start, columns.distinct[feature]
    moment = 0.0
    at = -1
    for i in range(n - place.min_leaf):
        row = lists[buffer, slot, start + i] >> np.uint32(1)
        moment += y[row]
        if i < place.min_leaf - 1:
            continue
        left = float(i + 1)
        right = n - left
        rest = total - moment
        here = (moment * moment * right + rest * rest * left) / (left * right)
        if here > best:
            after = lists[buffer, slot, start + i + 1] >> np.uint32(1)
            if distinct or columns.values[feature, row] != columns.values[feature, after]:
                best, at = here, i
    return best, at
