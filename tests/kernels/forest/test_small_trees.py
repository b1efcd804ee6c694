"""A forest of small trees says what its trees say one by one, to the last bit; also of missing values."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from espalier.kernels.forest import preorder
from espalier.kernels.forest import regions as module
from espalier.kernels.forest.coded.nodes import make_coded
from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.kernels.forest.preorder import leaf_table, sum_by_region
from espalier.kernels.forest.regions import has_few_leaves, single_region
from espalier.learners import CartClassifier, GradientBoostingRegressor, RandomForestClassifier
from espalier.learners.forests.predictor import ForestPredictor
from espalier.trees import make_forest, make_sum, make_tree
from tests.kernels.forest.test_coded import hard_rows
from tests.kernels.forest.test_regions import grown, said_one_by_one

RNG = np.random.default_rng(5)
X = RNG.normal(size=(400, 3))
GAPS = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
CLASSES = RNG.integers(0, 3, 400)


def coded_of(forest):
    packed = pack_forest(forest)
    coded: Any = make_coded(packed, missing=True)
    return packed, coded, single_region(packed, coded)


def said(forest, rows):
    packed, coded, regions = coded_of(forest)
    out = np.full((len(rows), packed.value.shape[1]), 7.0)
    sum_by_region(regions, coded, leaf_table(packed), rows_of(rows), out)
    return out


def with_gaps(rows):
    return np.where(RNG.random(rows.shape) < 0.2, np.nan, rows)


def levels(questions, values, missing_left=False):
    """A complete tree that asks in each level one question: a feature and a threshold."""
    columns: list[list] = [[], [], [], []]  # feature, threshold, left, right

    def write(level):
        at = len(columns[0])
        for column, entry in zip(columns, (-1, np.nan, -1, -1), strict=True):
            column.append(entry)
        if level < len(questions):
            columns[0][at], columns[1][at] = questions[level]
            columns[2][at] = write(level + 1)
            columns[3][at] = write(level + 1)
        return at

    write(0)
    feature, threshold, left, right = columns
    n, value = len(feature), np.zeros((len(feature), 1))
    value[np.array(feature) < 0, 0] = values
    sides = np.array(feature) >= 0 if missing_left else np.zeros(n, bool)
    return make_tree(
        feature, threshold, left, right, [0] * n, sides.tolist(), [4] * n, [4.0] * n, value, [0.0] * n
    )


QUESTIONS = [(0, 0.5), (2, -0.25), (0, 0.5), (1, 0.0)]  # one of them twice


@pytest.mark.few(17)
@pytest.mark.parametrize(
    "forest",
    [
        grown(),
        grown(max_depth=1),
        grown(max_depth=5),
        grown(voting="majority"),
        RandomForestClassifier(n_estimators=3, random_state=1).fit(np.round(X), CLASSES).forest_,
        RandomForestClassifier(n_estimators=3, random_state=1).fit(GAPS, CLASSES).forest_,
        RandomForestClassifier(n_estimators=9, max_depth=3).fit(GAPS, np.isnan(GAPS[:, 0])).forest_,
        GradientBoostingRegressor(n_estimators=20).fit(GAPS, X[:, 0]).forest_,
        make_sum([levels(QUESTIONS, RNG.normal(size=16))], [0.0], "identity", []),
        make_sum(
            [levels(QUESTIONS[:n], RNG.normal(size=1 << n), n % 2 == 0) for n in range(5)], [0.0], "identity", []
        ),
    ],
)
@pytest.mark.parametrize("n", [1, 5, 64, 700, preorder.BLOCK + preorder.ROWS + 3])
def test_the_sum_over_the_trees_is_that_of_one_after_the_other(forest, n):
    rows = hard_rows(forest, n)
    for table in (rows, with_gaps(rows)):
        assert (said(forest, table) == said_one_by_one(forest, table)).all()


def test_a_tree_of_one_question_a_level_takes_as_many_questions_as_levels():
    rows = RNG.normal(size=(50, 3))
    forest = make_sum([levels(QUESTIONS, np.arange(16.0))], [0.0], "identity", [])
    assert coded_of(forest)[2].n_levels.tolist() == [4]
    bits = np.stack([rows[:, feature] > threshold for feature, threshold in QUESTIONS])
    assert (said(forest, rows)[:, 0] == 2.0 ** np.arange(3, -1, -1) @ bits).all()


def test_a_tree_that_asks_another_question_in_one_place_has_no_levels():
    tree: Any = levels(QUESTIONS, np.arange(16.0))
    changes = {"feature": lambda old: 1 - old % 2, "threshold": lambda _: 0.125, "missing_left": lambda _: True}
    for node, (field, change) in product(np.flatnonzero(tree.feature >= 0)[1:], changes.items()):
        array = getattr(tree, field).copy()
        array[node] = change(array[node])
        forest = make_sum([tree._replace(**{field: array})], [0.0], "identity", [])
        assert coded_of(forest)[2].n_levels.tolist() == [-1], (node, field)
        rows = with_gaps(RNG.normal(size=(200, 3)))
        assert (said(forest, rows) == said_one_by_one(forest, rows)).all(), (node, field)


def test_a_chain_that_asks_the_same_again_and_again_has_no_levels():
    chain = CartClassifier(random_state=0).fit(np.arange(8.0)[:, None], np.arange(8) % 2).tree_
    for tree in (chain, CartClassifier().fit(np.exp(np.arange(8.0))[:, None], np.arange(8) % 2).tree_):
        forest = make_forest([tree], [1.0], "mean", [0.5, 0.5])
        rows = RNG.uniform(-1, 3000, (100, 1))
        assert (said(forest, rows) == said_one_by_one(forest, rows)).all()


def test_a_lone_far_threshold_costs_no_search():
    """Single precision's least number is a threshold of CatBoost, where missing values count as the least."""
    least = float(np.finfo(np.float32).min)
    thresholds = [least, *np.linspace(-1, 1, 200), 1e300]
    trees = [levels([(0, threshold)], [1.0, 0.0]) for threshold in thresholds]
    forest = make_sum(trees, [0.0], "identity", [])
    _, coded, _ = coded_of(forest)
    assert coded.columns.scale[0].tolist() == [-1.0, 202.0]  # of 404 slots
    rows = np.array(
        [[-np.inf], [least], [np.nextafter(least, 0)], [-5.0], [0.0], [5.0], [1e301], [np.inf], [np.nan]]
    )
    assert (said(forest, rows) == said_one_by_one(forest, rows)).all()


def test_trees_of_many_leaves_are_not_small(monkeypatch):
    packed = pack_forest(grown())
    assert has_few_leaves(packed)
    monkeypatch.setattr(module, "MANY_LEAVES", 10)
    assert not has_few_leaves(packed)
    monkeypatch.setattr(module, "MANY_LEAVES", 1000)
    monkeypatch.setattr(module, "MOST_OF_ONE", 10)
    assert not has_few_leaves(packed)


def test_leaves_of_other_classes_only_are_left_out_of_the_sum():
    steps = [levels(QUESTIONS[:2], RNG.normal(size=4)) for _ in range(3)]
    trees = [tree._replace(value=np.eye(3)[number] * tree.value) for number, tree in enumerate(steps)]
    forest = make_sum(trees, np.zeros(3), "softmax", np.ones(3) / 3)
    assert leaf_table(pack_forest(forest)).is_used.tolist() == np.eye(3, dtype=bool).tolist()
    rows = with_gaps(RNG.normal(size=(300, 3)))
    assert (said(forest, rows) == said_one_by_one(forest, rows)).all()


@pytest.mark.parametrize("forest", [grown(), grown(n_estimators=40, max_depth=4)])
def test_a_predictor_says_the_same_of_missing_values_before_and_after_it_codes_a_forest(forest):
    predictor = ForestPredictor(pack_forest(forest))
    rows = with_gaps(hard_rows(forest, 700))
    known = np.nan_to_num(rows)
    for table in (rows[:1], rows, rows[:1], known, known[:700], rows[3:]):
        assert (predictor.sums(table) == said_one_by_one(forest, table)).all()
    other: Any = RNG.normal(size=predictor.packed.value.shape)
    changed = predictor.with_values(other)
    fresh = ForestPredictor(predictor.packed._replace(value=other))
    assert (changed.sums(rows) == np.vstack([fresh.sums(rows[:5]), fresh.sums(rows[5:])])).all()
