"""Decision surfaces: boxes and points by hand, and every cell of what is soft against the tree itself."""

import base64
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.boundaries import plane
from espalier.display.boundaries.plane import mark, packed, raster, rulers_of, typical
from espalier.display.boundaries.surface import boxes_of, surface
from espalier.display.tree.small_tree import PLANE_HEIGHT, PLANE_MARGINS, PLANE_WIDTH, plane_picture
from espalier.kernels.cultivated.fractions import Slice, fraction_slice, fractions_of, predict, predict_slice
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, ObliqueClassifier
from espalier.model_trees import node_cells
from espalier.model_trees import surface as surface_of_sums
from espalier.practice.exercises import PlaneSplit
from espalier.practice.exercises import tree_of as tree_of_plane
from espalier.predict import leaves, leaves_and_shares, samples_over, shares
from espalier.trees import is_leaf, read_only, subtree_end
from tests.display.cultivated.test_modules import decision
from tests.display.cultivated.test_modules import tree_of as tree_of_modules
from tests.tools.by_hand import lone_leaf, stump, tree_of
from tests.tools.cases import case

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
    ends = [plane.ends_of(data.features[a], data.X[:, a]) for a in axes]
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
    assert plane.ends_of(Feature("x"), np.array([0.0, 100.0, NO])) == (-4.0, 104.0)
    low, high = plane.ends_of(Feature("x"), np.array([5.0]))
    assert low < 5 < high
    assert plane.ends_of(Feature("x"), np.array([NO])) == (0.0, 1.0)


@pytest.mark.parametrize("axes", [(), (0, 0), (0, 1, 2), (4,), (-1, 0)])
def test_axes_that_are_not_one_or_two_features_are_refused(axes):
    data = data_of(np.random.default_rng(0))
    with pytest.raises(ValueError, match="feature"):
        surface(lone_leaf(*YES), data, axes)
    with pytest.raises(ValueError, match="feature"):
        raster(lambda X: (X[:, 0], None), data, axes)


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


AXES = [(0, 3), (3, 0), (0, 1), (1, 2), (0,), (1,), (3,)]


def random_cuts(rng, f):
    if f == 1:  # categories in any order, some without weight; one may be unknown
        codes = rng.permutation(4)[: rng.integers(2, 5)].astype(float)
        weight = rng.integers(0, 3, len(codes)).astype(float)
        weight[-1] += 1
        return list(zip(codes.tolist(), weight.tolist(), strict=True))
    places = np.unique(np.round(rng.normal(size=rng.integers(1, 6)), 1))
    return [(float(v), float(rng.integers(1, 4))) for v in places]


def random_modules(rng, splits, n_outputs=2):
    children, decisions = [], []

    def add(budget):
        node = len(children)
        children.append((-1, -1))
        decisions.append([])
        if budget > 0:
            used = rng.permutation(4)[: rng.integers(1, 5)]
            shares = rng.dirichlet(np.ones(len(used)))
            for f, share in zip(used.tolist(), shares.tolist(), strict=True):
                turned, missing_left, cuts = bool(rng.integers(2)), rng.random(), random_cuts(rng, f)
                threshold = NO if f == 1 else cuts[0][0]
                told = {"reversed": turned, "share": share, "missing_left": missing_left}
                decisions[node].append(decision(f, threshold, cuts, **told))
            children[node] = (add((budget - 1) // 2), add(budget - 1 - (budget - 1) // 2))
        return node

    add(splits)
    value = (
        rng.dirichlet(np.ones(n_outputs), len(children)) if n_outputs > 1 else rng.normal(size=(len(children), 1))
    )
    return tree_of_modules(children, dict(enumerate(decisions)))._replace(value=read_only(value))


def unpacked(card):
    steps = np.frombuffer(base64.b64decode(card["data"]), "<u2")
    return card["low"] + (card["high"] - card["low"]) * steps / 10_000


def centres(axis):
    edges = np.array(axis["edges"])
    return np.arange(len(edges) - 1.0) if "names" in axis else (edges[1:] + edges[:-1]) / 2


def places_of(card, held):
    """X of all cells, in the order that they are sent in."""
    axes = card["axes"]
    return samples_over([axis["feature"] for axis in axes], list(map(centres, axes)), held)


# A root that pools x (two cuts) and z (one): half of a sample's way is decided by either.
TWO_WAYS = tree_of_modules(
    [(1, 2), (-1, -1), (-1, -1)],
    {
        0: [
            decision(0, 0.0, [(0.0, 1.0), (1.0, 1.0)], share=0.5),
            decision(3, 0.0, [(0.0, 1.0)], reversed=True, share=0.5),
        ]
    },
)._replace(value=read_only(np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])))


@given(seed=st.integers(0, 10_000), axes=st.sampled_from(AXES), outputs=st.integers(1, 3))
@settings(max_examples=60)
def test_a_slice_says_what_the_tree_says_in_every_cell(seed, axes, outputs):
    rng = np.random.default_rng(seed)
    tree = random_modules(rng, int(rng.integers(0, 14)), outputs)
    held = np.array([rng.normal(), rng.integers(0, 4), rng.integers(0, 3), NO if seed % 3 == 0 else rng.normal()])
    x, y = (
        rng.integers(-1, 5, 7).astype(float) if f == 1 else np.round(rng.normal(size=7), 1) for f in (*axes, 0)[:2]
    )
    y = y if len(axes) == 2 else np.zeros(1)
    X = samples_over(axes, [x, y][: len(axes)], held)
    plane = Slice(np.array([*axes, -1][:2]), x, y, held)
    mean, spread = predict_slice(tree, plane)
    wanted_mean, wanted_spread = predict(tree, X)
    assert np.abs(mean.reshape(wanted_mean.shape) - wanted_mean).max() < 1e-12
    assert np.abs(spread.ravel() ** 2 - wanted_spread**2).max() < 1e-12
    node = int(rng.integers(tree.n_nodes))
    wanted = [fractions_of(tree, row)[node] for row in X]
    assert np.abs(fraction_slice(tree, plane, node).ravel() - wanted).max() < 1e-12


def test_the_cells_of_a_tree_typed_by_hand():
    rng = np.random.default_rng(0)
    card = surface(TWO_WAYS, data_of(rng), (0, 3))
    x, z = card["axes"]
    assert [x["edges"][1:-1], z["edges"][1:-1]] == [[0.0, 1.0], [0.0]]
    assert not x["smooth"]
    assert not z["smooth"]
    # x sends 1, 1/2 or 0 to the left; z is reversed: 0 below its cut and 1 above it. Either counts half.
    left = np.array([[0.5, 0.25, 0.0], [1.0, 0.75, 0.5]])
    assert unpacked(card["cells"]["shares"]) == pytest.approx((1 - left).ravel())
    assert unpacked(card["cells"]["spread"]) == pytest.approx(np.sqrt(left * (1 - left)).ravel(), abs=1e-4)


def test_what_is_sent_is_what_the_tree_predicts():
    for axes in [(0, 3), (0, 1), (2,)]:
        for classes in [("a", "b"), ("a", "b", "c", "d"), ()]:
            with case((axes, classes)):
                rng = np.random.default_rng(1)
                data, tree = data_of(rng, classes=classes), random_modules(rng, 12, len(classes) or 1)
                card = surface(tree, data, axes)
                mean, spread = predict(tree, places_of(card, typical(data)))
                cells = card["cells"]
                sent = unpacked(cells["shares"] if classes else cells["value"])
                step = 1e-4 * (1 if classes else np.ptp(mean)) * 1.01
                assert np.abs(sent - (mean[:, 1:].T.ravel() if classes else mean[:, 0])).max() <= step
                assert np.abs(unpacked(cells["spread"]) - spread).max() <= 1e-4 * spread.max()


def test_the_shares_that_are_sent_never_sum_to_more_than_one():
    rng = np.random.default_rng(2)
    classes = tuple("abcdefg")
    card = surface(random_modules(rng, 10, 7), data_of(rng, classes=classes), (0, 3))
    others = unpacked(card["cells"]["shares"]).reshape(6, -1)
    assert others.sum(axis=0).max() <= 1 + 1e-9


def test_a_surface_is_small_and_the_same_bytes_each_time_and_another_tree_has_another_id():
    rng = np.random.default_rng(3)
    data, tree = data_of(rng, n=500, classes=tuple("abcdefghij")), random_modules(rng, 200, 10)
    first, second = (json.dumps(surface(tree, data, (0, 3)), allow_nan=False) for _ in range(2))
    assert first == second
    assert len(first) < 150_000
    rng = np.random.default_rng(4)
    data = data_of(rng)
    cards = [surface(random_modules(rng, 5), data, axes) for axes in ((0, 3), (0, 3), (0,))]
    assert len({card["id"] for card in cards}) == 3


def test_features_of_few_values_have_a_cell_for_each():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.choice([1.0, 2.0, 4.0], 60), rng.normal(size=60)])
    data = make_dataset(
        "few", X, (Feature("few"), Feature("many")), np.arange(60) % 2, Feature("y", "yes/no", ("n", "y"))
    )
    card = raster(lambda X: (np.column_stack([1 - X[:, 0] / 4, X[:, 0] / 4]), None), data, (0, 1))
    few, many = card["axes"]
    assert few["edges"][1:-1] == [1.5, 3.0]
    assert many["smooth"]
    assert unpacked(card["cells"]["shares"])[:3].tolist() == [0.25, 0.5, 1.0]  # predicted at the values themselves


def test_any_function_gives_a_surface_of_the_same_form_without_a_spread_where_it_has_none():
    rng = np.random.default_rng(6)
    data, tree = data_of(rng), random_modules(rng, 6)
    soft, other = surface(tree, data, (0, 3)), raster(lambda X: predict(tree, X), data, (0, 3))
    assert soft.keys() == other.keys()
    assert soft["cells"].keys() == other["cells"].keys()
    assert other["points"]["wrong"] == soft["points"]["wrong"]
    assert [name for name, _ in other["held"]] == ["colour", "level"]
    mean, _ = predict(tree, places_of(other, typical(data)))
    assert np.abs(unpacked(other["cells"]["shares"]) - mean[:, 1]).max() <= 1e-4
    data = data_of(np.random.default_rng(7), classes=())
    card = raster(lambda X: (X[:, 0], None), data, (0,))
    assert list(card["cells"]) == ["value"]
    assert unpacked(card["cells"]["value"]) == pytest.approx(centres(card["axes"][0]), abs=1e-3)


def test_a_nodes_part_of_the_plane_by_hand():
    data = data_of(np.random.default_rng(0))
    lit = plane.node_raster(TWO_WAYS, data, (0, 3), None, 2)
    assert lit["node"] == 2
    assert unpacked(lit["cells"]).tolist() == pytest.approx([0.5, 0.75, 1.0, 0.0, 0.25, 0.5])
    assert unpacked(plane.node_raster(TWO_WAYS, data, (0, 3), None, 0)["cells"]).tolist() == [1.0] * 6


def test_a_sample_lies_in_the_leaf_that_has_most_of_it():
    rng = np.random.default_rng(8)
    tree, data = random_modules(rng, 15), data_of(rng)
    leaf, says = leaves_and_shares(tree, data.X)
    for row, found in zip(data.X, leaf.tolist(), strict=True):
        fraction = np.where(is_leaf(tree), fractions_of(tree, row), 0.0)
        assert found == fraction.argmax()
    assert np.abs(says - predict(tree, data.X)[0]).max() < 1e-12


def test_numbers_are_packed_between_their_ends():
    card = packed(np.array([[-1.0, 0.0], [1.0, 3.0]]), -1.0, 3.0)
    assert unpacked(card).tolist() == [-1.0, 0.0, 1.0, 3.0]
    assert unpacked(packed(np.full(3, 2.5), 2.5, 2.5)).tolist() == [2.5] * 3


WINE = samples.load("wine")
ROWS = WINE.X[::30]
WINE_AXES = [(6, 12), (12, 6), (9,)]


def mean_of_rows(ask, axes, rulers):
    """The mean answer in every cell, each row asked by itself, and the others' shares as they are sent."""
    at = [ruler.at for ruler in rulers]
    return np.mean([ask(samples_over(axes, at, row)) for row in ROWS], axis=0)


@pytest.mark.parametrize("axes", WINE_AXES)
def test_a_tree_of_classes_is_averaged_exactly(axes):
    tree = CartClassifier(max_depth=5).fit(WINE.X, WINE.y).tree_
    card = surface(tree, WINE, axes, ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), axes, rulers_of(WINE, axes, tree))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    assert card["averaged"] == len(ROWS)
    assert card["held"] == []
    assert 0 <= card["seen"] <= 1


def test_a_tree_of_numbers_is_averaged_exactly():
    data = samples.load("diabetes")
    tree, rows = CartRegressor(max_depth=4).fit(data.X, data.y).tree_, data.X[::60]
    card = surface(tree, data, (2, 8), rows)
    at = [ruler.at for ruler in rulers_of(data, (2, 8), tree)]
    wanted = np.mean([shares(tree, samples_over((2, 8), at, row))[:, 0] for row in rows], axis=0)
    assert np.abs(unpacked(card["cells"]["value"]) - wanted).max() <= 1.01e-4 * np.ptp(wanted)


def test_the_cells_of_a_node_are_the_rows_that_would_be_in_it():
    tree = CartClassifier(max_depth=4).fit(WINE.X, WINE.y).tree_
    node = int(tree.right[0])
    lit = plane.node_average(tree, WINE, (6, 12), ROWS, node)
    at = [ruler.at for ruler in rulers_of(WINE, (6, 12), tree)]

    def inside(row):
        leaf = leaves(tree, samples_over((6, 12), at, row))
        return (leaf >= node) & (leaf < subtree_end(tree, node))

    assert unpacked(lit["cells"]) == pytest.approx(np.mean([inside(row) for row in ROWS], axis=0), abs=1e-4)


def test_any_other_surface_is_the_mean_of_the_slices_through_the_rows():
    tree = CultivatedClassifier(max_depth=4).fit(WINE.X, WINE.y).tree_
    card = surface(tree, WINE, (6, 12), ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), (6, 12), rulers_of(WINE, (6, 12), tree))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    whole = plane.node_raster(tree, WINE, (6, 12), ROWS, 0)
    assert unpacked(whole["cells"]) == pytest.approx(1.0)

    model = raster(lambda X: (shares(tree, X), None), WINE, (6, 12), ROWS)
    assert model["averaged"] == len(ROWS)


def test_slanted_splits_are_averaged_too():
    tree = ObliqueClassifier(max_depth=2).fit(WINE.X, WINE.y).tree_
    card = surface_of_sums(tree, WINE, (6, 12), ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), (6, 12), rulers_of(WINE, (6, 12)))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    assert not node_cells(tree, WINE, (6, 12), ROWS, 1)["whole"]
    assert "seen" not in card
