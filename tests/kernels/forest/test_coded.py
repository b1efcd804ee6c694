"""A coded forest says what its trees say, one after the other, to the last bit."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from espalier.kernels.forest import regions
from espalier.kernels.forest.coded import descent, nodes
from espalier.kernels.forest.coded.descent import sum_coded
from espalier.kernels.forest.coded.nodes import make_coded, votes_of
from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.learners import (
    CartClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.forests.predictor import FEW, ForestPredictor
from espalier.trees import make_forest
from tests.kernels.forest.test_regions import grown, said_one_by_one

RNG = np.random.default_rng(3)
X = RNG.normal(size=(400, 3))
CLASSES = RNG.integers(0, 3, 400)


def said(forest, rows):
    packed = pack_forest(forest)
    coded: Any = make_coded(packed, bool(np.isnan(rows).any()))
    out = np.zeros((len(rows), packed.value.shape[1]))
    sum_coded(coded, packed, votes_of(packed), rows_of(rows), out)
    return out


def hard_rows(forest, n):
    """Rows of numbers, of thresholds themselves and their neighbours, and of numbers far from all of them."""
    on = np.concatenate([tree.threshold[tree.feature >= 0] for tree in forest.trees])
    beside = np.concatenate(
        [on, np.nextafter(on, np.inf), np.nextafter(on, -np.inf), [0.0, -0.0, 1.7e308, -1.7e308]]
    )
    p = 1 + max(int(tree.feature.max(initial=0)) for tree in forest.trees)
    return np.vstack([RNG.normal(size=(n, max(p, 4))), RNG.choice(beside, (n, max(p, 4)))])


@pytest.mark.few(14)
@pytest.mark.parametrize(
    "forest",
    [
        grown(),
        grown(RandomForestRegressor),
        grown(max_depth=1),
        grown(min_samples_leaf=5),
        grown(voting="majority"),
        grown(max_depth=5),
        RandomForestClassifier(n_estimators=3, random_state=1).fit(np.round(X), CLASSES).forest_,
        RandomForestClassifier(n_estimators=3, random_state=1).fit(np.exp(20 * X), CLASSES > 0).forest_,
        RandomForestRegressor(n_estimators=3, random_state=1).fit(X[:, :1], X[:, 1]).forest_,
        RandomForestRegressor(n_estimators=3).fit(np.where(X > 1, np.nan, X), X[:, 1]).forest_,
        GradientBoostingRegressor(n_estimators=20).fit(X, X[:, 0]).forest_,
    ],
)
@pytest.mark.parametrize("n", [1, 7, 300, 2 * descent.TOGETHER])
def test_the_sum_over_the_trees_is_that_of_one_after_the_other(forest, n):
    rows = hard_rows(forest, n)
    for table in (rows, np.where(RNG.random(rows.shape) < 0.2, np.nan, rows)):
        assert (said(forest, table) == said_one_by_one(forest, table)).all()


def test_splits_that_part_missing_values_from_all_others_and_far_thresholds_are_coded():
    rng = np.random.default_rng(4)
    for scale in (1.0, 1e307):
        table = np.where(rng.random((200, 2)) < 0.5, np.nan, np.round(rng.normal(size=(200, 2))) * scale)
        forest = RandomForestClassifier(n_estimators=4, random_state=0).fit(table, np.isnan(table[:, 0])).forest_
        assert any(np.isinf(tree.threshold).any() for tree in forest.trees)
        rows = hard_rows(forest, 200)
        rows = np.where(np.isfinite(rows), rows, 0.0)
        for own in (rows, np.where(RNG.random(rows.shape) < 0.5, np.nan, rows)):
            assert (said(forest, own) == said_one_by_one(forest, own)).all()


def test_trees_of_weights_of_their_own_are_no_equal_votes():
    trees = grown().trees
    forest = make_forest(trees, np.arange(1.0, len(trees) + 1), "mean", np.ones(3) / 3)
    assert not len(votes_of(pack_forest(forest)).label)
    rows = hard_rows(forest, 50)
    assert (said(forest, rows) == said_one_by_one(forest, rows)).all()


def test_leaves_that_are_not_sure_have_no_votes():
    assert len(votes_of(pack_forest(grown())).label)
    assert not len(votes_of(pack_forest(grown(min_samples_leaf=5))).label)
    assert not len(votes_of(pack_forest(grown(RandomForestRegressor))).label)


def test_a_way_longer_than_the_first_rounds_is_gone_to_its_end():
    column = np.arange(400.0)
    chain = CartClassifier(max_features=1, splitter="random", random_state=0)
    tree = chain.fit(np.exp(column / 20)[:, None], column % 2).tree_
    assert tree.depth > descent.FIRST + descent.LATER
    forest = make_forest([tree], [1.0], "mean", [0.5, 0.5])
    rows = np.exp(RNG.uniform(-1, 21, (333, 1)))
    assert (said(forest, rows) == said_one_by_one(forest, rows)).all()


def test_categories_and_too_many_thresholds_have_no_codes(monkeypatch):
    sets = RandomForestClassifier(n_estimators=2, categorical_features=[0], random_state=0)
    assert make_coded(pack_forest(sets.fit(np.abs(np.round(X)), CLASSES).forest_)) is None
    monkeypatch.setattr(nodes, "MOST", 5)
    assert make_coded(pack_forest(grown())) is None


@pytest.mark.parametrize("n_parts", [1, 3])
def test_a_predictor_says_the_same_before_and_after_it_codes_a_forest(n_parts, monkeypatch):
    monkeypatch.setattr(regions, "MANY_LEAVES", 0)
    forest = grown()
    predictor, rows = ForestPredictor(pack_forest(forest)), RNG.normal(size=(2 * FEW, 4))
    gaps = np.where(RNG.random(rows.shape) < 0.2, np.nan, rows)
    rows_of_parts = rows[:9], rows, rows[6:], gaps[:5], gaps, rows, gaps[7:]
    with ThreadPoolExecutor(n_parts) as pool:
        answers = [predictor.sums_in_parts(part, pool, n_parts) for part in rows_of_parts]
    assert predictor._plan._of_known.way(0).coded is not None
    assert predictor._plan._of_any.way(0).coded is not None
    for part, answer in zip(rows_of_parts, answers, strict=True):
        assert (answer == said_one_by_one(forest, part)).all()
