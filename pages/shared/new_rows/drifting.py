"""Whether new rows are like those that the model learned from: a test that a person asks for."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from espalier.language import say
from espalier.new_rows.answers import TableModel
from espalier.new_rows.scoring import FEWEST, N_SHUFFLES, Drift, drift
from espalier.new_rows.words import drift_words
from espalier.progress import Progress
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import yes_or_no
from pages.shared.jobs import compilation, note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.promises import sentences as promises_sentences

ENGINE = "forest"  # stage of the kernels that the test uses


def url_entries() -> list[Entry]:
    """Whether rows are tested, as part of the address."""
    return [Entry("drift", False, yes_or_no)]


def draw(key: str, model: TableModel, rows: NewRows) -> None:
    """Draw the switch, and the result of the test by now; `key` names the rows."""
    st.toggle(
        say("Are these rows like the old ones?"), key="drift",
        help=say(
            "A forest learns to tell the two kinds of rows apart by their columns. Then 99 more forests try it "
            "after old and new rows have been mixed. If the first does better than nearly all of them, the rows "
            "differ. *Terms:* drift, covariate shift, two-sample test by a classifier."
        ),
    )  # fmt: skip
    if not st.session_state["drift"]:
        return
    old = model.dataset.X[model.seen] if model.seen.any() else model.dataset.X
    if min(len(old), len(rows.X)) < FEWEST:
        st.info(say("The test needs {fewest} new rows, and as many that the model learned from.", fewest=FEWEST))
        return
    work = Work(f"drift {key}", N_SHUFFLES, lambda progress: _drift(model.dataset, old, rows.X, progress))
    line = Line(work.key, say("Are they alike?"), _how_far, ENGINE)
    test = note.result(work, line, say("The test was stopped."), say("The test came to no end."))
    if test is not None:
        st.markdown(drift_words(test, model.dataset, say("The new rows"), plain))


def _drift(dataset: Dataset, old: np.ndarray, new: np.ndarray, progress: Progress) -> Drift | None:
    """Test the rows of two tables with the columns of the data set against each other."""
    compilation.wait(ENGINE)
    both = dataset._replace(X=np.asfortranarray(np.concatenate((old, new))))
    found = drift(both, np.arange(len(both.X)) >= len(old), N_SHUFFLES, progress=progress)
    return None if progress.is_stopped else found


def _how_far(job: Job) -> Far:
    return Far(job.share, promises_sentences.forests_so_far(job.progress.done, N_SHUFFLES), job.seconds_left)
