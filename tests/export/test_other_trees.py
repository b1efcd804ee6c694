"""What exports of cultivated, oblique and model trees, and of surrogates, say besides: by hand."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.export import drawing, from_json, to_dot, to_json, to_python, to_rules, to_sklearn, to_sql
from espalier.export.dialects import DIALECTS
from espalier.export.sql import MAX_POOL_DEPTH as MAX_DEPTH
from espalier.export.sql import MAX_TERMS
from espalier.kernels.cultivated.fractions import DROPPED, fractions_of
from espalier.leaf_models import ModelTree, make_leaf_models
from espalier.learners import CartClassifier, CultivatedRegressor, ModelTreeRegressor
from espalier.predict import leaves, means, shares
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import nearest_leaf
from espalier.trees import LEAF, make_cultivated
from tests.export.test_export import CLASS, FEATURES, NUMBERS, as_dicts, chain, check, grown
from tests.tools import by_hand
from tests.tools.exported import scope_of

MEAN = Feature("y")
THREE = (*NUMBERS, Feature("z", "category", ("a", "b", "c")))


# ---- cultivated trees


def test_the_exported_function_tells_the_fractions_and_forgets_those_too_small_to_count():
    tree, X, target = grown("cultivated", 2)
    fractions = scope_of(to_python(tree, FEATURES, target))["fractions"]
    for x, row in zip(X[:20], as_dicts(FEATURES, X), strict=False):
        here, found = fractions_of(tree, x) * (tree.left < 0), fractions(row)
        assert {leaf: pytest.approx(here[leaf], abs=1e-12) for leaf in np.flatnonzero(here).tolist()} == found
        assert sum(found.values()) == pytest.approx(1)
    assert scope_of(to_python(by_hand.neighbourhoods(), NUMBERS, CLASS))["SMALLEST"] == DROPPED


def test_a_category_past_the_last_is_one_that_the_tree_does_not_know():
    tree, X, _ = grown("cultivated", 0)
    unknown, missing = (np.column_stack([X[:, :2], np.full(len(X), code), X[:, 3]]) for code in (4, np.nan))
    assert np.array_equal(shares(tree, unknown), shares(tree, missing))


def test_sql_follows_deep_trees_as_far_as_it_says():
    """A chain of modules, each with two options on the same feature, whose leaves are on the left."""
    n = 2 * MAX_DEPTH + 1
    node, split = np.arange(n), (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    start, each = 2 * np.concatenate([[0], np.cumsum(split)]), np.ones(2 * MAX_DEPTH)
    tree = make_cultivated(
        np.where(split, node + 1, -1), np.where(split, node + 2, -1), np.ones(n), np.ones(n), node[:, None],
        np.zeros(n), (start, 0 * each, each, each > 2, 0.5 * each, 0.5 * each, 0 * each),
        (np.arange(0, 4 * MAX_DEPTH + 1, 2), np.tile([0.5, 1.0, 0.75, 1.5], MAX_DEPTH), np.ones(4 * MAX_DEPTH)),
    )  # fmt: skip
    check(tree, NUMBERS[:1], MEAN, np.array([[0.25], [0.75], [np.nan], [3.0]]))


def test_a_tree_too_large_for_sql_says_why_and_rules_name_every_leaf_with_the_modules_on_its_way():
    X = np.random.default_rng(0).normal(size=(400, 3))
    tree = CultivatedRegressor(k="all", max_depth=6).fit(X, X.sum(axis=1)).tree_
    with pytest.raises(ValueError, match=r"every row is in several leaves.*Python function has no such limit"):
        to_sql(tree, tuple(map(Feature, "xyz")), MEAN)
    text = to_rules(by_hand.neighbourhoods(), NUMBERS, CLASS)
    rules = text.split("\n\n")[2:]
    assert len(rules) == 4
    assert "in place of 10^1.43 trees" in text  # 3 cuts in each of 3 modules: 27
    lines = next(rule for rule in rules if "red, 60 %" in rule).split("\n")
    assert [line.strip() for line in lines[1:]] == ["if x ≲ 5", "and y ≳ 3"]


def test_options_are_named_with_their_shares_in_rules_in_drawings_and_under_the_pointer():
    text, source = (write(by_hand.options(), NUMBERS, CLASS) for write in (to_rules, to_dot))
    assert "if 50 %: x ≲ 5; 50 %: y > 3\n" in text
    assert "if 50 %: x ≳ 5; 50 %: y ≤ 3\n" in text
    assert r"50 %: x ≲ 5\n50 %: y > 3\n" in source
    source = drawing(by_hand.options(), NUMBERS, CLASS).source
    assert 'tooltip="as far as (x ≲ 5 or y > 3)"' in source
    assert 'tooltip="as far as (x ≳ 5 or y ≤ 3)"' in source


def test_rules_say_what_part_of_a_missing_value_comes_along():
    text = to_rules(by_hand.soft_colours(), (Feature("z", "category", tuple("abcd")),), MEAN, np.array([True]))
    assert "(of what is missing, 40 %)" in text
    assert "(of what is missing, 60 %)" in text


# ---- oblique trees


def test_a_sum_that_is_its_threshold_goes_left_and_coefficients_keep_all_their_digits():
    tree = by_hand.slanted()
    tree = tree._replace(terms=tree.terms._replace(coefficient=np.array([1 / 3, 1.0])))
    X = np.array([[0.0, 3, 0], [0, 3.1, 1], [3, 2, 2], [np.nan, 2, 1], [1e9, np.nan, np.nan]])
    assert leaves(tree, X).tolist() == [1, 3, 1, 1, 4]
    check(tree, THREE, CLASS, X)


def test_a_rule_writes_the_sum_with_its_coefficients_and_what_a_missing_value_counts_as():
    text = to_rules(by_hand.slanted(), THREE, CLASS)
    assert "if x + y ≤ 3\n" in text
    assert "if z is b\n   and x + y > 3\n" in text
    assert "A missing value counts as: x 1.0, y 2.0, z a." in text
    nameless = (*THREE[:2], Feature("z", "category"))
    assert "A missing value counts as: x 1.0, y 2.0, z 0.0." in to_rules(by_hand.slanted(), nameless, CLASS)
    tree, _, target = grown("oblique", 2)
    assert "A missing value counts as: petal width " in to_rules(tree, FEATURES, target)
    assert re.search(r"petal width [+−] .*≤", to_dot(tree, FEATURES, target))


# ---- model trees


def test_a_tree_too_deep_for_if_and_else_becomes_a_table():
    tree = chain(61)
    n = tree.n_nodes
    leaf = tree.feature == LEAF
    intercept = np.where(leaf, np.arange(n), np.nan)[:, np.newaxis]
    start = np.append(0, np.cumsum(leaf))
    terms = (np.ones(leaf.sum()), np.full((leaf.sum(), 1), 0.5), np.zeros(leaf.sum()), np.ones(leaf.sum()))
    models = make_leaf_models(intercept, start, *terms, [0.0, 0.25], [-99.0], [999.0], "identity")
    X = np.array([[-1.0, 0.5], [5.5, np.nan], [60, 7], [61, -7], [np.nan, np.nan]])
    assert "NODES = (" in to_python(ModelTree(tree, models), NUMBERS, MEAN)
    check(ModelTree(tree, models), NUMBERS, MEAN, X)


def formulas(*record) -> ModelTree:
    """A lone leaf with this formula."""
    value = [0.0, 1.0] if record[-1] == "softmax" else [0.0]
    return ModelTree(by_hand.lone_leaf(*value, n=3), make_leaf_models(*record))


def test_a_class_that_no_row_has_is_never_predicted():
    no, ends = -math.inf, ([-math.inf] * 2, [math.inf] * 2)
    model = formulas([[no, 0.0]], [0, 1], [0], [[0.0, 1.0]], [0.0], [1.0], [0.5], *ends, "softmax")
    X = np.array([[0.25], [np.nan]])
    assert shares(model, X).tolist() == [[0, 1], [0, 1]]
    check(model, NUMBERS[:1], CLASS, X)


def test_scores_stand_beside_each_other_in_every_dialect():
    model, _, target = grown("model", 3)
    for dialect in DIALECTS:
        source = to_sql(model, FEATURES, target, dialect)
        assert source.count("AS score_") == 3
        assert "s.score_1 >= s.score_2 AND s.score_1 >= s.score_3" in source


def test_a_formula_too_long_for_databases_says_why():
    n = MAX_TERMS + 1
    ones, zeros = np.ones(n), np.zeros(n)
    model = formulas([[0.0]], [0, n], np.arange(n), ones[:, None], zeros, ones, zeros, [0.0], [9.0], "identity")
    with pytest.raises(ValueError, match="901 terms, and databases refuse sums of more than 900"):
        to_sql(model, [Feature(f"x{i}") for i in range(n)], MEAN)


WIDE = (*NUMBERS, Feature("the width"))


def bent() -> tuple[ModelTree, np.ndarray]:
    """A tree of a target that bends twice, and rows of which some have gaps."""
    X = np.random.default_rng(1).normal(size=(300, 3))
    y = np.abs(X[:, 0]) * 3 + np.abs(X[:, 1] - 0.5) + X[:, 2]
    model = ModelTreeRegressor(max_depth=2).fit(X, y).model_tree_
    X[::7, 1] = np.nan
    return model, X


def computed(line: str, limits: str, values: dict[str, float]) -> float:
    """What the formula of a rule gives for a row, computed from its words alone."""
    ends = {}
    for part in limits.removeprefix("where ").split("; "):
        if found := re.fullmatch(r"(.+) from (\S+) to (\S+), missing (\S+)", part):
            ends[found[1]] = [float(text.replace("−", "-").replace(",", "")) for text in found.groups()[1:]]
    terms = re.split(r" (?=[+−] )", line.split(" = ")[1])
    total = float(terms[0].replace("−", "-").replace(",", ""))
    for term in terms[1:]:
        coefficient, name = term[2:].split(" × ")
        low, high, fill = ends[name]
        value = fill if math.isnan(values[name]) else min(max(values[name], low), high)
        total += (-1 if term[0] == "−" else 1) * float(coefficient.replace(",", "")) * value
    return total


def test_the_formula_of_a_rule_gives_what_the_app_predicts():
    model, X = bent()
    rules = to_rules(model, WIDE, Feature("z")).split("\n\n")[2:]
    assert len(rules) == model.n_leaves > 2
    sizes = [f"n = {n}," for n in model.tree.n_samples.tolist()]
    leaf = leaves(model, X)
    for row in range(60):
        rule = next(text for text in rules if sizes[leaf[row]] in text).splitlines()
        line = next(text for text in rule if " = " in text and "n = " not in text)
        limits = next((text.strip() for text in rule if text.strip().startswith("where ")), "")
        values = dict(zip((f.name for f in WIDE), X[row].tolist(), strict=True))
        assert computed(line.strip(), limits, values) == pytest.approx(means(model, X[[row]])[0], abs=1e-3)


def test_rules_name_the_numbers_of_levels_and_the_meaning_of_scores_and_drawings_a_formula_in_each_leaf():
    model, _, target = grown("model", 2)
    text = to_rules(model, FEATURES, target)
    assert "log odds of r = " in text
    assert "Log odds of 0 are a share of 50 %" in text
    assert 'a "level" counts as 0 for none, 1 for mild, 2 for bad.' in text
    model, _, target = grown("model", 3)
    assert "score of s = " in to_rules(model, FEATURES, target)
    model, _ = bent()
    assert to_dot(model, WIDE, Feature("z")).count("z = ") == model.n_leaves


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
