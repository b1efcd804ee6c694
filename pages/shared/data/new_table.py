"""The table that a person brings in, before it is taken into use."""

from __future__ import annotations

import streamlit as st

from espalier.data import Dataset
from espalier.data.errors import TableError
from espalier.language import say
from pages.shared.app.frame import callback, plain
from pages.shared.data import (
    columns,
    draft,
    intake,
    library,
    reading_options,
    table_editor,
)
from pages.shared.data.draft import Draft

BESIDE = "draft-beside"  # key of the session state: number of the draft, and the data in use when it was looked at


def current() -> Draft | None:
    """The draft, unless other data were taken into use since it was looked at; then a button leads back to it."""
    draft.finish()
    new, key = draft.current(), library.chosen_key()
    if new and st.session_state.get(BESIDE, (0, ""))[0] != new.number:
        st.session_state[BESIDE] = new.number, key
    return new if new and st.session_state[BESIDE][1] == key else None


def way_back() -> None:
    """Draw the button that leads back to the draft, where there is one (a part of the page below the upload)."""
    if (new := draft.current()) is not None:
        st.button(
            say("Back to {file}", file=plain(new.filename)), icon=":material/undo:", type="tertiary",
            on_click=callback(st.session_state.update), args=({BESIDE: (new.number, library.chosen_key())},),
        )  # fmt: skip


def draw(new: Draft) -> None:
    """Draw the new table: the way to its tree, what the file leaves open, its columns, and how it was read."""
    head = st.container(horizontal=True, vertical_alignment="center", key="table in use")
    goes_on = new.is_urgent and new.target == new.wish
    dataset = None
    if new.reading:
        intake.wait()
    else:
        if new.error:
            table_editor.show_error(new.error)
        dataset = _columns(draft.update(is_urgent=False) or new) if new.table else None
        reading_options.edit_options(new)
        if new.table:
            table_editor.preview(new)
    with head:
        st.markdown("" if dataset is None else table_editor.size_line(dataset), width="stretch")
        st.button(say("Discard"), icon=":material/close:", on_click=callback(draft.discard), type="tertiary")
        if dataset is None:
            return
        if st.button(say("Grow its tree"), type="primary", icon=":material/account_tree:", key="use") or goes_on:
            page, parameters = intake.page_of(library.choose(dataset))
            st.switch_page(page, query_params=parameters)


def _columns(new: Draft) -> Dataset | None:
    """Draw what the file leaves open, target, columns and notes; the data set that they make, if they make one."""
    reading_options.show_choices(new.content.choices, new.number, draft.read_again)
    reading_options.show_dates(new)
    if new.wish and new.wish not in new.content.frame:
        st.warning(
            say(
                "The table has no column “{name}”, which the command line names as its target. Choose the target "
                "below.",
                name=plain(new.wish),
            ),
            icon=":material/track_changes:",
        )
    aim = st.container(horizontal=True, vertical_alignment="bottom", key="aim")
    offers, figure, notes = st.container(), st.container(), st.container()
    new = draft.update(plans=table_editor.edit_columns(new)) or new
    with aim:
        target, task = table_editor.pick_target(new)
    roles = table_editor.pick(new, target, offers)
    new = draft.update(target=target, task=task, **roles) or new
    try:
        dataset, remarks = draft.dataset(new)
    except TableError as error:
        with notes:
            table_editor.show_error(error)
            table_editor.show_notes([*new.content.notes])
        return None
    library.keep_recipe(dataset, draft.recipe(new))
    with figure:
        columns.show(columns.card(dataset, dataset, dataset), len(dataset.features))
    with notes:
        table_editor.show_notes([*new.content.notes, *remarks])
    return dataset
