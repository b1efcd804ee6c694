"""The search for the best regression tree, by sorted columns, that can be observed, stopped and continued."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions
from espalier.kernels.optimal.regression.rows import note_cuts, rank_behind
from espalier.kernels.optimal.regression.search import (
    AT,
    BOUND,
    DONE,
    KNOWN,
    LAST_TREES,
    WRITTEN,
    RegressionStack,
    make_regression_search,
    run_regression,
)
from espalier.kernels.optimal.regression.stumps import best_stump, leaf_loss
from espalier.language import Refusal
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import Costs, DistinctQuestions
from espalier.learners.optimal.ranks import joined_columns, ranked_columns
from espalier.learners.optimal.regression.problem import RegressionTask, node_of_rows, regression_problem
from espalier.learners.optimal.regression.tree import regression_tree
from espalier.learners.optimal.tree_builder import BuildingData
from espalier.learners.optimal.tree_search import Proof, SearchLimits, TreeSearch, glances
from espalier.progress import Progress
from espalier.trees import LEAF, Tree


class AskedBranch(NamedTuple):
    """The questions of a branch in preorder, -1 for a leaf, and its loss."""

    questions: list[int]
    loss: float


class RegressionSearch(TreeSearch):
    """A search for the best regression tree; values are losses of `kernels.optimal.regression`."""

    def __init__(self, questions: Questions, X: np.ndarray, task: RegressionTask, limits: SearchLimits):
        """`X` (n_samples, n_features) are the samples of the task."""
        nothing = DistinctQuestions(np.empty(0, np.int64), np.empty(0, bool), np.empty((len(X), 0), bool))
        none = np.empty((0, 0))
        super().__init__(BuildingData(questions, nothing, task.y, task.weight, none, none), limits)
        columns = joined_columns(ranked_columns(questions, X))
        self._X, self._task, self._asked_of, self.n_distinct = X, task, columns.question, columns.n_distinct
        rank = columns.rank if columns.rank.shape[1] else np.zeros((len(X), 1), np.int32)  # without a cut
        self._problem = regression_problem(task, rank)
        rows = self._problem.rows
        self.costs = Costs(np.empty(0, np.int64), np.empty((0, 0), np.int64), 1.0, 0.0)  # of losses: no rounding
        self._stop, self._all = np.zeros(1, np.int64), np.arange(len(rows.part))
        self._tree, self._value, self._low = np.full((3, 1), LEAF, np.int32), 0.0, 0.0
        self._n_solved, self._stack = 0, self._make_stack()

    def _make_stack(self) -> RegressionStack | None:
        """Return the search, or None if there is nothing to search: then the best tree is a leaf or a stump."""
        splits, depth = self.limits.max_splits, self.limits.max_depth
        if depth > 1 and splits > 1 and len(self._all) > 1:
            self._value = self._stump(self._all, 0).loss
            root = node_of_rows(self._problem.rows, self._all)
            return make_regression_search(self._problem.rows, root, depth, splits, self._stop)
        self._value = self._low = self._stump(self._all, min(splits, 1)).loss
        return None

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the lower bound as a share of it."""
        best, low = self._seen
        return self.cost_of(best), 1.0 if self.is_proved else min(low / best, 1.0) if best > 0 else 0.0

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        return self._read(self._newest()[1], self._all, self.limits.max_splits).questions

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its sum of errors."""
        return regression_tree(self.inputs.questions, self._X, self._task, questions)

    def cost_of(self, value: float) -> float:
        """Return the weighted sum of errors of trees of this value, which counts each split a little."""
        return self._problem.objective(float(value), self.limits.max_splits)

    def _proof(self, objective: float) -> Proof:
        tolerance = self._problem.tolerance(self.limits.max_depth, self.limits.max_splits)
        return super()._proof(objective)._replace(tolerance=tolerance)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Raise ValueError: of numbers hardly any other tree is as good."""
        raise Refusal("trees as good as the best one are listed only where the target is a class")

    def _watched(self) -> Iterator[None]:
        if self._stack is not None:
            self._set_stop()
            yield from glances(partial(run_regression, self._stack), self._stop)
            self._keep(self._stack)
        yield

    def _keep(self, stack: RegressionStack) -> None:
        """Take what the search has found; once it is over, its memory is given back."""
        if stack.state[AT] == DONE:
            (self._value, self._tree), self._n_solved = self._newest(), self.subproblems
            self._low, self._stack = self._value, None

    def _newest(self) -> tuple[float, np.ndarray]:
        """Return the loss of the best tree by now, and the tree as the search writes it."""
        stack = self._stack
        while stack is not None and (n := int(stack.state[WRITTEN])):
            place = (n - 1) % LAST_TREES
            value, tree = float(stack.losses[place]), stack.trees[place].copy()
            if stack.state[WRITTEN] - n < LAST_TREES - 1:  # else it may have been overwritten meanwhile
                return value, tree
        return self._value, self._tree

    def _reached(self) -> tuple[float, float]:  # type: ignore[override]
        stack = self._stack
        low = self._low if stack is None else max(float(stack.found[0, BOUND]), float(stack.found[0, KNOWN]))
        return self._newest()[0], low

    # ---- the best tree as questions

    def _read(self, tree: np.ndarray, rows: np.ndarray, splits: int) -> AskedBranch:
        """Return the branch of these rows that is written in `tree` (3, n_inner), of so many splits at most."""
        if not tree.shape[1] or tree[0, 0] < 0:
            return self._stump(rows, min(splits, 1))
        column, rank, of_left = tree[:, 0].tolist()
        is_left = self._problem.rows.rank[column, rows] < rank
        sides = rows[is_left], rows[~is_left]
        ways = [of_left] if of_left >= 0 else [0, 1]
        found = [self._divided(tree, sides, (way, splits - 1 - way)) for way in ways]
        best = min(found, key=lambda branch: branch.loss)
        return AskedBranch([self._question(column, rank, rows), *best.questions], best.loss)

    def _divided(
        self, tree: np.ndarray, sides: tuple[np.ndarray, np.ndarray], splits: tuple[int, int]
    ) -> AskedBranch:
        """Return both branches below the root of `tree`, one after the other, with these splits at most."""
        below = tree.shape[1] // 2
        left = self._read(tree[:, 1 : 1 + below], sides[0], splits[0])
        right = self._read(tree[:, 1 + below :], sides[1], splits[1])
        loss = left.loss + right.loss + self._problem.rows.per_split
        return AskedBranch([*left.questions, *right.questions], loss)

    def _stump(self, rows: np.ndarray, splits: int) -> AskedBranch:
        """Return the best stump or leaf of these rows."""
        problem = self._problem.rows
        node = node_of_rows(problem, rows)
        note_cuts(problem, node)
        stump = best_stump(problem, node, np.zeros(len(problem.rank)))
        if not splits or stump.column < 0:
            return AskedBranch([LEAF], float(leaf_loss(node)))
        rank = int(rank_behind(problem, node, stump.column, stump.cut))
        return AskedBranch([self._question(stump.column, rank, rows), LEAF, LEAF], stump.loss)

    def _question(self, column: int, rank: int, rows: np.ndarray) -> int:
        """Return the question that separates these rows at the rank; of several the one in the middle."""
        given = self._problem.rows.rank[column, rows]
        first, last = given[given < rank].max(), given[given >= rank].min() - 1
        return int(self._asked_of[column][(int(first) + int(last)) // 2])
