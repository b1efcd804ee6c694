"""Pictures and words of stability: what is drawn stands for the counts, and names cannot break out of it."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import Feature, samples
from espalier.forests.surfaces import plane_of
from espalier.stability import bars as stability_bars
from espalier.stability import thresholds
from espalier.stability.bars import Bar, Chart
from espalier.stability.splits import Agreement, Neighbourhood, Window, difference
from espalier.stability.structures import Equality, Structures, levels
from espalier.trees import prune_to
from tests.tools.by_hand import admission, colours

FEATURES = (Feature("gpa <b>"), Feature("toefl"))


def chart(*columns):
    """Columns of counts, the first bar of each being the structure to look for; trees numbered as they come."""
    bars = [tuple(Bar(n, i, i == 0, "" if i == 0 else "It differs.") for i, n in enumerate(c)) for c in columns]
    return Chart(sum(columns[0]), tuple(bars))


def elements(svg, name):
    return [e for e in ET.fromstring(svg).iter() if e.tag.endswith(name)]


def measure(element, name):
    return float(element.get(name))


def words(svg):
    return " ".join(e.text or "" for e in elements(svg, "text"))


# Bars ------------------------------------------------------------------------------------------------


def test_bars_are_as_high_as_their_share_in_the_column_of_their_depth_and_all_charts_have_one_scale():
    card = stability_bars.chart_card(chart([6, 2], [4, 2, 2]), "a", "")
    plot = card["floor"] - card["top"]
    heights = [bar["height"] / plot for bar in card["bars"]]
    assert heights == pytest.approx([6 / 8, 2 / 8, 4 / 8, 2 / 8, 2 / 8])
    assert all(bar["y"] + bar["height"] == pytest.approx(card["floor"]) for bar in card["bars"])
    one = chart([6, 2], [4, 2, 2])
    placed = stability_bars.place_bars(one)
    middle = (stability_bars.LEFT + stability_bars.WIDTH - stability_bars.RIGHT) / 2
    assert all((p.x + p.width <= middle) == (p.depth == 1) for p in placed)
    assert all(a.x + a.width <= b.x + 1e-9 for a, b in itertools.pairwise(placed))
    assert [p.key for p in placed] == ["1.0", "1.1", "2.0", "2.1", "2.2"]
    few, many = (stability_bars.chart_card(chart(column), "a", "") for column in ([3, 1], [300, 100]))
    assert [bar["height"] for bar in few["bars"]] == [bar["height"] for bar in many["bars"]]
    low, high = chart([1] * 20), chart([3, *[1] * 17])
    assert [one.most for one in stability_bars.scale_charts([low])] == [0.1]
    assert [one.most for one in stability_bars.scale_charts([low, high])] == [0.25, 0.25]
    assert stability_bars.scale_charts([chart([5])])[0].most == 1.0
    card = stability_bars.chart_card(stability_bars.scale_charts([low, high])[1], "a", "")
    assert card["bars"][0]["height"] / (card["floor"] - card["top"]) == pytest.approx(3 / 20 / 0.25, abs=1e-3)


@pytest.mark.parametrize("n", [1, 20, 150, 1000])
def test_what_does_not_fit_is_counted_on_a_block_beside_the_bars(n):
    one = chart([1] * n, [n], [n], [n])
    drawn = [p for p in stability_bars.place_bars(one) if p.depth == 1]
    svg = stability_bars.chart_picture(one, "CART").draw(False)
    left_out = n - len(drawn)
    assert (f"+{left_out}" in words(svg)) == (left_out > 0)
    assert all(p.width >= stability_bars.LEAST - 1e-9 for p in drawn)
    assert drawn[-1].x + drawn[-1].width <= stability_bars.LEFT + stability_bars.WIDTH / 4


def test_structures_are_bars_with_words_of_which_that_looked_for_is_stronger_and_titles_cannot_break_out():
    bars = stability_bars.chart_card(chart([6, 2, 1]), "a", "")["bars"]
    assert {bar["fill"] for bar in bars} == {"currentColor"}  # which the browser resolves, light or dark
    assert [bar["fill-opacity"] for bar in bars] == [1, 0.5, 0.5]
    said = [bar["say"] for bar in stability_bars.chart_card(chart([6, 2]), "a", "")["bars"]]
    assert said == [
        "6 of 8 trees (75 %) have this structure at the root.",
        "2 of 8 trees (25 %) have this structure at the root. It differs.",
    ]
    one = chart([6, 2], [4, 2, 2])
    svg = stability_bars.chart_picture(one, 'CART <script>"').draw(False)
    assert len(elements(svg, "rect")) == 5
    assert 'CART <script>"' in words(svg)
    assert stability_bars.chart_alt(one).startswith(
        "Structures of 8 trees: at the root 2 structures, the most frequent 75 %"
    )


# Words -----------------------------------------------------------------------------------------------


def said(tree, other, depth=2):
    found = difference(tree, other, depth, Equality("exact"))
    return stability_bars.differs(tree, other, found, FEATURES)


def test_the_first_difference_is_told_by_question_and_by_the_answers_that_lead_there():
    tree = admission()
    stump = prune_to(tree, np.array([True, False, False, False, False]))
    other = tree._replace(threshold=np.where(np.arange(5) == 2, 70.0, tree.threshold))
    assert said(tree, tree) == ""
    assert said(other, tree) == "After no it asks “toefl ≤ 70”, the most frequent “toefl ≤ 64.5”."
    assert said(stump, tree) == "After no it stops, where the most frequent asks “toefl ≤ 64.5”."
    assert said(tree, stump) == "After no it asks “toefl ≤ 64.5”, where the most frequent stops."
    assert said(colours(), tree).startswith("At the root it asks")
    assert stability_bars.where(()) == "at the root"
    assert stability_bars.where((True, False)) == "after yes, no"


# Tables ----------------------------------------------------------------------------------------------


def test_tables_have_a_line_for_every_depth_and_columns_nearest_the_root_come_first():
    by_depth = thresholds.level_table([("CART", 8, levels(Structures(np.array([[0] * 6 + [1] * 2]))))])
    assert by_depth.loc[0, ["structures", "most frequent", "trees"]].tolist() == [2, "75 %", 8]
    shares = np.array([[0.0, 1.0, 0.0], [0.9, 0.2, 0.0]])
    assert stability_bars.listed_features(shares) == [1, 0]
    picture = stability_bars.features_picture(shares, ["a", "b <i>", "c"], [1, 0])
    assert words(picture.draw(True)) == "root depth 1 b <i> 100 % 20 % a 90 %"
    assert picture.alt == "At the root: b <i> 100 %. At depth 1: a 90 %, b <i> 20 %."


# Features --------------------------------------------------------------------------------------------


def test_depths_that_no_tree_reaches_have_no_column_of_many_shares_lose_their_sign_and_small_ones_are_written():
    shares = np.array([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert stability_bars.used_depths(shares).tolist() == shares[:2].tolist()
    assert stability_bars.used_depths(np.zeros((3, 2))).tolist() == [[0, 0]]
    svg = stability_bars.features_picture(np.full((6, 1), 0.5), ["a"], [0]).draw(False)
    assert words(svg) == "0 1 2 3 4 5 a 50 50 50 50 50 50"
    svg = stability_bars.features_picture(np.array([[0.999, 0.001]]), ["a", "b"], [0, 1]).draw(False)
    assert words(svg) == "root a >99 % b <1 %"


# Thresholds ------------------------------------------------------------------------------------------


def test_thresholds_are_bars_whose_heights_are_shares_of_all_trees():
    windows = [Window("neighbourhood", 2.0, 1.0, 3.0, 0.75), Window("cube root", 1.6, 1.5, 2.5, 0.5)]
    around = Neighbourhood(0, 2.0, np.array([1.0, 2.0, 3.0]), np.ones(3) / 3, 0.1)
    one = np.array([2.0, 2.0, 2.0, 9.0]), 8
    span = thresholds.span_of([one], windows)
    assert span.low < 1 < 9 < span.high
    picture = thresholds.thresholds_picture(*one, windows, around, span, Feature("gpa <b>"))
    svg = picture.draw(False)
    frame = thresholds.frame_of(span, 2, False)
    band, *bars = elements(svg, "rect")
    shares = [measure(bar, "height") / thresholds.PLOT * span.most for bar in bars]
    assert shares == pytest.approx([3 / 8, 1 / 8], abs=0.002)
    assert measure(band, "x") == pytest.approx(frame.x(1.0), abs=0.1)
    assert measure(band, "x") + measure(band, "width") == pytest.approx(frame.x(3.0), abs=0.15)
    (name,) = (text for text in elements(svg, "text") if text.text == "t₀")
    assert measure(name, "y") < frame.top
    assert "T(t₀)" in words(svg)
    assert "∛N" in words(svg)
    assert "covers 75 %" in picture.alt
    never = thresholds.thresholds_picture(np.empty(0), 8, windows, around, span, Feature("gpa"))
    assert never.alt == "No tree asks gpa at its root."


# Answers ---------------------------------------------------------------------------------------------


def test_rows_stand_in_the_histogram_where_their_agreement_is():
    found = Agreement(np.array([1.0, 1.0, 1.0, 0.5]), 0.875)
    picture = thresholds.rows_picture(found, 1.0, True)
    bars = elements(picture.draw(False), "rect")
    heights = [measure(bar, "height") / thresholds.ROWS_PLOT for bar in bars]
    assert heights == pytest.approx([0.25, 0.75])
    assert picture.alt == "Two trees agree on 87.5 % of the rows; all trees agree on 75 % of them."


def test_where_nothing_varies_the_map_is_paper():
    data = samples.load("iris")
    plane = plane_of(data, (0, 1))
    n = plane.cells[0] * plane.cells[1]
    still, varied = (
        thresholds.map_picture(values, 1.0, plane, data) for values in (np.zeros(n), np.linspace(0, 1, n))
    )
    sizes = [len("".join(re.findall('base64,([^"]*)', one.draw(False)))) for one in (still, varied)]
    assert 0 < sizes[0] < sizes[1] / 4
    assert still.alt == "The standard deviation is 0 over this plane, and none in 100 % of it."
    assert "0.5" in words(thresholds.map_legend(0.5).draw(True))
