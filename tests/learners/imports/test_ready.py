"""A fitted model among estimators stays as it is, and shows what it is."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from espalier.data import samples
from espalier.learners import GradientBoostingClassifier, RandomForestRegressor
from espalier.learners.catalogue import BROUGHT, CommonTerms, Model
from espalier.learners.imports.ready import ReadyModel

IRIS = samples.load("iris")
BOOSTED: Any = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(IRIS.X, IRIS.y)


def test_a_fit_to_other_rows_changes_nothing():
    twin: Any = clone(ReadyModel(BOOSTED))
    ready = twin.fit(IRIS.X[:20], IRIS.y[:20])
    assert np.array_equal(ready.predict_proba(IRIS.X), BOOSTED.predict_proba(IRIS.X))
    assert np.array_equal(ready.predict(IRIS.X), BOOSTED.predict(IRIS.X))


def test_it_has_shares_and_trees_only_if_the_model_has():
    class Same:
        def predict(self, X):
            return np.zeros(len(X))

    ready = ReadyModel(Same())
    assert not any(hasattr(ready, name) for name in ("predict_proba", "classes_", "forest_"))
    assert ReadyModel(BOOSTED).forest_ is BOOSTED.forest_


def test_a_round_of_three_classes_has_three_trees_and_one_of_a_mean_one():
    assert ReadyModel(BOOSTED).n_trees_per_iteration_ == 3
    mean = RandomForestRegressor(n_estimators=6, random_state=0).fit(IRIS.X, IRIS.X[:, 0])
    assert ReadyModel(mean).n_trees_per_iteration_ == 1


def test_trees_that_do_not_take_turns_make_no_round():
    forest = BOOSTED.forest_
    ready = ReadyModel(BOOSTED)
    ready.__dict__["model"] = type("Turned", (), {"forest_": forest._replace(trees=forest.trees[::-1])})()
    assert ready.n_trees_per_iteration_ == 1


def test_the_catalogue_makes_it_of_the_model_in_the_terms():
    terms = CommonTerms.of(IRIS, box=BOOSTED)
    assert Model(BROUGHT.name).make(terms).model is BOOSTED
    with pytest.raises(AttributeError):
        _ = ReadyModel(None).classes_
