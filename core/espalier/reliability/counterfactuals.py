"""The smallest plausible change of a sample that changes a model's prediction.

`reliability.changeable` defines the possible changes. The smallest one changes the fewest features; of those, the
fewest spans in sum. For a tree it is exact: every leaf is a box, and the nearest point of a box is known. For a
forest or a cultivated tree `reliability.changeable` searches and reports whether the result is certain. For any
other model, changes of one feature to values of the data are tried, then of several, one after the other, without
proof.

Of forests the kernels search (`espalier.kernels.explanation.smallest_change`); here the forest, the changes that
are possible and the goals become their arrays. Forests of votes, of means and sums with a link are alike: a goal
is a sum of scores over the trees that must be great enough.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.kernels.explanation.smallest_change import (
    ANSWER,
    ASK,
    DONE,
    MOST_CODES,
    N_STEPS,
    NO,
    NOT_ASKED,
    NOTHING,
    ROOM,
    STAYS,
    YES,
    ChangeCells,
    ChangeGoal,
    FoundChange,
    LeafBoxes,
    NearestPoint,
    add_leaves,
    empty_boxes,
    first_set,
    open_sets,
    search,
)
from espalier.kernels.forest.packed import PackedForest, pack_forest
from espalier.kinds import are_boxes, trees_of
from espalier.oblique import ObliqueTree
from espalier.predict import ALIKE
from espalier.reliability.changeable import (
    ANY,
    FREE,
    SETS,
    SIZE,
    TIME,
    VOTES,
    Allowed,
    ChangeAim,
    Differs,
    Goals,
    Interval,
    Says,
    Smallest,
    ThresholdCells,
    ValueRange,
    cells_of,
    changed_to,
    cost,
    gate_reach,
    nearest_value,
    rooms,
    smallest,
    value_range,
    without_own,
)
from espalier.tree.nodes import features_of
from espalier.tree.rules import Bound, admits_value, boxed, leaf_bounds, refuse_surrogates
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, Tree, make_forest, make_tree

MOST_ENTRIES = 20_000_000  # leaves times columns in memory
STEPS_AT_ONCE = 2_000
LEVELS, ROOM_AT_FIRST = 64, 64  # for nested sets and their leaves
LINK_DOUBT = 1e-6  # of scores before a link, in which ties of shares are not sharp


def score_goals(forest: Forest, answer: float, least: float, toward: int | None = None) -> Goals:
    """Return the goals for another class than `answer`, or for a number at least `least` from it.

    `toward` is the class to reach, or 1 for a greater number and -1 for a smaller one; None: any will do.
    """
    if forest.n_outputs < 2:
        return _away_from(forest, answer, least, toward)
    k = int(answer)
    doubt = LINK_DOUBT if forest.combine == "sum" else ALIKE / 100
    if forest.link == "logistic":
        sign = 1.0 if k == 0 else -1.0
        return Goals(lambda values: sign * values, -sign * forest.start, doubt)
    rivals = np.array([j for j in range(forest.n_outputs) if j != k and toward in (None, j)])
    ahead = np.array([-1.0 if _wins_ties(forest.prior, j, k) else 1.0 for j in rivals])
    bounds = forest.start[k] - forest.start[rivals] + (ahead * ALIKE if len(forest.prior) else 0.0)
    is_bound = toward is not None and forest.n_outputs > 2  # a third class may be ahead of both
    return Goals(lambda values: values[:, rivals] - values[:, [k]], bounds, doubt, is_bound)


def _wins_ties(prior: np.ndarray, j: int, k: int) -> bool:
    """Return whether class j is predicted rather than k where both have the same share."""
    return (prior[j], k) > (prior[k], j) if len(prior) else j < k


def _away_from(forest: Forest, number: float, least: float, toward: int | None) -> Goals:
    signs = np.array([sign for sign in (1.0, -1.0) if toward in (None, sign)])
    ends = number + signs * least
    if forest.link == "log":
        ends = np.log(np.maximum(ends, 0.0), out=np.full(len(ends), -np.inf), where=ends > 0)
    bounds = signs * (ends - forest.start[0])
    return Goals(lambda values: values * signs, bounds, 1e-9 * max(1.0, float(np.abs(bounds[:1]).max())))


# ---- the search


class ForestSearch(NamedTuple):
    """A forest and a sample as the arrays of the kernels."""

    packed: PackedForest
    boxes: LeafBoxes
    cells: ChangeCells
    sample: np.ndarray  # (n_features,) float64


def forest_search(
    forest: Forest, x: np.ndarray, free: list[tuple[ValueRange, ThresholdCells]]
) -> ForestSearch | None:
    """Return what a search of changes of x (n_features,) needs; None if it would be too large.

    `free` are the features that may change, each with the cells that x is not in. Raises ValueError for trees of
    whose surrogate splits x may ask.
    """
    trees: Any = forest.trees
    for tree in trees:
        refuse_surrogates(tree, "what changes lead to", x)
    plain = forest._replace(trees=tuple(make_tree(*tree[:-1]) if tree.has_surrogates else tree for tree in trees))
    n_leaves = sum(tree.n_leaves for tree in trees)
    cells = _cells(len(x), free)
    if n_leaves * max(len(free), 1) > MOST_ENTRIES or _has_odd_sets(plain, cells):
        return None
    sample = np.array(x, dtype=np.float64)  # rows of tables are read-only, and kernels compiled for what is not
    boxes = _boxes(plain, sample, cells, n_leaves)
    return ForestSearch(pack_forest(plain), boxes, cells, sample)


def _cells(n_features: int, free: list[tuple[ValueRange, ThresholdCells]]) -> ChangeCells:
    feature = np.array([room.feature for room, _ in free], np.int64)
    column = np.full(n_features, -1)
    column[feature] = np.arange(len(free))
    is_set = np.array([len(room.codes) > 0 and len(each.value) <= MOST_CODES for room, each in free], np.bool_)
    start = np.cumsum([0, *(len(each.value) for _, each in free)])
    value = np.concatenate([np.empty(0), *(each.value for _, each in free)])
    costs = np.concatenate([np.empty(0), *(cost(room, each.value) for room, each in free)])
    own = np.array([_n_below(room, each) for room, each in free], np.int64)
    return ChangeCells(feature, column, is_set, start, value, costs, own)


def _n_below(room: ValueRange, cells: ThresholdCells) -> int:
    """Return how many cells are below the sample's value, towards which the cost falls; 0 where none is nearer."""
    is_near = math.isfinite(room.before) and math.isfinite(room.span)
    return int(np.searchsorted(cells.value, room.before)) if is_near else 0


def _has_odd_sets(forest: Forest, cells: ChangeCells) -> bool:
    """Return whether a split asks for a set of the categories of a column that has too many for one."""
    wide = cells.feature[~cells.is_set]
    trees: Any = forest.trees
    return any(np.isnan(tree.threshold[np.isin(tree.feature, wide)]).any() for tree in trees)


def _boxes(forest: Forest, x: np.ndarray, cells: ChangeCells, n_leaves: int) -> LeafBoxes:
    room, n, first_row = empty_boxes(n_leaves, len(cells.feature)), 0, 0
    trees: Any = forest.trees
    for number, tree in enumerate(trees):
        n = add_leaves(tree, number, first_row, x, cells, room, n)
        first_row += tree.n_leaves
    is_missed = room.is_missed[:n]
    missed_columns = np.nonzero(is_missed)[1].astype(np.int32)
    start = np.cumsum([0, *is_missed.sum(axis=1)])
    return LeafBoxes._make([*(array[:n] for array in room[:-2]), start, missed_columns])


class _Task(NamedTuple):
    """What is the same for all goals and numbers of columns."""

    made: ForestSearch
    goals: Goals
    scores: np.ndarray  # (n_rows, n_goals): of the rows of the packed forest
    does: Callable[[np.ndarray], bool]  # whether the model itself says that a changed sample does
    steps: int  # at most, in all
    until: float  # monotonic seconds
    aim: ChangeAim


def smallest_of_forest(
    forest: Forest,
    made: ForestSearch,
    goals: Goals,
    does: Callable[[np.ndarray], bool],
    aim: ChangeAim = ANY,
) -> Smallest:
    """Return the smallest change that reaches any of the goals, and whether it is certain.

    `does` says whether the model's own prediction of a changed sample (n_features,) is another one.
    """
    n_columns = len(made.cells.feature)
    weight = np.repeat(forest.weight, [tree.n_leaves for tree in forest.trees])
    scores = goals.of(made.packed.value) * weight[:, None]
    task = _Task(made, goals, scores, does, aim.steps, time.monotonic() + aim.seconds, aim)
    left = aim.steps
    for n in range(1, n_columns + 1):
        change = FoundChange(np.full(n_columns, STAYS), np.full(1, np.inf))
        for g in range(len(goals.needed)):
            left -= _search_goal(task._replace(steps=left), g, n, change)
            if left < 0:
                return Smallest(_values(made.cells, change), False, n - 1, TIME)
        if change.cost[0] < np.inf:
            return Smallest(_values(made.cells, change), True, n - 1)
    return Smallest(None, True, n_columns)


def _values(cells: ChangeCells, change: FoundChange) -> tuple[tuple[int, float], ...] | None:
    """Return the features that change, with their new values; None if nothing was found."""
    if not change.cost[0] < np.inf:
        return None
    columns = np.flatnonzero(change.cell != STAYS)
    values = cells.value[cells.start[columns] + change.cell[columns]]
    return tuple(zip(cells.feature[columns].tolist(), values.tolist(), strict=True))


def _search_goal(task: _Task, g: int, most: int, change: FoundChange) -> int:
    """Search for a change of so many columns that is cheaper than `found`, and write it there.

    Return the number of steps; more than the task has if it was not finished.
    """
    trees, boxes, cells, sample = task.made
    scores = np.ascontiguousarray(task.scores[:, g])
    goal = ChangeGoal(scores[boxes.row], scores, *_needed_score(task.goals, g, scores), most)
    n_columns, n_trees = len(cells.feature), len(trees.root)
    sets = open_sets(2 * len(boxes.tree) + ROOM_AT_FIRST, LEVELS, n_columns, n_trees)
    point = NearestPoint(np.empty(n_columns, np.int64), np.empty(len(sample)), np.empty(n_trees))
    counts = np.array([0, 0 if first_set(boxes, goal, sets) else NOTHING, 0, NOT_ASKED])
    until = STEPS_AT_ONCE
    while True:
        why = search(trees, boxes, cells, goal, sample, sets, counts, point, change, min(until, task.steps))
        if why == DONE:
            return int(counts[N_STEPS])
        if why == ASK:
            counts[ANSWER] = YES if task.does(point.value.copy()) else NO
        elif why == ROOM:
            larger = open_sets(2 * len(sets.leaf), 2 * len(sets.left), sets.low.shape[1], sets.best.shape[1])
            for old, new in zip(sets, larger, strict=True):
                new[: len(old)] = old
            sets = larger
        elif counts[N_STEPS] >= task.steps or time.monotonic() > task.until or task.aim.is_stopped:
            return task.steps + 1
        else:
            until = int(counts[N_STEPS]) + STEPS_AT_ONCE


def _needed_score(goals: Goals, g: int, scores: np.ndarray) -> Interval:
    """Return the score needed for a goal, and how near to it the model decides.

    Where the goal is only a bound, all scores from it on are as near as that, so that the model is always asked.
    """
    bound = float(goals.needed[g])
    if not goals.is_bound:
        return bound, goals.doubt
    far = 2 * (float(np.abs(scores).sum()) + abs(bound)) + 1.0
    return bound - goals.doubt + far, far


# ---- the smallest plausible change of a sample that changes a model's prediction

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
        is_ordered = np.isfinite(np.repeat(tree.decisions.threshold, np.diff(tree.cuts.start)))
        return feature[is_ordered], tree.cuts.value[is_ordered]
    splits = (tree.feature != LEAF) & np.isfinite(tree.threshold)
    return tree.feature[splits], tree.threshold[splits]


def asked_by(model: AnyTree | ObliqueTree | Forest | None, n_features: int) -> np.ndarray:
    """Return which features a model uses, (n_features,) bool; all without a model."""
    is_used = np.full(n_features, model is None)
    for tree in trees_of(model):
        is_used[features_of(tree)] = True
    return is_used


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
    room, is_used = rooms(dataset, x, allowed), asked_by(model, len(x))
    cuts = cuts_of(model, len(x)) if model is not None else [_middles(column) for column in dataset.X.T]
    to_try = [
        cells_of(r, cut) if r.is_free and ask else _NO_CELLS
        for r, cut, ask in zip(room, cuts, is_used, strict=True)
    ]
    until = math.inf if are_boxes(model) else time.monotonic() + MOST_SECONDS  # boxes answer fast
    return ChangeSearch(dataset, x, room, to_try, *tell, _most(model), until)


def _most(model: AnyTree | Forest | None) -> int:
    if model is not None and are_boxes(model):
        return MOST_VALUES
    return MOST_OF_CULTIVATED_FORESTS if isinstance(model, Forest) else MOST_OF_CULTIVATED


_NO_CELLS = ThresholdCells(np.empty(0), np.empty(0), np.empty(0))


def _middles(x: np.ndarray) -> np.ndarray:
    """Thresholds between neighbouring values."""
    values = np.unique(x[np.isfinite(x)])
    return values[:-1] + np.diff(values) / 2


def _fewer(among: ThresholdCells, most: int) -> ThresholdCells:
    """Thin out more than `most` cells at even steps of their ranks."""
    if len(among.value) <= most:
        return among
    places = np.unique(np.linspace(0, len(among.value) - 1, most).round().astype(int))
    return ThresholdCells(*(part[places] for part in among))


def single_changes(search: ChangeSearch) -> list[Counterfactual]:
    """Return for each feature that suffices alone its nearest change, the smallest first.

    Exact for a feature if all its values are tried: if a model has fewer than `ChangeSearch.most` cuts on it.
    Features of the most cuts are tried first; once the search is late, the others are not.
    """
    order = sorted(range(len(search.x)), key=lambda f: -len(search.cells[f].value))
    features = itertools.takewhile(lambda _: not search.is_late, order)
    flips = [flip for f in features if (flip := _along(search, search.x, f)[0]) is not None]
    return sorted(flips, key=lambda flip: (flip.spans, flip.changes[0].feature))


def _along(
    search: ChangeSearch, at: np.ndarray, feature: int
) -> tuple[Counterfactual | None, np.ndarray, np.ndarray]:
    """Return the nearest sufficient change of a feature, and the predictions at all values tried."""
    here = _fewer(search.cells[feature], search.most)
    if not len(here.value):
        return None, here.value, np.empty((0, 1))
    copies = np.tile(at, (len(here.value), 1))
    copies[:, feature] = here.value
    answers = search.says(copies)
    does = search.differs(answers)
    if not does.any():
        return None, here.value, answers
    room = search.rooms[feature]
    best = int(np.argmin(np.where(does, cost(room, here.value), np.inf)))
    change = _change(room, float(here.value[best]), _reach_of(here, does, best, room))
    return Counterfactual((change,), answers[best], False), here.value, answers


def _reach_of(here: ThresholdCells, does: np.ndarray, best: int, room: ValueRange) -> Bound:
    """Return the interval of sufficient values around the best one, from one cut to another."""
    first = last = best
    while not len(room.codes) and first > 0 and does[first - 1]:
        first -= 1
    while not len(room.codes) and last + 1 < len(does) and does[last + 1]:
        last += 1
    return Bound(room.feature, float(here.low[first]), float(here.high[last]))


def step_by_step(search: ChangeSearch, score: Callable[[np.ndarray], np.ndarray]) -> Counterfactual | None:
    """Change a few features one after the other: each the one that raises `score` of the predictions most.

    For samples without a sufficient change of a single feature; None if `MOST_CHANGED` do not suffice either, or
    once the search is late.
    """
    at, features = search.x.copy(), []
    for _ in range(MOST_CHANGED):
        if search.is_late:
            return None
        singles = [
            flip for f in range(len(at)) if f not in features and (flip := _along(search, at, f)[0]) is not None
        ]
        if singles:
            last = min(singles, key=lambda flip: flip.spans)
            return as_counterfactual(
                search, [*((f, float(at[f])) for f in features), (last.changes[0].feature, last.changes[0].after)]
            )
        step = _best_step(search, at, score, features)
        if step is None:
            return None
        at[step[0]], features = step[1], [*features, step[0]]
    return None


def _best_step(search: ChangeSearch, at: np.ndarray, score, features: list[int]) -> tuple[int, float] | None:
    """Return the feature and its nearest value that raise the score most; None if nothing raises it."""
    best, most = None, float(score(search.says(at[None, :]))[0]) + 1e-9
    for f in itertools.takewhile(lambda _: not search.is_late, range(len(at))):
        _, values, answers = _along(search, at, f) if f not in features else (None, np.empty(0), np.empty((0, 1)))
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
        problem = forest_search(forest, search.x, free)
        if problem is None:
            return Smallest(None, False, 0, SETS)
        goals = score_goals(forest, answer, least, aim.toward)
        return smallest_of_forest(forest, problem, goals, search.does, aim)
    if forest.combine != "mean":
        return Smallest(None, False, 0, VOTES)
    goals = goals_of(answers, least, None if len(answers) < 2 else int(answer), aim.toward)
    reach = gate_reach(forest, search.x, free, goals)
    if reach is None:
        return Smallest(None, False, 0, SIZE)
    return smallest(search.x, reach, free, goals, search.does, aim)


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
    rivals = [j for j in range(len(answers)) if j != k and toward in (None, j)]
    return Goals(lambda values: values[:, rivals] - values[:, [k]], np.zeros(len(rivals)))
