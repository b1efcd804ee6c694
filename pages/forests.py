"""What do many trees do that one cannot? Two forests side by side: their errors, trees, votes and surfaces."""

import streamlit as st

from pages.shared import (
    address,
    controls,
    forest_agreement,
    forest_controls,
    forest_differences,
    forest_error,
    forest_growing,
    forest_heading,
    forest_importance,
    forest_plane,
    forest_sample,
    forest_surface,
    forest_trees,
    frame,
    library,
    report,
    warm,
)
from pages.shared.address import Entry
from pages.shared.forest_plot import Planted

PAGE = "forests"
TABS = {
    "Error": forest_error.draw,
    "Trees": forest_trees.draw,
    "One row": forest_sample.draw,
    "Agreement": forest_agreement.draw,
    "Importance": forest_importance.draw,
    "Surface": forest_surface.draw,
    "Differences": forest_differences.draw,
}


@frame.guarded
def forests_page() -> None:
    """The whole page: the forests' controls on the left; how they grow; then what each is like."""
    dataset = library.chosen()
    selected, shown = forest_plane.entries(), forest_heading.entries(TABS)
    entries = [
        *controls.held_out_entries(),
        *forest_controls.entries(),
        *selected,
        *shown,
        *forest_trees.entries(),
    ]
    arrival = address.load(PAGE, entries)
    forest_controls.settle(dataset)
    with st.sidebar:
        controls.pick_data(dataset, PAGE, selected)
        forest_controls.draw(dataset)
        controls.draw_held_out()
    address.save(PAGE, entries)  # also while they grow: what is growing can be sent to a colleague
    with st.sidebar:
        controls.undo_and_reset(PAGE, entries)
    planted = forest_growing.forests(dataset, forest_controls.SIDES)
    if planted is None:
        frame.notes(arrival.notes)
        report.preview(dataset)
        return
    frame.notes([*arrival.notes, *forest_plane.settle(planted[0], arrival.linked)])
    forest_heading.draw(planted)
    tabs(planted, entries)
    warm.settle()


@st.fragment(key="forest tabs")
@frame.guarded
def tabs(planted: list[Planted], entries: list[Entry]) -> None:
    """What is to be known of the forests; only the open tab is worked out."""
    address.hold([*forest_plane.entries(), *forest_trees.entries()])
    for tab, body in zip(st.tabs(list(TABS), key="view", on_change="rerun"), TABS.values(), strict=True):
        if tab.open:
            with tab:
                body(planted)
    address.save(PAGE, entries)


frame.enter()
forests_page()
