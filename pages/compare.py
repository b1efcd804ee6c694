"""Which model is better, and is it really? Up to four on the same folds, with a critical look at differences."""

from collections.abc import Sequence

import streamlit as st

from core.data import Dataset
from pages.shared import address, compare_results, compare_runs, compare_slots, controls, frame, library, warm
from pages.shared.compare_runs import Outcome, Trial

PAGE = "compare"


@frame.guarded
def compare_page() -> None:
    """The whole page: data and folds on the left; four places for models; what came of them."""
    dataset = library.chosen()
    selected = compare_results.entries(dataset)
    entries = [*compare_slots.entries(dataset), *selected]
    arrival = address.load(PAGE, entries)
    compare_results.settle(dataset)
    frame.notes(arrival.notes)
    with st.sidebar:
        controls.pick_data(dataset, PAGE, selected)
        compare_slots.draw_plan()
    st.subheader("Which is better, and is it really?", anchor=False)
    st.caption("Up to four models learn from the same rows and are tested on the same others, fold by fold.")
    places = compare_slots.draw(compare_results.mark)
    compare_all(dataset, places)
    with st.sidebar:
        controls.undo_and_reset(PAGE, entries)
    address.save(PAGE, entries)
    warm.settle()


def compare_all(dataset: Dataset, places: Sequence) -> None:
    """Try the models that are chosen, and show what there is of them by now."""
    models = compare_slots.models()
    if not models:
        st.info("Choose at least one model above; a second one to compare it with.")
        return
    plan = compare_slots.plan()
    if plan.n_folds > len(dataset.y):
        st.info(f"{plan.n_folds} folds cannot be made of {len(dataset.y)} rows: choose fewer.")
        return
    trials = [Trial(model, dataset, plan) for model in models]
    titles = compare_slots.titles(models)
    found = compare_runs.outcomes(trials)
    compare_results.draw_outcomes(trials, found, places)
    compare_runs.offer_to_begin(trials)
    compare_runs.draw_progress(trials, titles, found)
    results(dataset, trials, titles, found)


def results(dataset: Dataset, trials: Sequence[Trial], titles: Sequence[str], found: Sequence[Outcome]) -> None:
    """The figures and the table, of the models that are done."""
    entrants = compare_results.contestants(trials, titles, found)
    if entrants:
        compare_results.draw(dataset, entrants, compare_runs.awaited(titles, found))
    elif all(outcome.error for outcome in found):
        st.info("None of these models could be tried; each place above says why.")
    if len(trials) == 1:
        st.caption("Choose a second model to compare this one with.")


frame.enter()
compare_page()
