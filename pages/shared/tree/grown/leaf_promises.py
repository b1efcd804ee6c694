"""What the leaves of a tree promise for new rows, by the rows held out."""

from __future__ import annotations

import numpy as np

from espalier.new_rows.promises import LeafAnswers, LeafPromises, promised_leaves
from espalier.trees import LEAF
from pages.shared.app.table_results import of_table
from pages.shared.tree import results
from pages.shared.tree.results import GrownTree

LEVEL = 90  # percent, unless another is chosen


def can_promise(grown: GrownTree) -> bool:
    """Whether each row is in one leaf, which has one answer, and rows are held out."""
    return bool(grown.held.any()) and not grown.is_cultivated and not grown.has_formulas


@of_table(max_entries=64)
def promised(grown: GrownTree, percent: int) -> LeafPromises:
    """The promises at a level in percent; `key` is the tree's."""
    tree, data, held = grown.sharp, grown.dataset, grown.held
    node = np.flatnonzero(tree.feature == LEAF)
    row_leaf = results.leaves(grown)[held]
    unit = None if data.roles.groups is None else data.roles.groups.codes[held]
    leaves = LeafAnswers(node, tree.value[node], row_leaf, data.y[held], data.weights_of(held), unit)
    return promised_leaves(leaves, percent / 100)
