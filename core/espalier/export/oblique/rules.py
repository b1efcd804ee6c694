"""An oblique tree as rules to read: one for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.splits import demands_words
from espalier.display.text.trees import answers_of
from espalier.display.theme import count
from espalier.export.columns import one_line
from espalier.export.rules import leaf_block
from espalier.oblique import ObliqueTree
from espalier.tree.rules import all_demands
from espalier.trees import LEAF


def to_rules(tree: ObliqueTree, features: Sequence[Feature], target: Feature) -> str:
    """Return one rule for each leaf, the heaviest first; coefficients and thresholds have every digit."""
    leaves = sorted(np.flatnonzero(tree.left == LEAF).tolist(), key=lambda leaf: -tree.weight[leaf])
    title = f"Oblique tree for {one_line(target.name)}: {count(tree.n_leaves)} leaves, depth {tree.depth}, "
    blocks = [f"{title}{count(tree.n_samples[0])} rows\n{_filled(tree, features)}"]
    demands = all_demands(tree)
    any_tree: Any = tree
    written = answers_of(any_tree)
    for i, leaf in enumerate(leaves, start=1):
        words = demands_words(demands[leaf], features, exact=True)
        blocks.append(leaf_block(any_tree, target, leaf, f"{i}. ", words, written))
    return "\n".join(blocks)


def _filled(tree: ObliqueTree, features: Sequence[Feature]) -> str:
    """Return the note on missing values, with the number or category that each feature then counts as."""
    asked = np.unique(np.append(tree.feature[tree.feature != LEAF], tree.terms.feature)).tolist()
    if not asked:
        return ""
    in_sets = set(tree.feature[(tree.left != LEAF) & np.isnan(tree.threshold)].tolist())
    fills = []
    for feature in asked:
        fill, names = float(tree.fill[feature]), features[feature].categories
        is_name = feature in in_sets and fill < len(names)
        fills.append(f"{features[feature].name} {names[int(fill)] if is_name else repr(fill)}")
    return one_line(f"(A missing value counts as: {', '.join(fills)}.)") + "\n"
