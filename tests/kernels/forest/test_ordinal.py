"""Forests grown from codes and from lists of few samples, and packed: against NumPy, against CART, and by laws."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_regression

from espalier.kernels.forest import nodes
from espalier.kernels.forest import packed as kernel
from espalier.kernels.forest.bootstrap import LINE, MOST_BYTES, BatchNodes, NodeRoom, trees_of_batch
from espalier.kernels.forest.ordinal import MANY, make_coded, serves
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.forest.small_few import MOST_WEIGHT
from espalier.kernels.route import columns_of
from espalier.kernels.simd import LANES
from espalier.learners import CartClassifier, CartRegressor, RandomForestClassifier, RandomForestRegressor
from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_forest, make_tree
from tests.tools.same_trees import same_but_for_rounding

RNG = np.random.default_rng(0)
N = 1500


def table(rng=RNG, n=N) -> np.ndarray:
    """Columns of every kind: fractions, far outliers, mostly zero, few values, many whole numbers, one value."""
    mostly_zero = np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n))
    far = np.exp(6 * rng.normal(size=n))
    whole = rng.integers(0, 300, n)
    return np.column_stack([rng.normal(size=n), far, mostly_zero, rng.integers(0, 5, n), whole, np.full(n, 3.0)])


def test_a_code_is_the_place_of_a_value_among_the_different_values_of_its_column():
    X = table()
    coded = make_coded(columns_of(X), n_threads=2)
    for feature in range(X.shape[1]):
        values, codes = np.unique(X[:, feature], return_inverse=True)
        assert np.array_equal(coded.codes[:, feature], codes)
        assert np.array_equal(coded.value[coded.start[feature] : coded.start[feature + 1]], values)


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 63, nodes.SMALL])
def test_few_places_are_put_into_the_order_of_their_codes_and_equal_ones_stay_as_they_stand(n):
    room = nodes.make_bucket_workspace(n, 2, 1)
    code = RNG.integers(100, 110, n).astype(np.int32)
    nodes.order_all(code, np.int64(code.min()), room.order[:n], room.key, room.rank)
    assert room.order[:n].tolist() == np.argsort(code, kind="stable").tolist()
    some = RNG.permutation(n).astype(np.int32)
    before = some.copy()
    nodes.order_few(code, some, room.key, room.rank)
    assert some.tolist() == before[np.argsort(code[before], kind="stable")].tolist()


@pytest.mark.parametrize("n", [1, 2, 100, 1000])
def test_many_places_are_put_into_the_order_of_their_codes(n):
    code, order = RNG.integers(0, n // 2 + 1, n).astype(np.int32), np.arange(n, dtype=np.int32)
    nodes.order_many(code, order)
    assert order.tolist() == np.argsort(code, kind="stable").tolist()


@pytest.mark.parametrize(("n", "low", "high"), [(100, 0, 4), (100, 7, 9_000), (5_000, 3, 70_000), (70, 5, 40)])
def test_buckets_part_the_codes_without_a_gap_and_the_last_code_of_each_is_in_it(n, low, high):
    n_buckets, scale = nodes.buckets_for(n, np.int64(low), np.int64(high))
    bucket = ((np.arange(low, high + 1) - low) * scale) >> 32
    assert bucket.min() == 0
    assert bucket.max() == n_buckets - 1
    assert (np.diff(bucket) >= 0).all()
    for b in range(n_buckets - 1):
        assert nodes.last_code(np.int64(b), np.int64(low), scale) == low + np.flatnonzero(bucket <= b).max()


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("min_leaf", [1, 4])
def test_trees_of_classes_are_cart_of_the_samples_written_out(n_classes, min_leaf):
    X, y = table(), RNG.integers(0, n_classes, N) * (RNG.random(N) < 0.7)
    forest = RandomForestClassifier(n_estimators=2, max_features=None, min_samples_leaf=min_leaf, random_state=1)
    for tree, times in zip(forest.fit(X, y).forest_.trees, forest.in_bag(), strict=True):
        rows = np.repeat(np.arange(N), times)
        same_but_for_rounding(tree, CartClassifier(min_samples_leaf=min_leaf).fit(X[rows], y[rows]).tree_)


@pytest.mark.parametrize("y", [RNG.normal(size=N), RNG.integers(0, 3, N) / 1.0, np.exp(3 * RNG.normal(size=N))])
def test_trees_of_numbers_predict_as_cart_of_the_samples_written_out(y):
    """Their splits may differ where two features part a node alike, and rounding says which is better."""
    X = table()
    forest = RandomForestRegressor(n_estimators=2, max_features=None, min_samples_leaf=3, random_state=1).fit(X, y)
    for number, times in enumerate(forest.in_bag()):
        rows = np.repeat(np.arange(N), times)
        cart = CartRegressor(min_samples_leaf=3).fit(X[rows], y[rows])
        leaves = forest.apply(X[rows])[:, number]
        assert forest.forest_.trees[number].value[leaves, 0] == pytest.approx(
            cart.predict(X[rows]), rel=1e-9, abs=1e-9
        )


def score(classes):
    """What gini makes large: the squared counts of the classes, (…, n_classes), in parts of all samples there."""
    return (classes**2).sum(axis=-1) / classes.sum(axis=-1)


def naive_best(X, y, times) -> float:
    """The largest score of any cut of any feature, by the classes of the drawn samples up to each."""
    best, drawn = -np.inf, np.flatnonzero(times)
    for column in X.T:
        order = drawn[np.argsort(column[drawn])]
        classes = np.cumsum(np.eye(y.max() + 1)[y[order]] * times[order, None], axis=0)
        left = classes[:-1][np.diff(column[order]) > 0]
        best = max(best, (score(left) + score(classes[-1] - left)).max(initial=-np.inf))
    return best


@pytest.mark.parametrize("has_few_values", [False, True])
@pytest.mark.parametrize("n", [40, 200, 900])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_cut_that_is_found_is_the_best_of_all(n, has_few_values, n_classes):
    rng = np.random.default_rng(n)
    X, y = table(rng, n), rng.integers(0, n_classes, n)
    X = np.clip(np.round(X), -3, 3) if has_few_values else X
    y[X[:, 0] > 1] = n_classes - 1
    forest = RandomForestClassifier(n_estimators=1, max_depth=1, max_features=None, random_state=n).fit(X, y)
    tree, times = forest.forest_.trees[0], forest.in_bag()[0].astype(int)
    left = X[:, tree.feature[0]] <= tree.threshold[0]
    sides = [np.bincount(y, times * side, n_classes) for side in (left, ~left)]
    assert sum(map(score, sides)) == pytest.approx(naive_best(X, y, times), rel=1e-12)


def test_codes_serve_complete_tables_of_equal_weights_by_gini_and_squared_error():
    X, y = table(), RNG.integers(0, 2, N)
    gaps = np.where(RNG.random(X.shape) < 0.01, np.nan, X)

    def task(learner, target=y, weight=None):
        return learner.growth(learner.prepare(X, target, weight)).task

    assert serves(task(CartClassifier()), X)
    assert serves(task(CartRegressor(), X[:, 0]), X)
    assert not serves(task(CartClassifier()), gaps)
    for other in (CartClassifier(criterion="entropy"), CartClassifier(criterion="gain_ratio")):
        assert not serves(task(other), X)
    assert not serves(task(CartClassifier(), y, np.linspace(1, 2, N)), X)


def test_what_is_drawn_at_a_node_does_not_depend_on_how_the_table_is_kept():
    """Samples of weight two grow from sorted lists, where samples of weight one grow from codes."""
    X, y = table()[:, :5], RNG.integers(0, 2, N)
    forest = RandomForestClassifier(n_estimators=3, max_features=2, criterion="gini", random_state=0)
    once = forest.fit(X, y).forest_.trees
    by_lists = forest.fit(X, y, sample_weight=np.full(N, 2.0)).forest_.trees
    for one, other in zip(once, by_lists, strict=True):
        same_but_for_rounding(one, other._replace(weight=other.weight / 2, n_samples=one.n_samples))


def test_room_for_lanes_is_at_the_end_of_what_they_read():
    assert len(nodes.make_bucket_workspace(10, 2, 1).order) >= 10 + LANES - 1


OF_FEW = np.random.default_rng(31)
NUMBERS = OF_FEW.normal(size=(160, 6))
COME_AGAIN = np.column_stack([NUMBERS[:, :4], NUMBERS[:, 4:].round(1)])
TABLES = {
    "numbers": OF_FEW.normal(size=(150, 12)),
    "few values": OF_FEW.integers(0, 4, (150, 12)).astype(float),
    "many columns": OF_FEW.integers(0, 30, (60, 40)).astype(float),
    "one column": OF_FEW.normal(size=(150, 1)),
}


def naive_splits(X, y, times, min_leaf):
    """(feature, threshold) of each node in preorder: of equal cuts the first of the first feature."""
    best = (-np.inf, -1, 0.0)
    for feature in range(X.shape[1] if len(set(y)) > 1 else 0):
        values = np.unique(X[:, feature])
        for low, high in pairwise(values):
            left = X[:, feature] <= low
            n_left, n_right = times[left].sum(), times[~left].sum()
            if min(n_left, n_right) >= min_leaf:
                score = (times * y)[left].sum() ** 2 / n_left + (times * y)[~left].sum() ** 2 / n_right
                if score > best[0] + 1e-9:
                    best = (score, feature, (low + high) / 2)
    if best[1] < 0:
        return [(LEAF, np.nan)]
    left = X[:, best[1]] <= best[2]
    sides = [naive_splits(X[side], y[side], times[side], min_leaf) for side in (left, ~left)]
    return [best[1:], *sides[0], *sides[1]]


SEARCHED = {name: (X, 5, 40) for name, X in TABLES.items()}
SEARCHED |= {"values that come again": (COME_AGAIN, 9, None)}


@pytest.mark.parametrize("min_leaf", [1, 3])
@pytest.mark.parametrize("name", SEARCHED)
def test_trees_of_numbers_are_those_of_a_search_over_all_cuts(name, min_leaf):
    X, most, n_drawn = SEARCHED[name]
    y = OF_FEW.integers(-most, most + 1, len(X)).astype(float)
    y -= y.mean().round()  # sums are then exact
    forest = RandomForestRegressor(
        n_estimators=3, max_features=None, min_samples_leaf=min_leaf, max_samples=n_drawn, random_state=2
    ).fit(X, y)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        drawn = times > 0
        splits = naive_splits(X[drawn], y[drawn], times[drawn].astype(float), min_leaf)
        assert tree.feature.tolist() == [feature for feature, _ in splits]
        assert tree.threshold == pytest.approx([cut for _, cut in splits], nan_ok=True)


@pytest.mark.parametrize("max_features", [1, 5, 11])
@pytest.mark.parametrize("name", ["numbers", "few values", "many columns"])
def test_trees_are_those_that_grow_from_sorted_lists(name, max_features):
    """Samples of weight two grow from sorted lists, and try the same features at every node."""
    X = TABLES[name]
    y = OF_FEW.normal(size=len(X))
    forest = RandomForestRegressor(n_estimators=4, max_features=max_features, random_state=5)
    few = forest.fit(X, y).forest_.trees
    lists = forest.fit(X, y, sample_weight=np.full(len(X), 2.0)).forest_.trees
    for one, other in zip(few, lists, strict=True):
        same_but_for_rounding(one, other._replace(weight=other.weight / 2, n_samples=one.n_samples))


def test_few_samples_that_are_too_heavy_for_a_byte_are_split_all_the_same():
    """Fifty copies of eight samples weigh more than a byte holds, where each copy is drawn."""
    X, y = np.repeat(np.arange(8.0), 50)[:, None], np.repeat(OF_FEW.normal(size=8), 50)
    assert len(X) > MOST_WEIGHT
    tree = RandomForestRegressor(n_estimators=1, random_state=0).fit(X, y).forest_.trees[0]
    assert tree.n_leaves == 8


def forest_of_numbers(**parameters) -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def test_many_blocks_of_rows_are_predicted_like_each_alone():
    wide, numbers = (np.asarray(a) for a in make_regression(120, 1100, noise=5, random_state=0))
    forest = forest_of_numbers().fit(wide, numbers)
    assert kernel.block_rows(8 * 1100) == kernel.FEWEST
    many = np.random.default_rng(0).normal(size=(3 * kernel.FEWEST + 7, 1100))
    expected = np.mean([tree.value[leaves(tree, many), 0] for tree in forest.forest_.trees], axis=0)
    for n_jobs in (1, 2, 3):
        assert forest.set_params(n_jobs=n_jobs).predict(many) == pytest.approx(expected, abs=1e-9)


def assert_is_packed(packed, number: int, tree: Tree):
    """Walk through a tree and its packed nodes side by side."""
    pending = [(0, int(packed.root[number]))]
    while pending:
        node, at = pending.pop()
        step, is_leaf = packed.nodes[at], tree.feature[node] == LEAF
        assert packed.missing_left[at] == tree.missing_left[node]
        assert packed.categories[at] == tree.categories[node]
        assert (packed.leaf[at] >= 0) == is_leaf
        if is_leaf:
            assert np.array_equal(packed.value[packed.leaf[at]], tree.value[node])
            assert (step.feature, step.threshold, step.next) == (0, np.inf, at)
        else:
            assert step.feature == tree.feature[node]
            assert np.array_equal(step.threshold, tree.threshold[node], equal_nan=True)
            pending += [(tree.left[node], step.next), (tree.right[node], step.next + 1)]


def test_packed_trees_are_the_trees_and_no_value_is_missing():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (300, 4)).astype(float), rng.integers(0, 3, 300)
    small = RandomForestClassifier(n_estimators=9, categorical_features=[3], random_state=0).fit(X, y).forest_
    X, y = rng.normal(size=(3000, 2)), rng.integers(0, 3, 3000)
    large = RandomForestClassifier(n_estimators=2, max_depth=None, random_state=0).fit(X, y).forest_
    trees = [*small.trees, *large.trees, *small.trees]
    packed = pack_forest(make_forest(trees, np.ones(len(trees)), "mean", small.prior))
    assert packed.has_categories
    assert len(packed.value) == sum(tree.n_leaves for tree in trees)
    assert np.array_equal(np.sort(packed.leaf[packed.leaf >= 0]), np.arange(len(packed.value)))
    for number, tree in enumerate(trees):
        assert_is_packed(packed, number, tree)
    assert not pack_forest(large).has_categories


def test_values_that_differ_only_in_float64_are_told_apart():
    near = np.repeat([[1.0], [1.0 + 2.0**-40]], 100, axis=0)
    forest = forest_of_numbers(bootstrap=False).fit(near, np.repeat([0.0, 1.0], 100))
    assert np.array_equal(forest.predict(near), np.repeat([0.0, 1.0], 100))
    whole_before = np.vstack([np.ones((100, 1)), near])
    assert np.array_equal(forest.predict(whole_before), np.repeat([0.0, 0.0, 1.0], 100))


# Trees of a batch: against trees whose arrays are made one by one
SIZES = np.array([3, 1, -5])


def nodes_of_three_trees(categories) -> BatchNodes:
    """The nodes of a split, of a lone leaf, and of a tree that was cut short; then memory that is not in use."""
    feature = np.array([1, LEAF, LEAF, LEAF, 0, 2, LEAF, LEAF, LEAF, 7, 7], np.int32)
    right = np.array([2, LEAF, LEAF, LEAF, 4, 3, LEAF, LEAF, LEAF, 9, 9], np.int32)
    threshold, impurity, chance = RNG.random((3, 11))
    weight = RNG.integers(1, 9, 11).astype(float)
    value = RNG.random((11, 2))
    return BatchNodes(feature, threshold, right, categories, chance < 0.5, weight, weight, value, impurity)


def made_by_itself(nodes, first, stop, left):
    """The tree of some of the nodes, whose left children are given."""
    own: Any = BatchNodes._make(None if array is None else array[first:stop] for array in nodes)
    categories = np.zeros(stop - first) if own.categories is None else own.categories
    return make_tree(own.feature, own.threshold, left, own.right, categories, *own[4:])


@pytest.mark.parametrize("categories", [None, RNG.integers(0, 9, 11).astype(np.uint64)])
def test_trees_of_a_batch_are_those_made_one_by_one_and_of_no_memory_that_is_used_again(categories):
    nodes = nodes_of_three_trees(categories)
    parts = [(0, 3, [1, LEAF, LEAF]), (3, 4, [LEAF]), (4, 9, [1, 2, LEAF, LEAF, LEAF])]
    grown = trees_of_batch(SIZES, nodes)
    assert [complete for _, complete in grown] == [True, True, False]
    for (tree, _), part in zip(grown, parts, strict=True):
        expected = made_by_itself(nodes, *part)
        for array, other in zip(
            (*tree[:-1], *tree.surrogates), (*expected[:-1], *expected.surrogates), strict=True
        ):
            assert array.dtype == other.dtype
            assert np.array_equal(array, other)
            assert array.flags.c_contiguous
            assert not array.flags.writeable
            assert not any(np.shares_memory(array, one) for one in nodes if one is not None)


def test_trees_of_several_batches_lie_in_one_room_and_their_values_have_its_offset():
    room, batches = NodeRoom(offset=2.5), [nodes_of_three_trees(None) for _ in range(40)]
    grown = [trees_of_batch(SIZES, batch, room) for batch in batches]
    for trees, batch in zip(grown, batches, strict=True):
        for (tree, _), (other, _) in zip(trees, trees_of_batch(SIZES, batch), strict=True):
            assert np.array_equal(tree.value, other.value + 2.5)
            assert all(np.array_equal(tree[i], other[i], equal_nan=True) for i in range(8))
            assert np.array_equal(tree.impurity, other.impurity)


def test_arrays_of_a_room_share_no_byte_and_are_aligned():
    room, shapes = NodeRoom(), RNG.integers(1, 50, (60, 2)).tolist()
    kinds = [np.dtype(("i4", "f8", "?", "i8")[i % 4]) for i in range(len(shapes))]
    arrays = [room.empty((a, b), kind) for (a, b), kind in zip(shapes, kinds, strict=True)]
    for i, array in enumerate(arrays):
        array[...] = i % 2 if array.dtype == bool else i
    assert all((array == (i % 2 if array.dtype == bool else i)).all() for i, array in enumerate(arrays))
    assert all(array.flags.aligned and array.flags.c_contiguous for array in arrays)
    starts = [array.__array_interface__["data"][0] for array in arrays]
    assert any((b - a) % LINE == 0 and b > a for a, b in pairwise(starts))
    assert room.empty((MOST_BYTES + 1,), np.uint8).shape == (MOST_BYTES + 1,)


def test_codes_are_the_same_for_any_number_of_threads_and_in_tables_that_wake_none():
    for n in (50, MANY // 4 + 1):
        columns = np.round(RNG.normal(size=(4, n)), 2)
        one, two = make_coded(columns), make_coded(columns, 2)
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_codes_are_places_among_the_distinct_values():
    whole = np.stack([RNG.choice([0, 3, 4, 77, 255], 600), RNG.integers(7, 9, 600), np.full(600, 5)])
    for odd in (7.0, -1.0, 0.5, 1e300, 2.0**32):
        columns = whole.astype(float)
        columns[1, 1] = odd
        coded = make_coded(columns)
        for column, codes, start, stop in zip(columns, coded.codes.T, coded.start, coded.start[1:], strict=False):
            values, expected = np.unique(column, return_inverse=True)
            assert np.array_equal(codes, expected)
            assert np.array_equal(coded.value[start:stop], values)
