"""Ranks count thresholds."""

import numpy as np

from espalier.kernels.approximation.better_split_test import rank_of, slots_of


def test_ranks_count_the_thresholds_that_are_less():
    rng = np.random.default_rng(1)
    for thresholds in (np.sort(rng.normal(size=500)), np.array([3.0]), np.array([0, 1e-300, 1e300]), np.empty(0)):
        slots, scale = slots_of([thresholds])
        for value in [*thresholds, *rng.normal(size=50), -1e308, 1e308]:
            assert rank_of(value, thresholds, slots[0], *scale[0]) == np.searchsorted(thresholds, value)
    endless = np.array([1.0, 2.0, np.inf])
    slots, scale = slots_of([endless])
    assert [rank_of(v, endless, slots[0], *scale[0]) for v in (0.0, 1.5, 9.0)] == [0, 1, 2]
