"""The lines of the builder of filters: a column, a relation and a value each, as widgets."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import streamlit as st

from espalier.data.errors import number_text
from espalier.data.filters import BARE, SIGNS, Column, Condition, Filter
from espalier.data.options import calendar_day
from espalier.language import Texts, say
from pages.shared.app.frame import callback

JOINTS = Texts({"and": "and", "or": "or"})
NUMBER_RELATIONS = Texts({"gt": ">", "ge": "≥", "le": "≤", "lt": "<", "in": "is", "out": "is not"})
CATEGORY_RELATIONS = Texts({"in": "is one of", "out": "is none of"})
LEVEL_RELATIONS = Texts({"le": "at most", "ge": "at least", "gt": "above", "lt": "below"})
GAP_RELATIONS = Texts({"missing": "is missing", "known": "is known"})

LINES = "filter-lines"  # ending of a key of the session state: the numbers of the lines
MOST_VALUES = 500  # different numbers to choose from


class Lines:
    """The lines of one builder, whose widgets have keys of its own."""

    def __init__(self, name: str, columns: Mapping[str, Column]):
        """The builder of this name, of conditions on these columns."""
        self.name, self.columns = name, columns

    @property
    def numbers(self) -> list[int]:
        """Numbers of the lines, from above."""
        return st.session_state.get(f"{self.name} {LINES}", [])

    @property
    def are_there(self) -> bool:
        """Whether the widgets have values."""
        return bool(self.numbers) and self.key(self.numbers[0], "column") in st.session_state

    def key(self, line: int, what: str) -> str:
        """Key of a widget of a line."""
        return f"{self.name} {line} {what}"

    def fill(self, rows: Filter) -> None:
        """Have the lines of this filter; a first proposal where it takes all rows."""
        given = rows.alternatives if any(rows.alternatives) else ((self._proposal(),),)
        flat = [(i == 0, one) for conditions in given for i, one in enumerate(conditions)]
        start = max(self.numbers, default=-1) + 1  # other keys: a widget keeps what it had
        st.session_state[f"{self.name} {LINES}"] = list(range(start, start + len(flat)))
        for line, (is_first, condition) in zip(self.numbers, flat, strict=True):
            self._put(line, condition)
            st.session_state[self.key(line, "joint")] = "or" if is_first else "and"

    def add(self) -> None:
        """Add a line (a callback)."""
        line = max(self.numbers) + 1
        st.session_state[f"{self.name} {LINES}"] = [*self.numbers, line]
        self._put(line, self._proposal())

    def _drop(self, line: int) -> None:
        st.session_state[f"{self.name} {LINES}"] = [one for one in self.numbers if one != line]

    def _proposal(self) -> Condition:
        name, column = next(iter(self.columns.items()))
        if column.categories:
            return Condition(name, "in", column.categories[:1])
        return Condition(name, "gt", (_median(column),))

    def _put(self, line: int, condition: Condition) -> None:
        """Give the widgets of a line the values of a condition."""
        bare = next((word for word, one in BARE.items() if one == (condition.relation, condition.missing)), "")
        relation = condition.relation if condition.values else bare
        state, column = st.session_state, self.columns.get(condition.column)
        if column is None:
            return
        state[self.key(line, "column")] = condition.column
        state[self.key(line, f"relation {condition.column}")] = relation
        state[self.key(line, "missing")] = condition.missing
        single = relation in SIGNS and not column.categories
        value = _of_widget(column, condition.values[0]) if single else list(condition.values)
        value = value[0] if relation in SIGNS and column.categories and isinstance(value, list) else value
        if condition.values:
            state[self._value_key(line, condition.column, relation)] = value

    def _value_key(self, line: int, column: str, relation: str) -> str:
        return self.key(line, f"value {column} {'one' if relation in SIGNS else 'some'}")

    def draw(self) -> Filter | None:
        """Draw the lines; the filter that they make, None while a value lacks."""
        found: list[list[Condition]] = [[]]
        is_whole = True
        for place, line in enumerate(self.numbers):
            with st.container(
                horizontal=True, vertical_alignment="bottom", gap="xsmall", key=self.key(line, "line")
            ):
                joint = self._joint(line) if place else "and"
                condition = self._condition(line)
                if len(self.numbers) > 1:
                    st.button(
                        "",
                        icon=":material/close:",
                        key=self.key(line, "drop"),
                        help=say("Take this condition away"),
                        on_click=callback(self._drop),
                        args=(line,),
                        type="tertiary",
                    )
            if joint == "or":
                found.append([])
            is_whole &= condition is not None
            found[-1] += [condition] if condition else []
        return Filter(tuple(map(tuple, found))) if is_whole else None

    def _joint(self, line: int) -> str:
        return st.selectbox(
            say("Joined by"), list(JOINTS), key=self.key(line, "joint"), label_visibility="collapsed",
            format_func=JOINTS.__getitem__, width=90,
        )  # fmt: skip

    def _condition(self, line: int) -> Condition | None:
        name = st.selectbox(
            say("Column"),
            list(self.columns),
            key=self.key(line, "column"),
            width=200,
            label_visibility="collapsed",
        )
        column = self.columns[name]
        relations = _relations(column)
        relation = st.selectbox(
            say("Relation"), list(relations), key=self.key(line, f"relation {name}"), label_visibility="collapsed",
            format_func=relations.__getitem__, width=130,
        )  # fmt: skip
        if relation in BARE:
            return Condition(name, BARE[relation][0], missing=BARE[relation][1])
        values = self._values(line, name, relation)
        has_gaps = np.isnan(column.values).any()
        missing = has_gaps and st.checkbox(
            say("or missing"),
            key=self.key(line, "missing"),
            help=say("Rows without a value in this column fulfil the condition, too."),
        )
        return Condition(name, relation, values, bool(missing)) if values else None

    def _values(self, line: int, name: str, relation: str) -> tuple[str, ...]:
        """Draw the widget of the value; the texts that it stands for."""
        column, key = self.columns[name], self._value_key(line, name, relation)
        options: dict[str, Any] = {"key": key, "label_visibility": "collapsed"}
        if relation not in SIGNS:
            known = list(column.categories) or _different(column)
            known += [text for text in st.session_state.get(key, []) if text not in known]
            return tuple(
                st.multiselect(say("Value"), known, placeholder=say("choose values"), width=320, **options)
            )
        if column.categories:
            return (st.selectbox(say("Value"), column.categories, width=200, **options),)
        st.session_state.setdefault(key, _of_widget(column, _median(column)))
        if column.since is not None:
            day = st.date_input(say("Value"), None, date.min, date.max, format="YYYY-MM-DD", width=160, **options)
            return (day.isoformat(),) if isinstance(day, date) else ()
        number = st.number_input(say("Value"), format="%g", width=160, **options)
        return (number_text(float(number)),)


def _relations(column: Column) -> dict[str, str]:
    """Relations that the column has, by their words."""
    gaps = GAP_RELATIONS if np.isnan(column.values).any() else {}
    if column.categories:
        return CATEGORY_RELATIONS | (LEVEL_RELATIONS if column.has_order else {}) | gaps
    return NUMBER_RELATIONS | gaps


def _median(column: Column) -> str:
    """A number in the middle of the column, as a text: one of its values."""
    known = np.sort(column.values[~np.isnan(column.values)])
    return column.text(float(known[len(known) // 2])) if len(known) else "0"


def _of_widget(column: Column, text: str) -> float | date:
    """The value that the widget of a number, or of a date, has for a text; not of one that the column refuses."""
    number = column.number(text)
    number = 0.0 if np.isnan(number) else number
    return number if column.since is None else calendar_day(number, column.since)


def _different(column: Column) -> list[str]:
    known = np.unique(column.values[~np.isnan(column.values)])
    return [column.text(float(value)) for value in itertools.islice(known, MOST_VALUES)]
