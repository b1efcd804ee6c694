"""Widgets that correct how a file was read, and the choices that the file itself leaves open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data.choices import ReadingChoice
from espalier.data.formats.signatures import TEXT_FORMATS
from espalier.data.options import (
    DECIMALS,
    DELIMITERS,
    ENCODINGS,
    MAYBE_MISSING,
    THOUSANDS,
    ReadOptions,
    all_guessed,
)
from pages.shared.app import frame
from pages.shared.data import draft as drafts
from pages.shared.data.draft import Draft

EMPTY = "(empty cell)"
FORMATS = {**TEXT_FORMATS, "excel": "Excel", "parquet": "Parquet"}
WIDGETS = ("format", "sheet", "delimiter", "decimal", "thousands", "encoding", "skip", "header")
UNSAID = {"sheet": "the first", "delimiter": "as guessed", "decimal": "as guessed", "encoding": "as guessed"}


def edit_options(draft: Draft) -> None:
    """The reading options that the format leaves open; a change reads the file again."""
    options = draft.options
    if options is None:
        return
    _follow(draft, options)
    title = f"How it was read: {_in_words(options)}"
    with st.expander(title, expanded=draft.error is not None, icon=":material/tune:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            changed = _edit(draft, options)
        changed = _edit_missing(draft, changed)
    if changed != options:
        drafts.read_again(_with_new_guesses(changed, options))
        st.rerun()


def show_choices(draft: Draft) -> None:
    """Two readings side by side wherever the file leaves one open; one click takes the other."""
    for choice in draft.table.choices if draft.table else ():
        with st.container(border=True):
            st.markdown(f"**{frame.plain(choice.question)}** The file leaves it open.")
            _side_by_side(draft, choice)


def _side_by_side(draft: Draft, choice: ReadingChoice) -> None:
    for column, reading in zip(
        st.columns(2, vertical_alignment="bottom"), (choice.used, choice.other), strict=True
    ):
        with column:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(frame.plain(reading.label), width="stretch")
                if reading is choice.used:
                    st.badge("Read so now", icon=":material/check:")
                else:
                    st.button(
                        "Read it so",
                        key=f"other {choice.what} {draft.number}",
                        on_click=frame.callback(drafts.read_again),
                        args=(reading.options,),
                    )
            cells = {name: [row[i] for row in reading.rows] for i, name in enumerate(reading.names)}
            st.dataframe(cells, hide_index=True, width="stretch")


def _edit(draft: Draft, options: ReadOptions) -> ReadOptions:
    """What the format leaves open, but for texts read as missing."""
    if options.format in TEXT_FORMATS:
        options = _choose(draft, options, "format", "Format", TEXT_FORMATS)
    if options.format == "text":
        options = _choose(draft, options, "delimiter", "Cells are parted by", DELIMITERS)
    if options.format in ("text", "parquet"):
        options = _choose(draft, options, "decimal", "Decimal mark", DECIMALS)
        options = _choose(draft, options, "thousands", "Thousands mark", THOUSANDS)
    if options.format in TEXT_FORMATS:
        options = _choose(draft, options, "encoding", "Encoding", {name: name for name in ENCODINGS})
    if options.format == "excel" and draft.table and len(draft.table.sheets) > 1:
        options = _choose(draft, options, "sheet", "Sheet", {name: name for name in draft.table.sheets})
    return _edit_start(draft, options) if options.format in ("text", "excel") else options


def _edit_start(draft: Draft, options: ReadOptions) -> ReadOptions:
    noun = "Rows" if options.format == "excel" else "Lines"
    skip = st.number_input(f"{noun} to skip", 0, 10_000, key=_default(draft, "skip", options.skip), width=130)
    header = st.toggle("First row has the names", key=_default(draft, "header", options.header))
    return options._replace(skip=int(skip), header=header)


def _edit_missing(draft: Draft, options: ReadOptions) -> ReadOptions:
    """The texts read as missing: those that the file holds are shown, the others stay as they are."""
    found = draft.table.markers if draft.table else {}
    unseen = [marker for marker in options.missing if marker and marker not in found]
    hidden = st.session_state[_default(draft, "hidden", unseen)]
    shown = [marker or EMPTY for marker in options.missing if marker not in hidden]
    chosen = st.multiselect(
        "Texts read as missing",
        list(dict.fromkeys([*shown, EMPTY, *MAYBE_MISSING])),
        key=_default(draft, "missing", shown),
        accept_new_options=True,
        help="Cells with exactly this text. Add your own, such as -999, and press Enter.",
    )
    wanted = [*hidden, *("" if marker == EMPTY else marker for marker in chosen)]
    kept = [marker for marker in options.missing if marker in wanted]
    return options._replace(missing=tuple(dict.fromkeys([*kept, *wanted])))


def _with_new_guesses(changed: ReadOptions, options: ReadOptions) -> ReadOptions:
    """The changed options, open again where the old guess was made of other cells."""
    if changed.format != options.format:
        return all_guessed(changed.format)._replace(encoding=changed.encoding)
    if changed.sheet != options.sheet:
        return changed._replace(delimiter="", decimal="", thousands="", formats=())
    if (changed.decimal, changed.thousands) != (options.decimal, options.thousands):
        return changed._replace(formats=())
    if changed._replace(missing=options.missing, encoding=options.encoding) != options:
        return changed._replace(decimal="", thousands="", formats=())
    return changed


def _follow(draft: Draft, options: ReadOptions) -> None:
    """Let the widgets show the options in use, also those that a choice or a new guess has brought."""
    mark = f"options {draft.number}"
    before = st.session_state.get(mark)
    if before is not None and before != options:
        for field in WIDGETS:
            st.session_state[f"{field} {draft.number}"] = getattr(options, field)
        hidden = st.session_state.get(f"hidden {draft.number}", [])
        st.session_state[f"missing {draft.number}"] = [m or EMPTY for m in options.missing if m not in hidden]
    st.session_state[mark] = options


def _choose(draft: Draft, options: ReadOptions, field: str, label: str, words: dict[str, str]) -> ReadOptions:
    value = getattr(options, field)
    words = words if value in words else {value: value or UNSAID.get(field, "none"), **words}
    key = _default(draft, field, value)
    chosen = st.selectbox(label, list(words), key=key, format_func=words.__getitem__, width=170)
    return options._replace(**{field: chosen})


def _default(draft: Draft, field: str, value: Any) -> str:
    """Key of the widget for a field of this draft, its state set if it is drawn for the first time."""
    key = f"{field} {draft.number}"
    st.session_state.setdefault(key, value)
    return key


def _in_words(options: ReadOptions) -> str:
    if options.format not in ("text", "excel"):
        return FORMATS[options.format]
    header = "names in the first row" if options.header else "no names"
    if options.format == "excel":
        return f"Excel, {header}"
    parted = f"parted by {DELIMITERS.get(options.delimiter, 'what is guessed')}"
    decimal = f"decimal {DECIMALS.get(options.decimal, 'mark as guessed')}"
    return f"{parted}, {decimal}, {options.encoding}, {header}"
