"""Compare what a learner says of a table with exhaustive search."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from benchmarks.brute_force import kernels
from benchmarks.brute_force.cases import MOST_CELLS, Case
from benchmarks.brute_force.options import CLASSES, OPTIONS
from benchmarks.brute_force.problem import (
    MEMO,
    Infeasible,
    Problem,
    Unreached,
    columns_of,
    forced_ends,
    forced_yes,
    least_costs,
    problem_of,
    table_of,
)
from benchmarks.brute_force.questions import asked_of, first_of_alike, grid_of, steps_of
from espalier.learners.base import TrainingData
from espalier.learners.optimal import threshold_search
from espalier.learners.optimal.near_optimal import NearTree
from espalier.learners.optimal.rashomon import TreesAsGood, graph, open_classes, trees_as_good, trees_without
from espalier.learners.optimal.tree_search import Proof
from espalier.predict import leaves
from espalier.progress import Progress
from espalier.trees import LEAF, Tree

RIGHT, WRONG, REFUSED, UNREACHED = "right", "wrong", "refused", "unreached"
MOST_FUNCTIONS, MOST_LISTED, MOST_LOOKED_AT = 1 << 15, 150, 20  # functions in all, in a list, and looked at
SOME_SECONDS, MOST_STOPS = 0.0003, 20  # of a search that is stopped again and again
FUNCTIONS, TREES = kernels.make_functions(MOST_FUNCTIONS), kernels.make_trees(2 * MOST_FUNCTIONS)


class Verdict(NamedTuple):
    """What came of a table."""

    outcome: str
    reason: str = ""


def compare(case: Case) -> Verdict:
    """Fit the learner, and compare what it says."""
    given = threshold_search.MANY, graph.FEW_QUESTIONS
    if "sorted columns" in case.options:
        threshold_search.MANY = graph.FEW_QUESTIONS = 0
    try:
        return _compare(case)
    except Unreached as why:
        return Verdict(UNREACHED, str(why))
    except AssertionError as wrong:
        return Verdict(WRONG, str(wrong))
    finally:
        threshold_search.MANY, graph.FEW_QUESTIONS = given


def _compare(case: Case) -> Verdict:
    model = case.model()
    try:
        training = model.prepare(case.table(), case.y, case.weight).of_positive_weight()
        problem = problem_of(case, training)
        model.grow(training, Progress(is_stopped="stopped and continued" in case.options))
        early = [(model.tree_, model.proof_)]
        while not model.proof_.proved and len(early) <= MOST_STOPS:  # the last time without a limit
            model.go_on(SOME_SECONDS if len(early) < MOST_STOPS else None)
            early.append((model.tree_, model.proof_))
        comparison = Comparison(case, problem, model)
        comparison.check_best()
        for tree, proof in early[:-1]:
            comparison.check_early(tree, proof)
        if "list of functions" in case.options:
            comparison.check_list()
        if "count of trees" in case.options:
            comparison.check_count(training)
    except ValueError as error:
        return _refusal(case, str(error))
    return Verdict(RIGHT)


def _refusal(case: Case, text: str) -> Verdict:
    """Return whether an error names two of the options, or given splits that leave no leaf."""
    names = [name for name in case.options if OPTIONS[name].parameter and OPTIONS[name].parameter in text]
    if "forced_splits leave" in text:
        return Verdict(WRONG if _is_feasible(case) else UNREACHED, text)
    if len({OPTIONS[name].group for name in names}) > 1:
        return Verdict(REFUSED, f"{' + '.join(sorted(names))}: {text}")
    return Verdict(WRONG, f"raised {text}")


def _is_feasible(case: Case) -> bool:
    model = case.model()
    training = model.prepare(case.table(), case.y, case.weight).of_positive_weight()
    problem = problem_of(case, training)
    loosest = problem.weight_error
    try:
        table = table_of(problem, asked_of([], len(problem.y), False), -loosest)
        forced_ends(case, problem, table)
    except Infeasible:
        return False
    # Where rounded weights leave it open, either answer is right.
    if loosest:
        try:
            forced_ends(case, problem, table_of(problem, asked_of([], len(problem.y), False), 2 * loosest))
        except Infeasible:
            return False
    return True


# ---- comparisons


class Comparison:
    """A fitted model beside exhaustive search."""

    def __init__(self, case: Case, problem: Problem, model):
        self.case, self.problem, self.model = case, problem, model
        self.directions = case.parameters.get("monotonic_cst")
        self.columns = columns_of(case, problem, model, has_other=self.directions is not None)
        n = len(problem.y)
        has_grid = self.directions is not None or "list of functions" in case.options
        if has_grid and math.prod(len(column.values) for column in self.columns) > MOST_CELLS:
            raise Unreached("too many cells")
        self.every = asked_of(self.columns, n, has_grid)
        self.asked = first_of_alike(self.every, n, by_cells=self.directions is not None)
        self.table = self.loosest = self.tightest = table_of(problem, self.asked)
        if problem.share and problem.weight_error:
            self.loosest, self.tightest = self._heavier(-1), self._heavier(2)
        self.everyone = (1 << n) - 1
        most = case.parameters.get("max_splits")
        self.most = (1 << case.depth) - 1 if most is None else min(most, (1 << case.depth) - 1)

    def check_best(self) -> None:
        """Raise AssertionError unless the tree is the best one, and proved so."""
        proof, tie = self.model.proof_, self.problem.tie
        assert proof.proved, "not proved"
        self.check_tree(self.model.tree_, proof.objective)
        costs = least_costs(self.case, self.problem, self.table)
        if self.directions is not None:
            self._check_directed(tie)
            return
        loosest, tightest = costs, costs
        if self.tightest is not self.table:
            loosest = least_costs(self.case, self.problem, self.loosest)
            tightest = least_costs(self.case, self.problem, self.tightest)
        best, worst = loosest[self.most], tightest[self.most] + 2 * self.problem.error
        assert best - tie <= proof.objective <= worst + tie, (
            f"proved {proof.objective!r}, the best of all trees has {costs[self.most]!r}"
        )
        assert proof.lower_bound <= tightest[self.most] + tie, f"bound {proof.lower_bound!r}; best is {best!r}"
        if self.case.learner != CLASSES:
            room, exact = proof.tolerance + self.problem.dust, costs[self.most]
            assert proof.lower_bound <= exact + room, f"bound {proof.lower_bound!r}, best {exact!r}, room {room!r}"
        assert proof.lower_bound >= best - 4 * self.problem.error - tie, f"lower bound {proof.lower_bound!r}"
        self._check_splits(costs, tie)

    def check_early(self, tree: Tree, proof: Proof) -> None:
        """Raise AssertionError unless a stopped search has a tree, and a bound that the best tree keeps."""
        self.check_tree(tree, proof.objective)
        best, tie = self.model.proof_.objective, self.problem.tie + 2 * self.problem.error
        assert proof.lower_bound <= best + tie, (
            f"once stopped, the bound was {proof.lower_bound!r}, above {best!r}"
        )
        assert proof.objective >= best - tie, f"once stopped, it had {proof.objective!r}, and in the end {best!r}"

    def _heavier(self, times: float) -> kernels.Table:
        return table_of(self.problem, self.asked, times * self.problem.weight_error)

    def _check_splits(self, costs: np.ndarray, tie: float) -> None:
        """Raise AssertionError where fewer splits would do, if the fewest are wanted."""
        used = int(np.count_nonzero(self.model.tree_.feature != LEAF))
        if self.problem.error or not self.case.parameters.get("fewest_splits", True):
            return
        best = costs[self.most]
        least = int(np.argmax(costs <= best + tie))
        surely = int(np.argmax(costs <= best + tie / 1e4)) if self.case.learner != CLASSES else least
        assert least <= used <= surely, f"{used} splits; {surely} are enough"

    def _check_directed(self, tie: float) -> None:
        proof, problem, steps = self.model.proof_, self.problem, steps_of(self.columns, self.directions or [])
        # Where weights are rounded, trees with leaves that are heavy enough for certain are not better.
        found = self.functions(self.tightest, proof.objective + tie, steps)
        is_there = len(found.cost) > 0 or self.tightest is not self.table
        assert is_there, f"no tree that keeps to the directions has {proof.objective!r}"
        best = float(found.cost.min(initial=proof.objective))
        assert proof.objective <= best + 2 * problem.error + tie, f"proved {proof.objective!r}; best is {best!r}"
        assert proof.lower_bound <= best + tie, f"lower bound {proof.lower_bound!r}; best is {best!r}"
        assert proof.lower_bound >= proof.objective - 4 * problem.error - tie, f"lower bound {proof.lower_bound!r}"
        used = int(np.count_nonzero(self.model.tree_.feature != LEAF))
        if not problem.error and self.case.parameters.get("fewest_splits", True):
            least = int(found.splits[found.cost <= best + tie].min(initial=used))
            assert used <= least, f"{used} splits; {least} are enough"
        grid = grid_of(self.columns, problem.X.shape[1])
        share = self.model.tree_.value[leaves(self.model.tree_, grid)]
        bit = np.uint64(1) << np.arange(len(grid), dtype=np.uint64)
        for at in np.unique(share[:, 1]).tolist():
            above = np.bitwise_or.reduce(bit[share[:, 1] >= at])
            assert kernels.keeps(steps, above, self.asked.every_cell), f"shares from {at!r} break a direction"
        ones = np.bitwise_or.reduce(bit[share.argmax(axis=1) == 1], initial=np.uint64(0))
        assert kernels.keeps(steps, ones, self.asked.every_cell), "the tree breaks a direction"

    def functions(self, table: kernels.Table, budget: float, steps: kernels.Steps | None = None) -> Found:
        """Return all functions of trees within the budget, and of directions where there are some."""
        empty = np.empty(0, np.uint64)
        steps = steps or kernels.Steps(empty, empty, np.empty(0, bool))
        kernels.start_round(MEMO)
        FUNCTIONS.size[kernels.LEVELS] = 0
        place = table, MEMO, FUNCTIONS, steps, 0, self.everyone, self.asked.every_cell
        kernels.functions(*place, self.case.depth, self.most, budget)
        return Found(*_written(FUNCTIONS.size, FUNCTIONS[:4]))

    def trees(self, more_weight: float, budget: float) -> Counted:
        """Return all trees within the budget."""
        kernels.start_round(MEMO)
        TREES.size[kernels.LEVELS] = 0
        table = table_of(self.problem, self.every, more_weight)
        seen = np.empty((kernels.LEVELS, len(self.every.rows)), np.int64)
        kernels.trees(table, MEMO, TREES, seen, 0, self.everyone, self.case.depth, self.most, budget)
        return Counted(*_written(TREES.size, TREES[1:6]))

    def check_tree(self, tree: Tree, objective: float, is_first: bool = True) -> np.ndarray:
        """Return the tree's class at each row. Raises AssertionError unless it keeps to all options."""
        problem, n = self.problem, len(self.problem.y)
        fields = tree.feature, tree.threshold, tree.left, tree.right, tree.categories, tree.missing_left
        yes, rows = kernels.rows_of_nodes(*fields, problem.X)
        is_leaf = tree.feature == LEAF
        assert np.count_nonzero(~is_leaf) <= self.most, f"{np.count_nonzero(~is_leaf)} splits, at most {self.most}"
        depth = np.zeros(len(is_leaf), int)
        for node in np.flatnonzero(~is_leaf):
            depth[[tree.left[node], tree.right[node]]] = depth[node] + 1
        assert depth.max() <= self.case.depth, f"depth {depth.max()}"
        forced = self._forced_nodes(tree, yes, rows)
        everyone = (1 << n) - 1
        pairs = zip(self.every.feature.tolist(), self.every.rows.tolist(), strict=True)
        known = {(j, min(one, everyone ^ one)) for j, one in pairs}
        for node in set(np.flatnonzero(~is_leaf).tolist()) - forced:
            name = int(tree.feature[node]), min(int(yes[node]), everyone ^ int(yes[node]))
            assert name in known, f"node {node} asks what it may not: column {name[0]}"
        parts = rows[is_leaf].tolist() if len(rows) > 1 else []
        assert all(kernels.may_be_leaf(self.loosest, part) for part in parts), "a light leaf"
        cost = 0.0
        for node in np.flatnonzero(is_leaf).tolist():
            inside = (int(rows[node]) >> np.arange(n) & 1).astype(bool)
            if problem.loss.shape[1]:
                cost += float(problem.loss[inside, int(tree.value[node].argmax())].sum())
                continue
            mean = float(tree.value[node, 0])
            cost += float((problem.weight[inside] * (problem.y[inside] - mean) ** 2).sum())
        tie = problem.tie * (1 if problem.loss.shape[1] else 2)
        assert abs(cost - objective) <= tie, f"the tree costs {cost!r}, and {objective!r} is said"
        return rows

    def _forced_nodes(self, tree: Tree, yes: np.ndarray, rows: np.ndarray) -> set[int]:
        found = set()
        for path, asked in forced_yes(self.case, self.problem).items():
            node = 0
            for step in path:
                node = int((tree.left if step == "L" else tree.right)[node])
            j = (self.case.parameters["forced_splits"])[path][0]
            assert tree.feature[node] == j, f"no given split at {path!r}"
            assert (int(yes[node]) ^ asked) & int(rows[node]) == 0, f"another split at {path!r}"
            found.add(node)
        return found

    # ---- trees as good

    def check_list(self) -> None:
        """Raise AssertionError unless the list has every function within the slack, once, in order."""
        problem, tie = self.problem, self.problem.tie
        trees = list(self.model.optimal_trees(self.case.slack, limit=MOST_LISTED + 1))
        most = self.model.proof_.objective + self.case.slack
        found = self.functions(self.loosest, most + 2 * problem.error + tie)
        if problem.error:
            sure = self.functions(self.tightest, most - 2 * problem.error - tie)
            low, high = (min(len(some.cost), MOST_LISTED + 1) for some in (sure, found))
            assert low <= len(trees) <= high, f"{len(trees)} functions are listed, {low} to {high} there are"
        else:
            expected = sorted(zip(found.cost.tolist(), found.splits.tolist(), strict=True))[: MOST_LISTED + 1]
            n, there = len(trees), len(found.cost)
            assert n == len(expected), f"{n} functions are listed, {there} there are"
            for tree, (cost, _) in zip(trees, expected, strict=True):
                assert abs(tree.objective - cost) <= tie, f"{tree.objective!r} is listed where {cost!r} comes next"
            if n <= MOST_LISTED:  # else trees of the last objective may be others
                of_trees = Counter((round(tree.objective, 6), tree.n_splits) for tree in trees)
                sizes = Counter((round(cost, 6), splits) for cost, splits in expected)
                assert sizes == of_trees, f"splits of the functions: {of_trees} instead of {sizes}"
        self._check_functions(trees, found)

    def _check_functions(self, trees: list[NearTree], found: Found) -> None:
        grid = grid_of(self.columns, self.problem.X.shape[1])
        bit = np.uint64(1) << np.arange(len(grid), dtype=np.uint64)
        there = set(zip(found.ones.tolist(), found.twos.tolist(), strict=True))
        seen = set()
        for tree, objective, _ in trees[:MOST_LOOKED_AT]:
            self.check_tree(tree, objective)
            label = tree.value[leaves(tree, grid)].argmax(axis=1)
            name = tuple(int(np.bitwise_or.reduce(bit[label == c], initial=np.uint64(0))) for c in (1, 2))
            assert name in there, "a tree is listed that is not within the slack"
            assert name not in seen, "a function is listed twice"
            seen.add(name)

    def check_count(self, training: TrainingData) -> None:
        """Raise AssertionError unless every tree within the slack is counted once, by objective and size."""
        problem, tie = self.problem, self.problem.tie
        most = self.model.proof_.objective + self.case.slack
        expected = self.trees(-problem.weight_error, most + 2 * problem.error + tie)
        trees = trees_as_good(self.model, training, self.case.slack)
        there = len(expected.cost)
        if problem.error:
            sure = len(self.trees(2 * problem.weight_error, most - 2 * problem.error - tie).cost)
            assert sure <= trees.n_trees <= there, (
                f"{trees.n_trees} trees are counted, {sure} to {there} there are"
            )
        else:
            sizes = {(round(size.objective, 6), size.n_splits): size.n_trees for size in trees.sizes}
            pairs = Counter(zip(expected.cost.round(6).tolist(), expected.splits.tolist(), strict=True))
            assert sizes == pairs, f"{trees.n_trees} trees are counted, {there} there are: {sizes}, {pairs}"
            self._check_classes(trees, expected)
            self._check_columns(trees, expected)
        for place in sorted({0, trees.n_trees // 2, trees.n_trees - 1}):
            near = trees.near(place)
            self.check_tree(near.tree, near.objective)

    def _check_classes(self, trees: TreesAsGood, every: Counted) -> None:
        """Raise AssertionError unless it is right which classes trees as good give to each row."""
        n, n_classes = self.problem.loss.shape
        label = (every.ones[:, None] >> np.arange(n) & 1) + 2 * (every.twos[:, None] >> np.arange(n) & 1)
        least = np.full((n, n_classes), np.inf)
        for row in range(n):
            np.minimum.at(least[row], label[:, row], every.cost)
        objective = open_classes(trees).objective
        assert np.allclose(objective, least, rtol=1e-9, atol=self.problem.tie), (
            f"the least objectives by row and class are {least.tolist()}, not {objective.tolist()}"
        )

    def _check_columns(self, trees: TreesAsGood, every: Counted) -> None:
        """Raise AssertionError unless it is right how many trees do without each column."""
        n_columns = self.problem.X.shape[1]
        asks = (every.asked[:, None] >> np.arange(n_columns) & 1).astype(bool)
        found, there = trees_without(trees, n_columns), (~asks).sum(axis=0).tolist()
        assert found == there, f"{found} trees are said to do without each column, {there} do"


class Found(NamedTuple):
    """Different functions within a budget."""

    ones: np.ndarray  # the cells with label 1
    twos: np.ndarray  # and with label 2
    cost: np.ndarray
    splits: np.ndarray


class Counted(NamedTuple):
    """Trees within a budget."""

    ones: np.ndarray  # the rows with label 1
    twos: np.ndarray
    cost: np.ndarray
    splits: np.ndarray
    asked: np.ndarray  # columns, as bits


def _written(size: np.ndarray, fields: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Return what the kernels wrote of the whole table."""
    if size[kernels.LEVELS] or MEMO.state[kernels.IS_FULL]:
        raise Unreached("too many trees")
    return [field[0, : size[0]].copy() for field in fields]
