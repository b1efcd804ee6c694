"""Decisions of least expected cost and their laws; judged by rates and costs counted by hand; in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis import Folds, ask, validate
from espalier.comparison.scores import Subgroups, wilson
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.decisions import figures
from espalier.decisions.decision import (
    ALARM,
    FEWEST,
    PRECISION,
    RATES_OF_CLASS,
    RECALL,
    RIGHT,
    SAYS,
    Decision,
    GroupRates,
    JudgedRows,
    check,
    correct_shares,
    cost_curve,
    costs,
    decide,
    decided,
    rates_by_group,
    row_weights,
    rows_held_out,
    rows_of_folds,
    rows_validated,
)
from espalier.learners import CartClassifier
from espalier.predict import winners
from tests.tools.cases import case

RNG = np.random.default_rng(0)


def some_shares(n_classes, n=200):
    return RNG.dirichlet(np.ones(n_classes), n)


def test_the_answer_has_the_least_expected_cost():
    for n_classes in [2, 3, 5]:
        for times in [1.5, 4.0, 20.0]:
            with case((n_classes, times)):
                shares, decision = some_shares(n_classes), Decision(1, times)
                expected = shares @ costs(decision, n_classes)  # (n, n_classes): of each answer
                chosen = decide(shares, winners(shares), decision)
                assert np.allclose(expected[np.arange(200), chosen], expected.min(axis=1))


def test_of_two_classes_the_answer_begins_at_the_cut_and_where_every_error_is_alike_the_models_own_stays():
    shares = np.array([[0.8, 0.2], [0.81, 0.19]])
    assert decide(shares, np.array([0, 0]), Decision(1, times=4.0)).tolist() == [1, 0]
    assert decide(shares, np.array([0, 0]), Decision(1, threshold=0.19)).tolist() == [1, 1]
    for cut in np.arange(1, 100) / 100:  # (1 - cut) / cut * cut may be less than 1 - cut
        assert decide(np.array([[1 - cut, cut]]), np.array([0]), Decision(1, threshold=cut)) == [1]
    said = np.array([1, 0])  # a tie that the model broke by its prior
    assert decide(np.full((2, 2), 0.5), said, Decision(1)).tolist() == [1, 0]


@given(here=st.floats(0.05, 0.95), there=st.floats(0.05, 0.95))
def test_corrected_shares_are_those_of_bayes_rule(here, there):
    likelihood = np.array([[0.3, 0.6], [0.1, 0.02]])  # of what a row shows, by class

    def posterior(prior):
        joint = likelihood * np.array([1 - prior, prior])
        return joint / joint.sum(axis=1, keepdims=True)

    assert np.allclose(correct_shares(posterior(here), 1, here, there), posterior(there))


def test_rows_count_so_that_the_class_is_as_frequent_as_it_will_be():
    y = np.repeat([0, 1], [60, 40])
    weight = row_weights(y, np.ones(100), Decision(1, prevalence=0.01))
    assert weight[y == 1].sum() / weight.sum() == pytest.approx(0.01)
    assert weight.sum() == pytest.approx(100)


@pytest.mark.parametrize("wrong", [Decision(0, 0.0), Decision(0, threshold=1.0), Decision(0, prevalence=0.0)])
def test_numbers_that_no_decision_can_have_are_refused(wrong):
    with pytest.raises(ValueError, match=r"must lie between|above 0"):
        check(wrong)


CANCER = samples.load("breast-cancer")
ILL = 1


def judged(y, share_of_ill, plan=None):
    shares = np.column_stack((1 - np.asarray(share_of_ill), share_of_ill))
    n, said = np.arange(len(y)), shares.argmax(axis=1)
    return JudgedRows(n, np.asarray(y), shares, said, 0 * n, np.ones(len(y)), plan)


#         ill, found | ill, missed | well, taken for ill | well
EXAMPLE = judged(np.repeat([1, 1, 0, 0], [20, 10, 15, 55]), np.repeat([0.9, 0.3, 0.7, 0.1], [20, 10, 15, 55]))


def test_rates_costs_intervals_and_the_curve_of_costs_are_those_counted_by_hand_and_prevalence_moves_precision():
    found = decided(EXAMPLE, Decision(ILL, threshold=0.5))
    ill = found.by_class[ILL]
    assert [one.value for one in ill] == pytest.approx([20 / 30, 20 / 35, 15 / 70])
    assert (found.accuracy.value, found.cost.value) == pytest.approx((0.75, 0.25))
    careful = decided(EXAMPLE, Decision(ILL, times=4.0))  # from a share of 20 % on
    assert careful.by_class[ILL].recall.value == 1.0
    assert careful.cost.value == pytest.approx(0.15)
    recall = decided(EXAMPLE, Decision()).by_class[ILL].recall
    assert [recall.low, recall.high] == pytest.approx(
        [float(end) for end in wilson(np.array(2 / 3), np.array(30))]
    )
    decision = Decision(ILL, threshold=0.5, prevalence=0.02)
    rows = EXAMPLE._replace(shares=np.eye(2)[EXAMPLE.said])  # certain shares, which no prevalence moves
    ill = decided(rows, decision).by_class[ILL]
    recall, alarm = 20 / 30, 15 / 70
    assert (ill.recall.value, ill.alarm.value) == pytest.approx((recall, alarm))
    assert ill.precision.value == pytest.approx(0.02 * recall / (0.02 * recall + 0.98 * alarm))
    curve = cost_curve(EXAMPLE, Decision(ILL, times=4.0), np.array([0.01, 0.2, 0.5, 0.99]))
    assert curve.cost.tolist() == pytest.approx([curve.always, 0.15, (10 * 4 + 15) / 100, curve.never])
    assert (curve.always, curve.never) == pytest.approx((0.7, 1.2))


def test_comparison_and_reliability_decide_on_the_same_answers():
    plan, tree = Folds(n_folds=4), CartClassifier(max_depth=3)
    decision = Decision(CANCER.target.positive, times=5.0)
    both = (rows_of_folds(ask(tree, CANCER, plan)), rows_validated(validate(tree, CANCER, plan), CANCER))
    first, second = (decided(rows, decision) for rows in both)
    for one, other in zip((first.accuracy, first.cost), (second.accuracy, second.cost), strict=True):
        assert one == pytest.approx(other)


def test_intervals_over_folds_hold_the_truth_of_new_rows_as_often_as_they_say():
    held = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        fold = np.arange(150) % 5
        rows = judged((rng.uniform(size=150) < 0.3).astype(int), np.full(150, 0.9), Folds(5))._replace(fold=fold)
        low, high = decided(rows, Decision()).by_class[ILL].precision[1:3]
        held += low <= 0.3 <= high
    assert held >= 180


def groups_of(column, y, share):
    data = make_dataset(
        "people", np.asarray(column, float)[:, None], (Feature("sex", "category", ("f", "m")),),
        np.asarray(y), Feature("ill", "category", ("no", "yes")),
    )  # fmt: skip
    rows = rows_held_out(data, np.arange(len(y)), np.column_stack((1 - np.asarray(share), share)))
    return rates_by_group(rows, rows.said, data, "sex", ILL)


def test_rates_of_a_group_are_those_of_its_rows_and_one_that_is_missed_stands_out_unless_it_is_too_small():
    column = np.repeat([0, 1], [40, 60])
    y, share = np.tile([1, 0, 1, 0], 25), np.tile([0.9, 0.2, 0.3, 0.6], 25)
    women, men = groups_of(column, y, share).groups
    assert (women.n, men.n) == (40, 60)
    for group in (women, men):
        values = [group.rates[name].rate.value for name in (RIGHT, SAYS, RECALL, ALARM, PRECISION)]
        assert values == pytest.approx([0.5] * 5)
        assert {one.verdict for one in group.rates.values()} == {"alike"}
    column = np.repeat([0, 1], [200, 200])
    y = np.tile([1, 0], 200)
    share = np.where((column == 0) & (y == 1), 0.1, 0.9 * y + 0.05)
    women, men = groups_of(column, y, share).groups
    assert (women.rates[RECALL].verdict, men.rates[RECALL].verdict) == ("lower", "higher")
    assert women.rates[ALARM].verdict == "alike"
    few, _ = groups_of(np.repeat([0, 1], [FEWEST - 1, 300]), np.tile([1, 0, 1], 103), np.full(309, 0.7)).groups
    assert {few.rates[name].verdict for name in RATES_OF_CLASS} == {"few"}


def test_groups_that_differ_by_chance_alone_seldom_stand_out():
    n_named = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y, share = rng.integers(0, 2, 300), rng.uniform(size=300)
        found = groups_of(rng.integers(0, 2, 300), y, share)
        n_named += any(
            one.verdict in ("lower", "higher") for group in found.groups for one in group.rates.values()
        )
    assert n_named <= 20  # 5 % of 200, and binomial error


STATE = Feature("state", "category", ("well", "ill"))
Y, SEX = np.tile([1, 0], 200), np.repeat([0.0, 1.0], 200)
PEOPLE = make_dataset("people", SEX[:, None], (Feature("sex", "category", ("f", "m")),), Y, STATE)
SHARE = np.where((SEX == 0) & (Y == 1), 0.1, 0.8 * Y + 0.1)
ROWS = rows_held_out(PEOPLE, np.arange(400), np.column_stack((1 - SHARE, SHARE)))
CAREFUL = Decision(1, times=4.0)


def by_sex() -> Subgroups[GroupRates]:
    return rates_by_group(ROWS, ROWS.said, PEOPLE, "sex", 1)


def test_the_rule_says_the_share_and_the_reason_and_the_table_has_each_class_and_the_cost_of_100_rows():
    assert figures.rule_words(CAREFUL, STATE).startswith("Missing “ill” costs 4 times as much")
    assert "**20 %**" in figures.rule_words(CAREFUL, STATE)
    assert "**30 %** on, as you set it" in figures.rule_words(CAREFUL._replace(threshold=0.3), STATE)
    assert "1 % are “ill”" in figures.rule_words(CAREFUL._replace(prevalence=0.01), STATE)
    assert (
        figures.rule_words(Decision(), STATE) == "Every error costs the same: the answer is the likeliest class."
    )
    cells = figures.rates_table([("tree", decided(ROWS, Decision()))], PEOPLE.classes, None)["tree"].to_dict()
    assert cells["found, of those that are “ill” ↑"].startswith("50 % (")
    assert cells["right, of those answered “ill” ↑"].startswith("100 % (")
    assert cells["cost of 100 rows ↓"].startswith("25 (")


def test_groups_are_rows_of_a_table_with_signs_and_the_figure_has_a_curve_a_band_and_a_mark_for_each_model():
    table = figures.groups_table(by_sex(), "ill").set_index("group")
    assert table.loc["sex is f", "“ill” found"].startswith("0 % (")
    assert table["“ill” found"].str[-1].tolist() == ["▼", "▲"]
    one = figures.CostSummary("tree", 0, cost_curve(ROWS, CAREFUL), CAREFUL.cut)
    figure = figures.cost_picture([one, one._replace(title="forest", slot=1)], "ill").draw(False).to_dict()
    assert [line["name"] for line in figure["data"] if "name" in line] == ["tree", "forest"]
    assert "tree 100, at best" in figures.cost_picture([one], "ill").alt
