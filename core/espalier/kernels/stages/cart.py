"""Compiling CART."""

from __future__ import annotations

import numpy as np

from espalier.kernels.averaging import averages, shares_of_rows
from espalier.kernels.cart.best_split import Segment, best_other_split
from espalier.kernels.cart.fast_split import NodeSlice, PairScoring, search_means, search_pairs
from espalier.kernels.cart.grow import begin, grow_tree
from espalier.kernels.prune import collapse_prices
from espalier.kernels.route import leaf_of, passes, path_of
from espalier.kernels.stages.growth import growth_state
from espalier.kernels.stages.table import SIGNALS, N, X, stump
from espalier.kernels.task import Split
from espalier.trees import parents


def run() -> None:
    """Call every kernel of CART, and those that all trees share."""
    work = growth_state()
    tree = grow_tree(work.columns, work.task, work.limits, 0, SIGNALS)
    leaf_of(tree, X)
    path_of(tree, X[0])
    averages(tree, X, (0, 1), shares_of_rows(tree, X, (0, 1)))
    collapse_prices(tree, parents(tree))


def here() -> None:
    """Call all that growing CART calls, except for `beside`, with the same argument types as there."""
    work = growth_state()
    place, columns = NodeSlice(0, 0, N, 1), work.columns
    scoring = PairScoring(work.task.criterion, work.task.table, work.scratch.up_to, work.scratch.best)
    search_pairs(work.lists, columns, work.features, place, (41, 29), scoring)
    search_means(work.lists, columns, work.features, place, 0.0, np.zeros(N))
    begin(work)
    passes(0.5, 0.5, np.uint64(0), False)
    tree = stump()
    leaf_of(tree, X)
    collapse_prices(tree, parents(tree))


def beside() -> None:
    """Call the search that takes longest to compile."""
    best = Split(-np.inf, -1, -1, np.nan, np.uint64(0), False)  # type: ignore[arg-type]
    best_other_split(growth_state(), Segment(0, 0, N, -np.inf, np.inf), np.array([41.0, 29.0]), (0, 1), best)
