"""A black box and one tree that stands in for it: both side by side, and the sureness of the tree."""

import streamlit as st

from espalier.approximation.stand_in import Approximated
from espalier.language import say, to_say
from pages.shared.app import address, frame, links
from pages.shared.app.address import Entry
from pages.shared.approximation import controls as recipe
from pages.shared.approximation import fits, results, views
from pages.shared.canvas.components import draw_open_tab
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.reports import forest
from pages.shared.reports.offer import offer
from pages.shared.tree import explorer, exports, selection

PAGE = "approximate"
TABS = {
    to_say("Tree"): views.draw_tree,
    to_say("Side by side"): views.draw_side_by_side,
    to_say("Fidelity"): views.draw_fidelity,
}


@frame.guarded
def approximate_page() -> None:
    """The whole page: the black box and the depth; what came of them; a tab for each view of both."""
    dataset = library.chosen()
    former = {"Splits": links.Gone(say("a click on a node shows how sure its split is"))}
    selected = [*selection.url_entries(), *explorer.axes()]
    shown = [Entry("about-tree", "Tree", links.one_of_or_former(TABS, former), undo=False, stays=True, name="tab")]
    entries = [*recipe.url_entries(), *selected, *shown]
    arrival = address.load(PAGE, entries)
    settled = recipe.drop_invalid(dataset)
    bar.table(dataset, PAGE, selected)
    question = say("Can one tree stand in for a forest?")
    drawer.heading(question, PAGE, entries, recipe.draw, recipe.FIRST_KEYS)
    room = recipe.draw_first(dataset)
    address.save(PAGE, entries)  # also while the tree grows: what is growing can be sent to a colleague
    bar.undo(PAGE)
    one = fits.approximated(dataset)
    with room:
        recipe.SETTINGS.pick_depth(recipe.NO_TARGET, () if one is None else results.depth_curves(one))
    if one is None:
        frame.notes([*arrival.notes, *settled])
        return
    notes = selection.drop_invalid(results.as_grown(one), arrival.linked)
    axes = selection.drop_invalid_axes(dataset.features)
    frame.notes([*arrival.notes, *settled, *notes, *(axes if arrival.linked else [])])
    views.draw_heading(one)
    tabs(one, entries)
    with st.container(horizontal=True):
        exports.draw_menu(results.as_grown(one))
        offer(PAGE, lambda: forest.approximation(one))
    compilation.freeze_imports()


@st.fragment(key="approximation tabs")
@frame.guarded
def tabs(one: Approximated, entries: list[Entry]) -> None:
    """Draw the tabs on both; only the open one is worked out."""
    address.hold([*selection.url_entries(), *explorer.axes()])
    with frame.figure_part("view"):
        draw_open_tab(TABS, "about-tree", one)
    address.save(PAGE, entries)


frame.enter()
approximate_page()
