"""What features add to an answer: together with what stands at the root they are the answer."""

import numpy as np
import pytest

from espalier.analysis.reliability.contributions import contributions
from espalier.data import samples
from espalier.learners import (
    CartRegressor,
    CultivatedClassifier,
    CultivatedForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.trees import make_forest
from tests.tools import by_hand

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def test_an_applicant_owes_what_is_said_of_her_to_both_questions():
    tree = by_hand.admission()
    found = contributions(tree, np.array([3.5, 60.0]))
    assert found is not None
    assert found.base.tolist() == tree.value[0].tolist()
    assert found.added[0].tolist() == (tree.value[2] - tree.value[0]).tolist()
    assert found.added[1].tolist() == (tree.value[3] - tree.value[2]).tolist()


@pytest.mark.parametrize(
    "model",
    [
        CultivatedClassifier(max_depth=4),
        RandomForestClassifier(n_estimators=9, random_state=0),
        CultivatedForestClassifier(n_estimators=3, max_depth=3, random_state=0),
    ],
)
def test_all_parts_together_are_the_answer(model):
    model.fit(IRIS.X, IRIS.y)
    for row in (0, 70, 120):
        found = contributions(getattr(model, "forest_", None) or model.tree_, IRIS.X[row])
        assert found is not None
        assert found.base + found.added.sum(axis=0) == pytest.approx(model.predict_proba(IRIS.X[[row]])[0])


@pytest.mark.parametrize(
    "model", [CartRegressor(max_depth=4), RandomForestRegressor(n_estimators=9, random_state=0)]
)
def test_of_numbers_too(model):
    model.fit(DIABETES.X, DIABETES.y)
    found = contributions(getattr(model, "forest_", None) or model.tree_, DIABETES.X[5])
    assert found is not None
    assert found.base[0] + found.added.sum() == pytest.approx(model.predict(DIABETES.X[[5]])[0])


def test_a_forest_of_single_votes_cannot_be_taken_apart():
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(IRIS.X, IRIS.y).forest_
    assert contributions(make_forest(forest.trees, forest.weight, "votes", forest.prior), IRIS.X[0]) is None
