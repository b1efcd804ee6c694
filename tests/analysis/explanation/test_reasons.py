"""What each feature adds to one prediction, in its units."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from espalier import predict
from espalier.analysis.explanation.reasons import prediction_parts
from espalier.data import samples
from espalier.learners import (
    CultivatedClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def parts_of(model, X, y, x, output) -> Any:
    return prediction_parts(predict.record_of(model.fit(X, y)), x, output)


def test_parts_of_a_share_lead_to_the_share():
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    parts = parts_of(forest, IRIS.X, IRIS.y, IRIS.X[70], 1)
    assert parts.link == "identity"
    assert parts.base + parts.added.sum() == pytest.approx(forest.predict_proba(IRIS.X[[70]])[0, 1])


@pytest.mark.parametrize("output", [0, 1])
def test_parts_of_one_of_two_boosted_classes_lead_to_its_log_odds(output):
    model = GradientBoostingClassifier(n_estimators=4)
    parts = parts_of(model, IRIS.X, IRIS.y > 0, IRIS.X[70], output)
    assert parts.link == "logistic"
    assert expit(parts.base + parts.added.sum()) == pytest.approx(model.predict_proba(IRIS.X[[70]])[0, output])


def test_parts_of_a_boosted_count_lead_to_its_logarithm():
    model = GradientBoostingRegressor(loss="poisson", n_estimators=4)
    parts = parts_of(model, DIABETES.X, DIABETES.y, DIABETES.X[3], 0)
    assert parts.link == "log"
    assert np.exp(parts.base + parts.added.sum()) == pytest.approx(model.predict(DIABETES.X[[3]])[0])


def test_models_that_have_no_exact_parts_have_none():
    assert parts_of(CultivatedClassifier(max_depth=2), IRIS.X, IRIS.y, IRIS.X[0], 0) is None
    assert prediction_parts(None, IRIS.X[0], 0) is None
