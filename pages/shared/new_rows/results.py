"""All that is said of new rows: the summary, the list with its filter, and one row in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import english, say, to_say
from espalier.new_rows import words
from espalier.new_rows.figures import certainty_picture
from espalier.new_rows.scoring import ALL, EXPERT, WRONG, ScoredRowSet, listed_rows
from espalier.reliability.words import DOUBT, IS_RIGHT, OFF_BY, ROW, TRUTH
from pages.shared.app import pictures
from pages.shared.app.frame import callback, plain, plain_table
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table, picked_row
from pages.shared.canvas.control import Control

MOST_LISTED = 500  # rows on the page; the file has all
CHOSEN = "chosen-new-row"  # key of the session state: of which rows, and which of them
LISTED = Control(
    "listed", ALL, {ALL: to_say("all rows"), EXPERT: to_say("for an expert"), WRONG: to_say("errors")},
    to_say("Rows to show"), widget=st.segmented_control,
)  # fmt: skip
WIDTHS = {ROW: 50, words.CHANCE: 70, words.EXPERT: 80, IS_RIGHT: 64, words.LEADING: 320, words.WHY: 300}


def draw_summary(scored: ScoredRowSet, dataset: Dataset, level: float) -> None:
    """Draw the rows on a strip from sure to in doubt, who answers how many, and what is promised."""
    if len(scored.said.doubt) > 1:  # of a single row the words below say all
        st.markdown(words.handover_words(scored))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            pictures.draw(certainty_picture(scored, dataset), 760, "certainty.svg")
        right.table(plain_table(words.outcomes_table(scored, dataset)))
        if reasons := words.reasons_words(scored, dataset):
            with st.expander(say("Why rows go to an expert"), key="why-expert"):
                st.markdown("\n".join(f"- {plain(line)}" for line in reasons))
    st.caption(words.promise_of_rows(scored, level))


def draw(key: str, scored: ScoredRowSet, dataset: Dataset) -> None:
    """Draw the filter, the rows, and the one that is ticked; `key` names them all."""
    options = [ALL, EXPERT] if scored.rows.y is None else [ALL, EXPERT, WRONG]
    if LISTED.value not in options:
        st.session_state[LISTED.key] = ALL
    LISTED.draw(options=options, label_visibility="collapsed")
    rows = listed_rows(scored, LISTED.value)
    if not len(rows):
        st.info(say("There are no such rows."))
        return
    key = f"{key} {LISTED.value}"
    _draw_table(_listed(key, scored, dataset, rows[:MOST_LISTED]), f"scored {key}")
    n = len(rows)
    st.caption(
        say("The first {most} of {n} rows; the file has all.", most=count(MOST_LISTED), n=count(n))
        if n > MOST_LISTED
        else say("{n} row" if n == 1 else "{n} rows", n=count(n))
    )
    chosen, row = st.session_state.get(CHOSEN, ("", None))
    row = row if chosen == f"scored {key}" else None
    if row is None and len(scored.said.doubt) > 1:
        st.caption(say("Tick a row to read about it in words."))
        return
    with st.container(border=True, key="one new row"):
        st.markdown("\n\n".join(words.row_lines(scored, dataset, row or 0, plain)))


def draw_saving(scored: ScoredRowSet, dataset: Dataset) -> None:
    """Draw the button that saves all rows of the choice, with all that is known of them."""
    rows = listed_rows(scored, LISTED.value)
    st.download_button(
        say("Save {n} rows (.csv)", n=count(len(rows))),
        english()(lambda: to_csv(words.scored_file(scored, dataset, rows)).encode()),
        "scored-rows.csv", "text/csv", on_click="ignore", key="save scored rows", icon=":material/download:",
        help=say("With the chance of every class and all columns of your file."),
    )  # fmt: skip


@of_table(max_entries=16)
def _listed(key: str, _scored: ScoredRowSet, _dataset: Dataset, _rows: np.ndarray) -> pd.DataFrame:
    return words.scored_table(_scored, _dataset, _rows)


def _draw_table(table: pd.DataFrame, key: str) -> None:
    column = st.column_config
    numbers = [DOUBT, words.FROM, words.TO, OFF_BY]
    numbers += [words.ANSWER, TRUTH] if table[words.ANSWER].dtype.kind == "f" else []
    formats = {words.CHANCE: "percent"} | dict.fromkeys(numbers, "%.4g")
    columns = {
        name: column.NumberColumn(say(name), format=formats[name], width=WIDTHS.get(name))
        if name in formats
        else column.Column(say(name), width=WIDTHS.get(name))
        for name in words.NAMES
        if name in table
    }
    if words.LEADING in columns:
        note = say("In brackets what a column's value adds to the answer, or takes away. *Term:* SHAP.")
        columns[words.LEADING] = column.TextColumn(say(words.LEADING), width=WIDTHS[words.LEADING], help=note)
    data_table(
        table, hide_index=True, height=min(38 + 35 * len(table), 420), column_config=columns, key=key,
        on_select=callback(lambda: _choose(table, key)), selection_mode="single-row",
        alt=say("New rows with their answers"),
    )  # fmt: skip


def _choose(table: pd.DataFrame, key: str) -> None:
    """Note the row that was ticked (a callback)."""
    number = picked_row(table, key, ROW)
    st.session_state[CHOSEN] = (key, None if number is None else number - 1)
