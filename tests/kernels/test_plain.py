"""Kernels as plain Python: the same answers, and no compiler where another process is at it."""

import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels import plain, route
from espalier.kernels.stages.table import X, stump
from espalier.paths import SOURCES
from tests.tools import random_trees

COLD = """
import numpy as np
from espalier.kernels import plain
from espalier.kernels.route import _leaf_of, leaf_of, path_of, row_goes_left
from espalier.kernels.stages.table import X, stump
tree = stump()
plain.expect_compiler()
print(leaf_of(tree, X).tolist(), path_of(tree, X[0]))
print(len(_leaf_of.signatures), len(row_goes_left.signatures))
many = np.tile(X, (plain.FEW, 1))
print(len(set(leaf_of(tree, many).tolist())), len(_leaf_of.signatures))
print(plain.soonest(_leaf_of, 1) is _leaf_of)
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
