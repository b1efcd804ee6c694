"""Coverage, risk, doubts and rows that stay unsettled: by hand, and against models fitted one by one."""

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

from espalier import learners
from espalier.comparison.scores import N_BINS, Z, calibration, roc, wilson
from espalier.data import samples
from espalier.data.folds import Folds, deal
from espalier.data.roles import RowWeights
from espalier.kernels.cultivated import fractions as gate
from espalier.kernels.cultivated.fractions import predict
from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor
from espalier.predict import classes
from espalier.reliability import reliability, uncertainty
from espalier.reliability.reliability import (
    ANSWER,
    COST,
    RISK,
    SHARES,
    SLACK,
    Answers,
    FoldModels,
    Goal,
    answered,
    area,
    ask,
    chance_of_so_few,
    choose,
    curve,
    evidence,
    last_certain,
    operate,
    possible_classes,
    ratio,
    rows_needed,
    thresholds,
    validation_of,
)
from espalier.reliability.uncertainty import LEAF_DOUBT, NONE, OWN, SHARE, VOTES
from espalier.trees import make_forest, make_tree, softened
from tests.tools import by_hand
from tests.tools.by_hand import tellers, voters
from tests.tools.cases import case

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
    uneven = data._replace(row_weights=RowWeights("w", np.resize([1.0, 3.0], 442)))
    weight = answered(ask(CartRegressor(max_depth=2), uneven, PLAN)).weight
    assert weight.sum() == pytest.approx(442 * (1 + 3) ** 2 / (2 * (1 + 9)))  # as many rows as tell as much
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


def test_wilsons_interval_ends_where_a_share_is_not_refuted_and_the_curve_of_catches_has_scikit_learns_area():
    def gap(p):  # between the share seen and p, in standard errors of p
        return abs(0.3 - p) - Z * np.sqrt(p * (1 - p) / 20)

    low, high = wilson(np.array([0.3]), np.array([20]))
    assert low[0] == pytest.approx(optimize.brentq(gap, 1e-9, 0.3))
    assert high[0] == pytest.approx(optimize.brentq(gap, 0.3, 1 - 1e-9))
    y, shares = made()
    curve: Any = roc(y, shares, 2)
    false_alarms, caught, area = curve
    assert area == pytest.approx(float(roc_auc_score(y == 2, shares[:, 2])))
    assert np.trapezoid(caught, false_alarms) == pytest.approx(area)
    assert (false_alarms[0], caught[0], false_alarms[-1], caught[-1]) == (0, 0, 1, 1)
    _, shares = made()
    assert roc(np.zeros(len(shares), np.int64), shares, 2) is None


def test_the_chance_of_few_errors_is_binomial_so_many_answers_are_needed_and_equal_doubts_go_together():
    n, wrong = np.array([10.0, 10.0, 200.0, 7.0]), np.array([0.0, 3.0, 9.0, 7.0])
    assert chance_of_so_few(n, wrong, 0.05) == pytest.approx(stats.binom.cdf(wrong, n, 0.05))
    n = rows_needed(0.05, 0.9)
    assert 0.95**n <= 0.1 / len(SHARES) < 0.95 ** (n - 1)
    for rows, place in ((n, n - 1), (n - 1, -1)):
        count = np.arange(1.0, rows + 1)
        assert last_certain(count, np.zeros(rows), 0.05, 0.9) == place
    n = np.arange(1.0, 401)
    for count in (n, np.cumsum(np.full(400, 0.3)) / 0.3):  # whole numbers but for rounding
        assert last_certain(count, np.maximum(n - 360, 0), 0.05, 0.9) == 358
    # 150 rows of one doubt, all right, then 150 of another, half of them wrong
    assert last_certain(np.array([150.0, 300.0]), np.array([0.0, 75.0]), 0.05, 0.9) == 0
    assert choose(np.repeat([0.1, 0.6], 150), np.tile([0.0] * 150 + [1.0] * 150, 1), promise()) == 0.1


def promise(level=0.05, confidence=0.9):
    return Goal(RISK, level, confidence=confidence)


def risk_of_new_rows(rng, goal):
    """Share of wrong answers at a threshold chosen on 500 rows; of rows with doubt d, d⁶ are wrong."""
    doubt = rng.random(500)
    threshold = choose(doubt, (rng.random(500) < doubt**6).astype(float), goal)
    return np.clip(threshold, 0.0, 1.0) ** 6 / 7  # the mean of d⁶ up to the threshold


def promises_given(wrong, is_by_group, repeats=400):
    """How often 90 % are promised right, of 100 groups of 40 rows: a share `wrong` of groups has no row right."""
    rng, given, goal = np.random.default_rng(0), 0, promise(0.1)
    unit = np.repeat(np.arange(100), 40)
    weight = evidence(np.ones(len(unit)), unit if is_by_group else None, goal)
    for _ in range(repeats):
        loss = (rng.random(100) < wrong)[unit].astype(float)
        given += choose(rng.random(len(unit)), loss, goal, weight) > -np.inf
    return given


def test_a_promise_for_new_groups_is_broken_as_rarely_as_it_says_and_more_often_if_rows_were_counted():
    """With 11 % of groups wrong, whoever promises at all breaks it."""
    assert promises_given(0.11, is_by_group=True) <= stats.binom.ppf(0.999, 400, 0.1)
    assert promises_given(0.11, is_by_group=False) > stats.binom.ppf(0.999, 400, 0.1)
    assert promises_given(0.01, is_by_group=True) > 300


def test_groups_of_one_row_are_rows_and_without_a_promise_the_same_goal_is_missed_in_many_draws():
    rng = np.random.default_rng(0)
    doubt = rng.random(300)
    loss = (rng.random(300) < doubt**6).astype(float)
    weight = evidence(np.ones(300), np.arange(300), promise(0.1))
    assert choose(doubt, loss, promise(0.1), weight) == choose(doubt, loss, promise(0.1))
    rng = np.random.default_rng(0)
    assert sum(risk_of_new_rows(rng, Goal(RISK, 0.05)) > 0.05 for _ in range(100)) > 30


def test_repeats_are_no_new_evidence_sizes_are_not_promised_and_all_rows_choose_the_one_threshold():
    n = rows_needed(0.05, 0.9) - 2
    once = np.linspace(0, 0.4, n)
    found = answers(np.tile(once, 2), np.zeros(2 * n), np.repeat([0, 1, 2, 3], n // 2), np.repeat([0, 1], n))
    assert operate(found, promise(), Folds(2, 2)).threshold == -np.inf
    with pytest.raises(ValueError, match="only a share"):
        operate(answers([0.1, 0.2], [0.5, 1.5]), promise(), Folds(2))
    rng = np.random.default_rng(0)
    found = answers(doubt := rng.random(600), rng.random(600) < doubt**6)
    point = operate(found, promise(), Folds(2))
    assert point.threshold == choose(found.doubt, found.loss, promise())
    assert set(point.thresholds.tolist()) == {point.threshold}
    assert point.promised == point.risk


@pytest.mark.parametrize("goal", [Goal(RISK, 0.1, confidence=1.0), Goal(ANSWER, 0.8, confidence=0.9)])
def test_confidences_that_mean_nothing_are_refused(goal):
    with pytest.raises(ValueError, match="confidence"):
        operate(answers([0.1, 0.2], [0, 1]), goal, Folds(2))


DOUBT = np.array([0.1, 0.2, 0.2, 0.4, 0.5])
LOSS = np.array([0.0, 0.0, 1.0, 0.0, 1.0])


def test_the_threshold_of_a_goal_by_hand():
    for goal, threshold in [
        (Goal(ANSWER, 0.2), 0.1),
        (Goal(ANSWER, 0.4), 0.2),  # one of two rows that are doubted alike is not answered without the other
        (Goal(ANSWER, 0.6), 0.2),
        (Goal(ANSWER, 0.8), 0.4),
        (Goal(ANSWER, 1.0), np.inf),
        (Goal(ANSWER, 0.0), -np.inf),
        (Goal(RISK, 0.0), 0.1),
        (Goal(RISK, 0.25), 0.4),
        (Goal(RISK, 0.4), np.inf),
        (Goal(COST, wrong=1, asking=0.1), 0.1),  # 4 asked: 0.4; up to 0.2: 1.2; up to 0.4: 1.1; all: 2
        (Goal(COST, wrong=1, asking=0.6), 0.4),  # 2.4, 2.2, 1.6, 2; nobody answered: 3
        (Goal(COST, wrong=1, asking=5), np.inf),
        (Goal(COST, wrong=1, asking=0), 0.1),  # asking is free, and so is the one right answer
    ]:
        with case((goal, threshold)):
            assert choose(DOUBT, LOSS, goal) == threshold
    assert choose(np.array([0.1, 0.2]), np.array([1.0, 1.0]), Goal(RISK, 0.1)) == -np.inf


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_no_other_threshold_costs_less_or_answers_more_at_that_cost(rows, wrong, asking):
    doubt, loss = np.array(rows, float).T
    costs = {
        t: float(np.where(doubt <= t, wrong * loss, asking).sum()) for t in [-np.inf, *np.unique(doubt).tolist()]
    }
    found = choose(doubt, loss, Goal(COST, wrong=wrong, asking=asking))
    best = max(t for t, cost in costs.items() if cost == min(costs.values()))
    assert found == (np.inf if best == doubt.max() else best)


def test_each_fold_is_judged_at_the_threshold_that_the_others_choose():
    found = answers([0.1, 0.9, 0.2, 0.8, 0.3, 0.4], [0, 1, 0, 1, 1, 0], fold=[0, 0, 1, 1, 2, 2])
    point = operate(found, Goal(RISK, 0.0), Folds(3))
    expected = []
    for fold in range(3):
        others = found.fold != fold
        expected.append(choose(found.doubt[others], found.loss[others], Goal(RISK, 0.0)))
    assert point.thresholds.tolist() == expected == [0.2, 0.1, 0.2]
    # Fold 0 answers 0.1; fold 1 nothing (0.2 is above 0.1), fold 2 nothing.
    assert point.handed_over.tolist() == [False, True, True, True, True, True]
    assert (point.coverage, point.risk) == (pytest.approx(1 / 6), 0)
    assert point.threshold == 0.2
    assert point.promised == 0


def test_repeats_choose_by_themselves_and_no_errors_are_not_kept_where_doubts_say_nothing():
    rng = np.random.default_rng(0)
    found = answers(rng.random(400), rng.random(400) < 0.3, fold=np.arange(400) % 4)
    point = operate(found, Goal(RISK, 0.1), Folds(4))
    assert point.promised <= 0.1
    assert point.risk > 0.1
    once = answers([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    twice = answers([0.1, 0.2, 0.3, 0.4] * 2, [0, 1, 0, 1] * 2, [0, 1, 0, 1, 2, 3, 2, 3], [0] * 4 + [1] * 4)
    goal, single, double = Goal(ANSWER, 0.5), Folds(2), Folds(2, 2)
    first = operate(once, goal, single).thresholds.tolist()
    assert operate(twice, goal, double).thresholds.tolist() == first * 2


def test_the_interval_at_a_threshold_is_that_of_the_curve_and_costs_are_those_of_asking_and_of_wrong_answers():
    rng = np.random.default_rng(1)
    found, plan = answers(rng.random(40).round(1), rng.random(40) < 0.2), Folds(2)
    point, whole = operate(found, Goal(COST, wrong=0), plan), curve(found, plan)  # all are answered
    assert (point.risk, point.risk_low, point.risk_high) == (
        whole.risk[-1],
        whole.risk_low[-1],
        whole.risk_high[-1],
    )
    point = operate(answers([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]), Goal(COST, wrong=4, asking=1), Folds(2))
    assert point.handed_over.tolist() == [False, False, True, True]
    assert (point.cost, point.cost_of_answering) == (0.5, 2.0)


@pytest.mark.parametrize("goal", [Goal("luck"), Goal(ANSWER, 1.5), Goal(COST, wrong=-1), Goal(RISK, -0.1)])
def test_goals_that_mean_nothing_are_refused(goal):
    with pytest.raises(ValueError, match=r"goal|share|negative"):
        operate(answers([0.1, 0.2], [0, 1]), goal, Folds(2))


def test_every_model_has_a_measure_of_its_own():
    tree, forest = by_hand.admission(), voters([[0, 1]])[0]
    mixed = make_forest([by_hand.options(), softened(by_hand.admission())], [1, 1], "mean", [0.5, 0.5])
    found = [uncertainty.measure_of(model) for model in (tree, forest, by_hand.options(), mixed, None)]
    assert found == [
        uncertainty.LEAF_DOUBT,
        uncertainty.VOTES,
        uncertainty.SPREAD,
        uncertainty.SPREAD,
        uncertainty.NONE,
    ]


def test_leaves_are_doubted_with_one_more_sample_of_each_class_forests_by_votes_and_others_by_spread(monkeypatch):
    # Leaves of 4, 2 and 4 samples, all of one class: (4 + 1) / (4 + 2), (2 + 1) / (2 + 2) and 5 / 6 are told.
    X = np.array([[2.0, 90], [3.5, 60], [3.5, 90]])
    found: Any = uncertainty.uncertainties(by_hand.admission(), X, np.array([0, 0, 1]))
    assert found.doubt == pytest.approx([1 / 6, 1 / 4, 1 / 6])
    assert found.leaf_weight.tolist() == [4, 2, 4]
    tree = make_tree([0, -1, -1], [1, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3,
                     [6, 3, 3], [6, 3, 3], [[2], [1], [3]], [4, 0, 2])  # fmt: skip
    found = uncertainty.uncertainties(tree, np.array([[0.0], [2.0]])).doubt
    assert found == pytest.approx([1.0, np.sqrt((3 * 2 + 4) / 4)])
    elections = voters([[0, 1, 1], [0, 1, 0], [0, 0, 0], [0, 1, 2]], 3, [1, 1, 1, 2])
    numbers = tellers([[1, 5], [3, 5]])
    uneven = numbers[0]._replace(weight=np.array([0.25, 0.75]))
    for is_packed in (True, False):  # all trees at once, and one after the other
        monkeypatch.setattr(uncertainty, "_can_be_packed", lambda _, is_packed=is_packed: is_packed)
        found = uncertainty.uncertainties(*elections, np.array([0, 1, 2]))
        assert found.doubt == pytest.approx([0, 1 / 5, 3 / 5])
        assert found.votes == pytest.approx(np.array([[1, 0, 0], [1 / 5, 4 / 5, 0], [2 / 5, 1 / 5, 2 / 5]]))
        assert uncertainty.uncertainties(*numbers).doubt == pytest.approx([1, 0])
        assert uncertainty.uncertainties(uneven, numbers[1]).doubt == pytest.approx([np.sqrt(0.75), 0])
    X = np.array([[4.5, 3.0], [9.0, 1.0], [0.0, 9.0]])
    assert uncertainty.uncertainties(by_hand.options(), X).doubt == pytest.approx(predict(by_hand.options(), X)[1])
    assert uncertainty.uncertainties(None, np.zeros((3, 1))).doubt.tolist() == [0, 0, 0]
    assert uncertainty.share_doubt(np.array([[0.7, 0.3], [0.2, 0.8]])) == pytest.approx([0.3, 0.2])


def test_a_forest_of_cultivated_trees_spreads_over_the_leaves_of_all_its_trees():
    first, second = by_hand.neighbourhoods(), by_hand.options()
    forest, x = make_forest([first, second], [3, 1], "mean", [0.5, 0.5]), np.array([5.0, 3.0])
    weight, value = [], []
    for tree, vote in ((first, 0.75), (second, 0.25)):
        leaves = np.flatnonzero(tree.left == -1)
        weight += (vote * gate.fractions_of(tree, x)[leaves]).tolist()
        value += tree.value[leaves, 1].tolist()
    mean = np.average(value, weights=weight)
    found: Any = uncertainty.uncertainties(forest, x[None, :])
    assert found.doubt[0] == pytest.approx(np.sqrt(np.average((value - mean) ** 2, weights=weight)))
    assert 0 < found.between[0] < 1


@given(st.floats(0, 10), st.floats(0, 10), st.booleans())
def test_the_modules_parts_of_a_spread_make_all_of_it(a, b, small):
    tree, x = by_hand.options() if small else by_hand.neighbourhoods(), np.array([a, b])
    sigma = float(predict(tree, x[None, :])[1][0])
    found = uncertainty.conflicts(tree, x)
    assert bool(found) == (sigma > 1e-9)
    fraction, total = gate.fractions_of(tree, x), 0.0
    for one in found:  # each node's part again, from the leaves below its two sides
        sides = [_said_below(tree, fraction, int(child)) for child in (tree.left[one.node], tree.right[one.node])]
        total += fraction[one.node] * one.left * (1 - one.left) * (sides[0] - sides[1]) ** 2
        assert 0 <= uncertainty.hesitation(tree, x, one.node) <= 1
    assert np.sqrt(total) == pytest.approx(sigma, abs=1e-12)
    assert sum(one.part for one in found) == pytest.approx(1 if found else 0)


def _said_below(tree, fraction, node):
    leaves = [n for n in range(node, tree.n_nodes) if tree.left[n] == -1 and _is_below(tree, n, node)]
    return np.average(tree.value[leaves, 1], weights=fraction[leaves])


def _is_below(tree, node, top):
    while node > top:
        node = int(np.flatnonzero((tree.left == node) | (tree.right == node))[0])
    return node == top


def test_options_that_contradict_each_other_are_told_from_one_that_hesitates():
    # Feature 0 = 9 is above all its cuts: right. Feature 1 = 9, "> 3" is left: left. Each is sure of it.
    (sure,) = uncertainty.conflicts(by_hand.options(), np.array([9.0, 9.0]))
    assert sure.left == pytest.approx(0.5)
    assert uncertainty.hesitation(by_hand.options(), np.array([9.0, 9.0]), 0) == pytest.approx(0)
    # Feature 0 = 4.5 is above one cut of three. Both options alone: psi 2/3 and 1.
    (near,) = uncertainty.conflicts(by_hand.options(), np.array([4.5, 9.0]))
    assert near.left == pytest.approx(5 / 6)
    found = uncertainty.hesitation(by_hand.options(), np.array([4.5, 9.0]), 0)
    assert found == pytest.approx((2 / 3 * 1 / 3 / 2) / (5 / 6 * 1 / 6))


def test_a_decision_by_itself_divides_a_sample_as_the_kernel_does():
    tree = by_hand.options()
    for x in ([4.0, 3.0], [4.5, 3.5], [7.0, np.nan], [np.nan, 1.0]):
        parts = [uncertainty.goes_left(tree, d, np.array(x)) for d in range(2)]
        assert tree.decisions.share @ parts == pytest.approx(gate.fractions_of(tree, np.array(x))[1])
    colours = by_hand.soft_colours()
    for code in (0.0, 1.0, 2.0, 3.0, 7.0, np.nan):
        x = np.array([code])
        assert uncertainty.goes_left(colours, 0, x) == pytest.approx(gate.fractions_of(colours, x)[1])


IRIS = samples.load("iris")
FOLDS = Folds(n_folds=3)


def test_the_possible_classes_are_those_that_a_list_of_all_trees_gives():
    fold: Any = ask(learners.OptimalClassifier(max_depth=2), IRIS, FOLDS).tried[0]
    inside = np.isin(np.arange(150), fold.rows)
    model = learners.OptimalClassifier(max_depth=2).fit(IRIS.X[~inside], IRIS.y[~inside])
    every = model.optimal_trees(slack=SLACK * 100, limit=10_000)
    given = np.array([classes(near.tree, IRIS.X[fold.rows]) for near in every])
    expected = np.array([[(given[:, row] == label).any() for label in range(3)] for row in range(len(fold.rows))])
    assert every.is_complete
    found = possible_classes(model, IRIS, np.flatnonzero(~inside), fold.rows)
    assert found is not None
    assert (found >= expected).all()  # the list has one tree of several that part the training rows alike
    assert found[np.arange(len(fold.rows)), fold.prediction].all()


def test_trees_as_good_are_counted_of_optimal_trees_alone_and_not_too_many_of_them(monkeypatch):
    assert (
        possible_classes(learners.CartClassifier().fit(IRIS.X, IRIS.y), IRIS, np.arange(150), np.arange(3)) is None
    )
    model, rows = learners.OptimalClassifier(max_depth=2, max_splits=1).fit(IRIS.X, IRIS.y), np.arange(150)
    found: Any = possible_classes(model, IRIS, rows, rows)
    assert found[rows, model.predict(IRIS.X)].all()
    assert found[50:, 1:].all()  # one split parts setosa; the others share a leaf, in which both are as many
    monkeypatch.setattr(reliability, "MOST_SPLITS", 5)
    rows = np.arange(150)
    model = learners.OptimalClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    assert possible_classes(model, IRIS, rows, rows) is None


DIABETES = samples.load("diabetes")


def test_an_applicant_owes_her_answer_to_both_questions_and_single_votes_cannot_be_taken_apart():
    tree = by_hand.admission()
    found: Any = uncertainty.contributions(tree, np.array([3.5, 60.0]))
    assert found.base.tolist() == tree.value[0].tolist()
    assert found.added[0].tolist() == (tree.value[2] - tree.value[0]).tolist()
    assert found.added[1].tolist() == (tree.value[3] - tree.value[2]).tolist()
    forest = learners.RandomForestClassifier(n_estimators=3, random_state=0).fit(IRIS.X, IRIS.y).forest_
    assert (
        uncertainty.contributions(make_forest(forest.trees, forest.weight, "votes", forest.prior), IRIS.X[0])
        is None
    )


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (learners.CultivatedClassifier(max_depth=4), IRIS),
        (learners.RandomForestClassifier(n_estimators=9, random_state=0), IRIS),
        (learners.CultivatedForestClassifier(n_estimators=3, max_depth=3, random_state=0), IRIS),
        (learners.CartRegressor(max_depth=4), DIABETES),
        (learners.RandomForestRegressor(n_estimators=9, random_state=0), DIABETES),
    ],
)
def test_all_parts_together_are_the_answer(model, data):
    model.fit(data.X, data.y)
    answers = model.predict_proba(data.X) if data.is_classification else model.predict(data.X)[:, None]
    for row in (0, 70, 120):
        found: Any = uncertainty.contributions(getattr(model, "forest_", None) or model.tree_, data.X[row])
        assert found.base + found.added.sum(axis=0) == pytest.approx(answers[row])
