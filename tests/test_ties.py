"""Where classes tie, everything that speaks of an answer says what `predict` says."""

import numpy as np
import pytest

from espalier.approximation.fidelity import class_agreement, fidelity
from espalier.comparison.cross_validation import answers_of, prediction_of, try_fold, validate
from espalier.comparison.scores import class_scores, class_shares
from espalier.data.dataset import Feature, make_dataset
from espalier.data.folds import Folds, folds_of
from espalier.forests.growth import judge
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.learners import BaggedForestClassifier, CartClassifier, CultivatedClassifier, RandomForestClassifier
from espalier.learners.forests.forest import judge_any
from espalier.reliability.changeable import other_class
from espalier.reliability.explanation import answers_of_refit, story
from espalier.reliability.reliability import answered, ask, ask_fold
from espalier.ties import NO_PRIOR, prior_among, prior_of, winner, winners

# Two trees of a forest say different classes of many rows, and the class that comes last is the most frequent, so
# that the first of equals is not what the forest predicts.
MODELS = {
    "random forest": RandomForestClassifier(n_estimators=2, max_features=1, random_state=0),
    "votes": RandomForestClassifier(n_estimators=2, max_features=1, voting="majority", random_state=0),
    "bagged": BaggedForestClassifier(CartClassifier(max_depth=3), n_estimators=2, random_state=0),
    "one tree": CartClassifier(max_depth=2),
    "cultivated": CultivatedClassifier(max_depth=2),
}


def table_of_ties(n=90):
    """Few different rows, each with every class; classes 0, 1 and 2, the last ones more frequent."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (n, 3)).astype(float), rng.choice(3, n, p=[0.2, 0.3, 0.5])
    features = tuple(Feature(name) for name in "abc")
    return make_dataset("ties", X, features, y, Feature("y", "category", ("u", "v", "w")))


DATA = table_of_ties()


@pytest.fixture(params=MODELS)
def model(request):
    """One of each kind of model."""
    return MODELS[request.param]


def ties(shares) -> int:
    """How many rows (n, n_classes) have two greatest shares."""
    top = np.sort(shares, axis=1)
    return int((top[:, -1] - top[:, -2] < 1e-9).sum())


def test_the_table_makes_ties_that_a_forest_breaks_unlike_the_first_of_equals():
    forest = MODELS["votes"].fit(DATA.X, DATA.y)
    shares = forest.predict_proba(DATA.X)
    assert ties(shares) > 5
    assert (shares.argmax(axis=1) != forest.predict(DATA.X)).any()


def test_what_a_model_says_out_of_fold_is_what_it_predicts(model):
    plan = Folds(3)
    for fold in folds_of(DATA, plan):
        prediction = ask_fold(model, DATA, fold).prediction
        assert np.array_equal(prediction, model.predict(DATA.X[fold.rows]))
        tried, answers, own = try_fold(model, DATA, fold)
        assert np.array_equal(own, model.predict(DATA.X[fold.rows]))
        assert tried.scores == class_scores(DATA.y[fold.rows], answers, own)
        assert class_scores(DATA.y[fold.rows], answers, own).accuracy == pytest.approx(
            np.mean(own == DATA.y[fold.rows])
        )
        assert np.array_equal(own, winners(answers, prior_among(model, 3)))


def test_reliability_and_comparison_count_the_same_answers_right(model):
    plan = Folds(3)
    found, tried = ask(model, DATA, plan), validate(model, DATA, plan)
    answers = answered(found)
    assert tried.prediction is not None
    assert np.array_equal(answers.answer[np.argsort(answers.row)], tried.prediction)
    share, is_so = class_shares(DATA.y, tried.predicted, None, tried.prediction)
    assert is_so.mean() == pytest.approx(1 - answers.loss.mean())
    assert share == pytest.approx(tried.predicted.max(axis=1))


def test_a_story_tells_of_the_class_that_is_predicted(model):
    model.fit(DATA.X, DATA.y)
    for row in range(0, 90, 6):
        told = story(model, DATA, DATA.X[row])
        assert told.answer == model.predict(DATA.X[[row]])[0]
        assert told.runner_up != told.answer
        if told.flip is not None and len(told.flip.changes) == 1:
            changed = DATA.X[[row]].copy()
            changed[0, told.flip.changes[0].feature] = told.flip.changes[0].after
            assert model.predict(changed)[0] != told.answer
    again = answers_of_refit(model, DATA, np.arange(4), 0)
    assert set(again.sum(axis=1)) == {1.0}


def test_errors_out_of_bag_are_those_of_what_the_forest_would_predict():
    for name in ("random forest", "votes", "bagged"):
        forest = MODELS[name].fit(DATA.X, DATA.y)
        grown, in_bag = forest.forest_, forest.in_bag()
        found = judge(grown, DATA.X, DATA.y, in_bag)
        known = np.isfinite(found.value).all(axis=1)
        off = winners(found.value[known], grown.prior) != DATA.y[known]
        assert found.errors[-1] == pytest.approx(off.mean()), name
        target = WeightedTarget(DATA.y.astype(float), np.ones(90), True, grown.prior)
        slowly = judge_any(grown, None, np.asfortranarray(DATA.X), in_bag, target)
        assert slowly.errors == pytest.approx(found.errors, nan_ok=True)
    whole = judge(grown, DATA.X, DATA.y)
    assert whole.errors[-1] == pytest.approx(np.mean(forest.predict(DATA.X) != DATA.y))


def test_fidelity_asks_what_the_forest_predicts():
    forest = MODELS["votes"].fit(DATA.X, DATA.y)
    shares, prediction = forest.predict_proba(DATA.X), forest.predict(DATA.X)
    told = np.eye(3)[prediction]
    assert fidelity(shares, told, True, prior_of(forest)).agreement == 1
    assert [n for n, _ in class_agreement(shares, told, prior_of(forest))] == np.bincount(prediction).tolist()


# The rule


def test_a_tree_takes_the_first_of_equals_and_a_forest_the_most_frequent_and_then_the_first():
    shares = np.array([[0.4, 0.2, 0.4], [0.5, 0.5 + 1e-12, 0.0], [0.1, 0.2, 0.7]])
    assert winners(shares).tolist() == [0, 1, 2]
    assert winners(shares, np.array([0.2, 0.3, 0.5])).tolist() == [2, 1, 2]
    assert winners(shares, np.array([0.5, 0.25, 0.25])).tolist() == [0, 0, 2]
    assert winners(shares, np.ones(3) / 3).tolist() == [0, 0, 2]
    assert winner(shares[0], np.array([0.2, 0.3, 0.5])) == 2
    assert other_class(2, np.array([0.2, 0.3, 0.5]))(shares).tolist() == [False, True, False]


def test_a_forest_that_has_not_seen_every_class_has_a_prior_for_all_and_scores_take_the_classes_given():
    inside = DATA.y != 1
    forest = MODELS["votes"].fit(DATA.X[inside], DATA.y[inside])
    answers = answers_of(forest, DATA, DATA.X)
    assert prior_among(forest, 3)[1] == 0
    assert np.array_equal(prediction_of(forest, DATA, answers), forest.predict(DATA.X))
    assert prior_of(CartClassifier()) is NO_PRIOR
    shares = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert class_scores(np.array([1, 1]), shares).accuracy == 0
    assert class_scores(np.array([1, 1]), shares, np.array([1, 1])).accuracy == 1
