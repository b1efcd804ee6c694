"""A small tree grown in a process without Numba's compiler is the tree that the compiled kernels grow."""

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, uncompiled
from tests.tools.same_trees import are_same


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A page waits a few seconds; a test as long as a busy machine takes."""
    monkeypatch.setattr(uncompiled, "PATIENCE_SECONDS", 300)


@pytest.mark.parametrize(
    ("name", "cart"),
    [
        ("iris", CartClassifier(max_depth=3)),
        ("sine", CartRegressor(max_depth=4, splitter="random", random_state=5)),
    ],
)
def test_the_same_tree_comes_back(name, cart):
    data = samples.load(name)
    plain = uncompiled.fit(cart, data.X, data.y).tree_
    assert are_same(plain, cart.fit(data.X, data.y).tree_)


def test_bad_data_are_an_error_and_no_silence():
    with pytest.raises(RuntimeError, match="process of its own"):
        uncompiled.fit(CartClassifier(), np.full((3, 1), np.inf), np.array([0, 1, 0]))


def test_only_small_tables_are_grown_without_the_compiler():
    assert uncompiled.is_small(150, 4)
    assert not uncompiled.is_small(10_000, 20)
