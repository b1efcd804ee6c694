"""Branch and bound for the smallest change that alters the prediction of a forest or a cultivated tree.

The smallest change has the fewest features; of those, the fewest spans in sum. For 1, 2, … features, every set of
this size is tried that the bounds of a `Reach` do not exclude. Within a set the search is best first: of the open
boxes of values it takes the one whose nearest point costs least, evaluates the model at that point, and halves the
box if the prediction is the same. The first point with another prediction is therefore the cheapest (Land & Doig
1960; for tree ensembles compare Cui et al. 2015, Parmentier & Vidal 2021). Within `MOST_STEPS` and `MOST_SECONDS`
the result is certain; beyond them it is open, and the excluded sizes are reported.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.kernels.forest.out_of_bag import NO_PRIOR
from espalier.progress import Progress
from espalier.reliability.changeable import ThresholdCells, ValueRange, changed_to, cost
from espalier.reliability.reach import Goals, Reach
from espalier.ties import winners

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


class ChangeLimits(NamedTuple):
    """Limits of a search."""

    steps: int = MOST_STEPS
    seconds: float = MOST_SECONDS
    progress: Progress | None = None  # which may ask it to stop

    @property
    def are_over(self) -> bool:
        """Whether the search was asked to stop."""
        return self.progress is not None and self.progress.is_stopped


# ---- what a change is to lead to


def other_class(answer: int, prior: np.ndarray = NO_PRIOR) -> Differs:
    """Return a test whether the predicted class differs from `answer`, with ties broken by the prior."""
    return lambda answers: winners(answers, prior) != answer


def one_class(goal: int, prior: np.ndarray = NO_PRIOR) -> Differs:
    """Return a test whether the predicted class is `goal`, with ties broken by the prior."""
    return lambda answers: winners(answers, prior) == goal


def off_by(answer: float, least: float) -> Differs:
    """Return a test whether numbers are at least `least` from `answer`."""
    return lambda answers: np.abs(answers[:, 0] - answer) >= least


def beyond(answer: float, least: float, sign: int) -> Differs:
    """Return a test whether numbers are at least `least` greater (sign 1), or smaller (sign -1), than `answer`."""
    return lambda answers: sign * (answers[:, 0] - answer) >= least


class ChangeAim(NamedTuple):
    """What a change is to lead to, and how long it may be looked for."""

    toward: int | None = None  # the class to reach; 1 for a greater number, -1 for a smaller one; None: any other
    limits: ChangeLimits = ChangeLimits()

    def test(self, answer: float, least: float, prior: np.ndarray | None) -> Differs:
        """Return the test of predictions; `prior` breaks ties among classes, None for numbers."""
        if prior is None:
            return off_by(answer, least) if self.toward is None else beyond(answer, least, self.toward)
        return other_class(int(answer), prior) if self.toward is None else one_class(self.toward, prior)


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
        self, reach: Reach, free: list[tuple[ValueRange, ThresholdCells]], goals: Goals, limits: ChangeLimits
    ):
        self.reach, self.goals = reach, goals
        self.features = [room.feature for room, _ in free]
        self.values = {room.feature: cells.value for room, cells in free}
        self.costs = {room.feature: cost(room, cells.value) for room, cells in free}
        self.left, self.end, self.limits = limits.steps, time.monotonic() + limits.seconds, limits
        self.count = itertools.count()

    def can(self, state: Any) -> bool:
        """Return whether the bounds admit that some change in the set suffices."""
        self.left -= 1
        if self.left < 0 or time.monotonic() > self.end or self.limits.are_over:
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
        for chosen, state in self.sets(self.reach.start(n), 0, n):
            self.push(heap, tuple((f, 0, len(self.values[f]) - 1) for f in chosen), state, ())
        while heap:
            _, _, box = heapq.heappop(heap)
            if not box.asked:
                point = box.state
                for (f, _, _), cell in zip(box.ranges, box.nearest, strict=True):
                    point = self.reach.within(point, f, cell, cell)
                named = tuple(
                    (r[0], float(self.values[r[0]][c])) for r, c in zip(box.ranges, box.nearest, strict=True)
                )
                if self.can(point) and does(named):
                    return named
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
    reach: Reach,
    free: list[tuple[ValueRange, ThresholdCells]],
    goals: Goals,
    does: Callable[[np.ndarray], bool],
    limits: ChangeLimits = ChangeLimits(),  # noqa: B008 - an immutable record
) -> Smallest:
    """Return the smallest change of x (n_features,), of features that may change to the given cells.

    `free` has these features with the cells without the sample, at least one each; `does` evaluates the model
    itself, so that ties are broken as by the model.
    """
    search, refuted = _Search(reach, free, goals, limits), 0
    try:
        for n in range(1, len(free) + 1):
            if not search.can(reach.start(n)):
                refuted = n
                continue
            values = search.cheapest(n, lambda named: does(changed_to(x, named)))
            if values is not None:
                return Smallest(values, True, n - 1)
            refuted = n
    except _GivenUp:
        return Smallest(None, False, refuted, TIME)
    return Smallest(None, True, refuted)
