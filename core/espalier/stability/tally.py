"""Counts of the structures of very many replicates: as many as one likes, in little memory.

A structure is known by a digest of its splits, so that trees need not be kept; the first replicate that has it can
be grown again by its number.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.progress import Progress
from espalier.stability.refitting import SharedGrowth
from espalier.stability.replicates import Trees, grow_numbered
from espalier.stability.structures import DEEPEST, splits_of
from espalier.trees import LEAF, AnyTree, depths

DIGEST_BYTES = 8  # two of a million structures share a digest with a chance of 1 in 30 million
AT_ONCE = 500  # trees in memory at a time


class StructureRule(NamedTuple):
    """The part of a tree that makes its structure."""

    max_depth: int = DEEPEST  # only splits above this depth count
    thresholds: bool = True  # whether thresholds, and sets of categories, count too, or features alone


class StructureCount(NamedTuple):
    """How often a structure occurred."""

    times: int
    first: int  # number of the first replicate that has it


class Tally(NamedTuple):
    """Counts over replicates."""

    structures: dict[bytes, StructureCount]  # by digest
    leaves: Counter[int]  # trees by their number of leaves
    roots: Counter[int]  # trees by the feature of their root, LEAF for none

    def add(self, number: int, tree: AnyTree, rule: StructureRule) -> None:
        """Count a replicate."""
        digest = structure_digest(tree, rule)
        times, first = self.structures.get(digest, (0, number))
        self.structures[digest] = StructureCount(times + 1, min(first, number))
        self.leaves[tree.n_leaves] += 1
        self.roots[int(splits_of(tree).feature[0])] += 1


def empty_tally() -> Tally:
    """Return the tally of no replicates."""
    return Tally({}, Counter(), Counter())


def tally(growth: SharedGrowth, numbers: range, rule: StructureRule, progress: Progress) -> Tally:
    """Grow the replicates of these numbers and count them: a task; `progress` counts as their growth does."""
    counts = empty_tally()
    for trees in _some_at_a_time(growth, numbers, progress):
        for number, tree in trees.items():
            counts.add(number, tree, rule)
    return counts


def structure_digest(tree: AnyTree, rule: StructureRule) -> bytes:
    """Return the digest of a tree's structure; of a cultivated tree, that of the first decision of every node.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> small, large = (CartClassifier(max_depth=depth).fit(iris.X, iris.y).tree_ for depth in (1, 3))
    >>> structure_digest(small, StructureRule()) == structure_digest(large, StructureRule(max_depth=1))
    True
    """
    splits = splits_of(tree)
    feature, counted = splits.feature, slice(None)
    if rule.max_depth < DEEPEST:
        depth = depths(tree)
        feature, counted = np.where(depth < rule.max_depth, feature, LEAF), depth <= rule.max_depth
    digest = hashlib.blake2b(feature[counted].tobytes(), digest_size=DIGEST_BYTES)
    if rule.thresholds:
        is_split = feature != LEAF
        digest.update((splits.threshold[is_split] + 0.0).tobytes())  # turns -0 into 0
        digest.update(splits.categories[is_split].tobytes())
    return digest.digest()


def _some_at_a_time(growth: SharedGrowth, numbers: range, progress: Progress) -> Iterator[Trees]:
    for first in range(0, len(numbers), AT_ONCE):
        if progress.is_stopped:
            return
        yield grow_numbered(growth, numbers[first : first + AT_ONCE], progress)
