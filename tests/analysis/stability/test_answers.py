"""Agreement and variance of what redrawn trees say: against naive pairs and NumPy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.stability.answers import (
    cells_of,
    pairwise_agreement,
    pairwise_difference,
    spread,
    surface,
    votes_of,
)
from espalier.kernels.cultivated.slice import Slice
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier


@given(st.integers(2, 7), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**31))
def test_agreement_is_the_mean_over_all_pairs(n_trees, n_rows, n_classes, seed):
    votes = np.random.default_rng(seed).integers(0, n_classes, (n_trees, n_rows))
    pairs = [a == b for a, b in combinations(votes, 2)]
    found = pairwise_agreement(votes)
    np.testing.assert_allclose(found.by_row, np.mean(pairs, axis=0))
    assert found.mean == pytest.approx(np.mean(pairs))


@given(st.integers(2, 7), st.integers(1, 5), st.integers(0, 2**31))
def test_the_difference_is_the_root_mean_square_over_all_pairs(n_trees, n_rows, seed):
    numbers = np.random.default_rng(seed).normal(size=(n_trees, n_rows))
    squares = [(a - b) ** 2 for a, b in combinations(numbers, 2)]
    found = pairwise_difference(numbers)
    np.testing.assert_allclose(found.by_row, np.sqrt(np.mean(squares, axis=0)))
    assert found.mean == pytest.approx(np.sqrt(np.mean(squares)))


def test_one_tree_has_none_to_agree_with():
    for ask in (pairwise_agreement, pairwise_difference):
        with pytest.raises(ValueError, match="at least two"):
            ask(np.zeros((1, 4), np.int64))
    with pytest.raises(ValueError, match="no trees"):
        spread([], np.zeros((1, 2)))


@pytest.mark.parametrize("make", [CartClassifier, CultivatedClassifier, CartRegressor])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_mean_and_variance_are_those_of_the_trees_answers(make, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, n_classes, 60)
    y = y + 1e6 if make is CartRegressor else y  # numbers far from 0 lose nothing
    models = [make(max_depth=2).fit(X, y, rng.integers(1, 5, 60)) for _ in range(37)]
    tell = (lambda model: model.predict(X)[:, None]) if make is CartRegressor else (lambda m: m.predict_proba(X))
    answers = np.stack([tell(model) for model in models])
    trees = [model.tree_ for model in models]
    np.testing.assert_array_equal(votes_of(trees, X), [model.predict(X) for model in models])
    for n_threads in (1, 2):
        found = spread(trees, X, n_threads)
        np.testing.assert_allclose(found.mean, answers.mean(axis=0), atol=1e-12)
        one_class = answers[:, :, 0].var(axis=0) if answers.shape[2] < 3 else answers.var(axis=0).sum(axis=1) / 2
        np.testing.assert_allclose(found.variance, one_class, atol=1e-9)


@pytest.mark.parametrize("make", [CartClassifier, CultivatedClassifier])
@pytest.mark.parametrize("axes", [[2, 0], [1, -1]])
def test_a_surface_is_the_spread_over_the_cells_of_the_plane(make, axes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    trees = [make(max_depth=2).fit(X, y, rng.integers(1, 5, 60)).tree_ for _ in range(5)]
    plane = Slice(np.array(axes), np.array([-1.0, 0.5, 2.0]), np.array([0.25, 1.0]), np.array([7.0, 8.0, 9.0]))
    cells, found = cells_of(plane), surface(trees, plane)
    by_hand = np.array([[7.0, 8.0, 9.0]] * 6)
    for row, (z, x) in enumerate((z, x) for z in (0.25, 1.0) for x in (-1.0, 0.5, 2.0)):
        by_hand[row, axes[0]] = x
        if axes[1] >= 0:
            by_hand[row, axes[1]] = z
    np.testing.assert_array_equal(cells, by_hand)
    expected = spread(trees, cells)
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(found.variance, expected.variance, atol=1e-12)
