"""Decisions in words, tables and figures: they say what was counted."""

import numpy as np

from espalier.data.dataset import Feature, make_dataset
from espalier.decisions import figures
from espalier.decisions.decision import Decision, RatesByGroup, cost_curve, decided, rates_by_group, rows_held_out

ILL = Feature("state", "category", ("well", "ill"))
Y, SEX = np.tile([1, 0], 200), np.repeat([0.0, 1.0], 200)
PEOPLE = make_dataset("people", SEX[:, None], (Feature("sex", "category", ("f", "m")),), Y, ILL)
SHARE = np.where((SEX == 0) & (Y == 1), 0.1, 0.8 * Y + 0.1)
ROWS = rows_held_out(PEOPLE, np.arange(400), np.column_stack((1 - SHARE, SHARE)))
CAREFUL = Decision(1, times=4.0)


def by_sex() -> RatesByGroup:
    return rates_by_group(ROWS, ROWS.said, PEOPLE, "sex", 1)


def test_the_rule_says_the_share_and_the_reason_and_the_table_has_each_class_and_the_cost_of_100_rows():
    assert figures.rule_words(CAREFUL, ILL).startswith("Missing “ill” costs 4 times as much")
    assert "**20 %**" in figures.rule_words(CAREFUL, ILL)
    assert "**30 %** on, as you set it" in figures.rule_words(CAREFUL._replace(threshold=0.3), ILL)
    assert "1 % are “ill”" in figures.rule_words(CAREFUL._replace(prevalence=0.01), ILL)
    assert figures.rule_words(Decision(), ILL) == "Every error costs the same: the answer is the likeliest class."
    cells = figures.rates_table([("tree", decided(ROWS, Decision()))], PEOPLE.classes, None)["tree"].to_dict()
    assert cells["found, of those that are “ill” ↑"].startswith("50 % (")
    assert cells["right, of those answered “ill” ↑"].startswith("100 % (")
    assert cells["cost of 100 rows ↓"].startswith("25 (")


def test_a_group_that_is_missed_is_named_with_its_gap_and_groups_are_rows_of_a_table_and_a_file():
    text = figures.standing_out("tree", by_sex(), "ill")
    assert "- sex is f: right answers: 50 points lower" in text
    assert "; “ill” found: 100 points lower" in text
    table = figures.groups_table(by_sex(), "ill")
    assert table["“ill” found"].tolist()[0].startswith("0 % (")
    file = figures.groups_file([("tree", by_sex())])
    recall = file[(file["group"] == "sex is f") & (file["rate"] == "recall")].iloc[0]
    assert (recall["value"], recall["gap"], recall["verdict"]) == (0.0, -1.0, "lower")


def test_the_figure_has_a_curve_a_band_and_a_mark_for_each_model_and_says_its_least():
    one = figures.CostSummary("tree", 0, cost_curve(ROWS, CAREFUL), CAREFUL.cut)
    figure = figures.cost_figure([one, one._replace(title="forest", slot=1)], "ill").to_dict()
    assert [line["name"] for line in figure["data"] if "name" in line] == ["tree", "forest"]
    assert "tree 100, at best" in figures.cost_alt([one], "ill")
