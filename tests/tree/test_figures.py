"""Figures: what they draw, how large they are, and that no name can become markup."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.comparison.scores import confusion
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.boundaries.plane import ringed
from espalier.display.boundaries.surface import surface
from espalier.display.plotly import safe
from espalier.display.tree import figures
from espalier.display.tree import small_tree as small
from espalier.display.tree.graphviz import drawing, to_dot
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier
from espalier.trees import LEAF
from tests.display.test_class_colours import contrast, luminance
from tests.tools import random_trees

LIMIT = 100_000  # characters of a figure's JSON


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def test_names_cannot_become_markup_or_templates():
    assert safe("<b>a</b> & %{x}\n") == "&lt;b&gt;a&lt;/b&gt; &amp; %\u200b{x} "


MATRIX = np.array([[41, 9, 0], [0, 40, 10], [8, 0, 42]])
SPECIES = ("setosa", "versicolor", "virginica")
TARGET = Feature("species", "category", SPECIES)


def test_confusion_cells_hold_their_counts_in_readable_ink_also_of_classes_without_samples_and_of_many():
    picture = figures.confusion_picture(MATRIX, TARGET)
    heat, words = traces(picture.draw(False))
    assert list(words.text) == ["41", "9", "40", "10", "8", "42"]
    assert 0 < heat.z[0][0] < 1 < heat.z[1][1] < 2  # right answers: each class has a scale of its own
    assert 3 < heat.z[0][1] < heat.z[1][2] < 4  # errors share the last one
    assert picture.alt == (
        "Confusion matrix: 123 of 150 rows are right. "
        "The most frequent error takes versicolor for virginica, 10 times."
    )
    figures.confusion_picture(np.zeros((3, 3), np.int64), TARGET).draw(False)
    right = figures.confusion_picture(np.eye(3, dtype=int), TARGET)
    assert right.alt == "Confusion matrix: 3 of 3 rows are right."
    rng = np.random.default_rng(0)
    many = confusion(rng.integers(0, 64, 900), rng.integers(0, 64, 900), 64)
    target = Feature("y", "category", tuple(f"class {i}" for i in range(64)))
    text = figures.confusion_picture(many, target).draw(True).to_json()
    assert len(text) < LIMIT


def test_target_histogram_counts_the_node_within_all_tells_medians_by_weight_and_draws_equal_values():
    y = np.arange(100.0)
    picture = figures.target_histogram(y, y < 30, Feature("y"), 14.5)
    everything, node = traces(picture.draw(False))
    assert (sum(everything.y), sum(node.y)) == (100, 30)
    assert all(a >= b for a, b in zip(everything.y, node.y, strict=True))
    assert picture.alt.startswith("y of 30 rows in this node: from 0 to 29")
    assert "No rows" in figures.target_histogram(y, y < 0, Feature("y")).alt
    y = np.array([1.0, 2.0, 3.0, 100.0])
    told = figures.target_histogram(y, y < 50, Feature("y", centre="median")).alt
    assert "median 2; of all 4 rows the median is 2.5." in told
    heavy = figures.target_histogram(y, y < 50, Feature("y", centre="median"), weight=np.array([9.0, 1, 1, 1])).alt
    assert "median 1; of all 4 rows the median is 1." in heavy
    figure = figures.target_histogram(np.full(5, 2.0), np.ones(5, dtype=bool), Feature("y")).draw(False)
    assert sum(traces(figure)[1].y) == 5


def test_class_bars_show_the_twelve_largest_shares_in_the_order_of_the_classes():
    shares, root = np.array([0.1, 0.9, 0.0]), np.array([1, 1, 1]) / 3
    picture = figures.class_bars(shares, root, Feature("species", "category", SPECIES))
    bars, ticks = traces(picture.draw(False))
    assert list(bars.x) == [0.1, 0.9, 0.0]
    assert list(bars.text) == ["10 %", "90 %", "0 %"]
    assert list(ticks.x) == pytest.approx([1 / 3] * 3)
    assert picture.alt.startswith("Class shares: versicolor 90 % (of all rows 33.3 %)")
    shares = np.arange(40.0) / 780
    picture = figures.class_bars(shares, shares, Feature("k", "category", tuple(map(str, range(40)))))
    bars = traces(picture.draw(False))[0]
    assert list(bars.x) == pytest.approx(shares[28:])


def iris_tree(depth):
    data = samples.load("iris")
    return CartClassifier(max_depth=depth).fit(data.X, data.y).tree_, data


def drawn(tree, data, dark=False):
    return ET.fromstring(small.tree_picture(tree, data.features, data.target).draw(dark))


def texts(picture):
    return [t.text for t in picture.iter() if t.tag.endswith("text")]


def test_the_questions_and_leaves_of_a_stump_a_lone_root_and_a_module_are_written_out_and_said():
    tree, data = iris_tree(1)
    asked = f"petal length ≤ {tree.threshold[0]:.4g}" if tree.feature[0] == 2 else "petal width ≤ 0.8"
    assert texts(drawn(tree, data)) == [asked, "setosa", "tie"]  # of versicolor and virginica
    data = samples.load("iris")
    tree = CartClassifier(max_depth=2).fit(data.X[:50], data.y[:50]).tree_
    value = np.column_stack([tree.value, np.zeros((1, 2))])
    assert texts(drawn(tree._replace(value=value), data)) == ["setosa"]
    tree, data = iris_tree(2)
    said = small.alt(tree, data.features, data.target)
    assert said.count("if ") == tree.n_leaves - 1
    assert re.search(r"then \(setosa\)", said)
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=1).fit(data.X, data.y).tree_
    assert re.match(r"p\S* \w+ [≲≤≳>]", texts(drawn(tree, data))[0] or "")
    assert small.alt(tree, data.features, data.target).count("if ") == 1


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 6])
def test_there_is_a_bar_for_every_leaf_and_none_overlap(depth):
    tree, data = iris_tree(depth)
    picture = drawn(tree, data)
    bars = [r for r in picture.iter() if r.tag.endswith("rect")]
    tops = np.array([float(r.get("y", "")) for r in bars])
    height = float(bars[0].get("height", ""))
    assert len(bars) == tree.n_leaves
    assert (np.diff(tops) >= height).all()
    assert max(tops) + height <= float(picture.get("height", ""))
    assert max(float(r.get("x", "")) + small.LEAF_WIDTH for r in bars) <= float(picture.get("width", "")) + 0.1


def test_a_split_stands_between_its_children_and_left_of_them():
    tree, _ = iris_tree(4)
    plan = small.plan_of(tree)
    for node in np.flatnonzero(tree.feature != LEAF):
        left, right = tree.left[node], tree.right[node]
        assert plan.y[left] < plan.y[node] < plan.y[right]  # yes goes up
        assert plan.x[node] + plan.column == pytest.approx(plan.x[left])


def test_of_a_tree_of_very_many_leaves_only_the_upper_questions_are_written():
    data = samples.load("tic-tac-toe")
    tree = CartClassifier().fit(data.X, data.y).tree_
    picture = drawn(tree, data)
    assert tree.n_leaves > small.MOST_HEIGHT / small.LEAST_BAR
    assert 0 < len(texts(picture)) < tree.n_leaves
    assert not set(texts(picture)) & set(data.classes)
    assert sum(r.tag.endswith("rect") for r in picture.iter()) == tree.n_leaves


def test_names_from_the_data_stay_text():
    tree, data = iris_tree(2)
    evil = "<a&b>" * 3
    features = [feature._replace(name=evil) for feature in data.features]
    target = data.target._replace(categories=("<x>", "&", '"'))
    source = small.tree_picture(tree, features, target).draw(True)
    assert "<a&b>" not in source
    found = texts(ET.fromstring(source))
    assert "&" in found
    assert any(text and text.startswith("<a&b>") for text in found)


@pytest.mark.parametrize(
    ("most", "said"),
    [(40, "petal length ≤ 2.45"), (15, "p. lengt ≤ 2.45"), (12, "p. le ≤ 2.45"), (11, "p. length"), (5, "p. le")],
)
def test_where_room_is_short_the_name_is_cut_and_a_number_never(most, said):
    features = [Feature("petal length")]
    data = samples.load("iris")
    tree = CartClassifier(max_depth=1).fit(data.X[:, 2:3], data.y).tree_
    assert small.fitting(tree, features, 0, most) == said
    assert len(said) <= most


def test_the_leaves_of_a_tree_of_numbers_have_their_numbers_and_the_greatest_the_deepest_colour():
    data = samples.load("diabetes")
    tree = CartRegressor(max_depth=2).fit(data.X, data.y).tree_
    picture = drawn(tree, data)
    said = [float(text or "") for text in texts(picture)[-tree.n_leaves :]]
    leaves = tree.value[tree.feature == LEAF, 0]
    assert np.allclose(said, leaves, rtol=0.01)
    fills = [r.get("fill", "") for r in picture.iter() if r.tag.endswith("rect")]
    light = [sum(int(fill[i : i + 2], 16) for i in (1, 3, 5)) for fill in fills]
    assert np.argsort(light).tolist() == np.argsort(-leaves).tolist()


def test_rings_stand_around_the_rows_asked_for_and_the_surface_itself_stays():
    tree, data = iris_tree(2)
    whole = surface(tree, data, (2, 3))
    rows = np.zeros(150, dtype=bool)
    rows[[3, 77]] = True
    marked = ringed(whole, rows, "why")
    points = marked["points"]
    assert [row for row, flag in zip(points["row"], points["ringed"], strict=True) if flag] == [3, 77]
    assert points["why"] == "why"
    assert "ringed" not in whole["points"]
    assert {**marked, "points": whole["points"]} == whole


def test_names_that_begin_alike_are_told_apart_by_their_last_word():
    assert small.squeeze("petal length", 6) == "p. len"
    assert small.squeeze("petal width", 6) == "p. wid"
    assert small.squeeze("worst concave points", 8) == "w.c. poi"
    assert small.squeeze("petal width", 11) == "petal width"
    assert small.squeeze("q60 evenings weigh on me", 9) == "q60 even…"
    assert small.squeeze("perimeter", 6) == "perim…"


NODE = re.compile(r"^\tn(\d+) \[", re.MULTILINE)
EDGE = re.compile(r"^\tn(\d+) -> n(\d+) ", re.MULTILINE)
needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="the program dot of Graphviz is not installed")


def iris(**options):
    data = samples.load("iris")
    return CartClassifier(**options).fit(data.X, data.y).tree_, data.features, data.target


def parsed(source: str) -> str:
    done = subprocess.run(["dot", "-Tplain"], input=source.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_every_node_and_edge_is_drawn_down_to_the_depth_asked_for_with_condition_answer_and_size():
    tree, features, target = iris()
    source = to_dot(tree, features, target)
    assert [int(n) for n in NODE.findall(source)] == list(range(tree.n_nodes))
    expected = {(n, int(c)) for n in range(tree.n_nodes) for c in (tree.left[n], tree.right[n]) if c >= 0}
    assert {(int(a), int(b)) for a, b in EDGE.findall(source)} == expected
    source = to_dot(*iris(max_depth=1))
    assert r"petal width ≤ 0.8\nsetosa, 33.3 %\nn = 150  (100 %)" in source or "petal length ≤ 2.45" in source
    assert r"setosa, 100 %\nn = 50  (33.3 %)" in source
    tree, features, target = iris()
    source = drawing(tree, features, target, max_depth=1).source
    assert len(NODE.findall(source)) == 3
    assert f"… {tree.n_nodes - 3} more nodes" in source
    assert len(NODE.findall(drawing(tree, features, target, max_depth=0).source)) == 1


def test_themes_differ_and_text_can_be_read_on_every_fill():
    tree, features, target = iris()
    light, dark = (drawing(tree, features, target, dark).source for dark in (False, True))
    assert light != dark
    for source in (light, dark):
        fills = re.findall(r'fillcolor="(#\w+)" fontcolor="(#\w+)"', source)
        assert len(fills) == tree.n_nodes
        assert all(contrast(*pair) >= 4.5 for pair in fills)


def test_purer_nodes_are_deeper_in_colour_and_mixing_reaches_both_ends():
    data = samples.load("diabetes")
    tree = CartRegressor(max_depth=2).fit(data.X, data.y).tree_
    source = to_dot(tree, data.features, data.target)
    fills = re.findall(r'fillcolor="(#\w+)"', source)
    order = np.argsort(tree.value[:, 0])
    assert luminance(fills[order[-1]]) < luminance(fills[order[0]])
    assert ink.mix("#0072B2", "#FFFFFF", 1) == "#0072B2"
    assert ink.mix("#0072B2", "#FFFFFF", 0) == "#FFFFFF"


@needs_dot
@pytest.mark.parametrize("name", ["<b>bold</b>", 'say "hi"', "a\\nb", "back\\", "<", "a|b{c}", "&amp;", "\\N"])
def test_graphviz_writes_names_letter_by_letter(name):
    tree, features, _ = iris(max_depth=1)
    target = Feature("y", "category", (name, "b", "c"))
    done = subprocess.run(
        ["dot", "-Tsvg"],
        input=to_dot(tree, features, target).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    drawn = done.stdout.decode()
    for plain, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        name = name.replace(plain, escaped)
    assert f">{name}, 100 %<" in drawn.replace("&#45;", "-").replace("&#160;", " ")


@needs_dot
@settings(deadline=None, max_examples=12)
@given(random_trees.features().flatmap(lambda f: st.tuples(st.just(f), random_trees.trees(f, Feature("y")))))
def test_graphviz_reads_any_tree(case):
    features, tree = case
    plain = parsed(to_dot(tree, features, Feature("y")))
    assert plain.count("\nnode ") == tree.n_nodes
