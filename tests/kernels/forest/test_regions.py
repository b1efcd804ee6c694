"""A forest cut into regions says what its trees say, one after the other, to the last bit."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from espalier.kernels.forest import regions as module
from espalier.kernels.forest.coded.nodes import make_coded
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.forest.preorder import BLOCK, leaf_table, sum_by_region
from espalier.kernels.forest.regions import make_regions
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, RandomForestClassifier, RandomForestRegressor
from espalier.learners.forests.predictor import FEW, ForestPredictor
from espalier.trees import Forest, make_forest

RNG = np.random.default_rng(0)
X, y = (np.asarray(a) for a in load_iris(return_X_y=True))
NOISE = RNG.normal(size=(300, 4))


def grown(kind: Any = RandomForestClassifier, **parameters) -> Forest:
    """A forest of large trees, since what they learn is noise."""
    return kind(**{"n_estimators": 6, "random_state": 0, **parameters}).fit(NOISE, RNG.integers(0, 3, 300)).forest_


def said_one_by_one(forest: Forest, rows) -> np.ndarray:
    said = np.zeros((len(rows), forest.trees[0].value.shape[1]))
    trees: Any = forest.trees
    for tree, weight in zip(trees, forest.weight, strict=True):
        value: Any = tree.value[leaf_of(tree, np.asfortranarray(rows))]
        said += weight * (np.eye(value.shape[1])[value.argmax(axis=1)] if forest.combine == "votes" else value)
    return said


def cut(forest: Forest) -> Any:
    packed = pack_forest(forest)
    coded: Any = make_coded(packed)
    return make_regions(packed, coded)


def said_by_parcels(forest: Forest, rows) -> np.ndarray:
    packed = pack_forest(forest)
    coded: Any = make_coded(packed)
    regions: Any = make_regions(packed, coded)
    said = np.zeros((len(rows), packed.value.shape[1]))
    sum_by_region(regions, coded, leaf_table(packed), np.ascontiguousarray(rows), said)
    return said


@pytest.mark.parametrize(
    "forest",
    [
        grown(),
        grown(RandomForestRegressor),
        grown(max_depth=1),
        grown(n_estimators=1, max_features=None),
        grown(voting="majority"),
    ],
)
def test_the_sum_over_the_trees_is_that_of_one_after_the_other(forest):
    trees: Any = forest.trees
    on = np.concatenate([tree.threshold[tree.feature >= 0] for tree in trees])  # a value on a threshold goes left
    far = np.array([1e300, -1e300, np.inf, -np.inf])
    for rows in (
        NOISE,
        RNG.normal(size=(BLOCK + 5, 4)),
        RNG.choice(on, (300, 4)),
        NOISE[:1],
        RNG.choice(far, (20, 4)),
    ):
        assert (said_by_parcels(forest, rows) == said_one_by_one(forest, rows)).all()


def test_parcels_have_small_trees_and_small_trees_need_no_parcels():
    large = cut(grown())
    assert max(np.diff(large.first_leaf)) <= module.MOST_LEAVES
    assert len(large.first) - 1 > large.n_trees == 6
    small = cut(grown(max_depth=5))
    assert len(small.first) - 1 == small.n_trees


def test_a_lone_root_says_the_same_everywhere():
    root = CartClassifier().fit(X[:50], y[:50]).tree_
    assert said_by_parcels(make_forest((root,), [1], "mean", []), X[:2]).tolist() == [[1], [1]]


def test_there_are_no_parcels_for_categories_nor_where_they_would_be_too_many(monkeypatch):
    codes = CartClassifier(categorical_features=[0]).fit(np.arange(9.0)[:, None] % 3, np.arange(9) % 3 == 1)
    assert ForestPredictor(pack_forest(make_forest((codes.tree_,), [1], "mean", [])))._plan._is_cut
    monkeypatch.setattr(module, "MOST_NODES", 2000)
    assert cut(grown()) is None


def test_trees_that_missing_values_have_splits_of_their_own_in_say_the_same_of_known_ones():
    gaps = NOISE.copy()
    gaps[::3, 0] = np.nan
    tree = CartClassifier().fit(gaps, np.isnan(gaps[:, 0]) ^ (NOISE[:, 1] > 0)).tree_
    assert np.isinf(tree.threshold).any()
    forest = make_forest((tree,), [1], "mean", [])
    assert (said_by_parcels(forest, NOISE) == said_one_by_one(forest, NOISE)).all()


def test_a_predictor_says_the_same_with_regions_and_without_and_of_missing_values(monkeypatch):
    monkeypatch.setattr(module, "MANY_LEAVES", 0)
    forest = grown()
    predictor, rows = ForestPredictor(pack_forest(forest)), RNG.normal(size=(4 * FEW, 4))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(predictor.sums, [rows] * 4))
    assert predictor._plan._by_region.regions is not None
    for said in (*answers, pickle.loads(pickle.dumps(predictor)).sums(rows)):
        assert (said == said_one_by_one(forest, rows)).all()
    rows[::7, 1] = np.nan
    assert (predictor.sums(rows) == said_one_by_one(forest, rows)).all()


def test_other_labels_for_the_leaves_share_the_parcels():
    predictor, rows = ForestPredictor(pack_forest(grown())), RNG.normal(size=(8 * FEW, 4))
    second = predictor.with_values(predictor.packed.value[:, 1:2])
    assert (second.sums(rows) == predictor.sums(rows)[:, 1:2]).all()
    assert second._plan is predictor._plan


def test_a_forest_of_small_trees_is_cut_where_it_asks_about_few_features():
    wide = RNG.normal(size=(300, 8))
    rows = RNG.normal(size=(4 * FEW, 8))
    for n in (2, 8):
        forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(wide[:, :n], NOISE[:, 0] > 0).forest_
        predictor = ForestPredictor(pack_forest(forest))
        said = np.zeros((0, 0))
        for _ in range(3):
            said = predictor.sums(np.ascontiguousarray(rows[:, :n]))
        assert (predictor._plan._by_region.regions is not None) == (n == 2)
        assert (said == said_one_by_one(forest, rows[:, :n])).all()
