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
    QUOTES,
    THOUSANDS,
    ReadOptions,
    all_guessed,
)
from espalier.language import Texts, say
from pages.shared.app import frame
from pages.shared.data import draft as drafts
from pages.shared.data.draft import Draft

NOT_CHOSEN = Texts(
    {"sheet": "the first", "delimiter": "as guessed", "decimal": "as guessed", "encoding": "as guessed"}
)
ORDERS = Texts({"dmy": "The day comes first", "mdy": "The month comes first"})

CELLS = 3  # of each reading of dates
WIDTHS = {"encoding": 290}  # of widgets with long names, in pixels
WIDGETS = ("format", "sheet", "delimiter", "quote", "decimal", "thousands", "encoding", "skip", "header")


def edit_options(draft: Draft) -> None:
    """The reading options that the format leaves open; a change reads the file again."""
    options = draft.options
    if options is None:
        return
    _follow(draft, options)
    with st.expander(
        say("How it was read: {options}", options=_in_short(options)),
        expanded=draft.error is not None,
        icon=":material/tune:",
    ):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            changed = _edit(draft, options)
        changed = _edit_missing(draft, changed)
    if changed != options:
        drafts.read_again(_with_new_guesses(changed, options))
        st.rerun()


def show_choices(
    choices: Iterable[ReadingChoice], key: object, read_again: Callable[..., None], *more: object
) -> None:
    """Two readings side by side wherever the file (of this `key`) leaves one open; one click takes the other.

    It calls `read_again` with its options, and with what is `more`.
    """
    for choice in choices:
        with st.container(border=True):
            question = frame.plain(choice.question)
            st.markdown(say("**{question}** The file leaves it open.", question=question))
            _side_by_side(choice, key, read_again, *more)


def _side_by_side(choice: ReadingChoice, key: object, read_again: Callable[..., None], *more: object) -> None:
    for column, reading in zip(
        st.columns(2, vertical_alignment="bottom"), (choice.used, choice.other), strict=True
    ):
        with column:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(frame.plain(reading.label), width="stretch")
                if reading is choice.used:
                    st.badge(say("Read so now"), icon=":material/check:")
                else:
                    st.button(
                        say("Read it so"),
                        key=f"other {choice.what} {key}",
                        on_click=frame.callback(read_again),
                        args=(reading.options, *more),
                    )
            cells = {name: [row[i] for row in reading.rows] for i, name in enumerate(reading.names)}
            st.dataframe(cells, hide_index=True, width="stretch")


def _edit(draft: Draft, options: ReadOptions) -> ReadOptions:
    """Draw the options that the format leaves open, but for texts read as missing."""
    texts = tuple(TEXT_FORMATS)
    for field, label, names, formats in (
        ("format", say("Format"), TEXT_FORMATS, texts),
        ("delimiter", say("Cells are parted by"), DELIMITERS, ("text",)),
        ("quote", say("Around cells"), QUOTES, ("text",) if options.quote != '"' else ()),
        ("decimal", say("Decimal mark"), DECIMALS, ("text", "parquet")),
        ("thousands", say("Thousands mark"), THOUSANDS, ("text", "parquet")),
        ("encoding", say("Encoding"), ENCODINGS, texts),
    ):
        if options.format in formats:
            options = _choose(draft, options, field, label, _said(names))
    if options.format == "excel" and draft.table and len(draft.table.sheets) > 1:
        options = _choose(draft, options, "sheet", say("Sheet"), {name: name for name in draft.table.sheets})
    return _edit_start(draft, options) if options.format in ("text", "excel") else options


def _edit_start(draft: Draft, options: ReadOptions) -> ReadOptions:
    label = say("Rows to skip" if options.format == "excel" else "Lines to skip")
    skip = st.number_input(label, 0, 10_000, key=_default(draft, "skip", options.skip), width=130)
    header = st.toggle(say("First row has the names"), key=_default(draft, "header", options.header))
    return options._replace(skip=int(skip), header=header)


def _edit_missing(draft: Draft, options: ReadOptions) -> ReadOptions:
    """The texts read as missing: those that the file holds are shown, the others stay as they are."""
    present = draft.table.markers if draft.table else {}
    unseen = [marker for marker in options.missing if marker and marker not in present]
    hidden = st.session_state[_default(draft, "hidden", unseen)]
    shown = [marker or say("(empty cell)") for marker in options.missing if marker not in hidden]
    chosen = st.multiselect(
        say("Texts read as missing"),
        list(dict.fromkeys([*shown, say("(empty cell)"), *MAYBE_MISSING])),
        key=_default(draft, "missing", shown),
        accept_new_options=True,
        help=say("Cells with exactly this text. Add your own, such as -999, and press Enter."),
    )
    wanted = [*hidden, *("" if marker == say("(empty cell)") else marker for marker in chosen)]
    kept = [marker for marker in options.missing if marker in wanted]
    return options._replace(missing=tuple(dict.fromkeys([*kept, *wanted])))


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


def _follow(draft: Draft, options: ReadOptions) -> None:
    """Let the widgets show the options in use, also those that a choice or a new guess has brought."""
    mark = f"options {draft.number}"
    before = st.session_state.get(mark)
    if before is not None and before != options:
        for field in WIDGETS:
            st.session_state[f"{field} {draft.number}"] = getattr(options, field)
        hidden = st.session_state.get(f"hidden {draft.number}", [])
        st.session_state[f"missing {draft.number}"] = [
            m or say("(empty cell)") for m in options.missing if m not in hidden
        ]
    st.session_state[mark] = options


def _choose(draft: Draft, options: ReadOptions, field: str, label: str, names: dict[str, str]) -> ReadOptions:
    value = getattr(options, field)
    names = (
        names if value in names else {value: value or NOT_CHOSEN.get(field, say("none", context="mark")), **names}
    )
    key = _default(draft, field, value)
    chosen = st.selectbox(label, list(names), key=key, format_func=names.__getitem__, width=WIDTHS.get(field, 170))
    return options._replace(**{field: chosen})


def _said(names: dict[str, str]) -> dict[str, str]:
    return {value: say(name) for value, name in names.items()}


def _default(draft: Draft, field: str, value: Any) -> str:
    """Key of the widget for a field of this draft, its state set if it is drawn for the first time."""
    key = f"{field} {draft.number}"
    st.session_state.setdefault(key, value)
    return key


def _in_short(options: ReadOptions) -> str:
    """How the file was read, in short; a mark that is still to be guessed is said to be."""
    header = say("names in the first row") if options.header else say("no names")
    if options.format == "excel":
        return f"{say('Excel')}, {header}"
    if options.format != "text":
        return say("Parquet") if options.format == "parquet" else say(TEXT_FORMATS[options.format])
    delimiter, decimal = _said(DELIMITERS).get(options.delimiter), _said(DECIMALS).get(options.decimal)
    parted = say("parted by {delimiter}", delimiter=delimiter) if delimiter else say("parted by what is guessed")
    mark = say("decimal {decimal}", decimal=decimal) if decimal else say("decimal mark as guessed")
    return f"{parted}, {mark}, {_said(ENCODINGS).get(options.encoding, options.encoding)}, {header}"


def show_dates(draft: Draft) -> None:
    """Both readings of every column of dates in which the day may come first, or the month."""
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
    read = most_dates(cells, form)
    return ReadingOption(
        say(ORDERS[form]), options, (say("In the file"), say("Read as")),
        () if read is None
        else tuple(zip(cells, np.floor(read.days).astype("M8[D]").astype(str), strict=True)),
    )  # fmt: skip


def _turn(_: ReadOptions, name: str) -> None:
    """Read the column in its other order (a callback)."""
    draft = drafts.current()
    if draft is not None:
        turned = (p._replace(form=p.rival, rival=p.form) if p.name == name else p for p in draft.plans)
        drafts.update(plans=tuple(turned))
