"""The right size of a tree: cross-validated errors of its subtrees (Breiman et al. 1984, chapters 3 and 11)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier

from espalier.data.folds import Fold, Folds, deal
from espalier.data.roles import RowRoles, effective_size
from espalier.data.subset import RowColumn, roles_by
from espalier.language import Refusal
from espalier.learners.pruning import (
    PruningPath,
    node_losses,
    prices,
    pruning_path,
    said_at_nodes,
    sums_over_leaves,
)
from espalier.predict import leaves
from espalier.progress import Onward, Progress
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
    losses: tuple[np.ndarray, np.ndarray]  # as `node_losses` returns them
    weight: np.ndarray  # (n_samples,) float64

    def sums(self, alpha: np.ndarray) -> list[np.ndarray]:
        """Return total losses and squares of the trees pruned at these ascending alphas, both (n_alphas,)."""
        return [sums_over_leaves(part, self.price, self.parent, alpha) for part in self.losses]


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


def _deal(folds: Sequence[Fold] | Folds, y: Any, is_class: bool, roles: RowRoles) -> Sequence[Fold]:
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
    folds = _deal(folds, y, is_classifier(estimator), roles_by(groups, time))
    samples = WeighedSamples(X, np.asarray(y), sample_weight)
    y = samples.y
    if len(folds) < 2:
        raise Refusal("{n} folds are too few: cross-validation needs at least two", n=len(folds))
    everything = np.arange(len(y))
    parts = [(everything, everything), *((np.flatnonzero(fold.fitted_to), fold.rows) for fold in folds)]
    tasks = [Call(_part_losses, (clone(estimator), samples, *part), len(part[0])) for part in parts]
    results = _run(tasks, executor, progress)
    if len(results) < len(tasks):
        return None
    (tree, own), *rest = results
    path = pruning_path(tree)
    between = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), np.inf)
    validation = _errors([losses for _, losses in rest], between)
    return PruningSequence(path, _errors([own], path.alpha), validation)


def _run(tasks: list[Call], executor: Executor | None, progress: Progress | None) -> list[Any]:
    """Return the results of the tasks, on a thread where there is no executor; fewer if it was stopped."""
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        return [result for _, result in in_order(tasks, here, progress, len(tasks))]


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


def _part_losses(
    estimator: Any,
    samples: WeighedSamples,
    grown_on: np.ndarray,
    tested: np.ndarray,
    progress: Progress | None = None,
) -> tuple[Tree, TreeLosses]:
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
    return tree, TreeLosses(prices(tree), parents(tree), losses, weight)


def _errors(of_trees: Sequence[TreeLosses], alpha: np.ndarray) -> SubtreeErrors:
    """Return the mean losses over all samples together at each alpha, and their standard errors."""
    totals, squares = np.sum([losses.sums(alpha) for losses in of_trees], axis=0)
    weight = np.concatenate([losses.weight for losses in of_trees])
    mean = totals / weight.sum()
    variance = np.maximum(squares / weight.sum() - mean**2, 0.0)
    return SubtreeErrors(np.maximum(mean, 0.0), np.sqrt(variance / effective_size(weight)))


# ---- the right depth of a tree: its errors with each limit of depth, cross-validated (Breiman et al. 1984)


class DepthErrors(NamedTuple):
    """The errors of the trees with each limit of depth, from the deepest tree to the one of a single question."""

    depth: np.ndarray  # (n_trees,) int64: the limits, descending
    n_leaves: np.ndarray  # (n_trees,) int64: of the tree on all samples
    training: SubtreeErrors  # on the samples that the tree was grown on
    held: SubtreeErrors | None  # on those held out; None: there are none
    validated: SubtreeErrors  # on samples that the trees of the folds had not seen


class DepthPlan(NamedTuple):
    """The trees that are grown: one of each depth on all samples, and on those that each fold is told from."""

    most: int  # the greatest depth
    folds: Sequence[Fold]
    ends_early: bool = True  # whether a tree that is less deep than its limit is that of all greater limits

    @property
    def parts(self) -> int:
        """What the progress comes to."""
        return PARTS * (len(self.folds) + 1)


def depth_errors(
    estimator: Any,
    samples: WeighedSamples,
    plan: DepthPlan,
    held: WeighedSamples | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> DepthErrors | None:
    """Return the errors of an estimator with `max_depth` from 1 to the greatest depth of the plan.

    It is fitted to all samples, whose targets are class or other numbers, and to those that each fold is told
    from. An error costs 1; of numbers it is squared. Depths past which the tree on all samples does not change are
    left out where the plan says that it ends early. `progress` counts the plan's `parts`; None if it was stopped.
    Raises ValueError for fewer than two folds.

    >>> from espalier.analysis import Folds, deal
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> plan = DepthPlan(30, deal(iris.y, Folds(10)))
    >>> found = depth_errors(CartClassifier(), WeighedSamples(iris.X, iris.y, None), plan)
    >>> found.depth.tolist(), found.validated.error[-3:].round(2).tolist()
    ([5, 4, 3, 2, 1], [0.07, 0.07, 0.33])
    """
    if len(plan.folds) < 2:
        raise Refusal("{n} folds are too few: cross-validation needs at least two", n=len(plan.folds))
    grown_on = [np.arange(len(samples.y)), *(np.flatnonzero(fold.fitted_to) for fold in plan.folds)]
    judges = [samples]
    if held is not None:
        both = np.concatenate([samples.X, held.X]), np.concatenate([samples.y, held.y])
        judges = [WeighedSamples(*both, None)]
    judges += [samples.of(fold.rows) for fold in plan.folds]
    tasks = [
        Call(_sizes, (clone(estimator), samples.of(rows), judge, plan), len(rows) * plan.most)
        for rows, judge in zip(grown_on, judges, strict=True)
    ]
    results = _run(tasks, executor, progress)
    is_complete = len(results) == len(tasks) and all(leaves for leaves, _ in results)
    return _depth_errors(results, samples, held, plan) if is_complete else None


def _sizes(
    estimator: Any,
    samples: WeighedSamples,
    judges: WeighedSamples,
    plan: DepthPlan,
    progress: Progress | None = None,
) -> tuple[list[int], np.ndarray]:
    """Return the leaves of the trees of all depths on these samples, and their losses, (n_trees, n_judges).

    There are none if it was stopped.
    """
    progress, leaves, losses = progress or Progress(), [], []
    for depth in range(1, plan.most + 1):
        estimator.set_params(max_depth=depth)
        estimator.fit(samples.X, samples.y, samples.weight, progress=Onward(progress))
        if progress.is_stopped:
            return [], np.empty((0, len(judges.y)))
        progress.done = depth * len(samples.y)
        leaves.append(estimator.tree_.n_leaves)
        losses.append(_losses(estimator, judges))
        if plan.ends_early and estimator.tree_.depth < depth:
            break
    return leaves, np.array(losses)


def _losses(estimator: Any, judges: WeighedSamples) -> np.ndarray:
    answer = estimator.predict(judges.X)
    return (answer != judges.y).astype(np.float64) if is_classifier(estimator) else (answer - judges.y) ** 2


def _depth_errors(
    results: list[tuple[list[int], np.ndarray]],
    samples: WeighedSamples,
    held: WeighedSamples | None,
    plan: DepthPlan,
) -> DepthErrors:
    (n_leaves, own), *rest = results
    n, many = len(samples.y), plan.most
    if plan.ends_early:  # the last tree may be as the one before
        many = len(n_leaves)
        many -= int(many > 1 and n_leaves[-1] == n_leaves[-2])
    weight = np.ones(n) if samples.weight is None else samples.weight
    # past the deepest tree of a fold the losses are its own
    losses = [part[np.minimum(np.arange(many), len(part) - 1)] for _, part in rest]
    return DepthErrors(
        np.arange(many, 0, -1),
        np.array(n_leaves[:many])[::-1],
        _mean(own[:many, :n], weight),
        None if held is None else _mean(own[:many, n:], held.weight),
        _mean(np.concatenate(losses, axis=1), weight[np.concatenate([fold.rows for fold in plan.folds])]),
    )


def _mean(losses: np.ndarray, weight: np.ndarray | None) -> SubtreeErrors:
    """Return the mean losses (n_trees, n_samples) from the deepest tree on, and their standard errors."""
    weight = np.ones(losses.shape[1]) if weight is None else weight
    mean = np.average(losses, axis=1, weights=weight)[::-1]
    variance = np.average((losses - mean[::-1, None]) ** 2, axis=1, weights=weight)[::-1]
    return SubtreeErrors(mean, np.sqrt(variance / effective_size(weight)))
