"""Optimal trees the obvious way: every tree is tried, without bound or cache. And small data sets to try it on.

A question is a column of yes and no. Questions that are equal on the samples, or opposite, are one variable; what
all samples answer alike is none. A tree over v variables is a function of the answers that anything could give,
whether or not a sample answers so: all 2 ** v of them, or those that are given. No split leaves a side without
samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from espalier.trees import LEAF, Tree
from tests.tools.naive import cart as naive

TIE = 1e-9  # sums of weights that differ by less are equal


class Problem(NamedTuple):
    variables: np.ndarray  # (n_samples, n_variables) bool
    loss: np.ndarray  # (n_samples, n_classes): what a sample adds to the objective in a leaf of this class
    max_depth: int
    max_splits: int
    places: Sequence[int]  # answers that something could give: bit j is the answer to variable j
    weight: np.ndarray  # (n_samples,)
    leaf_share: float = 0.0  # of all weight: what a leaf weighs at least


class Found(NamedTuple):
    objective: float
    n_splits: int


class Case(NamedTuple):
    """A small data set of zeros and ones."""

    X: np.ndarray  # (n_samples, n_columns) float64
    y: np.ndarray  # (n_samples,) class numbers
    weight: np.ndarray  # (n_samples,)
    cost: np.ndarray  # (n_classes, n_classes), [true, predicted]


def problem(answers, case, max_depth, max_splits=None, everywhere=None, leaf_share=0.0) -> Problem:
    """The problem that `answers` (n_samples, n_questions) pose; None: as many splits as the depth allows.

    `everywhere` (n, n_questions) are the answers that anything could give; None: all there are.
    """
    splits = 2**max_depth - 1 if max_splits is None else max_splits
    kept = first_of_equals(answers)
    places = range(2 ** len(kept))
    if everywhere is not None:
        places = sorted({sum(1 << j for j, yes in enumerate(row) if yes) for row in everywhere[:, kept]})
    loss = case.weight[:, None] * case.cost[case.y]
    return Problem(
        np.asarray(answers, dtype=bool)[:, kept], loss, max_depth, splits, places, case.weight, leaf_share
    )


def distinct(answers) -> np.ndarray:
    """The columns that part the samples; of those equal or opposite to each other, the first."""
    return np.asarray(answers, dtype=bool)[:, first_of_equals(answers)]


def first_of_equals(answers) -> list[int]:
    """The numbers of these columns."""
    columns, kept = np.asarray(answers, dtype=bool).T, []
    for number, column in enumerate(columns):
        known = any((column == columns[k]).all() or (column != columns[k]).all() for k in kept)
        if column.any() and not column.all() and not known:
            kept.append(number)
    return kept


def grid_of(questions) -> np.ndarray:
    """(n_cells, n_features): a sample in every cell of the product of what is asked about each feature.

    The stretches between thresholds, each category asked about or the other of two, and what is missing.
    """
    values = []
    for feature in range(int(questions.feature.max(initial=-1)) + 1):
        mine = questions.feature == feature
        cuts, asked = np.unique(questions.threshold[mine]), questions.categories[mine].tolist()
        codes = np.array([code for code in range(64) if any(mask >> code & 1 for mask in asked)])
        cuts = cuts[np.isfinite(cuts)]
        if len(codes) == 1:
            codes = np.append(codes, codes + 1)
        values.append([*codes, np.nan] if len(codes) else [*cuts, np.inf, np.nan])
    return np.array(list(product(*values)))


def least(problem: Problem) -> Found:
    """The least objective of all trees, and the fewest splits that reach it."""
    everyone = np.ones(len(problem.loss), dtype=bool)
    table = _least_by_splits(problem, everyone, problem.max_depth)[: problem.max_splits + 1]
    fewest = next(s for s, objective in enumerate(table) if objective <= min(table) + TIE)
    return Found(float(min(table)), fewest)


def _least_by_splits(problem, rows, depth) -> list[float]:
    """[s]: the least objective of these rows in a tree of at most s splits."""
    table = [(rows @ problem.loss).min()] * 2**depth
    for yes, no in _splits(problem, rows) if depth else ():
        left, right = (_least_by_splits(problem, side, depth - 1) for side in (yes, no))
        for i, j in product(range(len(left)), range(len(right))):
            table[i + j + 1] = min(table[i + j + 1], left[i] + right[j])
    return table


def _splits(problem, rows):
    """The two sides of every split of these rows of which both may be leaves."""
    sides = ((rows & variable, rows & ~variable) for variable in problem.variables.T)
    return [(yes, no) for yes, no in sides if _may_be_leaf(problem, yes) and _may_be_leaf(problem, no)]


def _may_be_leaf(problem, rows) -> bool:
    """Whether there are samples in it, and they weigh enough."""
    return rows.any() and problem.weight[rows].sum() >= problem.leaf_share * problem.weight.sum() - TIE


def near(problem: Problem, slack: float) -> dict[int, Found]:
    """Every function of a tree within `slack` of the optimum, with its objective and the fewest splits it takes.

    A function is a number: bit ``a * n_classes + c`` is set where the answers a get the class c. Bit j of a is
    the answer to variable j.
    """
    everyone = np.ones(len(problem.loss), dtype=bool)
    limit = least(problem).objective + slack + TIE
    return _functions(problem, Found(limit, problem.max_splits), (everyone, problem.places), problem.max_depth)


def _functions(problem, limit, part, depth) -> dict[int, Found]:
    """The functions of subtrees, up to the limits, on a part: its rows, and the answers that lead there."""
    rows, places = part
    found = {}
    for label, objective in enumerate(rows @ problem.loss):
        _keep(found, function([label] * len(places), places, problem.loss.shape[1]), Found(objective, 0), limit)
    for variable, yes in enumerate(problem.variables.T if depth else ()):
        if not (_may_be_leaf(problem, rows & yes) and _may_be_leaf(problem, rows & ~yes)):
            continue
        parts = (
            (rows & yes, tuple(a for a in places if a >> variable & 1)),
            (rows & ~yes, tuple(a for a in places if not a >> variable & 1)),
        )
        left, right = (_functions(problem, limit, side, depth - 1).items() for side in parts)
        for (f, a), (g, b) in product(left, right):
            _keep(found, f | g, Found(a.objective + b.objective, a.n_splits + b.n_splits + 1), limit)
    return found


def _keep(found, key, new, limit):
    fits = new.objective <= limit.objective and new.n_splits <= limit.n_splits
    if fits and (key not in found or new.n_splits < found[key].n_splits):
        found[key] = new


def function(labels, places, n_classes) -> int:
    """The number of the function that gives these labels at these places (answers, as `near` counts them)."""
    return sum(1 << (a * n_classes + int(label)) for a, label in zip(places, labels, strict=True))


def function_of(tree: Tree, X, problem: Problem) -> int:
    """The number of the function that a tree on X (n_samples, n_features) is."""
    asked = {node: _variable_at(tree, node, X, problem) for node in np.flatnonzero(tree.feature != LEAF)}
    labels = [label_at(tree, asked, a) for a in problem.places]
    return function(labels, problem.places, problem.loss.shape[1])


def _variable_at(tree, node, X, problem) -> tuple[int, bool]:
    """The variable that a node asks, and the answer that goes left."""
    left = np.array([naive.goes_left(tree, node, x) for x in X[:, tree.feature[node]]])
    for number, variable in enumerate(problem.variables.T):
        if (left == variable).all() or (left != variable).all():
            return number, bool((left == variable).all())
    raise AssertionError(f"node {node} parts the samples as no question does")


def label_at(tree, asked, answers: int) -> int:
    """The class of the leaf where these answers lead."""
    node = 0
    while tree.feature[node] != LEAF:
        variable, yes_is_left = asked[node]
        node = tree.left[node] if bool(answers >> variable & 1) == yes_is_left else tree.right[node]
    return int(tree.value[node].argmax())


def labels_of(tree: Tree, X) -> np.ndarray:
    """(n_samples,): the class number of each sample's leaf."""
    labels = np.empty(len(X), dtype=int)
    for node, rows in enumerate(naive.rows_by_node(tree, X)):
        if tree.feature[node] == LEAF:
            labels[rows] = tree.value[node].argmax()
    return labels


def objective_of(labels, case: Case) -> float:
    """The summed cost of these class numbers (n_samples,)."""
    return float((case.weight * case.cost[case.y, labels]).sum())


def random_case(seed, *, n_classes=2, weights=None, costs=False, max_columns=6) -> Case:
    """At most 30 samples: rows that repeat and contradict each other, columns that repeat, oppose or are constant.

    `weights` are drawn from the given numbers; the costs are whole numbers up to 4, not the same both ways.
    """
    rng = np.random.default_rng((seed, n_classes, max_columns))
    n, m = rng.integers(2, 31, 2).max(), rng.integers(1, max_columns + 1, 2).max()
    X = rng.integers(0, 2, (n, m))[rng.integers(0, n, n)]
    X[:, rng.random(m) < 0.05] = rng.integers(0, 2)
    if m > 1 and rng.random() < 0.4:
        X[:, rng.integers(1, m)] = rng.integers(0, 2) ^ X[:, 0]
    # A class is a function of three columns, all equally frequent in its table, but for some noise.
    table, some = rng.permutation(np.arange(8) % n_classes).reshape(2, 2, 2), np.resize(rng.permutation(m), 3)
    y = np.where(rng.random(n) < 0.15, rng.integers(0, n_classes, n), table[tuple(X[:, some].T)])
    y = np.unique(y, return_inverse=True)[1]
    weight = np.ones(n) if weights is None else rng.choice(weights, n)
    k = int(y.max()) + 1
    cost = rng.integers(1, 5, (k, k)) if costs else np.ones((k, k))
    return Case(X.astype(float), y, weight, np.where(np.eye(k, dtype=bool), 0.0, cost))
