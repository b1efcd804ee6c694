"""Promises as tables."""

import numpy as np

from espalier.analysis import Folds, ask
from espalier.data import samples
from espalier.display.theme import number, percent
from espalier.learners import CartRegressor
from espalier.new_rows.promise_words import promises_table, set_words
from espalier.new_rows.promises import Promised, PromisedSets, Share, promised_intervals

DIABETES = samples.load("diabetes")
NAMES = ("benign", "malignant")


def sets(limits=(0.8,), by="all", by_class=((0.95, 0.93, 0.97), (0.7, 0.6, 0.8))):
    """Four rows: three with one class, one with both."""
    shares = tuple(Share(*ends) for ends in by_class)
    inside = np.array([[True, False], [False, True], [True, True], [True, False]])
    overall = Share(0.91, 0.88, 0.94)
    promised = Promised(0.9, by, np.array(limits), 0.0, np.array([True, True, True, False]), overall, shares)
    return PromisedSets(promised, inside, np.array([0.75, 0.25]))


def test_a_column_for_each_model_says_how_often_the_truth_is_inside_of_which_class_least_and_the_rule():
    table = promises_table([("CART", sets())], NAMES)
    assert table["CART"].to_dict() == {
        "truth inside": "91 % (88 % to 94 %)",
        "least of a class": "malignant: 70 % (60 % to 80 %)",
        "rows with one class": "75 %",
        "a class is named": "from a share of 20 %",
    }
    rules = [promises_table([("CART", sets((limit,)))], NAMES)["CART"].iloc[-1] for limit in (np.inf, 0.0)]
    assert rules == ["always", "never"]
    found = promised_intervals(ask(CartRegressor(max_depth=3), DIABETES, Folds(5)), 0.9)
    rate, width = promises_table([("CART", found)], ())["CART"]
    assert rate.startswith(percent(round(found.promised.coverage.value, 3)))
    assert width == f"± {number(float(found.promised.limits[0]))}"
    names = ("a", "b", "c")
    assert [set_words(inside, names) for inside in np.eye(3, dtype=bool).tolist()] == ["a", "b", "c"]
    assert set_words([True, True, True], names) == "a, b or c"
