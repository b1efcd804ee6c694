"""What the leaves of one tree promise for new rows, and whether the rows held out are like the others."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.language import Texts, english, say
from espalier.new_rows.promise_words import leaves_table
from espalier.new_rows.scoring import FEWEST, N_SHUFFLES, Drift, drift
from espalier.new_rows.words import drift_words
from espalier.progress import Progress
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import yes_or_no
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs import compilation, note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.models.drawer import pick
from pages.shared.promises import section, sentences
from pages.shared.tree.grown import leaf_promises
from pages.shared.tree.results import GrownTree

DRIFT = Texts(
    {
        "drift": (
            "Test whether the rows held out are like those it learned from",
            "A forest learns to tell them apart by their columns, and again 99 times with both shuffled. If it "
            "does better than nearly all of these, the rows differ. Hold out what is new: later rows, another "
            "year or place, by a condition on the page *Data*. *Terms:* drift, covariate shift, two-sample test "
            "by a classifier.",
        )
    }
)

OPENED = "promises-of-leaves"  # key of the session state
ENGINE = "forest"  # stage of the kernels that the test uses


def url_entries() -> list[Entry]:
    """The level, and whether rows are tested, as parts of the address."""
    return [section.level_entry(), Entry("drift", False, yes_or_no)]


def draw(grown: GrownTree) -> None:
    """Draw both; only when they are opened, or where a link asks for the test."""
    opened = st.expander(
        say("What does each leaf promise for new rows?"),
        expanded=st.session_state["drift"],
        on_change="rerun",
        key=OPENED,
    )
    if not opened.open:
        return
    with opened:
        if not grown.held.any():
            st.info(
                say("No rows are held out, so that nothing can be promised: hold some out under More settings.")
            )
            return
        _draw_leaves(grown)
        pick(DRIFT, "drift", st.toggle)
        if st.session_state["drift"]:
            _draw_drift(grown)


def _draw_leaves(grown: GrownTree) -> None:
    if not leaf_promises.can_promise(grown):
        st.caption(
            say(
                "A row is in several leaves of a cultivated tree, and leaves of a model tree have "
                "formulas: such leaves make no promise."
            )
        )
        return
    st.caption(
        say(
            "A tree that is right for 95 % of all rows may be wrong for half of those in one "
            "leaf. So each leaf has a promise of its own, made from the held-out rows that end "
            "in it alone: at least as many of the new rows in that leaf as you ask for have "
            "their truth among the classes named, or inside the interval, on average over such "
            "promises, if new rows are like these. *Term:* Mondrian conformal prediction."
        )
    )
    section.pick_level()
    found = leaf_promises.promised(grown, st.session_state["level"])
    data_table(
        leaves_table(found, grown.sharp, grown.dataset),
        hide_index=True,
        alt=say("What each leaf promises for new rows"),
    )
    st.caption(
        say(
            "If you chose the depth, pruned, or changed the tree by looking at scores of "
            "held-out rows, they are no longer unseen, and the promises are too good."
        )
    )
    with english():
        file = to_csv(leaves_table(found, grown.sharp, grown.dataset))
    st.download_button(
        say("Promises of the leaves (.csv)"),
        file,
        "leaves.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="save leaves",
    )


def _draw_drift(grown: GrownTree) -> None:
    """Draw the test of the rows held out against the others, as a job, by now."""
    data, held = grown.table, grown.held
    if not grown.source.holdout.where and data.roles.times is None:
        st.caption(
            say(
                "These rows were held out by chance, so that they are like the others by the way "
                "they were drawn. The test tells something where new rows are held out: later ones, "
                "or those of another place, by a condition on the page *Data*."
            )
        )
    if min(held.sum(), (~held).sum()) < FEWEST:
        st.info(
            say(
                "The test takes at least {least} rows held out, and as many that the tree learned from.",
                least=FEWEST,
            )
        )
        return
    work = Work(
        f"drift {data.digest} {grown.source.holdout}", N_SHUFFLES, lambda progress: _drift(data, held, progress)
    )
    line = Line(work.key, say("Are they alike?"), _how_far, ENGINE)
    test = note.result(work, line, say("The test was stopped."), say("The test came to no end."))
    if test is not None:
        st.markdown(drift_words(test, data, say("The rows held out"), plain))


def _drift(data: Dataset, held: np.ndarray, progress: Progress) -> Drift | None:
    compilation.wait(ENGINE)
    found = drift(data, held, N_SHUFFLES, progress=progress)
    return None if progress.is_stopped else found


def _how_far(job: Job) -> Far:
    return Far(job.share, sentences.forests_so_far(job.progress.done, N_SHUFFLES), job.seconds_left)
