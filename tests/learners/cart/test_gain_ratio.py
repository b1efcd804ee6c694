"""C4.5's gain ratio as a criterion: by hand, against Quinlan's numbers, the naive version, and by law."""

import numpy as np
import pytest
from hypothesis import given, settings

from espalier.learners import CartClassifier
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.learners.cart.test_cart import tables
from tests.tools.naive import cart as naive
from tests.tools.same_trees import are_same

# y is four times 0, then four times 1
Y = np.repeat([0, 1], 4)
ONE_OFF = [0, 0, 0, 0, 0, 0, 0, 1]  # parts a single sample from the others: gains 0.138, ratio 0.254
HALVES = [0, 0, 0, 1, 0, 1, 1, 1]  # halves of three to one: gains 0.189, ratio 0.189
WORTHLESS = [0, 1, 0, 1, 0, 1, 0, 1]  # gains nothing


def grow(*columns, y: object = Y, **parameters):
    X = np.column_stack([np.asarray(c, dtype=float) for c in columns])
    return CartClassifier(criterion="gain_ratio", **parameters).fit(X, np.asarray(y)).tree_


def test_a_split_that_gains_less_than_the_average_is_not_chosen_for_its_ratio():
    one_off, halves = (naive.gain_and_ratio(np.array(x) == 0, Y, np.ones(8), 2) for x in (ONE_OFF, HALVES))
    assert one_off == pytest.approx((0.138, 0.254), abs=1e-3)
    assert halves == pytest.approx((0.189, 0.189), abs=1e-3)
    assert grow(ONE_OFF, HALVES, max_depth=1).feature[0] == 1


def test_a_worthless_feature_lowers_the_average_and_lets_the_greater_ratio_win():
    assert grow(WORTHLESS, HALVES, ONE_OFF, max_depth=1).feature[0] == 2
    assert grow(np.zeros(8), HALVES, ONE_OFF, max_depth=1).feature[0] == 1, "what parts nothing is no candidate"


def test_entropy_would_choose_the_greater_gain():
    X = np.column_stack([WORTHLESS, HALVES, ONE_OFF])
    assert CartClassifier(criterion="entropy", max_depth=1).fit(X, Y).tree_.feature[0] == 1


def test_a_features_own_threshold_is_the_one_that_gains_most():
    # Cutting off the first sample has the greater ratio, cutting in the middle the greater gain.
    y = np.array([1, 0, 0, 0, 0, 1, 1, 1, 0, 1])
    x = np.arange(10.0)
    chosen = grow(x, y=y, max_depth=1)
    by_gain = CartClassifier(criterion="entropy", max_depth=1).fit(x[:, None], y).tree_
    assert chosen.threshold[0] == by_gain.threshold[0]


def test_the_first_of_equal_features_wins_even_mirrored():
    x = np.arange(8.0)
    assert grow(x, -x, max_depth=1).feature[0] == 0
    assert grow(-x, x, max_depth=1).feature[0] == 0


def test_a_split_is_worth_the_same_on_many_values_and_on_two():
    x = np.arange(100.0)
    for columns in ((x, x > 30), (x > 30, x)):
        assert grow(*columns, y=x > 30, max_depth=1).feature[0] == 0


def test_the_first_of_equal_features_wins_however_weights_are_rounded():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=90), rng.integers(0, 2, 90)
        X, weight = np.column_stack([x, -x, x]), rng.uniform(0.1, 1, 90)
        model = CartClassifier(criterion="gain_ratio", max_depth=3).fit(X, y, sample_weight=weight)
        assert set(model.tree_.feature) <= {0, LEAF}, seed


def test_impurities_are_entropies_in_bits():
    tree = grow(np.arange(4.0), y=[0, 1, 1, 1])
    assert tree.impurity[0] == pytest.approx(0.25 * 2 + 0.75 * np.log2(4 / 3))
    assert tree.impurity[1:].tolist() == [0, 0]


def test_gains_and_ratios_are_those_of_quinlan():
    """Data of Quinlan (1986), "Induction of Decision Trees", table 1; gains in section 4, ratios in section 7."""
    play = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
    windy = np.array([0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1])
    humid = np.array([1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1])
    for answers, gain, ratio in ((windy, 0.048, 0.049), (humid, 0.151, 0.151)):
        assert naive.gain_and_ratio(answers == 0, play, np.ones(14), 2) == pytest.approx((gain, ratio), abs=1e-3)
        tree = grow(answers, y=play, max_depth=1)
        after = (tree.weight[1:] * tree.impurity[1:]).sum() / tree.weight[0]
        assert tree.impurity[0] - after == pytest.approx(gain, abs=1e-3)
    assert grow(windy, humid, y=play, max_depth=1).feature[0] == 1


def test_exclusive_or_is_split_although_the_first_split_gains_nothing():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    assert CartClassifier(criterion="gain_ratio").fit(X, [0, 1, 1, 0]).tree_.n_leaves == 4


@settings(deadline=None, max_examples=100)
@given(table=tables(classification=True))
def test_every_split_is_the_one_that_the_naive_version_chooses(table):
    X, y, weight, categorical = table
    y = np.unique(y, return_inverse=True)[1]
    assert_every_split_is_naive((X, y, weight, categorical))


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 5, 6, 7])
def test_columns_of_many_values_are_split_as_the_naive_version_does(seed):
    """More than 64 values are sorted, not counted; with ties, missing values, weights, two or three classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(130, 2)), np.round(rng.normal(size=130), 2), rng.integers(0, 5, 130)])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=130) > 0) + (rng.random(130) < 0.3) * (seed % 2)
    X[rng.random(X.shape) < (0.15 if seed & 2 else 0)] = np.nan
    weight = rng.uniform(0.5, 2, 130) if seed & 4 else np.ones(130)
    assert_every_split_is_naive((X, y, weight, [3]), max_depth=3)


def assert_every_split_is_naive(table, **parameters):
    X, y, weight, categorical = table
    n_classes = int(y.max()) + 1
    model = CartClassifier(criterion="gain_ratio", categorical_features=categorical, **parameters)
    tree = model.fit(X, y, sample_weight=weight).tree_
    check_tree(tree)
    rows = naive.rows_by_node(tree, X)
    for node, here in enumerate(rows):
        best = naive.best_by_ratio(X[here], y[here], weight[here], n_classes=n_classes, categorical=categorical)
        if tree.feature[node] == LEAF:
            assert tree.impurity[node] == 0 or not best or tree.depth == parameters.get("max_depth")
            continue
        left = np.isin(here, rows[tree.left[node]])
        gain, ratio = naive.gain_and_ratio(left, y[here], weight[here], n_classes)
        assert tree.feature[node] in best, "a feature that gains less than the average"
        assert gain == pytest.approx(best[tree.feature[node]][0], abs=1e-9)
        assert ratio >= max(ratio for _, ratio in best.values()) - 1e-9


@settings(deadline=None, max_examples=30)
@given(table=tables(classification=True))
def test_whole_weights_are_the_same_as_repeated_samples(table):
    X, y, weight, categorical = table
    times = weight.astype(int)
    model = CartClassifier(criterion="gain_ratio", categorical_features=categorical, max_depth=1)
    weighted = model.fit(X, y, sample_weight=weight).tree_
    repeated = model.fit(X.repeat(times, 0), y.repeat(times)).tree_
    assert weighted.impurity == pytest.approx(repeated.impurity, abs=1e-9)
    assert weighted.weight == pytest.approx(repeated.weight)


def test_with_one_feature_the_tree_is_that_of_entropy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 1)), rng.integers(0, 3, 200)
    ours, theirs = (CartClassifier(criterion=c).fit(X, y).tree_ for c in ("gain_ratio", "entropy"))
    assert are_same(ours, theirs)


@pytest.mark.parametrize("parameters", [{"splitter": "random"}, {"max_features": 2}, {"max_leaf_nodes": 7}])
def test_chance_and_limits_work_as_with_the_other_criteria(parameters):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    model = CartClassifier(criterion="gain_ratio", random_state=1, min_samples_leaf=3, **parameters)
    one, again = (model.fit(X, y).tree_ for _ in range(2))
    check_tree(one)
    assert np.array_equal(one.threshold, again.threshold, equal_nan=True)
    assert 1 < one.n_leaves <= parameters.get("max_leaf_nodes", 200)
    assert one.n_samples.min() >= 3


def test_pruning_takes_branches_off_by_their_entropy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    whole, pruned = (
        CartClassifier(criterion="gain_ratio", ccp_alpha=a).fit(X, y).tree_ for a in (0.0, 0.05)
    )  # fmt: skip
    assert 1 <= pruned.n_leaves < whole.n_leaves
