"""Error against size: every tree of the sequence has its dot, and words say what the rules choose."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.analysis.tree.pruning import SubtreeErrors
from espalier.views.tree.error_curve import (
    SizeCurve,
    card,
    error_alt,
    error_curve,
    error_table,
    price_words,
    rule_words,
)

ALPHA, LEAVES = np.array([0.0, 0.01, 0.02, 0.2]), np.array([9, 5, 3, 1])
TRAINING = SubtreeErrors(np.array([0.0, 0.05, 0.1, 0.4]), np.zeros(4))
VALIDATED = SubtreeErrors(np.array([0.22, 0.2, 0.21, 0.45]), np.full(4, 0.02))


def curve(is_validated=True, **changes):
    validated = VALIDATED if is_validated else None
    return SizeCurve("leaves", LEAVES, TRAINING, None, validated, 2, True)._replace(**changes)


def across(name):
    at = {"leaves": LEAVES, "depth": np.array([4, 3, 2, 1]), "alpha": ALPHA}[name]
    return curve(across=name, at=at)


def elements(drawn, name):
    return [e for e in ET.fromstring(drawn).iter() if e.tag.endswith("}" + name)]


@pytest.mark.parametrize("dark", [True, False])
def test_each_tree_has_a_dot_on_each_line_and_the_rules_have_rings(dark):
    circles = elements(error_curve(curve(), dark), "circle")
    assert len([c for c in circles if c.get("fill") != "none"]) == 2 * 4
    assert len([c for c in circles if c.get("fill") == "none"]) == 2


def test_without_cross_validation_there_is_neither_a_band_nor_a_ring():
    drawn = error_curve(curve(is_validated=False), False)
    assert "fill-opacity" not in drawn
    assert not [c for c in elements(drawn, "circle") if c.get("fill") == "none"]
    assert rule_words(curve(is_validated=False)) == ""


def test_sizes_below_the_picture_stand_apart():
    sizes = np.unique(np.geomspace(1, 1620, 200).astype(int))[::-1]
    errors = np.zeros(len(sizes))
    long = curve(is_validated=False, at=sizes, training=SubtreeErrors(errors, errors), shown=0)
    words = elements(error_curve(long, False), "text")
    below = [(float(e.get("x") or 0), e.text or "") for e in words if (e.text or "").isdigit()]
    ends = [(x - 3.5 * len(size), x + 3.5 * len(size)) for x, size in below]
    assert len(below) > 8
    assert all(end + 7 < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_lower_errors_stand_lower_and_larger_trees_to_the_right():
    dots = elements(error_curve(curve(is_validated=False), False), "circle")
    x, y = ([float(dot.get(name) or 0) for dot in dots] for name in ("cx", "cy"))
    assert x == sorted(x, reverse=True)  # the sequence begins with the whole tree
    assert y == sorted(y, reverse=True)  # whose training error is least; pixels count from above


def test_the_words_name_the_least_error_and_the_smallest_tree_within_one_standard_error():
    assert rule_words(curve()) == (
        "The cross-validated error is least with 5 leaves: 20 %, give or take 2 % (one standard error). "
        "Within one standard error of that, the smallest tree has 3 leaves: 21 %."
    )
    assert "The tree shown has 3 leaves." in error_alt(curve())


def test_the_prices_are_those_between_which_the_tree_is_best():
    assert price_words(ALPHA, 2) == "The tree shown is the best for every price α per leaf from 0.02 to below 0.2."
    assert price_words(ALPHA, 3).endswith("from 0.2 on.")


@pytest.mark.parametrize(("name", "order"), [("depth", "3210"), ("leaves", "3210"), ("alpha", "0123")])
def test_each_tree_has_a_strip_around_its_dots_in_the_order_of_the_axis(name, order):
    chosen = across(name)
    strips = card(chosen, "key", False)["bars"]
    assert "".join(strip["id"] for strip in strips) == order
    assert all(a["x"] + a["width"] < b["x"] for a, b in itertools.pairwise(strips))
    dots = [e for e in elements(error_curve(chosen, False), "circle") if e.get("fill") != "none"]
    by_tree = {strip["id"]: (strip["x"], strip["x"] + strip["width"]) for strip in strips}
    for i, dot in enumerate(dots):
        start, end = by_tree[str(i % 4)]
        assert start <= float(dot.get("cx") or 0) <= end + 1


@pytest.mark.parametrize(("name", "said"), [("depth", "Depth 3"), ("leaves", "5 leaves"), ("alpha", "α 0.01")])
def test_a_strip_says_the_size_and_every_error_and_whether_the_rule_would_take_it(name, said):
    strips = {strip["id"]: strip["say"] for strip in card(across(name), "key", False)["bars"]}
    assert strips["1"] == f"{said}: cross-validated 20 %, training 5 %."
    assert "within one standard error of the least" in strips["2"]


def test_a_price_of_nothing_stands_left_of_all_others():
    strips = card(across("alpha"), "key", False)["bars"]
    assert strips[0]["id"] == "0"


def test_both_rings_have_names():
    words = [e.text for e in elements(error_curve(curve(), False), "text")]
    assert "least" in words
    assert "one standard error" in words


def test_the_table_has_a_row_for_each_tree():
    table = error_table(curve(held=VALIDATED))
    assert table["leaves"].tolist() == [9, 5, 3, 1]
    assert [name for name in table if re.search("standard error", name)] == [
        "cross-validated standard error",
        "held out standard error",
    ]


def test_a_lone_pair_of_trees_with_equal_errors_can_be_drawn():
    flat = SubtreeErrors(np.zeros(2), np.zeros(2))
    pair = curve(is_validated=False, at=np.array([2, 1]), training=flat, held=flat, shown=None, is_share=False)
    assert "<svg" in error_curve(pair, True)


def test_a_single_tree_can_be_drawn():
    lone = SubtreeErrors(np.zeros(1), np.zeros(1))
    single = curve(across="depth", at=np.array([1]), training=lone, validated=lone, shown=0)
    assert len(card(single, "key", True)["bars"]) == 1
