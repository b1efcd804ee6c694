"""What do many trees do that one cannot? Two forests side by side: their errors, trees, votes and surfaces."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import to_say
from pages.shared.app import address, embedding, frame
from pages.shared.app.address import Entry
from pages.shared.boosting import rounds_tab
from pages.shared.canvas import tabs as page_tabs
from pages.shared.data import library
from pages.shared.explanation import columns
from pages.shared.forests import agreement, differences, error, growing, heading, plane, sample, surface, trees
from pages.shared.forests.forest_job import GrownForest
from pages.shared.forests.live import film
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, forests
from pages.shared.reports import forests as reports
from pages.shared.reports.offer import offer
from pages.shared.tree import report

PAGE = "forests"
DRAWN = (
    error.draw, trees.draw, rounds_tab.draw, sample.draw, agreement.draw, columns.draw, surface.draw,
    film.draw, differences.draw,
)  # fmt: skip
TABS = dict(
    zip(
        (
            to_say("Error"),
            to_say("Trees"),
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
    """The whole page: the forests' controls on the left; their progress; then a tab for each view."""
    dataset = library.chosen()
    selected, shown = plane.url_entries(), heading.url_entries(TABS)
    entries = [
        *drawer.held_out_entries(),
        *forests.url_entries(),
        *selected,
        *shown,
        *trees.url_entries(),
        *rounds_tab.url_entries(),
        *columns.url_entries(),
    ]
    arrival = address.load(PAGE, entries)
    forests.drop_invalid(dataset)
    bar.table(dataset, PAGE, selected)
    drawer.settings(PAGE, entries, lambda: draw_settings(dataset))
    address.save(PAGE, entries)  # also while they grow: what is growing can be sent to a colleague
    bar.undo(PAGE)
    pair = growing.forests(dataset, forests.SIDES)
    if pair is None:
        frame.notes(arrival.notes)
        report.preview(dataset)
        return
    frame.notes([*arrival.notes, *plane.drop_invalid(pair[0], arrival.linked)])
    heading.draw(pair)
    tabs(pair, entries)
    offer(PAGE, lambda: reports.reported(pair))
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """Both forests, and the rows held out."""
    forests.draw(dataset)
    drawer.draw_held_out()


@st.fragment(key="forest tabs")
@frame.guarded
def tabs(pair: list[GrownForest], entries: list[Entry]) -> None:
    """Draw the views of the forests; only the open tab is worked out."""
    address.hold([*plane.url_entries(), *trees.url_entries(), *rounds_tab.url_entries(), *columns.url_entries()])
    with embedding.part("view"):
        for name, tab in page_tabs.draw(TABS, "view").items():
            if tab.open:
                with tab:
                    TABS[name](pair)
    address.save(PAGE, entries)


frame.enter()
forests_page()
