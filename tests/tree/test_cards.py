"""The tree graph's data: counted by hand, by a naive version, and by laws that any tree must keep."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.column_pictures import many_levels_words
from espalier.display.tree import cards as module
from espalier.display.tree import drawings
from espalier.display.tree.cards import cards, shown_splits
from espalier.display.tree.drawings import Sample, Scale, cuts_drawn, histograms, scale_card, scale_of
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.predict import fractions_in
from espalier.settings import MAX_CARDS
from espalier.trees import Tree, path_to, subtree_end
from tests.display.boundaries.test_surface import random_tree
from tests.tools.by_hand import lone_leaf, stump, tree_of

NO = np.nan


def by_hand():
    """Five samples: the root asks for size ≤ 2, the node on its right whether the colour is red or blue."""
    X = np.array([[1, 0], [2, 1], [3, 0], [4, 2], [NO, 1]])
    features = [Feature("size"), Feature("colour", "category", ("red", "green", "blue"))]
    data = make_dataset("toy", X, features, np.array([0, 0, 1, 1, 0]), Feature("sold", "yes/no", ("no", "yes")))
    shares = [[0.6, 0.4], [1, 0], [1 / 3, 2 / 3], [0, 1], [1, 0]]
    asked, sets = [2.0, NO, NO, NO, NO], [0, 0, 0b101, 0, 0]
    tree = tree_of([0, -1, 1, -1, -1], asked, shares, categories=sets, n=[5, 2, 3, 2, 1])
    return tree, data


def everything(data):
    return np.ones(len(data.y), dtype=bool)


THREE = tuple(Feature(f"x{i}") for i in range(3))


def random_data(rng, n, n_features, classes=("a", "b", "c")):
    X = rng.normal(size=(n, n_features))
    X[rng.random(X.shape) < 0.1] = NO
    target = Feature("y", "category", classes) if classes else Feature("y")
    y = rng.integers(0, len(classes), n) if classes else rng.normal(size=n)
    return make_dataset("random", X, [Feature(f"x{i}") for i in range(n_features)], y, target)


def naive_histogram(tree, data, node, scale, edge, n_bins):
    """Counts at a node, one sample at a time, flat: bins × classes; so many bins lie left of the cut."""
    counts = np.zeros((n_bins, len(data.classes)), int)
    cut, width = (tree.threshold[node], scale.width) if edge else (scale.low, scale.width or 1)
    for x, y, leaf in zip(data.X, data.y, leaf_of(tree, data.X), strict=True):
        value = x[tree.feature[node]]
        if node in path_to(tree, int(leaf)) and not np.isnan(value):
            bin_ = edge + math.ceil((value - cut) / width) - 1 if edge else int((value - cut) // width)
            counts[min(max(bin_, 0), n_bins - 1), y] += 1
    return counts.ravel().tolist()


def test_the_cards_of_a_tree_typed_by_hand():
    tree, data = by_hand()
    card = cards(tree, data, everything(data))
    root, leaf, inner = card["nodes"][:3]
    assert (root["test"], root["t"], root["left"], root["right"]) == (" ≤ 2", 2.0, 1, 2)
    assert card["scales"]["0"] == {"name": "size", "low": 0.5, "high": 4.5, "bins": 4, "ends": ["1", "4"]}
    assert root["hist"] == [1, 0, 1, 0, 0, 1, 0, 1, 0, 0]  # sizes 1 to 4, "no" and "yes" of each, and up to 5
    assert root["edge"] == 2  # bins of the sizes 1 and 2
    assert root["missing"] == [1, False]
    assert "hist" not in leaf
    assert (leaf["n"], leaf["top"], leaf["percent"], leaf["shares"]) == (2, 0, "2 of 2", [1000, 0])
    assert inner["test"] == " is red or blue"
    assert inner["goes"] == [0, 2]
    assert inner["hist"] == [0, 1, 1, 0, 0, 1]  # red, green, blue
    assert "missing" not in inner  # every colour is known
    assert card["scales"]["1"]["names"] == ["red", "green", "blue"]
    assert [c["name"] for c in card["classes"]] == ["no", "yes"]


def test_thresholds_on_codes_name_categories_known_against_missing_has_no_line_and_scales_say_what_they_mean():
    X = np.array([[0.0], [1], [2]])
    feature = Feature("level", "ordered", ("low", "middle", "high"))
    data = make_dataset("t", X, [feature], np.array([0, 1, 1]), Feature("y", "yes/no", ("no", "yes")))
    root = cards(stump(0.5), data, everything(data))["nodes"][0]
    assert root["goes"] == [0]
    assert "t" not in root
    X = np.array([[1.0], [NO]])
    data = make_dataset("t", X, [Feature("x")], np.array([0, 1]), Feature("y", "yes/no", ("no", "yes")))
    root = cards(stump(np.inf), data, everything(data))["nodes"][0]
    assert root["t"] is None
    assert root["test"] == " is known"
    json.dumps(root, allow_nan=False)
    feature = Feature("bmi", meaning="weight by height²")
    x = np.array([1.0, 2.0])
    assert scale_card(feature, scale_of(feature, x, 4), x)["meaning"] == "weight by height²"
    assert "meaning" not in scale_card(Feature("bmi"), scale_of(feature, x, 4), x)


def test_weights_are_named_where_they_say_more_than_counts_and_cards_are_the_same_json_but_for_what_differs():
    tree, data = by_hand()
    assert "weight" not in cards(tree, data, everything(data))["nodes"][0]
    weighted = tree._replace(weight=tree.weight * 2.5)
    card = cards(weighted, data, everything(data))
    assert card["weighted"]
    assert card["nodes"][0]["weight"] == "12.5"
    assert [node["part"] for node in card["nodes"]] == [1000, 400, 600, 400, 200]
    first, second = (json.dumps(cards(tree, data, everything(data)), allow_nan=False) for _ in range(2))
    assert first == second
    rows = everything(data)
    fewer = np.array([True, True, True, True, False])
    other = tree._replace(threshold=np.array([2.5, NO, NO, NO, NO]))
    ids = [
        cards(tree, data, rows),
        cards(other, data, rows),
        cards(tree, data, fewer),
        cards(tree, data, rows, "gini"),
    ]
    assert len({card["id"] for card in ids}) == 4
    assert {card["data"] for card in ids} == {data.digest}


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_histograms_count_as_the_naive_version_does(seed):
    rng = np.random.default_rng(seed)
    data = random_data(rng, int(rng.integers(1, 60)), 3)
    tree = random_tree(rng, int(rng.integers(0, 9)), THREE)
    splits = shown_splits(tree)
    scales = {f: scale_of(data.features[f], data.X[:, f], 7) for f in range(3)}
    sample = Sample(data.X, data.y, leaf_of(tree, data.X))
    counts, edges, _ = histograms(tree, sample, splits, scales, cuts_drawn(tree, data, splits), 3)
    for n in splits.tolist():
        scale, n_bins = scales[int(tree.feature[n])], len(counts[n]) // 3
        assert n_bins <= scale.bins + 1
        assert counts[n] == naive_histogram(tree, data, n, scale, edges.get(n, 0), n_bins)


def test_bars_left_of_a_cut_have_just_the_rows_that_go_left():
    """Of every split of trees on the bundled tables, and of a module's best option, with fractions of rows."""
    n_cuts = 0
    for name in samples.names():
        data = samples.load(name)
        if not data.is_classification or len(data.features) > 40:
            continue
        learners = [CartClassifier(max_depth=5, categorical_features=data.categorical)]
        learners += [CultivatedClassifier(max_depth=2)] * (name in ("iris", "wine"))
        for tree in (learner.fit(data.X, data.y).tree_ for learner in learners):
            for node in cards(tree, data, everything(data))["nodes"]:
                if "edge" not in node:
                    assert node.get("t") is None
                    continue
                x, here = data.X[:, node["f"]], fractions_in(tree, data.X, node["id"])
                cut = cuts_drawn(tree, data, np.array([node["id"]]))[0]
                goes = fractions_in(tree, data.X, node["left"]) if isinstance(tree, Tree) else here * (x <= cut)
                counts = np.array(node["hist"]).reshape(-1, len(data.classes)).sum(axis=1)
                assert counts[: node["edge"]].sum() == pytest.approx(goes[~np.isnan(x)].sum(), abs=0.1)
                assert counts[node["edge"] :].sum() == pytest.approx(here[x > cut].sum(), abs=0.1)
                n_cuts += 1
    assert n_cuts > 100


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_samples_of_both_children_are_the_samples_of_their_parent(seed):
    rng = np.random.default_rng(seed)
    data = random_data(rng, 50, 3)
    tree = random_tree(rng, 10, THREE)
    leaf = leaf_of(tree, data.X)
    for node in cards(tree, data, everything(data))["nodes"]:
        if "hist" in node:
            below = (leaf >= node["id"]) & (leaf < subtree_end(tree, node["id"]))
            per_class = np.array(node["hist"]).reshape(-1, 3).sum(axis=0)
            known = ~np.isnan(data.X[:, node["f"]])
            assert per_class.tolist() == np.bincount(data.y[below & known], minlength=3).tolist()
            assert sum(node["hist"]) + node.get("missing", [0])[0] == below.sum()


def test_a_regression_shows_every_sample_of_a_leaf_and_some_of_a_split():
    rng = np.random.default_rng(3)
    data = random_data(rng, 400, 2, classes=())
    tree = random_tree(rng, 3, THREE[:2])._replace(value=np.zeros((7, 1)))
    leaf = leaf_of(tree, data.X)
    card = cards(tree, data, everything(data))
    for node in card["nodes"]:
        if "f" in node:
            assert 0 < len(node["dots"]) // 2 <= drawings.DOTS
            assert all(0 <= d <= 100 for d in node["dots"])
        else:
            assert sum(node.get("hist", [])) == (leaf == node["id"]).sum()
    assert card["goal"]["name"] == "y"


@pytest.mark.parametrize(
    ("values", "bins", "scale"),
    [
        ([1, 2, 5], 20, Scale(0.5, 1.0, 5)),  # whole numbers stand in the middle of their bins
        ([0, 39], 20, Scale(-0.5, 2.0, 20)),  # of 40 whole numbers, two in each bin
        ([0.5, 1.0], 20, Scale(0.45, 0.1, 6)),  # tenths likewise
        ([0.0, np.pi], 2, Scale(0.0, np.pi / 2, 2)),
        ([7.25, 7.25], 10, Scale(7.245, 0.01, 1)),
        ([NO], 20, Scale(-0.5, 1.0, 1)),
    ],
)
def test_bins_hold_equally_many_possible_values(values, bins, scale):
    assert scale_of(Feature("x"), np.array(values), bins) == pytest.approx(scale)


def test_a_tree_that_is_too_big_keeps_its_largest_branches_and_says_what_is_left_out(monkeypatch):
    monkeypatch.setattr(module, "MAX_CARDS", 5)
    sizes = [10, 3, 1, 2, 7, 3, 4]
    tree = tree_of([0, 0, -1, -1, 0, -1, -1], [0.0, -1, NO, NO, 1, NO, NO], [[0.25, 0.75]] * 7, n=sizes)
    data = random_data(np.random.default_rng(0), 10, 1, ("a", "b"))
    card = cards(tree, data, everything(data))
    assert [node["id"] for node in card["nodes"]] == [0, 1, 4, 5, 6]
    assert card["omitted"] == 2
    small = card["nodes"][1]
    assert small["more"] == 2
    assert "left" not in small
    assert "hist" in small


def test_every_child_that_is_named_is_sent():
    rng = np.random.default_rng(1)
    tree = random_tree(rng, 900, THREE)
    data = random_data(rng, 300, 3)
    card = cards(tree, data, everything(data))
    ids = {node["id"] for node in card["nodes"]}
    assert len(ids) <= MAX_CARDS
    assert {node[side] for node in card["nodes"] for side in ("left", "right") if side in node} == ids - {0}
    assert card["omitted"] == tree.n_nodes - len(ids)
    assert max(scale["bins"] for scale in card["scales"].values()) <= drawings.FEW_BINS


def test_a_lone_leaf_is_one_card_and_a_tree_of_other_data_is_refused():
    _, data = by_hand()
    lone = lone_leaf(0.6, 0.4, n=5)
    card = cards(lone, data, everything(data))
    assert len(card["nodes"]) == 1
    assert card["scales"] == {}
    tree, data = by_hand()
    one = make_dataset("one", data.X[:, :1], data.features[:1], data.y, data.target)
    with pytest.raises(ValueError, match="splits on feature 1, the data have 1"):
        cards(tree, one, everything(one))


def test_words_warn_of_many_categories():
    assert "by chance" in many_levels_words(30, 200)
    assert many_levels_words(3, 20) == ""
