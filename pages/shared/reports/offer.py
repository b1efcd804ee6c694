"""The report of a page, to save: it is written when it is asked for, of the same state that the page shows."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.findings.check import check_table
from espalier.findings.findings import sentences
from espalier.language import say
from espalier.reports.paper import to_html
from espalier.reports.scripts import ReportedPage, page_notebook, page_report, page_script
from pages.shared.app import frame
from pages.shared.app.pictures import file_name
from pages.shared.app.store import of_table
from pages.shared.tree.exports import link_in_report

MOST_CELLS = 2_000_000  # of a table that is looked through again for what misleads


def offer(page: str, reported: Callable[[], ReportedPage]) -> None:
    """Draw the button; once it is open, the report is written and can be saved."""
    if frame.is_embedded():
        return
    opened = st.popover(say("Report"), icon=":material/description:", on_change="rerun", key="page report")
    if not opened.open:
        return
    with opened:
        st.caption(say("What this page shows now, with data and settings: one file to read, print and keep."))
        one = reported()
        file = html(one)
        kilobytes = count(max(round(len(file.encode()) / 1000), 1))
        st.download_button(
            say("Save the report (.html, {kilobytes} kB)", kilobytes=kilobytes),
            file,
            f"{file_name(one.data.name)}-{page}.html",
            "text/html",
            on_click="ignore",
            key="save report",
            icon=":material/download:",
            width="stretch",
        )
        rebuilt = one.rebuilt
        if rebuilt is None:
            return
        for label, ending, mime, write in (
            (say("Python that makes the models again (.py)"), "py", "text/x-python", page_script),
            (say("Notebook that makes the models again (.ipynb)"), "ipynb", "application/json", page_notebook),
        ):
            st.download_button(
                label, partial(write, rebuilt), f"{file_name(one.data.name)}-{page}.{ending}", mime,
                on_click="ignore", key=f"save page {ending}", icon=":material/code:", width="stretch",
            )  # fmt: skip


def html(one: ReportedPage) -> str:
    """The report as an HTML document, with what about the table misleads, the link and the day."""
    day = datetime.date.today().isoformat()
    known = {"findings": _findings(one.data, one.held), "link": link_in_report(), "day": day}
    return to_html(page_report(one._replace(**known)))


@of_table(max_entries=16)
def _findings(data: Dataset, _held: np.ndarray | None) -> list[str]:
    return sentences(data, check_table(data, _held)) if data.X.size <= MOST_CELLS else []
