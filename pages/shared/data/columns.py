"""The columns of the table in use as stacks of their rows, and what each of them is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from espalier.data import Dataset
from espalier.data.column_roles import ALONE, assign_roles, role_columns, roles_text, table_and_roles
from espalier.data.dataset import AS_READ, table_and_choice
from espalier.data.features import LONGEST, ColumnWords, name_columns, table_and_words, text_of
from espalier.display.column_stacks import MOST, stacks_card
from espalier.display.theme import count
from espalier.language import Refusal, Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.columns import columns_canvas
from pages.shared.data import library

WRONG = "role-refused"  # key of the session state: why the last choice of a role was not possible


def draw(dataset: Dataset) -> None:
    """Draw the columns; a role that is chosen stands behind the table's text."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.warning(plain(wrong))
    text = table_and_words(table_and_choice(library.divided(library.key_of(dataset))[0])[0])[0]
    cast = library.find_whole(text) or dataset
    table = library.find_whole(table_and_roles(text)[0]) or cast
    show({**card(dataset, cast, table), "wrong": wrong}, len(dataset.features), assign)


def show(columns: dict[str, Any], n_columns: int, take: Callable[[str, str], None] | None = None) -> None:
    """Draw these columns, and say that there are more where there are."""
    with st.container(key="columns in use"):
        columns_canvas({**columns, "changes": take is not None}, key="columns", take=take)
    if n_columns >= MOST:
        st.caption(say("The first {most} of {n_columns} columns.", most=MOST, n_columns=count(n_columns)))


def assign(name: str, role: str) -> None:
    """Give a column of the table this role (a callback), and take it from the one that had it."""
    table, rows = library.divided(library.chosen_key())
    text, classes = table_and_choice(table)
    text, words = table_and_words(text)
    own, roles = table_and_roles(text)
    whole = library.find_whole(own)
    if whole is None:
        return
    roles = {one: other for one, other in roles.items() if one != name and (other != role or role not in ALONE)}
    if role_columns(whole)[name].role != role:
        roles[name] = role
    try:
        cast = assign_roles(whole, roles)
    except ValueError as error:
        st.session_state[WRONG] = str(error)
        return
    if (before := library.find_whole(text)) is None or before.target.name != cast.target.name:
        classes = AS_READ  # the order is of other classes
    text = own + roles_text(roles) + text_of(words) + classes.text
    whole_text = library.with_rows(text, rows)
    library.take(text if library.refusal(whole_text) else whole_text)


@of_table(max_entries=20)
def card(dataset: Dataset, cast: Dataset, table: Dataset) -> dict[str, Any]:
    """Return what `stacks_card` does."""
    return stacks_card(dataset, cast, table)


# ---- names, units and meanings of the columns of the table in use, edited in a small table

FIELD_LABELS = Texts({"name": "called", "unit": "unit", "meaning": "what it means"})
HELP = Texts(
    {
        "name": "Empty: as in the table.",
        "unit": "Of a number, such as mg/dl: it stands behind the name and behind values.",
        "meaning": "A sentence for those who do not know the column; it stands below questions and in reports.",
    }
)

FORM, OPENED, REFUSED = "column-words-form", "column-words", "column-words-refused"  # keys of the session state
FIELDS = ("name", "unit", "meaning")


def draw_words(dataset: Dataset) -> None:
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
        if wrong := st.session_state.pop(REFUSED, ""):
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
    most, column = dict(zip(FIELDS, LONGEST, strict=True)), st.column_config.TextColumn
    config = {name: column(FIELD_LABELS[name], max_chars=most[name], help=HELP[name]) for name in FIELDS}
    config["column"] = column(say("column in the table"))
    with st.form(FORM, border=False):
        st.data_editor(
            frame, hide_index=True, num_rows="fixed", disabled=["column"], key=editor, width="stretch",
            column_config=config, height=min(38 + 35 * len(frame), 420),
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
                on_click=callback(_take_words),
                args=(own, {}, choice.text),
                disabled=not glossary,
            )


def _take_edited(own: str, frame: pd.DataFrame, editor: str, choice: str) -> None:
    """Give the table the words of the form (a callback)."""
    edited = frame.copy()
    for line, cells in st.session_state[editor]["edited_rows"].items():
        for field, text in cells.items():
            edited.loc[line, field] = text
    _take_words(own, glossary_of(edited), choice)


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


def _take_words(own: str, glossary: dict[str, ColumnWords], choice: str) -> None:
    """Give the table these words (a callback); a filter by columns that are called otherwise now is let go."""
    try:
        text = own + text_of(glossary)
        table = library.find_whole(own)
        named = None if table is None else name_columns(table, glossary)
    except Refusal as refused:
        st.session_state[REFUSED] = str(refused)
        return
    rows = library.divided(library.chosen_key())[1]
    whole = library.with_rows(text + choice, rows)
    library.take(whole if named is not None and not library.refusal(whole) else text + choice)
