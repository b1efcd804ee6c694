"""The smallest change of a sample, what is proved of it, its region, and the story of one sample."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from espalier import learners
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.data.folds import Fold, rows_to_fit
from espalier.display.text.splits import demand_words
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.predict import shares
from espalier.reliability import changeable
from espalier.reliability.changeable import changed_to, other_class
from espalier.reliability.counterfactuals import (
    asked_by,
    change_search,
    nearest_leaf,
    seek,
    single_changes,
    step_by_step,
)
from espalier.reliability.explanation import answers_of_refit, recourse_plane, steps_of, story
from espalier.reliability.explanation_words import counterfactual_words, why
from espalier.reliability.reliability import ask_fold
from espalier.reliability.uncertainty import LEAF_DOUBT, NONE, OWN, measure_of, model_of
from espalier.reliability.words import reason
from espalier.tree.rules import Slant, all_demands
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


def test_distances_and_spans_by_hand_and_a_single_change_is_as_small_as_the_nearest_leaf_says():
    tree, x = by_hand.admission(), np.array([3.5, 60.0])
    (found,) = single_changes(searched(tree, APPLICANTS, 0, x))
    exact: Any = nearest_leaf(tree, APPLICANTS, x, changeable.other_class(0))
    assert found.changes[0].after == exact.changes[0].after
    assert found.changes[0].bound.low == 64.5
    assert not found.is_exact
    assert changeable.ANY.test(3.0, 0.5, None)(np.array([[3.4], [3.5], [2.0]])).tolist() == [False, True, True]
    data = samples.load("iris")
    assert changeable.spans_of(data) == pytest.approx(np.ptp(data.X, axis=0))
    assert changeable.spans_of(data_of([[1.0, np.nan], [1.0, np.nan]], [Feature("a"), Feature("b")])).tolist() == [
        1,
        1,
    ]


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


def test_where_a_date_is_to_stay_its_month_stays_too_and_soft_trees_that_vote_or_are_many_are_refused():
    data = planned(known_after("date"), "date")
    x = data.X[np.flatnonzero(~np.isnan(data.X).any(axis=1))[0]]
    dates = [f for f, one in enumerate(data.features) if one.moment is not None]
    assert len(dates) == 3
    for f in dates:
        free = [room.is_free for room in changeable.rooms(data, x, changeable.Allowed(fixed=(f,)))]
        assert free == [one.moment is None for one in data.features]
    data = samples.load("iris")
    tree = learners.CultivatedClassifier(max_depth=3).fit(data.X, data.y).tree_
    x, now = data.X[70], shares(tree, data.X[70:71])[0]
    found = change_search(data, tree, x, (lambda X: shares(tree, X), changeable.other_class(int(now.argmax()))))
    many = [tree] * (changeable.MOST_DECISIONS // len(tree.decisions.feature) + 1)
    voting, large = make_forest([tree], [1.0], "votes", []), make_forest(many, [1.0] * len(many), "mean", [])
    assert seek(found, voting, now, int(now.argmax())) == (None, False, 0, "votes")
    assert seek(found, large, now, int(now.argmax())) == (None, False, 0, "size")


@pytest.mark.parametrize("toward", [None, 0, 1])
def test_the_story_of_a_boosted_sum_has_its_proof(toward):
    data = samples.load("iris")
    model = learners.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    found: Any = story(model, data, data.X[70], aim=changeable.ChangeAim(toward))
    assert found.flip.is_exact
    changed = changeable.changed_to(data.X[70], [(change.feature, change.after) for change in found.flip.changes])
    said = model.predict(changed[None])[0]
    assert said == toward if toward is not None else said != found.answer


IRIS = samples.load("iris")
MODEL = learners.CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
ROW = IRIS.X[70]


def plane(allowed=changeable.FREE):
    found: Any = recourse_plane(MODEL, IRIS, story(MODEL, IRIS, ROW, allowed))
    return found


def cell_of(found, place):
    """Row and column of the cell that a place is in, which includes its upper ends, as leaves do."""
    return tuple(int(np.searchsorted(found.edges[axis], place[axis])) - 1 for axis in (1, 0))


def test_in_every_cell_of_the_plane_the_model_itself_says_so_and_a_number_is_another_one_where_it_is_far_enough():
    found = plane()
    across, up = ((edges[1:] + edges[:-1]) / 2 for edges in found.edges)
    rng = np.random.default_rng(0)
    for row, column in rng.integers(0, [len(up), len(across)], (60, 2)):
        x = ROW.copy()
        x[found.features[0]], x[found.features[1]] = across[column], up[row]
        assert found.is_other[row, column] == (MODEL.predict(x[None, :])[0] != MODEL.predict(ROW[None, :])[0])
    data = samples.load("diabetes")
    model = learners.CartRegressor(max_depth=3).fit(data.X, data.y)
    told = story(model, data, data.X[3])
    found: Any = recourse_plane(model, data, told)
    assert np.array_equal(found.is_other, np.abs(found.answers[..., 0] - told.answer) >= told.least_move)


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


DOUBTFUL = 70  # a versicolor among virginicas


def changed_by(told):
    """The row of a story after its change, as a table."""
    assert told.flip is not None
    return changed_to(told.x, [(change.feature, change.after) for change in told.flip.changes])[None]


def test_the_way_of_a_sample_says_what_each_other_side_would_have_led_to():
    first, second = steps_of(by_hand.admission(), APPLICANTS, np.array([3.5, 60.0]))
    assert (first.node, first.left, second.node, second.left) == (0, False, 2, True)
    assert first.gap == pytest.approx(0.5 / 2)
    assert second.gap == pytest.approx(4.5 / 50)
    assert (first.otherwise.tolist(), second.otherwise.tolist()) == ([1, 0], [0, 1])


def test_the_story_of_a_tree_is_its_path_and_the_nearest_leaf_of_another_class():
    tree = learners.CartClassifier(max_depth=3, random_state=0).fit(IRIS.X, IRIS.y)
    found: Any = story(tree, IRIS, IRIS.X[DOUBTFUL])
    assert found.answer == tree.predict(IRIS.X[[DOUBTFUL]])[0]
    assert found.answers[found.runner_up] == np.sort(found.answers)[-2]
    assert found.lead == pytest.approx(np.diff(np.sort(found.answers)[-2:])[0])
    assert tree.predict(changed_by(found))[0] != found.answer
    assert found.flip.is_exact
    alone = [flip for flip in found.singles if len(found.flip.changes) == 1]
    assert not alone or alone[0].spans == pytest.approx(found.flip.spans)


def test_every_change_that_a_story_tells_does_what_it_says():
    for learner in (
        learners.CultivatedClassifier(max_depth=4, random_state=0),
        learners.BaggedForestClassifier(learners.CartClassifier(max_depth=3), 9, random_state=0),
    ):
        learner.fit(IRIS.X, IRIS.y)
        found = story(learner, IRIS, IRIS.X[DOUBTFUL])
        assert found.singles
        for flip in found.singles:
            assert len(flip.changes) == 1
            said = learner.predict_proba(changed_by(found._replace(flip=flip)))[0]
            assert said == pytest.approx(flip.answer)
            assert other_class(int(found.answer))(said[None, :])[0]


def test_no_nearer_value_of_a_feature_flips_a_forest():
    forest = learners.BaggedForestClassifier(learners.CartClassifier(max_depth=3), 9, random_state=0).fit(
        IRIS.X, IRIS.y
    )
    x = IRIS.X[DOUBTFUL]
    for flip in story(forest, IRIS, x).singles:
        (change,) = flip.changes
        between = np.tile(x, (400, 1))
        ends = (change.before, np.nextafter(change.after, change.before))
        between[:, change.feature] = np.linspace(*ends, 400)
        assert (forest.predict(between) == forest.predict(x[None, :])[0]).all()


def test_the_story_of_a_cultivated_tree_follows_the_leaf_that_has_most_of_the_sample():
    learner = learners.CultivatedClassifier(max_depth=4, random_state=0).fit(IRIS.X, IRIS.y)
    found = story(learner, IRIS, IRIS.X[DOUBTFUL])
    part = np.prod([step.part for step in found.steps])
    fraction = np.where(learner.tree_.left == -1, fractions_of(learner.tree_, IRIS.X[DOUBTFUL]), 0)
    assert part == pytest.approx(fraction.max())
    assert sum(one.part for one in found.conflicts) == pytest.approx(1)
    assert found.doubts.doubt[0] == pytest.approx(learner.predict_spread(IRIS.X[[DOUBTFUL]])[0])


def test_a_number_is_moved_by_half_a_standard_deviation():
    data = samples.load("diabetes")
    tree = learners.CartRegressor(max_depth=3).fit(data.X, data.y)
    found: Any = story(tree, data, data.X[0])
    assert abs(found.flip.answer[0] - found.answer) >= found.least_move == pytest.approx(data.y.std() / 2)
    assert found.runner_up == -1
    assert np.isnan(found.lead)


def test_answers_again_are_of_models_that_have_not_seen_the_rows_and_of_pure_data_always_alike():
    lone = IRIS._replace(y=np.where(np.arange(150) == 7, 2, IRIS.y % 2))
    rows = np.array([7, 8])
    found = [answers_of_refit(learners.CartClassifier(max_depth=3), lone, rows, n) for n in range(4)]
    assert len(found) == 4
    assert all(said[0, 2] == 0 for said in found)
    again = [answers_of_refit(learners.CartClassifier(max_depth=3), lone, rows, n) for n in range(2, 4)]
    assert np.array_equal(found[2:], again)
    pure = IRIS._replace(y=(IRIS.X[:, 3] > 0.8).astype(int))
    for learner in (learners.CartClassifier(), learners.OptimalClassifier(max_depth=1)):
        found = np.stack([answers_of_refit(learner, pure, np.array([0, 149]), n) for n in range(3)])
        assert (found.argmax(axis=2) == [0, 1]).all()


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_a_model_tree_is_explained_by_its_own_answers_and_not_by_its_leaves_values(name):
    data = samples.load(name)
    learner: Any = learners.ModelTreeClassifier if data.is_classification else learners.ModelTreeRegressor
    model = learner(max_depth=2).fit(data.X, data.y)
    told = story(model, data, data.X[60])
    answer = model.predict_proba(data.X[60:61])[0] if data.is_classification else model.predict(data.X[60:61])
    assert told.answers == pytest.approx(answer)
    assert told.steps == ()
    assert measure_of(model_of(model)) == NONE


def test_a_change_of_a_row_with_gaps_is_sought_by_asking_a_tree_with_surrogate_splits():
    iris = samples.load("iris")
    gaps = iris._replace(X=np.where(np.random.default_rng(1).random(iris.X.shape) < 0.2, np.nan, iris.X))
    tree = learners.CartClassifier(max_depth=3, missing="surrogate").fit(gaps.X, gaps.y)
    told: Any = story(tree, gaps, gaps.X[np.isnan(gaps.X).any(axis=1)][0])
    assert tree.predict(changed_by(told))[0] != told.answer
    assert not told.flip.is_exact


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_the_story_of_an_oblique_tree_has_the_weighted_sums_of_its_path(name):
    data = samples.load(name)
    learner: Any = learners.ObliqueClassifier if data.is_classification else learners.ObliqueRegressor
    model = learner(max_depth=3).fit(data.X, data.y)
    told = story(model, data, data.X[60])
    leaf = int(model.apply(data.X[[60]])[0])
    demands = all_demands(model.tree_)[leaf]
    assert any(isinstance(demand, Slant) for demand in demands)
    (sentence,) = why(told, data)
    assert all(demand_words(demand, data.features) in sentence for demand in demands)
    assert told.steps == ()
    assert measure_of(model_of(model)) == LEAF_DOUBT
    asked = np.flatnonzero(asked_by(told.model, len(data.features)))
    assert {change.feature for flip in told.singles for change in flip.changes} <= set(asked.tolist())


def test_an_oblique_tree_doubts_a_row_for_its_leaf_and_its_change_is_not_called_the_smallest():
    rows = np.arange(0, 150, 3)
    asked = ask_fold(
        learners.ObliqueClassifier(max_depth=2), IRIS, Fold(1, rows, rows_to_fit(IRIS.roles, rows, len(IRIS.y)))
    )
    assert all("its leaf" in reason(asked, at, IRIS, OWN) for at in range(len(rows)))
    model = learners.ObliqueClassifier(max_depth=4).fit(IRIS.X, IRIS.y)
    told: Any = story(model, IRIS, IRIS.X[DOUBTFUL])
    assert model.predict(changed_by(told))[0] != told.answer
    assert not told.flip.is_exact
    assert "found, not proved" in counterfactual_words(told, IRIS)


@pytest.mark.parametrize("learner", [learners.GradientBoostingClassifier, learners.ModelTreeClassifier])
def test_a_change_is_sought_for_models_whose_inside_tells_nothing(learner):
    model = learner().fit(IRIS.X, IRIS.y)
    told: Any = story(model, IRIS, IRIS.X[DOUBTFUL])
    assert model.predict(changed_by(told))[0] == told.flip.answer.argmax() != told.answer
    assert told.flip.is_exact == (learner is learners.GradientBoostingClassifier)  # whose boxes tell the change
    assert told.doubts.doubt[0] == pytest.approx(1 - told.answers.max())
    assert not any("every row" in words for words in why(told, IRIS))


def test_only_of_the_baseline_it_is_said_that_nothing_changes_it():
    told = story(DummyClassifier().fit(IRIS.X, IRIS.y), IRIS, IRIS.X[0])
    assert told.flip is None
    assert "same for every row" in counterfactual_words(told, IRIS)
    assert any("of every row" in words for words in why(told, IRIS))
    flat = learners.GradientBoostingClassifier(n_estimators=1, min_samples_leaf=80).fit(IRIS.X, IRIS.y)
    boosted = story(flat, IRIS, IRIS.X[0])
    assert "same for every row" not in counterfactual_words(boosted, IRIS)
