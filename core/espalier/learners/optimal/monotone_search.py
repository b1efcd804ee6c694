"""The best tree of two classes whose predictions only rise, or only fall, with some columns.

The search for the best tree of any kind solves the two sides of a split apart, which directions forbid. So it is
asked again and again, each time with a few made-up samples whose labels are fixed. If its best tree breaks a
direction, there are two samples of which the upper one gets the lower class. Every tree that keeps to the
directions gives the lower one the lower class, or the upper one the upper class: two cases, of which the one with
the least bound is searched first, as in planning for several agents (Sharon et al. 2015, conflict-based search).
The least bound of the open cases holds for every tree that keeps to the directions, and the search ends when it
reaches the best tree found. Each case's best tree, with the best labels that the directions allow, is a candidate.

A leaf is a product of cells: the thresholds of a number cut its range into cells, each category is one, and so is
the missing value. Cells of a falling column count from its greatest value, so that all directions rise. A leaf
lies at or below another one if some x of the first is at most some x' of the second in the directed columns, and
equal to it in all others. Predictions keep to the directions exactly if of two such leaves the upper one never has
the lower class.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from espalier.data.binarise import N_CODES, Questions, answers, make_questions
from espalier.learners.optimal.near_optimal import codes_of
from espalier.learners.optimal.problem import (
    MOST,
    DistinctQuestions,
    FixedLabels,
    MergedRows,
    RankedColumns,
    SearchLimits,
    append_labels,
    fixed_bits,
    merge_rows,
    whole_costs,
)
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import BuildingData, ColumnSplit, Shape, build_tree, shape_of
from espalier.learners.optimal.tree_search import Glance, Proof, TreeSearch, WithinProgress
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, read_only

ENDLESS = 1 << 30  # more than all rows can cost
FIRST_SLICE = 0.5  # seconds of a search before its best tree so far is a candidate; then twice as long each time
MOST_TRIED = 200  # samples of two leaves that are moved, to find a pair that breaks a direction
MOST_CASES = 200_000  # that may be open, of about a kilobyte each; the search then ends without a proof
ROOM = 32  # times as much as all samples cost, where costs are rounded: for labels that no tree breaks
LOWER, UPPER = 0, 1  # the classes


class Case(NamedTuple):
    """All trees that give some made-up samples fixed labels; cases are compared by their bound."""

    bound: int  # none of these trees that keeps to the directions has a lower value
    n_free: int  # less with more samples: of equal bounds the case that is furthest comes first
    order: int  # of arrival
    samples: tuple[np.ndarray, ...]  # (n_features,) float64 each
    labels: tuple[int, ...]


class LabelledTree(NamedTuple):
    """A shape with the best labels that the directions allow."""

    value: int  # cost * unit + splits
    shape: Shape  # without splits between equal leaves
    regions: list[Region]  # of the leaves before that
    below: np.ndarray  # (n_leaves, n_leaves) bool: which leaf (row) lies at or below which
    label: np.ndarray  # (n_leaves,)


class MonotoneSearch:
    """A search for the best tree that keeps to directions; one thread calls `run`, others may observe it."""

    def __init__(
        self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, directions: np.ndarray,
        columns: RankedColumns | None = None,
    ):  # fmt: skip
        """Raises ValueError for more questions than can be counted in pairs, unless columns are searched.

        `X` (n_samples, n_features) are the samples, `directions` (n_features,) 1, -1 or 0. `columns` are the ranks
        of the samples, where the sorted columns are to be searched, with equal ones.
        """
        costs = whole_costs(inputs.weight, inputs.cost)
        if costs.error:  # labels have room beside them, each at a price above that of the best tree
            costs = whole_costs(inputs.weight, inputs.cost, MOST // ROOM)
        self.limits, self.inputs = limits, inputs._replace(costs=costs)
        self._X, self._columns = X, columns
        self._fixed: FixedLabels | None = None  # of the current case
        self._case: Case | None = Case(0, 0, 0, (), ())  # is searched now; None at the end
        self._current = self._search_of(self._case, 1)
        self.inputs = self._current.inputs
        self._place = {question: place for place, question in enumerate(self.inputs.columns.question.tolist())}
        self._rows = merge_rows(self.inputs.columns.bits, self.inputs.label, self._current.costs)
        self._unit, self._tie = 1 << limits.max_depth, int(limits.fewest)
        self._cells = Cells(inputs.questions, self.inputs.columns, directions)
        self._open: list[Case] = []  # a heap: the case with the least bound comes first
        self._n_cases, self._n_solved, self._is_full = 1, 0, False
        self.trace: list[Glance] = []
        self.scope: dict[str, Any] = {}  # as of a `TreeSearch`
        self.seconds, self.is_running = 0.0, False
        self._best = self._label_leaves(None)

    @property
    def is_proved(self) -> bool:
        """Whether the best tree found is proved to be the best that keeps to the directions."""
        return self._low >= self._best.value

    @property
    def _low(self) -> int:
        """Lower bound of the value of every tree that keeps to the directions."""
        case, least = self._case, min((case.bound for case in self._open[:1]), default=self._best.value)
        return min(least, self._best.value) if case is None else min(case.bound, least, self._best.value)

    def run(self, time_limit: float | None = None, progress: Progress | None = None) -> None:
        """Search until the best tree is proved, the time (seconds) is over, or `progress` is stopped.

        Results are kept, and another call continues from there. `progress` counts what the bound is of the best
        tree's objective, as a number of samples.
        """
        progress = progress or Progress()
        within, slice_seconds = WithinProgress(progress), FIRST_SLICE
        began, before = time.perf_counter(), self.seconds
        self.is_running = True
        try:
            while not (self.is_proved or self._is_full or progress.is_stopped):
                left = np.inf if time_limit is None else time_limit - (self.seconds - before)
                if left <= 0:
                    break
                is_closed = self._go_on(min(left, slice_seconds), within)
                slice_seconds = FIRST_SLICE if is_closed else 2 * slice_seconds
                self.seconds = before + time.perf_counter() - began
                self._note(progress)
        finally:
            self.is_running = False
        self._note(progress)

    def best(self) -> tuple[Tree, Proof]:
        """Return the best tree found and its proof; any thread may call this while another one searches."""
        shape, is_proved, low = self._best.shape, self.is_proved, self._low
        tree, objective = build_tree(self.inputs, shape)
        error = self._current.costs.error
        bound = objective if is_proved and error == 0 else max(self._current.cost_of(low) - error, 0.0)
        n = len(self.inputs.questions.feature), len(self.inputs.columns.question)
        effort = self._n_solved + self._current.subproblems, self._current.cache_used, self.seconds
        proof = Proof(objective, min(bound, objective), is_proved, *n, *effort, **self.scope)
        return self._order_shares(tree, shape), proof

    def tree(self) -> Tree:
        """Return the best tree found."""
        return self.best()[0]

    def proof(self) -> Proof:
        """Return the proof of the best tree found."""
        return self.best()[1]

    @property
    def aim(self) -> tuple[float, float]:
        """As `OptimalSearch.aim`: no other bound is being proved than the objective of the best tree so far."""
        return self._cost_of(self._best.value), 1.0

    @property
    def megabytes(self) -> float:
        """Memory that the bounds table takes by now."""
        return self._current.megabytes

    # ---- cases

    def _search_of(self, case: Case, price: int) -> TreeSearch:
        if case.samples:
            bits = answers(self.inputs.questions, np.array(case.samples))
            self._fixed = FixedLabels(bits, np.array(case.labels), price)
        if self._columns is None:
            return OptimalSearch(self.inputs, self.limits, self._fixed)
        return ThresholdSearch(self.inputs, self.limits, self._X, self._columns, self._fixed)

    def _shape_found(self) -> Shape:
        """Return the shape of the current search's best tree."""
        questions = self._current.questions()
        if self._columns is not None:  # which tells questions, not columns
            questions = [self._place[question] if question != LEAF else LEAF for question in questions]
        return shape_of(questions)

    def _go_on(self, seconds: float, progress: Progress) -> bool:
        """Search in the current case for some seconds; return whether that came to an end."""
        search = self._current
        search.run(seconds, progress)
        assert self._case is not None
        # Breaking a label has a price that trees of this case do not pay: their least value is no less than that
        # of all trees. What directions forbid at stumps, no tree of the case has either.
        bound = max(self._case.bound, search.bounds[0])
        self._case = self._case._replace(bound=bound)
        shape = self._shape_found()
        tree = self._label_leaves(shape)
        if tree.value < self._best.value:
            self._best = tree
        if not search.is_proved and bound < self._best.value:
            return False
        if bound < self._best.value:
            self._divide(self._case, shape, tree)
        self._next()
        return True

    def _next(self) -> None:
        """Turn to the open case with the least bound; there is none if the best tree is as good."""
        self._case = heapq.heappop(self._open) if self._open else None
        if self._case is None or self.is_proved:
            return
        price = 1 << (self._best.value // self._unit + 1).bit_length()  # more than the best tree costs
        is_dear = int(self._rows.worth.sum()) + price * len(self._case.labels) > MOST
        self._is_full = is_dear or len(self._open) >= MOST_CASES
        if not self._is_full:
            self._n_solved += self._current.subproblems
            self._current = self._search_of(self._case, price)

    def _divide(self, case: Case, shape: Shape, tree: LabelledTree) -> None:
        """Open the two cases of a pair of samples whose labels the current case's best tree has the wrong way."""
        first, second = self._conflict(shape, tree)
        low, high = self._step(shape, tree.regions, first, second)
        cells, is_moved = self._cells, _is_moved(low, high)
        for label, at, end in ((LOWER, low, cells.lowest), (UPPER, high, cells.highest)):
            samples = at, np.where(is_moved, end, at)  # what lies beyond has the same label
            labels = *case.labels, label, label
            # Its trees are among those of this case.
            more = Case(case.bound, case.n_free - 1, self._n_cases, (*case.samples, *samples), labels)
            heapq.heappush(self._open, more)
            self._n_cases += 1

    def _conflict(self, shape: Shape, tree: LabelledTree) -> tuple[int, int]:
        """Return the leaves that break a direction, the lower one first, where mending costs most."""
        rows, labels = self._rows, self._fixed
        if labels is not None:
            rows = append_labels(rows, fixed_bits(self.inputs.columns, labels), labels)
        cost = _costs(self._cells.leaves(shape, rows.bits)[1], rows)
        rise = cost[:, LOWER] - cost[:, UPPER]  # what label 1 saves
        label = np.where(rise == 0, tree.label, rise > 0)
        pairs = np.argwhere(tree.below & (label[:, None] == UPPER) & (label == LOWER))
        price = np.minimum(rise[pairs[:, 0]], -rise[pairs[:, 1]])
        return tuple(pairs[price.argmax()].tolist())

    def _step(self, shape: Shape, regions: list[Region], first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a sample in each of two leaves, the second at or above the first: moved ones where possible."""
        low, high = self._cells.step(regions[first], regions[second])
        is_moved = _is_moved(low, high)
        _, members = self._cells.leaves(shape, self.inputs.columns.bits)
        rows = np.flatnonzero(members[first] | members[second])
        X = self._X[rows[:: -(-len(rows) // MOST_TRIED)]]
        lower, upper = np.where(is_moved, low, X), np.where(is_moved, high, X)
        fits = np.flatnonzero(self._are_in(first, shape, lower) & self._are_in(second, shape, upper))
        if not len(fits):
            return low, high
        middle = fits[len(fits) // 2]
        return lower[middle], upper[middle]

    def _are_in(self, leaf: int, shape: Shape, X: np.ndarray) -> np.ndarray:
        columns = self.inputs.columns
        bits = answers(self.inputs.questions, X)[:, columns.question] ^ columns.flipped
        return self._cells.leaves(shape, bits)[1][leaf]

    # ---- trees

    def _label_leaves(self, shape: Shape) -> LabelledTree:
        regions, members = self._cells.leaves(shape, self._rows.bits)
        below, cost = self._cells.below(regions), _costs(members, self._rows)
        label = best_labels(cost, below)
        simple = _merge_leaves(shape, iter(label.tolist()))
        total = int(cost[np.arange(len(label)), label].sum())
        value = total * self._unit + _n_splits(simple) * self._tie
        return LabelledTree(value, simple, regions, below, label)

    def _order_shares(self, tree: Tree, shape: Shape) -> Tree:
        """Return a tree of this shape with shares in the leaves that keep to the directions, too."""
        regions, is_leaf = self._cells.leaves(shape, self._rows.bits)[0], tree.feature == LEAF
        own = build_tree(self.inputs, _drop_labels(shape))[0].value[is_leaf, UPPER]
        label = tree.value[is_leaf].argmax(axis=1)
        share, value = shares_in_order(own, label, self._cells.below(regions)), tree.value.copy()
        value[is_leaf] = np.column_stack([1 - share, share])
        return tree._replace(value=read_only(value), impurity=read_only(1.0 - (value * value).sum(axis=1)))

    def _cost_of(self, value: int) -> float:
        return self._current.cost_of(value)

    def _note(self, progress: Progress) -> None:
        """Append the current state to the trace, if it has changed."""
        best, low = self._cost_of(self._best.value), self._cost_of(self._low)
        if not self.trace or self.trace[-1][1:] != (best, low):
            self.trace.append((self.seconds, best, low))
        progress.done = round(len(self._X) * (low / best if best else 1.0))


def _is_moved(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the features in which the two samples differ, (n_features,) bool."""
    return (low != high) & ~np.isnan(low)


def _costs(members: list[np.ndarray], rows: MergedRows) -> np.ndarray:
    """Return what each label of each leaf costs, (n_leaves, 2) int64; `members` as `Cells.leaves` returns them."""
    return np.array([(rows.worth[:, None] - rows.earned)[inside].sum(axis=0) for inside in members])


def _merge_leaves(shape: Shape, labels: Iterator[int]) -> Shape:
    """Return the shape with these labels in its leaves, without splits between equal ones."""
    if not isinstance(shape, ColumnSplit):
        return next(labels)
    yes, no = _merge_leaves(shape.one, labels), _merge_leaves(shape.zero, labels)
    return yes if yes == no and not isinstance(yes, ColumnSplit) else ColumnSplit(shape.column, yes, no)


def _drop_labels(shape: Shape) -> Shape:
    if not isinstance(shape, ColumnSplit):
        return None
    return ColumnSplit(shape.column, _drop_labels(shape.one), _drop_labels(shape.zero))


def _n_splits(shape: Shape) -> int:
    return 1 + _n_splits(shape.one) + _n_splits(shape.zero) if isinstance(shape, ColumnSplit) else 0


# ---- which leaves of a tree lie at or below which

Region: TypeAlias = "tuple[int, ...]"  # of each feature the cells, as bits


class Cells:
    """The cells of all features, as the columns of a search separate them."""

    def __init__(self, questions: Questions, columns: DistinctQuestions, directions: np.ndarray):
        self._feature = questions.feature[columns.question].tolist()
        self._values = [_values_of(i, questions, int(step)) for i, step in enumerate(directions)]
        self._directed = directions != 0
        self._known = [(1 << int(np.count_nonzero(~np.isnan(values)))) - 1 for values in self._values]
        self._questions, self._columns = questions, columns
        self._ones: dict[int, int] = {}  # of a column, the cells of its feature for which it is 1
        self.lowest = np.array([values[0] for values in self._values])  # (n_features,): a value in the first cell
        self.highest = np.array([values[-2] for values in self._values])  # in the last one; nan comes after it

    def _cells_of(self, column: int) -> int:
        """Return the cells of its feature for which a column is 1."""
        if column not in self._ones:
            question = make_questions(*(field[self._columns.question[[column]]] for field in self._questions))
            values = self._values[self._feature[column]]
            yes = answers(question._replace(feature=np.zeros(1, np.int32)), values[:, None])[:, 0]
            cells = np.flatnonzero(yes ^ self._columns.flipped[column])
            self._ones[column] = sum(1 << cell for cell in cells.tolist())
        return self._ones[column]

    def leaves(self, shape: Shape, bits: np.ndarray) -> tuple[list[Region], list[np.ndarray]]:
        """Return the region of each leaf of a shape in preorder, and its groups of rows, (n_groups,) bool.

        `bits` (n_groups, n_columns) are the rows' answers.
        """
        everything = tuple((1 << len(values)) - 1 for values in self._values)
        regions, members = zip(*self._walk(shape, everything, np.ones(len(bits), bool), bits), strict=True)
        return list(regions), list(members)

    def _walk(
        self, shape: Shape, region: Region, inside: np.ndarray, bits: np.ndarray
    ) -> Iterator[tuple[Region, np.ndarray]]:
        if not isinstance(shape, ColumnSplit):
            yield region, inside
            return
        at, ones, is_one = self._feature[shape.column], self._cells_of(shape.column), bits[:, shape.column]
        for below, cells, rows in ((shape.one, ones, is_one), (shape.zero, ~ones, ~is_one)):
            part = (*region[:at], region[at] & cells, *region[at + 1 :])
            yield from self._walk(below, part, inside & rows, bits)

    def below(self, regions: list[Region]) -> np.ndarray:
        """Return which leaf (row) lies at or below which other one (column), (n_leaves, n_leaves) bool."""
        return np.array(
            [[i != j and self._is_below(a, b) for j, b in enumerate(regions)] for i, a in enumerate(regions)],
            dtype=bool,
        )

    def _is_below(self, first: Region, second: Region) -> bool:
        """Return whether some x of the first region lies at or below some x' of the second."""
        for at, values in enumerate(self._known):
            low, high = first[at], second[at]
            if low & high:
                continue
            low, high = low & values, high & values
            if not (self._directed[at] and low and high and _least(low) < high.bit_length()):
                return False
        return True

    def step(self, first: Region, second: Region) -> tuple[np.ndarray, np.ndarray]:
        """Return samples of two regions of which the first lies below the second, far apart where that may be.

        They are (n_features,) float64 each; nan is the missing value.
        """
        pairs = [self._cells_apart(at, first[at], second[at]) for at in range(len(first))]
        values = [[of[cell] for cell in pair] for of, pair in zip(self._values, pairs, strict=True)]
        low, high = np.array(values, np.float64).reshape(-1, 2).T
        return low, high

    def _cells_apart(self, at: int, low: int, high: int) -> tuple[int, int]:
        """Return a cell of each of two sets: the last of the first set and the first of the second, if in order.

        Else both are the one in the middle of those that the sets share.
        """
        values = self._known[at]
        top, bottom = (low & values).bit_length() - 1, _least(high & values)
        if self._directed[at] and 0 <= top <= bottom:
            return top, bottom
        common = low & high & values or low & high
        cells = [cell for cell in range(len(self._values[at])) if common >> cell & 1]
        middle = cells[len(cells) // 2]
        return middle, middle


def _least(cells: int) -> int:
    """Return the first cell of a set; -1 of the empty one."""
    return (cells & -cells).bit_length() - 1


def _values_of(feature: int, questions: Questions, direction: int) -> np.ndarray:
    """Return a value in each cell of a feature, in its direction, nan last."""
    about = questions.feature == feature
    codes = codes_of(questions, about)
    if len(codes):
        other = next(code for code in range(N_CODES + 1) if code not in codes)
        return np.append(codes, [other, np.nan]).astype(np.float64)
    cuts = questions.threshold[about]
    values = np.append(np.unique(cuts[cuts < np.inf]), np.inf)
    return np.append(values[::-1] if direction < 0 else values, np.nan)


def shares_in_order(share: np.ndarray, label: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return shares of class 1 in the leaves' order, (n_leaves,), from their own shares and labels.

    A share becomes the middle of the greatest at or below it and the least at or above it; a leaf whose label is
    not its own best only knows on which side of a half it is.
    """
    order = below | np.eye(len(label), dtype=bool)
    for _ in range(len(label).bit_length()):
        order = (order.astype(np.int64) @ order) > 0
    is_own = (share > 0.5) == (label == 1)
    low, high = np.where(is_own, share, label / 2), np.where(is_own, share, (label + 1) / 2)
    most = np.where(order, low[:, None], 0.0).max(axis=0)
    least = np.where(order, high, 1.0).min(axis=1)
    return (most + least) / 2


def best_labels(cost: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return the cheapest labels (n_leaves,) 0 or 1 of leaves in order, by a minimal cut (Picard 1976).

    `cost` (n_leaves, 2) are whole numbers; `below` (n_leaves, n_leaves) bool tells which leaf lies below which.
    """
    n = len(cost)
    room = np.zeros((n + 2, n + 2), np.int32)  # after the leaves the source, the side of label 1, and the sink
    room[:n, :n] = np.where(below, ENDLESS, 0)
    room[n, :n], room[:n, n + 1] = cost[:, 0], cost[:, 1]
    flow = maximum_flow(csr_array(room), n, n + 1).flow.toarray()
    rest = csr_array((room - flow > 0).astype(np.int32))
    labels = np.zeros(n + 2, np.int64)
    labels[breadth_first_order(rest, n, return_predecessors=False)] = 1
    return labels[:n]
