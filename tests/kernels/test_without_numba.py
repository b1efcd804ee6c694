"""The kernels are plain Python too: without Numba, or while another process compiles, they say the same."""

import contextlib
import io
import os
import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from espalier.data import samples
from espalier.kernels import plain, route
from espalier.kernels.cart.grow import grow
from espalier.kernels.stages import X, stump
from espalier.learners import CartClassifier, CartRegressor, uncompiled
from espalier.learners.catalogue import KINDS
from espalier.paths import SOURCES
from tests.tools import random_trees
from tests.tools.same_trees import are_same

PROGRAM = """
import numpy as np, warnings
warnings.filterwarnings("ignore", "overflow encountered")  # whole numbers wrap around, as meant
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.learners import ApproximationClassifier
from espalier.learners.catalogue import KINDS, CommonTerms, Model
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(90, 3)), 1)
X[:, 2] = rng.integers(0, 4, 90)
X[5, 0] = X[9, 1] = X[7, 2] = np.nan
y, weight = rng.integers(0, 3, 90), rng.integers(1, 3, 90)
for model, target in (
    (CartClassifier(categorical_features=[2]), y),
    (CartClassifier(criterion="entropy", max_depth=4), y > 0),
    (CartClassifier(splitter="random", max_features=2, random_state=3), y),
    (CartClassifier(max_leaf_nodes=7, ccp_alpha=0.01), y),
    (CartRegressor(max_depth=4), X[:, 0].copy() * 0 + y),
    (CartRegressor(criterion="absolute_error", max_depth=3, categorical_features=[2]), y),
    (CartClassifier(missing="surrogate", max_depth=4, categorical_features=[2]), y),
    (CartClassifier(categories="one-vs-rest", max_depth=4, categorical_features=[2]), y),
    (CartRegressor(categories="one-vs-rest", criterion="poisson", max_depth=4, categorical_features=[2]), y),
    (CartClassifier(monotonic_cst=[1, -1, 0], max_depth=4, categorical_features=[2]), y > 0),
    (CartRegressor(monotonic_cst=[1, -1, 1], max_depth=4, criterion="absolute_error"), y),
    (CultivatedClassifier(max_depth=4, categorical_features=[2]), y),
    (CultivatedClassifier(max_depth=4), y > 0),
    (CultivatedRegressor(max_depth=3, max_features=2, k="all", random_state=3), y),
):
    target = np.nan_to_num(np.asarray(target, dtype=float))
    for w in (None, weight):
        tree = model.fit(X, target, sample_weight=w).tree_
        splits = tree.decisions if hasattr(tree, "decisions") else tree
        print(splits.feature.tolist(), splits.threshold.tolist(), tree.n_samples.tolist())
        if splits is not tree:
            print(np.round(model.predict_spread(X), 9).tolist(), np.round(tree.cuts.weight, 9).tolist())
settings = {"trees": 2, "depth": 2, "box": "cultivated", "samples": 200, "cuts": 3, "seconds": 600}
for kind in KINDS:
    for serves in kind.serves:
        there = {setting.key for setting in kind.for_target(serves)}
        model = Model(kind.name, tuple((key, value) for key, value in settings.items() if key in there))
        model = model.make(CommonTerms(serves))
        model.set_params(**{"categorical_features": [2]} if "categorical_features" in model.get_params() else {})
        answers = model.fit(X, y, weight).predict_proba(X) if serves else model.fit(X, y / 2, weight).predict(X)
        print(kind.name, np.round(answers, 6).tolist())
cart = CartClassifier(categorical_features=[2], max_depth=3).fit(X, y)
model = ApproximationClassifier(cart, max_depth=2, random_state=0, categorical_features=[2], method="exact")
tree = model.fit(X).tree_
print(tree.feature.tolist(), np.round(tree.threshold, 9).tolist(), np.round(tree.value, 6).tolist())
"""


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_the_same_trees_grow_with_numba_switched_off():
    with contextlib.redirect_stdout(io.StringIO()) as compiled:
        exec(PROGRAM, {})
    lines = compiled.getvalue().splitlines()
    assert len(lines) == 2 * 11 + 4 * 3 + sum(len(kind.serves) for kind in KINDS) + 1
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == lines


# Kernels as plain Python: the same answers, and no compiler where another process is at it
COLD = """
import numpy as np
from espalier.kernels import plain
from espalier.kernels.route import _leaf_of, leaf_of, path_of, row_goes_left
from espalier.kernels.stages import X, stump
tree = stump()
plain.expect_compiler()
print(leaf_of(tree, X).tolist(), path_of(tree, X[0]))
print(len(_leaf_of.signatures), len(row_goes_left.signatures))
many = np.tile(X, (plain.FEW, 1))
print(len(set(leaf_of(tree, many).tolist())), len(_leaf_of.signatures))
print(plain.choose_form(_leaf_of, 1) is _leaf_of)
"""


@given(st.data())
@settings(max_examples=40)
def test_any_row_reaches_the_same_leaf_of_any_tree(data):
    columns, target = data.draw(random_trees.features()), data.draw(random_trees.targets())
    tree = data.draw(random_trees.any_trees(columns, target))
    rows = route.columns_of(data.draw(random_trees.samples(columns, tree)))
    assert plain.plain(route._leaf_of)(tree, rows).tolist() == route._leaf_of(tree, rows).tolist()


def test_few_rows_compile_nothing_while_another_process_does_and_many_do(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", COLD], env=environment, capture_output=True, text=True, check=True)
    few, compiled, many, is_kernel = run.stdout.splitlines()
    tree = stump()
    assert few == f"{route.leaf_of(tree, X).tolist()} {route.path_of(tree, X[0])}"
    assert compiled == "0 0"
    assert many == "2 1"
    assert is_kernel == "True"  # what is there serves few rows, too


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
    for rows, y, cart, n_asked in (
        (iris.X, iris.y, CartClassifier(), 0),
        (gaps, iris.y, CartClassifier(), 1),
        (iris.X, iris.y, CartClassifier(categorical_features=[3]), 1),
        (iris.X, iris.X[:, 0], CartRegressor(), 1),
    ):
        asked.clear()
        tree = uncompiled.fit(cart, np.round(rows), y, has_small=True).tree_
        assert are_same(tree, cart.fit(np.round(rows), y).tree_)
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
