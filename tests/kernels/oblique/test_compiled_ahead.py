"""What is compiled ahead of use is what growing oblique trees calls."""

import numpy as np

from espalier.kernels.oblique import best_direction, discriminants, logistic, route
from espalier.kernels.oblique.every_search import find_slanted
from espalier.learners import ObliqueClassifier, ObliqueRegressor

KERNELS = [best_direction.best_direction, discriminants.find_discriminants, discriminants.write_direction]
KERNELS += [logistic.logistic_regression, route.project]


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
