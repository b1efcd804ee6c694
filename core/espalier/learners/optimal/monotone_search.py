"""The best tree of two classes whose predictions only rise, or only fall, with some columns.

The search for the best tree of any kind solves the two sides of a split apart, which directions forbid. So it is
asked again and again, each time with a few made-up samples whose labels are fixed. If its best tree breaks a
direction, there are two samples of which the upper one gets the lower class. Every tree that keeps to the
directions gives the lower one the lower class, or the upper one the upper class: two cases, of which the one with
the least bound is searched first, as in planning for several agents (Sharon et al. 2015, conflict-based search).
The least bound of the open cases holds for every tree that keeps to the directions, and the search ends when it
reaches the best tree found. Each case's best tree, with the best labels that the directions allow, is a candidate.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from espalier.data.binarise import answers
from espalier.learners.optimal.leaf_order import Cells, Leaf, Step, best_labels, shares_in_order
from espalier.learners.optimal.problem import (
    MOST,
    Costs,
    FixedLabels,
    MergedRows,
    fixed_bits,
    merge_rows,
    whole_costs,
    with_labels,
)
from espalier.learners.optimal.ranks import RankedColumns
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import BuildingData, ColumnSplit, Shape, build_tree, shape_of
from espalier.learners.optimal.tree_search import Glance, Proof, SearchLimits, TreeSearch, WithinProgress
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, read_only

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
    leaves: list[Leaf]  # before that
    below: np.ndarray  # (n_leaves, n_leaves) bool: which leaf (row) lies at or below which
    label: np.ndarray  # (n_leaves,)


class DirectedSamples(NamedTuple):
    """Samples, and the directions of their columns."""

    X: np.ndarray  # (n_samples, n_features)
    directions: np.ndarray  # (n_features,): 1, -1 or 0
    columns: RankedColumns | None  # their ranks, where the sorted columns are to be searched, with equal ones


class MonotoneSearch:
    """A search for the best tree that keeps to directions; one thread calls `run`, others may observe it."""

    def __init__(self, inputs: BuildingData, limits: SearchLimits, samples: DirectedSamples):
        """Raises ValueError for more questions than can be counted in pairs, unless columns are searched."""
        self.limits, self.inputs = limits, inputs._replace(costs=_costs_with_room(inputs))
        self._X, self._columns = samples.X, samples.columns
        self._fixed: FixedLabels | None = None  # of the current case
        self._case: Case | None = Case(0, 0, 0, (), ())  # is searched now; None at the end
        self._current = self._search_of(self._case, 1)
        self.inputs = self._current.inputs
        self._place = {question: place for place, question in enumerate(self.inputs.columns.question.tolist())}
        self._rows = merge_rows(self.inputs.columns.bits, self.inputs.label, self._current.costs)
        self._unit, self._tie = 1 << limits.max_depth, int(limits.fewest)
        self._cells = Cells(inputs.questions, self.inputs.columns, samples.directions)
        self._open: list[Case] = []  # a heap: the case with the least bound comes first
        self._n_cases, self._n_solved, self._is_full = 1, 0, False
        self.trace: list[Glance] = []
        self.scope: dict[str, Any] = {}  # as of a `TreeSearch`
        self.seconds, self.is_running = 0.0, False
        self._best = self._labelled(None)

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
        began, spent = time.perf_counter(), self.seconds
        self.is_running = True
        try:
            while not (self.is_proved or self._is_full or progress.is_stopped):
                left = np.inf if time_limit is None else time_limit - (self.seconds - spent)
                if left <= 0:
                    break
                is_closed = self._go_on(min(left, slice_seconds), within)
                slice_seconds = FIRST_SLICE if is_closed else 2 * slice_seconds
                self.seconds = spent + time.perf_counter() - began
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
        used = self._n_solved + self._current.subproblems, self._current.cache_used, self.seconds
        proof = Proof(objective, min(bound, objective), is_proved, *n, *used, **self.scope)
        return self._in_order(tree, shape), proof

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
            given = answers(self.inputs.questions, np.array(case.samples))
            self._fixed = FixedLabels(given, np.array(case.labels), price)
        if self._columns is None:
            return OptimalSearch(self.inputs, self.limits, self._fixed)
        return ThresholdSearch(self.inputs, self.limits, self._X, self._columns, self._fixed)

    def _shape_found(self) -> Shape:
        """Return the shape of the current search's best tree."""
        found = self._current.questions()
        if self._columns is not None:  # which tells questions, not columns
            found = [self._place[question] if question != LEAF else LEAF for question in found]
        return shape_of(found)

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
        found = self._labelled(shape)
        if found.value < self._best.value:
            self._best = found
        if not search.is_proved and bound < self._best.value:
            return False
        if bound < self._best.value:
            self._divide(self._case, shape, found)
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

    def _divide(self, case: Case, shape: Shape, found: LabelledTree) -> None:
        """Open the two cases of a pair of samples whose labels the current case's best tree has the wrong way."""
        first, second = self._conflict(shape, found)
        step = self._step(shape, found.leaves, first, second)
        cells = self._cells
        for label, at, end in ((LOWER, step.low, cells.lowest), (UPPER, step.high, cells.highest)):
            samples = at, np.where(_is_moved(step), end, at)  # what lies beyond has the same label
            labels = *case.labels, label, label
            # Its trees are among those of this case.
            more = Case(case.bound, case.n_free - 1, self._n_cases, (*case.samples, *samples), labels)
            heapq.heappush(self._open, more)
            self._n_cases += 1

    def _conflict(self, shape: Shape, found: LabelledTree) -> tuple[int, int]:
        """Return the leaves that break a direction, the lower one first, where mending costs most."""
        rows, fixed = self._rows, self._fixed
        if fixed is not None:
            rows = with_labels(rows, fixed_bits(self.inputs.columns, fixed), fixed)
        cost = _costs(self._cells.leaves(shape, rows.bits), rows)
        rise = cost[:, LOWER] - cost[:, UPPER]  # what label 1 saves
        label = np.where(rise == 0, found.label, rise > 0)
        pairs = np.argwhere(found.below & (label[:, None] == UPPER) & (label == LOWER))
        price = np.minimum(rise[pairs[:, 0]], -rise[pairs[:, 1]])
        return tuple(pairs[price.argmax()].tolist())

    def _step(self, shape: Shape, leaves: list[Leaf], first: int, second: int) -> Step:
        """Return a sample in each of two leaves, the second at or above the first: moved ones where possible."""
        step = self._cells.step(leaves[first].region, leaves[second].region)
        moved = _is_moved(step)
        inside = self._cells.leaves(shape, self.inputs.columns.bits)
        rows = np.flatnonzero(inside[first].rows | inside[second].rows)
        X = self._X[rows[:: -(-len(rows) // MOST_TRIED)]]
        low, high = np.where(moved, step.low, X), np.where(moved, step.high, X)
        fits = np.flatnonzero(self._are_in(first, shape, low) & self._are_in(second, shape, high))
        if not len(fits):
            return step
        middle = fits[len(fits) // 2]
        return Step(low[middle], high[middle])

    def _are_in(self, leaf: int, shape: Shape, X: np.ndarray) -> np.ndarray:
        columns = self.inputs.columns
        bits = answers(self.inputs.questions, X)[:, columns.question] ^ columns.flipped
        return self._cells.leaves(shape, bits)[leaf].rows

    # ---- trees

    def _labelled(self, shape: Shape) -> LabelledTree:
        leaves = self._cells.leaves(shape, self._rows.bits)
        below, cost = self._cells.below(leaves), _costs(leaves, self._rows)
        label = best_labels(cost, below)
        merged = _merged(shape, iter(label.tolist()))
        whole = int(cost[np.arange(len(label)), label].sum())
        value = whole * self._unit + _n_splits(merged) * self._tie
        return LabelledTree(value, merged, leaves, below, label)

    def _in_order(self, tree: Tree, shape: Shape) -> Tree:
        """Return a tree of this shape with shares in the leaves that keep to the directions, too."""
        leaves, is_leaf = self._cells.leaves(shape, self._rows.bits), tree.feature == LEAF
        own = build_tree(self.inputs, _unlabelled(shape))[0].value[is_leaf, UPPER]
        label = tree.value[is_leaf].argmax(axis=1)
        share, value = shares_in_order(own, label, self._cells.below(leaves)), tree.value.copy()
        value[is_leaf] = np.column_stack([1 - share, share])
        return tree._replace(value=read_only(value), impurity=read_only(1.0 - (value * value).sum(axis=1)))

    def _cost_of(self, value: int) -> float:
        return self._current.cost_of(value)

    def _note(self, progress: Progress) -> None:
        """Append the current state to the trace, if it has changed."""
        best, low = self._cost_of(self._best.value), self._cost_of(self._low)
        if not self.trace or self.trace[-1][1:] != (best, low):
            self.trace.append(Glance(self.seconds, best, low))
        progress.done = round(len(self._X) * (low / best if best else 1.0))


def _costs_with_room(inputs: BuildingData) -> Costs:
    """Return costs in whole numbers beside which labels have room, each at a price above that of the best tree."""
    costs = whole_costs(inputs.weight, inputs.cost)
    return costs if costs.error == 0 else whole_costs(inputs.weight, inputs.cost, MOST // ROOM)


def _is_moved(step: Step) -> np.ndarray:
    """Return the features in which the two samples differ, (n_features,) bool."""
    return (step.low != step.high) & ~np.isnan(step.low)


def _costs(leaves: list[Leaf], rows: MergedRows) -> np.ndarray:
    """Return what each label of each leaf costs, (n_leaves, 2) int64."""
    return np.array([(rows.worth[:, None] - rows.earned)[leaf.rows].sum(axis=0) for leaf in leaves])


def _merged(shape: Shape, labels: Iterator[int]) -> Shape:
    """Return the shape with these labels in its leaves, without splits between equal ones."""
    if not isinstance(shape, ColumnSplit):
        return next(labels)
    one, zero = _merged(shape.one, labels), _merged(shape.zero, labels)
    return one if one == zero and not isinstance(one, ColumnSplit) else ColumnSplit(shape.column, one, zero)


def _unlabelled(shape: Shape) -> Shape:
    if not isinstance(shape, ColumnSplit):
        return None
    return ColumnSplit(shape.column, _unlabelled(shape.one), _unlabelled(shape.zero))


def _n_splits(shape: Shape) -> int:
    return 1 + _n_splits(shape.one) + _n_splits(shape.zero) if isinstance(shape, ColumnSplit) else 0
