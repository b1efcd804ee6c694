"""Every export of an oblique tree says what the tree says: sources are run, documents are read back."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from espalier.data.dataset import Feature
from espalier.learners import ObliqueClassifier, ObliqueRegressor
from espalier.oblique import ObliqueTree
from espalier.predict import leaves, shares
from espalier.views.export import drawing, from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.views.export.dialects import DIALECTS
from tests.tools import by_hand
from tests.tools.cases import case
from tests.views.export.test_cultivated_export import (
    CLASS,
    FEATURES,
    MEAN,
    NUMBERS,
    as_dict,
    run_python,
    run_sql,
    table,
)

THREE = (*NUMBERS, Feature("z", "category", ("a", "b", "c")))


def grown(n_classes: int, seed: int = 0, **parameters) -> tuple[ObliqueTree, np.ndarray, Feature]:
    """A tree with slanted splits over numbers and levels, and splits on categories, of data that miss values."""
    rng = np.random.default_rng(seed)
    X = table()[rng.permutation(80)]
    known = np.nan_to_num(X)
    goal = known[:, 0] + known[:, 1] - known[:, 3] + 2 * (known[:, 2] % 2) + 0.3 * rng.normal(size=len(X))
    chosen = {"max_depth": 5, "categorical_features": [2], **parameters}
    if not n_classes:
        return ObliqueRegressor(**chosen).fit(X, goal).tree_, X, MEAN
    y = np.digitize(goal, np.quantile(goal, np.arange(1, n_classes) / n_classes))
    target = Feature("the target", "category", ("p'q", "r", "s")[:n_classes])
    return ObliqueClassifier(**chosen).fit(X, y).tree_, X, target


def rows_and_dicts(X):
    """Rows with nothing known, and with categories that the tree never met, beside the given ones."""
    strange = np.array([[np.nan] * 4, [1e9, 2, 4, -1e9], [0.1, np.nan, 4, 0.2]])
    X = np.vstack([X, strange])
    rows = [as_dict(FEATURES, x) for x in X]
    X[X[:, 2] == 4, 2] = np.nan  # a name that the tree does not know is missing
    return X, rows


def test_the_trees_of_these_tests_have_splits_of_every_kind():
    tree, _, _ = grown(2)
    assert tree.is_slanted.any()
    assert (np.isnan(tree.threshold) & (tree.left >= 0)).any()
    assert 1 in tree.terms.feature.tolist()


def test_the_exported_function_predicts_as_the_tree_does():
    for seed in range(3):
        for n_classes in [0, 2, 3]:
            with case((seed, n_classes)):
                tree, X, target = grown(n_classes, seed)
                X, rows = rows_and_dicts(X)
                predicted = run_python(to_python(tree, FEATURES, target))["predict"]
                for said, value in zip(map(predicted, rows), shares(tree, X).tolist(), strict=True):
                    assert said == (
                        (target.categories[int(np.argmax(value))], tuple(value)) if n_classes else value[0]
                    )


def test_the_sql_expression_predicts_as_the_tree_does():
    for seed in range(3):
        for n_classes in [0, 2, 3]:
            with case((seed, n_classes)):
                tree, X, target = grown(n_classes, seed)
                X, rows = rows_and_dicts(X)
                found = run_sql(to_sql(tree, FEATURES, target, "sqlite"), rows)[:, 0].tolist()
                value = shares(tree, X)
                names = [target.categories[k] for k in value.argmax(axis=1)] if n_classes else value[:, 0].tolist()
                assert found == names


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_written(dialect):
    tree, _, target = grown(2)
    assert "CASE" in to_sql(tree, FEATURES, target, dialect)


def test_json_reads_back_bit_for_bit():
    for seed in range(3):
        for n_classes in [0, 2, 3]:
            with case((seed, n_classes)):
                tree, X, target = grown(n_classes, seed)
                text = to_json(tree, FEATURES, target)
                back, features, goal = from_json(text)
                assert isinstance(back, ObliqueTree)
                assert (features, goal) == (FEATURES, target)
                for ours, theirs in zip([*tree[:-1], *tree.terms], [*back[:-1], *back.terms], strict=True):
                    assert (ours.dtype, ours.shape, ours.tobytes()) == (
                        theirs.dtype,
                        theirs.shape,
                        theirs.tobytes(),
                    )
                assert leaves(back, X).tolist() == leaves(tree, X).tolist()
                assert json.loads(text, parse_constant=pytest.fail)["format"] == "espalier-oblique-tree"


def broken(node: int = 0, fill: list | None = None, **changes) -> str:
    found = json.loads(to_json(by_hand.slanted(), THREE, CLASS))
    found["nodes"][node].update(changes)
    return json.dumps(found | ({} if fill is None else {"fill": fill}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (broken(fill=[1.0]), "fill: expected 3 numbers, one for each feature, found [1.0]"),
        (broken(right=9), "children of node 0 are not in preorder"),
        (broken(terms=[{"feature": 3, "coefficient": 1}]), "expected a number of a feature, 0 to 2, found 3"),
        (broken(terms=[{"feature": 0, "coefficient": 1}]), "the terms of node 0 are fewer than two"),
        (broken(threshold="inf"), "nodes[0].threshold: expected a finite number"),
    ],
)
def test_a_broken_document_is_refused_with_the_place(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        from_json(text)


def test_rules_have_a_rule_for_each_leaf_with_all_conditions_of_its_way():
    tree, _, target = grown(3)
    text = to_rules(tree, FEATURES, target)
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == tree.n_leaves
    assert "A missing value counts as: petal width " in text


def test_a_rule_writes_the_sum_with_its_coefficients():
    text = to_rules(by_hand.slanted(), THREE, CLASS)
    assert "if x + y ≤ 3\n" in text
    assert "if z is b\n   and x + y > 3\n" in text
    assert "A missing value counts as: x 1.0, y 2.0, z a." in text


def test_the_drawing_has_a_box_for_each_node_and_writes_sums():
    tree, _, target = grown(2)
    source = to_dot(tree, FEATURES, target)
    assert len(re.findall(r"^\tn\d+ \[", source, re.MULTILINE)) == tree.n_nodes
    assert re.search(r"petal width [+−] .*≤", source)
    assert drawing(tree, FEATURES, target, dark=True, max_depth=1).source.count("more nodes") > 0


def test_a_lone_leaf_is_exported_too():
    X = np.arange(6.0).reshape(3, 2)
    tree = ObliqueRegressor().fit(X, np.full(3, 2.5)).tree_
    assert run_python(to_python(tree, NUMBERS, MEAN))["predict"]({}) == 2.5
    assert run_sql(to_sql(tree, NUMBERS, MEAN, "sqlite"), [{"x": 1}]).tolist() == [[2.5]]
    assert isinstance(from_json(to_json(tree, NUMBERS, MEAN))[0], ObliqueTree)
