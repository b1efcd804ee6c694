"""Of splits that part a node alike the first column's is taken, however many samples are summed."""

import numpy as np
import pytest

from espalier.learners import CartRegressor, RandomForestRegressor

LEARNERS = {
    "tree": CartRegressor(max_depth=6),
    "forest": RandomForestRegressor(n_estimators=2, max_features=None, max_depth=6, random_state=0),
}


@pytest.mark.parametrize("values", [7, 300, 10**6])
@pytest.mark.parametrize("n", [3_000, 40_000])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_column_and_its_negative_part_alike_and_the_first_is_asked(name, n, values):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, values, n).astype(float), rng.normal(size=n)
    learner = LEARNERS[name].fit(np.stack([x, -x], axis=1), y)
    trees = learner.forest_.trees if name == "forest" else [learner.tree_]
    assert all((tree.feature < 1).all() and tree.n_leaves > 1 for tree in trees)
