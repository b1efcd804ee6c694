"""The smallest change of a sample, what is proved of it, and the region of recourse: by hand and by all points."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, GradientBoostingClassifier
from espalier.predict import shares
from espalier.reliability import changeable
from espalier.reliability.counterfactuals import change_search, nearest_leaf, seek, single_changes, step_by_step
from espalier.reliability.explanation import recourse_plane, story
from espalier.trees import make_forest
from tests.findings.planted import known_after, planned
from tests.tools import by_hand, random_trees


def data_of(X, features, n_classes=2):
    y = np.arange(len(X)) % max(n_classes, 1)
    names = tuple("abcd"[:n_classes])
    return make_dataset("t", np.asarray(X, float), features, y, Feature("y", "category", names))


APPLICANTS = data_of([[2.0, 50], [4.0, 100]], [Feature("gpa"), Feature("toefl")])


@st.composite
def cases(draw):
    features, target = draw(random_trees.features()), Feature("y", "category", ("a", "b", "c"))
    tree = draw(random_trees.trees(features, target, max_splits=4))
    X = draw(random_trees.samples(features, tree, n=4))
    some = st.lists(st.integers(0, len(features) - 1), max_size=2).map(tuple)
    return tree, data_of(X, features, 3), X[0], changeable.Allowed(draw(some), draw(some), draw(some))


@settings(max_examples=60)
@given(cases())
def test_no_allowed_point_nearer_than_the_nearest_leaf_is_of_another_class(case):
    tree, data, x, allowed = case
    answer = int(shares(tree, x[None, :])[0].argmax())
    assume(np.abs(x[np.isfinite(x)]).max(initial=0) < 1e8)  # spans whose ends rounding does not blur
    found = nearest_leaf(tree, data, x, changeable.other_class(answer), allowed)
    best = naive(tree, data, x, answer, allowed)
    assert (found is None) == (best is None)
    if found is not None and best is not None:
        changed = x.copy()
        for change in found.changes:
            changed[change.feature] = change.after
        assert shares(tree, changed[None, :])[0].argmax() != answer
        assert (len(found.changes), found.spans) == (best[0], pytest.approx(best[1]))


def naive(tree, data, x, answer, allowed=changeable.FREE):
    """The least (features changed, spans) of all points made of thresholds, their neighbours and codes."""
    choices, spans = [], changeable.spans_of(data)
    for f, feature in enumerate(data.features):
        cuts = tree.threshold[(tree.feature == f) & np.isfinite(tree.threshold)]
        known = data.X[np.isfinite(data.X[:, f]), f]
        values = np.unique(known)
        if not feature.categories and len(known):
            values = np.concatenate([values, cuts, np.nextafter(cuts, math.inf)])
            values = values[(values >= known.min()) & (values <= known.max())]
        if feature.kind != "category" and np.isfinite(x[f]):
            values = values[(values >= x[f]) | (f not in allowed.up)]
            values = values[(values <= x[f]) | (f not in allowed.down)]
        choices.append([x[f]] if f in allowed.fixed else [x[f], *values])
    points = np.array(list(itertools.product(*choices)))
    other = shares(tree, points).argmax(axis=1) != answer
    return min(((n_changed(p, x), cost(p, x, data, spans)) for p in points[other]), default=None)


def n_changed(point, x):
    return int((~((point == x) | (np.isnan(point) & np.isnan(x)))).sum())


def cost(point, x, data, spans):
    total = 0.0
    for f, feature in enumerate(data.features):
        if point[f] == x[f] or (np.isnan(point[f]) and np.isnan(x[f])):
            continue
        if np.isnan(x[f]) or feature.kind == "category":
            total += 1
        else:
            unit = len(feature.categories) - 1 if feature.categories else spans[f]
            total += abs(point[f] - x[f]) / unit
    return total


def test_an_applicant_needs_what_is_missing_and_a_tree_of_one_answer_has_nothing_to_flip_to():
    found: Any = nearest_leaf(by_hand.admission(), APPLICANTS, np.array([3.5, 60.0]), changeable.other_class(0))
    (change,) = found.changes
    assert (change.feature, change.before) == (1, 60)
    assert change.after == np.nextafter(64.5, 100)
    assert found.spans == pytest.approx(4.5 / 50)
    assert (found.is_exact, found.answer.tolist()) == (True, [0, 1])
    found: Any = nearest_leaf(by_hand.admission(), APPLICANTS, np.array([2.5, 60.0]), changeable.other_class(0))
    assert [change.feature for change in found.changes] == [0, 1]
    tree = by_hand.admission()._replace(value=np.tile([1.0, 0.0], (5, 1)))
    assert nearest_leaf(tree, APPLICANTS, np.array([2.0, 60.0]), changeable.other_class(0)) is None


def searched(tree, data, answer, x):
    return change_search(data, tree, x, (lambda X: shares(tree, X), changeable.other_class(answer)))


def test_a_single_change_of_a_tree_is_as_small_as_the_nearest_leaf_says():
    tree, x = by_hand.admission(), np.array([3.5, 60.0])
    (found,) = single_changes(searched(tree, APPLICANTS, 0, x))
    exact: Any = nearest_leaf(tree, APPLICANTS, x, changeable.other_class(0))
    assert found.changes[0].after == exact.changes[0].after
    assert found.changes[0].bound.low == 64.5
    assert not found.is_exact


def test_a_cultivated_tree_is_flipped_at_one_of_its_cuts_or_step_by_step_and_a_late_search_tries_no_other():
    tree = by_hand.options()
    data = data_of([[0.0, 0.0], [10.0, 10.0]], [Feature("a"), Feature("b")])
    x = np.array([4.0, 4.0])  # both options say left: class 0
    found = single_changes(searched(tree, data, 0, x))
    # Feature 1 alone gives 1/2, a tie that class 0 keeps; above all cuts of feature 0 it is the same.
    assert found == []
    assert single_changes(searched(tree, data, 0, np.array([5.5, 4.0])))[0].changes[0].after == 3.0
    found: Any = step_by_step(searched(tree, data, 0, np.array([4.0, 4.0])), lambda said: said[:, 1] - said[:, 0])
    assert sorted(change.feature for change in found.changes) == [0, 1]
    point = np.array([[change.after for change in sorted(found.changes)]])
    assert shares(tree, point)[0].argmax() == 1
    assert not found.is_exact
    late = searched(tree, data, 0, np.array([5.5, 4.0]))._replace(until=0.0, says=lambda _: pytest.fail("asked"))
    assert late.is_late
    assert single_changes(late) == []
    assert step_by_step(late, lambda said: said[:, 1]) is None
    assert not late.again().is_late
    assert searched(by_hand.admission(), APPLICANTS, 0, np.array([3.5, 60.0])).until == np.inf
    assert searched(by_hand.options(), data, 0, np.array([5.5, 4.0])).until < np.inf


def test_distances_and_spans_by_hand():
    assert changeable.ANY.test(3.0, 0.5, None)(np.array([[3.4], [3.5], [2.0]])).tolist() == [False, True, True]
    data = samples.load("iris")
    assert changeable.spans_of(data) == pytest.approx(np.ptp(data.X, axis=0))
    assert changeable.spans_of(data_of([[1.0, np.nan], [1.0, np.nan]], [Feature("a"), Feature("b")])).tolist() == [
        1,
        1,
    ]


def test_where_a_date_is_to_stay_its_month_stays_too_and_soft_trees_that_vote_or_are_many_are_refused():
    data = planned(known_after("date"), "date")
    x = data.X[np.flatnonzero(~np.isnan(data.X).any(axis=1))[0]]
    dates = [f for f, one in enumerate(data.features) if one.moment is not None]
    assert len(dates) == 3
    for f in dates:
        free = [room.is_free for room in changeable.rooms(data, x, changeable.Allowed(fixed=(f,)))]
        assert free == [one.moment is None for one in data.features]
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=3).fit(data.X, data.y).tree_
    x, now = data.X[70], shares(tree, data.X[70:71])[0]
    found = change_search(data, tree, x, (lambda X: shares(tree, X), changeable.other_class(int(now.argmax()))))
    many = [tree] * (changeable.MOST_DECISIONS // len(tree.decisions.feature) + 1)
    voting, large = make_forest([tree], [1.0], "votes", []), make_forest(many, [1.0] * len(many), "mean", [])
    assert seek(found, voting, now, int(now.argmax())) == (None, False, 0, "votes")
    assert seek(found, large, now, int(now.argmax())) == (None, False, 0, "size")


@pytest.mark.parametrize("toward", [None, 0, 1])
def test_the_story_of_a_boosted_sum_has_its_proof(toward):
    data = samples.load("iris")
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    found: Any = story(model, data, data.X[70], aim=changeable.ChangeAim(toward))
    assert found.flip.is_exact
    changed = changeable.changed_to(data.X[70], [(change.feature, change.after) for change in found.flip.changes])
    said = model.predict(changed[None])[0]
    assert said == toward if toward is not None else said != found.answer


IRIS = samples.load("iris")
MODEL = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
ROW = IRIS.X[70]


def plane(allowed=changeable.FREE):
    found = recourse_plane(MODEL, IRIS, story(MODEL, IRIS, ROW, allowed))
    assert found is not None
    return found


def cell_of(found, place):
    """Row and column of the cell that a place is in, which includes its upper ends, as leaves do."""
    return tuple(int(np.searchsorted(found.edges[axis], place[axis])) - 1 for axis in (1, 0))


def test_the_model_itself_says_so_in_the_middle_of_every_cell():
    found = plane()
    across, up = ((edges[1:] + edges[:-1]) / 2 for edges in found.edges)
    rng = np.random.default_rng(0)
    for row, column in rng.integers(0, [len(up), len(across)], (60, 2)):
        x = ROW.copy()
        x[found.features[0]], x[found.features[1]] = across[column], up[row]
        assert found.is_other[row, column] == (MODEL.predict(x[None, :])[0] != MODEL.predict(ROW[None, :])[0])


def test_the_row_has_its_own_answer_the_change_another_and_only_what_may_change_is_allowed():
    found = plane()
    assert not found.is_other[cell_of(found, found.now)]
    assert found.is_other[cell_of(found, found.then)]
    assert found.is_allowed[cell_of(found, found.then)]
    first = plane().features[0]
    found = plane(changeable.Allowed(down=(first,)))
    axis = found.features.index(first)
    shut = ~found.is_allowed.any(axis=axis)
    assert np.array_equal(shut, found.edges[axis][:-1] > ROW[first])
    whole = plane()
    found = story(MODEL, IRIS, ROW)
    fixed = found._replace(allowed=changeable.Allowed(fixed=(whole.features[1],)))
    here: Any = recourse_plane(MODEL, IRIS, fixed)
    assert here.is_allowed.any(axis=1).sum() <= 2


def test_the_plane_is_that_of_the_axes_or_of_the_change_and_there_is_none_without_one_or_a_second_column():
    found: Any = story(MODEL, IRIS, ROW)
    assert recourse_plane(MODEL, IRIS, found._replace(flip=None)) is None
    alone = found._replace(singles=(), flip=found.flip._replace(changes=found.flip.changes[:1]))
    assert recourse_plane(MODEL, IRIS, alone) is None
    assert recourse_plane(MODEL, IRIS, found._replace(x=np.full(4, np.nan))) is None
    moved = [change.feature for change in found.flip.changes]
    other = next(f for f in range(4) if f not in moved)
    assert len(moved) == 1
    inside: Any = recourse_plane(MODEL, IRIS, found, (other, moved[0]))
    assert inside.features == (other, moved[0])
    outside: Any = recourse_plane(MODEL, IRIS, found, [f for f in range(4) if f not in moved][:2])
    assert outside.features[0] == moved[0]


def test_a_number_is_another_one_where_it_is_far_enough_away():
    data = samples.load("diabetes")
    model = CartRegressor(max_depth=3).fit(data.X, data.y)
    told = story(model, data, data.X[3])
    found: Any = recourse_plane(model, data, told)
    assert np.array_equal(found.is_other, np.abs(found.answers[..., 0] - told.answer) >= told.least_move)
