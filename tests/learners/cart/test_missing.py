"""Missing values, surrogates and sets of categories: by hand, by rpart's example, law, and naive versions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart.levels import MOST_SUBSETS
from espalier.kernels.forest.packed import pack_forest
from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor
from espalier.learners.base import TrainingData
from espalier.learners.missing import WAYS, fill_in, fills_of
from espalier.predict import leaves
from espalier.trees import LEAF, is_leaf, make_forest
from tests.learners.cart.test_cart import CLASSIFICATION, REGRESSION, column, tables
from tests.tools.naive import cart as naive
from tests.tools.naive import surrogates as naive_surrogates
from tests.tools.same_trees import are_same

NAN = np.nan


def test_numbers_are_filled_with_their_mean_or_median_and_categories_with_the_most_frequent():
    X = np.array([[1, 2], [2, 2], [9, 1], [NAN, NAN]])
    y = [0, 0, 1, 1]
    for impute_with, number in (("mean", 4.0), ("median", 2.0)):
        model = CartClassifier(missing="impute", impute_with=impute_with, categorical_features=[1]).fit(X, y)
        assert model.fill_.tolist() == [number, 2.0]
    assert CartClassifier().fit(X, y).fill_ is None


def test_a_missing_value_goes_where_its_stand_in_goes():
    """The mean is 4.25, on the left of 6.5; the better side is the right."""
    X, y = column(-7, 5, 5, 5, 5, 5, 8, 8, NAN), [0, 0, 0, 0, 0, 0, 1, 1, 1]
    imputed, better = (CartClassifier(max_depth=1, missing=way).fit(X, y).tree_ for way in ("impute", "side"))
    assert imputed.missing_left[0]
    assert not better.missing_left[0]
    few = CartClassifier(max_depth=1, missing="impute").fit(column(3, 3, 3, 3, 4, 100, NAN), [0, 0, 0, 0, 1, 1, 1])
    assert few.predict([[NAN]]).tolist() == [1]  # the mean is 19, on the side of fewer rows


def test_a_column_without_any_value_is_never_asked_for():
    model = CartClassifier(missing="impute").fit(np.column_stack([[NAN] * 4, [1, 2, 3, 4]]), [0, 0, 1, 1])
    assert np.isnan(model.fill_[0])
    assert model.tree_.feature[0] == 1


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_a_weight_counts_as_so_many_rows_when_values_are_filled_in(table):
    X, y, weight, categorical = table
    is_category = np.isin(np.arange(X.shape[1]), categorical)
    many = np.repeat(np.arange(len(y)), weight.astype(int))
    for way in ("mean", "median"):
        weighed = fills_of(TrainingData(X, y, weight), is_category, way)
        repeated = fills_of(TrainingData(X[many], y[many], np.ones(len(many))), is_category, way)
        assert weighed == pytest.approx(repeated, nan_ok=True)
    for f in np.flatnonzero(~is_category & ~np.isnan(weighed)):
        assert weighed[f] == pytest.approx(np.nanmedian(X[many, f]))


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_the_tree_alone_predicts_as_filling_in_and_then_routing(table):
    X, y, weight, categorical = table
    model = CartClassifier(missing="impute", categorical_features=categorical).fit(X, y, sample_weight=weight)
    complete = fill_in(X, model.fill_, model.is_categorical_)
    assert model.apply(X).tolist() == model.apply(complete).tolist()
    plain = CartClassifier(categorical_features=categorical).fit(complete, y, sample_weight=weight).tree_
    assert are_same(plain, model.tree_._replace(missing_left=plain.missing_left))


def test_as_a_category_a_missing_number_stands_beyond_all_others():
    X, y = column(1, 2, 3, 4, NAN, NAN), [0, 0, 1, 1, 0, 0]
    better = CartClassifier(max_depth=1).fit(X, y).tree_
    assert better.missing_left[0]
    category = CartClassifier(missing="category").fit(X, y)
    assert not category.tree_.missing_left.any()
    assert category.predict(X).tolist() == y
    assert np.isinf(category.tree_.threshold).any()  # missing split off by itself


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_of_numbers_missing_is_never_less_and_of_categories_it_may_join_either_side(table):
    X, y, weight, categorical = table
    tree, side = (
        CartClassifier(missing=way, categorical_features=categorical).fit(X, y, sample_weight=weight).tree_
        for way in ("category", "side")
    )
    numbers = ~np.isin(tree.feature, categorical)
    assert not tree.missing_left[numbers].any()
    assert are_same(tree, side) or len(categorical) < X.shape[1]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_learned_in_every_way(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 5.0, 1.0)
    X[rng.random(X.shape) < 0.1] = NAN
    for way in WAYS:
        model = CartRegressor(missing=way, criterion=criterion, max_depth=2).fit(X, y)
        assert np.abs(model.predict(X) - y).mean() < 1


def test_trees_of_a_forest_may_fill_in_missing_values():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    X[::5, 0] = NAN
    forest = BaggedForestClassifier(CartClassifier(missing="impute"), n_estimators=3, random_state=0).fit(X, y)
    assert forest.predict(X).shape == (80,)


# The second column follows the first, the third one runs against it, and two rows lack the first.
BY_HAND = np.array([
    [1, 10, 90], [2, 20, 80], [3, 30, 70], [4, 40, 30],
    [5, 50, 60], [6, 60, 20], [NAN, 15, NAN], [NAN, NAN, 10], [NAN, NAN, NAN],
], dtype=float)  # fmt: skip
OF_HAND = [0, 0, 0, 1, 1, 1, 1, 0, 1]


def stump(X, y, **settings):
    return CartClassifier(max_depth=1, missing="surrogate", **settings).fit(X, y).tree_


def test_a_row_without_the_value_follows_the_first_surrogate_that_has_one():
    X, y = BY_HAND, OF_HAND
    tree = stump(X, y)
    assert (tree.feature[0], tree.threshold[0]) == (0, 3.5)
    pool = tree.surrogates
    assert pool.feature.tolist() == [1, 2]
    assert pool.threshold.tolist() == [35.0, 65.0]
    assert pool.reversed.tolist() == [False, True]
    assert pool.agreement.tolist() == [1.0, 1.0]
    assert leaves(tree, X[6:]).tolist() == [1, 2, 2]  # by the second column, by the third, by the larger side
    assert tree.n_samples.tolist() == [9, 4, 5]


def test_a_category_goes_to_the_side_of_its_majority_and_an_absent_one_counts_as_missing():
    X = np.array([[1, 0], [2, 0], [3, 2], [4, 2], [5, 2], [NAN, 0], [NAN, 1]], dtype=float)
    own = stump(X[:5], [0, 0, 1, 1, 1], categorical_features=[1])
    assert own.surrogates.feature.tolist() == [1]
    assert (own.surrogates.categories.tolist(), own.surrogates.seen.tolist()) == ([0b1], [0b101])
    assert leaves(own, X[5:]).tolist() == [1, 2]  # no other surrogate knows it: to the larger side


def test_surrogates_decide_about_a_category_that_the_split_never_saw():
    """As in rpart: of colours 0, 1 and 2 the table has the first two, and size follows them."""
    X = np.array([[0, 1], [0, 2], [0, 3], [1, 7], [1, 8], [1, 9], [1, 9]], dtype=float)
    y = [0, 0, 0, 1, 1, 1, 1]
    tree = stump(X, y, categorical_features=[0])
    assert (tree.feature[0], tree.surrogates.own_seen[0]) == (0, 0b11)
    assert leaves(tree, np.array([[2, 1.0], [2, 9], [2, NAN], [NAN, 1], [0, 9]])).tolist() == [1, 2, 2, 1, 1]


def test_the_surrogates_are_those_of_rpart_on_an_example_of_its_tests():
    """rpart's tests/testall.R, data frame "dummy": summary(rpart(y ~ x1 + x2, minsplit = 4))."""
    X = np.column_stack([[10, 9, 8, 7, 6, 5, 4, 1, 2, 3], [1, 3, 5, 7, 9, 2, 4, 6, 8, 0]]).astype(float)
    tree = CartRegressor(missing="surrogate", min_samples_split=4, max_depth=2).fit(X, np.arange(1, 11)).tree_
    split = np.flatnonzero(~is_leaf(tree))
    # rpart turns the primary splits around: there, small values of x1 go right.
    assert tree.feature[split].tolist() == [0, 0, 0]
    assert tree.threshold[split].tolist() == [5.5, 3.5, 7.5]
    assert tree.surrogates.feature.tolist() == [1, 1, 1]
    assert tree.surrogates.threshold.tolist() == [2.5, 5.0, 6.0]
    assert tree.surrogates.agreement.tolist() == [0.6, 0.8, 1.0]
    assert tree.surrogates.reversed.tolist() == [False, True, True]


def test_at_most_so_many_surrogates_are_kept_the_best_ones():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    X = np.column_stack([x, *(x + rng.normal(size=100) * noise for noise in (0.9, 0.1, 0.5, 0.3))])
    every, two, none = (stump(X, x > 0, max_surrogates=n).surrogates for n in (5, 2, 0))
    assert every.feature.tolist() == [2, 4, 3, 1]
    assert two.feature.tolist() == every.feature[:2].tolist()
    assert len(none.feature) == 0


@pytest.mark.parametrize("criterion", CLASSIFICATION + REGRESSION)
@settings(deadline=None, max_examples=40)
@given(table=tables(classification=True))
def test_splits_and_surrogates_are_the_best_of_the_naive_version(criterion, table):
    X, y, weight, categorical = table
    y = np.unique(y, return_inverse=True)[1]
    learner = CartClassifier if criterion in CLASSIFICATION else CartRegressor
    model = learner(criterion=criterion, missing="surrogate", categorical_features=categorical)
    tree = model.fit(X, y, sample_weight=weight).tree_
    n_classes = int(y.max()) + 1 if criterion in CLASSIFICATION else 0
    is_exact = (criterion != "absolute_error" and n_classes <= 2) or not categorical
    rows = naive_surrogates.rows_by_node(tree, X)
    assert tree.n_samples.tolist() == [len(here) for here in rows]
    for node in np.flatnonzero(tree.feature >= 0):
        here = rows[node][~np.isnan(X[rows[node], tree.feature[node]])]
        left = np.isin(here, rows[tree.left[node]])
        about = (criterion, n_classes)
        gain = weight[here].sum() * naive.impurity(y[here], weight[here], *about)
        gain -= naive.cost(left, y[here], weight[here], *about)
        best = naive_surrogates.best_gain(X[rows[node]], y[rows[node]], weight[rows[node]], *about, categorical)
        assert gain <= best + 1e-9
        assert gain == pytest.approx(best, abs=1e-9) or not is_exact
        assert tree.missing_left[node] == (weight[here][left].sum() > weight[here][~left].sum())
        first, stop = tree.surrogates.start[node : node + 2]
        found = list(zip(tree.surrogates.feature[first:stop], tree.surrogates.agreement[first:stop], strict=True))
        wanted = naive_surrogates.agreements(X[here], left, weight[here], tree.feature[node], categorical)
        assert [f for f, _ in found] == [f for f, _ in wanted[:5]]
        assert [a for _, a in found] == pytest.approx([a for _, a in wanted[:5]])


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_without_missing_values_the_tree_is_that_of_the_better_side(table):
    X, y, _, categorical = table
    X = np.nan_to_num(X)
    ways = [CartClassifier(missing=way, categorical_features=categorical) for way in ("side", "surrogate")]
    one, other = (way.fit(X, y).tree_ for way in ways)
    assert are_same(one, other._replace(surrogates=one.surrogates))


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True), seed=st.integers(0, 99))
def test_new_rows_go_where_the_words_of_the_record_send_them(table, seed):
    """Half of the table grows the tree; the other half, shuffled within columns, has categories it never saw."""
    X, y, _, categorical = table
    half = len(X) // 2
    if len(np.unique(y[:half])) < 2:
        return
    model = CartClassifier(missing="surrogate", categorical_features=categorical, max_depth=3)
    tree = model.fit(X[:half], y[:half]).tree_
    new = np.random.default_rng(seed).permuted(X[half:], axis=0)
    new[:, categorical] += 1
    reached = naive_surrogates.rows_by_node(tree, new)
    for node in np.flatnonzero(is_leaf(tree)):
        assert (leaves(tree, new[reached[node]]) == node).all()


def test_what_cannot_use_surrogates_refuses_them_by_name():
    tree = stump(BY_HAND, OF_HAND)
    with pytest.raises(ValueError, match="surrogate"):
        pack_forest(make_forest([tree], [1.0], "mean", [0.5, 0.5]))
    with pytest.raises(ValueError, match="missing='surrogate'"):
        BaggedForestClassifier(CartClassifier(missing="surrogate"), n_estimators=2).fit(BY_HAND, OF_HAND)
    with pytest.raises(ValueError, match="gain_ratio"):
        stump(BY_HAND, OF_HAND, criterion="gain_ratio")


SEEDS = st.integers(0, 2**32 - 1)


def random_codes(rng):
    """(x, y01, numbers, weight): up to 7 categories, in some tables with missing values."""
    n = int(rng.integers(8, 40))
    x = rng.integers(0, rng.integers(2, 8), n).astype(float)
    signal = np.sin(1.7 * x) + rng.normal(size=n)
    if rng.random() < 0.4:
        x[rng.random(n) < 0.2] = np.nan
    weight = np.ones(n) if rng.random() < 0.5 else rng.random(n) + 0.05
    return x, (signal > 0).astype(int), np.round(signal, 2), weight


def cost_of(tree):
    """Impurity of the leaves times weight; inf where the root is one."""
    leaves = tree.left < 0
    return float((tree.impurity * tree.weight)[leaves].sum()) if tree.n_leaves > 1 else np.inf


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "squared_error"])
@settings(max_examples=80)
@given(seed=SEEDS)
def test_the_best_set_of_categories_is_found_whatever_a_leaf_must_have(criterion, seed):
    rng = np.random.default_rng(seed)
    x, y01, numbers, weight = random_codes(rng)
    is_number = criterion == "squared_error"
    y, n_classes = (numbers, 0) if is_number else (y01, len(np.unique(y01)))
    limits = {
        "min_samples_leaf": int(rng.integers(1, max(len(x) // 2, 2))),
        "min_weight_fraction_leaf": float(rng.choice([0, 0.137, 0.31])),
    }
    make = CartRegressor if is_number else CartClassifier
    model = make(criterion=criterion, max_depth=1, categorical_features=[0], **limits)
    tree = model.fit(x[:, None], y, sample_weight=weight).tree_
    least = limits["min_weight_fraction_leaf"] * weight.sum()
    best = naive.best_cost(
        x[:, None], np.unique(y, return_inverse=True)[1] if n_classes else y, weight, criterion,
        n_classes=n_classes, categorical=[0], min_leaf=limits["min_samples_leaf"], min_weight=least,
    )  # fmt: skip
    if tree.impurity[0] > 1e-12:  # a pure root is not split
        assert cost_of(tree) == pytest.approx(best, abs=1e-9)


def test_of_more_categories_than_are_tried_the_best_cut_of_the_order_is_taken():
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(MOST_SUBSETS + 1.0), 3)
    y = (rng.random(len(x)) < 0.5).astype(int)
    tree = CartClassifier(max_depth=1, min_samples_leaf=17, categorical_features=[0]).fit(x[:, None], y).tree_
    share = [y[x == c].mean() for c in range(MOST_SUBSETS + 1)]
    left = [bool(int(tree.categories[0]) >> c & 1) for c in range(MOST_SUBSETS + 1)]
    assert max(s for s, goes in zip(share, left, strict=True) if goes) <= min(
        s for s, goes in zip(share, left, strict=True) if not goes
    )
    assert min(tree.n_samples[1:]) >= 17


# Splits that part one category from all others
CRITERIA = ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]


def table(rng, n_categories=7):
    """(codes, y, weight): up to so many categories, in some tables with missing values; y in {0, 1, 2}."""
    n = int(rng.integers(8, 40))
    codes = rng.integers(0, n_categories, n).astype(float)
    y = (codes + rng.integers(0, 2, n)) % 3
    if rng.random() < 0.4:
        codes[rng.random(n) < 0.2] = np.nan
    return codes, y, np.ones(n) if rng.random() < 0.5 else rng.uniform(0.1, 3, n)


def kind_of(criterion):
    return CartRegressor if criterion in CRITERIA[3:] else CartClassifier


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_the_category_that_parts_best_is_found(criterion, seed):
    rng = np.random.default_rng(seed)
    codes, y, weight = table(rng)
    least = int(rng.integers(1, max(len(y) // 3, 2)))
    model = kind_of(criterion)(
        criterion=criterion, max_depth=1, categorical_features=[0], categories="one-vs-rest",
        min_samples_leaf=least,
    )  # fmt: skip
    tree = model.fit(codes[:, None], y, sample_weight=weight).tree_
    n_classes = 0 if criterion in CRITERIA[3:] else 3
    costs = [
        naive.cost(left, y, weight, criterion, n_classes)
        for left in naive.partitions_of_one(codes)
        if min(left.sum(), (~left).sum()) >= least
    ]
    if tree.impurity[0] > 1e-12:
        assert cost_of(tree) == pytest.approx(min(costs, default=np.inf), abs=1e-9)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_split_has_one_category_on_its_left(criterion, splitter):
    rng = np.random.default_rng(1)
    codes, y = rng.integers(0, 9, 200).astype(float), rng.integers(0, 3, 200).astype(float)
    model = kind_of(criterion)(
        criterion=criterion, categorical_features=[0], categories="one-vs-rest", splitter=splitter, random_state=0
    )
    tree = model.fit(codes[:, None], y).tree_
    rows, inner = naive.rows_by_node(tree, codes[:, None]), np.flatnonzero(tree.feature != LEAF)
    assert len(inner) > 2
    assert all(len(np.unique(codes[rows[tree.left[node]]])) == 1 for node in inner)


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_two_categories_are_parted_as_sets_are(criterion, seed):
    codes, y, _ = table(np.random.default_rng(seed), n_categories=2)
    X = np.column_stack([np.nan_to_num(codes), np.arange(len(y)) % 5])
    one, other = (
        kind_of(criterion)(criterion=criterion, categorical_features=[0], categories=categories, max_depth=3)
        .fit(X, y) for categories in ("one-vs-rest", "subset")
    )  # fmt: skip
    assert one.predict(X) == pytest.approx(other.predict(X))
    assert one.tree_.n_nodes == other.tree_.n_nodes


def test_surrogates_stand_in_for_a_split_of_one_category():
    codes = np.tile([0.0, 1, 2], 12)
    X = np.column_stack([codes, codes == 1])
    X[:5, 0] = np.nan
    model = CartClassifier(categorical_features=[0], categories="one-vs-rest", missing="surrogate", max_depth=1)
    assert model.fit(X, codes == 1).predict(X).tolist() == (codes == 1).tolist()
