"""What about the table in use misleads, with the way to see it and the button that mends it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset, Feature, HeldOut, held_out, samples
from espalier.data.errors import quoted
from espalier.data.features import (
    column_name,
    column_parts,
    grouped_by,
    keep_features,
    part_as_target,
    without_features,
)
from espalier.display import tables
from espalier.findings import finding as kinds
from espalier.findings.check import TOTAL, check_table
from espalier.findings.finding import Finding
from espalier.findings.findings import advice
from espalier.language import say
from espalier.tasks import Call
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.canvas.data_table import data_table
from pages.shared.data import library
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import drawer

LIST = "findings"  # key of the drawer
DISMISSED = "dismissed-findings"  # key of the session state: jobs whose mark is not shown any more
ONE_COLUMN = (kinds.COPY, kinds.ALONE, kinds.ONLY_TRAINING, kinds.ORDER, kinds.IDENTIFIER)  # whose tree shows it
OUT = (*ONE_COLUMN, kinds.CONSTANT, kinds.ALIKE_ROWS)  # what is mended without the column
OF_PARTS = (kinds.DRIFT, kinds.PARTS_DIFFER)


def draw(dataset: Dataset) -> None:
    """Draw the list, or nothing where nothing was found."""
    job = CheckJob(dataset, drawer.holdout())
    outcome = begun(job)
    with st.container(key="findings place"):  # there even while nothing is known: what is below keeps its place
        if outcome.is_awaited:
            await_end(job)
        elif findings := outcome.value:
            label = say("What to look at first ({n})", n=len(findings))
            fold = st.expander(label, icon=":material/lightbulb:", key=LIST, on_change="rerun")
            if fold.open:
                with fold:
                    for number, one in enumerate(findings):
                        _draw_one(job, one, number)


def mark(dataset: Dataset) -> None:
    """Draw a sentence on the Tree page where something serious is known of a person's own table.

    It is not waited for: the page runs again when it is known. Bundled samples have nothing of the kind.
    """
    if library.own_text(library.key_of(dataset)) in samples.names():
        return
    job, place = CheckJob(dataset, drawer.holdout()), st.container()  # what is below keeps its place
    outcome = known(job)
    if outcome.is_awaited:
        with place:
            await_end(job)
    serious = [one for one in outcome.value or [] if one.is_serious]
    if not serious or job.key in st.session_state.get(DISMISSED, ()):
        return
    with place.container(horizontal=True, vertical_alignment="center", key="finding mark"):
        seen = advice(dataset, serious[0], lambda text: plain(quoted(text))).seen
        more = say(" And {n_more} more.", n_more=len(serious) - 1) if len(serious) > 1 else ""
        st.markdown(say("**These scores may mislead.** {seen}{more}", seen=seen, more=more), width="stretch")
        st.page_link("pages/data.py", label=say("Look at the data first"), icon=":material/lightbulb:")
        st.button(
            "",
            icon=":material/close:",
            help=say("Do not say this again"),
            type="tertiary",
            key="dismiss findings",
            on_click=callback(st.session_state.update),
            args=({DISMISSED: {*st.session_state.get(DISMISSED, ()), job.key}},),
        )


def _draw_one(job: CheckJob, one: Finding, number: int) -> None:
    """Draw a finding, with its buttons and rows."""
    seen, why, todo = advice(job.dataset, one, lambda text: plain(quoted(text)))
    st.markdown(f"**{seen}** {why} *{todo}*")
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding {number}"):
        _offer_tables(job, one, number)
        if one.rows:
            with st.popover(say("The rows"), icon=":material/table_rows:"):
                _rows(job, one)


def _offer_tables(job: CheckJob, finding: Finding, number: int) -> None:
    """Draw a button for each table that shows or mends it, made of the one in use."""
    data, tree, key = job.dataset, ":material/account_tree:", f"finding {number}"
    columns = column_parts(data.features, finding.columns)  # of dates with their months and weekdays
    name = samples.title_of(data)
    names = ", ".join(dict.fromkeys(column_name(data.features[column]) for column in columns))

    def take(make: Callable[..., Dataset], *terms: Any) -> str:
        return library.choose(make(data, *terms))

    text = ""
    if finding.kind in ONE_COLUMN and st.button(say("Its tree alone"), f"{key} alone", icon=tree):
        text = take(keep_features, columns, say("{name}: {columns} alone", name=name, columns=names))
    if finding.kind in OF_PARTS and st.button(say("Tree of the two parts"), f"{key} parts", icon=tree):
        part = Feature(say("part"), "category", (say("training"), say("held out")))
        text = take(part_as_target, job.held, part, say("{name}: training or held out", name=name))
    if text:
        st.switch_page("pages/tree.py", query_params={library.PARAMETER: text})
    if len(data.features) == len(columns):
        return
    if finding.kind in OUT:
        without = (without_features, columns, say("{name} without {columns}", name=name, columns=names))
        st.button(
            say("Leave it out"), f"{key} out", icon=":material/remove:", on_click=callback(take), args=without
        )
    if finding.kind == kinds.GROUPS:
        grouping = (grouped_by, finding.columns[0], say("{name} by {column}", name=name, column=names))
        st.button(
            say("Make it the group"),
            f"{key} group",
            icon=":material/group:",
            on_click=callback(take),
            args=grouping,
        )


def _rows(job: CheckJob, one: Finding) -> None:
    columns = dict.fromkeys([*one.columns, *tables.on_page(len(job.dataset.features), one.columns)])
    shown = tables.listed(job.dataset, np.array(one.rows), job.held, features=list(columns))
    data_table(shown, hide_index=True, alt=say("Rows that show it"))
    st.caption(
        say("Like rows stand one below the other; at most the first 50 rows.")
        if one.kind in (kinds.SAME_ROWS, kinds.NEAR_ROWS, kinds.ALIKE_ROWS)
        else say("At most the first 50 rows.")
    )


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
