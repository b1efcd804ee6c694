"""The pool of surrogates: nothing is written beyond its end."""

import numpy as np

from espalier.kernels.cart.grow import grow_from, make_work
from espalier.kernels.cart.surrogates import SURROGATE, SurrogatePool
from espalier.kernels.route import columns_of
from espalier.learners import CartClassifier
from espalier.learners.base import TrainingData


def test_a_pool_with_room_for_two_gets_two_and_the_memory_behind_it_stays():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X, y = np.column_stack([x, *(x + rng.normal(size=60) / k for k in (9, 5, 2))]), (x > 0).astype(int)
    model = CartClassifier(missing="surrogate", max_depth=3)
    assert len(model.fit(X, y).tree_.surrogates.feature) > 2
    growth = model.growth(TrainingData(X, y, np.ones(60)))
    memory = np.zeros(40, SURROGATE)
    memory["node"] = 77
    work = make_work(model.columns(columns_of(X)), growth.task, growth.limits, 0)
    tree = grow_from(
        work._replace(surrogates=SurrogatePool(memory[:2], np.zeros(1, np.int64))), np.zeros(2, np.int64)
    )
    assert len(tree.surrogates.feature) == 2
    assert (memory["node"][2:] == 77).all()
