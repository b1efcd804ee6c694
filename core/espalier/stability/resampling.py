"""Resampling: the data of every replicate of a tree.

A `Redraw` is a way of drawing the data again. `redrawn` returns the data of a replicate, which depend only on the
redraw, the seed and the replicate's number. Replicates can therefore be grown in any order and by any number of
threads, more can be added, and any can be drawn once more. Other numbers or another seed make another sample.

==============  ==================================================================  ========================
kind            data of a replicate                                                 size
==============  ==================================================================  ========================
``bootstrap``   as many rows as there are, drawn with replacement (Efron 1979)      not asked
``subsample``   some of the rows, drawn without replacement                         share of the rows
``folds``       all rows but those of one fold; folds are dealt anew when each      number of folds
                has been left out once
``leave_out``   all rows but some; dealt anew when nearly all have been left out    rows left out
                once (one row: the jackknife)
``noise``       all rows, their values disturbed                                    share of a feature's span
``seeds``       the data as they are, with another random state of the learner:     not asked
                new pseudo-samples for an approximation tree
==============  ==================================================================  ========================

Of data with groups these are whole groups in place of rows, and of data with times blocks of neighbouring rows
(`espalier.data.folds.units`); folds then are groups, or blocks of the order, each left out in turn.

Usage: ``redrawn(Redraw("subsample", 0.8), data, seed=0, number=17)`` → `Drawn`; `KINDS` lists the kinds with their
words and limits for a page; `check_redraw` raises ValueError, in plain words, for a redraw that is not possible.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from espalier.data import folds as parts
from espalier.data.dataset import Dataset
from espalier.data.folds import Folds as Deal
from espalier.data.folds import deal
from espalier.data.roles import RowRoles
from espalier.fitting import check_takes_weights, fit, weights_for
from espalier.kernels.forest.bootstrap import draw
from espalier.kernels.forest.grow import grow_given, make_workspace
from espalier.language import Phrase, Refusal
from espalier.learners.approximation.classifier import Approximation, ReplicationData, inputs_of, regrow
from espalier.learners.approximation.sampling import discrete_mask
from espalier.learners.base import TrainingData, features_tried, is_whole
from espalier.learners.cart import Cart
from espalier.learners.cultivated import Cultivated
from espalier.learners.forests.ensemble import (
    TREE_CLASSIFIERS,
    TREE_REGRESSORS,
    fit_part,
    make_part_learner,
)
from espalier.learners.forests.forest import TreeForest
from espalier.learners.forests.growing import ForestData, forest_data, grower, suits_codes
from espalier.learners.optimal import OptimalRegressor
from espalier.progress import Progress
from espalier.trees import AnyTree, read_only


class Redraw(NamedTuple):
    """A way of drawing the data again: a kind, and its size if it has one."""

    kind: str = "bootstrap"
    size: float = 0.0


class RedrawKind(NamedTuple):
    """The description of a kind of redraw, for a page that offers it."""

    name: str
    title: str
    words: str  # the data of a replicate, in a line
    asks: str = ""  # the meaning of its size; empty: it has none
    default: float = 0.0
    low: float = 0.0
    high: float = 0.0  # also limited by the data: see `largest`
    is_whole: bool = False


class Drawn(NamedTuple):
    """The data of one replicate."""

    times: np.ndarray  # (n_samples,) uint8: how often each row was drawn
    X: np.ndarray  # (n_samples, n_features) float64: of all rows, disturbed where the redraw disturbs them
    seed: int  # of the learner

    @property
    def rows(self) -> np.ndarray:
        """The rows, ascending, each as often as it was drawn, (n_drawn,) int64."""
        return np.repeat(np.arange(len(self.times)), self.times)


KINDS = (
    RedrawKind("bootstrap", "Bootstrap", "As many rows as there are, drawn with replacement."),
    RedrawKind("subsample", "Subsample", "Some of the rows, none twice.", "Share of the rows", 0.8, 0.05, 0.99),
    RedrawKind("folds", "Folds", "All rows but those of one fold, each fold in turn.", "Folds", 10, 2, 100, True),
    RedrawKind("leave_out", "Leave some out", "All rows but a few.", "Rows left out", 1, 1, 1_000_000, True),
    RedrawKind(
        "noise", "Added noise", "All rows, their numbers blurred; now and then another category.",
        "Share of each column's span", 0.02, 0.0, 1.0,
    ),
    RedrawKind("seeds", "New seeds", "The same rows; only what the learner itself draws by chance is new."),
)  # fmt: skip

CHANCE_KINDS = ("bootstrap", "subsample")  # each replicate by itself
ROW_KINDS = (*CHANCE_KINDS, "folds", "leave_out")  # kinds that draw rows


def kind_of(redraw: Redraw) -> RedrawKind:
    """Return the redraw's kind. Raises ValueError for an unknown one."""
    for kind in KINDS:
        if kind.name == redraw.kind:
            return kind
    raise ValueError(f"there is no redraw {redraw.kind!r}; there are {', '.join(kind.name for kind in KINDS)}")


def n_units(data: Dataset) -> int:
    """Return how many rows, groups or blocks of times there are to draw; of blocks, which vary, the fewest."""
    unit, times = parts.units(data.roles, 0), data.roles.times
    if unit is None:
        return len(data.y)
    if data.roles.groups is not None or times is None:
        return int(unit.max()) + 1
    return min(max(int(unit.max()), 2), len(np.unique(times.values)))


def largest(kind: RedrawKind, n_samples: int) -> float:
    """Return the largest size that a table of so many rows, or `n_units`, allows."""
    most = {"folds": n_samples, "leave_out": n_samples - 1}.get(kind.name, kind.high)
    return min(kind.high, most)


def check_redraw(redraw: Redraw, n_samples: int) -> None:
    """Raise ValueError for an unknown kind, or a size that the kind, or this number of rows, does not allow."""
    kind = kind_of(redraw)
    if not kind.asks:
        return
    high = largest(kind, n_samples)
    if not kind.low <= redraw.size <= high:
        raise Refusal(
            "“{setting}” is {size}; with {rows} rows it must be between {low} and {high}",
            setting=Phrase(kind.asks, {}),
            size=redraw.size,
            rows=n_samples,
            low=kind.low,
            high=high,
        )
    if kind.is_whole and redraw.size != int(redraw.size):
        raise Refusal(
            "“{setting}” is {size}; it must be a whole number", setting=Phrase(kind.asks, {}), size=redraw.size
        )


def seed_of(seed: int, number: int) -> int:
    """Return the seed of a replicate, below 2^31; also of the tree that grows on it."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0] >> 1)


def redrawn(redraw: Redraw, data: Dataset, seed: int, number: int) -> Drawn:
    """Return the data of replicate `number` (from 0). Raises ValueError as `check_redraw` does."""
    own, size = seed_of(seed, number), redraw.size
    unit = parts.units(data.roles, own if redraw.kind in CHANCE_KINDS else seed)
    unit = unit if redraw.kind in ROW_KINDS else None
    n = len(data.y) if unit is None else int(unit.max()) + 1  # rows, or what is drawn in their place
    check_redraw(redraw, n)
    if redraw.kind == "noise":
        return Drawn(np.ones(n, np.uint8), disturb(data.X, data.categorical, size, own), own)
    if redraw.kind == "folds" and unit is not None:
        return Drawn(_without_part(data, int(size), seed, number), data.X, own)
    times = {
        "bootstrap": lambda: bootstrap(n, own),
        "subsample": lambda: subsample(n, size, own),
        "folds": lambda: without_fold(data.strata, int(size), seed, number),
        "leave_out": lambda: leave_out(n, int(size), seed, number),
        "seeds": lambda: np.ones(n, np.uint8),
    }[redraw.kind]()
    return Drawn(times if unit is None else times[unit], data.X, own)


def _without_part(data: Dataset, n_folds: int, seed: int, number: int) -> np.ndarray:
    """Return counts of all rows but one fold of whole groups, or one block of times."""
    groups, place = data.roles.groups, number % n_folds
    if groups is None:
        return (parts.time_blocks(data.roles, n_folds) != place).astype(np.uint8)
    rng = np.random.default_rng(seed_of(seed, number // n_folds))
    fold = parts.group_parts(groups.codes, parts.strata_of(data.strata), [1 / n_folds] * n_folds, rng)
    return (fold != place).astype(np.uint8)


# ---- which rows: how often each is drawn, (n,) uint8


def drawn_with_replacement(roles: RowRoles, n: int, seed: int) -> np.ndarray:
    """Return counts of a bootstrap of n rows: of rows, of their groups, or of blocks of their times."""
    unit = parts.units(roles, seed)
    return bootstrap(n, seed) if unit is None else bootstrap(int(unit.max()) + 1, seed)[unit]


def bootstrap(n: int, seed: int) -> np.ndarray:
    """Return counts of n rows drawn with replacement, as for a random forest's tree of this seed."""
    return draw(seed, n)[0]


def subsample(n: int, share: float, seed: int) -> np.ndarray:
    """Return counts of ``round(share * n)`` rows, at least one, drawn without replacement."""
    return _among(n, np.random.default_rng(seed).permutation(n)[: max(round(share * n), 1)])


def without_fold(y: np.ndarray, n_folds: int, seed: int, number: int) -> np.ndarray:
    """Return counts of all rows but those of fold ``number % n_folds``, stratified by the target y (n,).

    After every `n_folds` numbers the folds are dealt anew, as
    `espalier.data.folds.deal` does.
    """
    folds = deal(y, Deal(n_folds, 1, seed_of(seed, number // n_folds)))
    return 1 - _among(len(y), folds[number % n_folds].rows)


def leave_out(n: int, n_out: int, seed: int, number: int) -> np.ndarray:
    """Return counts of all rows but `n_out`.

    After every ``n // n_out`` numbers the rows are shuffled; within such a round no row is left out twice.
    """
    per_round = n // n_out
    order = np.random.default_rng(seed_of(seed, number // per_round)).permutation(n)
    first = number % per_round * n_out
    return 1 - _among(n, order[first : first + n_out])


def _among(n: int, rows: np.ndarray) -> np.ndarray:
    times = np.zeros(n, np.uint8)
    times[rows] = 1
    return times


# ---- which values


def disturb(X: np.ndarray, categorical: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Return X (n_samples, n_features) with noise, in Fortran order; missing values stay missing.

    Numbers get normal noise with a standard deviation of `share` times the column's span (greatest less least).
    Whole numbers with few distinct values (yes/no, ordered categories, ratings) stay whole: with probability
    `share`, a value becomes the next one above or below in the column. Categories, which the mask `categorical`
    (n_features,) marks, become any other one with the same probability.
    """
    rng = np.random.default_rng(seed)
    steps = discrete_mask("auto", X, categorical)
    noisy = np.array(X, dtype=np.float64, order="F")
    for feature in range(X.shape[1]):
        there = ~np.isnan(X[:, feature])
        values = X[there, feature]
        if len(values) and (categorical[feature] or steps[feature]):
            noisy[there, feature] = (_jump if categorical[feature] else _step)(values, share, rng)
        elif len(values):
            noisy[there, feature] = values + rng.normal(scale=share * np.ptp(values), size=len(values))
    return read_only(noisy)


def _step(values: np.ndarray, chance: float, rng: np.random.Generator) -> np.ndarray:
    levels, place = np.unique(values, return_inverse=True)
    steps = np.where(rng.random(len(values)) < chance, rng.choice([-1, 1], len(values)), 0)
    return levels[np.clip(place + steps, 0, len(levels) - 1)]


def _jump(values: np.ndarray, chance: float, rng: np.random.Generator) -> np.ndarray:
    levels, place = np.unique(values, return_inverse=True)
    if len(levels) < 2:
        return values
    jumps = np.where(rng.random(len(values)) < chance, rng.integers(1, len(levels), len(values)), 0)
    return levels[(place + jumps) % len(levels)]


# ---- refitting an estimator on redrawn data, with the preparation of the data done once for all replicates

# Grows the replicates of the first of these numbers, at least one, with the progress as in `fit`; returns each
# tree and whether it is complete.
Grower: TypeAlias = Callable[[list[int], Progress], list[tuple[AnyTree, bool]]]


ROWS = ("subsample", "folds", "leave_out")  # redraws of rows, none of them twice


# CART on redrawn rows grows like the trees of a random forest that tries every feature: from a table that is
# coded or sorted once, and several bootstrap samples in one call. The trees are equal to those that CART grows on
# a copy of the sampled rows, each with the weight that it has in the data. All other trees are grown one by one:
# cultivated trees from weights, since a row drawn twice counts as two; CART and optimal trees from copied rows,
# since weights would change the candidate thresholds.
class SharedGrowth(NamedTuple):
    """All that replicates have in common: prepared once, and sent once to other processes."""

    make: Callable[..., Grower]
    arguments: tuple[Any, ...]

    def grower(self) -> Grower:
        """Return a grower, for one thread."""
        return self.make(*self.arguments)


def growth_of(estimator: Any, data: Dataset, redraw: Redraw, seed: int) -> SharedGrowth:
    """Return what makes a grower for each thread.

    Raises ValueError for an estimator that does not grow a single tree, and as `fit` does.
    """
    check_takes_weights(estimator, data)
    if isinstance(estimator, Approximation):
        if redraw.kind != "seeds":
            return SharedGrowth(partial, (_grow_reapproximation, estimator, data, redraw, seed))
        model: Any = estimator if hasattr(estimator, "tree_") else fit(clone(estimator), data, slice(None))
        return SharedGrowth(partial, (_grow_resampled, inputs_of(model), seed))
    if not isinstance(estimator, (*TREE_CLASSIFIERS, *TREE_REGRESSORS, OptimalRegressor)) or isinstance(
        estimator, TreeForest
    ):
        raise ValueError(f"{type(estimator).__name__} grows no single tree, whose structure could be compared")
    learner: Any = clone(estimator)
    training = learner.prepare(data.X, data.y, weights_for(learner, data, slice(None)))
    if _is_as_in_forests(learner, training):
        if redraw.kind == "bootstrap" and parts.is_plain(data.roles):
            return SharedGrowth(_bootstrap_grower, (forest_data(learner, training, len(training.y)), seed))
        # limits that are the same for any number of rows
        asks_counts = is_whole(learner.min_samples_split) and is_whole(learner.min_samples_leaf)
        if redraw.kind in ROWS and asks_counts and suits_codes(learner, learner.growth(training), training.X):
            inputs = forest_data(learner, training, len(training.y))
            return SharedGrowth(_chosen_rows_grower, (inputs, data, redraw, seed))
    single = make_part_learner(learner, getattr(learner, "classes_", None), learner.is_categorical_)
    single.set_params(**learner.get_params(deep=False))  # as for one tree, not as for those of a forest
    return SharedGrowth(partial, (_grow_single, single, training, data, redraw, seed))


def _is_as_in_forests(learner: Any, training: TrainingData) -> bool:
    """Return whether a random forest's trees can be equal to those of the learner."""
    if not isinstance(learner, Cart) or learner.missing != "side" or not training.weight.all():
        return False
    has_limits = learner.max_leaf_nodes or learner.min_impurity_decrease or learner.min_weight_fraction_leaf
    n_features = training.X.shape[1]
    tries_all = features_tried(learner.max_features, n_features) == n_features
    return learner.splitter == "best" and not has_limits and tries_all


def _bootstrap_grower(inputs: ForestData, seed: int) -> Grower:
    """Return a grower on bootstrap samples, several of which the kernel draws in one call."""
    grow_some = grower(inputs)

    def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        return [*grow_some(np.array([seed_of(seed, number) for number in numbers]), progress)]

    return grow


def _chosen_rows_grower(inputs: ForestData, data: Dataset, redraw: Redraw, seed: int) -> Grower:
    """Return a grower on rows drawn without replacement, from a table of ordinal codes."""
    table: Any = inputs.table
    growth = inputs.growth
    work = make_workspace(table, growth.task, growth.limits)

    def grow(numbers: list[int], progress: Progress) -> list[tuple[AnyTree, bool]]:
        work.times[:] = redrawn(redraw, data, seed, numbers[0]).times
        tree, is_complete = grow_given(table, growth.task, growth.limits, work, progress.array)
        return [(growth.finished(tree), is_complete)]

    return grow


def _grow_single(
    learner: Any,
    training: TrainingData,
    data: Dataset,
    redraw: Redraw,
    seed: int,
    numbers: list[int],
    progress: Progress,
) -> list[tuple[AnyTree, bool]]:
    """Grow one tree, by the learner itself."""
    sample = redrawn(redraw, data, seed, numbers[0])
    sample = sample._replace(times=sample.times * (training.weight > 0))
    if isinstance(learner, Cultivated):
        part = {"rows": np.flatnonzero(sample.times), "weight": training.weight * sample.times}
    else:
        part = {"rows": sample.rows}
    return [
        (
            fit_part(learner, training._replace(X=sample.X), sample.seed, progress, **part).tree_,
            not progress.is_stopped,
        )
    ]


def _grow_resampled(
    inputs: ReplicationData, seed: int, numbers: list[int], progress: Progress
) -> list[tuple[AnyTree, bool]]:
    """Grow one approximation tree from other pseudo-samples alone."""
    tree = regrow(inputs, seed_of(seed, numbers[0]), progress)[0]
    return [(tree, not progress.is_stopped)]


def _grow_reapproximation(
    estimator: Any, data: Dataset, redraw: Redraw, seed: int, numbers: list[int], progress: Progress
) -> list[tuple[AnyTree, bool]]:
    """Grow one approximation tree on redrawn rows."""
    sample = redrawn(redraw, data, seed, numbers[0])
    learner: Any = clone(estimator)
    learner.random_state = sample.seed
    fit(learner, data._replace(X=sample.X), sample.rows, progress)
    return [(learner.tree_, not progress.is_stopped)]
