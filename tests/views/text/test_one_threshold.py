"""One split has one threshold, which is written alike wherever people read it."""

from __future__ import annotations

import numpy as np
import pytest

from espalier.analysis.tree.nodes import impurity_curves
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier
from espalier.views.export import to_python, to_rules
from espalier.views.tree import impurity_curve
from espalier.views.tree.cards import cards

NUMBER = Feature("x")
BINARY = Feature("y", "category", ("a", "b"))


def halves(values, feature=NUMBER):
    """The first half of the values is of one class, the second of the other."""
    y = np.arange(len(values)) >= len(values) / 2
    return make_dataset("one", np.array(values)[:, None], [feature], y, BINARY)


@pytest.mark.parametrize(
    ("values", "feature", "expected"),
    [
        ([175.5, 175.6, 175.7, 175.8], Feature("x"), "175.65"),  # a computer keeps 175.64999999999998
        ([168.0, 168.1, 168.2, 168.3], Feature("x"), "168.15"),
        ([98.0, 99.0, 100.0, 101.0], Feature("x", is_whole=True), "99"),
    ],
)
def test_the_card_the_curve_and_the_table_write_one_threshold_alike(values, feature, expected):
    data, rows = halves(values, feature), np.arange(len(values))
    tree = CartClassifier().fit(data.X, data.y).tree_
    (found,) = impurity_curves(data, rows, None, "gini")
    look = impurity_curve.look(data, rows, None, found, float(tree.threshold[0]))
    drawn = impurity_curve.card(look, "gini")
    assert cards(tree, data, rows)["nodes"][0]["test"] == f" ≤ {expected}"
    assert drawn["said"][drawn["best"]] == expected
    assert impurity_curve.cut_text(look, float(tree.threshold[0])) == f"x ≤ {expected}"


def test_rules_leave_out_the_tail_of_a_float_and_programs_keep_it():
    data = halves([175.5, 175.6, 175.7, 175.8])
    tree = CartClassifier().fit(data.X, data.y).tree_
    assert "if x ≤ 175.65\n" in to_rules(tree, data.features, data.target)
    assert repr(float(tree.threshold[0])) in to_python(tree, data.features, data.target)


def test_rules_say_what_part_of_the_rows_a_leaf_has_and_of_the_weight_only_where_rows_weigh():
    data = samples.load("iris")
    plain, weighted = (
        to_rules(
            CartClassifier(max_depth=1, class_weight=weight).fit(data.X, data.y).tree_, data.features, data.target
        )
        for weight in (None, {0: 2, 1: 1, 2: 1})
    )
    assert "(n = 50, 33.3 % of the rows)" in plain
    assert "(n = 50, 50 % of the weight)" in weighted
