"""What do many trees do that one cannot? Two forests side by side: their errors, trees, votes and surfaces."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import say, to_say
from pages.shared.app import address, embedding, frame
from pages.shared.app.address import Entry
from pages.shared.boosting import rounds_tab
from pages.shared.canvas.data_table import draw_tabs
from pages.shared.data import library
from pages.shared.explanation import columns
from pages.shared.forests import agreement, differences, error, growing, heading, plane, sample, surface, trees
from pages.shared.forests.forest_job import GrownForest
from pages.shared.forests.live import film
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, forests
from pages.shared.reports import forest
from pages.shared.reports.offer import offer

PAGE = "forests"
DRAWN = (
    trees.draw, error.draw, rounds_tab.draw, sample.draw, agreement.draw, columns.draw, surface.draw,
    film.draw, differences.draw,
)  # fmt: skip
TABS = dict(
    zip(
        (
            to_say("Trees"),
            to_say("Error"),
            to_say("Round by round"),
            to_say("One row"),
            to_say("Agreement"),
            to_say("Importance"),
            to_say("Surface"),
            to_say("Film"),
            to_say("Differences"),
        ),
        DRAWN,
        strict=True,
    )
)


@frame.guarded
def forests_page() -> None:
    """The whole page: a line for each forest, with the numbers once it has grown; then a tab for each view."""
    dataset = library.chosen()
    selected, shown = plane.url_entries(), heading.url_entries(TABS)
    views = [*trees.url_entries(), *rounds_tab.url_entries(), *columns.url_entries()]
    entries = [*drawer.held_out_entries(), *forests.url_entries(), *selected, *shown, *views]
    arrival = address.load(PAGE, entries)
    forests.drop_invalid(dataset)
    bar.table(dataset, PAGE, selected)
    question = say("What do many trees do that one cannot?")
    drawer.heading(question, PAGE, entries, lambda: draw_settings(dataset), forests.first_keys())
    rooms = forests.draw_first(dataset)
    address.save(PAGE, entries)  # also while they grow: what is growing can be sent to a colleague
    bar.undo(PAGE)
    pair = growing.forests(dataset, forests.SIDES)
    if pair is None:
        frame.notes(arrival.notes)
        return
    frame.notes([*arrival.notes, *plane.drop_invalid(pair[0], arrival.linked)])
    heading.draw(pair, rooms)
    tabs(pair, entries)
    with st.container(horizontal=True):
        heading.menu(pair)
        offer(PAGE, lambda: forest.forests(pair))
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """All other settings of both forests, the order of their trees, and the rows held out."""
    forests.draw(dataset)
    trees.pick_order()
    drawer.draw_held_out()


@st.fragment(key="forest tabs")
@frame.guarded
def tabs(pair: list[GrownForest], entries: list[Entry]) -> None:
    """Draw the views of the forests; only the open tab is worked out, and only a boosted forest has rounds."""
    choices = [*plane.url_entries(), *trees.url_entries(), *rounds_tab.url_entries(), *columns.url_entries()]
    address.hold([entry for entry in choices if entry.key != trees.ORDER])
    names = [name for name in TABS if TABS[name] is not rounds_tab.draw or any(one.has_rounds for one in pair)]
    if st.session_state["view"] not in names:
        st.session_state["view"] = names[0]
    with embedding.part("view"):
        for name, tab in draw_tabs(TABS, "view", names).items():
            if tab.open:
                with tab:
                    TABS[name](pair)
    address.save(PAGE, entries)


frame.enter()
forests_page()
