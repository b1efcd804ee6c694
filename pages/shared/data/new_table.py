"""The table that a person brings in, before it is taken into use."""

from __future__ import annotations

import streamlit as st

from espalier.data.errors import TableError
from espalier.language import say
from pages.shared.app.frame import callback, plain
from pages.shared.data import (
    class_order,
    draft,
    intake,
    library,
    reading_options,
    row_columns,
    table_editor,
)
from pages.shared.data.draft import Draft


def draw(opened: Draft) -> None:
    """Draw the new table: how it was read, its columns and target, and the button that takes it into use."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"#### {plain(opened.filename)}", width="stretch")
            st.button(say("Discard"), icon=":material/close:", on_click=callback(draft.discard), type="tertiary")
        if opened.reading:
            intake.wait()
            return
        if opened.error:
            table_editor.show_error(opened.error)
        reading_options.edit_options(opened)
        if opened.table:
            reading_options.show_choices(opened.table.choices, opened.number, draft.read_again)
            reading_options.show_dates(opened)
            plans = table_editor.edit_columns(opened)
            opened = draft.update(plans=plans) or opened
            _use(opened)


def _use(opened: Draft) -> None:
    """Target, first rows and notes of the draft, and the button that takes it into use."""
    goes_on = opened.is_urgent and opened.target == opened.wish
    opened = draft.update(is_urgent=False) or opened
    if opened.table and opened.wish and opened.wish not in opened.table.frame:
        st.warning(
            say(
                "The table has no column “{name}”, which the command line names as its target. Choose the target "
                "below.",
                name=plain(opened.wish),
            ),
            icon=":material/track_changes:",
        )
    target, task = table_editor.pick_target(opened)
    opened = draft.update(target=target, task=task, **row_columns.pick(opened, target)) or opened
    try:
        dataset, notes = draft.dataset(opened)
    except TableError as error:
        table_editor.show_error(error)
        table_editor.show_notes([*opened.table.notes] if opened.table else [])
        return
    library.keep_recipe(dataset, draft.recipe(opened))  # of the table without a choice of its classes
    dataset = class_order.of_draft(opened, dataset)
    table_editor.show_notes([*(opened.table.notes if opened.table else ()), *notes])
    table_editor.preview(opened)
    if st.button(say("Use this table"), type="primary", icon=":material/check:") or goes_on:
        page, parameters = intake.page_of(library.choose(dataset))
        st.switch_page(page, query_params=parameters)
