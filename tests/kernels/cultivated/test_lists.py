"""Lists of a node's samples, and the best cut along them, beside their plain definitions."""

import numpy as np
import pytest

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cultivated.neighbourhood import BEGINS, PLACE, best_cut
from espalier.kernels.cultivated.sorted_blocks import add_block, first_block, list_of


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_a_block_has_the_nodes_known_samples_in_the_order_of_each_feature(n_features, share_missing):
    rng = np.random.default_rng(n_features)
    X = rng.integers(0, 90, (n_features, 400)).astype(float)
    X[rng.random(X.shape) < share_missing] = np.nan
    samples = np.flatnonzero(rng.random(400) < 0.3).astype(np.uint32)
    blocks = first_block(make_columns(X, np.zeros(n_features, bool)))
    blocks = add_block(blocks, 0, samples, np.zeros(400, np.uint8))
    for feature, column in enumerate(X):
        known = samples[~np.isnan(column[samples])]
        order = known[np.argsort(column[known], kind="stable")]
        places = list_of(blocks, 1, feature + 1)
        np.testing.assert_array_equal(places & PLACE, order)
        np.testing.assert_array_equal(places >= BEGINS, np.r_[True, np.diff(column[order]) > 0])


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100])
def test_the_best_cut_is_the_first_of_those_within_the_tolerance(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        scores = rng.integers(0, 6, n + 3) + rng.random(n + 3) * 1e-9
        expected = np.flatnonzero(scores[:n] >= scores[:n].max() - 1e-8)[0]
        assert best_cut(scores, n, 1e-8, np.empty(8)) == expected
