"""The right size of a tree: cross-validated errors of its subtrees (Breiman et al. 1984, chapters 3 and 11)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier

from espalier.data.rows.assignment import RowColumn, roles_by
from espalier.data.rows.folds import Fold, Folds, deal
from espalier.data.rows.roles import RowRoles
from espalier.data.weights import effective_size
from espalier.language import Refusal
from espalier.learners.pruning import (
    NodeLosses,
    PruningPath,
    node_losses,
    prices,
    pruning_path,
    said_at_nodes,
    sums_over_leaves,
)
from espalier.predict import leaves
from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order
from espalier.trees import Tree, parents

CLOSE = 1e-12  # a difference of errors that rounding may have made


class SubtreeErrors(NamedTuple):
    """The error of each of some nested trees, from the largest on, and its standard error.

    Breiman et al. (1984): `least` is the rule of section 3.4.2, `one_standard_error` that of section 3.4.3.
    """

    error: np.ndarray  # (n_trees,) float64: share of samples misclassified, or mean squared error
    standard_error: np.ndarray  # (n_trees,) float64: of the mean over these samples

    @property
    def least(self) -> int:
        """Number of the tree with the least error; of several the smallest."""
        return int(np.flatnonzero(self.error <= self.error.min() + CLOSE)[-1])

    @property
    def one_standard_error(self) -> int:
        """Number of the smallest tree whose error is within a standard error of the least."""
        within = self.error <= self.error[self.least] + self.standard_error[self.least] + CLOSE
        return int(np.flatnonzero(within)[-1])


class PruningSequence(NamedTuple):
    """The nested subtrees of a tree, from the whole tree to the root, with their errors."""

    path: PruningPath
    training: SubtreeErrors  # on the samples that the tree was grown on
    validated: SubtreeErrors  # on samples that the trees of the folds had not seen

    @property
    def least(self) -> int:
        """Number of the subtree with the least cross-validated error."""
        return self.validated.least

    @property
    def one_standard_error(self) -> int:
        """Number of the smallest subtree whose cross-validated error is within a standard error of the least."""
        return self.validated.one_standard_error


class TreeLosses(NamedTuple):
    """The losses of samples at every node of a tree, and the prices at which its splits go."""

    price: np.ndarray  # (n_nodes,) float64
    parent: np.ndarray  # (n_nodes,) int32
    losses: NodeLosses
    weight: np.ndarray  # (n_samples,) float64

    def sums(self, alpha: np.ndarray) -> NodeLosses:
        """Return total losses and squares of the trees pruned at these ascending alphas, both (n_alphas,)."""
        return NodeLosses(*(sums_over_leaves(part, self.price, self.parent, alpha) for part in self.losses))


def subtree_errors(
    tree: Tree, X: np.ndarray, y: np.ndarray, cost: str = "impurity", weight: np.ndarray | None = None
) -> SubtreeErrors:
    """Return the errors of all trees of the `pruning_path` on samples X, such as held-out ones.

    X is (n_samples, n_features); y (n_samples,) are class or other numbers. The standard error is that of a mean
    of independent losses, for classes sqrt(R (1 - R) / n_samples) (Breiman et al. 1984, sections 3.4.1 and 11.5),
    and where samples have a `weight` (n_samples,) that of as many as these are worth (Kish 1965). Raises
    ValueError if there are no samples.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> subtree_errors(tree, iris.X, iris.y).error.round(2).tolist()
    [0.04, 0.33, 0.67]
    """
    if not len(X):
        raise Refusal("there are no rows to measure errors on; give at least one")
    weight = np.ones(len(X)) if weight is None else weight
    losses = node_losses(tree, leaves(tree, X), y, said_at_nodes(tree), weight)
    tree_losses = TreeLosses(prices(tree, cost), parents(tree), losses, weight)
    return _errors([tree_losses], pruning_path(tree, cost).alpha)


def _dealt(folds: Sequence[Fold] | Folds, y: Any, is_class: bool, roles: RowRoles) -> Sequence[Fold]:
    if isinstance(folds, Folds):
        strata = np.unique(np.asarray(y), return_inverse=True)[1] if is_class else np.asarray(y, np.float64)
        return deal(strata, folds, roles)
    if roles != RowRoles():
        raise ValueError("these folds are dealt already; give Folds(10), say, beside groups or times")
    return folds


def pruning_sequence(
    estimator: Any,
    X: Any,
    y: Any,
    folds: Sequence[Fold] | Folds,
    progress: Progress | None = None,
    sample_weight: np.ndarray | None = None,
    executor: Executor | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> PruningSequence | None:
    """Return the subtrees of a CART tree grown on X and y, with errors cross-validated on the folds.

    The tree grows on all samples, and for each fold one on the samples that it is told from. `Folds` are dealt
    here, with `groups` and `time` (n_samples,) as `espalier.analysis.deal` does. A fold's tree is pruned at the
    geometric mean of the alphas between which a subtree is best, and its errors on the fold count for that subtree
    (Breiman et al. 1984, section 3.4.2); for numbers the loss is the squared error (section 8.3).

    Samples count by `sample_weight` (n_samples,), or the same, whatever the estimator's class weights. `progress`
    counts `espalier.tasks.PARTS` for each of the ``len(folds) + 1`` trees, on which the `executor` works (None:
    one thread); None if it was stopped. Raises ValueError for fewer than two folds, and for groups or times beside
    folds that are dealt already.

    >>> from espalier.analysis import Folds, deal
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> found = pruning_sequence(CartClassifier(), iris.X, iris.y, deal(iris.y, Folds(10)))
    >>> found.path.n_leaves.tolist()
    [9, 7, 5, 4, 3, 2, 1]
    >>> found.path.n_leaves[[found.least, found.one_standard_error]].tolist()
    [4, 3]
    >>> plants = np.arange(150) // 5
    >>> pruning_sequence(CartClassifier(), iris.X, iris.y, Folds(5), groups=plants).path.n_leaves.tolist()
    [9, 7, 5, 4, 3, 2, 1]
    """
    folds = _dealt(folds, y, is_classifier(estimator), roles_by(groups, time))
    samples = WeighedSamples(X, np.asarray(y), sample_weight)
    y = samples.y
    if len(folds) < 2:
        raise Refusal("{n} folds are too few: cross-validation needs at least two", n=len(folds))
    everything = np.arange(len(y))
    parts = [(everything, everything), *((np.flatnonzero(fold.fitted_to), fold.rows) for fold in folds)]
    tasks = [Call(_part_losses, (clone(estimator), samples, *part), len(part[0])) for part in parts]
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        results = [result for _, result in in_order(tasks, here, progress, len(tasks))]
    return _sequence(results) if len(results) == len(tasks) else None


def sequence_parts(n_folds: int) -> int:
    """Return what the progress of a `pruning_sequence` comes to."""
    return PARTS * (n_folds + 1)


class WeighedSamples(NamedTuple):
    """Samples of which each counts by its weight."""

    X: Any  # (n_samples, n_features), an array or a DataFrame
    y: np.ndarray  # (n_samples,)
    weight: np.ndarray | None  # (n_samples,); None: all count the same

    def of(self, rows: np.ndarray) -> WeighedSamples:
        """Return some of the samples, by their indices."""
        X = self.X.iloc[rows] if isinstance(self.X, pd.DataFrame) else np.asarray(self.X)[rows]
        return WeighedSamples(X, self.y[rows], None if self.weight is None else self.weight[rows])


class GrownPart(NamedTuple):
    """A tree that was grown on some samples, with its losses on others."""

    tree: Tree
    losses: TreeLosses


def _part_losses(
    estimator: Any,
    samples: WeighedSamples,
    grown_on: np.ndarray,
    tested: np.ndarray,
    progress: Progress | None = None,
) -> GrownPart:
    """Return the tree of these samples (indices) with its losses on the tested ones."""
    part, judges = samples.of(grown_on), samples.of(tested)
    estimator.fit(part.X, part.y, part.weight, progress=progress)
    tree, target, answers = estimator.tree_, judges.y, estimator.tree_.value[:, 0]
    if is_classifier(estimator):
        labels = np.unique(samples.y)
        target = np.searchsorted(labels, target)
        answers = np.searchsorted(labels, estimator.classes_)[tree.value.argmax(axis=1)]
    weight = np.ones(len(tested)) if judges.weight is None else judges.weight
    losses = node_losses(tree, estimator.apply(judges.X), target, answers, weight)
    return GrownPart(tree, TreeLosses(prices(tree), parents(tree), losses, weight))


def _sequence(parts: list[GrownPart]) -> PruningSequence:
    whole, *of_folds = parts
    path = pruning_path(whole.tree)
    between = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf)
    validated = _errors([part.losses for part in of_folds], between)
    return PruningSequence(path, _errors([whole.losses], path.alpha), validated)


def _errors(of_trees: Sequence[TreeLosses], alpha: np.ndarray) -> SubtreeErrors:
    """Return the mean losses over all samples together at each alpha, and their standard errors."""
    sums = [one.sums(alpha) for one in of_trees]
    weight = np.concatenate([one.weight for one in of_trees])
    mean = np.sum([s.total for s in sums], axis=0) / weight.sum()
    variance = np.maximum(np.sum([s.squares for s in sums], axis=0) / weight.sum() - mean**2, 0.0)
    return SubtreeErrors(np.maximum(mean, 0.0), np.sqrt(variance / effective_size(weight)))
