"""The model that has not seen a row, and models on redrawn data: grown beside the page, for all rows of a fold."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import in_style, say
from espalier.progress import Progress
from espalier.reliability.changeable import TIME, Allowed, ChangeAim, ChangeLimits
from espalier.reliability.explanation import Story, answers_of_refit, story
from espalier.reliability.reliability import FoldModel, fit_outside
from espalier.tasks import Call
from pages.shared.app.frame import callback, rerun
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome, Work
from pages.shared.reliability import changing
from pages.shared.reliability.models import UncertainModel

AGAIN = 30  # models on redrawn data


class StoryModels(NamedTuple):
    """The models of a story, or the first of them."""

    fitted: Any  # the model of the fold
    again: list[np.ndarray]  # answers of models on redrawn data to the fold's rows


class Refits(NamedTuple):
    """A `TaskList`: the model of a fold, and then models on redrawn data, asked about the rows of the fold."""

    trial: UncertainModel
    fold: FoldModel

    @property
    def key(self) -> str:
        """Key of the job."""
        return f"{self.trial.key} story {self.fold.number}"

    @property
    def data(self) -> Dataset:
        """The data."""
        return self.trial.dataset

    @property
    def rows(self) -> np.ndarray:
        """(n_rows,) of the fold."""
        return self.fold.rows

    @property
    def n_tasks(self) -> int:
        """Number of models to fit; a person's own stays as it is."""
        return 1 + self.n_again

    @property
    def n_again(self) -> int:
        """Number of models on redrawn data."""
        return 0 if self.trial.is_own else AGAIN

    def tasks(self) -> list[Call]:
        """A task for each model: the first gives the model, the others give answers to the rows."""
        data, seed = (self.trial.estimator(), self.data, self.rows), self.trial.plan.seed
        outside = (self.trial.estimator(), *data[1:])
        again = (Call(answers_of_refit, (*data, n, seed)) for n in range(self.n_again))
        return [Call(fit_outside, outside), *again]

    def gathered(self, results: list[Any]) -> StoryModels | None:
        """The models so far; None before the first."""
        return StoryModels(results[0], results[1:]) if results else None

    @property
    def so_far(self) -> StoryModels | None:
        """The models so far; None before the first."""
        outcome = watch.found(self.key)
        if outcome is not None and outcome.value is not None:
            return outcome.value
        return self.gathered(list(RUNNER.results(self.key).values()))

    @property
    def fitted(self) -> Any:
        """The model of the fold; None before it has been grown."""
        return None if self.so_far is None else self.so_far.fitted

    @property
    def again(self) -> list[np.ndarray]:
        """Answers of models on redrawn data to the fold's rows, so far."""
        return [] if self.so_far is None else self.so_far.again

    @property
    def is_done(self) -> bool:
        """Whether all models are there."""
        return len(self.again) == self.n_again


def refits_of(trial: UncertainModel, fold: FoldModel) -> tuple[Refits, Outcome]:
    """The models for the rows of a fold, and the outcome of their job, which is begun unless it was stopped."""
    job = Refits(trial, fold)
    return job, watch.outcome(RUNNER.work_of(job), beside=True)


def draw_progress(refits: Refits, outcome: Outcome) -> None:
    """Draw the progress, with Cancel; or the button to go on."""
    note.ended(
        refits.key,
        outcome,
        say("Stopped after {n} of {most} models on redrawn data.", n=len(refits.again), most=AGAIN),
        say("The model could not be grown again."),
    )
    if outcome.is_awaited:
        line = Line(refits.key, say("The story"), partial(_how_far, refits), refits.trial.model.kind.stage)
        note.progress([line], partial(_show_first, refits, refits.fitted is None))


def _show_first(refits: Refits, is_awaited: bool) -> None:
    """Run the page again as soon as the model that it waits for has been grown."""
    if is_awaited and refits.fitted is not None:
        rerun()


def _how_far(refits: Refits, job: Job) -> Far:
    if refits.fitted is None:
        return Far(
            job.share,
            say(
                "Growing the model that has not seen this row, {seconds} s so far",
                seconds=in_style(f"{job.seconds:.0f}"),
            ),
        )
    return Far(
        job.share,
        say("Drawing the data again: model {n} of {most}", n=len(refits.again) + 1, most=AGAIN),
        job.seconds_left,
    )


# ---- A longer search for the smallest change, beside the page: begun on request, with progress and Cancel

SECONDS, STEPS = 60, 10**9  # of a longer search
ASKED = "searches-longer"  # key of the session state: the search that a person asked for


class LongSearch(NamedTuple):
    """The search for a change of one row that a person asked for."""

    refits: Refits
    row: int
    key: str

    def work(self) -> Work:
        """The work of its job."""
        return Work(self.key, SECONDS, partial(_told, self, changing.allowed(), changing.toward()))

    def better(self, quick: Story) -> Story:
        """The story with its result, if there is one; else the quick one."""
        outcome = watch.found(self.key)
        return quick if outcome is None or outcome.value is None else outcome.value


def of_row(refits: Refits, row: int) -> LongSearch:
    """The longer search for a row, whose key names what it depends on."""
    return LongSearch(refits, row, f"{refits.key} {row} {changing.key()} longer")


def _told(search: LongSearch, allowed: Allowed, toward: int | None, progress: Progress) -> Story:
    data = search.refits.data
    aim = ChangeAim(toward, ChangeLimits(STEPS, SECONDS, progress))
    return story(search.refits.fitted, data, data.X[search.row], allowed, aim)


def draw(search: LongSearch, shown: Story) -> None:
    """Draw the button for it where the proof wanted time, and then how far it is."""
    outcome = watch.found(search.key)
    if outcome is None and st.session_state.get(ASKED) == search.key:
        outcome = watch.outcome(search.work(), beside=True)
    if outcome is None:
        if shown.why_open == TIME:
            label = say("Search for up to {seconds} seconds", seconds=SECONDS)
            st.button(label, icon=":material/manage_search:", on_click=callback(_ask), args=(search.key,))
        return
    if outcome.is_awaited:
        note.progress([Line(search.key, say("The search for the smallest change"), _searching_how_far)])
    note.ended(search.key, outcome, say("The search was stopped: what it had found is shown."))


def _ask(key: str) -> None:
    st.session_state[ASKED] = key


def _searching_how_far(job: Job) -> Far:
    return Far(
        min(job.seconds / SECONDS, 1.0),
        say(
            "Ruling out smaller changes, {seconds} s of at most {most} so far",
            seconds=in_style(f"{job.seconds:.0f}"),
            most=SECONDS,
        ),
    )
