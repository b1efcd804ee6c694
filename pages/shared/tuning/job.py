"""A search for settings as a job: it goes on where it stopped, and what it has by now can be seen meanwhile."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset, HeldOut, held_out
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.spaces import SPACES
from espalier.progress import Progress
from espalier.tuning.search import Ledger, Tuning, TuningPlan, TuningRun, so_far, tune
from pages.shared.app.store import Store
from pages.shared.jobs import compilation
from pages.shared.jobs.run import Work
from pages.shared.jobs.workers import workers

MOST_KEPT = 32  # ledgers


class TuningJob(NamedTuple):
    """A search for the settings of a model, on the rows that are not held out."""

    dataset: Dataset
    holdout: HeldOut
    model: Model  # with the settings that the search began with
    score: str
    seconds: float

    @property
    def key(self) -> str:
        """Digest of all that trials depend on; the time only says how many there are."""
        causes = (self.dataset.digest, self.holdout, self.model, self.score)
        return "tuning " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def run(self) -> TuningRun:
        """The search itself, for the library."""
        rows = np.flatnonzero(~held_out(self.dataset, self.holdout))
        return TuningRun(self.model, self.dataset, TuningPlan(self.seconds, self.score), rows)

    @property
    def ledger(self) -> Ledger:
        """All its trials so far."""
        return ledgers().find_or_put(self.key, Ledger)

    @property
    def work(self) -> Work:
        """The search as the work of a job."""
        return Work(self.key, 1, self.search)

    def search(self, progress: Progress) -> Tuning | None:
        """Search for so many seconds, on from where it was; None if it was stopped before its first trial."""
        compilation.wait(self.model.stage)
        with workers(self.dataset.X.nbytes) as executor:
            return tune(self.run, executor, progress, self.ledger)

    def so_far(self) -> Tuning | None:
        """What it has found by now."""
        return so_far(self.run, self.ledger)

    def is_of(self, dataset: Dataset, holdout: HeldOut, model: Model) -> bool:
        """Whether it searches for what would be searched for now: settings that it may change aside."""
        return (dataset.digest, holdout, others(model)) == (self.dataset.digest, self.holdout, others(self.model))


def others(model: Model) -> Model:
    """The model without the settings that a search tries."""
    return Model(model.name, tuple(pair for pair in model.settings if pair[0] not in SPACES[model.name]))


@st.cache_resource(show_spinner=False)
def ledgers() -> Store[Ledger]:
    """The server's searches."""
    return Store(MOST_KEPT)
