"""Surfaces of what is soft: against the tree itself in every cell, and by hand."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.boundaries.plane import typical
from espalier.display.boundaries.raster import node_average, node_raster, packed, raster, rulers_of
from espalier.display.boundaries.surface import surface
from espalier.kernels.cultivated.fractions import Slice, fraction_slice, fractions_of, predict, predict_slice
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, ObliqueClassifier
from espalier.model_trees import node_cells
from espalier.model_trees import surface as surface_of_sums
from espalier.predict import leaves, leaves_and_shares, samples_over, shares
from espalier.trees import is_leaf, read_only, subtree_end
from tests.display.boundaries.test_surface import data_of
from tests.display.cultivated.test_modules import decision, tree_of
from tests.tools.cases import case

NO = np.nan
AXES = [(0, 3), (3, 0), (0, 1), (1, 2), (0,), (1,), (3,)]


def random_cuts(rng, f):
    if f == 1:  # categories in any order, some without weight; one may be unknown
        codes = rng.permutation(4)[: rng.integers(2, 5)].astype(float)
        weight = rng.integers(0, 3, len(codes)).astype(float)
        weight[-1] += 1
        return list(zip(codes.tolist(), weight.tolist(), strict=True))
    places = np.unique(np.round(rng.normal(size=rng.integers(1, 6)), 1))
    return [(float(v), float(rng.integers(1, 4))) for v in places]


def random_tree(rng, splits, n_outputs=2):
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
    return tree_of(children, dict(enumerate(decisions)))._replace(value=read_only(value))


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
TWO_WAYS = tree_of(
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
    tree = random_tree(rng, int(rng.integers(0, 14)), outputs)
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
                data, tree = data_of(rng, classes=classes), random_tree(rng, 12, len(classes) or 1)
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
    card = surface(random_tree(rng, 10, 7), data_of(rng, classes=classes), (0, 3))
    others = unpacked(card["cells"]["shares"]).reshape(6, -1)
    assert others.sum(axis=0).max() <= 1 + 1e-9


def test_a_surface_is_small_and_the_same_bytes_each_time_and_another_tree_has_another_id():
    rng = np.random.default_rng(3)
    data, tree = data_of(rng, n=500, classes=tuple("abcdefghij")), random_tree(rng, 200, 10)
    first, second = (json.dumps(surface(tree, data, (0, 3)), allow_nan=False) for _ in range(2))
    assert first == second
    assert len(first) < 150_000
    rng = np.random.default_rng(4)
    data = data_of(rng)
    cards = [surface(random_tree(rng, 5), data, axes) for axes in ((0, 3), (0, 3), (0,))]
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
    data, tree = data_of(rng), random_tree(rng, 6)
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
    lit = node_raster(TWO_WAYS, data, (0, 3), None, 2)
    assert lit["node"] == 2
    assert unpacked(lit["cells"]).tolist() == pytest.approx([0.5, 0.75, 1.0, 0.0, 0.25, 0.5])
    assert unpacked(node_raster(TWO_WAYS, data, (0, 3), None, 0)["cells"]).tolist() == [1.0] * 6


def test_a_sample_lies_in_the_leaf_that_has_most_of_it():
    rng = np.random.default_rng(8)
    tree, data = random_tree(rng, 15), data_of(rng)
    leaf, says = leaves_and_shares(tree, data.X)
    for row, found in zip(data.X, leaf.tolist(), strict=True):
        fraction = np.where(is_leaf(tree), fractions_of(tree, row), 0.0)
        assert found == fraction.argmax()
    assert np.abs(says - predict(tree, data.X)[0]).max() < 1e-12


@pytest.mark.parametrize("axes", [(), (0, 0), (4,)])
def test_axes_that_are_not_one_or_two_features_are_refused(axes):
    with pytest.raises(ValueError, match="feature"):
        raster(lambda X: (X[:, 0], None), data_of(np.random.default_rng(0)), axes)


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
    lit = node_average(tree, WINE, (6, 12), ROWS, node)
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
    whole = node_raster(tree, WINE, (6, 12), ROWS, 0)
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
