"""Would we get the same tree again? The structures of trees that grow when the data are drawn again."""

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say, to_say
from pages.shared.app import address, frame
from pages.shared.app.address import Entry
from pages.shared.app.links import one_of
from pages.shared.canvas.components import draw_open_tab
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.reports import trust
from pages.shared.reports.offer import offer
from pages.shared.stability import controls, runs, structures, views
from pages.shared.stability.controls import PLACES
from pages.shared.stability.runs import StabilityJob
from pages.shared.tree import selection

PAGE = "stability"
TABS = {
    to_say("Columns"): views.draw_columns,
    to_say("Thresholds"): views.draw_thresholds,
    to_say("Agreement"): views.draw_agreement,
    to_say("Surface"): views.draw_surface,
}


@frame.guarded
def stability_page() -> None:
    """The whole page: how the data are drawn again, three places for learners, their bars; the views below."""
    dataset = library.chosen()
    selected = [*structures.url_entries(), *views.url_entries(), *selection.axis_entries()]
    tab = Entry("beside", next(iter(TABS)), one_of(TABS), undo=False, stays=True, name="tab")
    places = slots.url_entries(PLACES, dataset)
    entries = [*controls.url_entries(), *places, *selected, tab]
    arrival = address.load(PAGE, entries)
    controls.drop_invalid(dataset)
    axis_notes = selection.drop_invalid_axes(dataset.features)
    frame.notes([*arrival.notes, *(axis_notes if arrival.linked else [])])
    bar.table(dataset, PAGE, selected)
    with st.container(horizontal=True, vertical_alignment="bottom", key="stability-heading"):
        st.subheader(say("Would we get the same tree again?"), anchor=False)
        controls.draw_first()
        first = {"redraw", "same", *(entry.key for entry in places)}
        drawer.settings(PAGE, entries, lambda: controls.draw(dataset), first)
    with st.container(key="learners"):
        notes = slots.draw(PLACES, controls.SYMBOLS, dataset.target)
        st.caption(say(slots.OWN))
    grow(dataset, notes, entries)
    address.save(PAGE, entries)
    bar.undo(PAGE)
    compilation.freeze_imports()


def grow(dataset: Dataset, places: Sequence, entries: list[Entry]) -> None:
    """Set the learners to work, and show their trees so far."""
    models = slots.models(PLACES, dataset.target)
    if not models:
        st.info(say("Choose at least one learner above."))
        return
    plan = controls.plan()
    trials = [StabilityJob(*one, controls.SECONDS, dataset, plan) for one in models.items()]
    titles = slots.titles(models)
    runs.start(trials)
    structures.draw_problems(trials, places)
    at_work = runs.is_at_work(trials)
    look_again = st.fragment(watch, key="histograms", run_every=0.4 if at_work else None)
    look_again(trials, titles, entries, at_work)
    if not at_work and (there := structures.learners(trials, titles)):
        tabs(there, entries)
        frame.fold(say("In numbers"), "numbers", lambda: structures.draw_numbers(there))
        offer(PAGE, lambda: trust.stability(there))


@frame.guarded
def watch(trials: list[StabilityJob], titles: list[str], entries: list[Entry], at_work: bool) -> None:
    """The histograms, drawn anew while trees arrive; the page runs again when all are there."""
    if at_work and not runs.is_at_work(trials):
        frame.rerun()
        return
    address.hold(structures.url_entries())
    with frame.figure_part("structures"):
        structures.draw(trials, titles)
    address.save(PAGE, entries)


@st.fragment(key="stability tabs")
@frame.guarded
def tabs(learners: list, entries: list[Entry]) -> None:
    """Draw what else the trees have in common, beside their structures; only the open tab is worked out."""
    address.hold([*views.url_entries(), *selection.axis_entries()])
    with frame.figure_part("view"):
        draw_open_tab(TABS, "beside", learners)
    address.save(PAGE, entries)


frame.enter()
stability_page()
