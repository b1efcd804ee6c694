"""Curves of error against size and of impurity, in the browser and on paper: the same as was computed."""

from __future__ import annotations

import itertools
import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.text.trees import curve_condition
from espalier.display.theme import colours_of
from espalier.display.tree import impurity_curve as views
from espalier.display.tree.error_curve import SizeCurve, card, error_picture, error_table, rule_words
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.predict import fractions_in
from espalier.reports.paper import on_any_screen
from espalier.tree.modules import Habits, module
from espalier.tree.nodes import category_curve, cut_of, impurity_curve, impurity_curves, rows_in
from espalier.tree.pruning import SubtreeErrors

LEAVES = np.array([9, 5, 3, 1])
TRAINING = SubtreeErrors(np.array([0.0, 0.05, 0.1, 0.4]), np.zeros(4))
VALIDATED = SubtreeErrors(np.array([0.22, 0.2, 0.21, 0.45]), np.full(4, 0.02))


def curve(is_validated=True, **changes):
    validated = VALIDATED if is_validated else None
    return SizeCurve("leaves", LEAVES, TRAINING, None, validated, 2, True)._replace(**changes)


def across(name):
    at = {"leaves": LEAVES, "depth": np.array([4, 3, 2, 1])}[name]
    return curve(across=name, at=at)


def elements(drawn, name):
    return [e for e in ET.fromstring(drawn).iter() if e.tag.endswith("}" + name)]


@pytest.mark.parametrize("dark", [True, False])
def test_each_tree_has_a_dot_on_each_line_and_the_rules_have_rings(dark):
    circles = elements(error_picture(curve()).draw(dark), "circle")
    assert len([c for c in circles if c.get("fill") != "none"]) == 2 * 4
    assert len([c for c in circles if c.get("fill") == "none"]) == 2


def test_without_cross_validation_there_is_no_band_sizes_stand_apart_and_lower_errors_stand_lower():
    drawn = error_picture(curve(is_validated=False)).draw(False)
    assert "fill-opacity" not in drawn
    assert not [c for c in elements(drawn, "circle") if c.get("fill") == "none"]
    assert rule_words(curve(is_validated=False)) == ""
    sizes = np.unique(np.geomspace(1, 1620, 200).astype(int))[::-1]
    errors = np.zeros(len(sizes))
    long = curve(is_validated=False, at=sizes, training=SubtreeErrors(errors, errors), shown=0)
    words = elements(error_picture(long).draw(False), "text")
    below = [(float(e.get("x") or 0), e.text or "") for e in words if (e.text or "").isdigit()]
    ends = [(x - 3.5 * len(size), x + 3.5 * len(size)) for x, size in below]
    assert len(below) > 8
    assert all(end + 7 < start for (_, end), (start, _) in itertools.pairwise(ends))
    dots = elements(error_picture(curve(is_validated=False)).draw(False), "circle")
    x, y = ([float(dot.get(name) or 0) for dot in dots] for name in ("cx", "cy"))
    assert x == sorted(x, reverse=True)  # the sequence begins with the whole tree
    assert y == sorted(y, reverse=True)  # whose training error is least; pixels count from above


def test_words_name_the_least_error_the_smallest_tree_within_one_standard_error():
    assert rule_words(curve()) == (
        "The cross-validated error is least with 5 leaves: 20 %, give or take 2 % (one standard error). "
        "Within one standard error of that, the smallest tree has 3 leaves: 21 %."
    )
    assert "The tree shown has 3 leaves." in error_picture(curve()).alt


@pytest.mark.parametrize(("name", "order"), [("depth", "3210"), ("leaves", "3210")])
def test_each_tree_has_a_strip_around_its_dots_in_the_order_of_the_axis(name, order):
    chosen = across(name)
    strips = card(chosen, "key")["bars"]
    assert "".join(strip["id"] for strip in strips) == order
    assert all(a["x"] + a["width"] < b["x"] for a, b in itertools.pairwise(strips))
    dots = [e for e in elements(error_picture(chosen).draw(False), "circle") if e.get("fill") != "none"]
    by_tree = {strip["id"]: (strip["x"], strip["x"] + strip["width"]) for strip in strips}
    for i, dot in enumerate(dots):
        start, end = by_tree[str(i % 4)]
        assert start <= float(dot.get("cx") or 0) <= end + 1


@pytest.mark.parametrize(("name", "said"), [("depth", "Depth 3"), ("leaves", "5 leaves")])
def test_a_strip_says_the_size_and_every_error_and_whether_the_rule_would_take_it(name, said):
    strips = {strip["id"]: strip["say"] for strip in card(across(name), "key")["bars"]}
    assert strips["1"] == f"{said}: cross-validated 20 %, training 5 %."
    assert "within one standard error of the least" in strips["2"]


def test_both_rings_have_names_above_the_sizes_and_the_table_has_a_row_for_each_tree():
    for errors in (VALIDATED, VALIDATED._replace(error=VALIDATED.error - 0.2)):
        drawn = error_picture(curve(validated=errors)).draw(False)
        y = {e.text: float(e.get("y") or 0) for e in elements(drawn, "text")}
        assert max(y["least"], y["one standard error"]) < y["5"] - 12
    table = error_table(curve(held=VALIDATED))
    assert table["leaves"].tolist() == [9, 5, 3, 1]
    spreads = ["cross-validated standard error", "held out standard error"]
    assert [name for name in table if re.search("standard error", name)] == spreads


def test_two_trees_with_equal_errors_and_a_single_one_can_be_drawn():
    flat = SubtreeErrors(np.zeros(2), np.zeros(2))
    pair = curve(is_validated=False, at=np.array([2, 1]), training=flat, held=flat, shown=None, is_share=False)
    assert "<svg" in error_picture(pair).draw(True)
    lone = SubtreeErrors(np.zeros(1), np.zeros(1))
    single = curve(across="depth", at=np.array([1]), training=lone, validated=lone, shown=0)
    assert len(card(single, "key")["bars"]) == 1


LIMIT = 30_000  # characters


def looks(name: str, node: int = 0):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    tree = learner(max_depth=3, categorical_features=data.categorical).fit(data.X, data.y).tree_
    rows = rows_in(tree, data.X, node)
    criterion = "gini" if data.is_classification else "squared_error"
    for curve in impurity_curves(data, rows, None, criterion):
        yield views.curve_inputs(data, rows, None, curve, cut_of(tree, node, curve))


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe", "questionnaire"])
def test_every_curve_is_small_and_the_same_each_time(name):
    for look in list(looks(name))[:12]:
        text = json.dumps(views.card(look, "gini"))
        assert len(text) < LIMIT
        assert text == json.dumps(views.card(look, "gini"))


def test_the_best_cut_is_the_least_impurity_the_trees_own_stands_on_its_feature_and_bars_hold_all_samples():
    look = next(iter(looks("iris")))
    card, best = views.card(look, "gini"), look.curve.best
    assert card["x"][card["best"]] == pytest.approx(look.curve.threshold[best])
    assert card["y"][card["best"]] == min(card["y"]) == pytest.approx(look.curve.impurity[best])
    own, other, *_ = (views.card(look, "gini") for look in looks("iris"))
    assert own["own"] == own["x"][own["best"]]
    assert other["own"] is None
    card = views.card(next(iter(looks("iris"))), "gini")
    assert [sum(bar) for bar in card["bars"]] == [50, 50, 50]
    assert card["total"] == 150


def test_weights_count_on_both_sides_and_a_curve_without_a_cut_has_no_best():
    data = samples.load("iris")
    weight = np.linspace(1, 2, len(data.y))
    rows = np.ones(len(data.y), dtype=bool)
    curve = impurity_curves(data, rows, weight, "gini")[0]
    card = views.card(views.curve_inputs(data, rows, weight, curve), "gini")
    assert card["weighted"]
    assert card["total"] == pytest.approx(weight.sum())
    assert 0 < card["left"][card["best"]] < card["total"]
    data = make_dataset(
        "t", np.ones((4, 1)), [Feature("x")], np.array([0, 1, 0, 1]), Feature("y", "category", ("a", "b"))
    )
    (curve,) = impurity_curves(data, np.arange(4), None, "gini")
    look = views.curve_inputs(data, np.arange(4), None, curve)
    card = views.card(look, "gini")
    assert (card["x"], card["best"], card["own"]) == ([], -1, None)
    assert card["low"] < card["high"]
    assert views.alt(look) == "Nothing on x parts the rows of this node."


def look_at(x, feature: Feature, y=(0, 0, 1, 1)):
    target = Feature("y", "category", ("no", "yes"))
    data = make_dataset("t", np.array(x, dtype=float)[:, None], [feature], np.array(y), target)
    make = category_curve if feature.kind == "category" else impurity_curve
    return views.curve_inputs(data, np.arange(len(y)), None, make(data.X[:, 0], data.y, None, "gini", 2), None)


def test_known_against_missing_stands_on_no_axis_and_categories_in_the_order_in_which_they_go_left():
    card = views.card(look_at([1, 2, np.nan, 4], Feature("x")), "gini")
    assert card["known"] is not None
    assert len(card["missing"]) == len(card["x"]) == 2
    feature = Feature("colour", "category", ("red", "green", "blue"))
    card = views.card(look_at([2, 2, 0, 1], feature), "gini")
    assert card["names"][0] == "blue"
    assert card["stepped"]
    assert card["x"][0] == 0.5


@pytest.mark.parametrize(
    ("x", "feature", "threshold", "expected"),
    [
        ([1, 2, 3, 4], Feature("x"), 2.5, "x ≤ 2.5"),
        ([1, 2, np.nan, 4], Feature("x"), math.inf, "x is known"),
        ([0, 1, 2, 2], Feature("pain", "ordered", ("none", "mild", "bad")), 1.5, "pain is at most mild"),
        ([0, 1, 0, 1], Feature("smoker", "yes/no", ("no", "yes")), 0.5, "smoker is no"),
        ([2, 2, 0, 1], Feature("colour", "category", ("red", "green", "blue")), 1, "colour is blue"),
    ],
)
def test_cuts_in_words(x, feature, threshold, expected):
    assert curve_condition(look_at(x, feature).curve, feature, threshold) == expected


def test_alt_text_names_best_gain_and_the_trees_split():
    look = look_at([1, 2, 3, 4], Feature("x"))._replace(threshold=1.5)
    assert views.alt(look) == (
        "Impurity after splitting on x: 0.5 before, at best 0 at x ≤ 2.5, a gain of 0.5. "
        "The tree splits at x ≤ 1.5."
    )


# Modules ---------------------------------------------------------------------------------------------


def bands(name: str, node: int = 0, **parameters):
    data = samples.load(name)
    learner = CultivatedClassifier if data.is_classification else CultivatedRegressor
    tree = learner(max_depth=3, categorical_features=data.categorical, **parameters).fit(data.X, data.y).tree_
    weight = fractions_in(tree, data.X, node)
    habits = Habits(parameters.get("k", "sqrt"), parameters.get("eta", 0.3))
    made = module(data, tree, node, weight, habits)
    return data, [views.band(data, weight, made, i) for i in range(len(made.offers))]


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe"])
def test_every_card_of_a_module_is_small_and_the_same_each_time(name):
    data, found = bands(name, node=1, k="all")
    for band in found[:8]:
        text = json.dumps(views.band_card(band, data, "gini"))
        assert len(text) < LIMIT
        assert text == json.dumps(views.band_card(band, data, "gini"))


def test_a_neighbourhood_of_many_cuts_is_drawn_as_a_few_that_weigh_the_same():
    data, (band, *_) = bands("breast-cancer", k="all")
    near = views.band_card(band, data, "gini")["near"]
    assert near["cuts"] == np.count_nonzero(band.offer.phi) > len(near["x"])
    assert sum(near["phi"]) == pytest.approx(band.offer.phi.sum(), rel=1e-5)
    psi = np.array([*near["psi"], near["ends"][1]])
    assert (np.diff(psi) >= 0).all() or (np.diff(psi) <= 0).all()


def test_the_band_is_that_of_the_offer():
    data, found = bands("iris")
    for band in found:
        near = views.band_card(band, data, "gini")["near"]
        cuts = band.offer.value[band.offer.near]
        assert near["x"] == pytest.approx(cuts, rel=1e-6)
        assert near["t0"] == pytest.approx(band.offer.value[band.offer.at])
        assert near["mean"] == pytest.approx(band.offer.mean_impurity, rel=1e-6)
        assert near["psi"][0] == near["ends"][0]


def test_a_cut_behind_a_category_stands_between_two_and_words_say_whether_the_module_takes_the_feature():
    data, (band, *_) = bands("tic-tac-toe")
    near = views.band_card(band, data, "gini")["near"]
    assert all(x % 1 == 0.5 for x in [*near["x"], near["t0"]])
    data, found = bands("iris", eta=0.05)
    assert "The module takes it, with a share of" in views.band_alt(found[0], data.features)
    assert "The module does not take it" in views.band_alt(found[-1], data.features)


IRIS, TICTACTOE = samples.load("iris"), samples.load("tic-tac-toe")


def card_of(data, place, threshold=None):
    rows = np.ones(len(data.y), bool)
    curve = impurity_curves(data, rows, None, "gini")[place]
    feature = data.features[curve.feature]
    return views.card(views.curve_inputs(data, rows, None, curve, threshold), "gini"), feature


def boxes(svg, colour):
    found = re.findall(rf'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" fill="{colour}"', svg)
    return np.array(found, float).reshape(-1, 4)


def test_rows_stand_below_the_curve_as_high_as_they_are_many_and_the_least_impurity_is_marked_lowest():
    card, feature = card_of(IRIS, 0)
    svg = views.curve_picture(card, feature, "").draw(False)
    most = max(map(sum, zip(*card["bars"], strict=True)))
    for bars, colour in zip(card["bars"], colours_of(IRIS.target)["light"], strict=True):
        heights = boxes(svg, colour)[:, 3]
        assert heights.sum() == pytest.approx(sum(bars) / most * views.STRIP, abs=0.06 * len(heights))
    assert sum(map(sum, card["bars"])) == 150
    (path,) = re.findall(r'<path d="M([^"]*)"[^>]*stroke-linejoin', svg)
    points = np.array([one.split() for one in path.split(" L")], float)
    (mark,) = re.findall(r'<circle cx="([^"]*)" cy="([^"]*)"', svg)
    assert [float(one) for one in mark] == points[card["best"]].tolist()
    assert points[:, 1].max() == points[card["best"], 1] < views.FLOOR - views.STRIP


def test_the_split_is_named_on_its_column_categories_below_numbers_are_round_and_dark_is_only_in_colour():
    card, feature = card_of(IRIS, 0, threshold=2.45)
    assert "the tree's split" in views.curve_picture(card, feature, "").draw(False).replace("&#x27;", "'")
    assert "split<" not in views.curve_picture(*card_of(IRIS, 0), "").draw(False).replace("after the split", "")
    place = next(k for k in range(9) if card_of(TICTACTOE, k)[0]["names"])
    card, feature = card_of(TICTACTOE, place)
    assert f">{card['names'][0]}</text>" in views.curve_picture(card, feature, "").draw(False)
    card, feature = card_of(IRIS, 0, threshold=2.45)
    assert on_any_screen(views.curve_picture(card, feature, "").draw).count("<svg") == 1
