"""The decision surface's boxes and points: by hand, and against the tree itself at random places."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature, make_dataset
from espalier.display.boundaries import plane
from espalier.display.boundaries.plane import ends_of, mark, typical
from espalier.display.boundaries.surface import boxes_of, surface
from espalier.display.tree.small_tree import PLANE_HEIGHT, PLANE_MARGINS, PLANE_WIDTH, plane_picture
from espalier.kernels.route import leaf_of
from espalier.practice.exercises import PlaneSplit
from espalier.practice.exercises import tree_of as tree_of_plane
from tests.tools.by_hand import lone_leaf, stump, tree_of

NO = np.nan
COLOUR = Feature("colour", "category", ("red", "green", "blue", "white"))
LEVEL = Feature("level", "ordered", ("low", "middle", "high"))
FEATURES = (Feature("x"), COLOUR, LEVEL, Feature("z"))
YES = [0.25, 0.75]


def random_tree(rng, size, features=FEATURES):
    """Tree in preorder over the features: thresholds on all but categories without order, which split as sets."""
    feature, threshold, categories = [], [], []

    def add(budget):
        node = len(feature)
        for column, empty in ((feature, -1), (threshold, NO), (categories, 0)):
            column.append(empty)
        if budget > 0:
            f = feature[node] = int(rng.integers(len(features)))
            if features[f].kind == "category":
                categories[node] = int(rng.integers(1, 15))
            else:
                threshold[node] = float(rng.integers(0, 2) + 0.5 if features[f].categories else rng.normal())
            add((budget - 1) // 2)
            add(budget - 1 - (budget - 1) // 2)

    add(size)
    missing_left = rng.integers(0, 2, len(feature)) * (np.array(feature) >= 0)
    return tree_of(feature, threshold, [YES] * len(feature), categories, missing_left)


def data_of(rng, n=40, classes=("no", "yes")):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 3, n), rng.normal(size=n)])
    target = Feature("y", "category", classes) if classes else Feature("y")
    y = rng.integers(0, len(classes), n) if classes else rng.normal(size=n)
    return make_dataset("random", X, FEATURES, y, target)


def test_the_boxes_of_trees_typed_by_hand_of_sets_of_categories_and_of_features_that_are_held():
    tree = tree_of([0, -1, 3, -1, -1], [1.0, NO, 2, NO, NO], [YES] * 5)
    boxes = boxes_of(tree, FEATURES, (0, 3), ((0.0, 4.0), (0.0, 3.0)), np.zeros(4))
    assert {(box.leaf, *box.sides) for box in boxes} == {
        (1, (0.0, 1.0), (0.0, 3.0)),
        (3, (1.0, 4.0), (0.0, 2.0)),
        (4, (1.0, 4.0), (2.0, 3.0)),
    }
    tree = stump(feature=1, categories=0b1001)
    boxes = boxes_of(tree, FEATURES, (1,), ((-0.5, 3.5),), np.zeros(4))
    assert {(box.leaf, *box.sides) for box in boxes} == {(1, (-0.5, 0.5)), (2, (0.5, 2.5)), (1, (2.5, 3.5))}
    tree = stump(0.0, feature=3, missing_left=True)
    for value, leaf in ((-1.0, 1), (1.0, 2), (NO, 1)):
        boxes = boxes_of(tree, FEATURES, (0,), ((0.0, 1.0),), np.array([0, 0, 0, value]))
        assert [box.leaf for box in boxes] == [leaf]


@given(seed=st.integers(0, 10_000), axes=st.sampled_from([(0, 3), (0, 1), (1, 2), (2, 0), (3,), (1,), (2,)]))
@settings(max_examples=80, deadline=None)
def test_every_place_lies_in_exactly_one_box_and_the_box_names_its_leaf(seed, axes):
    rng = np.random.default_rng(seed)
    data, tree = data_of(rng), random_tree(rng, int(rng.integers(0, 12)))
    held = data.X[0].copy()
    ends = [ends_of(data.features[a], data.X[:, a]) for a in axes]
    boxes = boxes_of(tree, data.features, axes, ends, held)
    places = np.tile(held, (30, 1))
    for a, (low, high) in zip(axes, ends, strict=True):
        spots = rng.uniform(low, high, 30)
        places[:, a] = np.round(spots) if FEATURES[a].categories else spots
    for place, leaf in zip(places, leaf_of(tree, places), strict=True):
        inside = [b for b in boxes if all(lo < place[a] <= hi for a, (lo, hi) in zip(axes, b.sides, strict=True))]
        assert [box.leaf for box in inside] == [leaf]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_boxes_tile_the_plane(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 12)
    ends = ((-2.0, 2.0), (-0.5, 3.5))
    boxes = boxes_of(tree, FEATURES, (0, 1), ends, np.zeros(4))
    areas = [np.prod([high - low for low, high in box.sides]) for box in boxes]
    assert min(areas) > 0
    assert sum(areas) == pytest.approx(16.0)


def test_the_record_of_a_surface_over_two_features():
    rng = np.random.default_rng(0)
    data = data_of(rng)
    tree = tree_of([0, -1, 3, -1, -1], [0.0, NO, 0, NO, NO], [YES] * 5)
    record = surface(tree, data, (0, 1), out=np.arange(40) < 10)
    assert [axis["name"] for axis in record["axes"]] == ["x", "colour"]
    assert record["axes"][1]["names"] == list(COLOUR.categories)
    assert len(record["boxes"]) == 5 * 2  # z is held, so that x alone cuts the plane
    assert record["answers"] == [[250, 750]] * 2
    assert record["held"] == [["z", record["held"][0][1]]]
    assert sum(record["points"]["out"]) == 10
    assert record["points"]["wrong"] == (data.y == 0).astype(int).tolist()
    json.dumps(record, allow_nan=False)


def test_a_regression_brings_means_and_the_range_of_the_target():
    rng = np.random.default_rng(0)
    data = data_of(rng, classes=())
    tree = stump(0.0, ([-1.5], [2.5]))
    record = surface(tree, data, (0,))
    assert record["answers"] == [-1.5, 2.5]
    assert len(record["boxes"]) == 3 * 2
    assert record["range"] == pytest.approx([data.y.min(), data.y.max()], rel=1e-6)
    assert record["points"]["y"] is None
    assert "wrong" not in record["points"]


def test_a_missing_value_is_none_and_counted_on_its_axis():
    data = data_of(np.random.default_rng(0))
    X = data.X.copy()
    X[3, 0] = NO
    data = make_dataset("gap", X, FEATURES, data.y, data.target)
    record = surface(lone_leaf(*YES), data, (0, 3))
    assert record["points"]["x"][3] is None
    assert [axis["missing"] for axis in record["axes"]] == [1, 0]
    assert mark(data, (0, 3), 3)["x"] is None


def test_many_samples_are_thinned_out_the_same_way_each_time(monkeypatch):
    monkeypatch.setattr(plane, "MAX_POINTS", 15)
    data = data_of(np.random.default_rng(0))
    first, second = (surface(lone_leaf(*YES), data, (0, 3)) for _ in range(2))
    assert first == second
    rows = first["points"]["row"]
    assert len(rows) == 15
    assert rows == sorted(set(rows))
    assert first["left_out"] == 25


def test_typical_values_are_medians_or_the_most_frequent_codes_and_an_axis_is_padded_and_never_empty():
    X = np.array([[1, 3, 0, 1], [2, 3, 0, 2], [9, 1, 2, NO], [NO, 0, 2, NO]])
    data = make_dataset("t", X, FEATURES, np.array([0, 1, 0, 1]), Feature("y", "yes/no", ("no", "yes")))
    assert typical(data).tolist() == [2.0, 3.0, 0.0, 1.5]
    assert ends_of(Feature("x"), np.array([0.0, 100.0, NO])) == (-4.0, 104.0)
    low, high = ends_of(Feature("x"), np.array([5.0]))
    assert low < 5 < high
    assert ends_of(Feature("x"), np.array([NO])) == (0.0, 1.0)


@pytest.mark.parametrize("axes", [(), (0, 0), (0, 1, 2), (4,), (-1, 0)])
def test_axes_that_are_not_one_or_two_features_are_refused(axes):
    data = data_of(np.random.default_rng(0))
    with pytest.raises(ValueError, match="feature"):
        surface(lone_leaf(*YES), data, axes)


def test_mark_tells_where_a_sample_stands():
    data = data_of(np.random.default_rng(0))
    spot = mark(data, (0, 1), 7)
    assert spot["row"] == 7
    assert spot["x"] == pytest.approx(data.X[7, 0], rel=1e-6)
    assert spot["y"] == data.X[7, 1]
    assert mark(data, (0,), 7)["y"] is None


PLAIN = [Feature("x"), Feature("y")]
TARGET = Feature("leaf", "category", ("A", "B", "C"))
ENDS = ((0, 10), (0, 10))
TREE = tree_of_plane(PlaneSplit(0, 3, 0, PlaneSplit(1, 6, 1, 2)))  # A where x ≤ 3, else B where y ≤ 6, else C


def drawn(kind, dark=False):
    picture = ET.fromstring(plane_picture(TREE, PLAIN, TARGET, ENDS).draw(dark))
    return [element for element in picture.iter() if element.tag.endswith(kind)]


@pytest.mark.parametrize("dark", [False, True])
def test_the_boxes_cover_the_plane_once(dark):
    sides = [[float(box.attrib[key]) for key in ("width", "height")] for box in drawn("rect", dark)]
    left, right, top, below = PLANE_MARGINS
    assert sum(width * height for width, height in sides) == pytest.approx(
        (PLANE_WIDTH - left - right) * (PLANE_HEIGHT - top - below), rel=0.01
    )


def test_every_box_has_its_class_every_border_its_number_and_words_say_them_all():
    """A stands left of B, and C above it; the borders are at x = 3 and y = 6."""
    texts = {element.text: element for element in drawn("text")}
    assert {"A", "B", "C", "3", "6", "x", "y"} <= texts.keys()
    assert float(texts["A"].attrib["x"]) < float(texts["B"].attrib["x"]) == float(texts["C"].attrib["x"])
    assert float(texts["C"].attrib["y"]) < float(texts["B"].attrib["y"])
    said = plane_picture(TREE, PLAIN, TARGET, ENDS).alt.split("; ")
    assert said[0] == "A where x is from 0 to 3 and y from 0 to 10"
    assert "C where x is from 3 to 10 and y from 6 to 10" in said
