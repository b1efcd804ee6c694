"""Optimal regression trees whose predictions only rise, or only fall, with some columns."""

import pickle

import numpy as np
import pandas as pd
import pytest

from espalier.learners import CartRegressor, OptimalRegressor
from espalier.learners.optimal.regression.ordered_leaves import DirectedNodes, LeafRows, values_in_order
from espalier.progress import Progress
from tests.tools.naive.optimal_regression import NumberCase, Size, directed_sides, least_ordered

NAMES = {False: "squared_error", True: "absolute_error"}


def table(seed, most, most_columns=3):
    """Numbers with ties, some missing, some categories, weights; which columns are categories, and directions."""
    rng = np.random.default_rng((seed, most))
    n, m = int(rng.integers(3, most)), int(rng.integers(1, most_columns + 1))
    X = rng.integers(0, rng.integers(2, 7), (n, m)).astype(float)
    X[rng.random((n, m)) < rng.choice([0, 0.15])] = np.nan
    slope = rng.choice([-1, 0, 1])
    y = (rng.normal(size=n) + slope * np.nan_to_num(X[:, 0])).round(int(rng.integers(0, 3)))
    weight = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1][seed % 3]
    categorical = np.append(False, rng.random(m - 1) < 0.25)
    directions = np.where(categorical, 0, rng.integers(-1, 2, m))
    directions[0] = directions[0] or 1
    return NumberCase(X, y, weight, seed % 2 == 1), categorical, directions.tolist()


def fitted(case, directions, **parameters):
    model = OptimalRegressor(
        criterion=NAMES[case.is_absolute], max_thresholds=None, monotonic_cst=directions, **parameters
    )
    return model.fit(case.X, case.y, sample_weight=case.weight)


def error(case, model):
    away = np.abs(case.y - model.predict(case.X))
    return float((case.weight * (away if case.is_absolute else away**2)).sum())


def assert_keeps(model, X, directions):
    for column in np.flatnonzero(directions):
        if np.isnan(X[:, column]).all():
            continue
        values = np.linspace(np.nanmin(X[:, column]) - 1, np.nanmax(X[:, column]) + 1, 15)
        rows = np.repeat(X[None], len(values), axis=0)
        rows[:, :, column] = values[:, None]
        said = model.predict(rows.reshape(-1, X.shape[1])).reshape(rows.shape[:2])
        assert (directions[column] * np.diff(said, axis=0) >= -1e-12).all()


@pytest.mark.parametrize(("depth", "most", "seeds"), [(1, 20, 40), (2, 8, 40), (3, 6, 8)])
def test_no_tree_of_the_size_that_keeps_to_the_directions_is_better(depth, most, seeds):
    for seed in range(seeds):
        case, categorical, directions = table(seed, most, 3 if depth < 3 else 2)
        splits, least = (1 + seed % (2**depth - 1) if seed % 3 == 0 else 2**depth - 1), 1 + (seed % 4 == 0)
        model = fitted(
            case, directions, max_depth=depth, max_splits=splits, min_samples_leaf=least,
            categorical_features=categorical,
        )  # fmt: skip
        sides = directed_sides(case.X, categorical, directions)
        assert model.proof_.proved
        assert model.proof_.objective == pytest.approx(
            least_ordered(case, sides, Size(depth, splits, least)), abs=1e-7
        )
        assert error(case, model) == pytest.approx(model.proof_.objective, abs=1e-8)
        assert model.tree_.n_leaves <= splits + 1
        assert_keeps(model, case.X, directions)


def test_a_direction_against_the_data_leaves_a_lone_leaf():
    X, y = np.arange(6.0)[:, None], np.array([0.0, 0, 1, 1, 1, 1])
    free, held = (OptimalRegressor(max_depth=2, monotonic_cst=[one]).fit(X, y) for one in (1, -1))
    assert (free.proof_.objective, free.tree_.n_leaves) == (0, 2)
    assert (held.tree_.n_leaves, held.proof_.proved) == (1, True)
    assert held.proof_.objective == pytest.approx(6 * np.var(y))


def test_leaves_of_both_sides_share_a_value_where_each_alone_would_be_better_off():
    """Left of 0.5 the best is 2 where b is 1, right of it 1 where b is 0: together both are at their mean."""
    X = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 1]], 2, axis=0)
    y = np.repeat([0.0, 2, 1, 5], 2)
    model = OptimalRegressor(max_depth=2, monotonic_cst=[1, 0], max_splits=3).fit(X, y)
    other = OptimalRegressor(max_depth=2, max_splits=3).fit(X, y)
    assert other.proof_.objective == 0
    assert model.proof_.objective == 0  # with b first, no leaf of one side of a has to stay below the other's
    only = OptimalRegressor(max_depth=2, monotonic_cst=[1, 1]).fit(X, np.repeat([0.0, 2, 5, 1], 2))
    assert only.proof_.proved
    assert_keeps(only, X, [1, 1])


def test_directions_that_the_best_tree_keeps_cost_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).round(1)
    y = 2 * X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=200) / 4
    free, held = (OptimalRegressor(max_depth=2, monotonic_cst=one).fit(X, y) for one in (None, [1, 0, 0]))
    assert held.proof_.proved
    assert held.proof_.objective == pytest.approx(free.proof_.objective)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_it_lies_between_the_best_tree_and_the_greedy_one_with_the_same_directions(criterion):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 8, (80, 3)).astype(float)
    y = X[:, 0] - (X[:, 1] - 4) ** 2 / 4 + rng.normal(size=80)
    directions = [-1, 1, 0]
    case = NumberCase(X, y, np.ones(80), criterion == "absolute_error")
    free, held = fitted(case, None, max_depth=2), fitted(case, directions, max_depth=2)
    greedy = CartRegressor(max_depth=2, criterion=criterion, monotonic_cst=directions).fit(X, y)
    assert held.proof_.proved
    assert free.proof_.objective < held.proof_.objective <= error(case, greedy) + 1e-9
    assert_keeps(held, X, directions)


def test_a_mirrored_column_falls_where_it_rose():
    case, _, _ = table(2, 40, 3)
    X = np.nan_to_num(case.X)
    rising, falling = (fitted(case._replace(X=X * sign), [sign] + [0] * (X.shape[1] - 1), max_depth=2)
                       for sign in (1, -1))  # fmt: skip
    assert rising.proof_.objective == pytest.approx(falling.proof_.objective)


def test_columns_are_named_or_numbered():
    X, y = np.arange(24.0).reshape(12, 2) % 7, np.arange(12.0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = OptimalRegressor(max_depth=2, monotonic_cst={"a": -1}).fit(frame, y)
    assert (
        named.proof_.objective == OptimalRegressor(max_depth=2, monotonic_cst=[-1, 0]).fit(X, y).proof_.objective
    )


def test_values_in_order_are_the_nearest_ones():
    nodes = DirectedNodes([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [1, -1, 0, 0, 0])
    y = {2: np.array([4.0]), 3: np.array([1.0]), 4: np.array([2.0, 2.0])}
    rows = LeafRows(y, {leaf: np.ones(len(of)) for leaf, of in y.items()})
    assert values_in_order(nodes, rows, False) == pytest.approx({2: 8 / 3, 3: 1, 4: 8 / 3})
    assert values_in_order(nodes, rows, True) == {2: 2, 3: 1, 4: 2}


def test_a_search_that_was_stopped_has_a_tree_that_keeps_to_the_directions_and_goes_on():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (60, 2)).astype(float)
    y, stopped = -X[:, 0] + rng.normal(size=60), Progress()
    stopped.stop()
    model = OptimalRegressor(max_depth=3, monotonic_cst=[1, 0], max_thresholds=None)
    model.fit(X, y, progress=stopped)
    assert not model.proof_.proved
    assert 0 <= model.proof_.lower_bound <= model.proof_.objective
    assert_keeps(model, X, [1, 0])
    again = pickle.loads(pickle.dumps(model)).go_on()
    whole = OptimalRegressor(max_depth=3, monotonic_cst=[1, 0], max_thresholds=None).fit(X, y)
    assert again.proof_.proved
    assert again.proof_.objective == pytest.approx(whole.proof_.objective)
    part = OptimalRegressor(max_depth=3, monotonic_cst=[1, 0], max_thresholds=None, time_limit=0.05).fit(X, y)
    copy = pickle.loads(pickle.dumps(part)).go_on()
    assert copy.proof_.objective == pytest.approx(whole.proof_.objective)
    assert copy.proof_.lower_bound == copy.proof_.objective


def test_what_cannot_be_together_is_refused_by_a_sentence():
    X, y = np.arange(12.0).reshape(6, 2) % 5, np.arange(6.0)
    with pytest.raises(ValueError, match="categories have no order"):
        OptimalRegressor(monotonic_cst=[1, 0], categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst"):
        OptimalRegressor(monotonic_cst=[1, 0], leaf_model="linear").fit(X, y)
