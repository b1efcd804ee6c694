"""Pictures of agreement, importance and variance: they show the numbers, stay small, and have words."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from espalier.analysis.forests.agreement import Residuals, Strength
from espalier.analysis.forests.importance import Importance
from espalier.analysis.forests.variance import Fall
from espalier.views.forests import agreement as views

MATRIX = np.array([[1, 0.2, 0.9, 0.1], [0.2, 1, 0.1, 0.8], [0.9, 0.1, 1, 0.25], [0.1, 0.8, 0.25, 1]])
FALL = Fall(0.28, 0.25)
RISES = np.array([0.02, 0.1, -0.01]) + np.outer([-1, 0, 0, 0, 1], [0.01, 0.05, 0.01])  # of five trees
WORTH = Importance(np.array([0.02, 0.1, -0.01]), np.array([0.01, 0.05, 0.01]), RISES)


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def matrix_of(n):
    votes = np.random.default_rng(0).random((n, 50)) < 0.5
    return (votes[:, None] == votes).mean(axis=2)


def test_every_cell_shows_the_agreement_of_the_trees_that_it_names():
    heat = traces(views.agreement_figure(MATRIX))[0]
    trees = [int(name.removeprefix("tree ")) for name in heat.x]
    assert sorted(trees) == [1, 2, 3, 4]
    assert list(heat.y) == list(heat.x)
    for i, row in enumerate(heat.z):
        for j, value in enumerate(row):
            assert value is None if i == j else value == MATRIX[trees[i] - 1, trees[j] - 1]


def test_trees_that_agree_stand_side_by_side():
    trees = list(traces(views.agreement_figure(MATRIX))[0].x)
    assert {frozenset(trees[:2]), frozenset(trees[2:])} == {
        frozenset({"tree 1", "tree 3"}), frozenset({"tree 2", "tree 4"})
    }  # fmt: skip


def test_the_matrix_in_words():
    assert views.agreement_alt(MATRIX) == (
        "Two of the 4 trees vote alike on 39.2 % of the rows on average, trees 1 and 4 on 10 %, the fewest, and "
        "trees 1 and 3 on 90 %, the most."
    )
    assert "single tree" in views.agreement_alt(np.ones((1, 1)))


def test_of_very_many_trees_some_are_shown_and_the_words_say_so():
    matrix = matrix_of(400)
    text = views.agreement_figure(matrix).to_json()
    assert text is not None
    assert len(text) < 400_000
    assert "shows 134 of the trees" in views.agreement_alt(matrix)
    assert "shows" not in views.agreement_alt(matrix_of(150))


def test_the_curve_is_the_formula_and_the_dots_are_what_was_measured():
    seen = np.array([1, 10, 100]), np.array([0.3, 0.09, 0.07])
    floor, curve, dots = traces(views.fall_figure(FALL, 100, seen, of="variance of a vote"))
    assert list(floor.y) == pytest.approx([0.07, 0.07])
    assert (curve.x[0], curve.x[-1]) == (1, 100)
    assert list(curve.y) == pytest.approx([0.07 + 0.21 / b for b in curve.x])
    assert (list(dots.x), list(dots.y)) == ([1, 10, 100], [0.3, 0.09, 0.07])
    assert len(traces(views.fall_figure(FALL, 1, of="variance"))) == 2


def test_the_formula_has_its_numbers():
    assert views.formula(FALL, 100) == "ρσ² + (1 − ρ)σ²/B = 0.25 · 0.28 + 0.75 · 0.28 / 100 = 0.0721"


def test_the_curve_in_words():
    seen = np.array([100]), np.array([0.071])
    assert views.fall_alt(FALL, 100, seen, of="variance of a vote") == (
        "Variance of a vote: 0.28 with one tree, 0.0721 with 100, and never below 0.07; the correlation is 0.25. "
        "Measured with 100 trees: 0.071."
    )


def test_bars_stand_in_the_order_of_their_features_worth_and_have_their_standard_errors():
    figure: Any = views.importance_figure(WORTH, ["a", "<b>", "c"], True)
    bars = traces(figure)[0]
    assert list(bars.x) == [0.1, 0.02, -0.01]
    assert list(bars.error_x.array) == pytest.approx(RISES[:, [1, 0, 2]].std(axis=0, ddof=1) / np.sqrt(5))
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;", "a", "c"]
    assert bars.hovertext[0].startswith("&lt;b&gt;: shuffled, the error rises by 10 pts ± ")
    assert bars.hovertext[0].endswith("(standard error); over the trees it varies by 5 pts")


def test_of_many_features_the_most_important_are_drawn():
    many = Importance(np.arange(90.0), np.ones(90), np.zeros((2, 90)))
    bars = traces(views.importance_figure(many, [f"f{i}" for i in range(90)], False))[0]
    assert list(bars.x) == list(range(89, 69, -1))


def test_importance_in_words():
    assert views.importance_alt(WORTH, ["a", "b", "c"], True, most=2) == (
        "Shuffling a column raises the error: b 10 pts, a 2 pts. 1 of 3 columns do not raise it."
    )


def test_the_measures_of_a_forest_of_classes_say_what_they_bound():
    good = Strength(np.zeros(2), 0.8, 0.25, 0.25 * 0.36 / 0.64, 0.02, FALL)
    table = views.measures(good)
    assert table["value"].tolist() == ["0.8", "0.25", "0.391", "14.1 %", "2 %"]
    weak = good._replace(strength=-0.1, bound=np.nan)
    assert "no bound" in views.measures(weak)["what it says"][3]
    assert views.measures(weak)["value"].tolist()[2:4] == ["–", "–"]
    assert "bounds nothing" in views.measures(good._replace(bound=1.5))["what it says"][3]


def test_the_measures_of_a_forest_of_numbers_are_errors():
    table = views.measures(Residuals(4.0, 2.5, 0.5, 2.0, Fall(4.0, 0.5)))
    assert table["value"].tolist() == ["4", "0.5", "2", "2.5"]


@pytest.mark.parametrize("dark", [True, False])
def test_pictures_are_drawn_in_the_ink_of_the_page(dark):
    ink = "#FAFAFA" if dark else "#31333F"
    figures: list[Any] = [
        views.agreement_figure(MATRIX, dark),
        views.fall_figure(FALL, 10, of="variance", dark=dark),
        views.importance_figure(WORTH, "abc", True, dark),
    ]
    for figure in figures:
        assert figure.layout.font.color == ink
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
