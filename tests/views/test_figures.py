"""Figures: what they draw, how large they are, and that no name can become markup."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from core.analysis.nodes import category_curve, cut_of, impurity_curve, impurity_curves, rows_in
from core.analysis.scores import confusion
from core.data import samples
from core.data.dataset import Feature, make_dataset
from core.learners import CartClassifier, CartRegressor
from core.views import figures
from core.views.figures.base import safe

LIMIT = 100_000  # characters of a figure's JSON


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def looks(name: str, node: int = 0):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    tree = learner(max_depth=3, categorical_features=data.categorical).fit(data.X, data.y).tree_
    rows = rows_in(tree, data.X, node)
    criterion = "gini" if data.is_classification else "squared_error"
    for curve in impurity_curves(data, rows, None, criterion):
        yield figures.look(data, rows, None, curve, cut_of(tree, node, curve))


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe", "questionnaire"])
@pytest.mark.parametrize("dark", [False, True])
def test_every_curve_of_is_small_and_transparent(name, dark):
    for look in list(looks(name))[:12]:
        text = figures.impurity_figure(look, dark).to_json()
        assert text is not None
        assert len(text) < LIMIT
        layout = json.loads(text)["layout"]
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert "title" not in layout


def test_the_diamond_stands_at_the_least_impurity():
    look = next(iter(looks("iris")))
    diamond = traces(figures.impurity_figure(look))[-1]
    best = look.curve.best
    assert (diamond.x[0], diamond.y[0]) == (look.curve.threshold[best], look.curve.impurity[best])


def test_the_trees_own_split_is_a_line_with_its_words():
    own, other, *_ = looks("iris")
    figure = figures.impurity_figure(own)
    texts = [a.text for a in figure.layout.annotations]
    assert own.threshold is not None
    assert any(text.startswith("<b>split ≤ ") for text in texts)
    assert own.threshold in [shape.x0 for shape in figure.layout.shapes]
    assert not any("split" in a.text for a in figures.impurity_figure(other).layout.annotations)


def test_bars_beneath_hold_all_samples_by_class():
    look = next(iter(looks("iris")))
    bars = [trace for trace in traces(figures.impurity_figure(look)) if trace.type == "bar"]
    assert [sum(bar.y) for bar in bars] == [50, 50, 50]


def test_a_curve_without_a_cut_is_still_a_figure():
    data = make_dataset(
        "t", np.ones((4, 1)), [Feature("x")], np.array([0, 1, 0, 1]), Feature("y", "category", ("a", "b"))
    )
    (curve,) = impurity_curves(data, np.arange(4), None, "gini")
    look = figures.look(data, np.arange(4), None, curve)
    assert len(traces(figures.impurity_figure(look))[0].y) == 1
    assert figures.impurity_alt(look) == "Nothing on x parts the samples of this node."


def test_small_gains_look_small():
    for look in looks("diabetes"):
        low = figures.impurity_figure(look).layout.yaxis.range[0]
        assert low <= 0.9 * look.curve.node_impurity


def look_at(x, feature: Feature, y=(0, 0, 1, 1)):
    target = Feature("y", "category", ("no", "yes"))
    data = make_dataset("t", np.array(x, dtype=float)[:, None], [feature], np.array(y), target)
    make = category_curve if feature.kind == "category" else impurity_curve
    return figures.look(data, np.arange(len(y)), None, make(data.X[:, 0], data.y, None, "gini", 2), None)


@pytest.mark.parametrize(
    ("x", "feature", "threshold", "expected"),
    [
        ([1, 2, 3, 4], Feature("x"), 2.5, "x ≤ 2.5"),
        ([1, 2, np.nan, 4], Feature("x"), math.inf, "x is known"),
        ([0, 1, 2, 2], Feature("pain", "ordered", ("none", "mild", "bad")), 1.5, "pain is none or mild"),
        ([0, 1, 0, 1], Feature("smoker", "yes/no", ("no", "yes")), 0.5, "smoker is no"),
        ([2, 2, 0, 1], Feature("colour", "category", ("red", "green", "blue")), 1, "colour is blue"),
    ],
)
def test_cuts_in_words(x, feature, threshold, expected):
    look = look_at(x, feature)
    assert figures.cut_text(look, threshold) == expected


def test_alt_text_names_best_gain_and_the_trees_split():
    look = look_at([1, 2, 3, 4], Feature("x"))._replace(threshold=1.5)
    assert figures.impurity_alt(look) == (
        "Impurity after splitting on x: 0.5 before, at best 0 at x ≤ 2.5, a gain of 0.5. "
        "The tree splits at x ≤ 1.5."
    )


def test_names_cannot_become_markup_or_templates():
    assert safe("<b>a</b> & %{x}\n") == "&lt;b&gt;a&lt;/b&gt; &amp; %\u200b{x} "
    look = look_at([0, 1, 0, 1], Feature("<i>n</i>", "yes/no", ("<a href='x'>", "%{y}")))
    text = figures.impurity_figure(look).to_json()
    assert text is not None
    for raw in ("<i>", "<a", "%{y}"):
        assert raw not in text.replace("\\u003c", "<")


MATRIX = np.array([[41, 9, 0], [0, 40, 10], [8, 0, 42]])
SPECIES = ("setosa", "versicolor", "virginica")


def test_confusion_cells_hold_their_counts_in_readable_ink():
    figure = figures.confusion_figure(MATRIX, SPECIES)
    heat, words = traces(figure)
    assert list(words.text) == ["41", "9", "40", "10", "8", "42"]
    assert heat.z[0][0] == pytest.approx(0.82)
    assert heat.z[0][1] == pytest.approx(-0.18)
    assert figures.confusion_alt(MATRIX, SPECIES) == (
        "Confusion matrix: 123 of 150 samples are right. "
        "The most frequent error takes versicolor for virginica, 10 times."
    )


def test_confusion_of_a_class_without_samples_and_of_many_classes():
    figures.confusion_figure(np.zeros((3, 3), np.int64), SPECIES)
    assert figures.confusion_alt(np.eye(3, dtype=int), SPECIES) == "Confusion matrix: 3 of 3 samples are right."
    rng = np.random.default_rng(0)
    many = confusion(rng.integers(0, 64, 900), rng.integers(0, 64, 900), 64)
    text = figures.confusion_figure(many, [f"class {i}" for i in range(64)], True).to_json()
    assert text is not None
    assert len(text) < LIMIT


def test_target_histogram_counts_the_node_within_all():
    y = np.arange(100.0)
    figure = figures.target_histogram(y, y < 30, Feature("y"), 14.5)
    everything, node = traces(figure)
    assert (sum(everything.y), sum(node.y)) == (100, 30)
    assert all(a >= b for a, b in zip(everything.y, node.y, strict=True))
    assert figures.histogram_alt(y, y < 30, Feature("y")).startswith("y of 30 samples in this node: from 0 to 29")
    assert "No samples" in figures.histogram_alt(y, y < 0, Feature("y"))


def test_target_histogram_of_equal_values_is_drawn():
    figure = figures.target_histogram(np.full(5, 2.0), np.ones(5, dtype=bool), Feature("y"))
    assert sum(traces(figure)[1].y) == 5


def test_class_bars_show_the_largest_shares_in_the_order_of_the_classes():
    shares, root = np.array([0.1, 0.9, 0.0]), np.array([1, 1, 1]) / 3
    bars, ticks = traces(figures.class_bar(shares, root, SPECIES))
    assert list(bars.x) == [0.1, 0.9, 0.0]
    assert list(bars.text) == ["10 %", "90 %", "0 %"]
    assert list(ticks.x) == pytest.approx([1 / 3] * 3)
    assert figures.class_bar_alt(shares, root, SPECIES).startswith(
        "Class shares: versicolor 90 % (of all samples 33.3 %)"
    )


def test_many_classes_keep_the_twelve_largest():
    shares = np.arange(40.0) / 780
    bars = traces(figures.class_bar(shares, shares, [str(i) for i in range(40)]))[0]
    assert list(bars.x) == pytest.approx(shares[28:])
