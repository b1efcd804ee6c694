"""Coverage and risk by hand, answers out of fold against models fitted one by one, calibration and ROC."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.calibration import calibration_curve
from sklearn.dummy import DummyClassifier
from sklearn.metrics import roc_auc_score

from espalier.comparison.scores import N_BINS, Z, calibration, roc, wilson
from espalier.data import samples
from espalier.data.folds import Folds, deal
from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor
from espalier.predict import classes
from espalier.reliability.reliability import (
    Answers,
    FoldModels,
    answered,
    area,
    ask,
    curve,
    ratio,
    thresholds,
    validation_of,
)
from espalier.reliability.uncertainty import LEAF_DOUBT, NONE, OWN, SHARE, VOTES

PLAN = Folds(n_folds=2)


def answers(doubt, loss, fold=None, repeat=None):
    n = len(doubt)
    fold = np.arange(n) % 2 if fold is None else np.array(fold)
    repeat = np.zeros(n, int) if repeat is None else np.array(repeat)
    losses, doubts = np.array(loss, float), np.array(doubt, float)
    return Answers(np.arange(n), fold, repeat, np.zeros(n, int), losses, doubts, np.ones(n))


def test_coverage_risk_their_intervals_and_the_area_under_them_by_hand():
    found = curve(answers([0.1, 0.3, 0.3, 0.5], [0, 1, 0, 1]), PLAN)
    assert found.threshold.tolist() == [0.1, 0.3, 0.5]
    assert found.coverage == pytest.approx([1 / 4, 3 / 4, 1])
    assert found.risk == pytest.approx([0, 1 / 3, 1 / 2])
    found = curve(answers([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]), PLAN)
    assert found.risk[0] == 0
    assert found.risk_high[0] > 0.5  # Wilson, of two rows
    # Fold 0: 2 of 2 rows have loss 3; fold 1: 2 rows of loss 1. Mean 2; off by 2 and -2 in sum; s = sqrt(8).
    found = curve(answers([0.0] * 4, [3, 1, 3, 1]), PLAN)
    half = 12.706204736 * np.sqrt(8) / 2 * np.sqrt(1 / 2 + 1)
    assert found.risk_high[0] == pytest.approx(2 + half)
    assert found.risk_low[0] == 0
    found = area(answers([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]))
    assert found.value == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert found.best == pytest.approx((0 + 0 + 1 / 3 + 2 / 4) / 4)
    assert found.chance == 0.5


def test_intervals_hold_the_curves_and_stay_within_what_can_be():
    rng = np.random.default_rng(0)
    found = curve(answers(rng.random(60), rng.random(60) < 0.3), PLAN)
    for middle, low, high in (
        (found.coverage, found.coverage_low, found.coverage_high),
        (found.risk, found.risk_low, found.risk_high),
    ):
        assert (low <= middle + 1e-12).all()
        assert (middle <= high + 1e-12).all()
        assert low.min() >= 0
        assert high.max() <= 1


def test_of_many_doubts_some_are_shown_from_the_least_to_the_greatest_and_the_error_of_shares_by_hand():
    doubt = np.random.default_rng(0).random(5_000)
    found = thresholds(doubt, 50)
    assert len(found) == 50
    assert (found[0], found[-1]) == (doubt.min(), doubt.max())
    assert np.isin(found, doubt).all()
    # Two rows at 0.9 of which one happens, two at 0.2 of which none does: (2 · 0.4 + 2 · 0.2) / 4.
    shares = np.array([0.9, 0.9, 0.2, 0.2])
    found = calibration(np.array([1, 0, 0, 0]), np.column_stack([1 - shares, shares]), 1)
    assert found.n.tolist() == [2, 2]
    assert found.error == pytest.approx(0.3)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_equal_doubts_count_as_if_they_stood_in_every_order(rows):
    doubt, loss = np.array([d for d, _ in rows]), np.array([float(wrong) for _, wrong in rows])
    orders = [o for o in itertools.permutations(range(len(rows))) if (np.diff(doubt[list(o)]) >= 0).all()]
    areas = [np.mean(np.cumsum(loss[list(o)]) / np.arange(1, len(rows) + 1)) for o in orders]
    found = area(answers(doubt, loss))
    assert found.value == pytest.approx(np.mean(areas))
    assert found.best <= found.value + 1e-12


def test_answers_and_doubts_are_those_of_trees_that_have_not_seen_the_row():
    data, plan = samples.load("iris"), Folds(3, 2, 1)
    found = answered(ask(CartClassifier(max_depth=2, random_state=0), data, plan))
    assert len(found.row) == 2 * len(data.y)
    for number, rows, outside in deal(data.y, plan):
        tree = CartClassifier(max_depth=2, random_state=0).fit(data.X[outside], data.y[outside])
        here = found.fold == number
        assert np.array_equal(found.row[here], rows)
        assert np.array_equal(found.answer[here], tree.predict(data.X[rows]))
        assert np.array_equal(found.loss[here], tree.predict(data.X[rows]) != data.y[rows])
        leaf = tree.apply(data.X[rows])
        k = tree.tree_.value[leaf].argmax(axis=1)
        share = (tree.tree_.weight[leaf] * tree.tree_.value[leaf, k] + 1) / (tree.tree_.weight[leaf] + 3)
        assert found.doubt[here] == pytest.approx(1 - share)
        assert set(found.repeat[here]) == {number // 3}


def test_votes_stand_in_the_columns_of_the_datas_classes_also_where_a_fold_lacks_one():
    data = samples.load("iris")
    rare = data._replace(y=np.where(data.y == 1, 2, data.y))
    rare.y[0] = 1  # one row of a class: of two folds one does not know it
    found = ask(BaggedForestClassifier(n_estimators=3, random_state=0), rare, PLAN)
    assert found.measure == VOTES
    for one in found.tried:
        assert one.doubts.votes is not None
        assert one.doubts.votes.shape == (len(one.rows), 3)
        assert one.doubts.votes.sum(axis=1) == pytest.approx(np.ones(len(one.rows)))
        told = one.answers.argmax(axis=1)
        assert one.doubts.doubt == pytest.approx(1 - one.doubts.votes[np.arange(len(told)), told])


def test_doubt_can_be_taken_from_the_shares_and_is_where_there_is_no_tree():
    data = samples.load("iris")
    tree = ask(CartClassifier(max_depth=1), data, PLAN)
    assert tree.measure == LEAF_DOUBT
    first = tree.tried[0]
    assert answered(tree, SHARE).doubt[: len(first.rows)] == pytest.approx(1 - first.answers.max(axis=1))
    baseline = ask(DummyClassifier(strategy="prior"), data, PLAN)
    assert baseline.measure == NONE
    assert answered(baseline, OWN).doubt == pytest.approx(np.full(150, 2 / 3))


def test_a_number_is_as_wrong_as_it_is_off_calibration_asks_the_first_repeat_and_trees_vote_as_they_answer():
    data = samples.load("diabetes")
    found = answered(ask(CartRegressor(max_depth=2), data, PLAN))
    assert found.loss == pytest.approx(np.abs(found.answer - data.y[found.row]))
    assert (found.doubt > 0).all()
    assert curve(found, PLAN).risk[-1] == pytest.approx(found.loss.mean())
    data = samples.load("iris")
    found = ask(CartClassifier(max_depth=2), data, Folds(3, 2))
    told = validation_of(found)
    assert np.isfinite(told.predicted).all()
    for one in found.tried[:3]:
        assert np.array_equal(told.predicted[one.rows], one.answers)
    with pytest.raises(ValueError, match="no fold"):
        answered(FoldModels((), samples.load("iris"), PLAN))
    forest = BaggedForestClassifier(n_estimators=3, random_state=0).fit(data.X, data.y).forest_
    said = [classes(tree, data.X[:3]) for tree in forest.trees]
    assert np.shape(said) == (3, 3)


def test_an_interval_is_that_of_one_repeats_folds_but_for_degrees_of_freedom():
    rng = np.random.default_rng(0)
    above, below = rng.random((5, 1)), np.full((5, 1), 20.0)
    widths = []
    for n_repeats in (1, 4):  # of the very same folds
        middle, low, high = ratio(
            above.repeat(n_repeats, 0), below.repeat(n_repeats, 0), Folds(5, n_repeats), False
        )
        spread = above.repeat(n_repeats, 0).std(ddof=1) / 20
        widths.append((high - middle) / spread / stats.t.ppf(0.975, 5 * n_repeats - 1))
        assert low <= middle
    assert widths[0] == pytest.approx(widths[1])
    assert widths[0] == pytest.approx(np.sqrt(1 / 5 + 1 / 4))


def made(n=500, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet((1, 1, 1), n)
    return rng.integers(0, 3, n), shares


def test_bins_are_scikit_learns_of_a_class_or_of_the_class_predicted_without_rows_that_were_not_tried():
    y, shares = made()
    found = calibration(y, shares, 1)
    observed, predicted = calibration_curve(y == 1, shares[:, 1], n_bins=N_BINS)
    assert found.predicted_share == pytest.approx(predicted)
    assert found.observed_share == pytest.approx(observed)
    assert found.n.sum() == len(y)
    found = calibration(y, shares)
    observed, predicted = calibration_curve(y == shares.argmax(axis=1), shares.max(axis=1), n_bins=N_BINS)
    assert found.predicted_share == pytest.approx(predicted)
    assert found.observed_share == pytest.approx(observed)
    some = shares.copy()
    some[100:] = np.nan
    assert np.array_equal(calibration(y, some).predicted_share, calibration(y[:100], shares[:100]).predicted_share)


def test_wilsons_interval_ends_where_the_share_is_just_not_refuted():
    def gap(p):  # between the share seen and p, in standard errors of p
        return abs(0.3 - p) - Z * np.sqrt(p * (1 - p) / 20)

    low, high = wilson(np.array([0.3]), np.array([20]))
    assert low[0] == pytest.approx(optimize.brentq(gap, 1e-9, 0.3))
    assert high[0] == pytest.approx(optimize.brentq(gap, 0.3, 1 - 1e-9))


def test_the_curve_of_catches_has_scikit_learns_area_and_where_all_rows_are_alike_there_is_none():
    y, shares = made()
    found: Any = roc(y, shares, 2)
    assert found.area == pytest.approx(float(roc_auc_score(y == 2, shares[:, 2])))
    assert np.trapezoid(found.caught, found.false_alarms) == pytest.approx(found.area)
    assert (found.false_alarms[0], found.caught[0], found.false_alarms[-1], found.caught[-1]) == (0, 0, 1, 1)
    _, shares = made()
    assert roc(np.zeros(len(shares), np.int64), shares, 2) is None
