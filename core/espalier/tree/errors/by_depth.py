"""The right depth of a tree: its errors with each limit of depth, cross-validated (Breiman et al. 1984)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from espalier.data.rows.folds import Fold
from espalier.data.weights import effective_size
from espalier.language import Refusal
from espalier.progress import Onward, Progress
from espalier.tasks import PARTS, Call, in_order
from espalier.tree.pruning import SubtreeErrors, WeighedSamples


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


class Sizes(NamedTuple):
    """The trees of all depths on some samples."""

    n_leaves: np.ndarray  # (n_trees,) int64, by depth, ascending
    losses: np.ndarray  # (n_trees, n_judges) float64


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
    judges = [samples if held is None else _joined(samples, held)]
    judges += [samples.of(fold.rows) for fold in plan.folds]
    tasks = [
        Call(_sizes, (clone(estimator), samples.of(rows), judge, plan), len(rows) * plan.most)
        for rows, judge in zip(grown_on, judges, strict=True)
    ]
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        found = [sizes for _, sizes in in_order(tasks, here, progress, len(tasks))]
    is_whole = len(found) == len(tasks) and all(len(one.losses) for one in found)
    return _errors(found, samples, held, plan) if is_whole else None


def _sizes(
    estimator: Any,
    samples: WeighedSamples,
    judges: WeighedSamples,
    plan: DepthPlan,
    progress: Progress | None = None,
) -> Sizes:
    """Return the trees of all depths on these samples with the losses of the judges; none if it was stopped."""
    progress, leaves, losses = progress or Progress(), [], []
    for depth in range(1, plan.most + 1):
        estimator.set_params(max_depth=depth)
        estimator.fit(samples.X, samples.y, samples.weight, progress=Onward(progress))
        if progress.is_stopped:
            return Sizes(np.empty(0, np.int64), np.empty((0, len(judges.y))))
        progress.done = depth * len(samples.y)
        leaves.append(estimator.tree_.n_leaves)
        losses.append(_losses(estimator, judges))
        if plan.ends_early and estimator.tree_.depth < depth:
            break
    return Sizes(np.array(leaves), np.array(losses))


def _losses(estimator: Any, judges: WeighedSamples) -> np.ndarray:
    answer = estimator.predict(judges.X)
    return (answer != judges.y).astype(np.float64) if is_classifier(estimator) else (answer - judges.y) ** 2


def _joined(samples: WeighedSamples, held: WeighedSamples) -> WeighedSamples:
    both = (samples, held)
    return WeighedSamples(np.concatenate([one.X for one in both]), np.concatenate([one.y for one in both]), None)


def _errors(
    found: list[Sizes], samples: WeighedSamples, held: WeighedSamples | None, plan: DepthPlan
) -> DepthErrors:
    whole, *of_folds = found
    n, many = len(samples.y), _n_different(whole) if plan.ends_early else plan.most
    weight = np.ones(n) if samples.weight is None else samples.weight
    tested = np.concatenate([_as_many(one.losses, many) for one in of_folds], axis=1)
    return DepthErrors(
        np.arange(many, 0, -1),
        whole.n_leaves[:many][::-1],
        _mean(whole.losses[:many, :n], weight),
        None if held is None else _mean(whole.losses[:many, n:], held.weight),
        _mean(tested, weight[np.concatenate([fold.rows for fold in plan.folds])]),
    )


def _n_different(sizes: Sizes) -> int:
    """Return the number of depths whose trees differ: the last one may be as the one before."""
    many = len(sizes.n_leaves)
    return many - int(many > 1 and sizes.n_leaves[-1] == sizes.n_leaves[-2])


def _as_many(losses: np.ndarray, many: int) -> np.ndarray:
    """Return the losses of so many depths; those past the deepest tree are its own."""
    return losses[np.minimum(np.arange(many), len(losses) - 1)]


def _mean(losses: np.ndarray, weight: np.ndarray | None) -> SubtreeErrors:
    """Return the mean losses (n_trees, n_samples) from the deepest tree on, and their standard errors."""
    weight = np.ones(losses.shape[1]) if weight is None else weight
    mean = np.average(losses, axis=1, weights=weight)[::-1]
    variance = np.average((losses - mean[::-1, None]) ** 2, axis=1, weights=weight)[::-1]
    return SubtreeErrors(mean, np.sqrt(variance / effective_size(weight)))
