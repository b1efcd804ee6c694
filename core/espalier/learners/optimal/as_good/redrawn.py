"""How much trees as good rely on each feature when the samples are drawn anew, too.

The trees as good as the best one belong to one table. Its samples, drawn with replacement, have other such trees:
what holds of all of them in nearly all draws is no accident of the table.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from espalier.learners.base import TrainingData
from espalier.learners.optimal.as_good.graph import TreesAsGood, most_trees_as_good
from espalier.learners.optimal.as_good.reliance import reliance
from espalier.learners.optimal.as_good.surveys import StoppedEarly
from espalier.learners.optimal.as_good.without import trees_without
from espalier.learners.optimal.classifier import OptimalClassifier
from espalier.progress import Progress

MOST_SPLITS = 10_000  # of the graph of a draw's trees
MOST_TREES = 100  # of a draw that are asked how much they rely on a feature


class SampleDraws(NamedTuple):
    """How the samples are drawn anew."""

    n: int = 20
    seed: int = 0
    together: np.ndarray | None = None  # (n_samples,) codes from 0 of what is drawn together; None: each alone
    seconds: float | None = None  # for the trees of one draw, which else is not counted; None: as long as it takes


class RedrawnReliance(NamedTuple):
    """What trees as good rely on, over all draws whose trees could be counted."""

    least: np.ndarray  # (n_features,) misclassification cost more if swapped, as in `Reliance`: least of all draws
    most: np.ndarray  # (n_features,) the most
    n_needed: np.ndarray  # (n_features,) int64: draws in which no tree as good does without the feature
    n_counted: int  # draws
    n_drawn: int

    @classmethod
    def of(cls, counted: Sequence[DrawReliance], n_drawn: int, n_features: int) -> RedrawnReliance:
        """Join the draws that were counted."""
        least = np.array([one.least for one in counted]).reshape(-1, n_features)
        most = np.array([one.most for one in counted]).reshape(-1, n_features)
        needed = sum((one.needed.astype(np.int64) for one in counted), np.zeros(n_features, np.int64))
        ends = least.min(axis=0, initial=np.inf), most.max(axis=0, initial=-np.inf)
        return cls(*ends, needed, len(counted), n_drawn)


class DrawReliance(NamedTuple):
    """What the trees as good of one draw rely on."""

    least: np.ndarray
    most: np.ndarray
    needed: np.ndarray  # (n_features,) bool


def redrawn_reliance(
    model: OptimalClassifier, training: TrainingData, slack: float = 0, draws: SampleDraws | None = None,
    progress: Progress | None = None,
) -> RedrawnReliance:  # fmt: skip
    """Return what the trees within `slack` of the optimum rely on when `training` is drawn with replacement.

    Each draw has an optimum of its own. Draws whose search does not come to its end, or whose trees are too many,
    are left out. `progress` counts draws; once it is stopped, the draws so far are returned.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=5)
    >>> found = redrawn_reliance(model, model.prepare(iris.X, iris.y), slack=0, draws=SampleDraws(n=5))
    >>> found.n_needed.tolist(), found.n_counted
    ([0, 0, 1, 2], 5)
    """
    draws, watched = SampleDraws() if draws is None else draws, Progress() if progress is None else progress
    source, n_features, counted, n_drawn = np.random.default_rng(draws.seed), training.X.shape[1], [], 0
    for _ in range(draws.n):
        if watched.is_stopped:
            break
        trees = _trees(model, _drawn(training, draws, source), slack, draws.seconds)
        if trees is not None:
            asked = reliance(trees, n_features, MOST_TREES)
            counted.append(DrawReliance(asked.least, asked.most, np.array(trees_without(trees, n_features)) == 0))
        n_drawn += 1
        watched.advance()
    return RedrawnReliance.of(counted, n_drawn, n_features)


def _drawn(training: TrainingData, draws: SampleDraws, source: np.random.Generator) -> TrainingData:
    """Return samples drawn with replacement, as many as there are, or as many groups of them."""
    units = np.arange(len(training.y)) if draws.together is None else draws.together
    n_units = int(units.max()) + 1
    times = np.bincount(source.integers(0, n_units, n_units), minlength=n_units)
    rows = np.repeat(np.arange(len(units)), times[units])
    return TrainingData(training.X[rows], training.y[rows], training.weight[rows])


def _trees(
    model: OptimalClassifier, training: TrainingData, slack: float, seconds: float | None
) -> TreesAsGood | None:
    """Return the trees as good of a draw; None where they are not counted."""
    fresh: Any = clone(model)
    progress = Progress()
    timer = None if seconds is None else threading.Timer(seconds, progress.stop)
    if timer is not None:
        timer.start()
    try:
        fresh.fit(training.X, training.y, training.weight, progress=progress)
        if not fresh.proof_.proved:
            return None
        return most_trees_as_good(fresh, fresh.prepare(*training), slack, progress, MOST_SPLITS)
    except StoppedEarly:
        return None
    finally:
        if timer is not None:
            timer.cancel()
