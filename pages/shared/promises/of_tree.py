"""What the leaves of one tree promise for new rows, and whether the rows held out are like the others."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.promises.drift import FEWEST, N_SHUFFLES, Drift, drift
from espalier.data.dataset import Dataset
from espalier.language import english
from espalier.progress import Progress
from espalier.views.promises.leaves import leaves_table
from espalier.views.spreadsheet import to_csv
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import yes_or_no
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.models.rail import pick
from pages.shared.promises import section
from pages.shared.tree.grown import leaf_promises
from pages.shared.tree.results import GrownTree
from pages.shared.words import promises as words

OPENED = "promises-of-leaves"  # key of the session state
ENGINE = "forest"  # stage of the kernels that the test uses
MOST_NAMED = 3  # columns that tell new rows from old ones


def url_entries() -> list[Entry]:
    """The level, and whether rows are tested, as parts of the address."""
    return [section.level_entry(), Entry("drift", False, yes_or_no)]


def draw(grown: GrownTree) -> None:
    """Draw both; only when they are opened, or where a link asks for the test."""
    opened = st.expander(words.OF_TREE, expanded=st.session_state["drift"], on_change="rerun", key=OPENED)
    if not opened.open:
        return
    with opened:
        if not grown.held.any():
            st.info(words.NONE_HELD)
            return
        _draw_leaves(grown)
        pick(words.DRIFT, "drift", st.toggle)
        if st.session_state["drift"]:
            _draw_drift(grown)


def _draw_leaves(grown: GrownTree) -> None:
    if not leaf_promises.can_promise(grown):
        st.caption(words.NO_LEAVES)
        return
    st.caption(words.OF_LEAVES)
    section.pick_level()
    found = leaf_promises.promised(grown.key, st.session_state["level"], grown)
    data_table(leaves_table(found, grown.sharp, grown.dataset), hide_index=True, alt=words.LEAVES_ALT)
    st.caption(words.CHOSEN_BY_THEM)
    with english():
        file = to_csv(leaves_table(found, grown.sharp, grown.dataset))
    st.download_button(
        words.SAVE_LEAVES, file, "leaves.csv", "text/csv", on_click="ignore", icon=":material/download:",
        key="save leaves",
    )  # fmt: skip


def _draw_drift(grown: GrownTree) -> None:
    """Draw the test of the rows held out against the others, as a job, by now."""
    data, held = grown.table, grown.held
    if not grown.source.holdout.where and data.roles.times is None:
        st.caption(words.BY_CHANCE)
    if min(held.sum(), (~held).sum()) < FEWEST:
        st.info(words.too_few_rows(FEWEST))
        return
    work = Work(
        f"drift {data.digest} {grown.source.holdout}", N_SHUFFLES, lambda progress: _drift(data, held, progress)
    )
    outcome = watch.outcome(work, beside=True)
    if outcome.is_awaited:
        note.progress([Line(work.key, words.DRIFT_AT_WORK, _how_far, ENGINE)])
    note.ended(work.key, outcome, words.DRIFT_STOPPED, words.DRIFT_FAILED, goes_on=False)
    if outcome.value is not None:
        _draw_result(outcome.value, data)


def _drift(data: Dataset, held: np.ndarray, progress: Progress) -> Drift | None:
    compilation.wait(ENGINE)
    found = drift(data, held, N_SHUFFLES, progress=progress)
    return None if progress.is_stopped else found


def _how_far(job: Job) -> Far:
    return Far(job.share, words.how_far(job.progress.done, N_SHUFFLES), job.seconds_left)


def _draw_result(found: Drift, data: Dataset) -> None:
    first = np.argsort(-found.use, kind="stable")[:MOST_NAMED]
    columns = [plain(data.features[f].name) for f in first if found.use[f] > 0]
    st.markdown(words.drifted(found.is_found, 100 * found.auc, found.p_value, columns))
