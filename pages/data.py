"""What do we grow trees on? A bundled sample or a table of one's own."""

import streamlit as st

from espalier.data import Dataset
from espalier.data.errors import counted
from espalier.data.samples import title_of
from espalier.language import say, to_say
from pages.shared.app import address, embedding, frame
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.canvas import tabs as page_tabs
from pages.shared.data import (
    class_order,
    draft,
    filters,
    gallery,
    intake,
    library,
    new_table,
    painting,
    row_columns,
)
from pages.shared.data.misleading import findings
from pages.shared.data.naming import columns
from pages.shared.data.saved import controls as saved
from pages.shared.jobs import compilation
from pages.shared.models import drawer
from pages.shared.reports import data as reports
from pages.shared.reports.offer import offer

PAGE = "data"
TABLE, _ = NAMES = (to_say("Tables"), to_say("Draw points"))


@frame.guarded
def data_page() -> None:
    """Draw the data set in use, and below it the tabs."""
    intake.open_file()
    dataset = library.chosen()
    shown = Entry("part", TABLE, one_of(NAMES), undo=False, stays=True, name="tab")
    entries = [*drawer.held_out_entries(), shown]
    arrival = address.load(PAGE, entries)
    frame.notes(arrival.notes)
    saved.note(dataset)
    heading(dataset)
    columns.draw(dataset)
    findings.draw(dataset)
    builder = st.container()
    with embedding.part("view"):
        of_tables, of_points = page_tabs.draw(NAMES, "part").values()
    with of_tables:
        pressed = tables(dataset)
    painting.tab(of_points)
    address.save(PAGE, entries)
    with builder:
        filters.draw(PAGE)
    offer(PAGE, lambda: reports.reported(dataset))
    if pressed:
        gallery.take(pressed)
    compilation.freeze_imports()


def tables(dataset: Dataset) -> str | None:
    """Draw the way in for one's own table, and the gallery. The name of the sample whose button was pressed."""
    draft.warm()
    intake.bring()
    draft.finish()
    if opened := draft.current():
        new_table.draw(opened)
    st.subheader(say("Or take a sample"), anchor=False)
    return gallery.draw(library.own_text(library.key_of(dataset)))


def heading(dataset: Dataset) -> None:
    """The data set in use, and the rows held out of it."""
    st.header(say("Data"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        name, target = frame.plain(title_of(dataset)), frame.plain(dataset.target.name)
        roles = row_columns.in_use(dataset)
        st.markdown(_size_line(name, len(dataset.y), len(dataset.features), target, roles), width="stretch")
        class_order.in_use(dataset)
        with st.popover(say("Rows held out"), icon=":material/call_split:"):
            drawer.draw_held_out()
            drawer.say_roles(dataset, PAGE)
        saved.draw(dataset)
        st.page_link("pages/tree.py", label=say("To its tree"), icon=":material/account_tree:")


def _size_line(name: str, n_rows: int, n_features: int, target: str, roles: str = "") -> str:
    """Size, target and columns with a role of the data set in use; the names are Markdown."""
    rows, columns = counted(n_rows, "row"), counted(n_features, "column")
    return say(
        "In use: **{name}** · {rows} × {columns} · predicts *{target}*{roles}",
        name=name,
        rows=rows,
        columns=columns,
        target=target,
        roles=roles,
    )


frame.enter()
data_page()
