"""What about the table in use misleads, with the rows that show it and the button that mends it."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset, Feature, HeldOut, held_out, samples
from espalier.data.dataset import column_name
from espalier.data.errors import quoted
from espalier.display import tables
from espalier.findings import finding as kinds
from espalier.findings.check import TOTAL, check_table
from espalier.findings.finding import Finding
from espalier.findings.findings import advice
from espalier.language import say
from espalier.tasks import Call
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.canvas.components import data_table
from pages.shared.data import columns, library
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import drawer

LIST = "findings"  # key of the fold
DISMISSED = "dismissed-findings"  # key of the session state: jobs whose mark is not shown any more
OUT = (  # kinds that are mended without the column
    kinds.COPY, kinds.ALONE, kinds.ONLY_TRAINING, kinds.ORDER, kinds.IDENTIFIER, kinds.CONSTANT, kinds.ALIKE_ROWS,
)  # fmt: skip
LARGE = 1_000_000  # cells: of more the look takes a second or longer
STAGE = "cart"  # of the kernels: a tree tells held-out rows from the rest


def draw(dataset: Dataset) -> None:
    """Draw the list, or nothing where there is nothing to say."""
    job = CheckJob(dataset, drawer.holdout())
    with st.container(key="findings place"):  # there even while nothing is known: what is below keeps its place
        findings = _findings(job)
        if not findings:
            return
        label = say("What to look at first ({n})", n=len(findings))
        is_serious = any(finding.is_serious for finding in findings)  # whoever comes for it sees it at once
        fold = st.expander(label, is_serious, icon=":material/lightbulb:", key=LIST, on_change="rerun")
        if fold.open:
            with fold:
                for number, finding in enumerate(findings):
                    _draw_finding(job, finding, number)


def mark(dataset: Dataset) -> None:
    """Draw a sentence on the Tree page where something serious is known of a person's own table.

    It is not waited for: the page runs again when it is known. Bundled samples have nothing of the kind.
    """
    if library.own_text(library.key_of(dataset)) in samples.names():
        return
    job, place = CheckJob(dataset, drawer.holdout()), st.container()  # what is below keeps its place
    with place:
        serious = [finding for finding in _findings(job, dataset.X.size <= LARGE) if finding.is_serious]
    if not serious or job.key in st.session_state.get(DISMISSED, ()):
        return
    with place.container(horizontal=True, vertical_alignment="center", key="finding mark"):
        seen, *_ = advice(dataset, serious[0], lambda text: plain(quoted(text)))
        st.markdown(say("**These scores may mislead.** {seen}", seen=seen), width="stretch")
        st.page_link("pages/data.py", label=say("Look at the data first"), icon=":material/lightbulb:")
        dismissed = {DISMISSED: {*st.session_state.get(DISMISSED, ()), job.key}}
        st.button(
            "", icon=":material/close:", help=say("Do not say this again"), type="tertiary",
            key="dismiss findings", on_click=callback(st.session_state.update), args=(dismissed,),
        )  # fmt: skip


def _draw_finding(job: CheckJob, finding: Finding, number: int) -> None:
    """Draw what is wrong, why it misleads and what to do, with the button that does it and the rows."""
    features = job.dataset.features
    seen, why, todo = advice(job.dataset, finding, lambda text: plain(quoted(text)))
    st.markdown(f"**{seen}** {why} *{todo}*")
    names = list(dict.fromkeys(_file_name(features[column]) for column in finding.columns))
    role = "out" if finding.kind in OUT else "group" if finding.kind == kinds.GROUPS else ""
    label = say("Leave it out") if role == "out" else say("Make it the group")
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding {number}"):
        if role and {*map(_file_name, features)} > set(names):
            st.button(
                label, f"finding-{role}-{number}", icon=":material/build:", on_click=callback(_assign),
                args=(names, role),
            )  # fmt: skip
        if finding.rows:
            with st.popover(say("The rows"), icon=":material/table_rows:"):
                order = dict.fromkeys([*finding.columns, *tables.on_page(len(features), finding.columns)])
                rows = tables.listed(job.dataset, np.array(finding.rows), job.held, features=list(order))
                data_table(rows, hide_index=True, alt=say("Rows that show it"))


def _file_name(feature: Feature) -> str:
    """Name of its column in the table as it was read."""
    return feature.origin.name if feature.origin and not feature.moment else column_name(feature)


def _assign(names: list[str], role: str) -> None:
    for name in names:
        columns.assign(name, role)


# ---- the check, beside the page


class CheckJob(NamedTuple):
    """A table and its held-out rows: a `TaskList` of one task."""

    dataset: Dataset
    holdout: HeldOut

    n_tasks = 1

    @property
    def key(self) -> str:
        """Names the job."""
        causes = repr((self.dataset.digest, self.holdout))
        return "check " + hashlib.blake2b(causes.encode(), digest_size=8).hexdigest()

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


def _findings(job: CheckJob, begins: bool = True) -> list[Finding]:
    """What is known by now; the job begins here, or only elsewhere, and the page runs again when it has ended."""
    outcome = watch.begun(RUNNER.work_of(job)) if begins else watch.found(job.key) or Outcome(is_stopped=True)
    if outcome.is_awaited:
        await_end(job)
    return outcome.value or []


@st.fragment(run_every=0.5)
@guarded
def await_end(job: CheckJob) -> None:
    """Run the page again when the job has ended; draws nothing."""
    if watch.find(job.key) is None:
        rerun()
