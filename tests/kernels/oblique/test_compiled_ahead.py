"""What is compiled ahead of use is what growing oblique trees calls."""

import numpy as np

from espalier.kernels import oblique as every_search
from espalier.kernels.oblique import find_slanted
from espalier.learners import ObliqueClassifier, ObliqueRegressor

KERNELS = [every_search.best_direction, every_search.find_discriminants, every_search.write_direction]
KERNELS += [every_search.logistic_regression, every_search.project]


def test_growing_oblique_trees_compiles_nothing_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X.sum(axis=1) + rng.normal(size=60)).round()
    find_slanted(X, (y > 0).astype(np.uint16))
    before = [len(kernel.signatures) for kernel in KERNELS]  # type: ignore[attr-defined]
    for targets in (y > 0, y):
        ObliqueClassifier(max_depth=3).fit(X, targets, np.arange(60) % 2 + 1.0)
        ObliqueClassifier(max_depth=3).fit(X, targets)
    ObliqueRegressor(max_depth=3).fit(X, y)
    assert [len(kernel.signatures) for kernel in KERNELS] == before  # type: ignore[attr-defined]
