"""How does a greedy tree carve the data? Grow one, and question every split of it."""

import streamlit as st

from pages.shared import (
    address,
    cache,
    controls,
    explorer,
    frame,
    growing,
    inspector,
    learners,
    library,
    report,
    selection,
    warm,
)
from pages.shared.cache import Grown

PAGE = "tree"


@frame.guarded
def tree_page() -> None:
    """The whole page: controls on the left; tree, surface and inspector; the scores."""
    dataset = library.chosen()
    selected = [*selection.entries(), *explorer.axes()]
    shown = [*explorer.entries(), *inspector.entries()]
    entries = [*learners.entries(dataset.is_classification), *selected, *shown]
    arrival = address.load(PAGE, entries)
    with st.sidebar:
        controls.pick_data(dataset, PAGE, selected)
        learners.draw(dataset)
    learner = learners.chosen()
    if not cache.can_grow(dataset, learner):
        warm.progress(learner.stage)
        report.preview(dataset)
        return
    parameters = learners.parameters(dataset.is_classification)
    grown = growing.grown(dataset, st.session_state["held"], st.session_state["seed"], parameters)
    if grown is None:
        report.preview(dataset)
        return
    frame.notes(
        [*arrival.notes, *selection.settle(grown, arrival.linked), *explorer.settle(grown, arrival.linked)]
    )
    warm.note(learner.stage)
    report.heading(grown)
    report.notices(grown)
    explore(grown, entries)
    report.scores(grown)
    with st.sidebar:
        controls.undo_and_reset(PAGE, [entry for entry in entries if entry.key != "learner"])
    warm.settle()


@st.fragment(key="explorer")
@frame.guarded
def explore(grown: Grown, entries: list[address.Entry]) -> None:
    """Tree, surface and inspector around one selection; a click reruns only this."""
    canvases, details = st.container(), st.container()
    with details:
        inspector.heading(grown)  # first: it is the answer to a click, and small
    left, right = canvases.columns([3, 2])
    with left:
        explorer.tree_side(grown)
    with right:
        explorer.surface_side(grown)
    with details:
        inspector.tabs(grown)
    address.save(PAGE, entries)


frame.enter()
tree_page()
