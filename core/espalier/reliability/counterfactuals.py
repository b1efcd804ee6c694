"""The smallest plausible change of a sample that changes a model's prediction.

`reliability.changeable` defines the possible changes. The smallest one changes the fewest features; of
those, the fewest spans in sum. For a tree it is exact: every leaf is a box, and the nearest point of a box is
known. For a forest or a cultivated tree `reliability.smallest_change` searches and reports whether the
result is certain. For any other model, changes of one feature to values of the data are tried, then of several,
one after the other, without proof.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.kinds import are_boxes, trees_of
from espalier.oblique import ObliqueTree
from espalier.reliability.changeable import (
    FREE,
    Allowed,
    ThresholdCells,
    ValueRange,
    cells_of,
    changed_to,
    cost,
    nearest_value,
    rooms,
    value_range,
    without_own,
)
from espalier.reliability.forest_change import forest_search, score_goals, smallest_of_forest
from espalier.reliability.reach import Goals, gate_reach
from espalier.reliability.smallest_change import (
    ANY,
    SETS,
    SIZE,
    VOTES,
    ChangeAim,
    Differs,
    Says,
    Smallest,
    smallest,
)
from espalier.tree.feature_use import features_of
from espalier.tree.rules import Bound, admits_value, leaf_bounds
from espalier.tree.surrogates import refuse_surrogates
from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, Tree, make_forest

MOST_VALUES = 2_048  # tried per feature; fewer for models that are slow to predict
MOST_OF_CULTIVATED, MOST_OF_CULTIVATED_FORESTS = 256, 48
MOST_CHANGED = 5  # most features of a step-by-step change
MOST_SECONDS = 1.5  # for which a cultivated tree, or a forest of them, is tried feature by feature


class Change(NamedTuple):
    """A new value for one feature of a sample."""

    feature: int
    before: float
    after: float  # the nearest sufficient value
    spans: float  # distance in units of the range of the feature; see `changeable.cost`
    bound: Bound  # condition on the value


class Counterfactual(NamedTuple):
    """A change after which the model's prediction differs."""

    changes: tuple[Change, ...]
    answer: np.ndarray  # (n_outputs,) prediction after the change
    is_exact: bool  # whether it is certainly the smallest

    @property
    def spans(self) -> float:
        """Summed distance of all changes."""
        return math.fsum(change.spans for change in self.changes)


# ---- trees: exact


def nearest_leaf(
    tree: Tree, dataset: Dataset, x: np.ndarray, differs: Differs, allowed: Allowed = FREE
) -> Counterfactual | None:
    """Return the smallest change of x (n_features,) into a leaf with a different prediction.

    None if there is none. Of equally small changes, the one into the first leaf. Raises ValueError for a tree
    with surrogate splits that may be asked (`may_ask_surrogates`).
    """
    boxed(tree, "a search for the smallest change")
    refuse_surrogates(tree, "the smallest change", x)
    room = {f: value_range(dataset, f, float(x[f]), allowed) for f in features_of(tree)}
    flips = []
    other = differs(tree.value)
    for leaf, demands in leaf_bounds(tree):
        changes = _into(demands, room, x) if other[leaf] else None
        if changes is not None:
            flips.append(Counterfactual(changes, tree.value[leaf], True))
    return min(flips, key=lambda flip: (len(flip.changes), flip.spans), default=None)


def _into(demands: Sequence[Bound], room: dict[int, ValueRange], x: np.ndarray) -> tuple[Change, ...] | None:
    """Return the changes that bring x into a leaf; None if impossible."""
    changes = []
    for bound in demands:
        if admits_value(bound, float(x[bound.feature])):
            continue
        after = nearest_value(room[bound.feature], bound)
        if after is None:
            return None
        changes.append(_change(room[bound.feature], after, bound))
    return tuple(changes)


def _change(room: ValueRange, after: float, bound: Bound) -> Change:
    return Change(room.feature, room.before, after, float(cost(room, np.array([after]))[0]), bound)


# ---- any model: feature by feature


def cuts_of(model: AnyTree | Forest | None, n_features: int) -> list[np.ndarray]:
    """Return for every feature the model's thresholds, ascending; empty without a model."""
    cuts: list[list[np.ndarray]] = [[np.empty(0)] for _ in range(n_features)]
    for tree in trees_of(model):
        feature, value = _cuts_in(tree)
        for f in np.unique(feature):
            cuts[f].append(value[feature == f])
    return [np.unique(np.concatenate(parts)) for parts in cuts]


def _cuts_in(tree: AnyTree) -> tuple[np.ndarray, np.ndarray]:
    """Return feature and value of every threshold of a tree, without splits on categories."""
    tree = boxed(tree, "a search for the smallest change")
    if isinstance(tree, CultivatedTree):
        feature = np.repeat(tree.decisions.feature, np.diff(tree.cuts.start))
        ordered = np.isfinite(np.repeat(tree.decisions.threshold, np.diff(tree.cuts.start)))
        return feature[ordered], tree.cuts.value[ordered]
    splits = (tree.feature != LEAF) & np.isfinite(tree.threshold)
    return tree.feature[splits], tree.threshold[splits]


def asked_by(model: AnyTree | ObliqueTree | Forest | None, n_features: int) -> np.ndarray:
    """Return which features a model uses, (n_features,) bool; all without a model."""
    asked = np.full(n_features, model is None)
    for tree in trees_of(model):
        asked[features_of(tree)] = True
    return asked


class ChangeSearch(NamedTuple):
    """Inputs of a search for changes of one sample."""

    dataset: Dataset
    x: np.ndarray  # (n_features,)
    rooms: list[ValueRange]
    cells: list[
        ThresholdCells
    ]  # for each feature, the values to try: all relevant ones, if there are not too many
    says: Says
    differs: Differs
    most: int  # most values tried of one feature
    until: float = math.inf  # monotonic seconds: after that no other feature is tried

    @property
    def is_late(self) -> bool:
        """Whether no other feature is to be tried."""
        return time.monotonic() >= self.until

    def does(self, x: np.ndarray) -> bool:
        """Return whether the prediction for a changed sample (n_features,) is another one."""
        return bool(self.differs(self.says(x[np.newaxis]))[0])

    def again(self) -> ChangeSearch:
        """Return the same search with its time to come, if that is limited."""
        return self if self.until == math.inf else self._replace(until=time.monotonic() + MOST_SECONDS)


def change_search(
    dataset: Dataset,
    model: AnyTree | Forest | None,
    x: np.ndarray,
    tell: tuple[Says, Differs],
    allowed: Allowed = FREE,
) -> ChangeSearch:
    """Prepare a search for changes of x after which the prediction differs; `tell` holds prediction and test.

    The values to try are one between any two thresholds of the model; without a model, values of the data.
    """
    x = np.asarray(x, dtype=np.float64)
    room, asked = rooms(dataset, x, allowed), asked_by(model, len(x))
    cuts = cuts_of(model, len(x)) if model is not None else [_middles(column) for column in dataset.X.T]
    to_try = [
        cells_of(r, cut) if r.is_free and ask else _NO_CELLS for r, cut, ask in zip(room, cuts, asked, strict=True)
    ]
    until = math.inf if are_boxes(model) else time.monotonic() + MOST_SECONDS  # boxes answer fast
    return ChangeSearch(dataset, x, room, to_try, *tell, _most(model), until)


def _most(model: AnyTree | Forest | None) -> int:
    if are_boxes(model):
        return MOST_VALUES if model is not None else MOST_OF_CULTIVATED
    return MOST_OF_CULTIVATED_FORESTS if isinstance(model, Forest) else MOST_OF_CULTIVATED


_NO_CELLS = ThresholdCells(np.empty(0), np.empty(0), np.empty(0))


def _middles(x: np.ndarray) -> np.ndarray:
    """Thresholds between neighbouring values."""
    known = np.unique(x[np.isfinite(x)])
    return known[:-1] + np.diff(known) / 2


def _fewer(among: ThresholdCells, most: int) -> ThresholdCells:
    """Thin out more than `most` cells at even steps of their ranks."""
    if len(among.value) <= most:
        return among
    kept = np.unique(np.linspace(0, len(among.value) - 1, most).round().astype(int))
    return ThresholdCells(*(part[kept] for part in among))


def single_changes(search: ChangeSearch) -> list[Counterfactual]:
    """Return for each feature that suffices alone its nearest change, the smallest first.

    Exact for a feature if all its values are tried: if a model has fewer than `ChangeSearch.most` cuts on it.
    Features of the most cuts are tried first; once the search is late, the others are not.
    """
    by_cuts = sorted(range(len(search.x)), key=lambda f: -len(search.cells[f].value))
    tried = itertools.takewhile(lambda _: not search.is_late, by_cuts)
    flips = [flip for f in tried if (flip := _along(search, search.x, f)[0]) is not None]
    return sorted(flips, key=lambda flip: (flip.spans, flip.changes[0].feature))


def _along(
    search: ChangeSearch, at: np.ndarray, feature: int
) -> tuple[Counterfactual | None, np.ndarray, np.ndarray]:
    """Return the nearest sufficient change of a feature, and the predictions at all values tried."""
    here = _fewer(search.cells[feature], search.most)
    if not len(here.value):
        return None, here.value, np.empty((0, 1))
    varied = np.tile(at, (len(here.value), 1))
    varied[:, feature] = here.value
    answers = search.says(varied)
    does = search.differs(answers)
    if not does.any():
        return None, here.value, answers
    room = search.rooms[feature]
    best = int(np.argmin(np.where(does, cost(room, here.value), np.inf)))
    change = _change(room, float(here.value[best]), _reach_of(here, does, best, room))
    return Counterfactual((change,), answers[best], False), here.value, answers


def _reach_of(here: ThresholdCells, does: np.ndarray, best: int, room: ValueRange) -> Bound:
    """Return the interval of sufficient values around the best one, from one cut to another."""
    first, last = best, best
    if len(room.codes):
        return Bound(room.feature, float(here.low[best]), float(here.high[best]))
    while first > 0 and does[first - 1]:
        first -= 1
    while last + 1 < len(does) and does[last + 1]:
        last += 1
    return Bound(room.feature, float(here.low[first]), float(here.high[last]))


def step_by_step(search: ChangeSearch, score: Callable[[np.ndarray], np.ndarray]) -> Counterfactual | None:
    """Change a few features one after the other: each the one that raises `score` of the predictions most.

    For samples without a sufficient change of a single feature; None if `MOST_CHANGED` do not suffice either, or
    once the search is late.
    """
    at, changed = search.x.copy(), []
    for _ in range(MOST_CHANGED):
        if search.is_late:
            return None
        singles = [
            flip for f in range(len(at)) if f not in changed and (flip := _along(search, at, f)[0]) is not None
        ]
        if singles:
            last = min(singles, key=lambda flip: flip.spans)
            return as_counterfactual(
                search, [*((f, float(at[f])) for f in changed), (last.changes[0].feature, last.changes[0].after)]
            )
        step = _best_step(search, at, score, changed)
        if step is None:
            return None
        at[step[0]], changed = step[1], [*changed, step[0]]
    return None


def _best_step(search: ChangeSearch, at: np.ndarray, score, changed: list[int]) -> tuple[int, float] | None:
    """Return the feature and its nearest value that raise the score most; None if nothing raises it."""
    best, most = None, float(score(search.says(at[None, :]))[0]) + 1e-9
    for f in itertools.takewhile(lambda _: not search.is_late, range(len(at))):
        _, values, answers = _along(search, at, f) if f not in changed else (None, np.empty(0), np.empty((0, 1)))
        if len(values) and (scores := score(answers)).max() > most:
            top = np.flatnonzero(scores >= scores.max() - 1e-12)
            best, most = (
                (f, float(values[top[np.argmin(cost(search.rooms[f], values[top]))]])),
                float(scores.max()),
            )
    return best


def as_counterfactual(
    search: ChangeSearch, values: Sequence[tuple[int, float]], is_exact: bool = False
) -> Counterfactual:
    """Return the counterfactual that sets features to these values; of several, each must stay in its cell."""
    values = sorted((f, value) for f, value in values if value != search.x[f])
    if len(values) == 1:
        alone = _along(search, search.x, values[0][0])[0]
        if alone is not None and alone.changes[0].after == values[0][1]:
            return alone._replace(is_exact=is_exact)
    changes = tuple(_change(search.rooms[f], value, _cell(search, f, value)) for f, value in values)
    return Counterfactual(changes, search.says(changed_to(search.x, values)[None, :])[0], is_exact)


def _cell(search: ChangeSearch, f: int, value: float) -> Bound:
    here = search.cells[f]
    at = int(np.flatnonzero(here.value == value)[0])
    return Bound(f, float(here.low[at]), float(here.high[at]))


# ---- forests and cultivated trees: by branch and bound


def seek(
    search: ChangeSearch,
    model: AnyTree | Forest,
    answers: np.ndarray,
    answer: float,
    least: float = 0.0,
    aim: ChangeAim = ANY,
) -> Smallest:
    """Return the smallest change of a forest's or a cultivated tree's prediction, and whether it is certain.

    `answers` (n_outputs,) is the prediction, in the columns of the model's own values. `answer` is the class among
    these, or the number, from which another one is at least `least` away; `aim.toward` is such a class, too.
    """
    forest = model if isinstance(model, Forest) else make_forest([model], [1.0], "mean", [])
    free = [
        (room, rest) for room, here in zip(search.rooms, search.cells, strict=True)
        if len((rest := without_own(here, room)).value)
    ]  # fmt: skip
    if are_boxes(forest):
        made = forest_search(forest, search.x, free)
        if made is None:
            return Smallest(None, False, 0, SETS)
        goals = score_goals(forest, answer, least, aim.toward)
        return smallest_of_forest(forest, made, goals, search.does, aim.limits)
    if forest.combine != "mean":
        return Smallest(None, False, 0, VOTES)
    goals = goals_of(answers, least, None if len(answers) < 2 else int(answer), aim.toward)
    reach = gate_reach(forest, search.x, free, goals)
    if reach is None:
        return Smallest(None, False, 0, SIZE)
    return smallest(search.x, reach, free, goals, search.does, aim.limits)


def goals_of(answers: np.ndarray, least: float, own: int | None = None, toward: int | None = None) -> Goals:
    """Return the goals for a model's sums: another class ahead of the predicted one, or a number so far away.

    `answers` (n_outputs,) has the columns of the model's own values, as has `own`, the predicted class; None: the
    one with the greatest share, the first of equals. `toward` is the class to reach, or 1 or -1 for a greater or a
    smaller number; a class must be ahead of the predicted one at least.
    """
    if len(answers) < 2:
        signs = np.array([sign for sign in (1.0, -1.0) if toward in (None, sign)])
        return Goals(lambda values: values * signs, signs * float(answers[0]) + least)
    k = int(answers.argmax()) if own is None else own
    others = [j for j in range(len(answers)) if j != k and toward in (None, j)]
    return Goals(lambda values: values[:, others] - values[:, [k]], np.zeros(len(others)))
