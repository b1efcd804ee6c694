"""Prediction by packed forests: blocks of rows, and rows that float32 holds, beside the trees one by one."""

import numpy as np
import pytest
from sklearn.datasets import make_regression

from espalier.kernels.forest.packed import FEWEST, block_rows, rows_of, short
from espalier.learners import RandomForestRegressor
from espalier.predict import leaves


def forest_of_numbers(**parameters) -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def test_many_blocks_of_rows_are_predicted_like_each_alone():
    wide, numbers = (np.asarray(a) for a in make_regression(120, 1100, noise=5, random_state=0))
    forest = forest_of_numbers().fit(wide, numbers)
    assert block_rows(8 * 1100) == FEWEST
    many = np.random.default_rng(0).normal(size=(3 * FEWEST + 7, 1100))
    expected = np.mean([tree.value[leaves(tree, many), 0] for tree in forest.forest_.trees], axis=0)
    for n_jobs in (1, 2, 3):
        assert forest.set_params(n_jobs=n_jobs).predict(many) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("gaps", [False, True])
def test_rows_of_short_numbers_are_predicted_as_they_are_beside_a_long_one(gaps):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 6, (300, 5)).astype(float)
    rows[(rng.random((300, 5)) < 0.2) & gaps] = np.nan
    forest = forest_of_numbers().fit(rows, rng.normal(size=300))
    beside = np.vstack([np.full(5, 0.1), rows])
    assert short(rows_of(rows)).dtype == np.float32
    assert short(rows_of(beside)).dtype == np.float64
    assert np.array_equal(forest.predict(rows), forest.predict(beside)[1:])


def test_values_that_differ_only_in_float64_are_told_apart():
    near = np.repeat([[1.0], [1.0 + 2.0**-40]], 100, axis=0)
    forest = forest_of_numbers(bootstrap=False).fit(near, np.repeat([0.0, 1.0], 100))
    assert np.array_equal(forest.predict(near), np.repeat([0.0, 1.0], 100))
    whole_before = np.vstack([np.ones((100, 1)), near])
    assert np.array_equal(forest.predict(whole_before), np.repeat([0.0, 0.0, 1.0], 100))
