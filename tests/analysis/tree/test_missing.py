"""Errors of the ways of missing values as values are removed: by law, by hand, and where they must be equal."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis import Removals, removal_errors
from espalier.analysis.tree.missing import RemovalErrors, gathered_removals, removal_tasks, removed
from espalier.data import HeldOut, held_out, samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.progress import Progress
from espalier.tasks import PARTS

IRIS = samples.load("iris")
FEW = Removals(n_repeats=2, shares=(0.0, 0.5))


@given(seed=st.integers(0, 10**6), low=st.floats(0, 1), high=st.floats(0, 1))
def test_what_is_missing_stays_missing_when_more_is_removed(seed, low, high):
    X = np.where(np.arange(40).reshape(20, 2) % 7 == 0, np.nan, 1.0)
    low, high = sorted((low, high))
    fewer, more = (np.isnan(removed(X, share, seed)) for share in (low, high))
    assert (more >= fewer).all()
    assert (fewer >= np.isnan(X)).all()
    assert not np.isnan(removed(np.ones((20, 2)), 0.0, seed)).any()
    assert np.isnan(removed(X, 1.0, seed)).all()


def test_without_gaps_the_error_is_that_of_the_tree_on_the_rows_of_each_seed():
    found = removal_errors(CartClassifier(max_depth=2), IRIS, Removals(n_repeats=2, shares=(0.0,)))
    assert found is not None
    for repeat in range(2):
        tested = held_out(IRIS, HeldOut(30, repeat))
        tree = CartClassifier(max_depth=2).fit(IRIS.X[~tested], IRIS.y[~tested])
        assert found.errors[:, 0, repeat] == pytest.approx(np.mean(tree.predict(IRIS.X[tested]) != IRIS.y[tested]))


def test_the_error_with_gaps_is_that_of_a_tree_grown_by_hand_on_the_same_gaps():
    found = removal_errors(CartClassifier(), IRIS, Removals(n_repeats=2, held=HeldOut(20, 5), shares=(0.3,)))
    assert found is not None
    tested, X = held_out(IRIS, HeldOut(20, 6)), removed(IRIS.X, 0.3, 6)
    for number, way in enumerate(found.ways):
        tree = CartClassifier(missing=way).fit(X[~tested], IRIS.y[~tested])
        assert found.errors[number, 0, 1] == np.mean(tree.predict(X[tested]) != IRIS.y[tested])


def test_the_error_of_numbers_is_the_mean_squared_one():
    sine = samples.load("sine")
    found = removal_errors(CartRegressor(max_depth=3), sine, FEW)
    assert found is not None
    tested = held_out(sine, FEW.held)
    tree = CartRegressor(max_depth=3).fit(sine.X[~tested], sine.y[~tested])
    assert found.errors[0, 0, 0] == pytest.approx(np.mean((tree.predict(sine.X[tested]) - sine.y[tested]) ** 2))


def test_a_table_that_has_gaps_of_its_own_keeps_them():
    survey = IRIS._replace(X=removed(IRIS.X, 0.2, 9))
    found = removal_errors(CartClassifier(max_depth=2), survey, Removals(n_repeats=2, shares=(0.0,)))
    assert found is not None
    assert np.ptp(found.errors[:, 0], axis=0).max() > 0  # the four ways differ, though none was removed


def test_threads_give_the_same_errors():
    with ThreadPoolExecutor(2) as pool:
        beside = removal_errors(CartClassifier(), IRIS, FEW, pool)
    alone = removal_errors(CartClassifier(), IRIS, FEW)
    assert alone is not None
    assert beside is not None
    assert beside.errors.tolist() == alone.errors.tolist()


def test_progress_counts_all_trees_and_a_stop_leaves_the_repeats_that_are_whole():
    progress = Progress()
    removal_errors(CartClassifier(), IRIS, FEW, progress=progress)
    assert progress.done == PARTS * len(removal_tasks(CartClassifier(), IRIS, FEW)) == PARTS * 16
    assert removal_errors(CartClassifier(), IRIS, FEW, progress=Progress(is_stopped=True)) is None
    part = gathered_removals([0.1] * 8 + [0.2] * 7, ("side", "category", "impute", "surrogate"), FEW)
    assert part is not None
    assert part.errors.shape == (4, 2, 1)
    assert np.isnan(part.standard_error).all()


def test_standard_errors_take_into_account_that_repeats_share_rows():
    errors = np.array([[[0.1, 0.3]], [[0.2, 0.6]]])
    found = RemovalErrors(("side", "impute"), (0.0,), errors, 0.5)
    assert found.mean[:, 0] == pytest.approx([0.2, 0.4])
    assert found.standard_error[:, 0] == pytest.approx([np.sqrt(0.02), np.sqrt(0.08)])  # s² (1/2 + 1/2)
    assert found.behind(0)[:, 0] == pytest.approx([0.0, 0.2])
    assert found.standard_error_behind(0)[:, 0] == pytest.approx([0.0, np.sqrt(0.02)])


def test_gain_ratio_has_three_ways():
    found = removal_errors(CartClassifier(criterion="gain_ratio"), IRIS, FEW)
    assert found is not None
    assert found.ways == ("side", "category", "impute")


@pytest.mark.parametrize(
    ("removals", "says"),
    [
        (Removals(n_repeats=0), "0 repeats; there must be at least one"),
        (Removals(shares=(0.5, 0.1)), "must ascend from 0 or more to below 1"),
        (Removals(shares=(0.0, 1.0)), "below 1"),
        (Removals(held=HeldOut(0)), "0 % of these 150 rows come to none to test on"),
    ],
)
def test_impossible_plans_are_refused_with_the_reason(removals, says):
    with pytest.raises(ValueError, match=says):
        removal_errors(CartClassifier(), IRIS, removals)
