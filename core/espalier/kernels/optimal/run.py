"""The search for optimal trees as Python calls it: one kernel for all its tasks, so that it is compiled once."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.optimal import branch_and_bound, read_tree, split_limit
from espalier.kernels.optimal.bitset import Problem, SearchLevel
from espalier.kernels.optimal.bounds_table import UNKNOWN, BoundsTable
from espalier.kernels.optimal.branch_and_bound import ALL, SearchState
from espalier.kernels.optimal.depth_two import PairWorkspace
from espalier.kernels.optimal.read_tree import Survey
from espalier.kernels.vectors.simd import borrow

SOLVE, SOLVE_FEW, WRITE, SURVEY = range(4)
NO_TREE, NO_PATH = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
NO_SURVEY = Survey(NO_TREE, NO_PATH, NO_PATH, np.zeros((0, 0), np.int32))


def solve(search: SearchState, left: int, goal: int, discrepancies: int = ALL) -> tuple[int, int]:
    """Return (lower bound, least value found) of all rows, as `branch_and_bound.search_node` does."""
    return _run(search, SOLVE, left, ALL, goal, discrepancies, NO_TREE, NO_PATH, NO_SURVEY)


def solve_few(search: SearchState, left: int, splits: int, goal: int) -> tuple[int, int]:
    """Return (lower bound, least value found) over trees with so many splits, as `split_limit.solve_few` does."""
    return _run(search, SOLVE_FEW, left, splits, goal, ALL, NO_TREE, NO_PATH, NO_SURVEY)


def write_tree(search: SearchState, left: int, splits: int, out: np.ndarray) -> int:
    """Write the best tree known of all rows into `out`, as `read_tree.write_tree` does; return its end."""
    return _run(search, WRITE, left, splits, UNKNOWN, ALL, out, NO_PATH, NO_SURVEY)[1]


def survey(search: SearchState, path: np.ndarray, left: int, splits: int, goal: int) -> Survey:
    """Return the survey of the rows at the end of a path, as `read_tree.survey` writes it."""
    n, n_sums = int(search.level.shape[0, 0]), len(search.problem.plane) - 1
    low, yes = np.zeros((2, 2, n), np.int64)
    n_columns = n + 1 if min(left, splits) == 1 else 1
    out = Survey(np.full(n, UNKNOWN), low, yes, np.empty((n_sums, n_columns), np.int32))
    _run(search, SURVEY, left, splits, goal, ALL, NO_TREE, path, out)
    return out


@kernel
def _run(search, task, left, splits, goal, discrepancies, tree, path, facts) -> Any:
    """Do one of the tasks; the caller keeps the arrays alive, which are not counted in here."""
    search, root, end = _borrowed(search), np.int64(0), np.int64(0)  # a plain 0 would be a kind of its own
    if task == SOLVE:
        return branch_and_bound.search_node(search, root, left, goal, discrepancies)
    if task == SOLVE_FEW:
        return split_limit.solve_few(search, root, left, splits, goal)
    if task == WRITE:
        end = read_tree.write_tree(search, root, left, splits, tree, root)
    else:
        read_tree.survey(search, path, left, splits, goal, facts)
    return end, end


@inlined
def _borrowed(search):
    """Return the search with borrowed arrays (espalier.kernels.vectors.simd)."""
    p, v, b, m = search.problem, search.level, search.scratch, search.memory
    return SearchState(
        Problem(borrow(p.plane), borrow(p.factor), borrow(p.salt), p.unit, p.tie, p.thin, borrow(p.scales),
        p.least), SearchLevel(
            borrow(v.words), borrow(v.start), borrow(v.name), borrow(v.shape), borrow(v.question), borrow(v.rows),
            borrow(v.yes),
            borrow(v.sums), borrow(v.pairs), borrow(v.weight), borrow(v.low), borrow(v.high), borrow(v.order),
            borrow(v.score),
        ),
        PairWorkspace(borrow(b.words), borrow(b.start), borrow(b.sums), borrow(b.keys), borrow(b.weight)),
        BoundsTable(borrow(m.table), borrow(m.state)),
        borrow(search.solved), borrow(search.stop), borrow(search.best), search.backwards,
    )  # fmt: skip
