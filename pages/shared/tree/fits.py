"""Estimators at work: a tree is grown in one go, or in several where it is stopped and goes on.

A `Fit` is the work of a job, shared by all sessions that ask for the same tree. Those that were stopped, or
ran out of time, are kept for a while to go on; a search for the best tree also to ask it for others as good.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds, HeldOut, deal, held_out, most_folds
from espalier.data.roles import useful
from espalier.fitting import weights_for
from espalier.grown import (
    AsGood,
    FittedTree,
    add_absent_classes,
    class_prices,
    growing_parameters,
    make_estimator,
    objective_measure,
    survey_trees,
)
from espalier.leaf_models import LeafModels, ModelTree, for_classes
from espalier.learners import uncompiled
from espalier.learners.catalogue import Model
from espalier.learners.optimal import TreesAsGood, trees_as_good
from espalier.learners.optimal.monotone_search import MonotoneSearch
from espalier.learners.optimal.rashomon import (
    StoppedEarly,
)
from espalier.learners.optimal.tree_search import TreeSearch
from espalier.optimal import Measure
from espalier.predict import record_of
from espalier.progress import Progress
from espalier.tree.model_size import Prices
from pages.shared.app.store import Store, of_megabytes
from pages.shared.jobs import compilation
from pages.shared.models import learners

NEAR_SECONDS = 10.0  # to look for trees that are as good: others wait for their own meanwhile
MOST_SPLITS = 150_000  # of the graph of such trees, about 80 MB
GLANCE_SECONDS = 0.05
SEARCH_MB = 128  # of a search: the page may keep a few
MOST_KEPT = 4  # fits: a search may hold `learners.optimal.MEMORY_MB` of bounds

NOT_COUNTED = "uncounted"  # in place of trees that are too many to count, or that a person did not wait for

_log = logging.getLogger("espalier")


class Fit:
    """A tree on its way; calling it grows the tree, or lets a search that was stopped go on."""

    def __init__(self, dataset: Dataset, holdout: HeldOut, model: Model):
        """The tree of this model, to grow on the rows that are not held out."""
        self.rows = ~held_out(dataset, holdout)
        self.dataset, self.model, self.learner = dataset, model, learners.LEARNERS[model.name]
        self.X, self.y, self.strata = dataset.X[self.rows], dataset.y[self.rows], dataset.strata[self.rows]
        present = np.unique(self.y).tolist() if dataset.is_classification else []
        self.estimator = make_estimator(model, dataset, [int(k) for k in present])
        self.weight = None if dataset.row_weights is None else weights_for(self.estimator, dataset, self.rows)
        self._lock = threading.Lock()

    def __call__(self, progress: Progress | None = None) -> FittedTree:
        """The tree; `progress` as in `CartClassifier.fit`."""
        with self._lock:
            if hasattr(self.estimator, "proof_"):
                self.estimator.go_on(self.estimator.time_limit, progress=progress)
            else:
                self._fit(progress)
            proof = getattr(self.estimator, "proof_", None)
            return FittedTree(self.all_classes(self.estimator.tree_), proof, self._formulas())

    def for_a_moment(self, seconds: float) -> FittedTree | None:
        """The tree after so many seconds more of a search; None where it is at work elsewhere, or had no time."""
        if not self._lock.acquire(blocking=False):
            return None
        self._lock.release()
        with _stopped_by(Progress(), seconds) as limited:
            return self(limited)

    def folds(self, n: int) -> list[Fold]:
        """So many folds of the rows to grow on, or as many as these allow. Raises ValueError as `deal` does."""
        roles = useful(self.dataset.roles.of(self.rows))
        return deal(self.strata, Folds(max(min(n, most_folds(len(self.y), roles)), 2)), roles)

    @property
    def megabytes(self) -> float:
        """Memory that the rows take, and the bounds of a search."""
        return (self.X.nbytes + self.y.nbytes) / 1e6 + (self.search.megabytes if self.search else 0.0)

    @property
    def search(self) -> TreeSearch | MonotoneSearch | None:
        """The search that the estimator is at, for others to look at; None where it does not search."""
        return getattr(self.estimator, "search_", None)

    @property
    def is_proved(self) -> bool:
        """Whether a search has come to its end."""
        proof = getattr(self.estimator, "proof_", None)
        return proof is not None and proof.proved

    @property
    def prices(self) -> Prices:
        """Costs of errors; only of classes."""
        return class_prices(
            self.y, len(self.dataset.classes), growing_parameters(make_estimator(self.model, self.dataset))
        )

    @property
    def counted(self) -> Measure:
        """What the objective of a search stands for."""
        return objective_measure(self.dataset, self.y, self.weight, growing_parameters(self.estimator))

    def near(self, slack: float, limit: int, progress: Progress) -> AsGood | str:
        """All trees within `slack` of the proved optimum, with cards of the first `limit`; or `NOT_COUNTED`.

        `progress` is that of a job. A search that is not at its end goes on to it first.
        """
        while not (self.is_proved or progress.is_stopped):
            self(progress)
        if not self.is_proved:
            return NOT_COUNTED
        trees = self._counted(slack, progress, every=True)
        if trees is None and not self.estimator.search_.lists_every:
            trees = self._counted(slack, progress, every=False)
        if trees is None:
            return NOT_COUNTED
        classes = np.unique(self.y), len(self.dataset.classes)
        return survey_trees(trees, limit, self.X.shape[1], *classes, progress)

    def _counted(self, slack: float, progress: Progress, every: bool) -> TreesAsGood | None:
        """All trees within `slack`, over every question or over some; None where they are too many, or stopped."""
        if progress.is_stopped:
            return None
        with self._lock, _stopped_by(progress, NEAR_SECONDS) as limited:
            training = self.estimator.prepare(self.X, self.y, self.weight)
            try:
                return trees_as_good(self.estimator, training, slack, limited, MOST_SPLITS, every)
            except StoppedEarly:
                return None

    def all_classes(self, tree: Any) -> Any:
        """The tree with a share for every class of the data, also for one that no row it was grown on has."""
        return add_absent_classes(tree, np.unique(self.y), len(self.dataset.classes))

    def _formulas(self) -> LeafModels | None:
        """The formulas of a model tree, with a score for every class of the data; None for any other tree."""
        record, n_classes = record_of(self.estimator), len(self.dataset.classes)
        models = record.models if isinstance(record, ModelTree) else None
        if models is None or not n_classes or self.estimator.tree_.value.shape[1] == n_classes:
            return models
        return for_classes(models, np.unique(self.y), n_classes)

    def _fit(self, progress: Progress | None) -> None:
        is_early = self.learner.uncompiled and not compilation.is_ready(self.learner.kind.stage)
        grown = self._uncompiled() if is_early else None
        if grown is not None:
            self.estimator = grown
            return
        compilation.wait(self.learner.kind.stage)
        self.estimator.fit(self.X, self.y, self.weight, progress=progress)

    def _uncompiled(self) -> Any | None:
        """The estimator, fitted without the compiler; None where that fails."""
        try:
            return uncompiled.fit(self.estimator, self.X, self.y, self.weight, compilation.is_ready("small"))
        except RuntimeError:
            _log.exception("growing without the compiler failed")
            return None


@contextmanager
def _stopped_by(progress: Progress, seconds: float) -> Iterator[Progress]:
    """A progress that is stopped once a job is, or the time is over."""
    limited, done, until = Progress(), threading.Event(), time.monotonic() + seconds

    def relay() -> None:
        while not done.wait(GLANCE_SECONDS):
            if progress.is_stopped or time.monotonic() > until:
                limited.stop()

    threading.Thread(target=relay, daemon=True).start()
    try:
        yield limited
    finally:
        done.set()


@st.cache_resource(show_spinner=False)
def store() -> Store[Fit]:
    """The server's fits."""
    return Store(MOST_KEPT, lambda fit: of_megabytes(fit.megabytes))


def find(key: str, dataset: Dataset, holdout: HeldOut, model: Model) -> Fit:
    """The fit of this key, or a new one that has not begun."""
    return store().find_or_put(key, lambda: Fit(dataset, holdout, model))
