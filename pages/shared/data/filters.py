"""Filters of rows: those of the data set in use, and those of the rows that are held out."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import numpy as np
import streamlit as st

from espalier.data import Dataset, Filter, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.errors import counted, number_text
from espalier.data.filters import ALL, BARE, SIGNS, Column, Condition
from espalier.data.options import calendar_day
from espalier.data.subset import check_part, mask_of
from espalier.display.theme import count
from espalier.language import Texts, say
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, guarded, plain
from pages.shared.data import library

HELD_ROWS = "test-rows"  # of the session state: the text of a filter; empty: chance holds rows out
OPEN = "filter-rows"  # key of the fold
MOST_VALUES = 500  # different numbers to choose from
NUMBER_RELATIONS = Texts({"gt": ">", "ge": "≥", "le": "≤", "lt": "<", "in": "is", "out": "is not"})
CATEGORY_RELATIONS = Texts({"in": "is one of", "out": "is none of"})
LEVEL_RELATIONS = Texts({"le": "at most", "ge": "at least", "gt": "above", "lt": "below"})
GAP_RELATIONS = Texts({"missing": "is missing", "known": "is known"})


# ---- rows held out by a condition


def held_rows_entry() -> Entry:
    """The filter as part of the address."""
    return Entry(HELD_ROWS, "", _read_rows, name="test")


def _read_rows(text: str) -> str:
    try:
        return filter_of(text).text
    except FilterError:
        raise ValueError(say("a filter such as petal length~gt~2")) from None


def held_rows() -> str:
    """The text of the filter; empty where there is none, or none that fits the table in use."""
    text = st.session_state.get(HELD_ROWS, "")
    return "" if _fault(text) else text


def draw_held_rows() -> bool:
    """Say which rows are held out, with the way back to chance, or why they cannot be; whether they are."""
    if not (text := st.session_state.get(HELD_ROWS, "")):
        return False
    conditions, fault = plain(filter_of(text).words), _fault(text)
    if fault:
        words = say("Not held out: {conditions}. {reason}", conditions=conditions, reason=plain(fault))
    else:
        mask = mask_of(library.in_use(), filter_of(text))
        rows = counted(len(mask), "row")
        n = count(int(mask.sum()))
        words = say("Held out: {conditions} ({n} of {n_all})", conditions=conditions, n=n, n_all=rows)
    st.caption(words)
    st.button(
        say("By chance"), icon=":material/casino:", help=say("Chance holds rows out again."), key="by chance",
        on_click=callback(st.session_state.update), args=({HELD_ROWS: ""},),
    )  # fmt: skip
    return not fault


def _fault(text: str) -> str:
    """What is wrong with the filter for the table in use; empty if nothing is."""
    table = library.in_use()
    try:
        mask = mask_of(table, filter_of(text))
        if text:
            check_part(table, ~mask)
    except FilterError as error:
        return str(error)
    return "" if mask.any() else say("No row of this table fulfils it.")


# ---- the rows of the data set in use


def line(dataset: Dataset) -> None:
    """Say which rows the data set in use has, with the way back to all; nothing if it has all."""
    if rows := library.divided(library.key_of(dataset))[1]:
        st.caption(f":material/filter_alt: {plain(filter_of(rows).words)}")
        st.button(
            say("All rows"), icon=":material/filter_alt_off:", help=say("Takes the filter away."), key="all rows",
            on_click=callback(keep), args=(ALL,),
        )  # fmt: skip


def keep(rows: Filter) -> None:
    """Make these rows of the table the data set in use (also as a callback)."""
    library.take(library.with_rows(library.chosen_key(), rows.text))


def draw() -> None:
    """Draw the fold in which rows are kept or held out."""
    fold = st.expander(say("Filter rows"), icon=":material/filter_alt:", key=OPEN, on_change="rerun")
    if fold.open:
        with fold:
            _builder()


@st.fragment(key="filter")
@guarded
def _builder() -> None:
    """Draw one condition, how many rows it keeps of those in use, and what can be done with them."""
    key = library.chosen_key()
    table, rows = library.divided(key)
    whole = library.find_whole(table)
    if whole is None:
        return
    columns = columns_of(whole)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        condition = _condition(columns)
    fulfilled = None if condition is None else Filter(((condition,),))
    kept = _narrowed(whole, "" if library.refusal(key) else rows, fulfilled)
    with st.container(horizontal=True, key="filter buttons"):
        if st.button(
            say("Keep these rows"), type="primary", icon=":material/check:", disabled=not kept, key="keep rows"
        ):
            keep(kept or ALL)
            st.rerun(scope="app")
        if st.button(
            say("Hold these rows out"), help=say("Trees grow on the other rows and are tested on these."),
            disabled=fulfilled is None, key="hold out rows",
        ):  # fmt: skip
            st.session_state[HELD_ROWS] = (fulfilled or ALL).text
            st.rerun(scope="app")


def _narrowed(whole: Dataset, rows: str, condition: Filter | None) -> Filter | None:
    """Say how many rows in use fulfil the condition, too; their filter, if a tree can grow on them."""
    if condition is None:
        st.caption(say("Choose a value."))
        return None
    narrow = filter_of(rows).both(condition).in_short(columns_of(whole))
    try:
        mask = mask_of(whole, filter_of(narrow.text))
        n_rows = counted(len(mask), "row")
        st.markdown(say("**{n} of {n_all}**", n=count(int(mask.sum())), n_all=n_rows))
        check_part(whole, mask)
    except FilterError as error:
        st.warning(plain(str(error)))
        return None
    return narrow


def _condition(columns: dict[str, Column]) -> Condition | None:
    """Draw a condition; None while its value lacks."""
    bare: dict[str, Any] = {"label_visibility": "collapsed"}
    name = st.selectbox(say("Column"), list(columns), key="filter column", width=200, **bare)
    column = columns[name]
    relations = _relations(column)
    relation = st.selectbox(
        say("Relation"),
        list(relations),
        key=f"filter relation {name}",
        width=130,
        format_func=relations.__getitem__,
        **bare,
    )
    if relation in BARE:
        return Condition(name, BARE[relation][0], missing=BARE[relation][1])
    values = _values(column, relation, {"key": f"filter-value {name} {relation in SIGNS}", **bare})
    return Condition(name, relation, values) if values else None


def _relations(column: Column) -> dict[str, str]:
    """Relations that the column has, by their words."""
    gaps = GAP_RELATIONS if np.isnan(column.values).any() else {}
    if column.categories:
        return CATEGORY_RELATIONS | (LEVEL_RELATIONS if column.has_order else {}) | gaps
    return NUMBER_RELATIONS | gaps


def _values(column: Column, relation: str, options: dict[str, Any]) -> tuple[str, ...]:
    """Draw the widget of the value; the texts that it stands for."""
    known = np.unique(column.values[~np.isnan(column.values)])
    if relation not in SIGNS:
        names = list(column.categories) or [column.text(float(x)) for x in itertools.islice(known, MOST_VALUES)]
        return tuple(st.multiselect(say("Value"), names, placeholder=say("choose values"), width=320, **options))
    if column.categories:
        return (st.selectbox(say("Value"), column.categories, width=200, **options),)
    middle = float(known[len(known) // 2]) if len(known) else 0.0
    if column.since is not None:
        start = calendar_day(middle, column.since)
        day = st.date_input(say("Value"), start, date.min, date.max, format="YYYY-MM-DD", width=160, **options)
        return (day.isoformat(),) if isinstance(day, date) else ()
    number = st.number_input(say("Value"), value=middle, format="%g", width=160, **options)
    return (number_text(float(number)),)
