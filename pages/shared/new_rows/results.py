"""All that is said of new rows: the summary, the list with its filter, and one row in words."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import english, say
from espalier.new_rows import words
from espalier.new_rows.figures import certainty_picture
from espalier.new_rows.scoring import ScoredRowSet
from espalier.reliability.words import DOUBT, IS_RIGHT, OFF_BY, ROW, TRUTH
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain, plain_table
from pages.shared.app.links.readers import one_of
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table

ALL, EXPERT, WRONG = "all", "expert", "wrong"
MOST_LISTED = 500  # rows on the page; the file has all
CHOSEN = "chosen-new-row"  # key of the session state: of which rows, and which of them


def url_entries() -> list[Entry]:
    """The rows that the list shows, as part of the address."""
    return [Entry("listed", ALL, one_of((ALL, EXPERT, WRONG)))]


def summary(found: ScoredRowSet, dataset: Dataset, level: float) -> None:
    """Draw the rows on a strip from sure to in doubt, who answers how many, and folded, what is promised."""
    st.markdown(words.handover_words(found))
    is_one = len(found.said.doubt) == 1  # of which the words below say all
    if not is_one:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            pictures.draw(certainty_picture(found, dataset), 760, "certainty.svg")
        with right:
            st.table(plain_table(words.outcomes_table(found, dataset)))
    promise, has_promise = words.promise_of_rows(found, level), math.isfinite(found.limit)
    if not has_promise:
        st.caption(promise)
    opened = st.expander(say("Why, and what is promised"), on_change="rerun", key="why-expert")
    if opened.open:
        with opened:
            if reasons := words.reasons_words(found, dataset):
                st.markdown("\n".join(f"- {plain(line)}" for line in reasons))
            if has_promise:
                st.markdown(promise)
            table = words.answers_table(found, dataset)
            kinds = {name: "%.4g" if table[name].dtype.kind == "f" else "localized" for name in table}
            columns = {name: st.column_config.NumberColumn(format=kind) for name, kind in kinds.items()}
            columns[say("share")] = st.column_config.NumberColumn(format="percent")
            alt = say("How many rows get each answer")
            data_table(table, hide_index=True, alt=alt, column_config=columns)


def places(found: ScoredRowSet, show: str) -> np.ndarray:
    """The rows (indices) that the list shows: for an expert the most doubted first, others in their order."""
    if show == EXPERT:
        handed = np.flatnonzero(found.handover.is_for_expert)
        return handed[np.argsort(-found.said.doubt[handed], kind="stable")]
    if show == WRONG and found.rows.y is not None:
        y, said = found.rows.y, found.said
        known = ~np.isnan(y)
        if said.answers.shape[1] > 1:
            return np.flatnonzero(known & (said.prediction != y))
        off = np.where(known, np.abs(said.prediction - y), -1.0)
        return np.argsort(-off, kind="stable")[: int(known.sum())]
    return np.arange(len(found.said.doubt))


def draw(key: str, found: ScoredRowSet, dataset: Dataset) -> None:
    """Draw the filter, the rows, and the one that is ticked."""
    titles = {ALL: say("all rows"), EXPERT: say("for an expert")}
    if found.rows.y is not None:
        titles[WRONG] = say("wrong answers") if dataset.is_classification else say("furthest off")
    elif st.session_state["listed"] == WRONG:
        st.session_state["listed"] = ALL
    st.segmented_control(
        say("Rows to show"), list(titles), key="listed", format_func=titles.__getitem__, required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    rows = places(found, st.session_state["listed"])
    if not len(rows):
        st.info(say("There are no such rows."))
        return
    name = f"{key} {st.session_state['listed']}"
    table = _listed(name, found, dataset, rows[:MOST_LISTED])
    _draw_table(table, f"scored {name}", found)
    st.caption(list_caption(count(len(rows)), count(MOST_LISTED) if len(rows) > MOST_LISTED else ""))
    _one_row(name, found, dataset)


def draw_saving(found: ScoredRowSet, dataset: Dataset) -> None:
    """Draw the button that saves all rows of the choice, with all that is known of them."""
    rows = places(found, st.session_state["listed"])
    st.download_button(
        say("Save {n} rows (.csv)", n=count(len(rows))),
        english()(lambda: to_csv(words.scored_file(found, dataset, rows)).encode()),
        "scored-rows.csv", "text/csv", on_click="ignore", key="save scored rows", icon=":material/download:",
        help=say("All rows of the choice above, with the chance of every class and all columns of your file."),
    )  # fmt: skip


def list_caption(n: str, most: str) -> str:
    """Caption of the list of n rows, of which at most so many are shown; empty where all are."""
    return (
        say("The first {most} of {n} rows; the file below has all.", most=most, n=n)
        if most
        else say("{n} row." if n == "1" else "{n} rows.", n=n)
    )


@of_table(max_entries=16)
def _listed(key: str, _found: ScoredRowSet, _dataset: Dataset, _rows: np.ndarray) -> pd.DataFrame:
    return words.scored_table(_found, _dataset, _rows)


def _draw_table(table: pd.DataFrame, key: str, found: ScoredRowSet) -> None:
    number_column = partial(st.column_config.NumberColumn, format="%.4g")
    is_number = table[words.ANSWER].dtype.kind == "f"
    columns = {name: st.column_config.Column(say(name)) for name in words.NAMES if name in table}
    columns |= {name: number_column(say(name)) for name in (DOUBT, words.FROM, words.TO, OFF_BY) if name in table}
    columns |= {name: number_column(say(name)) for name in (words.ANSWER, TRUTH) if is_number and name in table}
    columns[ROW] = st.column_config.NumberColumn(say(ROW), width=50)
    columns[words.CHANCE] = st.column_config.NumberColumn(say(words.CHANCE), format="percent", width=70)
    columns[words.EXPERT] = st.column_config.CheckboxColumn(say(words.EXPERT), width=80)
    columns[IS_RIGHT] = st.column_config.CheckboxColumn(say(IS_RIGHT), width=64)
    if found.leading is not None:
        help_ = _units_caption(found.leading.link)
        columns[words.LEADING] = st.column_config.TextColumn(say(words.LEADING), width=320, help=help_)
    columns[words.WHY] = st.column_config.TextColumn(say(words.WHY), width=300)
    data_table(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 420),
        column_config=columns,
        key=key,
        on_select=callback(lambda: _choose(table, key)),
        selection_mode="single-row",
        alt=say("New rows with their answers"),
    )


def _choose(table: pd.DataFrame, key: str) -> None:
    """Note the row that was ticked (a callback)."""
    picked = st.session_state[key].selection.rows
    there = picked and picked[0] < len(table)
    st.session_state[CHOSEN] = (key, int(table[ROW].to_numpy()[picked[0]]) - 1 if there else None)


def _one_row(name: str, found: ScoredRowSet, dataset: Dataset) -> None:
    """Draw one row in words: the one that is ticked, or the only one."""
    key, row = st.session_state.get(CHOSEN, ("", None))
    row = row if key == f"scored {name}" else None
    if row is None and len(found.said.doubt) == 1:
        row = 0
    if row is None:
        st.caption(say("Tick a row to read about it in words."))
        return
    with st.container(border=True, key="one new row"):
        st.markdown("\n\n".join(words.row_lines(found, dataset, row, plain)))


def _units_caption(link: str) -> str:
    """Caption: in what units the columns add to the answer."""
    if link in ("logistic", "softmax"):
        unit = say("in log odds, the score that becomes the chance")
    elif link == "log":
        unit = say("to the logarithm of the answer")
    else:
        unit = say("to the chance of the class, or to the number")
    return say(
        "In brackets what a column's value adds to the answer (+) or takes away (−), {unit}. *Term:* SHAP.",
        unit=unit,
    )
