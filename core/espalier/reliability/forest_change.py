"""The smallest change of a sample that alters the prediction of a forest, with its proof.

The kernels search (`espalier.kernels.explanation.smallest_change`); here the forest, the changes that are possible
and the goals become their arrays. Forests of votes, of means and sums with a link are alike: a goal is a sum of
scores over the trees that must be great enough.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.explanation.reachable import (
    MOST_CODES,
    STAYS,
    ChangeCells,
    LeafBoxes,
    add_leaves,
    empty_boxes,
)
from espalier.kernels.explanation.smallest_change import (
    ANSWER,
    ASK,
    DONE,
    N_STEPS,
    NO,
    NOT_ASKED,
    NOTHING,
    ROOM,
    YES,
    ChangeGoal,
    FoundChange,
    NearestPoint,
    OpenSets,
    first_set,
    open_sets,
    search,
)
from espalier.kernels.forest.packed import PackedForest, pack_forest
from espalier.reliability.changeable import Interval, ThresholdCells, ValueRange, cost
from espalier.reliability.smallest_change import TIME, ChangeLimits, Smallest
from espalier.ties import ALIKE
from espalier.tree.surrogates import refuse_surrogates
from espalier.trees import Forest, make_tree

MOST_ENTRIES = 20_000_000  # leaves times columns in memory
STEPS_AT_ONCE = 2_000
LEVELS, ROOM_AT_FIRST = 64, 64  # for nested sets and their leaves
LINK_DOUBT = 1e-6  # of scores before a link, in which ties of shares are not sharp


class ScoreGoals(NamedTuple):
    """Goals of a search: any one of several sums of scores over the trees must be at least as great as needed."""

    of: Callable[[np.ndarray], np.ndarray]  # values of leaves (n, n_scores) -> (n, n_goals), linear
    needed: np.ndarray  # (n_goals,)
    doubt: float  # so near to it, the model itself decides
    is_bound: bool = False  # whether it is necessary and not enough: beyond it, too, the model decides


def score_goals(forest: Forest, answer: float, least: float, toward: int | None = None) -> ScoreGoals:
    """Return the goals for another class than `answer`, or for a number at least `least` from it.

    `toward` is the class to reach, or 1 for a greater number and -1 for a smaller one; None: any will do.
    """
    if forest.n_outputs < 2:
        return _away_from(forest, answer, least, toward)
    k = int(answer)
    doubt = LINK_DOUBT if forest.combine == "sum" else ALIKE / 100
    if forest.link == "logistic":
        sign = 1.0 if k == 0 else -1.0
        return ScoreGoals(lambda values: sign * values, -sign * forest.start, doubt)
    others = np.array([j for j in range(forest.n_outputs) if j != k and toward in (None, j)])
    ahead = np.array([-1.0 if _wins_ties(forest.prior, j, k) else 1.0 for j in others])
    needed = forest.start[k] - forest.start[others] + (ahead * ALIKE if len(forest.prior) else 0.0)
    is_bound = toward is not None and forest.n_outputs > 2  # a third class may be ahead of both
    return ScoreGoals(lambda values: values[:, others] - values[:, [k]], needed, doubt, is_bound)


def _wins_ties(prior: np.ndarray, j: int, k: int) -> bool:
    """Return whether class j is predicted rather than k where both have the same share."""
    return (prior[j], k) > (prior[k], j) if len(prior) else j < k


def _away_from(forest: Forest, number: float, least: float, toward: int | None) -> ScoreGoals:
    signs = np.array([sign for sign in (1.0, -1.0) if toward in (None, sign)])
    ends = number + signs * least
    if forest.link == "log":
        ends = np.log(np.maximum(ends, 0.0), out=np.full(len(ends), -np.inf), where=ends > 0)
    needed = signs * (ends - forest.start[0])
    return ScoreGoals(lambda values: values * signs, needed, 1e-9 * max(1.0, float(np.abs(needed[:1]).max())))


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
    missed = np.nonzero(is_missed)[1].astype(np.int32)
    start = np.cumsum([0, *is_missed.sum(axis=1)])
    return LeafBoxes._make([*(array[:n] for array in room[:-2]), start, missed])


class _Task(NamedTuple):
    """What is the same for all goals and numbers of columns."""

    made: ForestSearch
    goals: ScoreGoals
    scores: np.ndarray  # (n_rows, n_goals): of the rows of the packed forest
    does: Callable[[np.ndarray], bool]  # whether the model itself says that a changed sample does
    steps: int  # at most, in all
    until: float  # monotonic seconds
    limits: ChangeLimits


def smallest_of_forest(
    forest: Forest,
    made: ForestSearch,
    goals: ScoreGoals,
    does: Callable[[np.ndarray], bool],
    limits: ChangeLimits = ChangeLimits(),  # noqa: B008 - an immutable record
) -> Smallest:
    """Return the smallest change that reaches any of the goals, and whether it is certain.

    `does` says whether the model's own prediction of a changed sample (n_features,) is another one.
    """
    n_columns, weight = len(made.cells.feature), np.repeat(forest.weight, _n_leaves(forest))
    scores = goals.of(made.packed.value) * weight[:, None]
    task = _Task(made, goals, scores, does, limits.steps, time.monotonic() + limits.seconds, limits)
    left = limits.steps
    for n in range(1, n_columns + 1):
        found = FoundChange(np.full(n_columns, STAYS), np.full(1, np.inf))
        for g in range(len(goals.needed)):
            left -= _search_goal(task._replace(steps=left), g, n, found)
            if left < 0:
                return Smallest(_values(made.cells, found), False, n - 1, TIME)
        if found.cost[0] < np.inf:
            return Smallest(_values(made.cells, found), True, n - 1)
    return Smallest(None, True, n_columns)


def _n_leaves(forest: Forest) -> list[int]:
    return [tree.n_leaves for tree in forest.trees]


def _values(cells: ChangeCells, found: FoundChange) -> tuple[tuple[int, float], ...] | None:
    """Return the features that change, with their new values; None if nothing was found."""
    if not found.cost[0] < np.inf:
        return None
    changed = np.flatnonzero(found.cell != STAYS)
    values = cells.value[cells.start[changed] + found.cell[changed]]
    return tuple(zip(cells.feature[changed].tolist(), values.tolist(), strict=True))


def _search_goal(task: _Task, g: int, most: int, found: FoundChange) -> int:
    """Search for a change of so many columns that is cheaper than `found`, and write it there.

    Return the number of steps; more than the task has if it was not finished.
    """
    packed, boxes, cells, sample = task.made
    scores = np.ascontiguousarray(task.scores[:, g])
    goal = ChangeGoal(scores[boxes.row], scores, *_needed(task.goals, g, scores), most)
    n_columns, n_trees = len(cells.feature), len(packed.root)
    sets = open_sets(2 * len(boxes.tree) + ROOM_AT_FIRST, LEVELS, n_columns, n_trees)
    point = NearestPoint(np.empty(n_columns, np.int64), np.empty(len(sample)), np.empty(n_trees))
    counts = np.array([0, 0 if first_set(boxes, goal, sets) else NOTHING, 0, NOT_ASKED])
    until = STEPS_AT_ONCE
    while True:
        why = search(packed, boxes, cells, goal, sample, sets, counts, point, found, min(until, task.steps))
        if why == DONE:
            return int(counts[N_STEPS])
        if why == ASK:
            counts[ANSWER] = YES if task.does(point.value.copy()) else NO
        elif why == ROOM:
            sets = _twice(sets)
        elif counts[N_STEPS] >= task.steps or time.monotonic() > task.until or task.limits.are_over:
            return task.steps + 1
        else:
            until = int(counts[N_STEPS]) + STEPS_AT_ONCE


def _needed(goals: ScoreGoals, g: int, scores: np.ndarray) -> Interval:
    """Return the score needed for a goal, and how near to it the model decides.

    Where the goal is only a bound, all scores from it on are as near as that, so that the model is always asked.
    """
    needed = float(goals.needed[g])
    if not goals.is_bound:
        return needed, goals.doubt
    far = 2 * (float(np.abs(scores).sum()) + abs(needed)) + 1.0
    return needed - goals.doubt + far, far


def _twice(sets: OpenSets) -> OpenSets:
    """Return the same sets with twice the room."""
    larger = open_sets(2 * len(sets.leaf), 2 * len(sets.left), sets.low.shape[1], sets.best.shape[1])
    for old, new in zip(sets, larger, strict=True):
        new[: len(old)] = old
    return larger
