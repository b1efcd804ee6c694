"""What the trees of a set have in common: the features that they ask about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.trees import AnyTree, CultivatedTree, is_leaf


class Use(NamedTuple):
    """A feature, and how many trees of a set ask about it."""

    feature: int
    n_trees: int


def uses(trees: Sequence[AnyTree]) -> list[Use]:
    """Every feature that any of the trees asks about, those of most trees first, equals in the table's order."""
    counts = Counter(f for tree in trees for f in features_of(tree))
    return sorted((Use(*item) for item in counts.items()), key=lambda use: (-use.n_trees, use.feature))


def features_of(tree: AnyTree) -> list[int]:
    """Features that the tree asks about anywhere, each once, ascending."""
    asked = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature[~is_leaf(tree)]
    return np.unique(asked).tolist()
