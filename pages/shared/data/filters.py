"""The filter of the rows of the data set in use: its builder on the Data page, and the line that says it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import streamlit as st

from espalier.data import Dataset, Filter, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.errors import counted, number_text
from espalier.data.filters import ALL, BARE, LONGEST, SIGNS, Column, Condition
from espalier.data.options import calendar_day
from espalier.data.subset import check_part, mask_of
from espalier.display.theme import count
from espalier.language import Texts, say
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, guarded, plain
from pages.shared.data import library

HELD_ROWS = "test-rows"  # of the session state: the text of a filter; empty: chance holds rows out


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
    return "" if _fault() else st.session_state.get(HELD_ROWS, "")


def hold_rows(rows: str) -> None:
    """Hold these rows out from now on."""
    st.session_state[HELD_ROWS] = rows
    st.rerun(scope="app")


def draw_held_rows() -> bool:
    """Say which rows are held out, with the way back to chance, or why they cannot be; whether they are."""
    if not (text := st.session_state.get(HELD_ROWS, "")):
        return False
    conditions = plain(filter_of(text).words)
    if fault := _fault():
        st.caption(
            say(
                "Held out would be: {conditions}. {reason} **Chance holds rows out instead.**",
                conditions=conditions,
                reason=plain(fault),
            )
        )
    else:
        mask = _held_mask(text)
        st.caption(
            say(
                ":material/call_split: Held out: {conditions} ({n} of {n_all})",
                conditions=conditions,
                n=count(int(mask.sum())),
                n_all=counted(len(mask), "row"),
                n_all_2=count(len(mask)),
            )
        )
        groups = library.in_use().roles.groups
        if groups is not None and (n := len(np.intersect1d(groups.codes[mask], groups.codes[~mask]))):
            st.caption(group_warning(n, plain(groups.name)))
    st.button(
        say("By chance"), icon=":material/casino:", help=say("Chance holds rows out again."), key="by chance",
        on_click=callback(st.session_state.update), args=({HELD_ROWS: ""},),
    )  # fmt: skip
    return not fault


def _fault() -> str:
    """What is wrong with the filter for the table in use; empty if nothing is."""
    text, table = st.session_state.get(HELD_ROWS, ""), library.in_use()
    if not text:
        return ""
    try:
        mask = _held_mask(text)
    except FilterError as error:
        return str(error)
    try:
        check_part(table, ~mask)
    except FilterError:
        return say("The other rows are fewer than two, or have one target only, so that no tree can grow on them.")
    return "" if mask.any() else say("No row of this table fulfils it.")


def _held_mask(text: str) -> np.ndarray:
    return mask_of(library.in_use(), filter_of(text))


def group_warning(n: int, group: str) -> str:
    """Warning of groups that a condition parts; their column's name is Markdown."""
    there = say("1 group has") if n == 1 else say("{n} groups have", n=count(n))
    return say(
        ":material/warning: {there} rows on both sides: a tree that has seen some rows of a **{group}** knows "
        "the others, so that its held-out score is too good.",
        there=there,
        group=group,
    )


# ---- the filter of the rows of the data set in use: its builder on the Data page, and the line that says it

OPEN, OF = "filter-rows", "filter-of"  # keys of the session state: the drawer, and the data set of its lines
MOST_CLASSES = 8  # whose numbers of rows are listed


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
    """Draw the drawer of the builder."""
    drawer = st.expander(say("Filter rows"), icon=":material/filter_alt:", key=OPEN, on_change="rerun")
    if drawer.open:
        with drawer:
            _builder(library.chosen_key())


@st.fragment(key="filter")
@guarded
def _builder(key: str) -> None:
    """Draw the conditions, how many rows they keep, and the buttons that act on them."""
    table, rows = library.divided(key)
    whole = library.find_whole(table)
    if whole is None:
        return
    st.caption(
        say(
            "Work on a part of the rows: every page then takes it for the whole table. *And* "
            "binds more than *or*, which begins another alternative."
        )
    )
    lines = Lines("filter", columns_of(whole))
    if st.session_state.get(OF) != key or not lines.are_there:
        st.session_state[OF] = key
        lines.fill(ALL if library.refusal(key) else filter_of(rows))
    made = lines.draw()
    is_fit = _count(whole, made)
    with st.container(horizontal=True, key="filter buttons"):
        st.button(say("Add a condition"), icon=":material/add:", on_click=callback(lines.add), key="add condition")
        asked = _buttons(whole, made, is_fit)
        if st.button(
            say("Hold these rows out"),
            help=say(
                "Trees grow on the other rows and are tested on these, instead of on rows that "
                "chance holds out: rows of a column “test”, of a later year, of another place. Folds "
                "of cross-validation stay as they are."
            ),
            disabled=made is None,
            key="hold out rows",
        ):
            hold_rows("" if made is None else made.text)
    if asked is not None:
        keep(asked)
    if library.chosen_key() != key:
        st.rerun(scope="app")


def _buttons(whole: Dataset, made: Filter | None, is_fit: bool) -> Filter | None:
    """Draw the buttons that keep rows; the filter of those that one of them asks for."""
    if st.button(
        say("Keep these rows"), type="primary", icon=":material/check:", disabled=not is_fit, key="keep rows"
    ):
        return made
    others = None if made is None else _others(whole, made)
    if st.button(
        say("Keep the others"),
        help=say("Turns the conditions round: just the rows that they leave out are kept."),
        disabled=others is None,
        key="keep others",
    ):
        return others
    return None


def _others(whole: Dataset, made: Filter) -> Filter | None:
    """The filter of all other rows; None where there are too few, or too many conditions to say which."""
    if np.prod([len(conditions) for conditions in made.alternatives], dtype=float) > LONGEST:
        return None
    try:
        others = made.opposite.in_short(columns_of(whole))
        check_part(whole, mask_of(whole, filter_of(others.text)))
    except FilterError:
        return None
    return others


def _count(whole: Dataset, made: Filter | None) -> bool:
    """Say how many rows the conditions keep; whether one can work on them."""
    if made is None:
        st.caption(say("A condition has no value yet: choose one, or take the condition away."))
        return False
    try:
        mask = mask_of(whole, filter_of(made.text))
        n, n_all = int(mask.sum()), len(mask)
        line = say("**{n} of {n_all}**", n=count(n), n_all=counted(n_all, "row"), n_all_2=count(n_all))
        if whole.is_classification and len(whole.classes) <= MOST_CLASSES:
            sizes = zip(
                whole.classes, np.bincount(whole.y[mask], minlength=len(whole.classes)).tolist(), strict=True
            )
            line += ": " + ", ".join(
                say("{name} {size}", name=plain(name), size=count(size)) for name, size in sizes
            )
        st.markdown(line)
        check_part(whole, mask)
    except FilterError as error:
        st.warning(plain(str(error)))
        return False
    return True


JOINTS = Texts({"and": "and", "or": "or"})
NUMBER_RELATIONS = Texts({"gt": ">", "ge": "≥", "le": "≤", "lt": "<", "in": "is", "out": "is not"})
CATEGORY_RELATIONS = Texts({"in": "is one of", "out": "is none of"})
LEVEL_RELATIONS = Texts({"le": "at most", "ge": "at least", "gt": "above", "lt": "below"})
GAP_RELATIONS = Texts({"missing": "is missing", "known": "is known"})

LINE_NUMBERS = "filter-lines"  # ending of a key of the session state: the numbers of the lines
MOST_VALUES = 500  # different numbers to choose from


class Lines:
    """The lines of one builder, whose widgets have keys of its own."""

    def __init__(self, name: str, columns: Mapping[str, Column]):
        """The builder of this name, of conditions on these columns."""
        self.name, self.columns = name, columns

    @property
    def numbers(self) -> list[int]:
        """Numbers of the lines, from above."""
        return st.session_state.get(f"{self.name} {LINE_NUMBERS}", [])

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
        st.session_state[f"{self.name} {LINE_NUMBERS}"] = list(range(start, start + len(flat)))
        for line, (is_first, condition) in zip(self.numbers, flat, strict=True):
            self._put(line, condition)
            st.session_state[self.key(line, "joint")] = "or" if is_first else "and"

    def add(self) -> None:
        """Add a line (a callback)."""
        line = max(self.numbers) + 1
        st.session_state[f"{self.name} {LINE_NUMBERS}"] = [*self.numbers, line]
        self._put(line, self._proposal())

    def _drop(self, line: int) -> None:
        st.session_state[f"{self.name} {LINE_NUMBERS}"] = [one for one in self.numbers if one != line]

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
        value = _widget_value(column, condition.values[0]) if single else list(condition.values)
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
                joint = "and"
                if place:
                    joint = st.selectbox(
                        say("Joined by"), list(JOINTS), key=self.key(line, "joint"), width=90,
                        label_visibility="collapsed", format_func=JOINTS.__getitem__,
                    )  # fmt: skip
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
        st.session_state.setdefault(key, _widget_value(column, _median(column)))
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


def _widget_value(column: Column, text: str) -> float | date:
    """The value that the widget of a number, or of a date, has for a text; not of one that the column refuses."""
    number = column.number(text)
    number = 0.0 if np.isnan(number) else number
    return number if column.since is None else calendar_day(number, column.since)


def _different(column: Column) -> list[str]:
    known = np.unique(column.values[~np.isnan(column.values)])
    return [column.text(float(value)) for value in itertools.islice(known, MOST_VALUES)]
