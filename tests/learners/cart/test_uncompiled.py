"""A small tree grown in a process without Numba's compiler is the tree that the compiled kernels grow."""

import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from espalier.data import samples
from espalier.kernels.cart.grow import grow
from espalier.learners import CartClassifier, CartRegressor, uncompiled
from tests.tools.same_trees import are_same


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A page waits a few seconds; a test as long as a busy machine takes."""
    monkeypatch.setattr(uncompiled, "PATIENCE_SECONDS", 300)


@pytest.mark.few(1)
@pytest.mark.parametrize("limits", [{"ccp_alpha": 0.02, "monotonic_cst": [0] * 4}, {"missing": "impute"}, {}])
def test_the_same_tree_comes_back(limits):
    data, cart = samples.load("iris"), CartClassifier(max_depth=3, **limits)
    X, y = np.where(data.X > 7, np.nan, np.round(data.X)), data.y > 0  # two classes, and columns of few values
    assert are_same(uncompiled.fit(cart, X, y).tree_, cart.fit(X, y).tree_)


def test_a_plain_table_of_classes_grows_here_once_the_small_kernels_are_compiled(monkeypatch):
    asked = []
    monkeypatch.setattr(uncompiled, "_grow", lambda *seedling: asked.append(seedling) or grow(*seedling))
    iris = samples.load("iris")
    gaps = np.where(iris.X > 7, np.nan, iris.X)
    for X, y, cart, n_asked in (
        (iris.X, iris.y, CartClassifier(), 0),
        (gaps, iris.y, CartClassifier(), 1),
        (iris.X, iris.y, CartClassifier(categorical_features=[3]), 1),
        (iris.X, iris.X[:, 0], CartRegressor(), 1),
    ):
        asked.clear()
        tree = uncompiled.fit(cart, np.round(X), y, has_small=True).tree_
        assert are_same(tree, cart.fit(np.round(X), y).tree_)
        assert len(asked) == n_asked


COMPILES = """
import pickle, sys
import numpy as np
from numba.core import event
from espalier.data import samples
from espalier.learners import CartRegressor, uncompiled

sine, cart = samples.load("sine"), CartRegressor(max_depth=4, splitter="random", random_state=5)
with event.install_recorder("numba:compile") as compiled:
    uncompiled.fit(cart, sine.X, sine.y, np.linspace(0.5, 1, len(sine.y)))
assert not compiled.buffer
pickle.dump(cart, sys.stdout.buffer)
"""


def test_who_asks_for_the_same_tree_compiles_nothing_meanwhile():
    done = subprocess.run([sys.executable, "-c", COMPILES], capture_output=True, check=True)
    sine, plain = samples.load("sine"), pickle.loads(done.stdout)
    cart: Any = clone(plain)
    assert are_same(plain.tree_, cart.fit(sine.X, sine.y, np.linspace(0.5, 1, len(sine.y))).tree_)


def test_the_other_process_imports_no_more_than_it_needs():
    program = "import sys, espalier.kernels.cart.grow; print(*{name.split('.')[0] for name in sys.modules})"
    names = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert "numpy" in names
    assert not {"sklearn", "pandas", "pyarrow", "streamlit"} & set(names)


def test_bad_data_are_an_error_and_no_silence(monkeypatch):
    with pytest.raises(ValueError, match="infinity"):
        uncompiled.fit(CartClassifier(), np.full((3, 1), np.inf), np.array([0, 1, 0]))
    elsewhere = partial(uncompiled._answer, "espalier.not_there")
    monkeypatch.setattr(uncompiled, "_grow", lambda *seedling: elsewhere(seedling))
    with pytest.raises(RuntimeError, match="process of its own"):
        uncompiled.fit(CartClassifier(), np.arange(3.0)[:, None], np.array([0, 1, 0]))


def test_only_small_tables_are_grown_without_the_compiler():
    assert uncompiled.is_small(150, 4)
    assert not uncompiled.is_small(10_000, 20)
