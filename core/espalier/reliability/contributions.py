"""Contribution of each feature to a model's prediction for a sample, summed over the splits on its path.

On its path down a tree a sample passes nodes whose values (class shares, or means) lead from that of the root to
that of the leaf. Each step is attributed to the feature of the split, so that the steps of all features and the
root's value sum exactly to the prediction (Saabas 2014; Palczewska et al. 2014, Interpreting random forest
classification models using a feature contribution method, section 3). In a cultivated tree a node passes its
fraction on to both children; the step is attributed to the options by their shares. Contributions describe how
this model reached its prediction, not the effect of changing a feature.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from espalier.kernels.gate import fractions_of
from espalier.kernels.route import path_of
from espalier.reliability.uncertainty import goes_left
from espalier.tree_checks import boxed
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree


class Contributions(NamedTuple):
    """A decomposed prediction: `base` plus the sum of `added` over the features."""

    base: np.ndarray  # (n_outputs,) mean of the values at the trees' roots
    added: np.ndarray  # (n_features, n_outputs)


def contributions(model: AnyTree | Forest, x: np.ndarray) -> Contributions | None:
    """Return the contribution of each feature of x (n_features,); None for forests whose predictions are no sum.

    That is, forests whose trees have one vote each, and boosted ones for classes, whose scores pass through a
    link.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> found = contributions(tree, iris.X[0])
    >>> (found.base + found.added.sum(axis=0)).tolist() == tree.value[1].tolist()
    True
    """
    if not isinstance(model, Forest):
        return Contributions(np.array(model.value[0]), _of_tree(model, x))
    if model.combine == "votes" or model.link != "identity":
        return None
    parts = zip(model.trees, model.weight, strict=True)
    base = sum((w * tree.value[0] for tree, w in zip(model.trees, model.weight, strict=True)), model.start)
    return Contributions(base, sum((w * _of_tree(tree, x) for tree, w in parts), np.zeros(())))


def _of_tree(tree: AnyTree, x: np.ndarray) -> np.ndarray:
    tree = boxed(tree, "the split of a prediction into contributions")
    return _of_modules(tree, x) if isinstance(tree, CultivatedTree) else _of_splits(tree, x)


def _of_splits(tree: Tree, x: np.ndarray) -> np.ndarray:
    added = np.zeros((len(x), tree.value.shape[1]))
    for up, down in itertools.pairwise(path_of(tree, x)):
        added[tree.feature[up]] += tree.value[down] - tree.value[up]
    return added


def _of_modules(tree: CultivatedTree, x: np.ndarray) -> np.ndarray:
    added, fraction, start = np.zeros((len(x), tree.value.shape[1])), fractions_of(tree, x), tree.decisions.start
    for node in np.flatnonzero((np.diff(start) > 0) & (fraction > 0)).tolist():
        left, right = tree.value[tree.left[node]], tree.value[tree.right[node]]
        for d in range(int(start[node]), int(start[node + 1])):
            part = goes_left(tree, d, x)
            step = part * left + (1 - part) * right - tree.value[node]
            added[tree.decisions.feature[d]] += fraction[node] * tree.decisions.share[d] * step
    return added
