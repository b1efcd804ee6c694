"""Would we get the same tree again? The structures of trees that grow when the data are drawn again."""

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say, to_say
from pages.shared.app import address, embedding, frame
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.canvas import axis_choice
from pages.shared.canvas import tabs as page_tabs
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.reports import stability as reports
from pages.shared.reports.offer import offer
from pages.shared.stability import (
    agreement_tab,
    chosen_tree,
    histograms,
    results,
    runs,
    surface_tab,
    thresholds_tab,
)
from pages.shared.stability import controls as draws
from pages.shared.stability import slots as stability_slots
from pages.shared.stability.runs import StabilityJob

PAGE = "stability"
DRAWN = (results.draw, thresholds_tab.draw, agreement_tab.draw, surface_tab.draw)
TABS = dict(
    zip((to_say("Columns"), to_say("Thresholds"), to_say("Agreement"), to_say("Surface")), DRAWN, strict=True)
)


@frame.guarded
def stability_page() -> None:
    """The whole page: the draws on the left; three places for learners; the results."""
    dataset = library.chosen()
    selected = [*chosen_tree.url_entries(), *thresholds_tab.url_entries(), *axis_choice.url_entries()]
    shown = [Entry("beside", next(iter(TABS)), one_of(TABS), undo=False, stays=True, name="tab")]
    entries = [*draws.url_entries(), *stability_slots.url_entries(dataset), *selected, *shown]
    arrival = address.load(PAGE, entries)
    draws.drop_invalid(dataset)
    of_axes = axis_choice.drop_invalid(dataset.features)
    frame.notes([*arrival.notes, *(of_axes if arrival.linked else [])])
    bar.table(dataset, PAGE, selected)
    drawer.heading(say("Would we get the same tree again?"), PAGE, entries, lambda: draws.draw(dataset))
    st.caption(
        say(
            "The data are drawn again and again, and each learner grows a tree every time. The more alike the "
            "trees, the more their questions can be relied on. Deep trees have more to differ in, so compare "
            "learners of like depth; and trees that ask other questions may still answer alike: see Agreement, "
            "below."
        )
        + f" {slots.not_offered()}"
    )
    places = stability_slots.draw(dataset)
    grow(dataset, places, entries)
    bar.undo(PAGE)
    address.save(PAGE, entries)
    compilation.freeze_imports()


def grow(dataset: Dataset, places: Sequence, entries: list[Entry]) -> None:
    """Set the learners to work, and show their trees so far."""
    models = stability_slots.models(dataset)
    if not models:
        st.info(say("Choose at least one learner above; a second one to compare it with."))
        return
    trials = [
        StabilityJob(model, dataset, draws.plan(run), run) for run in range(draws.n_runs()) for model in models
    ]
    titles = slots.titles(models)
    runs.start(trials)
    histograms.draw_problems(trials, places)
    runs.offer_to_begin(trials)
    at_work = runs.is_at_work(trials)
    look_again = st.fragment(watch, key="histograms", run_every=0.4 if at_work else None)
    look_again(trials, titles, entries, at_work)
    if not at_work and (there := histograms.learners(trials, titles)):
        tabs(trials, titles, entries)
        offer(PAGE, lambda: reports.reported(there))


@frame.guarded
def watch(trials: list[StabilityJob], titles: list[str], entries: list[Entry], at_work: bool) -> None:
    """The histograms, drawn anew while trees arrive; the page runs again when all are there."""
    if at_work and not runs.is_at_work(trials):
        frame.rerun()
        return
    address.hold(chosen_tree.url_entries())
    with embedding.part("structures"):
        histograms.draw(trials, titles)
    address.save(PAGE, entries)


@st.fragment(key="stability tabs")
@frame.guarded
def tabs(trials: list[StabilityJob], titles: list[str], entries: list[Entry]) -> None:
    """Draw what else the trees have in common, beside their structures; only the open tab is worked out."""
    address.hold([*thresholds_tab.url_entries(), *axis_choice.url_entries()])
    learners = histograms.learners(trials, titles)
    with embedding.part("view"):
        for name, tab in page_tabs.draw(TABS, "beside").items():
            if tab.open:
                with tab:
                    TABS[name](learners)
    address.save(PAGE, entries)


frame.enter()
stability_page()
