"""The search for the best tree that begins with given splits: of each of their ends, the best branch.

Branches are searched one after the other, by sorted columns. Where all splits together have a limit, each branch
is searched for every number of splits that it may have, and the splits are shared out as is best.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions
from espalier.language import Refusal
from espalier.learners.forbidden import Columns
from espalier.learners.forced_splits import read_forced
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import whole_costs
from espalier.learners.optimal.ranks import ranked_columns
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import BuildingData, tree_of_questions
from espalier.learners.optimal.tree_search import SearchLimits, TreeSearch, WithinProgress
from espalier.progress import Progress
from espalier.trees import Tree

SLICE = 0.2  # seconds of a search before the next glance
Found: TypeAlias = "tuple[int, int]"


class FreeBranch(NamedTuple):
    """An end of the given splits, with its searches for the best branch of 0, 1, ... splits, or of any number."""

    path: str
    searches: list[ThresholdSearch]


class Sum(NamedTuple):
    """The least value of some branches together, and the search of each that has it."""

    value: int
    chosen: tuple[int, ...]


class ForcedSplits(NamedTuple):
    """Splits that a tree begins with."""

    paths: list[str]
    questions: Questions  # in the order of the paths


class ForcedSearch(TreeSearch):
    """A search for the best tree that begins with given splits.

    A given split may ask what no other may, about a column that is left out or at a threshold that was not chosen:
    branches are searched over the free questions alone. Given ones are numbered after these.
    """

    def __init__(self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, forced: ForcedSplits):
        """`inputs` have the free questions. Raises ValueError where a leaf would be empty or too light."""
        super().__init__(inputs, limits)
        self._X, self.costs, paths = X, whole_costs(inputs.weight, inputs.cost), forced.paths
        self._every_question = _joined(inputs.questions, forced.questions)
        self._forced = {path: number for number, path in enumerate(paths, len(inputs.questions.feature))}
        self._unit, self._tie = 1 << limits.max_depth, int(limits.fewest)
        self.n_distinct = ranked_columns(inputs.questions, X).n_distinct
        given = answers(forced.questions, X)
        ends = list(_ends(dict(zip(paths, given.T, strict=True)), "", np.ones(len(X), bool)))
        free = limits.max_splits - len(paths)
        has_limit = free < sum(2 ** (limits.max_depth - len(path)) - 1 for path, _ in ends)
        self._branches = [FreeBranch(path, self._searches(path, rows, free, has_limit)) for path, rows in ends]

    def _searches(self, path: str, rows: np.ndarray, free: int, has_limit: bool) -> list[ThresholdSearch]:
        depth = self.limits.max_depth - len(path)
        most = min(2**depth - 1, free)
        costs = self.costs._replace(weight=self.costs.weight[rows])
        part = self.inputs._replace(label=self.inputs.label[rows], weight=self.inputs.weight[rows], costs=costs)
        share = self.limits.leaf_share * self.inputs.weight.sum() / max(part.weight.sum(), 1e-300)
        if not rows.any() or share > 1 + 1e-9:
            lack = "too little weight" if rows.any() else "no samples"
            raise ValueError(f"forced_splits leave {lack} at the path {path!r}; change the split above it")
        columns = ranked_columns(self.inputs.questions, self._X[rows])
        limits = self.limits._replace(max_depth=max(depth, 1), leaf_share=min(share, 1.0))
        splits = range(most + 1) if has_limit else [most]
        return [ThresholdSearch(part, limits._replace(max_splits=n), self._X[rows], columns) for n in splits]

    @property
    def is_proved(self) -> bool:
        """Whether the best branches are all proved."""
        return all(search.is_proved for search in self._all)

    @property
    def _all(self) -> list[ThresholdSearch]:
        return [search for branch in self._branches for search in branch.searches]

    @property
    def subproblems(self) -> int:
        """Number of sets of samples that were solved by trees of depth two."""
        return sum(search.subproblems for search in self._all)

    @property
    def megabytes(self) -> float:
        """Memory that the sorted rows take."""
        return sum(search.megabytes for search in self._all)

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the mean share of settled first questions."""
        shares = [search.aim[1] for search in self._all]
        return self.cost_of(self._reached()[0]), sum(shares) / len(shares)

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        chosen = dict(zip((branch.path for branch in self._branches), self._best(1).chosen, strict=True))
        found = {branch.path: branch.searches[chosen[branch.path]] for branch in self._branches}
        return list(self._in_order("", {path: search.questions() for path, search in found.items()}))

    def _in_order(self, path: str, found: dict[str, list[int]]) -> Iterator[int]:
        if path in found:
            yield from found[path]
            return
        yield self._forced[path]
        for side in "LR":
            yield from self._in_order(path + side, found)

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its misclassification cost."""
        return tree_of_questions(self.inputs._replace(questions=self._every_question), self._X, questions)

    def cost_of(self, value: int) -> float:
        """Return the misclassification cost of trees of this value."""
        return float(value // self._unit / self.costs.scale)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Raise Refusal: trees as good may begin otherwise."""
        raise Refusal("trees as good as the best one are not listed with forced_splits; fit without them")

    def run(self, time_limit: float | None = None, progress: Progress | None = None) -> None:
        """Search until the best tree is proved, the time (seconds) is over, or `progress` is stopped.

        Results are kept, and another call continues from there. `progress` counts the settled share of the first
        questions, as a number of samples.
        """
        progress = progress or Progress()
        began, spent, self.is_running = time.perf_counter(), self.seconds, True
        try:
            for search in self._all:
                left = np.inf if time_limit is None else time_limit
                while not (search.is_proved or progress.is_stopped) and left > 0:
                    search.run(min(left, SLICE), WithinProgress(progress))
                    self.seconds = spent + time.perf_counter() - began
                    left = np.inf if time_limit is None else time_limit - (self.seconds - spent)
                    self._note()
                    progress.done = round(len(self._X) * self.aim[1])
        finally:
            self.is_running = False
        self._note()

    def _watched(self) -> Iterator[None]:
        raise NotImplementedError("`run` has the branches searched")

    def _set_stop(self) -> None:
        """Do nothing: the branches are stopped by their own progress."""

    def _reached(self) -> Found:
        return self._best(1).value, self._best(0).value

    def _best(self, at: int) -> Sum:
        """Return the branches of the least value together (`at` 1), or of the least bound (0)."""
        free = self.limits.max_splits - len(self._forced)
        sums = {0: Sum(len(self._forced) * self._tie, ())}  # by the splits that the branches may have
        for branch in self._branches:
            more: dict[int, Sum] = {}
            for used, known in sums.items():
                for place, search in enumerate(branch.searches):
                    n = used + (place if len(branch.searches) > 1 else 0)
                    found = Sum(known.value + self._value(search, at), (*known.chosen, place))
                    if n <= free and (n not in more or found.value < more[n].value):
                        more[n] = found
            sums = more
        return min(sums.values(), key=lambda one: one.value)

    def _value(self, search: ThresholdSearch, at: int) -> int:
        """Return a branch's value, or lower bound, in units of the whole tree, with what no tree avoids.

        Branches have rows of their own, and searches of their own for each number of splits and for their share of
        the least weight: no bound passes from one to another.
        """
        value, unit = search.bounds[at], 1 << search.limits.max_depth
        return (value // unit + search.unavoidable) * self._unit + value % unit


def _ends(given: dict[str, np.ndarray], path: str, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Return the path and the rows of each end of the given splits, whose answers are (n_samples,) bool."""
    if path not in given:
        yield path, rows
        return
    yield from _ends(given, path + "L", rows & given[path])
    yield from _ends(given, path + "R", rows & ~given[path])


# The parameters ---------------------------------------------------------------------------------------


def read_splits(forced: Mapping[str, tuple[Any, ...]], columns: Columns) -> ForcedSplits:
    """Return the splits of `forced_splits`, in order. Raises ValueError for what is no split."""
    splits = read_forced(forced, columns)
    return ForcedSplits(list(splits), make_questions(*zip(*splits.values(), strict=True)))


def without(questions: Questions, features: list[int]) -> Questions:
    """Return the questions about other columns than these."""
    kept = ~np.isin(questions.feature, features)
    return make_questions(*(field[kept] for field in questions))


def _joined(questions: Questions, more: Questions) -> Questions:
    return make_questions(*(np.append(a, b) for a, b in zip(questions, more, strict=True)))
