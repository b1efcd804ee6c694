"""Conditions, rules and answers as a person would write them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.tree.rules import ALL, Bound
from espalier.data.dataset import Feature
from espalier.inert import inert
from espalier.trees import LEAF, make_tree
from espalier.views.text.trees import condition, describe, is_tied, join, phrase, rule, says, thresholds
from tests.tools import random_trees
from tests.tools.cases import case

LETTERS = tuple("abcdefghijklmno")
FEATURES = (
    Feature("petal width"),
    Feature("pain", "ordered", ("none", "mild", "moderate", "severe")),
    Feature("smoker", "yes/no", ("no", "yes")),
    Feature("colour", "category", ("red", "green", "blue")),
    Feature("town", "category", LETTERS),
    Feature("code"),
)
WIDTH, PAIN, SMOKER, COLOUR, TOWN, CODE = range(6)
MISSING = np.ones(6, dtype=bool)
SPECIES = Feature("species", "category", ("setosa", "versicolor"))


def mask(*codes: int) -> int:
    return sum(1 << code for code in codes)


def test_a_bound_is_a_phrase():
    for bound, expected in [
        (Bound(WIDTH, high=0.8), "petal width ≤ 0.8"),
        (Bound(WIDTH, low=0.8), "petal width > 0.8"),
        (Bound(WIDTH, low=0.8, high=1.75), "0.8 < petal width ≤ 1.75"),
        (Bound(WIDTH, high=-2.5), "petal width ≤ −2.5"),
        (Bound(WIDTH, high=16.795), "petal width ≤ 16.795"),
        (Bound(WIDTH, high=math.inf, missing=False), "petal width is known"),
        (Bound(WIDTH, low=math.inf), "petal width is missing"),
        (Bound(WIDTH, low=math.inf, missing=False), "petal width is impossible"),
        (Bound(WIDTH), "petal width is anything"),
        (Bound(PAIN, high=2.5), "pain is at most moderate"),
        (Bound(PAIN, low=2.5), "pain is severe"),
        (Bound(PAIN, low=1.5), "pain is above mild"),
        (Bound(PAIN, high=0.5), "pain is none"),
        (Bound(PAIN, low=0.5, high=2.5), "pain is from mild to moderate"),
        (Bound(PAIN, low=0.5, high=1.5), "pain is mild"),
        (Bound(PAIN, categories=mask(0, 3)), "pain is none or severe"),
        (Bound(SMOKER, high=0.5), "smoker is no"),
        (Bound(SMOKER, low=0.5), "smoker is yes"),
        (Bound(SMOKER, high=math.inf, missing=False), "smoker is known"),
        (Bound(COLOUR, categories=mask(0, 2)), "colour is red or blue"),
        (Bound(COLOUR, categories=mask(1)), "colour is green"),
        (Bound(COLOUR, categories=ALL & ~mask(0)), "colour is green or blue"),
        (Bound(COLOUR, categories=mask(0, 1, 2), missing=False), "colour is known"),
        (Bound(COLOUR, categories=ALL & ~mask(0, 1, 2)), "colour is missing"),
        (Bound(TOWN, categories=mask(0, 1, 2, 3)), "town is a, b, c or d"),
        (Bound(TOWN, categories=mask(*range(6))), "town is one of 6: a, b, c, …"),
        (Bound(TOWN, categories=ALL & ~mask(0, 1)), "town is none of a, b"),
        (Bound(TOWN, categories=ALL & ~mask(4)), "town is not e"),
        (Bound(TOWN, categories=ALL & ~mask(*range(6))), "town is none of a, b, c, …"),
        (Bound(CODE, categories=mask(3, 7)), "code is 3 or 7"),
        (Bound(CODE, categories=ALL & ~mask(3, 7)), "code is none of 3, 7"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, FEATURES) == expected


def test_missing_values_are_named_where_the_feature_has_some():
    for bound, expected in [
        (Bound(WIDTH, high=0.8), "petal width ≤ 0.8 or missing"),
        (Bound(WIDTH, high=0.8, missing=False), "petal width ≤ 0.8"),
        (Bound(PAIN, high=2.5), "pain is at most moderate or missing"),
        (Bound(SMOKER, low=0.5), "smoker is yes or missing"),
        (Bound(COLOUR, categories=mask(0, 2)), "colour is red, blue or missing"),
        (Bound(TOWN, categories=ALL & ~mask(4)), "town is not e or missing"),
        (Bound(TOWN, categories=mask(*range(6))), "town is one of 6: a, b, c, … or missing"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, FEATURES, MISSING) == expected
            assert "missing" not in phrase(bound, FEATURES, ~MISSING)


def test_thresholds_get_the_digits_that_tell_them_apart():
    assert thresholds(0.12341, 0.12344) == ("0.12341", "0.12344")
    assert thresholds(1 / 3, 1 / 3 + 1e-9) == ("0.33333333333…", "0.33333333433…")
    assert thresholds(1.0, np.nextafter(1.0, 2)) == ("1", "1")  # no file of numbers has both
    assert thresholds(0.1 + 0.2, 1 / 3, exact=True) == ("0.3", "0.3333333333333333")


def tree():
    """Petal width twice, then colour; node 2 and 4 are inner."""
    nan = math.nan
    return make_tree(
        np.array([0, -1, 0, -1, 3, -1, -1]),
        np.array([0.8, nan, 1.75, nan, nan, nan, nan]),
        np.array([1, -1, 3, -1, 5, -1, -1]),
        np.array([2, -1, 4, -1, 6, -1, -1]),
        np.array([0, 0, 0, 0, mask(0, 2), 0, 0], "u8"),
        np.array([1, 0, 0, 0, 1, 0, 0], bool),
        np.array([10, 4, 6, 3, 3, 2, 1]),
        np.array([10.0, 4, 6, 3, 3, 2, 1]),
        np.array([[0.5, 0.5], [1, 0], [1 / 6, 5 / 6], [0, 1], [1 / 3, 2 / 3], [0, 1], [1, 0]]),
        np.zeros(7),
    )


def test_a_condition_speaks_of_either_side():
    assert condition(tree(), FEATURES, 0) == "petal width ≤ 0.8"
    assert condition(tree(), FEATURES, 0, left=False) == "petal width > 0.8"
    assert condition(tree(), FEATURES, 0, True, MISSING) == "petal width ≤ 0.8 or missing"
    assert condition(tree(), FEATURES, 4, left=False) == "colour is green"


def test_a_leaf_has_no_condition():
    with pytest.raises(ValueError, match="node 1 is a leaf"):
        condition(tree(), FEATURES, 1)


def test_a_rule_has_one_condition_a_feature():
    assert rule(tree(), FEATURES, 0) == []
    assert rule(tree(), FEATURES, 3) == ["0.8 < petal width ≤ 1.75"]
    assert rule(tree(), FEATURES, 5) == ["petal width > 1.75", "colour is red or blue"]


def test_a_node_says_its_class_or_its_mean():
    assert says(tree(), SPECIES, 2) == "versicolor, 5 of 6"
    assert says(tree(), SPECIES, 0) == "tie: setosa, versicolor, 50 % each"
    means = tree()._replace(value=np.full((7, 1), 151.28))
    assert says(means, Feature("y"), 0) == "mean 151"
    assert says(means, Feature("y", centre="median"), 0) == "median 151"


def test_a_node_is_described_in_one_sentence():
    assert describe(tree(), FEATURES, SPECIES, 0) == (
        "Node 0, the root: 10 rows, tie: setosa, versicolor, 50 % each; splits on petal width ≤ 0.8."
    )
    assert describe(tree(), FEATURES, SPECIES, 6) == (
        "Leaf 6, depth 3, petal width > 1.75 and colour is green: 1 row, setosa, 1 of 1."
    )


@pytest.mark.parametrize(
    ("parts", "expected"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_a_list_is_joined_as_people_say_it(parts, expected):
    assert join(parts, "or") == expected


@settings(deadline=None, max_examples=80)
@given(random_trees.features().flatmap(lambda f: st.tuples(st.just(f), random_trees.trees(f, SPECIES))))
def test_every_node_of_any_tree_can_be_put_into_words(case):
    features, grown = case
    for node in range(grown.n_nodes):
        assert describe(grown, features, SPECIES, node).endswith(".")
        if grown.feature[node] >= 0:
            name = inert(features[grown.feature[node]].name)  # on one line
            assert name in condition(grown, features, node)
            assert name in condition(grown, features, node, left=False)


IRISES = Feature("species", "category", ("setosa", "versicolor", "virginica"))


def tied(shares, n=105, is_split=True):
    """A tree whose root has these class shares of three kinds of iris."""
    below = [[1.0, 0, 0], [0, 1.0, 0]]
    value = np.array([shares, *below] if is_split else [shares], float)
    size = np.array([n, n // 2, n - n // 2] if is_split else [n])
    links = ([1, LEAF, LEAF], [2, LEAF, LEAF], [0, LEAF, LEAF]) if is_split else ([LEAF], [LEAF], [LEAF])
    left, right, feature = (np.array(part) for part in links)
    none = np.zeros(len(size))
    return make_tree(feature, none, left, right, none, none, size, size, value, none)


def test_where_classes_tie_a_node_names_them_all_whether_it_splits_or_not():
    for is_split in (True, False):
        third = tied([1 / 3] * 3, is_split=is_split)
        assert says(third, IRISES, 0) == "tie: setosa, versicolor, virginica, 33.3 % each"
        assert "tie: setosa, versicolor, virginica" in describe(third, FEATURES, IRISES, 0)
        assert is_tied(third, IRISES, 0)
    assert says(tied([0.4, 0.4, 0.2], n=10), IRISES, 0) == "tie: setosa, versicolor, 40 % each"
    assert not is_tied(tied([0.4, 0.35, 0.25], n=20), IRISES, 0)


def test_a_share_of_few_rows_stands_with_their_number_or_before_it_where_rows_do_not_count_alike():
    assert says(tied([0.75, 0.25, 0], n=4), IRISES, 0) == "setosa, 3 of 4"
    assert says(tied([0.7, 0.3, 0], n=4), IRISES, 0) == "setosa, 70 % (4 rows)"
    assert says(tied([1, 0, 0], n=1), IRISES, 0) == "setosa, 1 of 1"
    assert says(tied([0.5, 0.5, 0], n=4), IRISES, 0) == "tie: setosa, versicolor, 2 of 4 each"
    assert says(tied([0.7, 0.3, 0], n=10), IRISES, 0) == "setosa, 70 %"
