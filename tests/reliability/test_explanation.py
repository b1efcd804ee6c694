"""One sample's story: what it says is what the model does."""

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from espalier.data import samples
from espalier.data.folds import Fold, rows_to_fit
from espalier.display.text.splits import demands_words
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    ObliqueRegressor,
    OptimalClassifier,
)
from espalier.reliability.changeable import changed_to, other_class
from espalier.reliability.counterfactuals import asked_by
from espalier.reliability.explanation import answers_of_refit, steps_of, story
from espalier.reliability.explanation_words import counterfactual_words, why
from espalier.reliability.reliability import ask_fold
from espalier.reliability.uncertainty import LEAF_DOUBT, NONE, OWN, measure_of, model_of
from espalier.reliability.words import reason
from espalier.tree.rules import all_demands
from tests.reliability.test_counterfactuals import APPLICANTS
from tests.tools import by_hand

IRIS = samples.load("iris")
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
    tree = CartClassifier(max_depth=3, random_state=0).fit(IRIS.X, IRIS.y)
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
        CultivatedClassifier(max_depth=4, random_state=0),
        BaggedForestClassifier(CartClassifier(max_depth=3), 9, random_state=0),
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
    forest = BaggedForestClassifier(CartClassifier(max_depth=3), 9, random_state=0).fit(IRIS.X, IRIS.y)
    x = IRIS.X[DOUBTFUL]
    for flip in story(forest, IRIS, x).singles:
        (change,) = flip.changes
        between = np.tile(x, (400, 1))
        ends = (change.before, np.nextafter(change.after, change.before))
        between[:, change.feature] = np.linspace(*ends, 400)
        assert (forest.predict(between) == forest.predict(x[None, :])[0]).all()


def test_the_story_of_a_cultivated_tree_follows_the_leaf_that_has_most_of_the_sample():
    learner = CultivatedClassifier(max_depth=4, random_state=0).fit(IRIS.X, IRIS.y)
    found = story(learner, IRIS, IRIS.X[DOUBTFUL])
    part = np.prod([step.part for step in found.steps])
    fraction = np.where(learner.tree_.left == -1, fractions_of(learner.tree_, IRIS.X[DOUBTFUL]), 0)
    assert part == pytest.approx(fraction.max())
    assert sum(one.part for one in found.conflicts) == pytest.approx(1)
    assert found.doubts.doubt[0] == pytest.approx(learner.predict_spread(IRIS.X[[DOUBTFUL]])[0])


def test_a_number_is_moved_by_half_a_standard_deviation():
    data = samples.load("diabetes")
    tree = CartRegressor(max_depth=3).fit(data.X, data.y)
    found: Any = story(tree, data, data.X[0])
    assert abs(found.flip.answer[0] - found.answer) >= found.least_move == pytest.approx(data.y.std() / 2)
    assert found.runner_up == -1
    assert np.isnan(found.lead)


def test_answers_again_are_of_models_that_have_not_seen_the_rows():
    # The row to be asked about is the only one of its class: no model that leaves it out can know that class.
    lone = IRIS._replace(y=np.where(np.arange(150) == 7, 2, IRIS.y % 2))
    rows = np.array([7, 8])
    found = [answers_of_refit(CartClassifier(max_depth=3), lone, rows, n) for n in range(4)]
    assert len(found) == 4
    assert all(said[0, 2] == 0 for said in found)
    again = [answers_of_refit(CartClassifier(max_depth=3), lone, rows, n) for n in range(2, 4)]
    assert np.array_equal(found[2:], again)


def test_pure_data_are_answered_alike_however_often_they_are_drawn_again():
    pure = IRIS._replace(y=(IRIS.X[:, 3] > 0.8).astype(int))
    for learner in (CartClassifier(), OptimalClassifier(max_depth=1)):
        found = np.stack([answers_of_refit(learner, pure, np.array([0, 149]), n) for n in range(3)])
        assert (found.argmax(axis=2) == [0, 1]).all()


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_a_model_tree_is_explained_by_its_own_answers_and_not_by_its_leaves_values(name):
    data = samples.load(name)
    learner: Any = ModelTreeClassifier if data.is_classification else ModelTreeRegressor
    model = learner(max_depth=2).fit(data.X, data.y)
    told = story(model, data, data.X[60])
    answer = model.predict_proba(data.X[60:61])[0] if data.is_classification else model.predict(data.X[60:61])
    assert told.answers == pytest.approx(answer)
    assert told.steps == ()
    assert measure_of(model_of(model)) == NONE


def test_a_change_of_a_row_with_gaps_is_sought_by_asking_a_tree_with_surrogate_splits():
    iris = samples.load("iris")
    gaps = iris._replace(X=np.where(np.random.default_rng(1).random(iris.X.shape) < 0.2, np.nan, iris.X))
    tree = CartClassifier(max_depth=3, missing="surrogate").fit(gaps.X, gaps.y)
    told: Any = story(tree, gaps, gaps.X[np.isnan(gaps.X).any(axis=1)][0])
    assert tree.predict(changed_by(told))[0] != told.answer
    assert not told.flip.is_exact


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_the_story_of_an_oblique_tree_has_the_weighted_sums_of_its_path(name):
    data = samples.load(name)
    learner: Any = ObliqueClassifier if data.is_classification else ObliqueRegressor
    model = learner(max_depth=3).fit(data.X, data.y)
    told = story(model, data, data.X[60])
    leaf = int(model.apply(data.X[[60]])[0])
    assert all_demands(model.tree_)[leaf].slants
    (sentence,) = why(told, data)
    assert all(words in sentence for words in demands_words(all_demands(model.tree_)[leaf], data.features))
    assert told.steps == ()
    assert measure_of(model_of(model)) == LEAF_DOUBT
    asked = np.flatnonzero(asked_by(told.model, len(data.features)))
    assert {change.feature for flip in told.singles for change in flip.changes} <= set(asked.tolist())


def test_an_oblique_tree_doubts_a_row_for_its_leaf_and_its_change_is_not_called_the_smallest():
    rows = np.arange(0, 150, 3)
    asked = ask_fold(
        ObliqueClassifier(max_depth=2), IRIS, Fold(1, rows, rows_to_fit(IRIS.roles, rows, len(IRIS.y)))
    )
    assert all("its leaf" in reason(asked, at, IRIS, OWN) for at in range(len(rows)))
    model = ObliqueClassifier(max_depth=4).fit(IRIS.X, IRIS.y)
    told: Any = story(model, IRIS, IRIS.X[DOUBTFUL])
    assert model.predict(changed_by(told))[0] != told.answer
    assert not told.flip.is_exact
    assert "found, not proved" in counterfactual_words(told, IRIS)


@pytest.mark.parametrize("learner", [GradientBoostingClassifier, ModelTreeClassifier])
def test_a_change_is_sought_for_models_whose_inside_tells_nothing(learner):
    model = learner().fit(IRIS.X, IRIS.y)
    told: Any = story(model, IRIS, IRIS.X[DOUBTFUL])
    assert model.predict(changed_by(told))[0] == told.flip.answer.argmax() != told.answer
    assert told.flip.is_exact == (learner is GradientBoostingClassifier)  # whose boxes tell the change
    assert told.doubts.doubt[0] == pytest.approx(1 - told.answers.max())
    assert not any("every row" in words for words in why(told, IRIS))


def test_only_of_the_baseline_it_is_said_that_nothing_changes_it():
    told = story(DummyClassifier().fit(IRIS.X, IRIS.y), IRIS, IRIS.X[0])
    assert told.flip is None
    assert "same for every row" in counterfactual_words(told, IRIS)
    assert any("of every row" in words for words in why(told, IRIS))
    flat = GradientBoostingClassifier(n_estimators=1, min_samples_leaf=80).fit(IRIS.X, IRIS.y)
    boosted = story(flat, IRIS, IRIS.X[0])
    assert "same for every row" not in counterfactual_words(boosted, IRIS)
