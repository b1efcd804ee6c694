"""Widgets that correct how a file was read, and the choices that the file itself leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from espalier.data.choices import ReadingChoice, date_choice
from espalier.data.columns.cells import guess_anew
from espalier.data.formats.readers import TEXT_FORMATS
from espalier.data.options import DECIMALS, DELIMITERS, ENCODINGS, MAYBE_MISSING, THOUSANDS, ReadOptions
from espalier.language import say, to_say
from pages.shared.app import frame
from pages.shared.data import draft as drafts
from pages.shared.data.draft import Draft

EMPTY = to_say("(empty cell)")
MARKS = ("text", "parquet")  # formats whose numbers have marks of their own
LISTS = {  # fields that are chosen from a list: label, values with their titles, formats
    "format": (to_say("Format"), TEXT_FORMATS, tuple(TEXT_FORMATS)),
    "delimiter": (to_say("Cells are parted by"), DELIMITERS, ("text",)),
    "decimal": (to_say("Decimal mark"), DECIMALS, MARKS),
    "thousands": (to_say("Thousands mark"), THOUSANDS, MARKS),
    "encoding": (to_say("Encoding"), ENCODINGS, tuple(TEXT_FORMATS)),
}


def edit_options(draft: Draft) -> None:
    """Draw the reading options that the format leaves open; a change reads the file again."""
    options = draft.options
    if options is None:
        return
    with st.expander(say("How it was read"), expanded=draft.error is not None, icon=":material/tune:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for field, (label, names, formats) in LISTS.items():
                if options.format in formats:
                    _choose(draft, options, field, say(label), {name: say(text) for name, text in names.items()})
            if options.format == "excel" and draft.table and len(draft.table.sheets) > 1:
                _choose(draft, options, "sheet", say("Sheet"), {name: name for name in draft.table.sheets})
            if options.format in ("text", "excel"):
                label = say("Rows to skip" if options.format == "excel" else "Lines to skip")
                st.number_input(label, 0, 10_000, width=130, **_state(draft, "skip", options.skip))
                st.toggle(say("First row has the names"), **_state(draft, "header", options.header))
        present = draft.table.markers if draft.table else {}
        unseen = [marker for marker in options.missing if marker and marker not in present]
        shown = [marker or say(EMPTY) for marker in options.missing if marker not in unseen]
        st.multiselect(
            say("Texts read as missing"), list(dict.fromkeys([*shown, say(EMPTY), *MAYBE_MISSING])),
            accept_new_options=True, help=say("Add your own, such as -999, and press Enter."),
            **_state(draft, "missing", shown, unseen),
        )  # fmt: skip


def _choose(draft: Draft, options: ReadOptions, field: str, label: str, names: dict[str, str]) -> None:
    value = getattr(options, field)
    names = names if value in names else {value: value or say("as guessed"), **names}
    width = 290 if field == "encoding" else 170
    st.selectbox(label, list(names), format_func=names.__getitem__, width=width, **_state(draft, field, value))


def _state(draft: Draft, field: str, value: Any, unseen: Iterable[str] = ()) -> dict[str, Any]:
    """Key and callback of the widget of an option, which shows the value in use."""
    key = f"{field} {draft.number}"
    st.session_state[key] = value
    return {"key": key, "on_change": frame.callback(_take), "args": (field, key, list(unseen))}


def _take(field: str, key: str, unseen: list[str]) -> None:
    """Read the file by the option of a widget (a callback); texts that the file does not hold stay missing."""
    draft, value = drafts.current(), st.session_state[key]
    if draft is None or draft.options is None:
        return
    if field == "missing":
        marked = [*unseen, *("" if marker == say(EMPTY) else marker for marker in value)]
        before = [marker for marker in draft.options.missing if marker in marked]
        value = tuple(dict.fromkeys([*before, *marked]))
    drafts.read_again(guess_anew(draft.options._replace(**{field: value}), draft.options))


# ---- what the file leaves open


def show_choices(
    choices: Iterable[ReadingChoice], key: object, read_again: Callable[..., None], *more: object
) -> None:
    """Draw two readings side by side wherever the file (of this `key`) leaves one open; one click takes the other.

    It calls `read_again` with its options, and with what is `more`.
    """
    for choice in choices:
        with st.container(border=True):
            st.markdown(f"**{frame.plain(choice.question)}**")
            for column, reading in zip(st.columns(2), (choice.used, choice.other), strict=True):
                with column.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(frame.plain(reading.label), width="stretch")
                    if reading is choice.used:
                        st.badge(say("Read so now"), icon=":material/check:")
                    else:
                        st.button(
                            say("Read it so"), key=f"other {choice.what} {key}",
                            on_click=frame.callback(read_again), args=(reading.options, *more),
                        )  # fmt: skip
                cells = {name: [row[i] for row in reading.rows] for i, name in enumerate(reading.names)}
                column.dataframe(cells, hide_index=True, width="stretch")


def show_dates(draft: Draft) -> None:
    """Draw both readings of every column of dates in which the day may come first, or the month."""
    for plan in draft.plans:
        if draft.table is not None and plan.kind == "date" and plan.rival:
            choice = date_choice(draft.table.frame[plan.name], (plan.form, plan.rival), draft.table.options)
            show_choices([choice], draft.number, _turn, plan.name)


def _turn(_: ReadOptions, name: str) -> None:
    """Read the column in its other order (a callback)."""
    draft = drafts.current()
    if draft is not None:
        turned = (p._replace(form=p.rival, rival=p.form) if p.name == name else p for p in draft.plans)
        drafts.update(plans=tuple(turned))
