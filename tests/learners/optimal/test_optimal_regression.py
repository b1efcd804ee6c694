"""The best regression tree of a size is that of trying all of them, and says how good a tree can be."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from espalier.data import samples
from espalier.learners import CartRegressor, OptimalRegressor
from espalier.learners.optimal.regression import whole_weights
from espalier.predict import leaves
from espalier.progress import Progress
from tests.tools.naive.optimal_regression import NumberCase, Size, least_loss, sides
from tests.tools.selection import seeds


def table(seed, most) -> tuple[NumberCase, np.ndarray]:
    """Numbers with ties, some missing, some categories, and weights; and which columns are categories."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, most)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 9), (n, m)).astype(float)
    X[rng.random((n, m)) < rng.choice([0, 0.15])] = np.nan
    y = rng.normal(size=n).round(int(rng.integers(0, 3)))
    weight = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1][seed % 3]
    return NumberCase(X, y, weight), rng.random(m) < 0.25


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    bunch: Any = load_diabetes()
    return bunch.data, bunch.target


def fitted(case: NumberCase, **parameters) -> OptimalRegressor:
    return OptimalRegressor(max_thresholds=None, **parameters).fit(case.X, case.y, sample_weight=case.weight)


def error(case: NumberCase, model) -> float:
    """The weighted squared error of the model's predictions."""
    return float((case.weight * (case.y - model.predict(case.X)) ** 2).sum())


@seeds(18, 120)
@pytest.mark.parametrize(("depth", "most"), [(1, 20), (2, 20), (3, 16), (4, 10)])
def test_no_tree_of_the_size_is_better(depth, most, seeds):
    for seed in seeds:
        case, categorical = table(seed, most)
        splits, least = seed % 2**depth if seed % 3 == 0 else 2**depth - 1, 1 + seed % 5
        model = fitted(
            case, max_depth=depth, max_splits=splits, min_samples_leaf=least, categorical_features=categorical
        )
        size, every = Size(depth, splits, least), np.ones(len(case.y), bool)
        assert model.proof_.objective == pytest.approx(
            least_loss(case, sides(case.X, categorical), every, size), abs=1e-8
        )
        assert error(case, model) == pytest.approx(model.proof_.objective, abs=1e-8)
        assert model.tree_.n_leaves <= splits + 1
        assert model.tree_.depth <= depth
        in_leaf = np.bincount(leaves(model.tree_, case.X))
        assert model.tree_.n_leaves == 1 or in_leaf[in_leaf > 0].min() >= least


@pytest.mark.parametrize(("far", "step"), [(1e9, 0.001), (1e12, 1.0), (-3e15, 4.0)])
def test_a_small_step_far_from_zero_is_found_as_one_near_it(far, step):
    X = np.arange(300.0)[:, None]
    y = far + step * (X[:, 0] > 120)
    model = OptimalRegressor().fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.proof_.objective == 0
    assert model.tree_.n_leaves == 2


def test_a_proof_says_to_how_much_error_it_is_exact():
    case, _ = table(6, 30)
    lone = ((case.y - case.y.mean()) ** 2).sum()
    assert 0 < OptimalRegressor(max_depth=2).fit(case.X, case.y).proof_.tolerance < 1e-8 * lone
    odd = np.where(np.arange(len(case.y)) % 2, np.pi, 1e-9)  # rounded to a part of the greatest
    rounded = OptimalRegressor(max_depth=2).fit(case.X, case.y, sample_weight=odd).proof_
    assert rounded.tolerance > abs(np.rint(1e-9 * 2**30 / np.pi) * np.pi / 2**30 - 1e-9) * lone / len(case.y)


@pytest.mark.parametrize(("depth", "most", "seeds"), [(2, 9, 40), (3, 6, 4)])
def test_of_trees_as_good_it_has_the_fewest_splits(depth, most, seeds):
    for seed in range(seeds):
        case, categorical = table(seed, most)
        case = case._replace(y=case.y.round() % 2)  # many trees are as good
        model = fitted(case, max_depth=depth, categorical_features=categorical)
        given, every = sides(case.X, categorical), np.ones(len(case.y), bool)
        least = [least_loss(case, given, every, Size(depth, splits)) for splits in range(2**depth)]
        fewest = next(n for n, loss in enumerate(least) if loss < least[-1] + 1e-9)
        assert model.tree_.n_leaves - 1 == fewest
        assert model.proof_.objective == pytest.approx(least[-1], abs=1e-8)


def test_it_is_never_worse_than_a_greedy_tree_and_deeper_ones_are_better():
    X, y = diabetes()
    X, y, last = X[:90, :4], y[:90], np.inf
    for depth in (1, 2, 3):
        case = NumberCase(X, y, np.ones(len(y)))
        model, greedy = fitted(case, max_depth=depth), DecisionTreeRegressor(max_depth=depth)
        assert model.proof_.proved
        assert model.proof_.lower_bound == model.proof_.objective
        assert model.proof_.objective <= min(error(case, greedy.fit(X, y)), last) * (1 + 1e-12)
        last = model.proof_.objective
    assert model.proof_.every_threshold


def test_scaling_the_target_scales_the_error_by_its_square():
    case, _ = table(6, 30)
    X, y = np.nan_to_num(case.X), case.y
    objective = OptimalRegressor(max_depth=2).fit(X, y).proof_.objective
    moved = OptimalRegressor(max_depth=2).fit(X, 1000 * y + 5e6).proof_.objective
    assert moved == pytest.approx(1e6 * objective, rel=1e-6)


def test_thresholds_that_are_given_as_zeros_and_ones_make_the_same_tree():
    X, y = diabetes()
    X, y = X[:200, :4], y[:200]
    numbers = OptimalRegressor(max_depth=2, max_thresholds=6).fit(X, y)
    asked = numbers.questions_
    bits = (X[:, asked.feature] <= asked.threshold).astype(float)
    several = np.column_stack([bits, np.arange(len(y)) % 2, np.arange(len(y)) % 3])
    ones = OptimalRegressor(max_depth=2, max_thresholds=6).fit(bits, y)
    assert ones.proof_.objective == pytest.approx(numbers.proof_.objective)
    assert error(NumberCase(bits, y, np.ones(len(y))), ones) == pytest.approx(ones.proof_.objective)
    more = OptimalRegressor(max_depth=2, max_thresholds=6).fit(several, y)
    assert more.proof_.objective <= ones.proof_.objective * (1 + 1e-12)


def test_chosen_questions_make_deeper_trees_quick():
    X, y = diabetes()
    few = OptimalRegressor(max_depth=3, max_thresholds=1).fit(X, y)
    every = OptimalRegressor(max_depth=2, max_thresholds=None).fit(X, y)
    assert few.proof_.proved
    assert not few.proof_.every_threshold
    assert few.proof_.n_questions == 10
    assert every.proof_.n_questions > 1000
    assert OptimalRegressor(max_depth=2).fit(X, y).proof_.every_threshold
    assert not OptimalRegressor(max_depth=4, time_limit=0.05).fit(X, y).proof_.every_threshold


def test_a_search_that_was_stopped_has_a_tree_and_a_bound_and_goes_on():
    X, y = diabetes()
    stopped = Progress()
    stopped.stop()
    model = OptimalRegressor(max_depth=3, max_thresholds=None).fit(X[:, :3], y, progress=stopped)
    assert not model.proof_.proved
    assert 0 <= model.proof_.lower_bound < model.proof_.objective
    assert model.tree_.n_leaves >= 1
    again = pickle.loads(pickle.dumps(model)).go_on()
    whole = OptimalRegressor(max_depth=3, max_thresholds=None).fit(X[:, :3], y)
    assert again.proof_.proved
    assert again.proof_.objective == whole.proof_.objective
    assert again.tree_.threshold.tolist() == pytest.approx(whole.tree_.threshold.tolist(), nan_ok=True)


def test_every_better_tree_of_a_search_is_kept_for_the_film():
    sine = samples.load("sine")
    search = OptimalRegressor(max_depth=3, max_thresholds=None).fit(sine.X, sine.y).search_
    last = search.tree_of(search.finds[-1])[1]
    assert last == pytest.approx(search.trace[-1][1])
    assert search.trace[-1][2] == pytest.approx(last)


def test_equal_targets_sides_of_one_mean_tables_without_questions_and_a_limit_of_no_split_make_a_leaf():
    for X, y in ((np.arange(6.0)[:, None], np.full(6, 0.1)), (np.ones((6, 2)), np.arange(6.0))):
        model = OptimalRegressor().fit(X, y)
        assert model.proof_.proved
        assert model.tree_.n_leaves == 1
        assert model.predict(X[:1]) == pytest.approx([y.mean()])
    x = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1.0])[:, None]
    y = np.array([20.0, 16, 21, 12, 13, 22, 16, 18, 18, 20, 22])  # 18 on either side
    assert OptimalRegressor(max_depth=1).fit(x, y).tree_.n_leaves == 1
    X, y = np.arange(9.0)[:, None], np.arange(9.0)
    assert [OptimalRegressor(max_splits=n).fit(X, y).tree_.n_nodes for n in (0, 1)] == [1, 3]


def test_a_leaf_predicts_what_a_greedy_tree_of_one_split_does():
    X, y = diabetes()
    ours = OptimalRegressor(max_depth=1, max_thresholds=None).fit(X, y)
    greedy = CartRegressor(max_depth=1).fit(X, y)
    assert ours.predict(X) == pytest.approx(greedy.predict(X))
    assert ours.tree_.impurity == pytest.approx(greedy.tree_.impurity)


def test_weights_that_have_a_common_measure_are_whole_and_others_nearly():
    assert whole_weights(np.array([0.1, 0.3, 0.7]))[0].tolist() == [1, 3, 7]
    whole, times = whole_weights(np.array([1.0, np.pi]))
    assert whole / times == pytest.approx([1, np.pi], rel=1e-8)
