"""Figures of a tree and its curves: what they draw, how large they are, and that no name can become markup."""

from __future__ import annotations

import itertools
import json
import math
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
from espalier.data.dataset import Feature, make_dataset
from espalier.display import ink
from espalier.display.boundaries.plane import ringed
from espalier.display.boundaries.surface import surface
from espalier.display.plotly import safe
from espalier.display.text.trees import curve_condition
from espalier.display.theme import colours_of
from espalier.display.tree import figures
from espalier.display.tree import impurity_curve as views
from espalier.display.tree import small_tree as small
from espalier.display.tree.error_curve import SizeCurve, card, error_picture, error_table, rule_words
from espalier.display.tree.graphviz import drawing, to_dot
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.predict import fractions_in
from espalier.reports.paper import on_any_screen
from espalier.tree.modules import Habits, module
from espalier.tree.nodes import category_curve, cut_of, impurity_curve, impurity_curves, rows_in
from espalier.tree.pruning import SubtreeErrors
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


FEW_CHARACTERS = 30_000  # characters


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
        assert len(text) < FEW_CHARACTERS
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
        assert len(text) < FEW_CHARACTERS
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
