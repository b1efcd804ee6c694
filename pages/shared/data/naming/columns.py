"""Names, units and meanings of the columns of the table in use, edited in a small table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import table_and_choice
from espalier.data.features import LONGEST, ColumnWords, name_columns, table_and_words, text_of
from espalier.language import Refusal, Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.data import library

FIELD_LABELS = Texts({"name": "called", "unit": "unit", "meaning": "what it means"})
HELP = Texts(
    {
        "name": "Empty: as in the table.",
        "unit": "Of a number, such as mg/dl: it stands behind the name and behind values.",
        "meaning": "A sentence for those who do not know the column; it stands below questions and in reports.",
    }
)

FORM, OPENED, WRONG = "column-words-form", "column-words", "column-words-refused"  # keys of the session state
FIELDS = ("name", "unit", "meaning")


def draw(dataset: Dataset) -> None:
    """Draw the table, behind a line that opens it; what is chosen stands behind the table's text."""
    opened = st.expander(
        say("Names, units and meanings of the columns"), icon=":material/edit_note:", on_change="rerun", key=OPENED
    )
    if not opened.open:
        return
    with opened:
        st.caption(
            say(
                "What you write here is what all pages, questions, reports and figures call the "
                "columns; the table itself stays as it is, and exported code goes on to read the "
                "columns by their names there. It stands in the link and in a saved session."
            )
        )
        if wrong := st.session_state.pop(WRONG, ""):
            st.error(say("These words cannot be used: {reason}.", reason=plain(wrong)))
        _editor(library.key_of(dataset))


def _editor(key: str) -> None:
    """Draw the table as a form: a page that ran at every cell would be slow to write in."""
    text, choice = table_and_choice(library.divided(key)[0])
    own, glossary = table_and_words(text)
    table = library.find_whole(own)
    if table is None:
        return
    frame, editor = frame_of(table, glossary), f"{FORM} {text}"
    with st.form(FORM, border=False):
        st.data_editor(
            frame, hide_index=True, num_rows="fixed", disabled=["column"], key=editor, width="stretch",
            column_config=_config(), height=min(38 + 35 * len(frame), 420),
        )  # fmt: skip
        with st.container(horizontal=True):
            st.form_submit_button(
                say("Use these words"),
                type="primary",
                on_click=callback(_take_edited),
                args=(own, frame, editor, choice.text),
            )
            st.form_submit_button(
                say("As in the table"),
                on_click=callback(_take),
                args=(own, {}, choice.text),
                disabled=not glossary,
            )


def _take_edited(own: str, frame: pd.DataFrame, editor: str, choice: str) -> None:
    """Give the table the words of the form (a callback)."""
    edited = frame.copy()
    for line, cells in st.session_state[editor]["edited_rows"].items():
        for field, text in cells.items():
            edited.loc[line, field] = text
    _take(own, glossary_of(edited), choice)


def _config() -> dict[str, Any]:
    most = dict(zip(FIELDS, LONGEST, strict=True))
    column = st.column_config.TextColumn
    texts = {name: column(FIELD_LABELS[name], max_chars=most[name], help=HELP[name]) for name in FIELDS}
    return {"column": column(say("column in the table"))} | texts


def frame_of(table: Dataset, glossary: Mapping[str, ColumnWords]) -> pd.DataFrame:
    """A line for each column and the target, without parts of dates, which are called by the date's name."""
    names = [one.name for one in (*table.features, table.target) if one.moment is None]
    lines = [{"column": name, **glossary.get(name, ColumnWords())._asdict()} for name in names]
    return pd.DataFrame(lines, columns=["column", *FIELDS])


def glossary_of(edited: pd.DataFrame) -> dict[str, ColumnWords]:
    """The words of an edited table, without columns that have none."""
    cells = edited.fillna("").astype(str)
    lines = {
        line["column"]: ColumnWords(*(line[name].strip() for name in FIELDS)) for line in cells.to_dict("records")
    }
    return {column: one for column, one in lines.items() if any(one)}


def _take(own: str, glossary: dict[str, ColumnWords], choice: str) -> None:
    """Give the table these words (a callback); a filter by columns that are called otherwise now is let go."""
    try:
        text = own + text_of(glossary)
        table = library.find_whole(own)
        named = None if table is None else name_columns(table, glossary)
    except Refusal as refused:
        st.session_state[WRONG] = str(refused)
        return
    rows = library.divided(library.chosen_key())[1]
    whole = library.with_rows(text + choice, rows)
    library.take(whole if named is not None and not library.refusal(whole) else text + choice)
