"""The features that trees split on, and how many trees of a set share them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, AnyTree, CultivatedTree


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
    return np.unique(np.append(asked, more)).tolist()
