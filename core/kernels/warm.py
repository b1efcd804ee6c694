"""Compiling every kernel ahead of use: ``python -m core.kernels.warm`` fills the cache on disk.

The app runs this in a process of its own, since a thread that compiles would stall all other sessions. That
process starts a second one for the part that takes longest, and both fill the same cache.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

import numpy as np

from core.kernels import CACHE_FOLDER
from core.kernels.columns import make_columns
from core.kernels.grow import begin, grow_tree, make_work
from core.kernels.impurity import GINI, table_of_x_log_x
from core.kernels.prune import collapse_prices
from core.kernels.route import columns_of, leaf_of
from core.kernels.search import Place, search_means, search_pairs
from core.kernels.split import Segment, Work, best_other_split
from core.kernels.task import Limits, Split, Task
from core.trees import make_tree, parents

_MARK = CACHE_FOLDER / "warm"

# A table with a column of every kind: sorted, levels that are fractions or whole, categories.
_N = 70
_X = np.column_stack([np.arange(_N) / 3, np.arange(_N) % 3 / 2, np.arange(_N) % 2, np.arange(_N) % 5])
_LABEL = (np.arange(_N) > 40).astype(np.uint16)


def is_warm() -> bool:
    """Whether all kernels of these sources have been compiled into the cache."""
    return _MARK.exists()


def run_all() -> None:
    """Call every kernel once on a small table: compiles it, or loads it from the cache."""
    work = _work()
    tree = grow_tree(work.columns, work.task, work.limits, 0, np.zeros(2, np.int64))
    leaf_of(tree, _X)
    collapse_prices(tree, parents(tree))


def main() -> None:
    """Compile everything, in two processes, then leave a mark for `is_warm`."""
    with subprocess.Popen([sys.executable, "-m", "core.kernels.warm", "other"]) as helper:
        _run_leaves(_work())
        helper.wait()
    run_all()
    _MARK.parent.mkdir(parents=True, exist_ok=True)
    _MARK.touch()
    _forget_old_caches()


def _forget_old_caches() -> None:
    """Keep the caches of the three newest states of the sources."""
    caches = sorted(CACHE_FOLDER.parent.glob("*-" + "[0-9a-f]" * 16), key=lambda f: f.stat().st_mtime)
    for folder in caches[:-3]:
        shutil.rmtree(folder, ignore_errors=True)


def _work() -> Work:
    task = Task(GINI, 2, _LABEL, np.empty(0), np.ones(_N), True, True, table_of_x_log_x(0))
    columns = make_columns(columns_of(_X), np.array([False, False, False, True]))
    return make_work(columns, task, Limits(2, 2, 1, 0.0, 0.0, 0, 4, False), 0)


def _run_leaves(work: Work) -> None:
    """What growing calls, but for `_run_other`; with the very types that it is called with there."""
    place, columns = Place(0, 0, _N, 1), work.columns
    scoring = (work.task.criterion, work.task.table, work.room.packed, work.room.counted)
    search_pairs(work.lists, columns, work.features, place, (41, 29), scoring)
    search_means(work.lists, columns, work.features, place, 0.0, np.zeros(_N))
    begin(work)
    stump = make_tree(
        [0, -1, -1], [1, np.nan, np.nan], [1, -1, -1], [2, -1, -1], *np.zeros((4, 3)), np.ones((3, 2)), np.zeros(3)
    )
    leaf_of(stump, _X)
    collapse_prices(stump, parents(stump))


def _run_other(work: Work) -> None:
    best = Split(-np.inf, -1, -1, np.nan, np.uint64(0), False)  # type: ignore[arg-type]
    best_other_split(work, Segment(0, 0, _N), np.array([41.0, 29.0]), (0, 1), best)


if __name__ == "__main__":
    if sys.argv[1:] == ["other"]:
        _run_other(_work())
    else:
        main()
