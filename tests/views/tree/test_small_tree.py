"""Small drawings of trees: every leaf and question stands in its place, and names cannot break out of them."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import Feature, samples
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier
from espalier.trees import LEAF
from espalier.views.boundaries.plane import ringed
from espalier.views.boundaries.surface import surface
from espalier.views.tree import small_tree as small


def iris_tree(depth):
    data = samples.load("iris")
    return CartClassifier(max_depth=depth).fit(data.X, data.y).tree_, data


def drawn(tree, data, dark=False):
    return ET.fromstring(small.small_tree(tree, data.features, data.target, dark))


def texts(picture):
    return [t.text for t in picture.iter() if t.tag.endswith("text")]


def test_the_questions_and_leaves_of_a_stump_are_written_out():
    tree, data = iris_tree(1)
    asked = f"petal length ≤ {tree.threshold[0]:.4g}" if tree.feature[0] == 2 else "petal width ≤ 0.8"
    assert texts(drawn(tree, data)) == [asked, "setosa", "tie: versi…"]  # and virginica


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


def test_a_lone_root_is_one_bar():
    data = samples.load("iris")
    tree = CartClassifier(max_depth=2).fit(data.X[:50], data.y[:50]).tree_
    value = np.column_stack([tree.value, np.zeros((1, 2))])
    assert texts(drawn(tree._replace(value=value), data)) == ["setosa"]


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
    source = small.small_tree(tree, features, target, True)
    assert "<a&b>" not in source
    found = texts(ET.fromstring(source))
    assert "&" in found
    assert any(text and text.startswith("<a&b>") for text in found)


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (40, "petal length ≤ 2.45"),
        (15, "p. lengt ≤ 2.45"),
        (12, "p. le ≤ 2.45"),
        (11, "p. length"),
        (5, "p. le"),
    ],
)
def test_where_room_is_short_the_name_is_cut_and_a_number_never(most, said):
    features = [Feature("petal length")]
    data = samples.load("iris")
    tree = CartClassifier(max_depth=1).fit(data.X[:, 2:3], data.y).tree_
    assert small.fitting(tree, features, 0, most) == said
    assert len(said) <= most


def test_the_drawing_has_words():
    tree, data = iris_tree(2)
    said = small.alt(tree, data.features, data.target)
    assert said.count("if ") == tree.n_leaves - 1
    assert re.search(r"then \(setosa\)", said)


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


def test_a_module_is_drawn_by_its_first_option():
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=1).fit(data.X, data.y).tree_
    assert re.match(r"p\S* \w+ [≲≤≳>]", texts(drawn(tree, data))[0] or "")
    assert small.alt(tree, data.features, data.target).count("if ") == 1


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
    assert small.squeezed("petal length", 6) == "p. len"
    assert small.squeezed("petal width", 6) == "p. wid"
    assert small.squeezed("worst concave points", 8) == "w.c. poi"
    assert small.squeezed("petal width", 11) == "petal width"
    assert small.squeezed("q60 evenings weigh on me", 9) == "q60 even…"
    assert small.squeezed("perimeter", 6) == "perim…"
