"""What a slider shows while it moves: tree, surface and numbers, without the rest of the page.

A rerun of the whole page takes server and browser a multiple of the time that the tree takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.grown import FittedTree, GrownTree, TreeSource, join_data, tree_key, why_not
from espalier.language import say
from espalier.learners.catalogue import Model
from pages.shared.app import address, frame, lecture
from pages.shared.app.address import Arrival, Entry
from pages.shared.canvas import components
from pages.shared.canvas.control import answered_by
from pages.shared.data import library
from pages.shared.jobs import watch
from pages.shared.models import drawer, learners
from pages.shared.models.settings import LEARNER
from pages.shared.tree import by_hand, explorer, folds, growing, pruning, report, results
from pages.shared.tree.by_hand import Changed

KEY = "above-bar"  # of the fragment
# Key of the session state: origin of the values for the run that is meant; without it, the whole page runs.
ARRIVAL = "above-bar-arrival"


def rests(page: str, also: Sequence[str] = ()) -> NoReturn:
    """Have the fragment run, and these (within a callback); the whole page where anything else changes, too."""
    state = st.session_state
    name = address.last(LEARNER, learners.DEFAULT)
    is_drawn_apart = name in learners.GROWN and not state.get(drawer.SETTINGS)
    shows_address = state.get(lecture.SHARE) or frame.is_embedded() or state.get(components.WELCOMES)
    # The controls, Undo and Redo, the welcome and the link to the page then stay as they are.
    if is_drawn_apart and not shows_address and address.steps(page) == (True, False):
        state[ARRIVAL] = Arrival(False, [])
        with suppress(StreamlitAPIException):  # a fault has kept the page from drawing it
            st.rerun([*also, KEY])
    st.rerun(scope="app")


def begin(entries: list[Entry]) -> Arrival:
    """Begin the fragment; the whole page runs where something in it was clicked: that may change the rest."""
    arrival = st.session_state.pop(ARRIVAL, None)
    if arrival is None:
        st.rerun(scope="app")
    for entry in () if address.UNSAVED in st.session_state else entries:  # the whole page has just taken them up
        if entry.key not in st.session_state:  # a slow browser may not know of its widget yet
            st.session_state[entry.key] = address.last(entry.key, entry.default)
    return arrival


def begin_explorer(change: Changed, whole: GrownTree) -> None:
    """Begin the part of the selection; the whole page runs where a click asks for another tree than that drawn."""
    grown, state = change.tree, st.session_state
    is_other_table = library.chosen_key() != state.get(library.DRAWN)
    if state[by_hand.EDITS] != change.text or state.pop(pruning.TAKEN, False) or is_other_table:
        st.rerun(scope="app")
    explorer.drop_invalid(grown, linked=False)  # the browser may still have the words of another tree's axes
    is_pruned = grown.key != whole.key or st.session_state[pruning.RULE] != pruning.WHOLE
    if is_pruned and growing.is_whole_cart(whole) and by_hand.changed(pruning.pruned(whole)).tree.key != grown.key:
        st.rerun(scope="app")


# ---- what a slider shows while it moves: tree, surface and numbers, without the rest of the page

CARDS = "cards"  # of the drawings, the one that follows
MOMENT_SECONDS = 0.06  # that a search has for each value which the slider passes
MOST_SEARCHED = 100_000  # values of the features: preparing the search of more takes longer than the moment


def controls(dataset: Dataset, page: str, entries: Sequence[Entry], draw_more: Callable[[], None]) -> None:
    """Draw the controls of the learner, whose sliders answer a move with a picture.

    These are its `entries`; `draw_more` draws those in the drawer.
    """
    with answered_by(lambda: picture(dataset), partial(rests, page)):
        learners.drop_invalid(dataset.target)
        learners.draw_choice(dataset, folds.errors_by_depth(dataset))
        drawer.settings(
            page,
            [one for one in entries if one.key != LEARNER],
            draw_more,
            {LEARNER, "number", *(own.key_of("depth") for own in learners.SETTINGS.values())},
        )


def picture(dataset: Dataset) -> dict[str, Any] | None:
    """What the controls stand for now, for `shared/live.js`; None where that takes the whole page."""
    if not (_is_plain() and learners.can_predict(dataset)):
        return None
    holdout, model = drawer.holdout(), learners.chosen().model(dataset.target)
    if why_not(model, dataset, lambda: ~held_out(dataset, holdout)):
        return None
    grown = _in_a_moment(dataset, holdout, model)
    if grown is None:
        return None
    axes = explorer.plane_of(grown)
    like = explorer.like(grown, axes)._replace(is_brief=True)
    is_open = grown.proof is not None and not grown.proof.proved
    return {
        "channel": report.CHANNEL,
        "cards": results.cards(grown),
        "surface": results.surface(grown, axes, like),
        "numbers": report.figures_of(grown),
        "note": say("best tree so far") if is_open else "",
    }


def _is_plain() -> bool:
    """Whether the page shows the tree of the controls as it is, as cards."""
    state = st.session_state
    is_changed = state[by_hand.EDITS] or state["tree"] or state[pruning.RULE] != pruning.WHOLE
    return state["graph"] == CARDS and not is_changed and state["learner"] in learners.GROWN


def _in_a_moment(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """The tree, of a longer search the best one so far; None where there is none so soon."""
    learner = learners.LEARNERS[model.name]
    if not learner.can_grow(dataset):
        return None
    if dataset.X.size <= learner.long:
        return growing.grow(dataset, holdout, model)
    if not learner.is_searched or dataset.X.size > MOST_SEARCHED:
        return None
    fitted = _found(dataset, holdout, model)
    if fitted is None or not fitted.is_open:
        return None if fitted is None else growing.grow(dataset, holdout, model, fitted)
    key = f"{tree_key(dataset, holdout, model)} {fitted.tree.n_nodes} {fitted.proof}"
    return join_data(key, fitted, dataset, TreeSource(holdout, model))


def _found(dataset: Dataset, holdout: HeldOut, model: Model) -> FittedTree | None:
    key = tree_key(dataset, holdout, model)
    outcome = watch.found(key)
    if outcome is not None:
        return outcome.value
    return growing.find_fit(key, dataset, holdout, model).for_a_moment(MOMENT_SECONDS)
