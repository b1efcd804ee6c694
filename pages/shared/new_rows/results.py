"""All that is said of new rows: the summary, the list with its filter, and one row in words."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tables import named
from espalier.display.text.trees import share_words
from espalier.display.text.values import value_text
from espalier.display.theme import count
from espalier.language import say
from espalier.new_rows import words
from espalier.new_rows.promise_words import set_words
from espalier.new_rows.scoring import ScoredRowSet
from espalier.new_rows.words import absent_columns, matters_most, why_expert
from espalier.reliability.words import DOUBT, IS_RIGHT, OFF_BY, ROW, TRUTH
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import one_of
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.new_rows import drifting

ALL, EXPERT, WRONG = "all", "expert", "wrong"
MOST_LISTED = 500  # rows on the page; the file has all
CHOSEN = "chosen-new-row"  # key of the session state: of which rows, and which of them


def url_entries() -> list[Entry]:
    """The rows that the list shows, as part of the address."""
    return [Entry("listed", ALL, one_of((ALL, EXPERT, WRONG)))]


def summary(found: ScoredRowSet, dataset: Dataset, level: float) -> None:
    """Draw how many rows go to an expert and why, the answers by class, and how right they are, if known."""
    left, right = st.columns([3, 2], gap="medium")
    is_one = len(found.said.doubt) == 1  # of which the words below say all
    with left:
        st.markdown(words.handover_words(found))
        if not is_one and (reasons := words.reasons_words(found, dataset)):
            st.markdown("\n".join(f"- {plain(line)}" for line in reasons))
        st.caption(words.promise_of_rows(found, level))
        if hits := words.hits_words(found, dataset):
            st.markdown(f":material/fact_check: {hits}")
    if not is_one:
        with right:
            _draw_answers(words.answers_table(found, dataset))


def _draw_answers(table: pd.DataFrame) -> None:
    numbers = {
        name: st.column_config.NumberColumn(format="%.4g") for name in table if table[name].dtype.kind == "f"
    }
    columns = numbers | {say("share"): st.column_config.NumberColumn(format="percent")}
    data_table(table, hide_index=True, alt=say("How many rows get each answer"), column_config=columns)


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
    st.caption(drifting.list_caption(count(len(rows)), count(MOST_LISTED) if len(rows) > MOST_LISTED else ""))
    if found.leading is not None:
        st.caption(_units_caption(found.leading.link))
    _one_row(name, found, dataset)


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
    columns[words.LEADING] = st.column_config.TextColumn(say(words.LEADING), width=320)
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
        st.markdown("\n\n".join(row_lines(found, dataset, row)))


def row_lines(found: ScoredRowSet, dataset: Dataset, row: int) -> list[str]:
    """All that is said of one row, a line of Markdown each."""
    name, classes = plain(found.rows.name_of(row)), [plain(one) for one in dataset.classes]
    if found.handover.absent[row].any():
        answer = named(dataset.target, found.said.prediction[[row]])[0]
        text = answer if isinstance(answer, str) else value_text(dataset.target, float(answer), 4)
        lines = [
            say(
                "**{row}**: without {columns} the model would say **{answer}**, but other values change the "
                "answer.",
                row=name,
                columns=plain(absent_columns(found, dataset)),
                answer=plain(text),
            )
        ]
    elif dataset.is_classification:
        shares = found.said.answers[row]
        order = np.argsort(-shares, kind="stable")[:5].tolist()
        n = None if found.said.behind is None else int(found.said.behind[row])
        parts = ", ".join(f"{classes[code]} {share_words(float(shares[code]), n)}" for code in order)
        lines = [
            say(
                "**{row}**: the model says **{answer}** ({shares}).",
                row=name,
                answer=plain(words.answer_names(found, dataset, np.array([row]))[0]),
                shares=parts,
            )
        ]
    else:
        lines = [
            say(
                "**{row}**: the model says **{answer}**.",
                row=name,
                answer=value_text(dataset.target, float(found.said.prediction[row]), 4),
            )
        ]
    if found.sets is not None:
        lines.append(_promise_sentence(set_words(found.sets[row].tolist(), classes)))
    if found.ends is not None:
        lines.append(
            _promise_sentence(_interval(*(value_text(dataset.target, float(end), 4) for end in found.ends[row])))
        )
    if leading := matters_most(found, dataset, np.array([row]))[0]:
        lines.append(say("What matters most: {columns}.", columns="; ".join([plain(one) for one in leading])))
    reasons = [plain(one) for one in why_expert(found, dataset, np.array([row]))[0]]
    return [
        *lines,
        say(":material/person_raised_hand: **For an expert**, because {reasons}.", reasons="; ".join(reasons))
        if reasons
        else say("The model answers it itself: there is no reason to ask an expert."),
    ]


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


def _interval(low: str, high: str) -> str:
    """An interval."""
    return say("between {low} and {high}", low=low, high=high)


def _promise_sentence(what: str) -> str:
    """The promise about a row."""
    return say("Promised: {what}.", what=what)
