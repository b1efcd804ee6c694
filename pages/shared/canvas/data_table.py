"""Tables on pages, whose numbers have the marks of the language: a browser writes them in English otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from espalier.display.theme import number, percent
from espalier.language import ENGLISH, in_style, say, spoken
from pages.shared.app.frame import callback

MOST_CELLS = 40_000  # that pandas writes in half a second; larger tables stay as the browser writes them
DIGITS = 6  # of numbers without a format of their own
NUMBER, PROGRESS = "number", "progress"  # kinds of columns
PERCENT = "percent"  # format, which a browser writes as 12%


def data_table(table: Any, *, column_config: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """Draw the table as `st.dataframe` does, sorted by its numbers, which are written in the language spoken.

    It is a data frame, or a table of Arrow.
    """
    columns = dict(column_config or {})
    types = {
        name: (one.get("type_config") or {}) if isinstance(one, dict) else {} for name, one in columns.items()
    }
    if spoken() == ENGLISH and not any(kind.get("format") == PERCENT for kind in types.values()):
        return st.dataframe(table, column_config=columns, **options)
    if not isinstance(table, pd.DataFrame):
        table = table.to_pandas()
    if table.size > MOST_CELLS or not (table.columns.is_unique and table.index.is_unique):
        return st.dataframe(table, column_config=columns, **options)
    writers = {}
    for name in (name for name in table if table[name].dtype.kind == "f"):
        kind = types.get(name, {})
        writers[name] = _writer(kind.get("format"))
        if kind.get("type") == NUMBER:  # a format would overrule ours
            columns[name] = {**columns[name], "type_config": {**kind, "format": None}}
        elif kind.get("type") == PROGRESS and kind.get("format") != PERCENT:  # the browser writes in a bar
            columns[name] = {**columns[name], "type_config": {**kind, "format": "localized"}}
    return st.dataframe(table.style.format(writers, na_rep=""), column_config=columns, **options)


def _writer(form: str | None) -> Callable[[float], str]:
    if form == PERCENT:
        return percent
    if form and form.startswith("%"):
        return lambda value: in_style((form % value).replace("-", "−"))
    return partial(number, digits=DIGITS)


# ---- tabs, which the address knows by their English names in every language


def picked_row(table: pd.DataFrame, key: str, column: str) -> int | None:
    """The number in this column of the row that was ticked in the table of this key; None where none is."""
    rows = st.session_state[key].selection.rows
    return int(table[column].to_numpy()[rows[0]]) if rows and rows[0] < len(table) else None


def draw_tabs(names: Iterable[str], key: str) -> dict[str, Any]:
    """Draw the tabs, each by its English name; `key` has that of the open one."""
    titles = {name: say(name) for name in names}
    if spoken() == ENGLISH:
        return dict(zip(titles, st.tabs(list(titles), key=key, on_change="rerun"), strict=True))
    widget = f"{key} in {spoken()}"
    st.session_state[widget] = titles[st.session_state[key]]
    texts = list(titles.values())
    tabs = st.tabs(texts, key=widget, on_change=callback(_take), args=(key, widget, list(titles), texts))
    return dict(zip(titles, tabs, strict=True))


def draw_open_tab(bodies: Mapping[str, Callable[..., Any]], key: str, *of: Any) -> None:
    """Draw the tabs, and in the open one what its function draws of these arguments."""
    for name, tab in draw_tabs(bodies, key).items():
        if tab.open:
            with tab:
                bodies[name](*of)


def _take(key: str, widget: str, english: list[str], texts: list[str]) -> None:
    st.session_state[key] = english[texts.index(st.session_state[widget])]
