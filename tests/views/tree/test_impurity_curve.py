"""The impurity curve that the browser draws: small, stable, and the same as was computed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from espalier.analysis.cultivated.modules import Habits, module
from espalier.analysis.tree.nodes import category_curve, cut_of, impurity_curve, impurity_curves, rows_in
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.predict import fractions_in
from espalier.views.cultivated import curve as cultivated_curve
from espalier.views.tree import impurity_curve as curve_views

LIMIT = 30_000  # characters


def looks(name: str, node: int = 0):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    tree = learner(max_depth=3, categorical_features=data.categorical).fit(data.X, data.y).tree_
    rows = rows_in(tree, data.X, node)
    criterion = "gini" if data.is_classification else "squared_error"
    for curve in impurity_curves(data, rows, None, criterion):
        yield curve_views.look(data, rows, None, curve, cut_of(tree, node, curve))


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe", "questionnaire"])
def test_every_curve_is_small_and_the_same_each_time(name):
    for look in list(looks(name))[:12]:
        text = json.dumps(curve_views.card(look, "gini"))
        assert len(text) < LIMIT
        assert text == json.dumps(curve_views.card(look, "gini"))


def test_the_best_cut_is_the_least_impurity():
    look = next(iter(looks("iris")))
    card, best = curve_views.card(look, "gini"), look.curve.best
    assert card["x"][card["best"]] == pytest.approx(look.curve.threshold[best])
    assert card["y"][card["best"]] == min(card["y"]) == pytest.approx(look.curve.impurity[best])


def test_the_trees_own_split_stands_only_on_its_feature():
    own, other, *_ = (curve_views.card(look, "gini") for look in looks("iris"))
    assert own["own"] == own["x"][own["best"]]
    assert other["own"] is None


def test_bars_beneath_hold_all_samples_by_class():
    card = curve_views.card(next(iter(looks("iris"))), "gini")
    assert [sum(bar) for bar in card["bars"]] == [50, 50, 50]
    assert card["total"] == 150


def test_weights_count_on_both_sides():
    data = samples.load("iris")
    weight = np.linspace(1, 2, len(data.y))
    rows = np.ones(len(data.y), dtype=bool)
    curve = impurity_curves(data, rows, weight, "gini")[0]
    card = curve_views.card(curve_views.look(data, rows, weight, curve), "gini")
    assert card["weighted"]
    assert card["total"] == pytest.approx(weight.sum())
    assert 0 < card["left"][card["best"]] < card["total"]


def test_a_curve_without_a_cut_has_no_best():
    data = make_dataset(
        "t", np.ones((4, 1)), [Feature("x")], np.array([0, 1, 0, 1]), Feature("y", "category", ("a", "b"))
    )
    (curve,) = impurity_curves(data, np.arange(4), None, "gini")
    look = curve_views.look(data, np.arange(4), None, curve)
    card = curve_views.card(look, "gini")
    assert (card["x"], card["best"], card["own"]) == ([], -1, None)
    assert card["low"] < card["high"]
    assert curve_views.alt(look) == "Nothing on x parts the rows of this node."


def look_at(x, feature: Feature, y=(0, 0, 1, 1)):
    target = Feature("y", "category", ("no", "yes"))
    data = make_dataset("t", np.array(x, dtype=float)[:, None], [feature], np.array(y), target)
    make = category_curve if feature.kind == "category" else impurity_curve
    return curve_views.look(data, np.arange(len(y)), None, make(data.X[:, 0], data.y, None, "gini", 2), None)


def test_known_against_missing_is_a_cut_that_stands_on_no_axis():
    card = curve_views.card(look_at([1, 2, np.nan, 4], Feature("x")), "gini")
    assert card["known"] is not None
    assert len(card["missing"]) == len(card["x"]) == 2


def test_categories_stand_in_the_order_in_which_they_go_left():
    feature = Feature("colour", "category", ("red", "green", "blue"))
    card = curve_views.card(look_at([2, 2, 0, 1], feature), "gini")
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
    assert curve_views.cut_text(look_at(x, feature), threshold) == expected


def test_alt_text_names_best_gain_and_the_trees_split():
    look = look_at([1, 2, 3, 4], Feature("x"))._replace(threshold=1.5)
    assert curve_views.alt(look) == (
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
    return data, [cultivated_curve.band(data, weight, made, i) for i in range(len(made.offers))]


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe"])
def test_every_card_of_a_module_is_small_and_the_same_each_time(name):
    data, found = bands(name, node=1, k="all")
    for band in found[:8]:
        text = json.dumps(cultivated_curve.card(band, data, "gini"))
        assert len(text) < LIMIT
        assert text == json.dumps(cultivated_curve.card(band, data, "gini"))


def test_a_neighbourhood_of_many_cuts_is_drawn_as_a_few_that_weigh_the_same():
    data, (band, *_) = bands("breast-cancer", k="all")
    near = cultivated_curve.card(band, data, "gini")["near"]
    assert near["cuts"] == np.count_nonzero(band.offer.phi) > len(near["x"])
    assert sum(near["phi"]) == pytest.approx(band.offer.phi.sum(), rel=1e-5)
    psi = np.array([*near["psi"], near["ends"][1]])
    assert (np.diff(psi) >= 0).all() or (np.diff(psi) <= 0).all()


def test_the_band_is_that_of_the_offer():
    data, found = bands("iris")
    for band in found:
        near = cultivated_curve.card(band, data, "gini")["near"]
        cuts = band.offer.value[band.offer.near]
        assert near["x"] == pytest.approx(cuts, rel=1e-6)
        assert near["t0"] == pytest.approx(band.offer.value[band.offer.at])
        assert near["mean"] == pytest.approx(band.offer.mean_impurity, rel=1e-6)
        assert near["psi"][0] == near["ends"][0]


def test_a_cut_behind_a_category_stands_between_two():
    data, (band, *_) = bands("tic-tac-toe")
    near = cultivated_curve.card(band, data, "gini")["near"]
    assert all(x % 1 == 0.5 for x in [*near["x"], near["t0"]])


def test_the_alt_text_of_a_module_says_whether_it_takes_the_feature():
    data, found = bands("iris", eta=0.05)
    assert "The module takes it, with a share of" in cultivated_curve.alt(found[0], data.features)
    assert "The module does not take it" in cultivated_curve.alt(found[-1], data.features)
