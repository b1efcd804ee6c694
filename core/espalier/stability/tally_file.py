"""A file of counts over replicates, which grows task by task and goes on where it stopped."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

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


# ---- A file of counts over replicates, which grows task by task and goes on where it stopped

SCHEMA = """
CREATE TABLE IF NOT EXISTS cause (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS part (first INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE IF NOT EXISTS structure (digest BLOB PRIMARY KEY, times INTEGER, first INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leaves (n INTEGER PRIMARY KEY, times INTEGER);
CREATE TABLE IF NOT EXISTS root (feature INTEGER PRIMARY KEY, times INTEGER);
"""
ADD_STRUCTURE = """
INSERT INTO structure VALUES (?, ?, ?) ON CONFLICT (digest)
DO UPDATE SET times = times + excluded.times, first = min(first, excluded.first)
"""
ADD_LEAVES = "INSERT INTO leaves VALUES (?, ?) ON CONFLICT (n) DO UPDATE SET times = times + excluded.times"
ADD_ROOT = "INSERT INTO root VALUES (?, ?) ON CONFLICT (feature) DO UPDATE SET times = times + excluded.times"


class TallySummary(NamedTuple):
    """What the file says of all replicates so far."""

    n_trees: int
    n_structures: int
    frequent: tuple[StructureCount, ...]  # the most frequent structures, descending
    leaves: Counter[int]  # trees by their number of leaves
    roots: Counter[int]  # trees by the feature of their root


class TallyFile:
    """An SQLite file. Each part is in it whole or not at all, however the program ends."""

    def __init__(self, path: Path, causes: dict[str, str]):
        """`causes` are all that the counts depend on, by name. Raises ValueError for a file of others."""
        self._path = path
        with contextlib.ExitStack() as if_wrong:
            with self._readable():
                self._file = sqlite3.connect(path, isolation_level=None)
                if_wrong.callback(self.close)
                self._file.executescript(SCHEMA)
            self._claim(causes)
            if_wrong.pop_all()

    def _claim(self, causes: dict[str, str]) -> None:
        with self._readable():
            known = self._file.execute("SELECT name, value FROM cause").fetchall()
            if not known:
                self._file.executemany("INSERT INTO cause VALUES (?, ?)", causes.items())
        there = dict(known) or causes
        if others := sorted(name for name in there.keys() | causes.keys() if there.get(name) != causes.get(name)):
            differences = "; ".join(
                f"{name} is {there.get(name)} there, {causes.get(name)} here" for name in others
            )
            raise ValueError(
                f"{self._path} has the counts of other replicates: {differences}. Choose another file"
            )

    def add(self, numbers: range, counts: Tally) -> None:
        """Add the counts of the replicates of these numbers."""
        structures = ((digest, *count) for digest, count in counts.structures.items())
        with self._readable():
            self._file.execute("BEGIN")
            self._file.executemany(ADD_STRUCTURE, structures)
            self._file.executemany(ADD_LEAVES, counts.leaves.items())
            self._file.executemany(ADD_ROOT, counts.roots.items())
            self._file.execute("INSERT INTO part VALUES (?, ?)", (numbers.start, len(numbers)))
            self._file.execute("COMMIT")

    def missing(self, numbers: range) -> list[range]:
        """Return the runs of these numbers that are not counted yet."""
        runs, begin = [], numbers.start
        for first, n in self._file.execute("SELECT first, n FROM part ORDER BY first"):
            if first > begin:
                runs.append(range(begin, min(first, numbers.stop)))
            begin = max(begin, first + n)
        runs.append(range(begin, numbers.stop))
        return [run for run in runs if len(run)]

    def summary(self, most: int = 10) -> TallySummary:
        """Return the counts, with so many of the most frequent structures."""
        ask: Any = self._file.execute
        frequent = ask("SELECT times, first FROM structure ORDER BY times DESC, first LIMIT ?", (most,))
        return TallySummary(
            ask("SELECT coalesce(sum(n), 0) FROM part").fetchone()[0],
            ask("SELECT count(*) FROM structure").fetchone()[0],
            tuple(StructureCount(*row) for row in frequent),
            Counter(dict(ask("SELECT n, times FROM leaves").fetchall())),
            Counter(dict(ask("SELECT feature, times FROM root").fetchall())),
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as wrong:
            raise ValueError(
                f"{self._path} cannot be written as a file of counts ({wrong}); choose another place, or make room"
            ) from None
