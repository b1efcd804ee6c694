"""Surrogate splits in exports, by hand; tests of random trees with surrogates stand in test_export."""

import json
import re

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display.tree.graphviz import to_dot
from espalier.export import from_json, to_json, to_python, to_rules, to_sklearn, to_sql
from espalier.learners import CartClassifier
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import nearest_leaf
from tests.export.test_export import check

IRIS = samples.load("iris")
GAPS = np.where(np.random.default_rng(1).random(IRIS.X.shape) < 0.2, np.nan, IRIS.X)
TREE = CartClassifier(missing="surrogate", max_depth=3).fit(GAPS, IRIS.y).tree_


def test_exports_agree_with_trees_on_rows_with_gaps_and_on_categories_that_no_split_saw():
    assert TREE.has_surrogates
    check(TREE, IRIS.features, IRIS.target, GAPS)
    tree, target = OF_COLOUR.tree_, Feature("y", "category", ("no", "yes"))
    assert (tree.surrogates.own_seen[0], tree.surrogates.seen[0]) == (0b11, 0b11)
    rows = np.array([[2, 0], [2, 1], [2, 2], [np.nan, 0], [np.nan, 2], [0, 2], [1, 0]])
    check(tree, (COLOUR, SHAPE), target, rows)


COLOUR = Feature("colour", "category", ("red", "blue", "green"))
SHAPE = Feature("shape", "category", ("round", "long", "flat"))
COLOURED = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [1, 1]], dtype=float)
OF_COLOUR = CartClassifier(max_depth=1, missing="surrogate", categorical_features=[0, 1])
OF_COLOUR.fit(COLOURED, [0, 0, 0, 1, 1, 1, 1])


def test_drawings_and_rules_name_the_first_surrogates_and_the_last_resort():
    source = to_dot(TREE, IRIS.features, IRIS.target)
    assert source.count("where missing:") == np.count_nonzero(np.diff(TREE.surrogates.start))
    assert re.search(r"where missing:\\nelse, if petal (length|width) ≤ [\d.]+", source)
    assert re.search(r"else (yes|no)\\n", source)
    plain = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    assert "where missing" not in to_dot(plain, IRIS.features, IRIS.target)
    text = to_rules(TREE, IRIS.features, IRIS.target)
    assert "Where a value is missing, other columns decide" in text
    assert re.search(r"yes if petal (length|width) [≤>] \S+ \(agrees in \d+", text)


def test_documents_have_version_2_only_with_surrogates_and_a_wrong_one_says_where():
    plain = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    with_surrogates, without = (json.loads(to_json(tree, IRIS.features, IRIS.target)) for tree in (TREE, plain))
    assert (with_surrogates["version"], without["version"]) == (2, 1)
    with_surrogates["nodes"][0]["surrogates"][0]["feature"] = 9
    with pytest.raises(ValueError, match=r"nodes\[0\]\.surrogates\[0\]\.feature"):
        from_json(json.dumps(with_surrogates))


def test_what_knows_no_surrogates_refuses_them_by_name():
    with pytest.raises(ValueError, match="surrogate splits"):
        to_sklearn(TREE, IRIS.features, IRIS.target)
    gap = np.array([np.nan, *IRIS.X[0, 1:]])
    with pytest.raises(ValueError, match="surrogate splits"):
        nearest_leaf(TREE, IRIS, gap, lambda answers: other_class(0)(answers))
    assert nearest_leaf(TREE, IRIS, IRIS.X[0], other_class(0)) is not None


@pytest.mark.parametrize("export", [to_python, to_sql])
def test_all_columns_that_a_surrogate_asks_for_are_read(export):
    source = export(TREE, IRIS.features, IRIS.target)
    for feature in np.unique(TREE.surrogates.feature):
        assert IRIS.features[feature].name in source
