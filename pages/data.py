"""What do we grow trees on? A bundled sample, or a table of one's own."""

import streamlit as st

from espalier.data.errors import TableError
from pages.shared.app import address, frame
from pages.shared.data import draft, gallery, intake, library, reading_options, table_editor
from pages.shared.data.draft import Draft
from pages.shared.models import rail
from pages.shared.words import data as words

PAGE = "data"


@frame.guarded
def data_page() -> None:
    """Draw the data set in use, the way in for one's own table, and the gallery of samples."""
    dataset = library.chosen()
    entries = rail.held_out_entries()
    arrival = address.load(PAGE, entries)
    frame.notes(arrival.notes)
    heading(dataset.name, len(dataset.y), len(dataset.features), dataset.target.name)
    draft.warm()
    intake.bring()
    draft.finish()
    if opened := draft.current():
        edit(opened)
    st.subheader(words.SAMPLES, anchor=False)
    pressed = gallery.draw(library.key_of(dataset))
    address.save(PAGE, entries)
    if pressed:
        gallery.take(pressed)


def heading(name: str, n_rows: int, n_features: int, target: str) -> None:
    """The data set in use, and the rows held out of it."""
    st.header(words.TITLE, anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        size = words.in_use(frame.plain(name), n_rows, n_features, frame.plain(target))
        st.markdown(size, width="stretch")
        with st.popover(words.HELD_OUT, icon=":material/call_split:"):
            rail.draw_held_out()
        st.page_link("pages/tree.py", label=words.TO_TREE, icon=":material/account_tree:")


def edit(opened: Draft) -> None:
    """Draw the new table: how it was read, its columns and target, and the button that takes it into use."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"#### {frame.plain(opened.filename)}", width="stretch")
            st.button(
                words.DISCARD, icon=":material/close:", on_click=frame.callback(draft.discard), type="tertiary"
            )
        if opened.reading:
            intake.wait()
            return
        if opened.error:
            table_editor.show_error(opened.error)
            st.caption(words.UNCHANGED)
        reading_options.edit_options(opened)
        if opened.table:
            reading_options.show_choices(opened)
            plans = table_editor.edit_columns(opened)
            opened = draft.update(plans=plans) or opened
            use(opened)


def use(opened: Draft) -> None:
    """Target, first rows and notes of the draft, and the button that takes it into use."""
    target, task = table_editor.pick_target(opened)
    opened = draft.update(target=target, task=task) or opened
    try:
        dataset, notes = draft.dataset(opened)
    except TableError as error:
        table_editor.show_error(error)
        st.caption(words.UNCHANGED)
        return
    table_editor.show_notes([*(opened.table.notes if opened.table else ()), *notes])
    table_editor.preview(opened)
    if st.button(words.USE, type="primary", icon=":material/check:"):
        key = library.choose(dataset)
        st.switch_page("pages/tree.py", query_params={library.PARAMETER: key})


frame.enter()
data_page()
