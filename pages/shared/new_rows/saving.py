"""All that is said of every new row as a file: written beside the page, block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import english, say
from espalier.new_rows.scoring import ScoredRowSet
from espalier.new_rows.words import scored_file
from espalier.progress import Progress
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work

BLOCK = 2_000  # rows that are written at once; between blocks the work may be stopped


def draw(key: str, found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> None:
    """Draw the button that writes the file of these rows (indices), and then the one that saves it."""
    opened = st.popover(
        say("Save the answers"), icon=":material/download:", on_change="rerun", key="save scored rows"
    )
    if not opened.open:
        return
    with opened:
        work = Work(f"file {key} {len(rows)}", len(rows), _writing(found, dataset, rows))
        outcome = watch.outcome(work, beside=True)
        if outcome.is_awaited:
            note.progress([Line(work.key, say("The file"), _how_far)])
        note.ended(work.key, outcome, say("The writing of the file was stopped."), goes_on=False)
        if outcome.value is not None:
            label = say(
                "Save {n} rows (.csv, {kilobytes} kB)",
                n=count(len(rows)),
                kilobytes=count(max(round(len(outcome.value) / 1000), 1)),
            )
            st.download_button(
                label, outcome.value, "scored-rows.csv", "text/csv", on_click="ignore", key=f"save {work.key}",
                icon=":material/download:",
            )  # fmt: skip
            st.caption(
                say("All rows of the choice above, with the chance of every class and all columns of your file.")
            )


def _writing(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> Callable[[Progress], bytes | None]:
    def write(progress: Progress) -> bytes | None:
        parts: list[str] = []
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            with english():
                parts.append(to_csv(scored_file(found, dataset, block), has_header=not parts))
            progress.advance(len(block))
            if progress.is_stopped:
                return None
        return "".join(parts).encode()

    return write


def _how_far(job: Job) -> Far:
    return Far(
        job.share,
        say(
            "Writing the file: {done} of {total} rows", done=count(job.progress.done), total=count(job.work.total)
        ),
        job.seconds_left,
    )
