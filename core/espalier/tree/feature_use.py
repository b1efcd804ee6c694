"""The features that trees split on, and how many trees of a set share them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.leaf_models import ModelTree, terms_at
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, AnyTree, CultivatedTree, is_leaf


class Use(NamedTuple):
    """A feature, and how many trees of a set split on it."""

    feature: int
    n_trees: int


def uses(trees: Sequence[AnyTree]) -> list[Use]:
    """Return every feature that a tree splits on, by descending number of trees; ties in the table's order."""
    counts = Counter(f for tree in trees for f in features_of(tree))
    return sorted((Use(*item) for item in counts.items()), key=lambda use: (-use.n_trees, use.feature))


def features_of(tree: AnyTree | ObliqueTree) -> list[int]:
    """Return the features that the tree splits on, each once, ascending."""
    asked = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature[tree.left != LEAF]
    more = tree.terms.feature if isinstance(tree, ObliqueTree) else asked[:0]
    return sorted({*asked.tolist(), *more.tolist()})  # quicker than np.unique of the few nodes of a page's tree


def most_used(tree: AnyTree | ModelTree | ObliqueTree, n_features: int) -> list[int]:
    """Return all features, those that the tree has most use for first.

    Judged by the impurity that their splits take away, options by their shares, and a slanted split for each
    feature that it weighs; in a model tree also by how far its formulas reach, over its leaves by their weight.
    Splits and formulas count alike.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> most_used(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_, 4)
    [2, 3, 0, 1]
    """
    if isinstance(tree, ModelTree):
        parts = [_gains(tree.tree, n_features), _reaches(tree, n_features)]
        gain = sum((part / max(part.sum(), 1e-300) for part in parts), np.zeros(n_features))
    else:
        gain = _gains(tree, n_features)
    return np.argsort(-gain, kind="stable").tolist()


def _gains(tree: AnyTree | ObliqueTree, n_features: int) -> np.ndarray:
    """Return the weighted impurity that the splits on each feature take away, (n_features,)."""
    inner = np.flatnonzero(tree.left != LEAF)
    loss = tree.weight * tree.impurity
    gain, feature = loss[inner] - loss[tree.left[inner]] - loss[tree.right[inner]], tree.feature[inner]
    if isinstance(tree, CultivatedTree):
        feature = tree.decisions.feature
        gain = np.repeat(gain, np.diff(tree.decisions.start)[inner]) * tree.decisions.share
    if isinstance(tree, ObliqueTree):
        n_terms = np.diff(tree.terms.start)[inner]
        more = np.repeat(gain, n_terms)
        alone = n_terms == 0
        feature = np.append(feature[alone], tree.terms.feature)
        gain = np.append(gain[alone], more)
    return np.bincount(feature, gain, minlength=n_features)


def _reaches(model: ModelTree, n_features: int) -> np.ndarray:
    """Return how far the formulas of all leaves reach in each feature, by the leaves' weight, (n_features,)."""
    found = np.zeros(n_features)
    for leaf in np.flatnonzero(is_leaf(model.tree)).tolist():
        for term in terms_at(model.models, leaf):
            found[term.feature] += model.tree.weight[leaf] * term.reach
    return found
