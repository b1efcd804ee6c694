"""Scores of each fold on part of its rows."""

import numpy as np
import pytest

from espalier.analysis.comparison.cross_validation import gathered, try_fold, validate
from espalier.analysis.comparison.differences import compare
from espalier.analysis.comparison.rescored import rescored
from espalier.data import samples
from espalier.data.rows.folds import Fold, Folds, folds_of
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.imports.ready import ReadyModel

IRIS, PLAN = samples.load("iris"), Folds(n_folds=4, n_repeats=2)
ALL = np.ones(150, bool)


def test_on_all_rows_they_are_those_of_the_first_repeat():
    found = validate(CartClassifier(max_depth=2), IRIS, PLAN)
    again = rescored(found, IRIS, ALL)
    for name in ("accuracy", "log_loss", "auc"):
        assert again.scores(name)[:4] == pytest.approx(found.scores(name)[:4])
        assert np.isnan(again.scores(name)[4:]).all()


def test_a_fitted_model_has_a_score_for_each_fold_on_the_rows_new_to_it():
    new = np.arange(150) % 3 > 0
    fitted = ReadyModel(CartClassifier(max_depth=1).fit(IRIS.X[~new], IRIS.y[~new]))
    rows = np.flatnonzero(new)
    at_once = gathered([try_fold(fitted, IRIS, Fold(0, rows, ~new))], IRIS, PLAN, rows)
    right = fitted.predict(IRIS.X) == IRIS.y
    expected = [right[fold.rows][new[fold.rows]].mean() for fold in folds_of(IRIS, PLAN)[:4]]
    assert rescored(at_once, IRIS, new).scores("accuracy")[:4] == pytest.approx(expected)


def test_of_numbers_too_and_a_fold_without_such_rows_is_left_out():
    diabetes = samples.load("diabetes")
    plan = Folds(n_folds=3)
    found, last = validate(CartRegressor(max_depth=2), diabetes, plan), folds_of(diabetes, plan)[2].rows
    among = np.ones(len(diabetes.y), bool)
    among[last] = False
    scores = rescored(found, diabetes, among).scores("rmse")
    assert scores[:2] == pytest.approx(found.scores("rmse")[:2])
    assert np.isnan(scores[2])


def test_pairs_that_are_asked_for_are_compared_and_counted_alone():
    scores = [np.array([0.9, 0.91, 0.89]), np.array([0.7, 0.72, 0.71]), np.array([0.8, 0.81, 0.8])]
    pairs = compare(scores, 0.5, [(0, 1), (0, 2)])
    assert [(one.first, one.second) for one in pairs] == [(0, 1), (0, 2)]
    assert max(one.p_holm for one in pairs) <= 2 * max(one.difference.p for one in pairs)
