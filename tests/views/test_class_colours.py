"""Colours follow the names of classes, in whatever order these stand, and whichever of them are there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.class_choice import ClassChoice, with_classes
from espalier.data.rows.filters import filter_of
from espalier.data.rows.subset import subset
from espalier.data.samples.painted import TARGET, painted
from espalier.learners import CartClassifier
from espalier.views.forests import surfaces
from espalier.views.theme import colours_of
from espalier.views.tree import graphviz
from espalier.views.tree.cards import coloured


@given(st.permutations(range(3)))
def test_colours_follow_the_names_of_classes(order):
    iris = samples.load("iris")
    again = with_classes(iris, ClassChoice(tuple(order)))
    by_name = {card["name"]: card for card in coloured(iris.target)}
    assert {card["name"]: card for card in coloured(again.target)} == by_name
    assert again.target.categories == tuple(card["name"] for card in coloured(again.target))


def test_a_colour_stays_when_other_classes_are_left_out():
    whole = samples.load("wine").target
    marks = whole.marks._replace(colours=(2, 0))
    part = whole._replace(categories=(whole.categories[2], whole.categories[0]), marks=marks)
    assert colours_of(part)["dark"] == [colours_of(whole)["dark"][2], colours_of(whole)["dark"][0]]


def test_the_drawn_tree_has_the_same_colours_in_any_order_of_classes():
    iris = samples.load("iris")
    again = with_classes(iris, ClassChoice((2, 0, 1)))
    drawn = []
    for data in (iris, again):
        tree = CartClassifier(max_depth=2, random_state=0).fit(data.X, data.y).tree_
        fills = np.array([graphviz.fills(tree, data.target, theme) for theme in ("light", "dark")])
        drawn.append(fills[:, tree.left < 0].tolist())  # inner nodes of iris have equally many of two classes
    assert drawn[0] == drawn[1]


def test_the_legend_of_surfaces_has_the_classes_in_order_each_in_its_colour():
    again = with_classes(samples.load("iris"), ClassChoice((1, 2, 0)))
    legend, palette = surfaces.legend(again, dark=False), colours_of(samples.load("iris").target)["light"]
    places = [legend.index(palette[k]) for k in (1, 2, 0)]
    assert places == sorted(places)


def test_drawn_points_keep_the_colours_that_they_have_on_the_plane():
    of_plane = {card["name"]: card for card in coloured(TARGET)}
    table = painted("x", [(1, 1, 1), (2, 2, 3)]).dataset
    assert coloured(table.target) == [of_plane["B"], of_plane["D"]]


def test_colours_and_the_class_that_counts_stay_when_a_filter_leaves_a_class_no_row():
    iris = with_classes(samples.load("iris"), ClassChoice((2, 0, 1), 1))
    part = subset(iris, filter_of("petal length~gt~2"))
    assert set(np.array(part.classes)[part.y].tolist()) == {"versicolor", "virginica"}
    assert coloured(part.target) == coloured(iris.target)
    assert part.target.marks == iris.target.marks


def test_a_number_has_the_first_colour():
    assert len(colours_of(samples.load("sine").target)["light"]) == 1
    assert coloured(samples.load("sine").target) == []
