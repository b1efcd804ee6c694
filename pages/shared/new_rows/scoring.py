"""New rows at work: a job asks the model about each, and which columns matter most to its answer."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import streamlit as st

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.language import say
from espalier.new_rows.answers import (
    AnswersWithTruth,
    RowAnswers,
    TableModel,
    answers_to,
    asked_features,
    judge_answers,
)
from espalier.new_rows.scoring import (
    LeadingParts,
    explainable_record,
    leading_parts,
    work_of,
)
from espalier.progress import Progress
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work

AUTO, YES, NO = "auto", "yes", "no"
MOST_UNASKED = 2_000_000_000  # rows times nodes: about half a minute on two slow cores
STAGE = "explanation"  # of the kernels that find the columns


class AnsweredNewRows(NamedTuple):
    """A model's answers to new rows and to the rows that judge it, with the columns that matter most."""

    dataset: Dataset
    known: AnswersWithTruth | None
    said: RowAnswers
    leading: LeadingParts | None


class RowsAtWork(NamedTuple):
    """Rows that are to be scored: the work of a job."""

    key: str  # names model, rows and their columns
    title: str  # of the model
    model: TableModel
    rows: NewRows
    has_leading: bool

    @property
    def work(self) -> Work:
        """Work whose progress counts rows: those that judge, and each new one once, and once more with its columns
        that matter most, and with columns that the file does not have."""
        is_open = bool((self.rows.absent & asked_features(self.model)).any())
        n = int(self.model.judges.sum()) + len(self.rows.X) * (1 + self.has_leading + is_open)
        return Work(f"{self.key} {self.has_leading}", n, self.answered)

    def answered(self, progress: Progress) -> AnsweredNewRows | None:
        """Ask the model; None where it is stopped before all answers are there."""
        known = judge_answers(self.model, progress)
        said = None if progress.is_stopped else answers_to(self.model, self.rows.X, progress, self.rows.absent)
        if said is None:
            return None
        leading = None
        if self.has_leading:
            compilation.wait(STAGE)
            leading = leading_parts(self.model, self.rows.X, said, progress)
        return AnsweredNewRows(self.model.dataset, known, said, leading)


def url_entries() -> list[Entry]:
    """Whether the columns that matter most are found, as part of the address."""
    return [Entry("reasons", AUTO, one_of((AUTO, YES, NO)))]


def draw_control() -> None:
    """Draw the choice whether to find the columns that matter most."""
    titles = {AUTO: say("find them if that is quick"), YES: say("find them"), NO: say("leave them out")}
    st.selectbox(
        say("Columns that matter most"), list(titles), key="reasons", format_func=titles.__getitem__,
        help=say(
            "The three columns whose values add most to each answer, or take most away. *Term:* Shapley values "
            "(SHAP). For many rows and large forests this takes much longer than the answers."
        ),
    )  # fmt: skip


def has_leading(model: TableModel, n_rows: int) -> bool:
    """Whether the columns that matter most are to be found, as the control has it; says where they are not."""
    if explainable_record(model) is None:
        st.caption(say("For this kind of model the columns that matter most are not found."))
        return False
    wanted = st.session_state["reasons"]
    if wanted == AUTO and work_of(model, n_rows) > MOST_UNASKED:
        st.caption(
            say(
                "The columns that matter most are left out, since finding them for so many rows "
                "takes long. You can ask for them under More settings."
            )
        )
        return False
    return wanted != NO


def outcome(one: RowsAtWork) -> AnsweredNewRows | None:
    """The answers; None while they are not there, with their progress or the reason on the page."""
    work = one.work
    found = watch.outcome(work, beside=True)
    stopped = (
        say("Stopped before all rows had an answer.")
        if found.value is None
        else say("All rows have an answer; the search for the columns that matter most was stopped.")
    )
    note.ended(work.key, found, stopped, say("The rows could not be scored."), goes_on=False)
    if found.is_awaited:
        stage = STAGE if one.has_leading else ""
        note.progress([Line(work.key, say("New rows"), partial(_how_far, work.total), stage)])
    return found.value


def _how_far(total: int, job: Job) -> Far:
    return Far(
        job.share,
        say(
            "Asking about the rows: {done} of {total} steps",
            done=count(min(job.progress.done, total)),
            total=count(total),
        ),
        job.seconds_left,
    )
