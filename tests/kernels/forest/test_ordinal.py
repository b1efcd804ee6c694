"""Growing from codes: against NumPy, against CART of the samples written out, and by laws."""

import numpy as np
import pytest

from espalier.kernels.forest.best_split import DENSE, part_short, read_codes, short_codes
from espalier.kernels.forest.bootstrap import TreeBatch
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.nodes import (
    EACH,
    SMALL,
    buckets_for,
    count_classes,
    fill_classes,
    last_code,
    make_bucket_workspace,
    order_all,
    order_few,
    order_many,
)
from espalier.kernels.forest.ordinal import make_coded, serves
from espalier.kernels.route import columns_of
from espalier.kernels.simd import LANES
from espalier.learners import CartClassifier, CartRegressor, RandomForestClassifier, RandomForestRegressor
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


@pytest.mark.parametrize("is_dense", [False, True])
@pytest.mark.parametrize("n_features", range(1, 10))
def test_codes_of_8_bits_are_counted_as_codes_that_were_read(n_features, is_dense):
    n_values, n = 3 + np.arange(12), 80
    coded = make_coded(np.stack([RNG.integers(0, m, 200) for m in n_values]).astype(float))
    rows = np.sort(RNG.choice(200, n, replace=False)).astype(np.uint64)
    entries = rows | RNG.integers(0, 3, n).astype(np.uint64) << 32 | RNG.integers(1, 5, n).astype(np.uint64) << 48
    features, span = RNG.permutation(12)[:n_features], np.zeros((n_features, 4), np.int64)
    span[:, 2], span[:, 3] = np.diff(coded.start)[features], EACH
    counted, expected = RNG.integers(0, 9, (2, n_features, 3, 20))  # what was counted before does not count
    code = np.empty((n_features, n), np.int32)
    short = short_codes(coded, n if is_dense else 1)
    count_classes(short, entries, features, span, counted)
    read_codes(coded.codes, entries, features, code)
    for j in range(n_features):
        fill_classes(entries, code[j], span[j], expected[j])
        assert np.array_equal(counted[j, :, : span[j, 2]], expected[j, :, : span[j, 2]])
        own = coded.codes[rows, features[j]].astype(int)
        cut = np.sort(own)[n // 2]
        parted, spare = entries.copy(), np.empty(n, np.uint64)
        beside = own[own <= cut].max(), own[own > cut].min(initial=255)
        assert part_short(short, parted, spare, features[j], cut) == (np.count_nonzero(own <= cut), *beside)
        assert np.array_equal(parted, entries[np.argsort(own > cut, kind="stable")])


@pytest.mark.parametrize(
    ("n", "n_classes", "n_features"), [(40, 2, 9), (40 * DENSE, 2, 30), (700, 3, 9), (3000, 2, 2)]
)
def test_trees_of_codes_of_8_bits_are_those_of_codes_of_32(n, n_classes, n_features):
    X = RNG.integers(0, RNG.integers(1, 40, n_features), (n, n_features)).astype(float)
    y = np.where(RNG.random(n) < 0.3, RNG.integers(0, n_classes, n), X.sum(axis=1) % n_classes).astype(int)
    coded = make_coded(columns_of(X))
    learner = RandomForestClassifier(min_samples_leaf=int(RNG.integers(1, 4)))
    growth = learner.growth(learner.prepare(X, y), 1.0)
    batch = TreeBatch(np.arange(4), n, np.zeros(2, np.int64))
    long = coded._replace(short=coded.short[:0], upright=coded.upright[:0])
    grown = [
        grow_coded(table, growth.task, growth.limits, make_workspace(table, growth.task, growth.limits), batch)
        for table in (coded, long)
    ]
    for (tree, _), (other, _) in zip(*grown, strict=True):
        assert all(np.array_equal(tree[i], other[i], equal_nan=True) for i in range(10))


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 63, SMALL])
def test_few_places_are_put_into_the_order_of_their_codes_and_equal_ones_stay_as_they_stand(n):
    room = make_bucket_workspace(n, 2, 1)
    code = RNG.integers(100, 110, n).astype(np.int32)
    order_all(code, np.int64(code.min()), room.order[:n], room.key, room.rank)
    assert room.order[:n].tolist() == np.argsort(code, kind="stable").tolist()
    some = RNG.permutation(n).astype(np.int32)
    before = some.copy()
    order_few(code, some, room.key, room.rank)
    assert some.tolist() == before[np.argsort(code[before], kind="stable")].tolist()


@pytest.mark.parametrize("n", [1, 2, 100, 1000])
def test_many_places_are_put_into_the_order_of_their_codes(n):
    code, order = RNG.integers(0, n // 2 + 1, n).astype(np.int32), np.arange(n, dtype=np.int32)
    order_many(code, order)
    assert order.tolist() == np.argsort(code, kind="stable").tolist()


@pytest.mark.parametrize(("n", "low", "high"), [(100, 0, 4), (100, 7, 9_000), (5_000, 3, 70_000), (70, 5, 40)])
def test_buckets_part_the_codes_without_a_gap_and_the_last_code_of_each_is_in_it(n, low, high):
    n_buckets, scale = buckets_for(n, np.int64(low), np.int64(high))
    bucket = ((np.arange(low, high + 1) - low) * scale) >> 32
    assert bucket.min() == 0
    assert bucket.max() == n_buckets - 1
    assert (np.diff(bucket) >= 0).all()
    for b in range(n_buckets - 1):
        assert last_code(np.int64(b), np.int64(low), scale) == low + np.flatnonzero(bucket <= b).max()


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
    assert len(make_bucket_workspace(10, 2, 1).order) >= 10 + LANES - 1
