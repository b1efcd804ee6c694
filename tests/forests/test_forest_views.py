"""Forests: agreement, strength and correlation, beside naive loops and as laws; and pictures of every tree."""

import itertools
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from itertools import combinations
from math import nan, sqrt
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display.boundaries.plane import typical
from espalier.display.theme import class_colours
from espalier.forests import agreement_pictures as views
from espalier.forests import growth, surfaces, wall
from espalier.forests import pictures as error_curve
from espalier.forests.agreement import (
    agreement,
    agreement_of,
    likeness_order,
    mean_agreement,
    residual_correlation,
    strength_and_correlation,
    votes,
)
from espalier.forests.growth import Importance
from espalier.forests.pictures import ErrorLine, Votes
from espalier.forests.wall import WallTree, icicle, wall_card
from espalier.inert import short_names
from espalier.learners import CultivatedClassifier, RandomForestClassifier, RandomForestRegressor
from espalier.trees import LEAF, make_forest
from tests.tools.by_hand import tellers, voters
from tests.tools.naive import cart as naive


def elements(source, name):
    return [e for e in ET.fromstring(source).iter() if e.tag.endswith("}" + name)]


def number(element, name):
    return float(element.get(name))


def texts(source):
    return [e.text for e in elements(source, "text")]


# ---- the error against the number of trees


def test_every_forest_has_a_line_and_a_mark_in_ink_and_the_legend_on_top_has_the_last_error():
    first, second = np.array([0.4, 0.2, 0.1]), np.array([np.nan, 0.3])
    lines = [ErrorLine("A <b>", 0, first), ErrorLine("B", 1, second, dashed=True)]
    for dark in (False, True):
        source = error_curve.error_picture(lines, 3, True).draw(dark)
        assert {"A <b> 10 %", "B 30 %"} <= set(texts(source))
        *legend, first, second = [p for p in elements(source, "path") if p.get("stroke-width") == "2"]
        assert [p.get("stroke-dasharray") for p in (*legend, first, second)] == [None, "5 3"] * 2
        inks = {p.get("stroke") for p in (first, second)}
        assert len(inks) == 2
        assert not inks & {colour for colours in class_colours(8).values() for colour in colours}
        assert [p.get("d", "").count("L") for p in (first, second)] == [2, 0]  # unknown: no part
        assert len(elements(source, "circle")) == len(elements(source, "rect")) == 2  # A is round, and B is square
        assert number(elements(source, "circle")[-1], "cy") < error_curve.HEIGHT


def test_a_line_without_trees_is_none_a_long_one_has_some_points_and_a_phone_shows_all_of_it():
    picture = error_curve.error_picture([ErrorLine("A", 0, np.array([np.nan]))], 10, True)
    assert not elements(picture.draw(True), "circle")
    assert picture.alt == "No tree is complete yet."
    line = ErrorLine("A", 0, np.array([np.nan, 0.4, 0.1]))
    assert error_curve.error_picture([line], 3, True).alt == "A: error 40 % at first, 10 % with 3 trees."
    line = ErrorLine("A", 0, np.linspace(0.5, 0.1, 5_000))
    source = error_curve.error_picture([line], 5_000, True).draw(False)
    path = [p for p in elements(source, "path") if p.get("stroke-width")][-1]
    end = elements(source, "circle")[-1]
    assert path.get("d", "").count("L") <= error_curve.MOST_POINTS
    assert path.get("d", "").endswith(f"{end.get('cx')} {end.get('cy')}")
    assert error_curve.WIDTH <= 390


# ---- the wall


def test_a_wall_has_an_icicle_for_each_tree_whose_leaves_have_their_class_and_as_much_room_as_rows():
    data = samples.load("iris")
    forest = RandomForestClassifier(n_estimators=30, random_state=0).fit(data.X, data.y).forest_
    trees = [WallTree(n, tree, data.target, f"tree {n}") for n, tree in enumerate(forest.trees, start=1)]
    card = wall_card(trees, "wall", "7", False)
    assert [bar["id"] for bar in card["bars"]] == [str(n) for n in range(1, 31)]
    assert max(bar["x"] + bar["width"] for bar in card["bars"]) <= card["width"]
    assert max(bar["y"] + bar["height"] for bar in card["bars"]) <= card["height"]
    tree = forest.trees[0]
    colours = ["#000000"] * tree.n_nodes
    leaves = icicle(tree, colours, 0, 0, False)["#000000"].split("M")[1:]
    boxes = [[float(n) for n in re.split("[^0-9.]+", leaf) if n] for leaf in leaves]
    wide = wall.CELL * tree.weight[tree.feature == LEAF] / tree.weight[0]
    assert np.allclose([box[2] for box in boxes], np.maximum(wide[wide >= wall.LEAST] - 0.5, wall.LEAST), atol=0.1)
    assert all(box[1] + box[3] == pytest.approx(wall.TALL - 0.5, abs=0.11) for box in boxes)


# ---- votes


def test_a_strip_has_a_cell_for_each_tree_with_dots_and_lines_and_hundreds_fit_into_the_width():
    data = samples.load("iris")
    said = np.array([[1, 0, 0], [0, 1, 0], [0, 0.6, 0.4], [1, 0, 0]])
    votes = Votes(said, np.array([True, True, True, False]), 0.0, 0.0)
    source = error_curve.votes_picture(votes, data.target).draw(False)
    cells = elements(source, "rect")
    assert len(cells) == 4
    assert cells[0].get("fill") == cells[3].get("fill") != cells[1].get("fill")
    assert cells[2].get("fill") not in {cells[0].get("fill"), cells[1].get("fill")}  # paler: less sure
    assert len(elements(source, "circle")) == 3
    assert len(elements(source, "path")) == 2
    assert error_curve.votes_words(votes, data.target) == "of 4 trees 2 say setosa, 2 say versicolor"
    data = samples.load("iris")
    votes = Votes(np.tile([1.0, 0.0, 0.0], (1_000, 1)), np.zeros(1_000, bool), 0.0, 0.0)
    cells = elements(error_curve.votes_picture(votes, data.target).draw(True), "rect")
    assert len(cells) == 1_000
    assert max(number(c, "x") + number(c, "width") for c in cells) <= error_curve.STRIP_WIDTH
    assert len({(c.get("x"), c.get("y")) for c in cells}) == 1_000


def test_a_number_has_a_dot_for_each_tree_hollow_where_it_saw_the_row_also_where_all_say_the_same():
    data = samples.load("diabetes")
    votes = Votes(np.array([[100.0], [100.0], [150.0]]), np.array([True, False, False]), 120.0, 350 / 3)
    source = error_curve.votes_picture(votes, data.target).draw(False)
    found = elements(source, "circle")
    assert len(found) == 3
    assert len({c.get("fill") for c in found}) == 2
    assert found[0].get("cx") == found[1].get("cx")
    assert number(found[0], "cy") > number(found[1], "cy")  # one on the other
    assert {"forest 117", "truth 120"} <= set(texts(source))
    votes = Votes(np.full((5, 1), 7.0), np.zeros(5, bool), 7.0, 7.0)
    assert (
        len(elements(error_curve.votes_picture(votes, samples.load("diabetes").target).draw(True), "circle")) == 5
    )


# ---- surfaces


def pixels_of(png):
    """Pixels (height, width, 3) of an uncomplicated PNG file."""
    width, height = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", png[start - 8 : start - 4])
    lines = np.frombuffer(zlib.decompress(png[start : start + length]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()  # no line is filtered
    return lines[:, 1:].reshape(height, width, 3)


def test_a_png_holds_the_pixels_it_was_given():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    source = surfaces.png(pixels)
    assert np.array_equal(pixels_of(source), pixels)
    for kind in (b"IHDR", b"IDAT", b"IEND"):
        at = source.index(kind)
        (length,) = struct.unpack(">I", source[at - 4 : at])
        (told,) = struct.unpack(">I", source[at + 4 + length : at + 8 + length])
        assert told == zlib.crc32(source[at : at + 4 + length])


def test_one_tree_has_few_answers_on_the_plane_many_have_many_and_a_single_axis_makes_a_picture_too():
    data = samples.load("moons")
    forest = RandomForestClassifier(n_estimators=40, random_state=0).fit(data.X, data.y).forest_
    plane = surfaces.plane_of(data, (0, 1))
    X = plane.samples(typical(data))
    one, every = growth.first_trees(forest, X, [1, 40])
    assert len(np.unique(one, axis=0)) == 2
    assert len(np.unique(every, axis=0)) > 10
    for answers in (one, every):
        source = surfaces.picture(answers, plane, data, False)
        assert len(elements(source, "image")) == 1
        assert texts(source) == ["x1 →, x2 ↑"]
    data = samples.load("sine")
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(data.X, data.y).forest_
    plane = surfaces.plane_of(data, (0,))
    answers = growth.first_trees(forest, plane.samples(typical(data)), [5])[0]
    assert answers.shape == (surfaces.CELLS[0], 1)
    assert texts(surfaces.picture(answers, plane, data, True)) == ["x →"]
    assert "different answers" in surfaces.alt(answers, data)


def test_places_lie_in_the_middles_of_cells_and_categories_have_one_each_with_its_name():
    data = samples.load("monks-1")
    plane = surfaces.plane_of(data, (0, 4))
    assert plane.cells == (len(data.features[0].categories), len(data.features[4].categories))
    X = plane.samples(typical(data))
    assert np.array_equal(X[: plane.cells[0], 0], np.arange(plane.cells[0]))
    assert (X[:, 1] == typical(data)[1]).all()
    answers = np.tile([0.5, 0.5], (plane.cells[0] * plane.cells[1], 1))
    named = {name[: surfaces.LETTERS] for axis in plane.axes for name in data.features[axis].categories}
    assert named <= set(texts(surfaces.picture(answers, plane, data, False)))


@given(st.lists(st.text("abcdefghij", min_size=1, max_size=12), min_size=2, max_size=64, unique=True))
def test_names_of_many_categories_are_thinned_so_that_no_two_overlap(names):
    data = samples.load("iris")
    features = tuple(Feature(f"place {i}", "category", tuple(names)) for i in range(2))
    plane = surfaces.Plane((0, 1), ((0.0, 1.0),) * 2, (len(names), len(names)))
    drawn = list(surfaces._categories(plane, data._replace(features=features), "light"))
    found = [ET.fromstring(one) for one in drawn]
    along = [(number(one, "x"), len(one.text or "")) for one in found if one.get("text-anchor") == "middle"]
    for (x, n), (other, m) in itertools.pairwise(along):
        assert other - x > 4.5 * (n + m) / 2  # pixels of a letter of this size, on average
    up = [number(one, "y") for one in found if one.get("text-anchor") == "start"]
    assert all(low - high >= 11 for low, high in itertools.pairwise(up))
    assert found[0].text == short_names(names, surfaces.LETTERS)[0]


@pytest.mark.parametrize("sample", ["wine", "breast-cancer", "monks-1"])
def test_a_picture_that_is_shown_small_has_greater_letters_and_whole_names(sample):
    data = samples.load(sample)
    axes = sorted(np.argsort([-len(feature.name) for feature in data.features])[:2].tolist())
    plane = surfaces.plane_of(data, axes)
    answers = np.full((plane.cells[0] * plane.cells[1], len(data.classes)), 1 / len(data.classes))
    source = surfaces.picture(answers, plane, data, False, surfaces.SMALL)
    words = ", ".join(str(one) for one in texts(source))
    assert all(f"{data.features[a].name} {arrow}" in words for a, arrow in zip(axes, "→↑", strict=True))
    sizes = [number(one, "font-size") for one in elements(source, "text")]
    assert min(sizes) * 174 / surfaces.WIDTH >= 10  # five beside each other in a window of 1280 pixels
    lowest = max(number(one, "y") for one in elements(source, "text"))
    assert lowest + surfaces.GAP <= float(ET.fromstring(source).attrib["viewBox"].split()[3])


def test_the_legend_has_the_colour_of_every_class_in_several_lines_if_need_be_and_the_ends_of_a_number():
    iris, diabetes = samples.load("iris"), samples.load("diabetes")
    source = surfaces.legend(iris, False)
    assert texts(source) == list(iris.classes)
    squares = [e.get("fill") for e in elements(source, "rect")]
    assert squares == class_colours(3)["light"]
    assert texts(surfaces.legend(diabetes, True)) == ["25", "346"]
    many = samples.load("iris")
    names = tuple(f"a class with the name {i} and more of it" for i in range(9))
    source = surfaces.legend(many._replace(target=many.target._replace(categories=names)), False)
    heights = {e.get("y") for e in elements(source, "text")}
    assert len(heights) > 3
    assert max(number(e, "y") for e in elements(source, "text")) < float(ET.fromstring(source).get("height", "0"))
    assert all(len(text or "") <= surfaces.MOST_LETTERS for text in texts(source))
    names = tuple("abcdefghijklmnopqrstuvwxyz")
    for most in range(1, 26):
        source = surfaces.legend(many._replace(target=many.target._replace(categories=names)), False, most)
        *_, before, more = elements(source, "text")
        end = number(before, "x") + 17 + surfaces.LETTER * len(f"aand {26 - most} more")
        assert (number(more, "y") > number(before, "y")) == (end > surfaces.LEGEND)


# ---- the film


def test_the_lines_of_a_film_end_as_the_picture_that_stands_still_and_every_frame_of_a_surface_is_a_picture():
    lines = [
        ErrorLine("A", 0, np.array([np.nan, 0.3, 0.2, 0.1])),
        ErrorLine("B", 1, np.array([0.4, 0.3, 0.3, 0.2])),
    ]
    film = error_curve.reel(lines, [1, 2, 4], True, False)
    assert all(late.startswith(early) for early, late in itertools.pairwise(f[1] for f in film.frames))
    still = elements(error_curve.error_picture(lines, 4, True).draw(False), "path")
    assert film.frames[-1] == [p.get("d") for p in still if p.get("stroke-width") == "2"][-2:]
    assert "{" not in film.frame(2)
    data = samples.load("moons")
    plane = surfaces.plane_of(data, (0, 1), (8, 6))
    answers = [np.full((48, 2), 0.5), np.tile([1.0, 0.0], (48, 1))]
    film = surfaces.reel(answers, plane, data, False)
    assert [film.frame(i) for i in (0, 1)] == [surfaces.picture(one, plane, data, False) for one in answers]


MATRIX = np.array([[1, 0.2, 0.9, 0.1], [0.2, 1, 0.1, 0.8], [0.9, 0.1, 1, 0.25], [0.1, 0.8, 0.25, 1]])
RISES = np.array([0.02, 0.1, -0.01]) + np.outer([-1, 0, 0, 0, 1], [0.01, 0.05, 0.01])  # of five trees
WORTH = Importance(np.array([0.02, 0.1, -0.01]), np.array([0.01, 0.05, 0.01]), RISES)


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def matrix_of(n):
    votes = np.random.default_rng(0).random((n, 50)) < 0.5
    return (votes[:, None] == votes).mean(axis=2)


def test_every_cell_shows_the_agreement_of_the_trees_that_it_names():
    heat = traces(views.agreement_picture(MATRIX, (0.5, 1.0)).draw(False))[0]
    assert (heat.zmin, heat.zmax) == (0.5, 1.0)
    trees = [int(name.removeprefix("tree ")) for name in heat.x]
    assert sorted(trees) == [1, 2, 3, 4]
    assert list(heat.y) == list(heat.x)
    for i, row in enumerate(heat.z):
        for j, value in enumerate(row):
            assert value is None if i == j else value == MATRIX[trees[i] - 1, trees[j] - 1]


def test_trees_that_agree_stand_side_by_side_and_words_say_so_also_where_only_some_are_shown():
    trees = list(traces(views.agreement_picture(MATRIX).draw(False))[0].x)
    assert {frozenset(trees[:2]), frozenset(trees[2:])} == {
        frozenset({"tree 1", "tree 3"}), frozenset({"tree 2", "tree 4"})
    }  # fmt: skip
    assert views.agreement_picture(MATRIX).alt == (
        "Two of the 4 trees vote alike on 39.2 % of the rows on average, trees 1 and 4 on 10 %, the fewest, and "
        "trees 1 and 3 on 90 %, the most."
    )
    assert "single tree" in views.agreement_picture(np.ones((1, 1))).alt
    many = views.agreement_picture(matrix_of(400))
    assert len(many.draw(False).to_json()) < 400_000
    assert "shows 134 of the trees" in many.alt
    assert "shows" not in views.agreement_picture(matrix_of(150)).alt


def test_bars_stand_in_the_order_of_their_features_worth_with_standard_errors_of_many_the_first():
    figure: Any = views.importance_picture(WORTH, ["a", "<b>", "c"], True).draw(False)
    bars = traces(figure)[0]
    assert list(bars.x) == [0.1, 0.02, -0.01]
    assert list(bars.error_x.array) == pytest.approx(RISES[:, [1, 0, 2]].std(axis=0, ddof=1) / np.sqrt(5))
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;", "a", "c"]
    assert bars.hovertext[0].startswith("&lt;b&gt;: shuffled, the error rises by 10 pts ± ")
    assert bars.hovertext[0].endswith("(standard error); over the trees it varies by 5 pts")
    many = Importance(np.arange(90.0), np.ones(90), np.zeros((2, 90)))
    bars = traces(views.importance_picture(many, [f"f{i}" for i in range(90)], False).draw(False))[0]
    assert list(bars.x) == list(range(89, 69, -1))
    words = views.importance_picture(many, [f"f{i}" for i in range(90)], False).alt
    assert words.startswith("Shuffling a column raises the error: f89 89, f88 88, f87 87, f86 86, f85 85.")
    assert words.endswith(" 1 of 90 columns do not raise it.")


@pytest.mark.parametrize("dark", [True, False])
def test_pictures_are_drawn_in_the_ink_of_the_page(dark):
    ink = "#FAFAFA" if dark else "#31333F"
    figures: list[Any] = [
        views.agreement_picture(MATRIX).draw(dark),
        views.importance_picture(WORTH, "abc", True).draw(dark),
    ]
    for figure in figures:
        assert figure.layout.font.color == ink
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


untimed = settings(deadline=None, max_examples=60)

HAND = [[0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 1, 0]]  # three trees, four samples
TRUTH = np.array([0, 0, 1, 1])


@st.composite
def elections(draw):
    """Votes (n_trees, n_samples), the truth, weights of the trees, the number of classes, and who was in bag."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_trees, n, n_classes = draw(st.integers(2, 7)), draw(st.integers(1, 30)), draw(st.integers(2, 4))
    truth = rng.integers(0, n_classes, n)
    right = rng.random((n_trees, n)) < draw(st.sampled_from([0.3, 0.6, 0.9]))
    cast = np.where(right, truth, rng.integers(0, n_classes, (n_trees, n)))
    weight = rng.uniform(0.5, 2, n_trees) if draw(st.booleans()) else np.ones(n_trees)
    in_bag = rng.integers(0, 2, (n_trees, n)).astype(np.uint8)
    in_bag[0, 0] = 0
    return cast, truth, weight / weight.sum(), n_classes, in_bag


# ---- by hand


def test_agreement_strength_correlation_and_residuals_by_hand_out_of_bag_by_the_trees_that_did_not_see_a_sample():
    forest, X = voters(HAND)
    assert votes(forest, X).tolist() == HAND
    matrix = agreement(forest, X)
    assert matrix.tolist() == [[1, 0.75, 0.5], [0.75, 1, 0.25], [0.5, 0.25, 1]]
    assert mean_agreement(matrix) == 0.5
    found = strength_and_correlation(*voters(HAND), TRUTH)
    assert found.margin == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3])
    assert found.strength == pytest.approx(0.5)
    sd = (0 + sqrt(0.75) + 1) / 3  # raw margins: always 1; 1, -1, 1, 1; -1, 1, 1, -1
    assert found.correlation == pytest.approx((1 / 12) / sd**2)
    assert found.bound == pytest.approx(3 * found.correlation)
    assert found.error == 0
    in_bag = np.array([[0, 1, 1, 1], [1, 0, 1, 2], [0, 1, 1, 0]])
    found = strength_and_correlation(*voters(HAND), TRUTH, in_bag)
    assert found.margin == pytest.approx([0, -1, nan, -1], nan_ok=True)
    assert found.strength == pytest.approx(-2 / 3)
    assert found.error == pytest.approx(2 / 3)
    assert np.isnan(found.bound), "the theorem is about forests that are more often right than wrong"
    found = residual_correlation(*tellers([[1, 2], [3, 2]]), np.array([2.0, 1.0]))
    # residuals: 1, -1 and -1, -1
    assert found.tree_error == 1
    assert found.error == pytest.approx((0 + 1) / 2)
    assert found.correlation == pytest.approx((1 * -1 + -1 * -1) / 2)
    assert found.fall.of(np.array([1, 2])) == pytest.approx([1, 0.5])


# ---- naive loops


def naive_strength(cast, truth, weight, n_classes, in_bag):
    """Breiman (2001), appendix II, a sum at a time; with the minus that his formula of sd wants."""
    margins, rivals = {}, {}
    for i, right in enumerate(truth):
        unseen = [t for t in range(len(cast)) if not in_bag[t, i]]
        if not unseen:
            continue
        q = [sum(weight[t] for t in unseen if cast[t, i] == j) / sum(weight[t] for t in unseen)
             for j in range(n_classes)]  # fmt: skip
        others = [j for j in range(n_classes) if j != right]
        rivals[i] = max(others, key=lambda j, q=q: q[j])
        margins[i] = q[right] - q[rivals[i]]
    s = np.mean(list(margins.values()))
    sds, weights = [], []
    for t in range(len(cast)):
        rows = [i for i in range(len(truth)) if not in_bag[t, i]]
        if rows:
            p1 = np.mean([cast[t, i] == truth[i] for i in rows])
            p2 = np.mean([cast[t, i] == rivals[i] for i in rows])
            sds.append(sqrt(max(p1 + p2 - (p1 - p2) ** 2, 0)))
            weights.append(weight[t])
    return margins, s, np.var(list(margins.values())), np.average(sds, weights=weights)


@untimed
@given(elections(), st.booleans())
def test_strength_and_correlation_are_those_of_the_naive_loops(election, out_of_bag):
    cast, truth, weight, n_classes, in_bag = election
    forest, X = voters(cast, n_classes, weight)
    found = strength_and_correlation(forest, X, truth, in_bag if out_of_bag else None)
    bag = in_bag if out_of_bag else np.zeros_like(in_bag)
    margins, s, variance, sd = naive_strength(cast, truth, weight, n_classes, bag)
    expected = [margins.get(i, nan) for i in range(len(truth))]
    assert found.margin == pytest.approx(expected, nan_ok=True, abs=1e-12)
    assert found.strength == pytest.approx(s, abs=1e-12)
    if sd > 1e-6:
        assert found.correlation == pytest.approx(variance / sd**2, abs=1e-9)
    else:
        assert np.isnan(found.correlation)


@untimed
@given(elections())
def test_agreement_is_that_of_the_naive_loops(election):
    cast = election[0]
    expected = [[np.mean([a == b for a, b in zip(x, y, strict=True)]) for x in cast] for y in cast]
    np.testing.assert_allclose(agreement_of(cast), expected, atol=1e-15)


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_residual_moments_are_those_of_the_naive_loops(out_of_bag):
    rng = np.random.default_rng(0)
    said, y = rng.normal(size=(4, 40)), rng.normal(size=40)
    in_bag = rng.integers(0, 2, (4, 40)) * out_of_bag
    found = residual_correlation(*tellers(said), y, in_bag if out_of_bag else None)
    off, free = y - said, in_bag == 0
    moment = {
        (a, b): np.mean([off[a, i] * off[b, i] for i in range(40) if free[a, i] and free[b, i]])
        for a in range(4) for b in range(4)
    }  # fmt: skip
    own = [moment[a, a] for a in range(4)]
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    together = np.mean([moment[pair] for pair in pairs])
    assert found.tree_error == pytest.approx(np.mean(own))
    assert found.fall.floor == pytest.approx(together)
    assert found.correlation == pytest.approx(together / np.mean([sqrt(own[a] * own[b]) for a, b in pairs]))
    mean = [off[free[:, i], i].mean() for i in range(40) if free[:, i].any()]
    assert found.error == pytest.approx(np.mean(np.square(mean)))


# ---- laws


@untimed
@given(elections())
def test_the_formula_is_the_variance_of_the_mean_of_every_few_trees_on_average(election):
    cast, truth, _, n_classes, _ = election
    found = strength_and_correlation(*voters(cast, n_classes), truth)
    rival = [naive_strength(cast, truth, np.full(len(cast), 1 / len(cast)), n_classes, np.zeros_like(cast))]
    assert rival[0][1] == pytest.approx(found.strength)
    raw = _raw_margins(cast, truth, n_classes)
    for size in range(1, len(cast) + 1):
        spread = np.mean([raw[list(few)].mean(axis=0).var() for few in combinations(range(len(cast)), size)])
        assert found.fall.of(size) == pytest.approx(spread, abs=1e-9)


def _raw_margins(cast, truth, n_classes):
    raw = np.zeros(cast.shape)
    for i, right in enumerate(truth):
        counts = [np.sum(cast[:, i] == j) if j != right else -1 for j in range(n_classes)]
        raw[:, i] = (cast[:, i] == right) * 1.0 - (cast[:, i] == int(np.argmax(counts)))
    return raw


def test_a_large_forest_of_numbers_is_no_worse_than_its_bound_and_trees_that_agree_stand_side_by_side():
    data = samples.load("diabetes")
    forest = RandomForestRegressor(n_estimators=40, random_state=0, n_jobs=2).fit(data.X, data.y)
    found = residual_correlation(forest.forest_, data.X, data.y, forest.in_bag())
    assert 0 < found.correlation < 1
    assert found.fall.floor <= found.bound + 1e-9
    assert found.fall.floor < found.error < found.tree_error
    matrix = np.array([[1, 0.2, 0.9, 0.1], [0.2, 1, 0.1, 0.8], [0.9, 0.1, 1, 0.2], [0.1, 0.8, 0.2, 1]])
    order = likeness_order(matrix).tolist()
    assert sorted(order) == [0, 1, 2, 3]
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    assert likeness_order(np.ones((1, 1))).tolist() == [0]


# ---- real forests


def test_the_votes_of_real_trees_are_their_greatest_shares():
    data = samples.load("wine")
    forest = RandomForestClassifier(n_estimators=5, max_depth=2, random_state=0).fit(data.X, data.y).forest_
    grown = [CultivatedClassifier(max_depth=2, max_features=5, random_state=s).fit(data.X, data.y) for s in (0, 1)]
    soft = make_forest([model.tree_ for model in grown], np.ones(2), "mean", forest.prior)
    assert np.array_equal(votes(soft, data.X), [model.predict(data.X) for model in grown])
    cast = votes(forest, data.X, n_jobs=2)
    assert cast.dtype == np.int64
    for tree, own in zip(forest.trees, cast, strict=True):
        for leaf, rows in enumerate(naive.rows_by_node(tree, data.X)):
            if tree.feature[leaf] < 0:
                assert (own[rows] == tree.value[leaf].argmax()).all()


# ---- what cannot be


def test_what_has_no_answer_is_refused():
    numbers, X = tellers([[1, 2], [3, 4]])
    classes, Z = voters(HAND)
    with pytest.raises(ValueError, match="predict numbers and have no votes"):
        votes(numbers, X)
    with pytest.raises(ValueError, match="vote for classes"):
        residual_correlation(classes, Z, TRUTH)
    with pytest.raises(ValueError, match="no rows"):
        agreement(classes, Z[:0])
    with pytest.raises(ValueError, match="every tree saw every sample"):
        strength_and_correlation(classes, Z, TRUTH, np.ones((3, 4)))
    with pytest.raises(ValueError, match="every tree saw every sample"):
        residual_correlation(numbers, X, np.zeros(2), np.ones((2, 2)))
