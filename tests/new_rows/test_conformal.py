"""Limits of scores and promises of leaves: by hand, against numpy's quantiles and MAPIE, and kept on new rows."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from espalier import predict
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.new_rows import promises
from espalier.new_rows.promises import (
    LeafAnswers,
    class_scores,
    class_sets,
    error_scores,
    group_limits,
    intervals,
    promised_leaves,
    score_limit,
    units_needed,
)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_of_rows_that_are_new_in_turn_at_least_the_level_stays_under_the_limit_of_the_others(scores, level):
    scores = np.array(scores, float)
    n = len(scores)
    inside = [scores[i] <= score_limit(np.delete(scores, i), level) for i in range(n)]
    assert np.mean(inside) >= level - 1e-12


def test_a_level_of_k_in_n_plus_1_is_the_kth_score_also_where_rounding_makes_their_product_more_than_k():
    for n in range(1, 61):
        assert [score_limit(np.arange(n), k / (n + 1)) for k in range(1, n + 1)] == list(range(n)), n


@given(st.integers(1, 60), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_limit_is_the_quantile_that_mapie_takes(n, level):
    """MAPIE 1.6, `mapie.utils`: numpy's method "lower" at ⌈(n + 1) level⌉ / n."""
    scores = np.random.default_rng(n).random(n)
    share = np.ceil(round((n + 1) * level, 9)) / n
    assert score_limit(scores, level) == (np.quantile(scores, share, method="lower") if share <= 1 else np.inf)


def test_a_row_that_counts_twice_is_a_row_that_stands_there_twice_but_for_the_new_one():
    scores, weight = np.array([0.1, 0.2, 0.3, 0.4]), np.array([2.0, 1.0, 1.0, 2.0])
    assert score_limit(scores, 0.5, weight) == 0.3  # of 6 and a new row of 1.5, 3.75 must be under it
    assert score_limit(scores, 0.5) == score_limit(scores, 0.5, np.full(4, 7.0)) == 0.3


UNITS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=2, max_size=15)


@given(UNITS, st.sampled_from([0.5, 0.8, 0.9]))
def test_of_units_that_are_new_in_turn_at_least_the_level_of_their_rows_stays_under_the_limit_of_the_others(
    units, level
):
    score, unit = (
        np.concatenate(units).astype(float),
        np.repeat(np.arange(len(units)), [len(one) for one in units]),
    )
    inside = [
        np.mean(score[unit == i] <= score_limit(score[unit != i], level, unit=unit[unit != i]))
        for i in range(len(units))
    ]
    assert np.mean(inside) >= level - 1e-12


@given(st.lists(st.integers(0, 9), min_size=1, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_rows_of_a_unit_each_are_rows_and_copies_of_a_row_in_its_unit_are_one(scores, level):
    scores = np.array(scores, float)
    unit = np.arange(len(scores))
    assert score_limit(scores, level, unit=unit) == score_limit(scores, level)
    assert score_limit(np.repeat(scores, 3), level, unit=np.repeat(unit, 3)) == score_limit(scores, level)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_so_many_units_are_needed_and_one_less_does_not_do(level):
    for n, is_promised in ((units_needed(level), True), (units_needed(level) - 1, False)):
        unit = np.repeat(np.arange(n), 20)
        assert np.isfinite(score_limit(np.ones(len(unit)), level, unit=unit)) == is_promised


def new_unit_under_the_limit(rng, n_units, by_unit):
    """Share of the rows of a new unit that stay under the limit; rows of a unit are much alike."""
    unit = np.repeat(np.arange(n_units + 1), 20)
    score = np.abs(rng.normal(size=n_units + 1)[unit] + 0.5 * rng.normal(size=len(unit)))
    new = unit == n_units
    return np.mean(score[new] <= score_limit(score[~new], 0.9, unit=unit[~new] if by_unit else None))


def test_a_promise_is_kept_for_rows_of_new_units_and_would_not_be_if_rows_were_counted():
    kept = {}
    for by_unit in (False, True):
        rng = np.random.default_rng(0)
        kept[by_unit] = [new_unit_under_the_limit(rng, 10, by_unit) for _ in range(1_000)]
    error = np.std(kept[True]) / np.sqrt(1_000)
    assert np.mean(kept[False]) < 0.9 - 2 * error
    assert np.mean(kept[True]) > 0.9 - 2 * error


def test_groups_have_limits_of_their_own_sets_hold_classes_within_the_limit_and_intervals_what_is_off_by_it():
    scores, group = np.array([0.5, 0.1, 0.9, 0.2, 0.3]), np.array([0, 1, 0, 1, 1])
    assert group_limits(scores, group, 3, 0.7).tolist() == [np.inf, 0.3, np.inf]
    shares, said = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 0])
    assert class_scores(shares, said, np.array([0, 2])).tolist() == pytest.approx([0.0, 0.75])
    assert class_sets(shares, said, np.array([0.65])).tolist() == [[True, False, False], [True, True, False]]
    by_class = class_sets(shares, said, np.array([0.2, 0.8, np.inf]))
    assert by_class.tolist() == [[True, True, True], [True, True, True]]
    assert class_sets(shares, said, np.array([0.0])).tolist() == [[True, False, False]] * 2
    prediction, y, scale = np.array([1.0, 4.0]), np.array([2.0, 0.0]), np.array([0.5, 4.0])
    assert error_scores(prediction, y).tolist() == [1, 4]
    assert error_scores(prediction, y, scale).tolist() == [2, 1]
    assert intervals(prediction, 1.0, scale).tolist() == [[0.5, 1.5], [0.0, 8.0]]


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_levels_that_nobody_can_promise_are_refused(level):
    with pytest.raises(ValueError, match="cannot be promised"):
        score_limit(np.array([0.1]), level)


LEVELS = (0.8, 0.9, 0.95)


@pytest.fixture
def _mapie():
    pytest.importorskip("mapie", minversion="1.0", reason="mapie is not installed")


def thirds(data, seed):
    return np.array_split(np.random.default_rng(seed).permutation(len(data.y)), 3)


@pytest.mark.usefixtures("_mapie")
@pytest.mark.filterwarnings("ignore")  # its own, on levels and small samples
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "moons", "questionnaire"])
def test_sets_of_the_share_of_the_truth_are_mapies(name, level):
    data = samples.load(name)
    learn, judge, new = thirds(data, 0)
    forest = RandomForestClassifier(20, random_state=0).fit(data.X[learn], data.y[learn])
    made = importlib.import_module("mapie.classification").SplitConformalClassifier(
        forest, confidence_level=level, conformity_score="lac", prefit=True
    )
    _, sets = made.conformalize(data.X[judge], data.y[judge]).predict_set(data.X[new])
    most = score_limit(1 - forest.predict_proba(data.X[judge])[np.arange(len(judge)), data.y[judge]], level)
    np.testing.assert_array_equal(1 - forest.predict_proba(data.X[new]) <= most + 1e-12, sets[:, :, 0])


@pytest.mark.usefixtures("_mapie")
@pytest.mark.filterwarnings("ignore")  # its own, on levels and small samples
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["diabetes", "sine"])
def test_intervals_of_the_error_are_mapies(name, level):
    data = samples.load(name)
    learn, judge, new = thirds(data, 1)
    forest = RandomForestRegressor(20, random_state=0).fit(data.X[learn], data.y[learn])
    made = importlib.import_module("mapie.regression").SplitConformalRegressor(
        forest, confidence_level=level, prefit=True
    )
    _, theirs = made.conformalize(data.X[judge], data.y[judge]).predict_interval(data.X[new])
    most = score_limit(error_scores(forest.predict(data.X[judge]), data.y[judge]), level)
    np.testing.assert_allclose(intervals(forest.predict(data.X[new]), most), theirs[:, :, 0], rtol=1e-12)


LEAVES = np.array([1, 2])


def two_leaves(y, leaf, value):
    return LeafAnswers(LEAVES, np.asarray(value), np.asarray(leaf), np.asarray(y))


def test_each_leaf_names_as_many_classes_as_its_own_rows_ask_for():
    # leaf 1: 19 of 20 rows are of the class that it says; leaf 2: 12 of 20
    y, leaf = np.repeat([0, 1, 1, 0], [19, 1, 12, 8]), np.repeat([1, 2], [20, 20])
    found = promised_leaves(two_leaves(y, leaf, [[0.9, 0.1], [0.4, 0.6]]), 0.9)
    assert found.sets.tolist() == [[True, False], [True, True]]
    assert found.n.tolist() == [20, 20]
    assert found.is_promised.all()


def test_a_leaf_with_too_few_rows_or_rows_of_too_few_groups_promises_nothing():
    needed = units_needed(0.9)
    for n, is_promised in ((needed - 1, False), (needed, True)):
        one = two_leaves(np.zeros(n, int), np.ones(n, int), [[0.9, 0.1], [0.4, 0.6]])
        found = promised_leaves(one, 0.9)
        assert found.is_promised.tolist() == [is_promised, False]
        assert found.sets[1].all()
    n = units_needed(0.9)
    y, unit = np.zeros(2 * n, int), np.concatenate([np.arange(n), np.zeros(n, int)])
    found = promised_leaves(two_leaves(y, np.repeat(LEAVES, n), [[0.9, 0.1], [0.4, 0.6]])._replace(unit=unit), 0.9)
    assert found.is_promised.tolist() == [True, False]
    assert found.in_groups


def test_intervals_of_a_leaf_are_as_wide_as_its_own_errors():
    y, leaf = np.array([1.0, 2.0, 4.0, 3.0, 10.0, 20.0, 0.0, 30.0]), np.repeat([1, 2], [4, 4])
    found = promised_leaves(two_leaves(y, leaf, [[2.0], [10.0]]), 0.6)
    assert found.limits.tolist() == [promises.score_limit(np.array([1.0, 0.0, 2.0, 1.0]), 0.6), 10.0]
    assert found.ends.tolist() == [[1.0, 3.0], [0.0, 20.0]]


def kept(seed, level, is_classes):
    """The rows of a fresh sample whose truth is in the set of their leaf, by leaf: how many, of how many."""
    rng = np.random.default_rng(seed)

    def draw(n):
        X = rng.uniform(size=(n, 1))
        noise = rng.uniform(size=n) < np.where(X[:, 0] < 0.5, 0.05, 0.35)
        y = ((X[:, 0] > 0.3) ^ noise).astype(int)
        return X, y if is_classes else 10.0 * X[:, 0] * (1 + noise)

    learner = CartClassifier if is_classes else CartRegressor
    tree = learner(max_depth=2).fit(*draw(120)).tree_
    (X, y), (X_new, y_new) = draw(120), draw(600)
    node = np.flatnonzero(tree.feature < 0)
    found = promised_leaves(LeafAnswers(node, tree.value[node], predict.leaves(tree, X), y), level)
    place = np.searchsorted(node, predict.leaves(tree, X_new))
    if is_classes:
        holds = found.sets[place, y_new]
    else:
        holds = (found.ends[place, 0] <= y_new) & (y_new <= found.ends[place, 1])
    return np.bincount(place, holds, 4), np.bincount(place, minlength=4)


@pytest.mark.parametrize("is_classes", [True, False])
def test_new_rows_of_every_leaf_have_the_truth_in_its_set_as_often_as_promised(is_classes):
    level, shares = 0.8, []
    for seed in range(120):
        holds, n = kept(seed, level, is_classes)
        shares.append(np.where(n > 0, holds / np.maximum(n, 1), np.nan))
    of_leaf = np.array(shares)
    error = 2.6 * np.nanstd(of_leaf, axis=0) / np.sqrt(120)
    assert (np.nanmean(of_leaf, axis=0) + error >= level).all()
