"""An oblique tree as a tree of questions on one feature each: every weighted sum is a feature of its own.

What shows thresholds of single features (cards, curves of impurity, rules) then shows those of sums, too.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.splits import sum_words
from espalier.oblique import ObliqueTree, terms_of
from espalier.trees import LEAF, Tree, make_tree, read_only

Weighing: TypeAlias = tuple[tuple[int, ...], tuple[float, ...]]  # a weighted sum: its features and coefficients


class TreeOfSums(NamedTuple):
    """An oblique tree and its table, and both with the sums as features."""

    oblique: ObliqueTree
    table: Dataset
    tree: Tree  # with the same nodes; a slanted split is a threshold of its sum
    dataset: Dataset  # the table, and after its features one for each sum


def tree_of_sums(oblique: ObliqueTree, table: Dataset) -> TreeOfSums:
    """Return the tree over a table that has every weighted sum as a feature, named by its terms.

    Nodes, answers and the leaf of each row are those of the oblique tree: a missing value goes where the fill of
    its feature does, and the sums are computed with fills. Splits on the same sum share a feature.

    >>> from espalier.data import samples
    >>> from espalier.learners import ObliqueClassifier
    >>> iris = samples.load("iris")
    >>> found = tree_of_sums(ObliqueClassifier(max_depth=2).fit(iris.X, iris.y).tree_, iris)
    >>> bool(len(found.dataset.features) - len(iris.features) == found.oblique.is_slanted.sum())
    True
    """
    weighings = {int(node): _weighing(oblique, int(node)) for node in np.flatnonzero(oblique.is_slanted)}
    sums = list(dict.fromkeys(weighings.values()))
    feature = oblique.feature.copy()
    for node, weighing in weighings.items():
        feature[node] = len(table.features) + sums.index(weighing)
    tree = make_tree(
        feature, oblique.threshold, oblique.left, oblique.right, oblique.categories, _fill_goes_left(oblique),
        oblique.n_samples, oblique.weight, oblique.value, oblique.impurity,
    )  # fmt: skip
    return TreeOfSums(oblique, table, tree, _add_sums(oblique, table, sums) if sums else table)


def megabytes_of_sums(oblique: ObliqueTree, table: Dataset) -> float:
    """Return the memory of the table of `tree_of_sums`, at most: a column of its own for each slanted split.

    >>> from espalier.data import samples
    >>> from espalier.learners import ObliqueClassifier
    >>> iris = samples.load("iris")
    >>> megabytes_of_sums(ObliqueClassifier(max_depth=2).fit(iris.X, iris.y).tree_, iris)
    0.006
    """
    return len(table.X) * (len(table.features) + int(oblique.is_slanted.sum())) * 8 / 1e6


def _weighing(oblique: ObliqueTree, node: int) -> Weighing:
    feature, coefficient = terms_of(oblique, node)
    return tuple(feature.tolist()), tuple(coefficient.tolist())


def _fill_goes_left(oblique: ObliqueTree) -> np.ndarray:
    """Return where a missing value goes at each split on one feature, (n_nodes,) bool; False elsewhere."""
    left = np.zeros(oblique.n_nodes, dtype=bool)
    for node in np.flatnonzero((oblique.feature != LEAF) & ~oblique.is_slanted):
        fill, threshold = oblique.fill[oblique.feature[node]], oblique.threshold[node]
        mask = int(oblique.categories[node])
        left[node] = mask >> int(fill) & 1 if np.isnan(threshold) else fill <= threshold
    return left


def _add_sums(oblique: ObliqueTree, table: Dataset, sums: list[Weighing]) -> Dataset:
    X = np.empty((len(table.X), len(table.features) + len(sums)), order="F")
    X[:, : len(table.features)] = table.X
    names = []
    for at, weighing in enumerate(sums, len(table.features)):
        X[:, at] = _sum_of(oblique, table.X, weighing)
        names.append(Feature(sum_words(*weighing, table.features)))
    digest = hashlib.blake2b(
        repr((table.digest, sums, oblique.fill.tolist())).encode(), digest_size=16
    ).hexdigest()
    return table._replace(X=read_only(X), features=(*table.features, *names), digest=digest)


def _sum_of(oblique: ObliqueTree, X: np.ndarray, weighing: Weighing) -> np.ndarray:
    """Return the sum of each row, (n_samples,), its terms added in the order in which the tree adds them."""
    total = np.zeros(len(X))
    for feature, coefficient in zip(*weighing, strict=True):
        x = X[:, feature]
        total += coefficient * np.where(np.isnan(x), oblique.fill[feature], x)
    return total
