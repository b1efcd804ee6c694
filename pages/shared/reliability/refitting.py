"""The model that has not seen a row, and models on redrawn data: grown beside the page, for all rows of a fold."""

from __future__ import annotations

import time
from concurrent.futures import wait
from typing import Any

import numpy as np
import streamlit as st

from espalier.analysis.reliability.explanation import answers_of_refits
from espalier.analysis.reliability.reliability import FoldModel, fit_outside
from espalier.data.dataset import Dataset
from espalier.progress import Progress
from espalier.views.theme import number
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.app.table_results import of_table
from pages.shared.jobs import queue
from pages.shared.reliability.models import UncertainModel
from pages.shared.tree import growing

PATIENCE_SECONDS = 0.6  # what is there sooner needs no progress bar
AGAIN = 30  # models on redrawn data


class Refits:
    """Calling it is the work of a job; it may be called again, and then goes on where it was stopped."""

    def __init__(self, trial: UncertainModel, fold: FoldModel):
        self.trial = trial
        self.number, self.rows = fold.number, fold.rows
        self.fitted: Any = None  # the model of the fold
        self.again: list[np.ndarray] = []  # what models on redrawn data say of the fold's rows
        self.fault = ""

    @property
    def key(self) -> str:
        """Names its job."""
        return f"story {self.trial.key} {self.number}"

    @property
    def data(self) -> Dataset:
        """The data."""
        return self.trial.dataset

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to do."""
        return bool(self.fault) or (self.fitted is not None and len(self.again) >= AGAIN)

    def __call__(self, progress: Progress) -> None:
        """Fit what is not there yet; stops between two models once it is stopped."""
        try:
            self._work(progress)
        except ValueError as wrong:
            self.fault = str(wrong)

    def _work(self, progress: Progress) -> None:
        estimator = self.trial.estimator()
        if self.fitted is None:
            self.fitted = fit_outside(self.trial.estimator(), self.data, self.rows)
        todo = range(len(self.again), AGAIN)
        progress.done = 1 + todo.start
        for said in answers_of_refits(estimator, self.data, self.rows, todo, self.trial.plan.seed):
            self.again.append(said)
            progress.advance()
            if progress.is_stopped:
                return


@of_table(max_entries=12)
def _kept(key: str, _trial: UncertainModel, _fold: FoldModel) -> Refits:
    return Refits(_trial, _fold)


def retelling(trial: UncertainModel, fold: FoldModel) -> Refits:
    """What is there by now for the rows of a fold; what is not is begun, unless it was stopped."""
    found = _kept(f"{trial.key} {fold.number}", trial, fold)
    if not found.is_done and st.session_state.get("stopped story") != found.key:
        job = queue.start(found.key, AGAIN + 1, found)
        queue.find(found.key)
        st.session_state.setdefault(growing.WATCHED, set()).add(found.key)
        wait([job.future], PATIENCE_SECONDS)
    if found.is_done:
        queue.drop(found.key)
    return found


def draw_progress(found: Refits) -> None:
    """How far it is, with Cancel; or the button to go on."""
    if found.is_done:
        return
    if st.session_state.get("stopped story") == found.key:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Stopped after {len(found.again)} of {AGAIN} models on redrawn data.")
            st.button("Go on", on_click=callback(_go_on), args=(found.key,), icon=":material/play_arrow:")
        return
    _progress(found)


@st.fragment(run_every=0.5)
@guarded
def _progress(found: Refits) -> None:
    job = queue.find(found.key)
    had, has = st.session_state.get("story seen"), found.fitted is not None
    st.session_state["story seen"] = (found.key, has)
    if job is None or job.future.done() or (had == (found.key, False) and has):
        rerun()
        return
    with st.container(key="retelling"):
        st.progress(job.share, text=_how_far(job, found))
        st.button(
            "Cancel",
            key="cancel story",
            on_click=callback(_stop),
            args=(found.key,),
            icon=":material/stop_circle:",
        )


def _how_far(job: queue.Job, found: Refits) -> str:
    if np.isnan(job.times[0]):
        n = queue.ahead(found.key)
        return f"The story waits for {n} other job{'s' * (n != 1)} of this server"
    spent = time.monotonic() - job.times[0]
    if found.fitted is None:
        return f"Growing the model that has not seen this row, {spent:.0f} s so far"
    left = job.seconds_left
    more = f", about {number(max(round(left), 1))} s left" if left is not None else ""
    return f"Drawing the data again: model {len(found.again) + 1} of {AGAIN}{more}"


def _stop(key: str) -> None:
    st.session_state["stopped story"] = key
    queue.cancel(key)
    queue.drop(key)


def _go_on(_key: str) -> None:
    st.session_state.pop("stopped story", None)
