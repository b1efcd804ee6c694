"""Forests of scikit-learn are converted before they are approximated, and other models are asked as they are."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier

from espalier.learners import ApproximationClassifier, ApproximationRegressor

pytestmark = pytest.mark.filterwarnings("ignore::espalier.learners.approximation.UndecidedSplits")
FEW: Any = {"max_depth": 2, "initial_samples": 500, "max_samples": 500, "random_state": 0}
IRIS: Any = load_iris(as_frame=True)
DIABETES: Any = load_diabetes()
FOREST = RandomForestClassifier(20, random_state=0).fit(IRIS.data, IRIS.target_names[IRIS.target])


class Sharpened(RandomForestClassifier):
    """A forest that says something else than the mean of its trees."""

    def predict_proba(self, X):
        shares = np.square(super().predict_proba(X))
        return shares / shares.sum(axis=1, keepdims=True)


def n_besides(model: Any) -> int:
    """Return how many rows the model itself was asked about, besides those of the table."""
    return model.asking_.n_answered - len(model.table_.X)


def test_the_labels_of_a_converted_classifier_are_its_own_shares():
    tree = ApproximationClassifier(FOREST, **FEW).fit(IRIS.data)
    rows = tree.pseudo_samples(2000)
    said = FOREST.predict_proba(pd.DataFrame(rows, columns=IRIS.data.columns))
    np.testing.assert_allclose(tree.oracle_.coding.plain(tree.oracle_.labels(rows)), said, atol=1e-6)
    assert n_besides(tree) == 0


def test_the_labels_of_a_converted_regressor_are_its_own_numbers():
    forest = ExtraTreesRegressor(20, random_state=0).fit(DIABETES.data, DIABETES.target)
    tree = ApproximationRegressor(forest, **FEW).fit(DIABETES.data)
    rows = tree.pseudo_samples(2000)
    labels = tree.oracle_.coding.plain(tree.oracle_.labels(rows))
    np.testing.assert_allclose(labels[:, 0], forest.predict(rows), rtol=1e-6)
    assert n_besides(tree) == 0


@pytest.mark.parametrize("name", ["its own shares", "a function"])
def test_what_is_no_plain_forest_is_asked_as_it_is(name):
    X = IRIS.data.to_numpy()
    model: Any = Sharpened(5, random_state=0).fit(X, IRIS.target)
    if name == "a function":
        model = RandomForestClassifier(5, random_state=0).fit(X, IRIS.target).predict_proba
    assert n_besides(ApproximationClassifier(model, **FEW).fit(X)) > 0
