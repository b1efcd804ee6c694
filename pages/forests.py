"""What do many trees do that one cannot? Two forests side by side: their errors, trees, votes and surfaces."""

import streamlit as st

from espalier.data import Dataset
from espalier.grown import GrownForest
from espalier.language import say, to_say
from pages.shared.app import address, frame, links
from pages.shared.app.address import Entry
from pages.shared.canvas.components import draw_open_tab
from pages.shared.data import library
from pages.shared.explanation import columns
from pages.shared.forests import error, film, growing, heading, rounds, row, trees
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, forests
from pages.shared.reports import forest
from pages.shared.reports.offer import offer

PAGE = "forests"
ROUNDS, ONE_ROW, FILM = to_say("Round by round"), to_say("One row"), to_say("Film")
TABS = {
    to_say("Trees"): trees.draw,
    to_say("Error"): error.draw,
    ROUNDS: rounds.draw,
    ONE_ROW: row.draw,
    to_say("Agreement"): error.draw_agreement,
    to_say("Importance"): columns.draw,
    FILM: film.draw,
}


@frame.guarded
def forests_page() -> None:
    """The whole page: a line for each forest, with the numbers once it has grown; then a tab for each view."""
    dataset = library.chosen()
    former = {
        "Surface": links.Gone(say("the film has the surfaces"), FILM),
        "Differences": links.Gone(say("one row shows where both forests are wrong"), ONE_ROW),
    }
    selected = row.url_entries()
    shown = [Entry("view", "Trees", links.one_of_or_former(TABS, former), undo=False, stays=True, name="tab")]
    entries = [*drawer.held_out_entries(), *forests.url_entries(), *selected, *shown, *view_entries()]
    arrival = address.load(PAGE, entries)
    forests.drop_invalid(dataset)
    bar.table(dataset, PAGE, selected)
    question = say("What do many trees do that one cannot?")
    drawer.heading(question, PAGE, entries, lambda: draw_settings(dataset), forests.first_keys())
    rooms = forests.draw_first(dataset)
    address.save(PAGE, entries)  # also while they grow: what is growing can be sent to a colleague
    bar.undo(PAGE)
    pair = growing.grown_forests(dataset, forests.SIDES)
    if pair is None:
        frame.notes(arrival.notes)
        return
    frame.notes([*arrival.notes, *row.drop_invalid(dataset, arrival.linked)])
    heading.draw(pair, rooms)
    tabs(pair, entries)
    with st.container(horizontal=True):
        heading.menu(pair)
        offer(PAGE, lambda: forest.forests(pair))
    compilation.freeze_imports()


def view_entries() -> list[Entry]:
    """What is chosen on the tabs, as part of the address."""
    return [*trees.url_entries(), *rounds.url_entries(), *columns.url_entries()]


def draw_settings(dataset: Dataset) -> None:
    """All other settings of both forests, and the rows held out."""
    forests.draw(dataset)
    drawer.draw_held_out()


@st.fragment(key="forest tabs")
@frame.guarded
def tabs(pair: list[GrownForest], entries: list[Entry]) -> None:
    """Draw the views of the forests; only the open tab is worked out, and only a boosted forest has rounds."""
    address.hold([*row.url_entries(), *view_entries()])
    has_rounds = any(one.has_rounds for one in pair)
    bodies = {name: draw for name, draw in TABS.items() if name != ROUNDS or has_rounds}
    if st.session_state["view"] not in bodies:
        st.session_state["view"] = next(iter(bodies))
    with frame.figure_part("view"):
        draw_open_tab(bodies, "view", pair)
    address.save(PAGE, entries)


frame.enter()
forests_page()
