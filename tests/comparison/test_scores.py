"""Scores of models beside scikit-learn's, by hand, by laws; and the corrected paired test of differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn import metrics

from espalier.comparison import class_rates, scores
from espalier.comparison.cross_validation import (
    ALPHA,
    Verdict,
    compare,
    difference,
    gather,
    holm,
    interval,
    least,
    rescore,
    try_fold,
    validate,
)
from espalier.data import FilterError, RowRoles, make_dataset, row_groups, samples
from espalier.data.dataset import Feature
from espalier.data.folds import Fold, Folds, folds_of
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.imports.model import ReadyModel

SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
Y = np.array([0, 1, 2, 0, 1])


def test_class_scores_equal_scikit_learns():
    found, predicted = scores.class_scores(Y, SHARES), SHARES.argmax(axis=1)
    assert found.n_samples == 5
    assert found.accuracy == pytest.approx(metrics.accuracy_score(Y, predicted))
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(Y, predicted))
    assert found.auc == pytest.approx(metrics.roc_auc_score(Y, SHARES, multi_class="ovr"))
    assert found.log_loss == pytest.approx(metrics.log_loss(Y, SHARES))
    assert found.brier == pytest.approx(np.mean(np.sum((SHARES - np.eye(3)[Y]) ** 2, axis=1)))


def test_one_score_is_the_one_among_all_and_an_unknown_one_is_refused_by_name():
    weight, predicted = np.array([1.0, 2.0, 0.0, 3.0, 1.0]), SHARES.argmax(axis=1)
    every = scores.class_scores(Y, SHARES, predicted, weight)
    for name in scores.SCORES_OF_CLASSES:
        assert scores.one_score(name, Y, SHARES, predicted, weight) == getattr(every, name)
    y, numbers = np.array([1.0, 2.0, 4.0, 3.0, 5.0]), np.array([1.5, 2.0, 3.0, 3.0, 6.0])
    of_numbers = scores.mean_scores(y, numbers, weight)
    for name in scores.SCORES_OF_NUMBERS:
        assert scores.one_score(name, y, numbers[:, None], numbers, weight) == getattr(of_numbers, name)
    with pytest.raises(ValueError, match="no score 'beauty'"):
        scores.one_score("beauty", Y, SHARES, Y)


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_the_curve_is_scikit_learns_with_ties_and_weights(seed):
    rng = np.random.default_rng(seed)
    y, share, weight = rng.integers(0, 2, 60), rng.integers(0, 6, 60) / 5, rng.integers(1, 4, 60).astype(float)
    found = scores.one_score("auc", y, np.column_stack([1 - share, share]), y, weight)
    assert found == pytest.approx(metrics.roc_auc_score(y, share, sample_weight=weight))


def test_scores_where_classes_are_absent_or_there_are_no_rows_are_those_that_are_defined():
    y, second = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    assert scores.class_scores(y, np.column_stack([1 - second, second])).auc == pytest.approx(0.75)
    rows = Y != 2
    found = scores.class_scores(Y[rows], SHARES[rows])
    expected = [metrics.roc_auc_score(Y[rows] == k, SHARES[rows, k]) for k in (0, 1)]
    assert found.auc == pytest.approx(np.mean(expected))
    assert found.log_loss == pytest.approx(metrics.log_loss(Y[rows], SHARES[rows], labels=[0, 1, 2]))
    found = scores.class_scores(np.array([1, 1]), SHARES[:2])
    assert math.isnan(found.auc)
    assert (found.accuracy, found.balanced_accuracy) == (0.5, 0.5)
    found = scores.class_scores(Y[:0], SHARES[:0])
    assert found.n_samples == 0
    assert all(math.isnan(v) for v in found[1:])
    assert all(math.isnan(v) for v in scores.mean_scores(np.empty(0), np.empty(0))[1:])
    assert str(scores.class_scores(np.array([0, 1]), np.eye(2)).log_loss) == "0.0"


def test_mean_scores_equal_scikit_learns_and_the_constant_of_least_loss_explains_nothing():
    y, predicted = np.array([1.0, 2, 4, 8]), np.array([1.5, 2, 3, 6])
    found = scores.mean_scores(y, predicted)
    assert found.r2 == pytest.approx(metrics.r2_score(y, predicted))
    assert found.rmse == pytest.approx(math.sqrt((0.25 + 0 + 1 + 4) / 4))
    assert found.mae == pytest.approx(3.5 / 4)
    assert found.d2_absolute == pytest.approx(metrics.d2_absolute_error_score(y, predicted))
    assert found.d2_poisson == pytest.approx(metrics.d2_tweedie_score(y, predicted, power=1))
    y = np.array([1.0, 2, 2, 3, 40])
    assert scores.mean_scores(y, np.full(5, 2.0)).d2_absolute == 0
    assert scores.mean_scores(y, np.full(5, y.mean())).d2_poisson == pytest.approx(0)
    assert scores.mean_scores(y, y)[4:] == (1, 1)


@pytest.mark.parametrize(("y", "predicted"), [([-1.0, 2], [1.0, 2]), ([1.0, 2], [0.0, 2]), ([1.0, 2], [-1.0, 2])])
def test_where_there_is_no_poisson_deviance_no_part_of_it_is_explained(y, predicted):
    assert math.isnan(scores.mean_scores(np.array(y), np.array(predicted)).d2_poisson)


@pytest.mark.parametrize("y", [[3.0], [3.0, 3.0]])
def test_a_target_that_does_not_vary_has_no_r_squared(y):
    found = scores.mean_scores(np.array(y), np.full(len(y), 2.0))
    assert math.isnan(found.r2)
    assert math.isnan(found.d2_absolute)
    assert math.isnan(found.d2_poisson)
    assert found.mae == 1


def test_the_baseline_says_shares_or_means_every_score_has_a_label_and_confusion_counts_rows_by_columns():
    assert scores.baseline_shares(np.array([0, 0, 0, 2]), 3, 2).tolist() == [[0.75, 0, 0.25]] * 2
    own, baseline = scores.paired_scores(
        np.array([0, 2]), np.array([[1.0, 0, 0], [0, 0, 1]]), np.array([0, 0, 0, 2])
    )
    assert (own.accuracy, baseline.accuracy) == (1.0, 0.5)  # type: ignore[union-attr]
    own, baseline = scores.paired_scores(np.array([1.0, 5.0]), np.array([[1.0], [5.0]]), np.array([2.0, 4.0]))
    assert (own.mae, baseline.mae) == (0.0, 2.0)  # type: ignore[union-attr]
    assert baseline.r2 == 0.0  # type: ignore[union-attr]
    names = set(scores.ClassScores._fields + scores.MeanScores._fields) - {"n_samples"}
    assert names == set(scores.LABELS)
    assert names >= scores.HIGHER_IS_BETTER
    found = scores.confusion(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), 4)
    assert found.tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert found.dtype == np.int64


IRIS, PLAN = samples.load("iris"), Folds(n_folds=4, n_repeats=2)
ALL = np.ones(150, bool)


def test_on_all_rows_they_are_those_of_the_first_repeat_and_a_fold_without_such_rows_is_left_out():
    found = validate(CartClassifier(max_depth=2), IRIS, PLAN)
    again = rescore(found, IRIS, ALL)
    for name in ("accuracy", "log_loss", "auc"):
        assert again.scores(name)[:4] == pytest.approx(found.scores(name)[:4])
        assert np.isnan(again.scores(name)[4:]).all()
    diabetes = samples.load("diabetes")
    plan = Folds(n_folds=3)
    found, last = validate(CartRegressor(max_depth=2), diabetes, plan), folds_of(diabetes, plan)[2].rows
    among = np.ones(len(diabetes.y), bool)
    among[last] = False
    scores = rescore(found, diabetes, among).scores("rmse")
    assert scores[:2] == pytest.approx(found.scores("rmse")[:2])
    assert np.isnan(scores[2])


def test_a_fitted_model_is_scored_on_rows_new_to_it_and_pairs_that_are_asked_for_are_compared_alone():
    new = np.arange(150) % 3 > 0
    fitted = ReadyModel(CartClassifier(max_depth=1).fit(IRIS.X[~new], IRIS.y[~new]))
    rows = np.flatnonzero(new)
    at_once = gather([try_fold(fitted, IRIS, Fold(0, rows, ~new))], IRIS, PLAN, rows)
    right = fitted.predict(IRIS.X) == IRIS.y
    expected = [right[fold.rows][new[fold.rows]].mean() for fold in folds_of(IRIS, PLAN)[:4]]
    assert rescore(at_once, IRIS, new).scores("accuracy")[:4] == pytest.approx(expected)
    scores = [np.array([0.9, 0.91, 0.89]), np.array([0.7, 0.72, 0.71]), np.array([0.8, 0.81, 0.8])]
    pairs = compare(scores, 0.5, [(0, 1), (0, 2)])
    assert [(one.first, one.second) for one in pairs] == [(0, 1), (0, 2)]
    assert max(one.p_holm for one in pairs) <= 2 * max(one.difference.p for one in pairs)


NINETY = np.repeat([0, 1], [90, 10])


def test_accuracy_is_blind_where_a_rare_class_is_never_or_hardly_answered_and_nowhere_else():
    found = class_rates.rates(NINETY, np.zeros(100, np.int64), 2)
    assert (found.accuracy, found.baseline, found.balanced) == (0.9, 0.9, 0.5)
    assert found.never == [1]
    assert found.of_class.tolist() == [1.0, 0.0]
    assert found.is_blind
    answer = np.zeros(100, np.int64)
    answer[90] = 1  # one in ten of the rare class
    found = class_rates.rates(NINETY, answer, 2)
    assert not found.never
    assert found.accuracy == 0.91
    assert not found.is_blind  # a tenth of the baseline's errors is gone
    answer[0] = 1
    assert class_rates.rates(NINETY, answer, 2).is_blind
    assert not class_rates.rates(NINETY, NINETY, 2).is_blind
    even = np.repeat([0, 1], 50)
    assert not class_rates.rates(even, np.tile([0, 1], 50), 2).is_blind
    y = np.repeat([0, 1, 2], 50)
    assert not class_rates.rates(
        y, np.minimum(y, 1), 3
    ).is_blind  # a stump on iris: a third is wrong, and accuracy says so
    rare = np.repeat([0, 1, 2], [60, 60, 10])
    assert class_rates.rates(rare, np.minimum(rare, 1), 3).is_blind


def test_the_baseline_is_the_given_class_one_class_and_no_rows_are_no_alarm_and_three_quarters_in_one_are_skewed():
    found = class_rates.rates(np.array([0, 1, 1]), np.array([0, 1, 0]), 2, usual=0)
    assert found.baseline == pytest.approx(1 / 3)
    assert class_rates.rates(np.array([0, 1, 1]), np.array([0, 1, 0]), 2).baseline == pytest.approx(2 / 3)
    assert not class_rates.rates(np.zeros(5, np.int64), np.ones(5, np.int64), 2).is_blind
    none = class_rates.rates(np.zeros(0, np.int64), np.zeros(0, np.int64), 2, usual=0)
    assert np.isnan([none.accuracy, none.baseline, none.balanced]).all()
    assert not none.is_blind
    assert class_rates.is_skewed(NINETY)
    assert not class_rates.is_skewed(np.repeat([0, 1], [60, 40]))
    assert not class_rates.is_skewed(np.zeros(10))  # numbers have no classes


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_shares_are_those_of_scikit_learn(pairs):
    y, answer = np.array(pairs).T
    found = class_rates.rates(y, answer, 4)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, answer))
    matrix = metrics.confusion_matrix(y, answer, labels=range(4))
    recalls = np.where(matrix.sum(axis=1) > 0, np.diag(matrix) / np.maximum(matrix.sum(axis=1), 1), np.nan)
    np.testing.assert_allclose(found.of_class, recalls)
    assert found.balanced == pytest.approx(np.nanmean(recalls))
    assert found.baseline >= np.mean(y == y[0]) or found.usual != y[0]


YES = Feature("answer", "category", ("no", "yes"))


def table(kind, roles=None):
    """400 rows with a number x and a kind, which repeats the given codes."""
    rng = np.random.default_rng(1)
    kind, x = np.resize(np.asarray(kind, float), 400), rng.random(400)
    features = [Feature("x"), Feature("kind", "category", ("a", "b"))]
    y = (x > 0.5).astype(int)
    return make_dataset("Planted", np.column_stack([x, kind]), features, y, YES, None, roles or RowRoles())


def test_a_column_that_is_no_feature_has_groups_too():
    patients = RowRoles(groups=row_groups("patient", np.arange(400) % 2))
    assert [one.rows.text for one in scores.subgroups(table([0, 1], roles=patients), "patient").groups] == [
        "patient~in~0",
        "patient~in~1",
    ]


@pytest.mark.parametrize("n_ranges", [2, 3, 6])
def test_every_row_is_in_one_range_and_ranges_are_about_equal(n_ranges):
    data = table([0, 1])
    x = data.X[:, 0].copy()
    x[:40] = np.nan
    data = make_dataset("", np.column_stack([x, data.X[:, 1]]), data.features, data.y, YES)
    *ranges, missing = scores.subgroups(data, "x", n_ranges).groups
    sizes = [group.taken.sum() for group in ranges]
    assert len(ranges) == n_ranges
    assert max(sizes) - min(sizes) <= 1
    assert np.array_equal(sum(group.taken.astype(int) for group in (*ranges, missing)), np.ones(400))
    assert missing.rows.words == "x is missing"
    assert missing.taken.sum() == 40


def test_few_numbers_are_groups_no_range_is_empty_the_largest_groups_are_compared_and_no_column_is_refused():
    data = make_dataset(
        "", np.resize([1.0, 2.0, 2.0], 60)[:, None], [Feature("cylinders")], np.arange(60) % 2, YES
    )
    assert [one.rows.words for one in scores.subgroups(data, "cylinders").groups] == [
        "cylinders is 1",
        "cylinders is 2",
    ]
    x = np.r_[np.zeros(90), np.arange(1, 11)]
    data = make_dataset("", x[:, None], [Feature("x")], np.arange(100) % 2, YES)
    assert [one.rows.words for one in scores.subgroups(data, "x").groups] == ["x ≤ 0", "x > 0"]
    codes = np.repeat(np.arange(12), np.arange(12, 0, -1))
    data = make_dataset(
        "", codes[:, None].astype(float), [Feature("town", "category", tuple("abcdefghijkl"))], codes % 2, YES
    )
    found = scores.subgroups(data, "town")
    assert [one.rows.text for one in found.groups] == [f"town~in~{name}" for name in "abcdefgh"]
    assert (len(found.groups), found.n_others) == (scores.MOST_GROUPS, 4)
    with pytest.raises(FilterError, match="no column “age”"):
        scores.subgroups(table([0, 1]), "age")


TEN_FOLDS = 1 / 9  # n_test / n_train
SCORES = st.lists(st.floats(0, 1), min_size=3, max_size=12)


def tail_of_t(t, freedom):
    """Both tails of Student's distribution, by integrating its density as it stands in textbooks."""
    factor = math.gamma((freedom + 1) / 2) / math.sqrt(freedom * math.pi) / math.gamma(freedom / 2)
    inside, _ = integrate.quad(lambda x: factor * (1 + x * x / freedom) ** (-(freedom + 1) / 2), 0, abs(t))
    return 1 - 2 * inside


def test_three_folds_by_hand_and_repeats_that_add_degrees_of_freedom_but_no_folds():
    # Differences 0.01, 0.02, 0.06: mean 0.03, s² = (0.02² + 0.01² + 0.03²) / 2 = 0.0007; three folds test on one
    # row for two trained on, so the variance is 0.0007 · (1/3 + 1/2) = 0.0007 · 5/6.
    found = difference(np.array([0.91, 0.82, 0.76]), np.array([0.90, 0.80, 0.70]), 1 / 2)
    error = math.sqrt(0.0007 * 5 / 6)
    assert found.mean == pytest.approx(0.03)
    assert found.spread == pytest.approx(math.sqrt(0.0007))
    assert found.p == pytest.approx(tail_of_t(0.03 / error, 2), abs=1e-9)
    assert found.high - found.mean == pytest.approx(4.302653 * error, rel=1e-6)  # t of 0.975 with 2, from a table
    assert found.least == pytest.approx(found.high - found.mean)
    # 10 times 10 folds: 100 differences, n_test / n_train = 1/9, 99 degrees of freedom, and the rows of ten folds.
    gaps = np.random.default_rng(0).normal(0.01, 0.03, 100)
    found = difference(0.8 + gaps, np.full(100, 0.8), TEN_FOLDS, n_repeats=10)
    error = math.sqrt((1 / 10 + 1 / 9) * gaps.var(ddof=1))
    assert found.p == pytest.approx(tail_of_t(gaps.mean() / error, 99), abs=1e-9)
    assert found.high - found.mean == pytest.approx(1.984217 * error, rel=1e-6)  # t of 0.975 with 99, from a table
    assert found.least == pytest.approx(found.high - found.mean)
    assert found.least_ever == pytest.approx(1.959964 * error, rel=1e-6)


@given(SCORES)
def test_without_the_correction_it_is_the_usual_paired_test(gaps):
    first, second = np.linspace(0.2, 0.8, len(gaps)) + gaps, np.linspace(0.2, 0.8, len(gaps))
    found = difference(first, second, 0.0)
    if found.spread > 1e-6:
        assert found.p == pytest.approx(float(stats.ttest_rel(first, second).pvalue), abs=1e-7)  # type: ignore[attr-defined]


@given(SCORES, SCORES)
def test_the_corrected_interval_is_wider_and_the_sign_turns_with_the_order(first, second):
    n = min(len(first), len(second))
    a, b = np.array(first[:n]), np.array(second[:n])
    naive, fair, turned = difference(a, b, 0.0), difference(a, b, TEN_FOLDS), difference(b, a, TEN_FOLDS)
    assert turned.mean == pytest.approx(-fair.mean)
    assert turned.p == pytest.approx(fair.p)
    if fair.spread:
        assert fair.high - fair.low > naive.high - naive.low
        assert fair.p >= naive.p


@given(SCORES)
def test_equal_models_do_not_differ(scores):
    found = compare([np.array(scores), np.array(scores)], TEN_FOLDS)[0]
    assert (found.difference.mean, found.difference.p, found.verdict) == (0.0, 1.0, Verdict.NONE)


@given(SCORES, SCORES)
def test_a_difference_is_clear_exactly_if_it_exceeds_the_least_that_can_be_told_apart(first, second):
    n = min(len(first), len(second))
    found = compare([np.array(first[:n]), np.array(second[:n])], TEN_FOLDS)[0]
    gap = found.difference
    if gap.spread and abs(abs(gap.mean) - gap.least) > 1e-9:
        assert (found.verdict is Verdict.CLEAR) == (abs(gap.mean) > gap.least)


def test_the_same_gap_in_every_fold_is_judged_by_its_signs_and_folds_that_lack_a_score_are_left_out():
    few, many = (difference(np.full(n, 0.9), np.full(n, 0.8), 0.5).p for n in (2, 10))
    assert few == pytest.approx(1 / 2)  # two coins that fall alike
    assert many == pytest.approx(2 / 2**10)
    a, b = np.array([0.9, np.nan, 0.7, 0.8]), np.array([0.8, 0.8, 0.65, np.nan])
    found = difference(a, b, 0.5)
    assert found.n_folds == 2
    assert found.mean == pytest.approx(0.075)
    assert compare([a, np.full(4, np.nan)], 0.5)[0].verdict is Verdict.UNKNOWN


def test_more_folds_help_up_to_a_point_and_the_folds_needed_are_the_fewest_that_would_do():
    found = difference(*_noisy(mean=0.02, spread=0.05), ratio_tested=TEN_FOLDS)
    assert found.least > least(found.spread, 1000, TEN_FOLDS, n_repeats=100) > found.least_ever
    assert least(found.spread, 10**7, TEN_FOLDS, 10**6) == pytest.approx(found.least_ever, rel=1e-3)
    assert found.folds_needed == math.inf
    found = difference(*_noisy(mean=0.05, spread=0.05), ratio_tested=TEN_FOLDS)
    needed = found.folds_needed
    assert found.p > ALPHA
    enough, fewer = (least(found.spread, n, TEN_FOLDS, n / 10) for n in (needed, needed - 1))
    assert enough < 0.05 <= fewer


def _noisy(mean, spread):
    """Ten scores of two models whose differences have this very mean and spread."""
    gaps = np.array([-1.0, 1.0] * 5)
    return 0.8 + mean + gaps * spread / gaps.std(ddof=1), np.full(10, 0.8)


def test_holm_by_hand_also_with_what_is_not_known_and_does_not_count():
    # 0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 again, and 0.5 · 1; in the order given.
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    found = holm([math.nan, 0.02, 0.5])
    assert math.isnan(found[0])
    assert found[1:] == pytest.approx([0.04, 0.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_holm_rejects_what_stepping_down_rejects(p, alpha):
    naive = [False] * len(p)
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[i] * (len(p) - rank) > alpha:
            break
        naive[i] = True
    corrected = holm(p)
    assert [value <= alpha for value in corrected] == naive


def test_among_many_comparisons_one_has_to_stand_out_more_and_a_scores_interval_is_its_difference_from_nothing():
    """Four models, of which one pair differs at p between 0.05 / 6 and 0.05."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.02, (3, 10))
    base = np.full(10, 0.8)
    first, second = _noisy(mean=0.06, spread=0.05)
    alone = difference(first, second, TEN_FOLDS)
    assert ALPHA / 6 < alone.p < ALPHA
    found = {(c.first, c.second): c for c in compare([first, second, base + noise[0], base + noise[1]], TEN_FOLDS)}
    assert len(found) == len(list(itertools.combinations(range(4), 2)))
    assert found[0, 1].verdict is Verdict.ONE_OF_MANY
    assert compare([first, second], TEN_FOLDS)[0].verdict is Verdict.CLEAR
    scores = np.array([0.9, 0.8, 0.7])
    mean, low, high = interval(scores, 0.5)
    half = 4.302653 * 0.1 * math.sqrt(1 / 3 + 1 / 2)
    assert (mean, low, high) == pytest.approx((0.8, 0.8 - half, 0.8 + half), rel=1e-6)
