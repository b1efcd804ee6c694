"""Possible changes of a sample, and the search for the smallest that alters a prediction.

Changes must be plausible: a category is one of those seen, a whole number stays whole, and no value leaves the
range of the data. The user may restrict more: features that stay, that may only increase, or only decrease, and
the values to which they may change.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset, Feature, column_parts
from espalier.predict import NO_PRIOR, winners
from espalier.progress import Progress
from espalier.tree.modules import part_left
from espalier.tree.rules import Bound, admits
from espalier.trees import CultivatedTree, Forest, depths, is_leaf

Interval: TypeAlias = tuple[float, float]
UNKNOWN_COST = 1.0  # cost, in spans, of making a missing value known, or of changing a category


class Allowed(NamedTuple):
    """Changes that the user allows, by the features' numbers; all others are free."""

    fixed: tuple[int, ...] = ()  # must not change; of a date, then no part may
    up: tuple[int, ...] = ()  # may only increase: numbers, and ordered categories
    down: tuple[int, ...] = ()  # may only decrease


FREE = Allowed()


class ValueRange(NamedTuple):
    """The values that one feature of a sample may take: from `low` to `high`, or one of `codes`."""

    feature: int
    before: float  # its value; nan where it is missing
    low: float
    high: float
    codes: np.ndarray  # (n,) categories; ascending, but unordered ones by frequency
    span: float  # unit of change
    is_free: bool
    is_whole: bool


def spans_of(dataset: Dataset) -> np.ndarray:
    """Return the range of every feature in the data, (n_features,); 1 without a range."""
    spans = np.ones(len(dataset.features))
    for f in range(len(dataset.features)):
        present = dataset.X[np.isfinite(dataset.X[:, f]), f]
        if len(present) and present.max() > present.min():
            spans[f] = present.max() - present.min()
    return spans


def rooms(dataset: Dataset, x: np.ndarray, allowed: Allowed = FREE) -> list[ValueRange]:
    """Return for every feature of x (n_features,) its values allowed by the data and the user."""
    return [value_range(dataset, f, float(x[f]), allowed) for f in range(len(dataset.features))]


def value_range(dataset: Dataset, f: int, before: float, allowed: Allowed = FREE) -> ValueRange:
    """Return the values that a feature may take, of a sample that has the value `before`."""
    feature, column = dataset.features[f], dataset.X[:, f]
    values, count = _values_seen(feature, column[np.isfinite(column)])
    low, high = (float(values[0]), float(values[-1])) if len(values) else (math.inf, -math.inf)
    if not math.isnan(before) and feature.kind != "category":
        low, high = (
            (max(low, before) if f in allowed.up else low),
            (min(high, before) if f in allowed.down else high),
        )
    if feature.is_whole and math.isfinite(low) and math.isfinite(high):
        low, high = float(math.ceil(low)), float(math.floor(high))
    if feature.categories:
        if feature.kind == "category":
            values = values[np.argsort(-count, kind="stable")]
        codes, span = values[(values >= low) & (values <= high)], float(max(len(feature.categories) - 1, 1))
    else:
        codes, span = np.empty(0), float(values[-1] - values[0]) if len(values) > 1 else 1.0
    span = math.inf if feature.kind == "category" else span
    parts = [f] if feature.moment is None else column_parts(dataset.features, [f])  # of one date, which is fixed
    is_free = (
        set(parts).isdisjoint(allowed.fixed)
        and len(values) > 0
        and (len(codes) > 0 if feature.categories else low <= high)
    )
    return ValueRange(f, before, low, high, codes, span, is_free, feature.is_whole)


def _values_seen(feature: Feature, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what a feature has been, ascending, and how often: each category, but of numbers both ends alone."""
    if feature.categories:
        count = np.bincount(known.astype(np.int64))
        return np.flatnonzero(count).astype(np.float64), count[count > 0]
    ends = np.array([known.min(), known.max()]) if len(known) else known
    return ends[: 1 + (len(ends) > 1 and ends[0] < ends[1])], np.ones(len(ends))


def cost(room: ValueRange, after: np.ndarray) -> np.ndarray:
    """Return spans from the sample's value to others, (n,); `UNKNOWN_COST` for a category or a missing value."""
    if math.isnan(room.before) or math.isinf(room.span):
        return np.where(after == room.before, 0.0, UNKNOWN_COST)
    return np.abs(after - room.before) / room.span


def nearest_value(room: ValueRange, bound: Bound) -> float | None:
    """Return the nearest value of the range that a bound admits; None if there is none."""
    if not room.is_free or bound.is_empty:
        return None
    if len(room.codes):
        codes = room.codes[admits(bound, room.codes)]
        return float(codes[np.argmin(cost(room, codes))]) if len(codes) else None
    cell = cells(room, np.array([bound.low]), np.array([bound.high]))
    return float(cell.value[0]) if len(cell.value) else None


class ThresholdCells(NamedTuple):
    """Intervals between a model's thresholds on a feature, each represented by its nearest value."""

    value: np.ndarray  # (n,) ascending; of categories their codes
    low: np.ndarray  # (n,) thresholds below and above it, -inf and inf at the ends
    high: np.ndarray


def cells(room: ValueRange, low: np.ndarray, high: np.ndarray) -> ThresholdCells:
    """Return the intervals low < x <= high with a value of the range, and in each the value nearest to x."""
    first = np.floor(low) + 1 if room.is_whole else np.nextafter(low, np.inf)
    last = np.floor(high) if room.is_whole else high
    first, last = np.maximum(first, room.low), np.minimum(last, room.high)
    if math.isnan(room.before):  # any known value; at an end that a threshold makes, since it can be named
        value = np.where(np.isfinite(high), last, first)
    else:
        value = np.clip(room.before, first, np.maximum(first, last))
    is_possible = first <= last
    return ThresholdCells(value[is_possible], low[is_possible], high[is_possible])


def cells_of(room: ValueRange, cuts: np.ndarray) -> ThresholdCells:
    """Return all intervals of the range between these thresholds, ascending; for categories every code is one."""
    if len(room.codes):
        codes = np.sort(room.codes)
        return ThresholdCells(codes, codes - 0.5, codes + 0.5)
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return cells(room, ends[:-1], ends[1:])


def without_own(among: ThresholdCells, room: ValueRange) -> ThresholdCells:
    """Return the cells without the sample's own."""
    own = (among.low < room.before) & (room.before <= among.high)
    return ThresholdCells(*(part[~own] for part in among))


def changed_to(x: np.ndarray, values: Sequence[tuple[int, float]]) -> np.ndarray:
    """Return the sample with other values for some features, (n_features,)."""
    copy = np.array(x, dtype=np.float64)
    for feature, value in values:
        copy[feature] = value
    return copy


# ---- upper bounds of the prediction of cultivated trees over all samples within a set of changes
#
# A `GateReach` follows a set of changes that shrinks step by step: a feature stays, or changes, or changes to one
# of certain values. Every node gives its children the best division that its gates allow. The bound is exact once
# only one point is left.

MOST_GATES, MOST_DECISIONS = 4_000_000, 20_000  # decisions times cells; decisions of all trees


class Goals(NamedTuple):
    """Goals of a search: any one of several sums over the trees must be at least as great as needed."""

    of: Callable[[np.ndarray], np.ndarray]  # values of leaves (n, n_outputs) -> (n, n_goals), linear
    needed: np.ndarray  # (n_goals,)
    doubt: float = 0.0  # so near to it, the model itself decides
    is_bound: bool = False  # whether it is necessary and not enough: beyond it, too, the model decides


GateBounds: TypeAlias = tuple[np.ndarray, np.ndarray]  # least and greatest part of each decision, (n_decisions,)


class GateReach:
    """Reach of cultivated trees, from a sample."""

    def __init__(
        self,
        trees: list[CultivatedTree],
        gates: dict[int, tuple[np.ndarray, np.ndarray]],
        own: np.ndarray,
        score: np.ndarray,
    ):
        """`own` (n_decisions,) are the parts that decisions send left of the sample.

        `gates` are by feature the decisions on it, (n,), and what they send left in every cell, (n, n_cells).
        """
        self.gates, self.own, self.score = gates, own, score
        sizes = np.cumsum([0, *(tree.n_nodes for tree in trees)])
        self.roots = sizes[:-1]
        inner = [np.flatnonzero(~is_leaf(tree)) for tree in trees]
        offsets = list(zip(trees, inner, sizes[:-1], strict=True))
        self.node = np.concatenate([here + first for _, here, first in offsets])
        self.left = np.concatenate([tree.left[here] + first for tree, here, first in offsets])
        self.right = np.concatenate([tree.right[here] + first for tree, here, first in offsets])
        counts = np.concatenate([np.diff(tree.decisions.start)[here] for tree, here, _ in offsets])
        self.start_of = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
        self.share = np.concatenate([tree.decisions.share for tree in trees])
        depth = np.concatenate([depths(tree)[here] for tree, here, _ in offsets])
        self.levels = [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=-1)), -1, -1)]

    def start(self) -> GateBounds:
        """Return all changes."""
        least, most = self.own.copy(), self.own.copy()
        for decision, at in self.gates.values():
            least[decision] = np.minimum(self.own[decision], at.min(axis=1))
            most[decision] = np.maximum(self.own[decision], at.max(axis=1))
        return least, most

    def keep(self, state: GateBounds, f: int) -> GateBounds:
        """Restrict to changes in which feature f stays."""
        decision, _ = self.gates[f]
        return self._restrict(state, decision, self.own[decision], self.own[decision])

    def change(self, state: GateBounds, f: int) -> GateBounds:
        """Restrict to changes in which feature f changes."""
        return self.within(state, f, 0, self.gates[f][1].shape[1] - 1)

    def only(self, state: GateBounds, chosen: tuple[int, ...]) -> GateBounds:
        """Restrict to changes of no other feature."""
        least, most = self.own.copy(), self.own.copy()
        for f in chosen:
            decision, _ = self.gates[f]
            least[decision], most[decision] = state[0][decision], state[1][decision]
        return least, most

    def within(self, state: GateBounds, f: int, first: int, last: int) -> GateBounds:
        """Restrict to changes of feature f to a cell from `first` to `last`."""
        decision, at = self.gates[f]
        here = at[:, first : last + 1]
        return self._restrict(state, decision, here.min(axis=1), here.max(axis=1))

    def _restrict(self, state: GateBounds, decision: np.ndarray, low: np.ndarray, high: np.ndarray) -> GateBounds:
        least, most = (bound.copy() for bound in state)
        least[decision], most[decision] = low, high
        return least, most

    def best(self, state: GateBounds) -> np.ndarray:
        """Return upper bounds over the set, (n_goals,)."""
        score = self.score.copy()
        if not len(self.node):
            return score[self.roots].sum(axis=0)
        least, most = (np.add.reduceat(self.share * part, self.start_of)[:, None] for part in state)
        for level in self.levels:
            left, right = score[self.left[level]], score[self.right[level]]
            part = np.where(left > right, most[level], least[level])
            score[self.node[level]] = part * left + (1 - part) * right
        return score[self.roots].sum(axis=0)


def gate_reach(
    forest: Forest, x: np.ndarray, free: list[tuple[ValueRange, ThresholdCells]], goals: Goals
) -> GateReach | None:
    """Return the reach of a forest of cultivated trees. None if it is too large or votes by majority."""
    trees = [tree for tree in forest.trees if isinstance(tree, CultivatedTree)]
    cells = {room.feature: each.value for room, each in free}
    feature = np.concatenate([tree.decisions.feature for tree in trees])
    entries = sum(int(np.count_nonzero(feature == f)) * len(value) for f, value in cells.items())
    if (
        forest.combine == "votes"
        or len(trees) < forest.n_trees
        or entries > MOST_GATES
        or len(feature) > MOST_DECISIONS
    ):
        return None
    d = [(tree, i) for tree in trees for i in range(len(tree.decisions.feature))]
    own = np.array([part_left(tree, i, x[[tree.decisions.feature[i]]])[0] for tree, i in d])
    gates = {}
    for f, value in cells.items():
        here = np.flatnonzero(feature == f)
        at = np.stack([part_left(*d[i], value) for i in here]) if len(here) else np.zeros((0, len(value)))
        gates[f] = here, at
    score = np.concatenate([goals.of(tree.value) * w for tree, w in zip(trees, forest.weight, strict=True)])
    return GateReach(trees, gates, own, score)


# ---- branch and bound for the smallest change that alters the prediction of a forest or a cultivated tree
#
# The smallest change has the fewest features; of those, the fewest spans in sum. For 1, 2, … features, every set
# of this size is tried that the bounds of a `GateReach` do not exclude. Within a set the search is best first: of
# the open boxes of values it takes the one whose nearest point costs least, evaluates the model at that point, and
# halves the box if the prediction is the same. The first point with another prediction is therefore the cheapest
# (Land & Doig 1960; for tree ensembles compare Cui et al. 2015, Parmentier & Vidal 2021). Within `MOST_STEPS` and
# `MOST_SECONDS` the result is certain; beyond them it is open, and the excluded sizes are reported.

TIME, SIZE, VOTES, SETS = OPEN = ("time", "size", "votes", "sets")  # why a search is open: see `change_words`
MOST_STEPS = 300_000  # evaluated bounds
MOST_SECONDS = 1.5
SLACK = 1e-9  # smaller differences of summed shares count as equal, so that rounding excludes no change


Says = Callable[[np.ndarray], np.ndarray]  # X (n, n_features) -> predictions (n, n_outputs)
Differs = Callable[[np.ndarray], np.ndarray]  # predictions (n, n_outputs) -> (n,) bool: whether they are sought


class Smallest(NamedTuple):
    """Result of the search."""

    values: tuple[tuple[int, float], ...] | None  # features with their new values; None: none was found
    is_certain: bool  # certain that no change is smaller; or, without values, that there is none
    ruled_out: int  # no change of so many features or fewer suffices; nothing else is excluded
    why: str = ""  # why it is not certain, of `OPEN`


# ---- what a change is to lead to


def other_class(answer: int, prior: np.ndarray = NO_PRIOR) -> Differs:
    """Return a test whether the predicted class differs from `answer`, with ties broken by the prior."""
    return lambda answers: winners(answers, prior) != answer


class ChangeAim(NamedTuple):
    """What a change is to lead to, and how long it may be looked for."""

    toward: int | None = None  # the class to reach; 1 for a greater number, -1 for a smaller one; None: any other
    steps: int = MOST_STEPS
    seconds: float = MOST_SECONDS
    progress: Progress | None = None  # which may ask the search to stop

    @property
    def is_stopped(self) -> bool:
        """Whether the search was asked to stop."""
        return self.progress is not None and self.progress.is_stopped

    def test(self, answer: float, least: float, prior: np.ndarray | None) -> Differs:
        """Return the test whether predictions are what a change from `answer` is to lead to.

        `prior` breaks ties among classes; None for numbers, which must be at least `least` away.
        """
        goal = self.toward
        if prior is None:
            if goal is None:
                return lambda answers: np.abs(answers[:, 0] - answer) >= least
            return lambda answers: goal * (answers[:, 0] - answer) >= least
        if goal is None:
            return other_class(int(answer), prior)
        return lambda answers: winners(answers, prior) == goal


ANY = ChangeAim()


# ---- the search


class _GivenUp(Exception):
    """The search exceeded its limits."""


Range: TypeAlias = tuple[int, int, int]  # a feature, and the first and the last of its cells


class _Box(NamedTuple):
    """Cells of the features that change, and the state of the reach there."""

    ranges: tuple[Range, ...]
    state: Any
    nearest: tuple[int, ...]  # the cheapest cell of each feature
    asked: bool  # whether its nearest point was evaluated already


class _Search:
    def __init__(
        self, reach: GateReach, free: list[tuple[ValueRange, ThresholdCells]], goals: Goals, aim: ChangeAim
    ):
        self.reach, self.goals = reach, goals
        self.features = [room.feature for room, _ in free]
        self.values = {room.feature: cells.value for room, cells in free}
        self.costs = {room.feature: cost(room, cells.value) for room, cells in free}
        self.left, self.end, self.aim = aim.steps, time.monotonic() + aim.seconds, aim
        self.count = itertools.count()

    def can(self, state: Any) -> bool:
        """Return whether the bounds admit that some change in the set suffices."""
        self.left -= 1
        if self.left < 0 or time.monotonic() > self.end or self.aim.is_stopped:
            raise _GivenUp
        slack = SLACK * np.maximum(1.0, np.abs(self.goals.needed))
        return bool((self.reach.best(state) >= self.goals.needed - slack).any())

    def sets(
        self, state: Any, at: int, n: int, chosen: tuple[int, ...] = ()
    ) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Yield the sets of n more features, from place `at` on, that the bounds admit."""
        if n == 0:
            state = self.reach.only(state, chosen)
            if self.can(state):
                yield chosen, state
            return
        for i in range(at, len(self.features) - n + 1):
            if not self.can(state):
                return
            f = self.features[i]
            yield from self.sets(self.reach.change(state, f), i + 1, n - 1, (*chosen, f))
            state = self.reach.keep(state, f)

    def cheapest(self, n: int, does: Callable[[tuple[tuple[int, float], ...]], bool]):
        """Return the cheapest sufficient change of n features; None if there is none."""
        heap: list[tuple[float, int, _Box]] = []
        for features, state in self.sets(self.reach.start(), 0, n):
            self.push(heap, tuple((f, 0, len(self.values[f]) - 1) for f in features), state, ())
        while heap:
            _, _, box = heapq.heappop(heap)
            if not box.asked:
                point = box.state
                for (f, _, _), cell in zip(box.ranges, box.nearest, strict=True):
                    point = self.reach.within(point, f, cell, cell)
                values = tuple(
                    (r[0], float(self.values[r[0]][c])) for r, c in zip(box.ranges, box.nearest, strict=True)
                )
                if self.can(point) and does(values):
                    return values
            self.divide(heap, box)
        return None

    def divide(self, heap: list, box: _Box) -> None:
        """Push both halves of a box onto the heap, cut across the feature with the most cells."""
        wide = max(range(len(box.ranges)), key=lambda i: box.ranges[i][2] - box.ranges[i][1])
        f, first, last = box.ranges[wide]
        if first == last:
            return
        middle = (first + last) // 2
        for low, high in ((first, middle), (middle + 1, last)):
            state = self.reach.within(box.state, f, low, high)
            if self.can(state):
                ranges = (*box.ranges[:wide], (f, low, high), *box.ranges[wide + 1 :])
                self.push(heap, ranges, state, box.nearest)

    def push(self, heap: list, ranges: tuple[Range, ...], state: Any, asked: tuple[int, ...]) -> None:
        """Push a box by the cost of its nearest point; its parent evaluated the point `asked`."""
        nearest = tuple(first + int(np.argmin(self.costs[f][first : last + 1])) for f, first, last in ranges)
        total = sum(float(self.costs[r[0]][cell]) for r, cell in zip(ranges, nearest, strict=True))
        heapq.heappush(heap, (total, next(self.count), _Box(ranges, state, nearest, nearest == asked)))


def smallest(
    x: np.ndarray,
    reach: GateReach,
    free: list[tuple[ValueRange, ThresholdCells]],
    goals: Goals,
    does: Callable[[np.ndarray], bool],
    aim: ChangeAim = ANY,
) -> Smallest:
    """Return the smallest change of x (n_features,), of features that may change to the given cells.

    `free` has these features with the cells without the sample, at least one each; `does` evaluates the model
    itself, so that ties are broken as by the model.
    """
    search, n_ruled_out = _Search(reach, free, goals, aim), 0
    try:
        for n in range(1, len(free) + 1):
            if not search.can(reach.start()):
                n_ruled_out = n
                continue
            values = search.cheapest(n, lambda named: does(changed_to(x, named)))
            if values is not None:
                return Smallest(values, True, n - 1)
            n_ruled_out = n
    except _GivenUp:
        return Smallest(None, False, n_ruled_out, TIME)
    return Smallest(None, True, n_ruled_out)
