"""Uncertainty of a fitted model's prediction for each sample, by the kind of model.

- a cultivated tree, and a forest of them: the spread sigma of the prediction over its leaves, over all trees
  (Nalenz & Augustin 2021, section 3, predictions, and section 4, abstaining from predictions);
- a forest of trees: the share of the trees' votes that its answer does not have (1 - unanimity);
- a tree: what its leaf leaves open. The share of the answer is corrected for small leaves as Provost & Domingos
  (2003, Tree induction for probability-based ranking, section 3) do, with one more sample of every class;
- of numbers: a forest doubts as far as its trees' numbers differ; a leaf as far as the targets in it do, with one
  more sample that is off as far as the targets of the whole tree are.

All are zero for certain predictions. They are not probabilities: only their order, and a threshold, are
meaningful.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from espalier import predict
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.kernels.route import path_of
from espalier.kinds import trees_of
from espalier.leaf_models import ModelTree
from espalier.oblique import ObliqueTree
from espalier.tree.modules import part_left
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, Tree

OWN, SHARE = "own", "share"  # source of uncertainty: the kind of model, or the share of its prediction
SPREAD, VOTES, LEAF_DOUBT, NONE = "spread", "votes", "leaf", "none"
NO_MODEL = "this model is no tree, and no forest that votes; only the shares of its answers can be doubted"


class Uncertainty(NamedTuple):
    """Uncertainty of predictions for some rows, with its components."""

    doubt: np.ndarray  # (n_rows,) at least 0
    votes: np.ndarray | None = (
        None  # (n_rows, n_classes): of a forest, the weight of the trees that predict each class
    )
    between: np.ndarray | None = None  # (n_rows,): of cultivated trees, the part of sigma^2 between trees
    leaf_weight: np.ndarray | None = None  # (n_rows,): of a tree, the weight of samples in the row's leaf


def model_of(estimator: Any) -> AnyTree | ObliqueTree | Forest | None:
    """Return the record that a fitted estimator holds; None if it has no leaves or votes to doubt by.

    The trees of a sum (gradient boosting) are steps, not answers, so nothing can be read from how they differ; and
    the answers of a model tree come from its formulas, not from its leaves' values.
    """
    record = predict.record_of(estimator)
    is_sum = isinstance(record, Forest) and record.combine == "sum"
    return None if is_sum or isinstance(record, ModelTree) else record


def measure_of(model: AnyTree | ObliqueTree | Forest | None) -> str:
    """Return the kind of the model's own uncertainty: SPREAD, VOTES or LEAF_DOUBT; NONE without a model."""
    if model is None:
        return NONE
    if all(isinstance(tree, CultivatedTree) for tree in trees_of(model)):
        return SPREAD
    return VOTES if isinstance(model, Forest) else LEAF_DOUBT


def uncertainties(
    model: AnyTree | ObliqueTree | Forest | None, X: np.ndarray, answer: np.ndarray | None = None
) -> Uncertainty:
    """Return the model's own uncertainty for the rows of X (n_rows, n_features).

    `answer` (n_rows,) int64 are the predicted classes, as columns of its values; None for regression. Without a
    model all uncertainties are 0.
    """
    if model is None:
        return Uncertainty(np.zeros(len(X)))
    X = np.asfortranarray(X, dtype=np.float64)
    if measure_of(model) == SPREAD:
        return _spread(model, X)
    if isinstance(model, Forest):
        return _divided_votes(model, X, answer) if answer is not None else _divided_numbers(model, X)
    assert isinstance(model, (Tree, ObliqueTree))
    return _leaf(model, X, answer)


def share_doubt(answers: np.ndarray) -> np.ndarray:
    """Return one minus the greatest share of each row, (n_rows,), from shares (n_rows, n_classes)."""
    return np.maximum(1 - answers.max(axis=1), 0.0)


def _spread(model: AnyTree | ObliqueTree | Forest, X: np.ndarray) -> Uncertainty:
    """Return sigma over the leaves of all trees: the mean of their sigma^2 plus the variance of their
    predictions.
    """
    if isinstance(model, CultivatedTree):
        return Uncertainty(predict.spreads(model, X))
    trees, weight = (model.trees, model.weight) if isinstance(model, Forest) else ((), np.empty(0))
    answers = [predict.shares_and_spreads(tree, X) for tree in trees if isinstance(tree, CultivatedTree)]
    means, spreads = np.stack([mean for mean, _ in answers]), np.stack([spread for _, spread in answers])
    mean = np.einsum("t,tik->ik", weight, means)
    halves = 2 if mean.shape[1] > 1 else 1
    between = np.einsum("t,tik->i", weight, (means - mean) ** 2) / halves
    total = weight @ spreads**2 + between
    votes = None
    if mean.shape[1] > 1:
        classes = means.argmax(axis=2)
        votes = np.stack([weight @ (classes == k) for k in range(mean.shape[1])], axis=1)
    return Uncertainty(np.sqrt(total), votes, np.divide(between, total, out=np.zeros(len(X)), where=total > 0))


def _divided_votes(forest: Forest, X: np.ndarray, answer: np.ndarray) -> Uncertainty:
    at = np.arange(len(X))
    if _can_be_packed(forest):
        votes = predict.shares(forest._replace(combine="votes"), X)
    else:
        votes = np.zeros((len(X), forest.trees[0].value.shape[1]))
        for tree, weight in zip(forest.trees, forest.weight, strict=True):
            votes[at, predict.classes(tree, X)] += weight
    return Uncertainty(np.clip(1 - votes[at, answer], 0.0, 1.0), votes)


def _divided_numbers(forest: Forest, X: np.ndarray) -> Uncertainty:
    if _can_be_packed(forest):
        return Uncertainty(predict.spread_of_trees(forest, X))
    numbers = predict.shares_by_tree(forest, X)[:, :, 0]
    return Uncertainty(np.sqrt(forest.weight @ (numbers - forest.weight @ numbers) ** 2))


def _can_be_packed(forest: Forest) -> bool:
    """Return whether all trees can be asked at once, which is many times as fast as one after the other."""
    return all(isinstance(tree, Tree) and not tree.has_surrogates for tree in forest.trees)


def _leaf(tree: Tree | ObliqueTree, X: np.ndarray, answer: np.ndarray | None) -> Uncertainty:
    leaf = predict.leaves(tree, X)
    weight = tree.weight[leaf]
    if answer is None:
        squares = (weight * tree.impurity[leaf] + tree.impurity[0]) / (weight + 1)
        return Uncertainty(np.sqrt(squares), leaf_weight=weight)
    share = (weight * tree.value[leaf, answer] + 1) / (weight + tree.value.shape[1])
    return Uncertainty(1 - share, leaf_weight=weight)


# ---- sources of a cultivated tree's uncertainty


class Conflict(NamedTuple):
    """Contribution of one node's module to the spread of one sample's prediction."""

    node: int
    part: float  # share of sigma^2; those of all nodes sum to 1
    left: float  # fraction of the node's content that goes left


def conflicts(tree: CultivatedTree, x: np.ndarray) -> list[Conflict]:
    """Return the modules that divide x (n_features,) between different leaves, in order of their contribution.

    By the law of total variance sigma^2 is the sum over nodes of w psi (1 - psi) d^2, where w is the fraction of
    the sample in the node, psi the part of it that goes left, and d the distance between the mean predictions on
    the left and on the right.
    """
    fraction = fractions_of(tree, x)
    mean = _means_below(tree, fraction)
    nodes = np.flatnonzero((fraction > 0) & (tree.left != LEAF))
    left, right = tree.left[nodes], tree.right[nodes]
    psi = fraction[left] / np.maximum(fraction[left] + fraction[right], 1e-300)
    part = fraction[nodes] * psi * (1 - psi) * ((mean[left] - mean[right]) ** 2).sum(axis=1)
    order = [i for i in np.argsort(-part, kind="stable").tolist() if part[i] > 0]
    total = float(part.sum())
    return [Conflict(int(nodes[i]), float(part[i]) / total, float(psi[i])) for i in order]


def _means_below(tree: CultivatedTree, fraction: np.ndarray) -> np.ndarray:
    """Return the mean prediction of the sample's fractions below each node, (n_nodes, n_outputs)."""
    mean = np.array(tree.value)
    for node in np.flatnonzero(tree.left != LEAF)[::-1].tolist():  # children come after their parent
        ends = [int(tree.left[node]), int(tree.right[node])]
        if fraction[ends].sum() > 0:
            mean[node] = fraction[ends] @ mean[ends] / fraction[ends].sum()
    return mean


def hesitation(tree: CultivatedTree, x: np.ndarray, node: int) -> float:
    """Return the part of a node's division due to thresholds near the sample, 0 to 1; the rest is due to options.

    As in `conflicts`: psi (1 - psi) is, over the options, the mean of their own psi (1 - psi), from thresholds,
    plus the variance of their psi, from disagreement between options.
    """
    here = range(int(tree.decisions.start[node]), int(tree.decisions.start[node + 1]))
    own = np.array([goes_left(tree, d, x) for d in here])
    share = tree.decisions.share[here.start : here.stop]
    total = float(share @ own) * (1 - float(share @ own))
    return float(share @ (own * (1 - own))) / total if total > 0 else 1.0


def goes_left(tree: CultivatedTree, d: int, x: np.ndarray) -> float:
    """Return the part of x (n_features,) that decision d alone sends left."""
    return float(part_left(tree, d, x[[tree.decisions.feature[d]]])[0])


# ---- contribution of each feature to a model's prediction for a sample, summed over the splits on its path


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
        return Contributions(np.array(model.value[0]), _tree_contributions(model, x))
    if model.combine == "votes" or model.link != "identity":
        return None
    trees = list(zip(model.trees, model.weight, strict=True))
    base = sum((w * tree.value[0] for tree, w in trees), model.start)
    return Contributions(base, sum((w * _tree_contributions(tree, x) for tree, w in trees), np.zeros(())))


def _tree_contributions(tree: AnyTree, x: np.ndarray) -> np.ndarray:
    tree = boxed(tree, "the split of a prediction into contributions")
    parts = np.zeros((len(x), tree.value.shape[1]))
    if isinstance(tree, Tree):
        for up, down in itertools.pairwise(path_of(tree, x)):
            parts[tree.feature[up]] += tree.value[down] - tree.value[up]
        return parts
    fraction, start = fractions_of(tree, x), tree.decisions.start
    for node in np.flatnonzero(fraction).tolist():  # leaves have no decisions
        left, right = tree.value[tree.left[node]], tree.value[tree.right[node]]
        for d in range(int(start[node]), int(start[node + 1])):
            part = goes_left(tree, d, x)
            step = part * left + (1 - part) * right - tree.value[node]
            parts[tree.decisions.feature[d]] += fraction[node] * tree.decisions.share[d] * step
    return parts
