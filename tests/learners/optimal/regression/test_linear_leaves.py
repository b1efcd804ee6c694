"""The best regression tree with a line in each leaf is that of trying all of them, and answers by its lines."""

import pickle

import numpy as np
import pytest

from espalier import ModelTree
from espalier.data import samples
from espalier.leaf_models import check_model_tree, terms_at
from espalier.learners import OptimalRegressor
from espalier.learners.optimal.regression.leaf_lines import best_line
from espalier.learners.optimal.regression.problem import RegressionTask
from espalier.predict import leaves, record_of, shares
from tests.tools.naive.optimal_regression import NumberCase, Size, least_loss, line_loss, sides


def table(seed: int, most: int) -> NumberCase:
    """Numbers with ties, some missing, and weights."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, most)), int(rng.integers(1, 4))
    X = rng.integers(0, 7, (n, m)).astype(float)
    X[1:, 0][rng.random(n - 1) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) * rng.normal() + rng.normal(size=n).round(1)
    weight = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1][seed % 3]
    return NumberCase(X, y, weight, False, [0.0, 0.1, 2.0][seed % 3 if seed % 2 else 1])


def linear(case: NumberCase, **parameters) -> OptimalRegressor:
    model = OptimalRegressor(
        leaf_model="linear", shrinkage=case.shrinkage or 0.0, max_thresholds=None, **parameters
    )
    return model.fit(case.X, case.y, sample_weight=case.weight)


@pytest.mark.parametrize(("depth", "most", "seeds"), [(1, 16, 30), (2, 10, 20), (3, 7, 6)])
def test_no_tree_of_the_size_is_better(depth, most, seeds):
    for seed in range(seeds):
        case, least = table(seed, most), 1 + seed % 3
        splits = seed % 2**depth if seed % 3 == 0 else 2**depth - 1
        model = linear(case, max_depth=depth, max_splits=splits, min_samples_leaf=least)
        size, every = Size(depth, splits, least), np.ones(len(case.y), bool)
        given = sides(case.X, np.zeros(case.X.shape[1], bool))
        best = least_loss(case, given, every, size)
        assert model.proof_.proved
        assert model.proof_.objective == pytest.approx(best, abs=1e-7)
        assert model.tree_.n_leaves <= splits + 1


def test_the_objective_is_the_error_of_the_lines_and_their_penalty():
    for seed in range(12):
        case = table(seed, 30)
        model = linear(case, max_depth=2, min_samples_leaf=2)
        check_model_tree(model.model_tree_)
        whole, leaf = 0.0, leaves(model.tree_, case.X)
        for node in np.unique(leaf):
            rows, terms = leaf == node, terms_at(model.model_tree_.models, int(node))
            columns = [term.feature for term in terms] or [0]
            assert len(terms) <= 1
            whole += line_loss(case._replace(shrinkage=case.shrinkage if terms else 1e12), rows, columns[0])
        assert whole == pytest.approx(model.proof_.objective, abs=1e-6)


def test_a_tent_is_two_lines():
    """Of |x| no line explains anything, and one split with a line on either side explains all."""
    x = np.linspace(-1, 1, 41)
    model = OptimalRegressor(max_depth=2, leaf_model="linear", shrinkage=0).fit(x[:, None], np.abs(x))
    assert model.tree_.n_leaves == 2
    assert model.proof_.objective == pytest.approx(0, abs=1e-9)
    assert sorted(
        term.coefficient[0] for leaf in (1, 2) for term in terms_at(model.model_tree_.models, leaf)
    ) == pytest.approx([-1, 1])
    assert model.predict([[-2.0], [0.5], [3.0]]) == pytest.approx([1, 0.5, 1])  # kept within what leaves saw


def test_the_lines_are_what_analyses_and_exports_get():
    sine = samples.load("sine")
    model = OptimalRegressor(max_depth=1, leaf_model="linear").fit(sine.X, sine.y)
    again = pickle.loads(pickle.dumps(model))
    record = record_of(again)
    assert isinstance(record, ModelTree)
    assert shares(record, sine.X)[:, 0].tolist() == model.predict(sine.X).tolist()
    constants = OptimalRegressor(max_depth=1).fit(sine.X, sine.y)
    assert constants.models_ is None
    assert not isinstance(record_of(constants), ModelTree)
    assert model.proof_.objective < constants.proof_.objective


def test_categories_have_no_lines():
    X = np.column_stack([np.arange(12) % 3, np.repeat([0.0, 1, 2, 3], 3)])
    y = 2 * X[:, 1]
    first = OptimalRegressor(max_depth=1, leaf_model="linear", shrinkage=0, categorical_features=[0]).fit(X, y)
    assert first.tree_.n_leaves == 1
    assert [term.feature for term in terms_at(first.model_tree_.models, 0)] == [1]
    only = OptimalRegressor(max_depth=1, leaf_model="linear", categorical_features=[0]).fit(X[:, :1], y)
    assert len(only.model_tree_.models.feature) == 0


def test_a_leaf_without_a_useful_line_has_the_mean():
    task = RegressionTask(
        np.array([1.0, 3, 1, 3]), np.ones(4), False, 1, True, np.array([[0.0], [0], [1], [1]]), 0
    )
    assert best_line(task, np.arange(4)).column == -1
    assert best_line(task, np.arange(4)).intercept == 2
    assert best_line(task, np.arange(1, 3)).column == 0


def test_lines_are_for_squared_error():
    with pytest.raises(ValueError, match="squared_error"):
        OptimalRegressor(leaf_model="linear", criterion="absolute_error").fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="constant, linear"):
        OptimalRegressor(leaf_model="cubic").fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(AttributeError, match="no formulas"):
        _ = OptimalRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).model_tree_
