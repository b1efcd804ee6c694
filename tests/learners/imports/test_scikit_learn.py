"""Fitted models of scikit-learn say the same as forests of ours, also at thresholds and for missing values."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.model_selection import FixedThresholdClassifier

import espalier
from espalier.data import samples
from espalier.language import Refusal
from espalier.learners import ApproximationClassifier
from tests.learners.imports.at_thresholds import rows_for, table

X, GAPS, Y, NUMBER = table()
LABELS = np.array(["a", "b", "c"])[Y]
TWO = (Y > 0).astype(int)
SHALLOW = tree.DecisionTreeClassifier(max_depth=2)
WITH_GAPS = {
    "tree": tree.DecisionTreeClassifier(max_depth=6).fit(GAPS, LABELS),
    "tree grown best first": tree.DecisionTreeRegressor(max_leaf_nodes=20).fit(GAPS, NUMBER),
    "random forest": ensemble.RandomForestClassifier(5, random_state=0).fit(GAPS, LABELS),
    "extra trees": ensemble.ExtraTreesRegressor(5, random_state=0).fit(GAPS, NUMBER),
    "histograms, two classes": ensemble.HistGradientBoostingClassifier(max_iter=5).fit(GAPS, TWO),
    "histograms, three classes": ensemble.HistGradientBoostingClassifier(max_iter=3).fit(GAPS, LABELS),
    "histograms, counts": ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=5).fit(GAPS, NUMBER),
}
EXPONENTIAL = ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=5)
SHARE: Any = 0.1
WITHOUT = {
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=5).fit(X, TWO),
    "boosting by exponential loss": EXPONENTIAL.fit(X, TWO),
    "boosting of three classes": ensemble.GradientBoostingClassifier(n_estimators=3).fit(X, LABELS),
    "boosting from zero": ensemble.GradientBoostingRegressor(init="zero", n_estimators=5).fit(X, NUMBER),
    "AdaBoost": ensemble.AdaBoostClassifier(SHALLOW, n_estimators=5).fit(X, TWO),
    "AdaBoost of three classes": ensemble.AdaBoostClassifier(SHALLOW, n_estimators=5).fit(X, LABELS),
    "bagging of some columns": ensemble.BaggingClassifier(max_features=3, n_estimators=5).fit(X, LABELS),
    "bagging of numbers": ensemble.BaggingRegressor(max_features=2, n_estimators=5).fit(X, NUMBER),
}  # fmt: skip
ASKED = ("predict_proba", "decision_function", "score_samples", "predict")


class Reversed(ensemble.RandomForestClassifier):
    """A forest that says the first row's class of the last."""

    def predict(self, X):
        """Return the classes from the last row to the first."""
        return super().predict(X)[::-1]


@pytest.mark.parametrize("name", [*WITH_GAPS, *WITHOUT])
def test_the_forest_says_what_the_model_says(name):
    theirs = (WITH_GAPS | WITHOUT)[name]
    ours: Any = espalier.read_model(theirs)
    rows = rows_for(ours, missing=name in WITH_GAPS)
    for method in (method for method in ASKED if hasattr(theirs, method)):
        expected, said = getattr(theirs, method)(rows), getattr(ours, method)(rows)
        if expected.dtype.kind == "U":
            assert (expected == said).all()
        else:
            np.testing.assert_allclose(said, expected, rtol=1e-9, atol=1e-9)


def test_categories_go_where_histogram_boosting_sends_them_unknown_ones_too():
    columns: Any = [3]
    theirs = ensemble.HistGradientBoostingClassifier(categorical_features=columns, max_iter=5).fit(GAPS, LABELS)
    ours: Any = espalier.read_model(theirs)
    rows = rows_for(ours, codes={3: 9})  # 7 and 8 were not there
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-12)


def test_a_table_comes_by_the_names_of_its_columns_and_with_categories_as_text():
    frame = pd.DataFrame({"size": X[:, 0], "kind": pd.Categorical(np.array(list("xyzuvwq"))[X[:, 3].astype(int)])})
    theirs = ensemble.HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5).fit(frame, TWO)
    ours: Any = espalier.read_model(theirs)
    turned = frame[["kind", "size"]]
    np.testing.assert_allclose(ours.predict_proba(turned), theirs.predict_proba(frame), atol=1e-12)
    assert ours.features_[1].categories == tuple("quvwxyz")
    with pytest.raises(Refusal, match="lacks columns"):
        ours.predict(frame[["size"]])


def test_counts_and_impurities_of_a_tree_are_those_of_the_library():
    theirs = tree.DecisionTreeClassifier(max_depth=4).fit(X, Y)
    ours = espalier.read_model(theirs).forest_.trees[0]
    assert (ours.n_samples == theirs.tree_.n_node_samples).all()
    assert (ours.impurity == theirs.tree_.impurity).all()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (ensemble.AdaBoostRegressor(n_estimators=2).fit(X, NUMBER), "median"),
        (ensemble.BaggingClassifier(ensemble.RandomForestClassifier(2), 2).fit(X, Y), "must be a decision tree"),
        (tree.DecisionTreeRegressor(max_depth=1).fit(X, np.c_[NUMBER, NUMBER]), "several numbers"),
        (ensemble.RandomForestClassifier(), "not fitted"),
        (object(), "no trees can be read"),
        (Reversed(2).fit(X, Y), "method predict of its own"),
        (FixedThresholdClassifier(SHALLOW, threshold=SHARE).fit(X, TWO), "no trees can be read"),
    ],
    ids=["median", "forests", "targets", "unfitted", "object", "own answer", "own threshold"],
)
def test_what_a_forest_cannot_be_is_refused_with_the_reason(model, why):
    with pytest.raises(Refusal, match=why):
        espalier.read_model(model)


def test_the_tree_that_stands_in_for_a_forest_is_the_same_whoever_holds_the_forest():
    iris = samples.load("iris")
    theirs = ensemble.RandomForestClassifier(10, random_state=0).fit(iris.X, iris.y)
    trees = []
    for model in (theirs, espalier.read_model(theirs)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grown = ApproximationClassifier(model, max_depth=2, max_samples=5_000, random_state=0).fit(iris.X)
        trees.append(grown.tree_)
    assert trees[0].feature.tolist() == trees[1].feature.tolist()
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


def test_the_softmax_of_adaboost_is_no_mean_of_its_trees():
    """So the fast way into a forest is not taken for it: the tree stands in for the shares that it says."""
    ours = espalier.read_model(WITHOUT["AdaBoost"])
    with pytest.raises(ValueError, match="exact"):
        ApproximationClassifier(ours, method="exact", max_depth=2).fit(X)
