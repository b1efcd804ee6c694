"""The comparison of the ways of missing values on the table: what is grown, as a job of independent tasks."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import streamlit as st

from espalier.analysis.tree.missing import RemovalErrors, Removals, gathered_removals, removal_tasks
from espalier.data.dataset import Dataset, HeldOut
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import MISSING
from espalier.learners.missing import ways_with
from espalier.tasks import Call
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import cart
from pages.shared.tree import fits
from pages.shared.tree.results import GrownTree

REPEATS = "missing-repeats"  # key of the session state
CHOICES = ("5", "10", "30", "100")
PERCENT = 30  # of the rows, where the page holds none out
OF_WAYS = ("impute-with", "surrogates")  # settings of ways, which count whichever way the tree has
LARGE = 100_000_000  # values to learn from, over all trees: more is begun only when asked for


def url_entries() -> list[Entry]:
    """The number of repeats, as a part of the address."""
    return [Entry(REPEATS, CHOICES[1], one_of(CHOICES), name="removals", undo=False)]


class RemovalJob(NamedTuple):
    """Trees of one model in each way of missing values: a `TaskList`, of which each tree is a task."""

    dataset: Dataset
    model: Model
    removals: Removals

    @property
    def key(self) -> str:
        """Digest of all that the outcome depends on."""
        causes = repr((self.dataset.digest, self.model, self.removals))
        return "gaps " + hashlib.blake2b(causes.encode(), digest_size=8).hexdigest()

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways that are compared."""
        estimator = fits.estimator_of(self.model, self.dataset)
        return ways_with(estimator.criterion, estimator.monotonic_cst is not None)

    @property
    def n_tasks(self) -> int:
        """Number of trees."""
        return len(self.ways) * len(self.removals.shares) * self.removals.n_repeats

    @property
    def is_large(self) -> bool:
        """Whether it is begun only when it is asked for."""
        return not watch.may_begin([self.key], self.dataset.X.size * self.n_tasks, LARGE)

    def tasks(self) -> list[Call]:
        """A task for each tree: its error on held-out rows."""
        compilation.wait(cart.KIND.stage)
        return removal_tasks(fits.estimator_of(self.model, self.dataset), self.dataset, self.removals)

    def gathered(self, results: list[Any]) -> RemovalErrors | None:
        """The errors of the repeats that are whole."""
        return gathered_removals(results, self.ways, self.removals)


def job(whole: GrownTree) -> RemovalJob:
    """The comparison that the controls stand for; the way of the tree itself is left out of its key."""
    holdout, model = whole.source
    held = holdout if holdout.percent or holdout.where else HeldOut(PERCENT, holdout.seed)
    removals = Removals(int(st.session_state[REPEATS]), held)
    own = {"missing": MISSING.default, **{key: model.value(key) for key in OF_WAYS}}
    same = model.with_settings(**own)
    return RemovalJob(whole.dataset, same._replace(settings=tuple(sorted(same.settings))), removals)


def outcome(trial: RemovalJob) -> Outcome:
    """The errors, if they are there; else the job is begun, unless it is large."""
    if trial.is_large:
        return watch.found(trial.key) or Outcome()
    return watch.outcome(RUNNER.work_of(trial), beside=True)
