"""The columns of the table in use: stacks of their rows, their roles and words, and the class that counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from espalier.data import Dataset
from espalier.data.column_changes import (
    ALONE,
    LONGEST,
    ColumnWords,
    assign_roles,
    name_columns,
    role_columns,
    roles_text,
    table_and_roles,
    table_and_words,
    text_of,
)
from espalier.data.dataset import AS_READ, choice_by_names, table_and_choice
from espalier.display.column_stacks import MOST, stacks_card
from espalier.display.theme import count
from espalier.language import Refusal, Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import mount, reported
from pages.shared.data import library
from pages.shared.models import drawer

WRONG = "columns-refused"  # key of the session state: why the last choice was not possible
OPENED = "column-words"  # key of the fold
COUNTS = "class-counts"  # key of the session state: name of the class that counts
FIELDS = Texts({"name": "called", "unit": "unit", "meaning": "what it means"})
GUESSED_BY = Texts(
    {"name": "guessed by its name", "rarity": "guessed as the rarer one", "choice": "as chosen before"}
)

_component = mount("columns")


def draw(dataset: Dataset) -> None:
    """Draw the columns; a role that is chosen stands behind the table's text."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.warning(plain(wrong))
    text = table_and_words(table_and_choice(library.divided(library.key_of(dataset))[0])[0])[0]
    cast = library.find_whole(text) or dataset
    table = library.find_whole(table_and_roles(text)[0]) or cast
    show({**card(dataset, cast, table), "wrong": wrong}, len(dataset.features), assign)


def show(columns: dict[str, Any], n_columns: int, take: Callable[[str, str], None] | None = None) -> None:
    """Draw the columns of `stacks_card`; `take` is called with a column and the role that is chosen for it."""

    def report() -> None:
        choice = role_sent(reported("columns", "role"), columns)
        if choice and take:
            take(*choice)

    with st.container(key="columns in use"):
        _component({**columns, "changes": take is not None}, key="columns", on_role_change=callback(report))
    if n_columns >= MOST:
        st.caption(say("The first {most} of {n_columns} columns.", most=MOST, n_columns=count(n_columns)))


def role_sent(sent: Any, card: dict[str, Any]) -> tuple[str, str] | None:
    """The column and the role that the browser sent; None for anything that this card does not offer."""
    if not isinstance(sent, dict):
        return None
    offers = {column["key"]: [role for role, _ in column["roles"]] for column in card["columns"]}
    name, role = sent.get("column"), sent.get("role")
    if isinstance(name, str) and isinstance(role, str) and role in offers.get(name, ()):
        return name, role
    return None


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
    _take(own + roles_text(roles) + text_of(words) + classes.text, rows)


def _take(text: str, rows: str) -> None:
    """Make this table that of the session, with a filter of its rows where that fits."""
    whole = library.with_rows(text, rows)
    library.take(text if library.refusal(whole) else whole)


@of_table(max_entries=20)
def card(dataset: Dataset, cast: Dataset, table: Dataset) -> dict[str, Any]:
    """Return what `stacks_card` does."""
    return stacks_card(dataset, cast, table)


# ---- the class that counts


def draw_settings(dataset: Dataset) -> None:
    """Draw what the drawer has: the rows held out, and the class that counts, which the table's text has."""
    drawer.draw_held_out()
    if not dataset.is_classification:
        return
    text, choice = table_and_choice(library.divided(library.key_of(dataset))[0])
    table = library.find(text) or dataset
    classes, marks = table.classes, table.target.marks
    guess = guessed_class("" if marks.positive is None else classes[marks.positive], marks.by)
    st.session_state[COUNTS] = "" if choice.positive is None else classes[choice.positive]
    st.selectbox(
        say("The class that counts"), ["", *classes], key=COUNTS, on_change=callback(_take_class),
        args=(text, classes, [classes[code] for code in choice.order]), format_func=lambda name: name or guess,
        help=say("ROC, sensitivity and precision are of this class. *Term:* positive class."),
    )  # fmt: skip


def _take_class(text: str, classes: tuple[str, ...], order: list[str]) -> None:
    if COUNTS in st.session_state:  # else the message of a page came after the page had gone
        choice = choice_by_names(classes, order, st.session_state[COUNTS])
        library.take(library.with_rows(text + choice.text, library.divided(library.chosen_key())[1]))


def guessed_class(name: str, by: str) -> str:
    """The class that counts if nobody chooses one; an empty name: none does."""
    return f"{name}, {GUESSED_BY[by]}" if name else say("none", context="class")


# ---- names, units and meanings of the columns


def draw_words(dataset: Dataset) -> None:
    """Draw a table to write them in, behind a line that opens it; they stand behind the table's text."""
    fold = st.expander(
        say("Names, units and meanings of the columns"), icon=":material/edit_note:", on_change="rerun", key=OPENED
    )
    text, choice = table_and_choice(library.divided(library.key_of(dataset))[0])
    own, glossary = table_and_words(text)
    table = library.find_whole(own) if fold.open else None
    if table is None:
        return
    column = st.column_config.TextColumn
    config = {name: column(title, max_chars=n) for (name, title), n in zip(FIELDS.items(), LONGEST, strict=True)}
    with (
        fold,
        st.form("column-words-form", border=False),
    ):  # a page that ran at every cell would be slow to write in
        edited = st.data_editor(
            frame_of(table, glossary), hide_index=True, num_rows="fixed", disabled=["column"], width="stretch",
            column_config={**config, "column": column(say("column in the table"))}, key=f"column words {text}",
        )  # fmt: skip
        if st.form_submit_button(say("Use these words"), type="primary"):
            _take_words(own, glossary_of(edited), choice.text)
            st.rerun()


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
    """Give the table these words; a filter by columns that are called otherwise now is let go."""
    try:
        text = own + text_of(glossary)
        if (table := library.find_whole(own)) is not None:
            name_columns(table, glossary)
    except Refusal as refused:
        st.session_state[WRONG] = str(refused)
        return
    _take(text + choice, library.divided(library.chosen_key())[1])
