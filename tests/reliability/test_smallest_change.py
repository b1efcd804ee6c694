"""The smallest change of a forest's answer: against every point of a small grid, and what is plausible by hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import (
    CultivatedClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.description import record_in
from espalier.predict import NO_PRIOR, shares, vote, winner
from espalier.progress import Progress
from espalier.reliability.changeable import (
    Allowed,
    ChangeAim,
    ValueRange,
    cells_of,
    changed_to,
    cost,
    gate_reach,
    nearest_value,
    other_class,
    rooms,
    without_own,
)
from espalier.reliability.counterfactuals import as_counterfactual, change_search, goals_of, seek
from espalier.reliability.explanation import story
from espalier.tree.rules import Bound
from espalier.trees import make_forest

COLOUR = Feature("colour", "category", ("red", "green", "blue", "grey"))
LEVEL = Feature("level", "ordered", ("low", "middle", "high"))
KINDS = (Feature("a"), Feature("late", is_whole=True), COLOUR, LEVEL)
WIDE = ChangeAim(steps=10**6, seconds=60.0)


def table(seed: int, n: int = 60, numbers: bool = False):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 8, n), rng.integers(0, 3, n), rng.integers(0, 3, n)])
    X[rng.random(X.shape) < 0.05] = np.nan
    z = np.nan_to_num(X[:, 0]) + 0.4 * np.nan_to_num(X[:, 1]) + (X[:, 2] == 1) + rng.normal(size=n) * 0.4
    y, target = (z, Feature("y")) if numbers else ((z > 1.8).astype(int) + (z > 3), None)
    return make_dataset("t", X, KINDS, y, target or Feature("y", "category", ("p", "q", "r")))


def says(forest) -> Any:
    def answer(X):
        parts = [w * vote(t, np.asfortranarray(X), forest.combine)
                 for w, t in zip(forest.weight, forest.trees, strict=True)]  # fmt: skip
        return np.sum(parts, axis=0)

    return answer


def least_by_trying_all(found):
    """(features changed, spans) of the cheapest of all points of the cells; None where no point does it."""
    choices = [
        [float(found.x[f]), *without_own(found.cells[f], found.rooms[f]).value] for f in range(len(found.x))
    ]
    grid = np.array(list(itertools.product(*choices)))
    does = found.differs(found.says(grid))
    spans = np.zeros(len(grid))
    changed = np.zeros(len(grid), int)
    for f, room in enumerate(found.rooms):
        moved = ~((grid[:, f] == found.x[f]) | (np.isnan(grid[:, f]) & np.isnan(found.x[f])))
        changed += moved
        spans[moved] += cost(room, grid[moved, f])
    order = np.lexsort((spans[does], changed[does]))
    return (int(changed[does][order[0]]), float(spans[does][order[0]])) if does.any() else None


LIMITED = st.builds(Allowed, *[st.lists(st.integers(0, 3), max_size=2).map(tuple)] * 3)

CODED: Any = {"categorical_features": [2]}
FEW: Any = CODED | {"n_estimators": 4, "max_depth": 3}
MODELS: dict[str, Any] = {
    "mean": lambda seed: RandomForestClassifier(**FEW, random_state=seed),
    "votes": lambda seed: RandomForestClassifier(**FEW, random_state=seed),
    "numbers": lambda seed: RandomForestRegressor(**FEW, random_state=seed),
    "sum": lambda seed: GradientBoostingClassifier(**FEW | {"n_estimators": 3}, min_samples_leaf=3),
    "sum of two": lambda seed: GradientBoostingClassifier(**FEW | {"n_estimators": 3}, min_samples_leaf=3),
    "sum of numbers": lambda seed: GradientBoostingRegressor(
        **FEW | {"max_depth": 2}, learning_rate=0.4, min_samples_leaf=3
    ),
    "sum of counts": lambda seed: GradientBoostingRegressor(
        loss="poisson", **FEW | {"max_depth": 2}, learning_rate=0.4, min_samples_leaf=3
    ),
    "cultivated tree": lambda seed: CultivatedClassifier(**CODED, max_depth=3),
}
MOVES = {"numbers": 0.8, "sum of numbers": 0.5, "sum of counts": 0.5}  # how far a number is to be moved
SIDES = ("mean", "votes", "cultivated tree", "numbers")  # models that are led to a class, or to a side


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 39), LIMITED, st.sampled_from([None, 0, 1, 2]))
@example(225, 1, Allowed(down=(0,)), None)  # of means: a column helps only where another has changed further
def test_no_point_of_the_grid_is_a_smaller_change_to_another_answer_or_to_that_which_is_asked_for(
    name, seed, row, allowed, toward
):
    """The search finds what trying all points finds, and is certain of it."""
    if toward is not None:
        toward = None if name not in SIDES else (1, -1, 1)[toward] if name in MOVES else toward
    data = table(seed, 40 if name == "cultivated tree" else 60, name in MOVES)
    y = np.minimum(data.y, 1) if name == "sum of two" else np.abs(data.y) if "sum of" in name else data.y
    record = record_in(MODELS[name](seed).fit(data.X, y))
    if name in ("votes", "mean"):
        record = make_forest(record.trees, record.weight, name, record.prior)
    tell = says(record) if name in ("votes", "mean", "numbers") else lambda X: shares(record, X)
    x, prior = data.X[row], getattr(record, "prior", NO_PRIOR)
    now = tell(x[None, :])[0]
    if name in MOVES:
        answer, move = float(now[0]), MOVES[name]
        differs = ChangeAim(toward).test(answer, move, None)
    else:
        answer, move = winner(now, prior), 0.0
        if toward is not None and (len(now) < 3 or answer == toward):
            return
        differs = ChangeAim(toward).test(answer, 0.0, prior)
    found = change_search(data, record, x, (tell, differs), allowed)
    best, naive = seek(found, record, now, answer, move, WIDE._replace(toward=toward)), least_by_trying_all(found)
    assert best.is_certain
    assert (best.values is None) == (naive is None)
    if best.values is not None and naive is not None:
        flip = as_counterfactual(found, best.values)
        assert (len(flip.changes), flip.spans) == (naive[0], pytest.approx(naive[1]))
        assert best.ruled_out == naive[0] - 1
        assert found.differs(flip.answer[None, :])[0]


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.data())
def test_the_bounds_are_never_below_what_a_change_reaches_and_exact_at_a_point(seed, pick):
    data = table(seed, 40)
    x = data.X[pick.draw(st.integers(0, 39))]
    tree = CultivatedClassifier(max_depth=3, categorical_features=[2]).fit(data.X, data.y).tree_
    model = make_forest([tree], [1.0], "mean", [])
    found = change_search(data, model, x, (says(model), other_class(0)))
    free = [
        (r, rest) for r, c in zip(found.rooms, found.cells, strict=True) if len((rest := without_own(c, r)).value)
    ]
    goals = goals_of(np.array([1.0, 0.0, 0.0]), 0.0)
    reach: Any = gate_reach(model, x, free, goals)
    point, state = x.copy(), reach.start()
    at_first = reach.best(state)
    for room, cells in free:
        if pick.draw(st.booleans()):
            state = reach.keep(state, room.feature)
            continue
        cell = pick.draw(st.integers(0, len(cells.value) - 1))
        state = reach.within(reach.change(state, room.feature), room.feature, cell, cell)
        point[room.feature] = cells.value[cell]
    reached = goals.of(found.says(point[None, :]))[0]
    assert reach.best(state) == pytest.approx(reached)
    assert (at_first >= reached - 1e-9).all()


# ---- what is plausible


def room_of(f: int, x: list[float], allowed: Allowed = Allowed()):  # noqa: B008
    return rooms(table(1), np.array(x), allowed)[f]


NOW = [0.0, 3.0, 0.0, 1.0]


def test_whole_numbers_stay_whole_values_stay_among_those_seen_and_what_is_fixed_or_has_a_direction_keeps_it():
    assert nearest_value(room_of(1, NOW), Bound(1, 4.5)) == 5
    assert nearest_value(room_of(1, NOW), Bound(1, high=1.2)) == 1
    assert nearest_value(room_of(1, NOW), Bound(1, 4.2, 4.8)) is None
    data = table(1)
    assert nearest_value(room_of(0, NOW), Bound(0, float(np.nanmax(data.X[:, 0])) + 0.1)) is None
    assert nearest_value(room_of(1, NOW), Bound(1, 7.5)) is None
    assert room_of(2, NOW).codes.tolist() != []
    assert 3.0 not in room_of(2, NOW).codes  # grey is in no row
    assert nearest_value(room_of(2, NOW), Bound(2, categories=0b1000)) is None
    assert nearest_value(room_of(1, NOW, Allowed(fixed=(1,))), Bound(1, 4.5)) is None
    assert nearest_value(room_of(1, NOW, Allowed(down=(1,))), Bound(1, 4.5)) is None
    assert nearest_value(room_of(1, NOW, Allowed(up=(1,))), Bound(1, 4.5)) == 5
    assert nearest_value(room_of(3, NOW, Allowed(up=(3,))), Bound(3, high=0.5)) is None
    assert cells_of(room_of(3, NOW, Allowed(up=(3,))), np.empty(0)).value.tolist() == [1, 2]


def test_a_story_leads_to_the_class_that_is_asked_for_and_proves_it():
    data = samples.load("iris")
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    to_first, to_last = (story(model, data, data.X[70], aim=ChangeAim(toward)) for toward in (0, 2))
    for found, goal in ((to_first, 0), (to_last, 2)):
        assert found.toward == goal
        assert found.flip is not None
        assert found.flip.is_exact
        assert (
            model.predict(changed_to(data.X[70], [(c.feature, c.after) for c in found.flip.changes])[None]) == goal
        )
    free: Any = story(model, data, data.X[70]).flip
    flips = [found.flip for found in (to_first, to_last) if found.flip is not None]
    least = min((len(flip.changes), flip.spans) for flip in flips)
    assert least == (len(free.changes), pytest.approx(free.spans))


def test_an_aim_that_is_said_already_is_any_other_answer_and_a_class_never_met_is_certainly_out_of_reach():
    data = samples.load("iris")
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    said = story(model, data, data.X[0])
    assert story(model, data, data.X[0], aim=ChangeAim(int(said.answer))).toward is None
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(data.X[:100], data.y[:100])
    found = story(model, data, data.X[0], aim=ChangeAim(2))
    assert (found.flip, found.ruled_out) == (None, np.inf)


def test_a_search_that_is_asked_to_stop_or_stopped_says_so_and_that_it_is_not_sure():
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=3).fit(data.X, data.y).tree_
    x, now = data.X[70], shares(tree, data.X[70:71])[0]
    found = change_search(data, tree, x, (lambda X: shares(tree, X), other_class(int(now.argmax()))))
    asked = ChangeAim(None, 10**9, 60.0, Progress(is_stopped=True))
    assert seek(found, tree, now, int(now.argmax())).is_certain
    best = seek(found, tree, now, int(now.argmax()), aim=asked)
    assert (best.is_certain, best.why) == (False, "time")
    data = samples.load("breast-cancer")
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    x, now = data.X[0], model.predict_proba(data.X[:1])[0]
    found = change_search(data, model.forest_, x, (model.predict_proba, other_class(int(now.argmax()))))
    best = seek(found, model.forest_, now, int(now.argmax()), aim=ChangeAim(steps=4, seconds=60.0))
    assert (best.values, best.is_certain) == (None, False)


def test_the_smallest_change_of_a_hundred_trees_is_certain_and_the_model_itself_says_so():
    data = samples.load("breast-cancer")
    model = RandomForestClassifier(n_estimators=100, max_depth=6, random_state=0).fit(data.X, data.y)
    found: Any = story(model, data, data.X[0], aim=WIDE)
    assert found.flip.is_exact
    changed = changed_to(data.X[0], [(change.feature, change.after) for change in found.flip.changes])
    assert model.predict(changed[None, :])[0] != found.answer
    for change in found.flip.changes:  # at a threshold a value goes left, so that the next number above goes right
        thresholds = np.concatenate([t.threshold[t.feature == change.feature] for t in model.forest_.trees])
        ends = {*thresholds, *np.nextafter(thresholds, np.inf)}
        assert change.after in ends


def test_a_story_locks_what_it_is_told_to_lock_and_where_nothing_may_change_no_change_is_certain():
    data = samples.load("iris")
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(data.X, data.y)
    found = story(model, data, data.X[70], Allowed(fixed=(0, 1, 2, 3)))
    assert (found.flip, found.ruled_out, found.singles) == (None, np.inf, ())
    free: Any = story(model, data, data.X[70])
    first = free.flip.changes[0].feature
    found = story(model, data, data.X[70], Allowed(fixed=(first,)))
    assert all(change.feature != first for flip in found.singles for change in flip.changes)
    assert found.flip is None or (len(found.flip.changes), found.flip.spans) >= (1, free.flip.spans)


@given(st.integers(-5, 5), st.integers(0, 6))
def test_cuts_between_whole_numbers_give_a_cell_to_each_number_of_a_range_also_to_its_ends(low, n):
    room = ValueRange(0, float(low), float(low), float(low + n), np.empty(0), 1.0, is_free=True, is_whole=True)
    assert cells_of(room, np.arange(-20, 20) + 0.5).value.tolist() == list(range(low, low + n + 1))
