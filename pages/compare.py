"""Which model is better, and is it really? Up to four on the same folds, with a critical look at differences."""

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from pages.shared.app import address, frame
from pages.shared.comparison import folds, runs
from pages.shared.comparison import results as comparison_results
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.jobs.run import Outcome
from pages.shared.models import rail, slots

PAGE = "compare"


@frame.guarded
def compare_page() -> None:
    """The whole page: data and folds on the left; four places for models; what came of them."""
    dataset = library.chosen()
    selected = comparison_results.url_entries(dataset)
    entries = [*folds.url_entries(dataset), *selected]
    arrival = address.load(PAGE, entries)
    comparison_results.drop_invalid(dataset)
    frame.notes(arrival.notes)
    with st.sidebar:
        rail.pick_data(dataset, PAGE, selected)
        folds.draw_plan()
    st.subheader("Which is better, and is it really?", anchor=False)
    st.caption("Up to four models learn from the same rows and are tested on the same others, fold by fold.")
    places = slots.draw(folds.COMPARED, comparison_results.mark)
    compare_all(dataset, places)
    with st.sidebar:
        rail.undo_and_reset(PAGE, entries)
    address.save(PAGE, entries)
    compilation.freeze_imports()


def compare_all(dataset: Dataset, places: Sequence) -> None:
    """Try the models that are chosen, and show what there is of them by now."""
    models = folds.models()
    if not models:
        st.info("Choose at least one model above; a second one to compare it with.")
        return
    plan = folds.plan()
    if plan.n_folds > len(dataset.y):
        st.info(f"{plan.n_folds} folds cannot be made of {len(dataset.y)} rows: choose fewer.")
        return
    trials = [ComparisonJob(model, dataset, plan) for model in models]
    titles = slots.titles(models)
    found = runs.outcomes(trials)
    comparison_results.draw_outcomes(trials, found, places)
    runs.offer_to_begin(trials)
    runs.draw_progress(trials, titles)
    results(dataset, trials, titles, found)


def results(
    dataset: Dataset, trials: Sequence[ComparisonJob], titles: Sequence[str], found: Sequence[Outcome]
) -> None:
    """The figures and the table, of the models that are done."""
    entrants = comparison_results.contestants(trials, titles, found)
    if entrants:
        comparison_results.draw(
            dataset, entrants, [title for title, one in zip(titles, found, strict=True) if one.is_awaited]
        )
    elif all(outcome.wrong for outcome in found):
        st.info("None of these models could be tried; each place above says why.")
    if len(trials) == 1:
        st.caption("Choose a second model to compare this one with.")


frame.enter()
compare_page()
