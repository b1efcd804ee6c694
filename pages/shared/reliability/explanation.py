"""One row's story: reasons of the answer, the runner-up, changes that alter it, and models on redrawn data."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.text.values import in_words
from espalier.display.theme import number
from espalier.explanation import parts as parts_picture
from espalier.language import say, to_say
from espalier.predict import record_of
from espalier.progress import Progress
from espalier.reliability import curves, explanation_words
from espalier.reliability.changeable import TIME, Allowed, ChangeAim
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import answers_of_refit
from espalier.reliability.reliability import FoldModel, fit_outside
from espalier.reliability.words import measure_words
from espalier.tasks import Call
from espalier.trees import CultivatedTree, Forest
from pages.shared.app import pictures
from pages.shared.app.frame import assign, callback, plain, rerun
from pages.shared.canvas.components import data_table
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Work
from pages.shared.reliability import changing
from pages.shared.reliability.changing import RowStory
from pages.shared.reliability.models import AnsweredModel, UncertainModel
from pages.shared.tree import selection

AGAIN = 30  # models on redrawn data
LEAST_AGAIN = 5  # of them before their answers are shown
SECONDS, STEPS = 60, 10**9  # of a longer search
ASKED = "searches-longer"  # key of the session state: the search that a person asked for
UNITS = {  # of what columns add, by the link of the model
    "logistic": to_say("in log odds"), "softmax": to_say("in log odds"), "log": to_say("to the logarithm"),
}  # fmt: skip


class Refits(NamedTuple):
    """A `TaskList`: the model of a fold, and then models on redrawn data, asked about the rows of the fold."""

    trial: UncertainModel
    fold: FoldModel

    @property
    def key(self) -> str:
        """Key of the job."""
        return f"{self.trial.key} story {self.fold.number}"

    @property
    def n_tasks(self) -> int:
        """Number of models to fit; a person's own stays as it is."""
        return 1 if self.trial.is_own else 1 + AGAIN

    def tasks(self) -> list[Call]:
        """A task for each model: the first gives the model, the others give answers to the rows."""
        data, rows = self.trial.dataset, self.fold.rows
        again = (self.trial.estimator(), data, rows)
        calls = (Call(answers_of_refit, (*again, n, self.trial.plan.seed)) for n in range(self.n_tasks - 1))
        return [Call(fit_outside, (self.trial.estimator(), data, rows)), *calls]

    def gathered(self, results: list[Any]) -> list[Any]:
        """The models so far: that of the fold, and the answers of the others to its rows."""
        return results

    @property
    def so_far(self) -> list[Any]:
        """The models so far."""
        outcome = watch.found(self.key)
        if outcome is not None and outcome.value is not None:
            return outcome.value
        return list(RUNNER.results(self.key).values())

    def row_story(self, row: int) -> RowStory:
        """The story of a row of the fold, once there is its model; better after a longer search."""
        outcome = watch.found(self.longer(row))
        if outcome is not None and outcome.value is not None:
            return outcome.value
        return changing.row_story(self.key, self.so_far[0], self.trial.dataset, row)

    def longer(self, row: int) -> str:
        """Key of the longer search for a row, which names what it depends on."""
        return f"{self.key} {row} {changing.key()} longer"

    def answers_again(self, row: int) -> np.ndarray | None:
        """Answers to the row of models on redrawn data; None before there are enough, and of a person's own."""
        again = self.so_far[1:]
        if not again or len(again) < min(LEAST_AGAIN, self.n_tasks - 1):
            return None
        return np.stack(again)[:, int(np.searchsorted(self.fold.rows, row))]


def draw(dataset: Dataset, one: AnsweredModel) -> None:
    """Draw the choice of a row, and its story."""
    most_doubted = int(one.answers.row[np.argmax(one.answers.doubt)])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        selection.row_number_input(len(dataset.y), 150, dataset.roles)
        st.button(say("Most doubted"), on_click=callback(selection.choose_row), args=(most_doubted,))
    row = selection.chosen_row()
    if row is None:
        st.info(say("Tick a row under *Who decides*, or give its number."))
        return
    refits = _refits_of(one, row)
    if refits is None:
        st.info(
            say("Your model was trained on this row. Choose one that is new to it.")
            if one.trial.is_own
            else say("The model was stopped before it was asked about this row.")
        )
        return
    if not refits.so_far:
        _draw_progress(refits)
        return
    look, plane = refits.row_story(row)
    st.markdown(headline(one, row, look))
    left, right = st.columns(2, gap="large")
    with left:
        _why(row, look)
    with right:
        st.markdown(say("**What would change the answer**"))
        changing.draw(row, look, plane, record_of(refits.so_far[0]), partial(_draw_longer, refits, row, look))
        _draw_table(look)
        _again(look, refits, row)
        _draw_progress(refits)


def _refits_of(one: AnsweredModel, row: int) -> Refits | None:
    """The models for the first fold that the row is in, which begin to grow."""
    fold = next((fold for fold in one.fold_models.tried if row in fold.rows), None)
    if fold is None:
        return None
    refits = Refits(one.trial, fold)
    watch.outcome(RUNNER.work_of(refits), beside=True)
    return refits


def row_story(one: AnsweredModel) -> RowStory | None:
    """The story of the chosen row, for a sheet of paper; None without a row, and while its model is fitted."""
    row = selection.chosen_row()
    refits = None if row is None else _refits_of(one, row)
    return None if row is None or refits is None or not refits.so_far else refits.row_story(row)


def headline(one: AnsweredModel, row: int, look: ExplanationInputs) -> str:
    """The answer to the row, the truth, and how much the model doubts it; Markdown."""
    data, story = look.dataset, look.story
    n = explanation_words.rows_behind(story.model, story.x)
    return say(
        "{row}: **{model}** says **{answer}**; in truth it is **{truth}**. Doubt {value}: {measure}. The model "
        "has not seen this row.",
        row=plain(data.roles.name_of(row, begins=True)),
        model=one.title,
        answer=plain(explanation_words.says(data, story.answers, story.answer, n)),
        truth=plain(in_words(data.target, float(data.y[row]))),
        value=number(float(story.doubts.doubt[0])),
        measure=measure_words(one.fold_models.measure, data.is_classification),
    )


def _why(row: int, look: ExplanationInputs) -> None:
    """Draw the reasons of the answer, and the answer that came second."""
    data, story = look.dataset, look.story
    st.markdown(say("**Why**"))
    st.markdown(plain(" ".join(explanation_words.why(story, data))))
    parts = explanation_words.parts_of(story, data)
    if parts is not None and parts.added.any():
        picture = parts_picture.reasons_picture(parts, data, story.x)
        pictures.draw(picture, parts_picture.WIDTH, f"reasons-of-row-{row + 1}.svg")
        unit = f" {say(UNITS[parts.link])}" if parts.link in UNITS else ""
        st.caption(say("What each column adds to the answer{unit}. *Term:* Shapley values (SHAP).", unit=unit))
    if isinstance(story.model, CultivatedTree):
        pictures.draw(curves.leaves_picture(look), curves.WIDTH)
        st.caption(say("A part for each leaf that it is in, as wide as its fraction."))
    if story.steps and not isinstance(story.model, Forest):
        pictures.draw(curves.way_picture(look), curves.WIDTH, f"way-of-row-{row + 1}.svg")
        st.caption(say("The dot is this row, on the range of the column; grey is where it is cut."))
    if second := explanation_words.nearly(story, data):
        st.markdown(say("**What came second**"))
        st.markdown(plain(" ".join(second)))


def _draw_table(look: ExplanationInputs) -> None:
    """Draw the changes of single columns."""
    table = explanation_words.changes_table(look.story, look.dataset)
    if len(table):
        with st.expander(say("Column by column")):
            data_table(table, hide_index=True, alt=say("For each column the smallest change that does it alone"))


def _again(look: ExplanationInputs, refits: Refits, row: int) -> None:
    """Draw the answers of models on redrawn data."""
    if (answers := refits.answers_again(row)) is not None:
        text = explanation_words.refit_words(look.dataset, look.story.answer, answers)
        st.markdown(say("**Would it say the same, had the data been drawn again?**"))
        st.markdown(plain(text))
        pictures.draw(curves.refit_picture(look, answers, text), curves.WIDTH)


def _draw_progress(refits: Refits) -> None:
    """Draw the progress of the models, with Cancel; or the button to go on."""
    n = max(len(refits.so_far) - 1, 0)
    stopped = say("Stopped after {n} of {most} models on redrawn data.", n=n, most=AGAIN)
    line = Line(refits.key, say("The story"), partial(_how_far, refits), refits.trial.model.kind.stage)
    failed, below = say("The model could not be grown again."), partial(_show_first, refits, not refits.so_far)
    note.result(RUNNER.work_of(refits), line, stopped, failed, below)


def _show_first(refits: Refits, is_awaited: bool) -> None:
    """Run the page again as soon as the model that it waits for has been grown."""
    if is_awaited and refits.so_far:
        rerun()


def _how_far(refits: Refits, job: Job) -> Far:
    if not refits.so_far:
        return Far(job.share, say("Growing the model that has not seen this row"))
    text = say("Drawing the data again: model {n} of {most}", n=len(refits.so_far), most=AGAIN)
    return Far(job.share, text, job.seconds_left)


# ---- a longer search for the smallest change, beside the page: begun on request, with progress and Cancel


def _draw_longer(refits: Refits, row: int, look: ExplanationInputs) -> None:
    """Draw the button for it where the proof wanted time, and then how far it is."""
    key = refits.longer(row)
    if st.session_state.get(ASKED) == key:
        work = Work(key, SECONDS, partial(_search_longer, refits, row, changing.allowed(), changing.toward()))
        line = Line(key, say("The search for the smallest change"), _searching)
        note.result(work, line, say("The search was stopped: what it had found is shown."))
    elif look.story.why_open == TIME:
        label = say("Search for up to {seconds} seconds", seconds=SECONDS)
        st.button(
            label,
            icon=":material/manage_search:",
            on_click=callback(assign),
            args=(
                ASKED,
                key,
            ),
        )


def _search_longer(refits: Refits, row: int, allowed: Allowed, toward: int | None, progress: Progress) -> RowStory:
    aim = ChangeAim(toward, STEPS, SECONDS, progress)
    return changing.tell(refits.so_far[0], refits.trial.dataset, row, (allowed, aim))


def _searching(job: Job) -> Far:
    return Far(min(job.seconds / SECONDS, 1.0), say("Ruling out smaller changes"), max(SECONDS - job.seconds, 0.0))
