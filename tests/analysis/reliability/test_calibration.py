"""Calibration and ROC against scikit-learn and by hand."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score

from espalier.analysis.reliability.calibration import N_BINS, calibration, roc
from espalier.analysis.wilson_interval import Z, wilson


def made(n=500, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet((1, 1, 1), n)
    return rng.integers(0, 3, n), shares


def test_bins_are_scikit_learns_and_count_every_row():
    y, shares = made()
    found = calibration(y, shares, 1)
    observed, predicted = calibration_curve(y == 1, shares[:, 1], n_bins=N_BINS)
    assert found.predicted_share == pytest.approx(predicted)
    assert found.observed_share == pytest.approx(observed)
    assert found.n.sum() == len(y)


def test_the_class_predicted_is_asked_about_where_none_is_named():
    y, shares = made()
    found = calibration(y, shares)
    observed, predicted = calibration_curve(y == shares.argmax(axis=1), shares.max(axis=1), n_bins=N_BINS)
    assert found.predicted_share == pytest.approx(predicted)
    assert found.observed_share == pytest.approx(observed)


def test_the_error_by_hand():
    # Two rows at 0.9 of which one happens, two at 0.2 of which none does: (2 · 0.4 + 2 · 0.2) / 4.
    shares = np.array([0.9, 0.9, 0.2, 0.2])
    found = calibration(np.array([1, 0, 0, 0]), np.column_stack([1 - shares, shares]), 1)
    assert found.n.tolist() == [2, 2]
    assert found.error == pytest.approx(0.3)


def test_rows_that_were_not_tried_are_left_out():
    y, shares = made()
    some = shares.copy()
    some[100:] = np.nan
    assert np.array_equal(calibration(y, some).predicted_share, calibration(y[:100], shares[:100]).predicted_share)


def test_wilsons_interval_ends_where_the_share_is_just_not_refuted():
    def gap(p):  # between the share seen and p, in standard errors of p
        return abs(0.3 - p) - Z * np.sqrt(p * (1 - p) / 20)

    low, high = wilson(np.array([0.3]), np.array([20]))
    assert low[0] == pytest.approx(optimize.brentq(gap, 1e-9, 0.3))
    assert high[0] == pytest.approx(optimize.brentq(gap, 0.3, 1 - 1e-9))


def test_the_curve_of_catches_has_scikit_learns_area():
    y, shares = made()
    found = roc(y, shares, 2)
    assert found is not None
    assert found.area == pytest.approx(float(roc_auc_score(y == 2, shares[:, 2])))
    assert np.trapezoid(found.caught, found.false_alarms) == pytest.approx(found.area)
    assert (found.false_alarms[0], found.caught[0], found.false_alarms[-1], found.caught[-1]) == (0, 0, 1, 1)


def test_where_all_rows_are_alike_there_is_no_such_curve():
    _, shares = made()
    assert roc(np.zeros(len(shares), np.int64), shares, 2) is None
