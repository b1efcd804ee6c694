"""rho sigma^2 + (1 - rho) sigma^2 / B, beside the variance of forests that are grown again and again."""

import numpy as np
import pytest

from espalier.analysis.forests.variance import Fall, fall_of, measured, redrawn
from espalier.learners import RandomForestClassifier, RandomForestRegressor
from espalier.predict import votes
from tests.tools.voters import tellers


def test_the_formula_by_hand():
    fall = Fall(variance=4.0, correlation=0.25)
    assert fall.floor == 1
    assert fall.of(np.array([1, 3, 1_000_000])) == pytest.approx([4, 2, 1], abs=1e-5)


def test_the_answers_are_what_every_tree_says():
    said = [[1.0, 2], [3, 4], [5, 6]]
    assert votes(*tellers(said))[:, :, 0].tolist() == said


def test_one_way_analysis_of_variance_by_hand():
    # Two forests of two trees, one sample: 1, 3 and 5, 7. Within: 2; means 2 and 6, their variance 8.
    fall = fall_of(np.array([[1.0, 3], [5, 7]])[:, :, None])
    assert fall.floor == pytest.approx(8 - 2 / 2)
    assert fall.variance == pytest.approx(7 + 2)
    assert measured(np.array([[1.0, 3], [5, 7]])[:, :, None], np.array([1, 2])) == pytest.approx([8, 8])


def test_trees_that_are_the_same_in_each_forest_do_not_vary_less_together():
    rng = np.random.default_rng(0)
    said = np.repeat(rng.normal(size=(50, 1, 20, 1)), 8, axis=1)
    fall = fall_of(said)
    assert fall.correlation == pytest.approx(1)
    assert fall.of(8) == pytest.approx(fall.variance)
    assert measured(said, np.array([1, 8])) == pytest.approx([fall.variance] * 2)


def test_independent_trees_vary_less_by_their_number():
    rng = np.random.default_rng(0)
    said = rng.normal(size=(200, 16, 50, 1))
    fall = fall_of(said)
    assert abs(fall.correlation) < 0.02
    for size, variance in zip((1, 2, 4, 16), measured(said, np.array([1, 2, 4, 16])), strict=True):
        assert variance == pytest.approx(1 / size, rel=0.05)


def _regression(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((60, 4))
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=60)
    return RandomForestRegressor(n_estimators=20, max_features=2, random_state=seed).fit(X, y).forest_


def _classification(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((60, 4))
    y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=60) > 1).astype(int)
    y[:2] = 0, 1
    forest = RandomForestClassifier(n_estimators=20, voting="majority", random_state=seed)
    return forest.fit(X, y).forest_


@pytest.mark.few(1)
@pytest.mark.parametrize("grow", [_regression, _classification])
def test_forests_grown_on_new_data_vary_as_the_formula_says(grow):
    """The numbers of one half of the forests, the variance of the other: nothing is fitted to itself."""
    at = np.random.default_rng(99).random((40, 4))
    said = redrawn(grow, at, 240)
    fall, sizes = fall_of(said[:120]), np.array([1, 2, 4, 10, 20])
    assert 0.02 < fall.correlation < 0.9
    assert measured(said[120:], sizes) == pytest.approx(fall.of(sizes), rel=0.15)
    flat = np.full(len(sizes), fall.variance)
    assert measured(said[120:], sizes)[-1] < 0.8 * flat[-1], "the law is not met by a forest that is one tree"


def test_too_little_to_show_a_variance_is_refused():
    forest, X = tellers([[1.0, 2], [3, 4]])
    with pytest.raises(ValueError, match="at least twice"):
        redrawn(lambda _: forest, X, 1)
    with pytest.raises(ValueError, match="at least two"):
        fall_of(np.zeros((3, 1, 5)))
    with pytest.raises(ValueError, match="between 1 and 2"):
        measured(np.zeros((3, 2, 5)), np.array([3]))
