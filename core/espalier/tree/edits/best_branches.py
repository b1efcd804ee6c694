"""The best branch of a depth: the optimal tree of the rows at a node, in the terms of the tree around it."""

from __future__ import annotations

import copy
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.learners.base import TrainingData, count_of
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.progress import Progress
from espalier.tree.impurity import node_impurity, target
from espalier.trees import Tree, read_only

SharpLearner: TypeAlias = "CartClassifier | CartRegressor | OptimalClassifier"
SECONDS = 5  # of a search: then it is the best branch that was found


class BestBranch(NamedTuple):
    """A branch that was searched for, and what is proved of it."""

    tree: Tree
    proof: Proof  # among branches of its depth over its questions, on the samples of its root


def search_for(learner: CartClassifier | OptimalClassifier, training: TrainingData) -> OptimalClassifier:
    """Return the search for optimal trees on these data: the learner itself, or one with CART's categories.

    Where leaves have a least weight, one category is parted from all others: sets of them do not go with it.
    """
    if isinstance(learner, OptimalClassifier):
        return copy.copy(learner).set_params(time_limit=SECONDS)
    is_limited = least_share(learner, training, np.arange(len(training.y))) > 0
    search = OptimalClassifier(
        time_limit=SECONDS,
        categorical_features=learner.is_categorical_,
        categories="one-vs-rest" if is_limited else "subset",
    )
    search.prepare(training.X, training.y, training.weight)
    return search


def least_share(learner: SharpLearner, training: TrainingData, rows: np.ndarray) -> float:
    """Return the least share of the weight of these samples that a leaf must have by the learner's limits.

    A least number of samples becomes a share as if all weighed the same.
    """
    part = float(training.weight.sum() / training.weight[rows].sum())
    least = learner.min_weight_fraction_leaf * part
    if isinstance(learner, OptimalClassifier):
        return least
    n = count_of(learner.min_samples_leaf, len(training.y))
    return max(least, n / len(rows)) if n > 1 else least


def best_branch(
    search: OptimalClassifier, part: TrainingData, criterion: str, progress: Progress | None
) -> BestBranch:
    """Return the best tree on samples that the search was prepared for, or some of them.

    `search` has the limits on the branch; `criterion` names the impurity that its nodes are described by.
    """
    found = search.grow(part, progress)
    tree, classes = found.tree_, np.arange(len(search.classes_))
    impurity = [node_impurity(target(classes, share, criterion, len(classes))) for share in tree.value]
    return BestBranch(tree._replace(impurity=read_only(np.array(impurity))), found.proof_)
