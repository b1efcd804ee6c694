"""The look at the table in use for what misleads, as a job beside the page that nobody waits for."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset, HeldOut, held_out
from espalier.findings.check import TOTAL, check_table
from espalier.findings.finding import Finding
from espalier.tasks import Call
from pages.shared.app.frame import guarded, rerun
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Outcome

LARGE = 1_000_000  # cells: of more the look takes a second or longer
STAGE = "cart"  # of the kernels: a tree tells held-out rows from the rest


class CheckJob(NamedTuple):
    """A table and its held-out rows: a `TaskList` of one task."""

    dataset: Dataset
    holdout: HeldOut

    @property
    def key(self) -> str:
        """Names the job."""
        causes = repr((self.dataset.digest, self.holdout))
        return "check " + hashlib.blake2b(causes.encode(), digest_size=8).hexdigest()

    @property
    def n_tasks(self) -> int:
        """One."""
        return 1

    @property
    def held(self) -> np.ndarray:
        """The rows held out, (n_samples,) bool."""
        return held_out(self.dataset, self.holdout)

    def tasks(self) -> list[Call]:
        """All checks."""
        compilation.wait(STAGE)
        return [Call(check_table, (self.dataset, self.held), TOTAL)]

    def gathered(self, results: list[Any]) -> list[Finding] | None:
        """What was found; None where it was stopped before the end."""
        return results[0] if results else None


def begun(job: CheckJob) -> Outcome:
    """What was found; the job begins here, and is not waited for."""
    return watch.begun(RUNNER.work_of(job))


def known(job: CheckJob) -> Outcome:
    """What was found by now; the job begins here only where other work of the session will hardly wait for it."""
    if job.dataset.X.size <= LARGE:
        return begun(job)
    return watch.found(job.key) or Outcome(is_stopped=True)


@st.fragment(run_every=0.5)
@guarded
def await_end(job: CheckJob) -> None:
    """Run the page again when the job has ended; draws nothing."""
    if watch.find(job.key) is None:
        rerun()
