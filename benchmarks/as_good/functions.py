"""Trees of different programs over the same yes/no questions as functions, whatever the order of questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

PRIME = 2**61 - 1
MOST_CLASSES = 64


class Leaf(NamedTuple):
    """A leaf of a tree."""

    path: tuple[int, ...]  # question f answered yes: f + 1; no: -(f + 1)
    label: int


Leaves = tuple[Leaf, ...]


class Judged(NamedTuple):
    """A tree, measured on the rows."""

    function: int  # name; different functions have the same with a chance of about 1 in 10^17
    errors: int
    depth: int
    is_clean: bool  # whether no leaf is without rows, and no split has two leaves of the same class


class Judge:
    """Measures trees on rows of answers (n_rows, n_questions) and classes (n_rows,)."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        source = np.random.default_rng(0)
        self._weight = [int(one) for one in source.integers(1, PRIME, X.shape[1])]
        self._label = [int(one) for one in source.integers(1, PRIME, MOST_CLASSES)]
        self._yes = [_bits(X[:, f] == 1) for f in range(X.shape[1])]
        self._all, self._of_class = (1 << len(y)) - 1, [_bits(y == k) for k in range(int(y.max()) + 1)]

    def judged(self, leaves: Leaves) -> Judged:
        """Return what a tree is: of its function the value of a polynomial that only equal ones share."""
        name, errors, is_clean = 0, 0, True
        for leaf in leaves:
            rows, part = self._all, self._label[leaf.label]
            answers = dict.fromkeys(leaf.path)
            if any(-step in answers for step in answers):
                is_clean = False
                continue
            for step in answers:
                weight, yes = self._weight[abs(step) - 1], self._yes[abs(step) - 1]
                part = part * (weight if step > 0 else 1 - weight) % PRIME
                rows &= yes if step > 0 else self._all ^ yes
            name = (name + part) % PRIME
            errors += (rows & ~self._of_class[leaf.label]).bit_count()
            is_clean &= rows != 0
        depth = max(len(leaf.path) for leaf in leaves)
        return Judged(name, errors, depth, is_clean and not _has_twins(leaves))


def _bits(mask: np.ndarray) -> int:
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def _has_twins(leaves: Leaves) -> bool:
    """Return whether two leaves of the same class are the sides of a split."""
    labels = {leaf.path: leaf.label for leaf in leaves}
    return any(labels.get((*path[:-1], -path[-1])) == label for path, label in labels.items() if path)


def leaves_of(paths: Sequence[Sequence[int]], labels: Sequence[int]) -> Leaves:
    """Return the leaves of a tree from its paths, as tree-praxis writes them."""
    there = zip(paths, labels, strict=True)
    return tuple(Leaf(tuple(int(step) for step in path), int(label)) for path, label in there)


def leaves_of_shape(shape, feature: Sequence[int], path: tuple[int, ...] = ()) -> Iterator[Leaf]:
    """Yield the leaves of a tree of ours; `feature` are the questions' columns, which are all 0 or 1."""
    if isinstance(shape, int):
        yield Leaf(path, shape)
    else:
        step = feature[shape.column] + 1  # ours ask "at most 0.5?"
        yield from leaves_of_shape(shape.one, feature, (*path, -step))
        yield from leaves_of_shape(shape.zero, feature, (*path, step))
