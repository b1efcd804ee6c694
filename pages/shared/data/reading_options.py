"""Widgets that correct how a file was read, and the choices that the file itself leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
import streamlit as st

from espalier.data.choices import ReadingChoice, ReadingOption
from espalier.data.columns import cells as codes
from espalier.data.columns.dates import most_dates
from espalier.data.formats.readers import TEXT_FORMATS
from espalier.data.options import (
    AS_TEXT,
    DECIMALS,
    DELIMITERS,
    ENCODINGS,
    MAYBE_MISSING,
    THOUSANDS,
    ReadOptions,
    all_guessed,
)
from espalier.language import Texts, say, to_say
from pages.shared.app import frame
from pages.shared.data import draft as drafts
from pages.shared.data.draft import Draft

ORDERS = Texts({"dmy": "The day comes first", "mdy": "The month comes first"})
CELLS = 3  # of each reading of dates
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
    drafts.read_again(_with_new_guesses(draft.options._replace(**{field: value}), draft.options))


def _with_new_guesses(changed: ReadOptions, options: ReadOptions) -> ReadOptions:
    """The changed options, open again where the old guess was made of other cells."""
    if changed.format != options.format:
        return all_guessed(changed.format)._replace(encoding=changed.encoding)
    if changed.sheet != options.sheet:
        anew = all_guessed("excel")
        return anew._replace(sheet=changed.sheet, encoding=changed.encoding, missing=changed.missing)
    if (changed.decimal, changed.thousands) != (options.decimal, options.thousands):
        return codes.set_formats(changed._replace(formats=()), dict.fromkeys(codes.text_columns(options), AS_TEXT))
    if changed._replace(missing=options.missing, encoding=options.encoding) != options:
        places = changed.fill_down if changed.delimiter == options.delimiter else ()
        return changed._replace(decimal="", thousands="", formats=(), fill_down=places)
    return changed


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
    for place, plan in enumerate(draft.plans):
        if draft.table is None or plan.kind != "date" or not plan.rival:
            continue
        cells, forms = cast(Any, draft.table.frame[plan.name].dropna()), (plan.form, plan.rival)
        days = [read.days for form in forms if (read := most_dates(cells, form)) is not None]
        cells = cells[np.ptp(days, axis=0) > 0].drop_duplicates().iloc[:CELLS]  # 03/03 is one day in both
        question = say("Which date is “{cell}” in “{column}”?", cell=cells.iloc[0], column=plan.name)
        readings = (_dates_read(cells, form, draft.table.options) for form in forms)
        show_choices([ReadingChoice(f"dates-{place}", question, *readings)], draft.number, _turn, plan.name)


def _dates_read(cells: Any, form: str, options: ReadOptions) -> ReadingOption:
    read, title = most_dates(cells, form), (say("In the file"), say("Read as"))
    dates = () if read is None else np.floor(read.days).astype("M8[D]").astype(str)
    return ReadingOption(say(ORDERS[form]), options, title, tuple(zip(cells, dates, strict=False)))


def _turn(_: ReadOptions, name: str) -> None:
    """Read the column in its other order (a callback)."""
    draft = drafts.current()
    if draft is not None:
        turned = (p._replace(form=p.rival, rival=p.form) if p.name == name else p for p in draft.plans)
        drafts.update(plans=tuple(turned))
