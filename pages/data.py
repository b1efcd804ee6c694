"""What do we grow trees on? The columns of the table in use, and the ways to another one."""

import streamlit as st

from espalier.data import Dataset, background
from espalier.data.samples import title_of
from espalier.language import say, to_say
from pages.shared.app import address, frame
from pages.shared.app.address import Entry
from pages.shared.app.links import one_of
from pages.shared.canvas.components import draw_tabs
from pages.shared.data import columns, filters, findings, gallery, intake, library, new_table, painting, sessions
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.reports import use
from pages.shared.reports.offer import offer

PAGE = "data"
OWN, _ = TABS = (to_say("Your own table"), to_say("Draw points"))


@frame.guarded
def data_page() -> None:
    """Draw the table in use beside the ways to another one, then what is folded."""
    intake.open_file()
    dataset = library.chosen()
    entries = [
        *drawer.held_out_entries(),
        Entry("part", OWN, one_of(TABS), undo=False, stays=True, name="tab"),
    ]
    arrival = address.load(PAGE, entries)
    frame.notes(arrival.notes)
    bar.table(dataset, PAGE, [])
    sessions.note(dataset)
    new = new_table.current()
    drawer.heading(
        frame.plain(new.filename if new else title_of(dataset)),
        PAGE,
        entries,
        lambda: columns.draw_settings(dataset),
        ("part",),
    )
    left, right = st.columns([7, 3], gap="medium")
    with right:
        own, points = draw_tabs(TABS, "part").values()
        with own:
            intake.bring()
            if new is None:
                new_table.way_back()
        if points.open:
            with points:
                painting.draw()
    with left:
        if new:
            new_table.draw(new)
        else:
            table_in_use(dataset)
    gallery.draw(library.own_text(library.key_of(dataset)))
    findings.draw(dataset)
    columns.draw_words(dataset)
    filters.draw()
    sessions.draw(dataset)
    offer(PAGE, lambda: use.table(dataset))
    address.save(PAGE, entries)
    bar.undo(PAGE)
    background.warm()
    compilation.freeze_imports()


def table_in_use(dataset: Dataset) -> None:
    """Draw the columns of the table in use, what it is about, and the way to its tree."""
    with st.container(horizontal=True, vertical_alignment="center", key="table in use"):
        st.markdown(new_table.size_line(dataset), width="stretch")
        if st.button(say("Grow its tree"), type="primary", icon=":material/account_tree:", key="grow"):
            page, parameters = intake.page_of(library.key_of(dataset))
            st.switch_page(page, query_params=parameters)
    gallery.about(dataset, library.own_text(library.key_of(dataset)))
    with frame.figure_part("view"):
        columns.draw(dataset)


frame.enter()
data_page()
