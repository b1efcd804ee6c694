"""Impurity curves on paper: the rows, the cuts and the splits of a card stand where its numbers say."""

import re

import numpy as np
import pytest

from espalier.analysis.tree.nodes import impurity_curves
from espalier.data import samples
from espalier.views.reports.screens import on_any_screen
from espalier.views.theme import colours_of
from espalier.views.tree import impurity_curve
from espalier.views.tree.still_curve import FLOOR, STRIP, curve_picture

IRIS, TICTACTOE = samples.load("iris"), samples.load("tic-tac-toe")


def card_of(data, place, threshold=None):
    rows = np.ones(len(data.y), bool)
    curve = impurity_curves(data, rows, None, "gini")[place]
    feature = data.features[curve.feature]
    return impurity_curve.card(impurity_curve.look(data, rows, None, curve, threshold), "gini"), feature


def boxes(svg, colour):
    found = re.findall(rf'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" fill="{colour}"', svg)
    return np.array(found, float).reshape(-1, 4)


def test_the_rows_of_each_class_stand_below_the_curve_as_high_as_they_are_many():
    card, feature = card_of(IRIS, 0)
    svg = curve_picture(card, feature, dark=False)
    most = max(map(sum, zip(*card["bars"], strict=True)))
    for bars, colour in zip(card["bars"], colours_of(IRIS.target)["light"], strict=True):
        heights = boxes(svg, colour)[:, 3]
        assert heights.sum() == pytest.approx(sum(bars) / most * STRIP, abs=0.06 * len(heights))
    assert sum(map(sum, card["bars"])) == 150


def test_the_least_impurity_is_marked_and_lies_lowest_on_the_curve():
    card, feature = card_of(IRIS, 0)
    svg = curve_picture(card, feature, dark=False)
    (path,) = re.findall(r'<path d="M([^"]*)"[^>]*stroke-linejoin', svg)
    points = np.array([one.split() for one in path.split(" L")], float)
    (mark,) = re.findall(r'<circle cx="([^"]*)" cy="([^"]*)"', svg)
    assert [float(one) for one in mark] == points[card["best"]].tolist()
    assert points[:, 1].max() == points[card["best"], 1] < FLOOR - STRIP


def test_the_split_of_the_tree_is_named_where_the_curve_is_of_its_column():
    card, feature = card_of(IRIS, 0, threshold=2.45)
    assert "the tree's split" in curve_picture(card, feature, dark=False).replace("&#x27;", "'")
    assert "split<" not in curve_picture(*card_of(IRIS, 0), dark=False).replace("after the split", "")


def test_categories_have_their_names_below_and_numbers_are_round():
    place = next(k for k in range(9) if card_of(TICTACTOE, k)[0]["names"])
    card, feature = card_of(TICTACTOE, place)
    assert f">{card['names'][0]}</text>" in curve_picture(card, feature, dark=False)


def test_on_a_dark_screen_it_is_the_same_picture_in_other_colours():
    card, feature = card_of(IRIS, 0, threshold=2.45)
    assert on_any_screen(lambda dark: curve_picture(card, feature, dark)).count("<svg") == 1
