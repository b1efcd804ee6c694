"""Compiling explanations."""

from __future__ import annotations

import numpy as np

from espalier.kernels.explanation.answers import add_jumps
from espalier.kernels.explanation.pairs import add_pair
from espalier.kernels.explanation.reachable import ChangeCells, add_leaves, empty_boxes
from espalier.kernels.explanation.shapley import (
    FREE,
    Coalition,
    add_shapley_values,
    expected,
    most_features,
    quadrature,
)
from espalier.kernels.explanation.smallest_change import (
    NOT_ASKED,
    ChangeGoal,
    FoundChange,
    NearestPoint,
    first_set,
    open_sets,
    search,
)
from espalier.kernels.explanation.splits import make_splits
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.route import columns_of
from espalier.kernels.stages.table import X, stump
from espalier.trees import Tree, make_forest


def run() -> None:
    """Call every kernel of explanations."""
    _run_shapley()
    _run_answers()


def _run_shapley() -> None:
    """Call the Shapley values."""
    columns, tree, n_features = columns_of(X), stump(), X.shape[1]
    splits, span = make_splits([tree], [tree.value]), np.array([0, 1])
    added = np.zeros((len(X), n_features, 2))
    add_shapley_values(splits, quadrature(1), Coalition(FREE, 0.0, 1.0), columns, span, added)
    most_features(splits)
    expected(splits, np.zeros(2))


def _run_answers() -> None:
    """Call the answers along a feature, and the search for changes."""
    tree = stump()
    _run_changes(tree)
    axes, cuts = np.arange(2), np.zeros(1)
    add_pair(make_splits([tree], [tree.value]), axes, (cuts, cuts), columns_of(X), np.zeros((3, 3, 2)))
    add_jumps(make_splits([tree], [tree.value]), 0, np.zeros(1), columns_of(X), np.zeros((len(X), 3, 2)))


def _run_changes(tree: Tree) -> None:
    one, column = np.zeros(1, np.int64), np.full(X.shape[1], -1)
    column[0] = 0
    cells = ChangeCells(one, column, np.zeros(1, np.bool_), np.arange(2), np.full(1, 2.0), np.ones(1), one)
    boxes = empty_boxes(2, 1)
    add_leaves(tree, 0, 0, X[0].copy(), cells, boxes, 0)
    packed = pack_forest(make_forest([tree], [1.0], "mean", []))
    boxes = boxes._replace(start=np.arange(3), missed=np.zeros(2, np.int32))
    goal, sets = ChangeGoal(np.ones(2), np.ones(2), 1.0, 0.0, 1), open_sets(4, 4, 1, 1)
    point = NearestPoint(one.copy(), np.zeros(X.shape[1]), np.ones(1))
    first_set(boxes, goal, sets)
    counts = np.array([0, 0, 0, NOT_ASKED])
    search(packed, boxes, cells, goal, X[0].copy(), sets, counts, point, FoundChange(one.copy(), np.ones(1)), 1)
