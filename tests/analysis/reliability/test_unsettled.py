"""Rows whose class trees as good do not settle, among answers out of fold."""

import numpy as np
import pytest

from espalier.analysis import Folds
from espalier.analysis.reliability import as_good
from espalier.analysis.reliability.as_good import SLACK, possible_classes
from espalier.analysis.reliability.reliability import answered, ask
from espalier.analysis.reliability.unsettled import Unsettled, unsettled
from espalier.data import samples
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.predict import classes

IRIS = samples.load("iris")
FOLDS = Folds(n_folds=3)


@pytest.fixture(scope="module")
def asked():
    return ask(OptimalClassifier(max_depth=2), IRIS, FOLDS)


def of(models) -> Unsettled:
    found = unsettled(models, answered(models))
    assert found is not None
    return found


def test_the_possible_classes_are_those_that_a_list_of_all_trees_gives(asked):
    fold = asked.tried[0]
    inside = np.isin(np.arange(150), fold.rows)
    model = OptimalClassifier(max_depth=2).fit(IRIS.X[~inside], IRIS.y[~inside])
    every = model.optimal_trees(slack=SLACK * 100, limit=10_000)
    given = np.array([classes(near.tree, IRIS.X[fold.rows]) for near in every])
    expected = np.array([[(given[:, row] == label).any() for label in range(3)] for row in range(len(fold.rows))])
    assert every.is_complete
    found = possible_classes(model, IRIS, np.flatnonzero(~inside), fold.rows)
    assert found is not None
    assert fold.possible is not None
    assert np.array_equal(found, fold.possible)
    assert (found >= expected).all()  # the list has one tree of several that part the training rows alike
    assert fold.possible[np.arange(len(fold.rows)), fold.prediction].all()


def test_rows_that_are_not_settled_are_told_from_the_others_with_the_errors_of_both(asked):
    answers, found = answered(asked), of(asked)
    possible = np.concatenate([one.possible for one in asked.tried])
    is_open = possible.sum(axis=1) > 1
    assert (len(found.place), found.n_asked) == (is_open.sum(), 150)
    assert (answers.loss[found.place].mean(), answers.loss[~is_open].mean()) == pytest.approx(
        (found.wrong, found.wrong_of_others)
    )
    assert (np.diff(answers.doubt[found.place]) <= 0).all()
    assert np.array_equal(found.possible, possible[found.place])


def test_of_repeats_only_the_first_is_listed():
    models = ask(OptimalClassifier(max_depth=1), IRIS, Folds(n_folds=2, n_repeats=2))
    found = of(models)
    assert found.n_asked == 150
    assert (answered(models).repeat[found.place] == 0).all()


def test_of_models_that_are_no_optimal_trees_there_are_none():
    models = ask(CartClassifier(max_depth=2), IRIS, Folds(n_folds=2))
    assert all(one.possible is None for one in models.tried)
    assert unsettled(models, answered(models)) is None


def test_a_limit_of_splits_holds_for_the_trees_that_are_counted():
    model, rows = OptimalClassifier(max_depth=2, max_splits=1).fit(IRIS.X, IRIS.y), np.arange(150)
    found = possible_classes(model, IRIS, rows, rows)
    assert found is not None
    assert found[rows, model.predict(IRIS.X)].all()
    assert found[50:, 1:].all()  # one split parts setosa; the others share a leaf, in which both are as many


def test_too_many_trees_are_not_counted(monkeypatch):
    monkeypatch.setattr(as_good, "MOST_SPLITS", 5)
    rows = np.arange(150)
    model = OptimalClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    assert possible_classes(model, IRIS, rows, rows) is None
