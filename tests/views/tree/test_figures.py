"""Figures: what they draw, how large they are, and that no name can become markup."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from espalier.analysis.comparison.scores import confusion
from espalier.data.dataset import Feature
from espalier.views.plotly import safe
from espalier.views.tree import figures

LIMIT = 100_000  # characters of a figure's JSON


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def test_names_cannot_become_markup_or_templates():
    assert safe("<b>a</b> & %{x}\n") == "&lt;b&gt;a&lt;/b&gt; &amp; %\u200b{x} "


MATRIX = np.array([[41, 9, 0], [0, 40, 10], [8, 0, 42]])
SPECIES = ("setosa", "versicolor", "virginica")
TARGET = Feature("species", "category", SPECIES)


def test_confusion_cells_hold_their_counts_in_readable_ink():
    figure = figures.confusion_figure(MATRIX, TARGET)
    heat, words = traces(figure)
    assert list(words.text) == ["41", "9", "40", "10", "8", "42"]
    assert 0 < heat.z[0][0] < 1 < heat.z[1][1] < 2  # right answers: each class has a scale of its own
    assert 3 < heat.z[0][1] < heat.z[1][2] < 4  # errors share the last one
    assert figures.confusion_alt(MATRIX, SPECIES) == (
        "Confusion matrix: 123 of 150 rows are right. "
        "The most frequent error takes versicolor for virginica, 10 times."
    )


def test_confusion_of_a_class_without_samples_and_of_many_classes():
    figures.confusion_figure(np.zeros((3, 3), np.int64), TARGET)
    assert figures.confusion_alt(np.eye(3, dtype=int), SPECIES) == "Confusion matrix: 3 of 3 rows are right."
    rng = np.random.default_rng(0)
    many = confusion(rng.integers(0, 64, 900), rng.integers(0, 64, 900), 64)
    text = figures.confusion_figure(
        many, Feature("y", "category", tuple(f"class {i}" for i in range(64))), True
    ).to_json()
    assert text is not None
    assert len(text) < LIMIT


def test_target_histogram_counts_the_node_within_all():
    y = np.arange(100.0)
    figure = figures.target_histogram(y, y < 30, Feature("y"), 14.5)
    everything, node = traces(figure)
    assert (sum(everything.y), sum(node.y)) == (100, 30)
    assert all(a >= b for a, b in zip(everything.y, node.y, strict=True))
    assert figures.histogram_alt(y, y < 30, Feature("y")).startswith("y of 30 rows in this node: from 0 to 29")
    assert "No rows" in figures.histogram_alt(y, y < 0, Feature("y"))


def test_of_a_tree_of_medians_the_histogram_tells_medians_by_the_weights_of_the_rows():
    y = np.array([1.0, 2.0, 3.0, 100.0])
    told = figures.histogram_alt(y, y < 50, Feature("y", centre="median"))
    assert "median 2; of all 4 rows the median is 2.5." in told
    heavy = figures.histogram_alt(y, y < 50, Feature("y", centre="median"), np.array([9.0, 1, 1, 1]))
    assert "median 1; of all 4 rows the median is 1." in heavy


def test_target_histogram_of_equal_values_is_drawn():
    figure = figures.target_histogram(np.full(5, 2.0), np.ones(5, dtype=bool), Feature("y"))
    assert sum(traces(figure)[1].y) == 5


def test_class_bars_show_the_largest_shares_in_the_order_of_the_classes():
    shares, root = np.array([0.1, 0.9, 0.0]), np.array([1, 1, 1]) / 3
    bars, ticks = traces(figures.class_bar(shares, root, Feature("species", "category", SPECIES)))
    assert list(bars.x) == [0.1, 0.9, 0.0]
    assert list(bars.text) == ["10 %", "90 %", "0 %"]
    assert list(ticks.x) == pytest.approx([1 / 3] * 3)
    assert figures.class_bar_alt(shares, root, Feature("species", "category", SPECIES)).startswith(
        "Class shares: versicolor 90 % (of all rows 33.3 %)"
    )


def test_many_classes_keep_the_twelve_largest():
    shares = np.arange(40.0) / 780
    bars = traces(figures.class_bar(shares, shares, Feature("k", "category", tuple(map(str, range(40))))))[0]
    assert list(bars.x) == pytest.approx(shares[28:])
