"""The optimal tree that begins with splits chosen by hand: one search for all branches below them.

Branches that are searched for one by one cannot know how many splits another one had better have; here all splits
together keep to the limit, and the proof is that of the whole tree.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.learners.base import TrainingData
from espalier.learners.grafts import HandSplit
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.progress import Progress
from espalier.tree.edits.acts import COLUMN, CUT, SET, Edit, node_at
from espalier.trees import LEAF, Tree, read_only


class BegunTree(NamedTuple):
    """The best tree that begins with given splits."""

    tree: Tree
    proof: Proof  # among trees that begin so


def given_splits(tree: Tree, path: str, split: HandSplit, done: Sequence[Edit]) -> dict[str, HandSplit] | None:
    """Return a new split and those above it or by hand, by path, parents first; None where others were edited.

    Splits above one by hand are given, too: they stay as the person saw them.
    """
    if any(edit.kind not in (CUT, SET, COLUMN) for edit in done):
        return None
    paths = {edit.path[:n] for edit in done for n in range(len(edit.path) + 1)} | {
        path[:n] for n in range(len(path))
    }
    found = {path: split}
    for above in paths - {path}:
        node = node_at(tree, above)
        if node is not None and tree.feature[node] != LEAF and not above.startswith(path):
            found[above] = HandSplit(
                int(tree.feature[node]),
                float(tree.threshold[node]),
                int(tree.categories[node]),
                bool(tree.missing_left[node]),
            )
    return {path: found[path] for path in sorted(found, key=lambda path: (len(path), path))}


def begun_tree(
    learner: OptimalClassifier, training: TrainingData, given: dict[str, HandSplit], progress: Progress | None
) -> BegunTree | None:
    """Return the best tree that begins with given splits; None where `forced_splits` cannot say them.

    So it is where a column of theirs has missing values, whose way a forced split does not choose, where they are
    as deep as the tree may be, and where a leaf would be lighter than allowed.
    """
    columns = [split.feature for split in given.values()]
    is_deep = len(given) > learner.split_limit or max(map(len, given)) >= learner.max_depth
    if is_deep or np.isnan(training.X[:, columns]).any():
        return None
    search = copy.copy(learner).set_params(
        forced_splits={path: _forced(learner, split) for path, split in given.items()}
    )
    try:
        found = search.grow(training, progress)
    except ValueError:  # too little weight in a leaf
        return None
    missing_left = found.tree_.missing_left.copy()  # no row of these data has gone this way
    for path, split in given.items():
        missing_left[node_at(found.tree_, path)] = split.missing_left
    return BegunTree(found.tree_._replace(missing_left=read_only(missing_left)), found.proof_)


def _forced(learner: OptimalClassifier, split: HandSplit) -> tuple:
    """Return the split as `forced_splits` has it."""
    if not learner.is_categorical_[split.feature]:
        return split.feature, split.threshold
    names = None if learner.frame_ is None else learner.frame_.categories[split.feature]
    codes = [code for code in range(64) if split.categories >> code & 1]
    return split.feature, [code if names is None else names[code] for code in codes]
