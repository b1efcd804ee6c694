"""Cultivated trees in words and as cards: read by hand, checked against the kernel's fractions, and by laws."""

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.dataset import Feature, make_dataset
from espalier.display.cultivated import (
    decision_words,
    gate_of,
    leads_to,
    listed_decisions,
    module_words,
    way_words,
)
from espalier.display.tree import cards as card_views
from espalier.display.tree import drawings as drawing_views
from espalier.display.tree import impurity_curve
from espalier.display.tree.cards import MOST_OPTIONS, MOST_STEPS, cards
from espalier.export import from_json, to_json, to_python, to_sql
from espalier.kernels.cultivated.fractions import fractions_of, reach
from espalier.learners import CultivatedClassifier
from espalier.predict import fractions_in
from espalier.tree.modules import Habits, module
from espalier.trees import make_cultivated, parents

NO = np.nan
SIZE, COLOUR = Feature("size"), Feature("colour", "category", ("red", "green", "blue"))
LEVEL = Feature("level", "ordered", ("low", "middle", "high"))
FEATURES = (SIZE, COLOUR, LEVEL)


def decision(feature, threshold, cuts, **more):
    """(feature, threshold, reversed, share, missing_left, impurity), and the cuts as (value, weight) pairs."""
    fields = {"reversed": False, "share": 1.0, "missing_left": 0.5, "impurity": 0.2} | more
    return (feature, threshold, *fields.values()), cuts


def tree_of(shape, modules, X=None, y=None):
    """Tree with children (left, right) by node, and modules (lists of decisions) by node.

    Weights and means are those of the samples X and y.
    """
    n = len(shape)
    pooled = [one for node in range(n) for one in modules.get(node, [])]
    firsts = np.cumsum([0, *(len(modules.get(node, [])) for node in range(n))])
    cut_start = np.cumsum([0, *(len(cuts) for _, cuts in pooled)])
    cuts = [cut for _, cuts in pooled for cut in cuts]
    columns = list(zip(*(fields for fields, _ in pooled), strict=True)) or [[]] * 6
    tree = make_cultivated(
        [left for left, _ in shape],
        [right for _, right in shape],
        np.ones(n),
        np.ones(n),
        np.full((n, 2), 0.5),
        np.full(n, 0.5),
        (firsts, *columns),
        (cut_start, [value for value, _ in cuts], [weight for _, weight in cuts]),
    )
    return tree if X is None else described(tree, X, y)


def described(tree, X, y):
    start, rows, fraction = reach(tree, X)
    node = np.repeat(np.arange(tree.n_nodes), np.diff(start))
    weight = np.bincount(node, fraction, minlength=tree.n_nodes)
    if np.issubdtype(y.dtype, np.integer):
        value = [np.bincount(node, fraction * (y[rows] == c), minlength=tree.n_nodes) for c in range(y.max() + 1)]
    else:
        value = [np.bincount(node, fraction * y[rows], minlength=tree.n_nodes)]
    value = np.stack(value, axis=1) / np.maximum(weight, 1e-300)[:, None]
    return tree._replace(n_samples=np.diff(start), weight=weight, value=value)


def by_hand():
    """The root asks for size and for colour; its right child, the other way around, for the level."""
    root = [
        decision(0, 2.0, [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)], share=0.75, impurity=0.2),
        decision(1, NO, [(0.0, 1.0), (2.0, 2.0), (1.0, 0.0)], share=0.25, impurity=0.25),
    ]
    right = [decision(2, 1.0, [(0.0, 1.0), (1.0, 3.0)], reversed=True, missing_left=0.2)]
    X = np.array([[1, 0, 0], [2, 1, 1], [3, 2, 2], [4, NO, 1], [NO, 0, 2]])
    y = np.array([0, 0, 1, 1, 1])
    tree = tree_of([(1, 2), (-1, -1), (3, 4), (-1, -1), (-1, -1)], {0: root, 2: right}, X, y)
    return tree, make_dataset("toy", X, FEATURES, y, Feature("sold", "yes/no", ("no", "yes")))


def everything(data):
    return np.ones(len(data.y), dtype=bool)


def stump(*decisions):
    return tree_of([(1, 2), (-1, -1), (-1, -1)], {0: list(decisions)})


cut_weights = st.lists(st.floats(0.01, 5), min_size=1, max_size=60)


# Words -----------------------------------------------------------------------------------------------


def test_a_module_names_its_options_with_their_shares_and_cuts_and_what_leads_to_either_child():
    tree, _ = by_hand()
    assert module_words(tree, FEATURES, 0) == [
        "size ≲ 2 (share 75 %, cuts from 1 to 3)",
        "colour is mostly red or blue (share 25 %)",
    ]
    assert module_words(tree, FEATURES, 1) == []
    assert leads_to(tree, FEATURES, 0) == "size ≲ 2 or colour is mostly red or blue"
    assert leads_to(tree, FEATURES, 0, left=False) == "size ≳ 2 or colour is mostly green"
    assert way_words(tree, FEATURES, 3) == [
        "size ≳ 2 or colour is mostly green",
        "level is mostly high",  # of low none goes left, of middle a quarter and of high all
    ]
    assert way_words(tree, FEATURES, 0) == []


@pytest.mark.parametrize(
    ("is_reversed", "words"), [(False, ["size ≤ 2", "size > 2"]), (True, ["size > 2", "size ≤ 2"])]
)
def test_one_cut_does_not_hesitate(is_reversed, words):
    tree = stump(decision(0, 2.0, [(2.0, 1.0)], reversed=is_reversed))
    assert [leads_to(tree, FEATURES, 0, left) for left in (True, False)] == words
    assert module_words(tree, FEATURES, 0) == words[:1]


def test_categories_that_all_go_one_way_do_not_hesitate_unseen_ones_have_no_side_and_others_are_named_by_most():
    tree = stump(decision(1, NO, [(0.0, 0.0), (2.0, 1.0), (1.0, 0.0)]))
    assert leads_to(tree, FEATURES, 0) == "colour is red or blue"
    assert leads_to(tree, FEATURES, 0, left=False) == "colour is green"
    tree = stump(decision(1, NO, [(0.0, 1.0), (1.0, 0.0)]))
    assert {leads_to(tree, FEATURES, 0, left) for left in (True, False)} == {"colour is red", "colour is green"}
    tree = stump(decision(2, 0.0, [(0.0, 1.0), (1.0, 1.0), (2.0, 8.0)]))
    assert leads_to(tree, FEATURES, 0) == "level is mostly at most middle"
    assert leads_to(tree, FEATURES, 0, left=False) == "level is mostly high"


def test_of_many_options_the_best_is_named_and_then_those_with_most_share_and_least_impurity():
    shares, impurities = [0.1, 0.1, 0.4, 0.2, 0.2], [0.1, 0.2, 0.3, 0.5, 0.4]
    features = [Feature(name) for name in "abcde"]
    options = [
        decision(f, 1.5, [(1.5, 1.0)], share=share, impurity=h)
        for f, (share, h) in enumerate(zip(shares, impurities, strict=True))
    ]
    tree = stump(*options)
    assert listed_decisions(tree, 0, 3) == [0, 2, 4]
    assert leads_to(tree, features, 0) == "a ≤ 1.5, c ≤ 1.5, e ≤ 1.5 or 2 more"
    assert [words[0] for words in module_words(tree, features, 0)] == list("acedb")


# Gates -----------------------------------------------------------------------------------------------


@given(weights=cut_weights, is_reversed=st.booleans())
def test_the_gate_is_what_the_kernel_sends_left(weights, is_reversed):
    values = np.arange(len(weights), dtype=float)
    tree = stump(decision(0, 0.0, list(zip(values, weights, strict=True)), reversed=is_reversed))
    before, cuts, after = gate_of(tree, 0)

    def left(size):
        return fractions_of(tree, np.array([size, 0.0, 0.0]))[1]

    assert before == left(-1.0)
    np.testing.assert_array_equal(cuts, values)
    sent = [left(cut + 0.5) for cut in cuts]
    np.testing.assert_allclose(after, sent, atol=1e-12)


@given(weights=cut_weights, most=st.integers(1, 30))
def test_a_gate_in_few_steps_leaves_the_curve_by_no_more_than_a_step_and_a_cut(weights, most):
    values = np.arange(len(weights), dtype=float)
    tree = stump(decision(0, 0.0, list(zip(values, weights, strict=True))))
    (_, every_cut, every_part), (_, cuts, after) = gate_of(tree, 0), gate_of(tree, 0, most)
    assert len(cuts) <= most
    at = np.searchsorted(every_cut, cuts)
    np.testing.assert_array_equal(after, every_part[at])  # exact where a step ends
    assert after[-1] == pytest.approx(0, abs=1e-12)
    drops = -np.diff([1.0, *after])
    assert (drops <= 1 / most + max(weights) / sum(weights) + 1e-9).all()


# Cards -----------------------------------------------------------------------------------------------


def test_the_cards_of_a_tree_typed_by_hand_show_its_modules():
    tree, data = by_hand()
    card = cards(tree, data, everything(data), "gini", eta=0.1)
    root, leaf, right = card["nodes"][:3]
    assert card["cultivated"]
    assert card["features"] == {"0": "size", "1": "colour"}
    assert (root["test"], root["t"], root["left"], root["right"]) == (" ≲ 2", 2.0, 1, 2)
    assert root["gate"] == [1000, 125, 750, 375, 250, 625, 0]  # sizes 1, 2, 3 on the scale from 0.5 to 4.5
    assert root["cuts"] == [3, "from 1 to 3"]
    assert root["hist"] == [1, 0, 1, 0, 0, 1, 0, 1, 0, 0]  # at the root every sample counts in full
    assert root["edge"] == 2  # bins of the sizes up to the best cut
    assert root["missing"] == [1, 500]
    assert (root["pooled"], root["tolerance"]) == (2, ["0.2", "0.1"])
    assert root["options"] == [
        {"f": 0, "test": " ≲ 2", "share": 750, "off": 0, "h": "0.2"},
        {"f": 1, "test": " is mostly red or blue", "share": 250, "off": 500, "h": "0.25"},
    ]
    assert "f" not in leaf
    assert (right["test"], right["gates"]) == (" is mostly high", [0, 250, 1000])
    assert not {"options", "pooled", "t", "goes"} & set(right)
    json.dumps(card, allow_nan=False)


def grown_like(rng, n=60, classes=3, most=9):
    """Random samples, and a random tree of modules that they run through."""
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 3, n)])
    X[rng.random(X.shape) < 0.1] = NO
    y = rng.integers(0, classes, n) if classes else rng.normal(size=n)
    if classes:
        y[:classes] = np.arange(classes)
    shape, modules = [], {}

    def add(budget):
        node = len(shape)
        shape.append((-1, -1))
        if budget:
            modules[node] = [random_decision(rng, f, 1 / 3) for f in rng.permutation(3)]
            left = add((budget - 1) // 2)
            shape[node] = (left, add(budget - 1 - (budget - 1) // 2))
        return node

    add(int(rng.integers(most // 2, most)))
    target = Feature("y", "category", tuple("abc")[:classes]) if classes else Feature("y")
    return tree_of(shape, modules, X, y), make_dataset("random", X, FEATURES, y, target)


def random_decision(rng, f, share):
    values = np.sort(rng.normal(size=4)) if f == 0 else rng.permutation(3).astype(float)
    cuts = [(float(v), float(w)) for v, w in zip(values, rng.random(len(values)) + 0.1, strict=True)]
    threshold = float(values[1]) if f == 0 else NO
    return decision(
        int(f), threshold, cuts, reversed=bool(rng.integers(2)), share=share, missing_left=float(rng.random())
    )


def naive_histogram(tree, data, node, scale):
    """Fractions at a node by bin and class, one sample at a time, and of missing values."""
    counts, lost = np.zeros((scale["bins"], len(data.classes))), 0.0
    width = (scale["high"] - scale["low"]) / scale["bins"]
    for x, y in zip(data.X, data.y, strict=True):
        fraction, value = fractions_of(tree, x)[node], x[tree.feature[node]]
        if np.isnan(value):
            lost += fraction
        else:
            counts[min(max(int((value - scale["low"]) // width), 0), scale["bins"] - 1), y] += fraction
    return counts.ravel(), lost


@given(seed=st.integers(0, 10_000))
def test_histograms_count_fractions_as_the_naive_version_does(seed):
    tree, data = grown_like(np.random.default_rng(seed))
    card = cards(tree, data, everything(data))
    split = next(node for node in reversed(card["nodes"]) if "f" in node)
    counts, lost = naive_histogram(tree, data, split["id"], card["scales"][str(split["f"])])
    if split["f"] == 0:  # a value on the edge of two bins may be rounded into either
        assert sum(split["hist"]) == pytest.approx(counts.sum(), abs=0.01 * len(counts))
    else:
        np.testing.assert_allclose(split["hist"], counts, atol=0.0051)
    assert split.get("missing", [0])[0] == pytest.approx(lost, abs=0.0051)


@given(seed=st.integers(0, 10_000), classes=st.sampled_from([0, 2, 3]))
def test_both_children_have_the_weight_of_their_parent(seed, classes):
    tree, data = grown_like(np.random.default_rng(seed), classes=classes)
    card = cards(tree, data, everything(data))
    nodes = {node["id"]: node for node in card["nodes"]}
    for node in card["nodes"]:
        if "left" in node:
            below = nodes[node["left"]]["part"] + nodes[node["right"]]["part"]
            assert below == pytest.approx(node["part"], abs=2)  # per mille, rounded
        if classes and "hist" in node:
            counted = sum(node["hist"]) + node.get("missing", [0])[0]
            assert counted == pytest.approx(tree.weight[node["id"]], abs=0.005 * (len(node["hist"]) + 1))


@given(seed=st.integers(0, 10_000))
def test_a_regression_shows_samples_of_its_modules_and_all_fractions_of_its_leaves(seed):
    tree, data = grown_like(np.random.default_rng(seed), classes=0)
    for node in cards(tree, data, everything(data))["nodes"]:
        if "f" in node:
            assert len(node["dots"]) // 2 <= drawing_views.DOTS
            assert all(0 <= d <= 100 for d in node["dots"])
        elif "hist" in node:
            assert sum(node["hist"]) == pytest.approx(
                tree.weight[node["id"]], abs=0.005 * len(node["hist"]) + 1e-9
            )


def test_a_dot_stands_for_an_equal_weight_of_fractions():
    fraction = np.array([1e-9, 1.0, 1e-9, 1.0, 1e-9])
    assert drawing_views._evenly(fraction, 2).tolist() == [1, 3]
    assert drawing_views._evenly(fraction[:0], 2).tolist() == []


@pytest.mark.parametrize(("is_class", "unit"), [(True, 1.0), (False, 2 * 0.5)])
def test_the_tolerance_falls_with_the_third_power_of_the_depth(is_class, unit):
    tree, data = by_hand()
    if not is_class:
        y = data.y.astype(float)
        data = make_dataset("toy", data.X, FEATURES, y, Feature("price"))
        tree = tree._replace(value=tree.value[:, :1])
    two = [
        decision(0, 2.0, [(2.0, 1.0)], share=0.5),
        decision(1, NO, [(0.0, 1.0), (1.0, 0.0)], share=0.5, impurity=0.21),
    ]
    lower = tree_of([(1, 4), (2, 3), (-1, -1), (-1, -1), (-1, -1)], {0: two, 1: two})
    lower = lower._replace(value=lower.value[:, : tree.value.shape[1]])
    nodes = cards(lower, data, everything(data), eta=0.4)["nodes"]
    offs = [nodes[node]["options"][1]["off"] for node in (0, 1)]
    assert offs == [round(1000 * 0.01 / (0.4 * unit)), round(1000 * 0.01 / (0.4 * unit / 8))]


def test_without_a_tolerance_the_farthest_option_marks_it():
    tree, data = by_hand()
    root = cards(tree, data, everything(data))["nodes"][0]
    assert [option["off"] for option in root["options"]] == [0, 1000]
    assert root["tolerance"] == ["0.2", "0.05"]


def test_thousands_of_options_make_a_small_card():
    n = 2000
    X = np.random.default_rng(0).normal(size=(40, n))
    y = np.arange(40) % 2
    cuts = [(float(v), 1.0) for v in np.linspace(-1, 1, 300)]
    options = [decision(f, 0.0, cuts, share=1 / n, impurity=0.2 + f / (10 * n)) for f in range(n)]
    tree = stump(*options)
    data = make_dataset("wide", X, [Feature(f"gene {f}") for f in range(n)], y, Feature("y", "yes/no", ("a", "b")))
    card = cards(tree, data, everything(data), eta=0.3)
    root = card["nodes"][0]
    assert root["pooled"] == n
    assert [option["f"] for option in root["options"]] == list(range(MOST_OPTIONS))
    assert len(root["gate"]) // 2 <= MOST_STEPS
    assert root["cuts"][0] == 300
    assert len(json.dumps(card)) < 3000


def test_of_very_many_fractions_some_rows_are_counted_for_all_and_a_tree_too_big_keeps_the_heaviest_branches(
    monkeypatch,
):
    rng = np.random.default_rng(5)
    tree, data = grown_like(rng, n=900)
    monkeypatch.setattr(drawing_views, "ALL_PARTS", int(tree.n_samples.sum()) // 3)
    sample = drawing_views.sample_of(tree, data.X, data.y)
    assert len(sample.y) == pytest.approx(300, abs=5)
    root = cards(tree, data, everything(data))["nodes"][0]
    assert sum(root["hist"]) + root.get("missing", [0])[0] == pytest.approx(900, abs=0.5)
    tree, data = grown_like(np.random.default_rng(2))
    monkeypatch.setattr(card_views, "MAX_CARDS", 5)
    card = cards(tree, data, everything(data))
    shown = [node["id"] for node in card["nodes"]]
    assert len(shown) == 5
    assert card["omitted"] == tree.n_nodes - 5
    assert all(up in shown for up in parents(tree)[shown[1:]])
    opened = [node["id"] for node in card["nodes"] if "left" in node]
    closed = [node["id"] for node in card["nodes"] if "more" in node]
    assert min(tree.weight[opened]) >= max(tree.weight[closed])


def test_modules_are_the_same_bytes_each_time_and_another_cut_or_tolerance_gives_another_id():
    tree, data = by_hand()
    first, second = (json.dumps(cards(tree, data, everything(data), eta=0.3)) for _ in range(2))
    assert first == second
    other = tree._replace(cuts=tree.cuts._replace(weight=tree.cuts.weight * 2))
    ids = [
        cards(t, data, everything(data), "gini", eta)["id"] for t, eta in ((tree, 0.3), (other, 0.3), (tree, 0.2))
    ]
    assert len(set(ids)) == 3


def test_a_lone_leaf_has_no_module_and_options_on_features_that_the_data_lack_are_refused():
    _, data = by_hand()
    card = cards(tree_of([(-1, -1)], {}), data, everything(data))
    assert len(card["nodes"]) == 1
    assert card["features"] == card["scales"] == {}
    tree, data = by_hand()
    narrow = make_dataset("narrow", data.X[:, :2], FEATURES[:2], data.y, data.target)
    with pytest.raises(ValueError, match="splits on feature 2, the data have 2"):
        cards(tree, narrow, everything(narrow))


# A tree that is CART's, and whose split parts known values from missing ones

AGE_AND_NOISE = [Feature("age"), Feature("noise")]
ILL = Feature("ill", "category", ("no", "yes"))


def grown():
    """Whoever's age is missing is ill: the best split has an infinite threshold."""
    age = np.where(np.arange(40) % 4 == 0, np.nan, np.arange(40.0))
    X = np.column_stack([age, np.arange(40) % 7])
    data = make_dataset("t", X, AGE_AND_NOISE, np.isnan(age).astype(int), ILL)
    return data, CultivatedClassifier(robust_splits=False, options=False).fit(data.X, data.y).tree_


def test_a_split_on_what_is_known_says_so_reads_back_from_json_and_no_export_has_an_infinite_number():
    _, tree = grown()
    assert tree.decisions.threshold.tolist() == [np.inf]
    assert decision_words(tree, AGE_AND_NOISE, 0) == "age is known"
    assert decision_words(tree, AGE_AND_NOISE, 0, left=False) == "age is missing"
    assert gate_of(tree, 0)[1].tolist() == []
    data, tree = grown()
    text = to_json(tree, AGE_AND_NOISE, ILL)
    json.loads(text, parse_constant=pytest.fail)
    again: Any = from_json(text)[0]
    assert again.cuts.value.tolist() == [np.inf]
    assert again.decisions.threshold.tolist() == [np.inf]
    assert data.y.sum() == 10
    _, tree = grown()
    for text in (to_python(tree, AGE_AND_NOISE, ILL), to_sql(tree, AGE_AND_NOISE, ILL)):
        assert not re.search(r"(?<![\w(|])[-+]?inf\b", text)  # but as a word that a helper refuses


def test_the_inspector_finds_the_split_that_the_tree_makes():
    data, tree = grown()
    weight = fractions_in(tree, data.X, 0)
    made = module(data, tree, 0, weight, Habits(0.0, 0.0))
    assert made.offers[0].value[made.offers[0].at] == np.inf
    card = impurity_curve.band_card(impurity_curve.band(data, weight, made, 0), data, "gini")
    json.dumps(card, allow_nan=False)
    assert card["known"] == [0, 30]
    assert impurity_curve.best_cut(made.offers[0], False, AGE_AND_NOISE) == "age is known"
