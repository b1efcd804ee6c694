"""Counts up to each level are those of a loop over the samples; scores of cuts are those of the definition."""

import numpy as np
import pytest

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.level_counts import count_levels, score_levels, width_of

RNG = np.random.default_rng(22)


def counted(n, n_features, n_levels):
    codes = RNG.integers(0, n_levels, (n_features, n)).astype(float)
    codes[:, :n_levels] = np.arange(n_levels)  # every level occurs
    columns = make_columns(codes, np.zeros(n_features, bool))
    rows, labels = RNG.permutation(n)[: n // 2 + 1], RNG.integers(0, 2, n)
    counts = np.full(2 * n_levels * width_of(n_features), np.nan)
    count_levels((rows * 2 + labels[rows]).astype(np.uint32), columns.codes, columns.most_levels, counts)
    return codes[:, rows], labels[rows], counts.reshape(2, n_levels, -1)[:, :-1, :n_features], counts


@pytest.mark.parametrize("n_features", [1, 63, 64, 65])
@pytest.mark.parametrize(("n", "n_levels"), [(9, 2), (700, 5), (2000, 6)])
def test_counts_are_those_of_a_loop(n, n_features, n_levels):
    codes, labels, counts, _ = counted(n, n_features, n_levels)
    for level in range(n_levels - 1):
        assert counts[0, level].tolist() == (codes <= level).sum(axis=1).tolist()
        assert counts[1, level].tolist() == (codes[:, labels == 1] <= level).sum(axis=1).tolist()


@pytest.mark.parametrize("min_leaf", [1, 30])
def test_the_score_of_a_feature_is_that_of_its_best_cut(min_leaf):
    _, labels, counts, flat = counted(200, 3, 6)
    n, n1 = len(labels), labels.sum()
    best = np.zeros(width_of(3))
    score_levels(flat, 6, (n - n1, n1), min_leaf, best)
    for feature in range(3):
        scores = [-np.inf]
        for left, l1 in zip(*counts[:, :, feature], strict=True):
            right, r1 = n - left, n1 - l1
            if min(left, right) >= min_leaf:
                scores.append(((left - l1) ** 2 + l1**2) / left + ((right - r1) ** 2 + r1**2) / right)
        assert best[feature] == pytest.approx(max(scores), rel=1e-12)
