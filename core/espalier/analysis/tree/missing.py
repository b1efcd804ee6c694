"""How the ways of missing values bear gaps: errors of CART trees while ever more values are removed at random.

Values are removed from the samples that trees grow on and from those they are tested on alike, as in Twala (2009),
"An empirical comparison of techniques for handling incomplete data using decision trees". They are removed
completely at random, so that a gap says nothing of the target. Where it does, the ways that learn from gaps have
an advantage that this cannot show (Ding & Simonoff 2010, "An investigation of missing data methods for
classification trees applied to binary response data").
"""

from __future__ import annotations

import contextlib
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from espalier.analysis.fitting import fit
from espalier.analysis.resampled import standard_error
from espalier.data.dataset import Dataset, HeldOut, held_out
from espalier.data.rows.assignment import RowColumn, with_roles
from espalier.data.weights import weighted_mean
from espalier.language import Refusal
from espalier.learners.missing import ways_with
from espalier.progress import Progress
from espalier.tasks import Call, in_order
from espalier.trees import read_only

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


class Removals(NamedTuple):
    """Which values are removed, how often anew, and which samples trees are tested on."""

    n_repeats: int = 10  # each holds out other samples and removes other values
    held: HeldOut = HeldOut(30)  # in the first repeat; every further one has the next seed
    shares: tuple[float, ...] = SHARES  # of the known values that are removed, ascending

    @property
    def ratio_tested(self) -> float:
        """Test samples per training sample."""
        return self.held.fraction / (1 - self.held.fraction)


class Removal(NamedTuple):
    """One share of the values removed in one repeat."""

    repeat: int
    share: float


class RemovalErrors(NamedTuple):
    """Errors of trees grown in each way of missing values, by the share of values removed."""

    ways: tuple[str, ...]  # of `espalier.learners.missing.WAYS`
    shares: tuple[float, ...]
    errors: np.ndarray  # (n_ways, n_shares, n_repeats) float64: share misclassified, or mean squared error
    ratio_tested: float  # test samples per training sample

    @property
    def n_repeats(self) -> int:
        """Number of repeats."""
        return self.errors.shape[2]

    @property
    def mean(self) -> np.ndarray:
        """(n_ways, n_shares) float64: mean error over the repeats."""
        return self.errors.mean(axis=2)

    @property
    def standard_error(self) -> np.ndarray:
        """(n_ways, n_shares) float64: of the means; nan for a single repeat."""
        return self._spread(self.errors)

    def behind(self, way: int) -> np.ndarray:
        """Return how much more each way errs than this one, (n_ways, n_shares) float64: the mean over repeats."""
        return (self.errors - self.errors[way]).mean(axis=2)

    def standard_error_behind(self, way: int) -> np.ndarray:
        """Return the standard errors of `behind`, of differences on the same samples and removals."""
        return self._spread(self.errors - self.errors[way])

    def _spread(self, values: np.ndarray) -> np.ndarray:
        n = values.shape[2]
        if n < 2:
            return np.full(values.shape[:2], np.nan)
        return standard_error(values.std(axis=2, ddof=1), n, self.ratio_tested)


def removal_errors(
    estimator: Any,
    dataset: Dataset,
    removals: Removals | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> RemovalErrors | None:
    """Return the errors of a CART estimator in each way of missing values, as ever more values are removed.

    In every repeat, samples are held out anew, and each known value has a random number, the same for all ways: it
    is removed at all shares above that. Values that are missing already stay so. `executor` works on several
    trees (None: one thread); `progress` counts `espalier.tasks.PARTS` for each tree, up to
    ``PARTS * len(removal_tasks(...))``. Once it is stopped the repeats that are whole are returned, or None.
    With `groups` or `time`, as in `validate`, whole groups or the last samples are held out.
    Raises ValueError for fewer repeats than one, shares that are not ascending from 0 to below 1, and where no
    sample is held out.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> removals = Removals(n_repeats=3, shares=(0.0, 0.5))
    >>> found = removal_errors(CartClassifier(max_depth=3), samples.load("iris"), removals)
    >>> found.ways
    ('side', 'category', 'impute', 'surrogate')
    >>> found.mean.shape, bool((found.mean[:, 0] < found.mean[:, 1]).all())
    ((4, 2), True)
    """
    removals, dataset = removals or Removals(), with_roles(dataset, groups, time)
    tasks = removal_tasks(estimator, dataset, removals)
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        errors = [error for _, error in in_order(tasks, here, progress)]
    return gathered_removals(errors, ways_with(estimator.criterion, estimator.monotonic_cst is not None), removals)


def removal_tasks(estimator: Any, dataset: Dataset, removals: Removals) -> list[Call]:
    """Return a task for each tree, repeat after repeat, with an error for a result; see `removal_errors`."""
    _check(dataset, removals)
    return [
        Call(_error, (_with_way(estimator, way), dataset, removals.held, at), len(dataset.y))
        for at in (Removal(repeat, share) for repeat in range(removals.n_repeats) for share in removals.shares)
        for way in ways_with(estimator.criterion, estimator.monotonic_cst is not None)
    ]


def gathered_removals(errors: list[float], ways: tuple[str, ...], removals: Removals) -> RemovalErrors | None:
    """Return the errors of the first tasks together, as far as their repeats are whole; None if none is."""
    n_whole = len(errors) // (len(removals.shares) * len(ways))
    if not n_whole:
        return None
    shape = n_whole, len(removals.shares), len(ways)
    found = np.array(errors[: n_whole * shape[1] * shape[2]]).reshape(shape).transpose(2, 1, 0)
    return RemovalErrors(ways, removals.shares, read_only(found), removals.ratio_tested)


def removed(X: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Return X (n_samples, n_features) without about this share of its values, which become nan.

    With the same seed, what is missing at one share is missing at all greater ones.

    >>> X = np.ones((100, 3))
    >>> few, many = (np.isnan(removed(X, share, 0)) for share in (0.1, 0.4))
    >>> round(float(few.mean()), 1), round(float(many.mean()), 1), bool((many >= few).all())
    (0.1, 0.4, True)
    """
    drawn = np.random.default_rng((seed, 1)).random(X.shape)  # held-out samples are drawn with the seed alone
    return np.where(drawn < share, np.nan, X)


def _with_way(estimator: Any, way: str) -> Any:
    own: Any = clone(estimator)
    return own.set_params(missing=way)


def _error(
    estimator: Any, dataset: Dataset, held: HeldOut, at: Removal, progress: Progress | None = None
) -> float:
    """Return the error on held-out samples of a tree grown on the others, all with gaps."""
    seed = held.seed + at.repeat
    tested, X = held_out(dataset, held._replace(seed=seed)), removed(dataset.X, at.share, seed)
    fit(estimator, dataset._replace(X=X), ~tested, progress)
    said, truth = estimator.predict(X[tested]), dataset.y[tested]
    loss = said != truth if dataset.is_classification else (said - truth) ** 2
    return weighted_mean(loss, dataset.weights_of(tested))


def _check(dataset: Dataset, removals: Removals) -> None:
    if removals.n_repeats < 1:
        raise ValueError(f"there are {removals.n_repeats} repeats; there must be at least one")
    ascending = all(low < high for low, high in zip(removals.shares, removals.shares[1:], strict=False))
    if not (removals.shares and ascending and removals.shares[0] >= 0 and removals.shares[-1] < 1):
        raise ValueError(f"the shares removed are {removals.shares}; they must ascend from 0 or more to below 1")
    if not held_out(dataset, removals.held).any():
        raise Refusal(
            "{percent} % of these {rows} rows come to none to test on; hold out more",
            percent=removals.held.percent,
            rows=len(dataset.y),
        )
