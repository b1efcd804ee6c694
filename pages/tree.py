"""A tree on the data: grow one, greedy or the best there is, and question every split of it."""

import streamlit as st

from espalier.data import Dataset
from espalier.grown import GrownTree
from espalier.language import say
from pages.shared.app import address, frame, store
from pages.shared.data import findings, library
from pages.shared.decisions import section as decisions
from pages.shared.forests import tree
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, learners, tree_links
from pages.shared.models.settings import LEARNER
from pages.shared.models.tree_links import Entries
from pages.shared.promises import section as promises
from pages.shared.reliability import changing
from pages.shared.reliability import of_tree as row
from pages.shared.reports import sections
from pages.shared.tree import (
    by_hand,
    explorer,
    growing,
    inspector,
    moving,
    near_optimal,
    proof,
    pruning,
    recurrence,
    report,
    selection,
    two,
)
from pages.shared.tuning import search

PAGE = "tree"
TABLE = "table-of-tree"  # key of the session state: digest of the data that were here last


@frame.guarded
def tree_page() -> None:
    """Draw the page: tree, surface and what is selected; below it all else; the few controls at the foot."""
    dataset = library.chosen()
    # whether the page shows a tree of a forest, or the address asks for one under whatever name
    has_forest = learners.FOREST_NAME in (st.session_state.get(LEARNER), *st.query_params.to_dict().values())
    entries = tree_links.entries_of(dataset, has_forest)
    st.session_state[moving.ARRIVAL] = address.load(PAGE, entries.every)
    bar.table(dataset, PAGE, entries.selected)
    if not frame.is_embedded():
        with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="stage-bar"):
            moving.controls(dataset, PAGE, entries.trees, lambda: draw_more(dataset))
    draw_above_bar(dataset, entries)
    bar.undo(PAGE)


def draw_more(dataset: Dataset) -> None:
    """All other settings of the tree, the search for good ones, and tree A of two."""
    learners.draw_more(dataset)
    search.button()
    two.controls(dataset.target)


@st.fragment(key=moving.KEY)
@frame.guarded
def draw_above_bar(dataset: Dataset, entries: Entries) -> None:
    """Tree, surface and inspector with the lines above them; below them what is folded."""
    arrival, grown = moving.begin(entries.every), tree_of(dataset, entries.every)
    if grown is None:
        if not arrival.linked:  # the selection of a link is not lost before there is a tree
            address.save(PAGE, entries.every)
        return
    chosen, notes = near_optimal.opened(grown, arrival.linked) if grown.proof else (grown, [])
    state = st.session_state
    pruned = chosen if state[pruning.RULE] == pruning.WHOLE else pruning.pruned(chosen)
    if arrival.linked or state.get(TABLE) != dataset.digest:
        state[TABLE] = dataset.digest
        by_hand.let_go(pruned, arrival.linked)
        notes += changing.follow(dataset, arrival.linked)
    chosen = (change := by_hand.changed(pruned)).tree
    notes += selection.drop_invalid(chosen, arrival.linked) + explorer.drop_invalid(chosen, arrival.linked)
    frame.notes([*arrival.notes, *notes])
    compilation.note(learners.chosen().kind.stage)
    if frame.is_embedded():
        explore(change, grown, entries)
        return
    if state.get(store.CURRENT_TABLE):  # bundled samples have nothing of the kind
        findings.mark(dataset)
    with st.container():  # there even without a line: what is below keeps its place, and so its zoom and focus
        report.notices(chosen)
        if state[search.OPEN] == search.YES:
            search.draw(dataset)
        if grown.proof or change.text or state[pruning.RULE] != pruning.WHOLE:
            draw_lines(grown, pruned, change)
    explore(change, grown, entries)
    if grown.proof:
        frame.fold(say("How the best tree was found"), "search-film", lambda: growing.draw_ended_race(grown))
        frame.fold(
            say("Other trees as good"),
            near_optimal.OPENED,
            lambda: near_optimal.section(grown, entries.every),
            is_open=bool(state["tree"] or state["slack"]),
        )
    frame.fold(say("How good is this tree?"), "scores", lambda: report.scores(chosen))
    if dataset.is_classification:
        frame.fold(
            say(decisions.WHAT_ERRORS_COST),
            decisions.OPENED,
            lambda: draw_decisions(chosen),
            address.are_set(entries.deciding),
        )
    title = say("What does each leaf promise for new rows?")
    frame.fold(title, promises.OPENED, lambda: promises.draw_leaves(chosen))
    compilation.freeze_imports()


def draw_decisions(grown: GrownTree) -> None:
    """Draw what errors of the tree cost; some learners have settings for that."""
    has_costs = learners.chosen().has_costs(grown.dataset.target)
    decisions.draw_held_out(decisions.of_tree(grown), grown.table, grown.held, has_costs)


def tree_of(dataset: Dataset, entries: list[address.Entry]) -> GrownTree | None:
    """The tree that the controls stand for; None while it is not there, with the reason on the page."""
    if not learners.can_predict(dataset):
        learners.offer_others(dataset)
        address.save(PAGE, entries)
        return None
    if learners.chosen() is learners.FOREST:
        return tree.grown(dataset)
    if not learners.chosen().can_grow(dataset):
        compilation.progress(learners.chosen().kind.stage)
        return None
    return growing.grow_with_progress(dataset, drawer.holdout(), learners.chosen().model(dataset.target))


def draw_lines(grown: GrownTree, pruned: GrownTree, change: by_hand.Changed) -> None:
    """Draw them for the tree of the controls, that tree pruned, and what was changed of it."""
    if grown.proof is not None:
        proof.line(grown)
        near_optimal.way_back(grown)
    if st.session_state[pruning.RULE] != pruning.WHOLE:
        pruning.line(grown, pruned)
    if change.text:
        by_hand.line(change)
        report.beside_greedy(change.tree)


@st.fragment(key="explorer")
@frame.guarded
def explore(change: by_hand.Changed, whole: GrownTree, entries: Entries) -> None:
    """Tree, surface and inspector around one selection: a click reruns only this, unless it changes the tree."""
    address.hold(entries.held)
    moving.begin_explorer(change, whole)
    grown, is_embedded = change.tree, frame.is_embedded()
    figure = frame.embedded_figure() if is_embedded else frame.TREE_FIGURES[0]
    left, right = st.columns([2, 1]) if figure == frame.TREE_FIGURES[0] else (st.container(), st.container())
    surface, details = right.container(), right.container(key="details")
    with details:
        inspector.heading(grown)  # first: it is the answer to a click, and small
        if recurrence.TOGGLE.value:
            recurrence.draw(grown, whole)
    if figure in ("both", "tree"):
        with left:
            explorer.tree_side(grown, whole, lambda: sections.tree_sections(grown, whole))
    if figure in ("both", "surface"):
        with surface:
            explorer.surface_side(grown)
    if not is_embedded or figure == frame.VIEW:
        with details, frame.figure_part(frame.VIEW):
            inspector.tabs(grown, whole)
    if whole.proof and not is_embedded:
        frame.fold(say("Greedy beside optimal"), proof.OPENED, lambda: proof.beside_greedy(whole, grown))
    address.save(PAGE, entries.every)
    if selection.chosen_row() is not None:
        row.draw(grown)
    if st.session_state[two.A]:
        two.draw(grown)


frame.enter()
tree_page()
