"""Compiling every kernel ahead of use: ``python -m core.kernels.warm`` fills the cache on disk.

The app runs this in a process of its own, since a thread that compiles would stall all other sessions.
"""

from __future__ import annotations

import numpy as np

from core.kernels import CACHE_FOLDER
from core.kernels.columns import make_columns
from core.kernels.grow import grow_tree
from core.kernels.impurity import GINI, table_of_x_log_x
from core.kernels.prune import collapse_prices
from core.kernels.route import columns_of, leaf_of
from core.kernels.task import Limits, Task
from core.trees import parents

_MARK = CACHE_FOLDER / "warm"


def is_warm() -> bool:
    """Whether all kernels of these sources have been compiled into the cache."""
    return _MARK.exists()


def run_all() -> None:
    """Call every kernel once on four samples: compiles it, or loads it from the cache."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    label, weight = np.array([0, 0, 1, 1], np.uint16), np.ones(4)
    task = Task(GINI, 2, label, np.empty(0), weight, True, True, table_of_x_log_x(0))
    limits = Limits(2, 2, 1, 0.0, 0.0, 0, 1, False)
    columns = make_columns(columns_of(X), np.zeros(1, dtype=bool))
    tree = grow_tree(columns, task, limits, 0, np.zeros(2, np.int64))
    leaf_of(tree, X)
    collapse_prices(tree, parents(tree))


def main() -> None:
    """Compile everything, then leave a mark for `is_warm`."""
    run_all()
    _MARK.parent.mkdir(parents=True, exist_ok=True)
    _MARK.touch()


if __name__ == "__main__":
    main()
