"""The record of a model tree: a tree and its formulas, what it predicts, and when they do not fit together."""

import pickle

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.leaf_models import check_model_tree, for_classes, formula_features, make_leaf_models
from espalier.learners import ModelTreeClassifier, ModelTreeRegressor
from espalier.predict import through_link
from espalier.tree_checks import boxed
from tests.tools.cases import case

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
X = np.random.default_rng(0).normal(size=(300, 4))
CLASSIFIER = ModelTreeClassifier(max_depth=2).fit(X, np.digitize(np.abs(X[:, 0]) + X[:, 1] / 4, [0.4, 1.0]))
REGRESSOR = ModelTreeRegressor(max_depth=2).fit(DIABETES.X, DIABETES.y)
MODEL = CLASSIFIER.model_tree_


def test_the_record_predicts_what_the_estimator_does():
    assert MODEL.n_leaves > 2
    assert (predict.shares(MODEL, X) == CLASSIFIER.predict_proba(X)).all()
    assert (predict.predictions(MODEL, X) == CLASSIFIER.predict(X)).all()
    assert (predict.predictions(REGRESSOR.model_tree_, DIABETES.X) == REGRESSOR.predict(DIABETES.X)).all()
    assert (predict.leaves(MODEL, X) == CLASSIFIER.apply(X)).all()


def test_a_row_is_in_the_nodes_on_its_way_and_in_no_others():
    leaf = predict.leaves(MODEL, X)
    inside = predict.fractions_in(MODEL, X, int(MODEL.tree.right[0]))
    assert ((leaf >= MODEL.tree.right[0]) == inside).all()
    assert not predict.spreads(MODEL, X).any()


def test_a_vote_asks_the_formula_and_a_node_alone_has_none():
    assert (predict.vote(MODEL, X, "votes").argmax(axis=1) == predict.classes(MODEL, X)).all()
    with pytest.raises(ValueError, match="a node alone has no vote"):
        predict.votes_at_nodes(MODEL, "mean")


def test_a_record_survives_pickling_and_stays_read_only():
    again = pickle.loads(pickle.dumps(MODEL))
    assert (predict.shares(again, X) == predict.shares(MODEL, X)).all()
    with pytest.raises(ValueError, match="read-only"):
        again.models.intercept[0] = 0


def test_views_of_one_answer_in_a_leaf_refuse_formulas_by_name():
    with pytest.raises(ValueError, match=r"this surface needs one answer in each leaf.*formulas"):
        boxed(MODEL, "this surface")


@pytest.mark.parametrize("present", [[0, 1], [0, 3], [2, 3]])
def test_classes_that_no_row_has_get_the_share_0_and_the_others_keep_theirs(present):
    rows = IRIS.y < 2
    two = ModelTreeClassifier(max_depth=1).fit(IRIS.X[rows], IRIS.y[rows]).model_tree_
    wide = two._replace(models=for_classes(two.models, present, 4))
    absent = sorted(set(range(4)) - set(present))
    shares = predict.shares(wide, IRIS.X)
    assert np.allclose(shares[:, present], predict.shares(two, IRIS.X), atol=1e-12)
    assert not shares[:, absent].any()
    check_model_tree(wide)


def test_the_only_class_that_there_is_has_all_of_the_share():
    one = ModelTreeClassifier().fit(IRIS.X[:50], IRIS.y[:50]).model_tree_
    wide = for_classes(one.models, [1], 3)
    assert through_link(wide.intercept, wide.link).tolist() == [[0, 1, 0]]


def test_three_classes_of_four_keep_their_scores():
    wide = for_classes(MODEL.models, [0, 1, 3], 4)
    assert (wide.coefficient[:, [0, 1, 3]] == MODEL.models.coefficient).all()
    four = predict.shares(MODEL._replace(models=wide), X)
    assert np.allclose(four[:, [0, 1, 3]], predict.shares(MODEL, X))


def test_the_features_of_a_formula_are_those_with_a_coefficient():
    models = make_leaf_models(
        [[np.nan], [1.0], [2.0]], [0, 0, 2, 3], [3, 1, 3], np.ones((3, 1)), [0.0] * 3, [1.0] * 3, [0.0] * 4,
        [-9.0], [9.0], "identity",
    )  # fmt: skip
    assert formula_features(models) == [1, 3]
    assert formula_features(models, 2) == [3]
    assert formula_features(models, 0) == []


BROKEN = [
    ({"intercept": np.ones((2, 3))}, "intercept of the formulas has the shape"),
    ({"low": np.ones(1)}, "low of the formulas has the shape"),
    ({"start": np.zeros(MODEL.n_nodes + 1, np.int32)}, "start does not say where"),
    ({"intercept": np.zeros_like(MODEL.models.intercept)}, "a leaf needs a formula, and a split has none"),
    ({"feature": MODEL.models.feature + 4}, "outside of the 4"),
    ({"low": MODEL.models.high + 1}, "low is above its high"),
    ({"least": MODEL.models.greatest, "greatest": MODEL.models.least}, "the least of a score is above"),
]


def test_formulas_that_do_not_fit_the_tree_are_refused():
    for changes, message in BROKEN:
        with case((changes, message)):
            check_model_tree(MODEL)
            with pytest.raises(ValueError, match=message):
                check_model_tree(MODEL._replace(models=MODEL.models._replace(**changes)))
