"""Grow a CART tree of arrays, by the engine that serves them.

``python -m espalier.kernels.cart.plain`` does it in a process without Numba's compiler, for which the kernels are
plain Python: it imports nothing but what grows, and takes what is to grow from standard input.
"""

from __future__ import annotations

import pickle
import sys
from typing import NamedTuple

import numpy as np

from espalier.kernels.cart.columns import SortedColumns, directed_columns, make_columns
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.cart.small_classes import grow_small, serves
from espalier.kernels.task import GrowthLimits, Task
from espalier.trees import Tree


class Seedling(NamedTuple):
    """All that a tree depends on."""

    X: np.ndarray  # (n_features, n_samples) float64, C order; missing nan
    is_categorical: np.ndarray  # (n_features,) bool
    directions: np.ndarray  # (n_features,) of monotone columns; empty: none has one
    task: Task
    limits: GrowthLimits
    seed: int


def grow(seedling: Seedling, signals: np.ndarray) -> Tree:
    """Return the tree, with the values of its target; `signals` are a `Progress`'s array."""
    X, is_categorical, directions, task, limits, seed = seedling
    tree = grow_small(X, task, limits, signals) if may_be_small(seedling) else None
    if tree is not None:
        return tree
    return grow_tree(sorted_columns(X, is_categorical, directions), task, limits, seed, signals)


def may_be_small(seedling: Seedling) -> bool:
    """Return whether one call grows the tree, if no value is missing."""
    is_plain = not (seedling.is_categorical.any() or len(seedling.directions))
    return is_plain and serves(seedling.task, seedling.limits, seedling.X)


def sorted_columns(X: np.ndarray, is_categorical: np.ndarray, directions: np.ndarray) -> SortedColumns:
    """Return columns X (n_features, n_samples), prepared for growing, with their directions."""
    columns = make_columns(X, is_categorical)
    return directed_columns(columns, directions) if len(directions) else columns


def main() -> None:
    """Grow what standard input holds, a `Seedling` and signals, and write the tree to standard output."""
    seedling, signals = pickle.load(sys.stdin.buffer)
    with np.errstate(over="ignore"):  # whole numbers wrap around, as intended
        pickle.dump(grow(seedling, signals), sys.stdout.buffer)


if __name__ == "__main__":
    main()
