"""Which model is better, and is it really? Up to four on the same folds, with a critical look at differences."""

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from pages.shared.app import address, embedding, frame
from pages.shared.comparison import folds, runs
from pages.shared.comparison import results as comparison_results
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.decisions import controls as costs
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.jobs.run import Outcome
from pages.shared.models import bar, drawer, slots
from pages.shared.reports import comparison as reports
from pages.shared.reports.offer import offer

PAGE = "compare"


@frame.guarded
def compare_page() -> None:
    """The whole page: data and folds on the left; four places for models; their results."""
    dataset = library.chosen()
    selected = comparison_results.url_entries(dataset)
    entries = [*folds.url_entries(dataset), *selected, *section.url_entries(dataset)]
    arrival = address.load(PAGE, entries)
    comparison_results.drop_invalid(dataset)
    frame.notes(arrival.notes)
    bar.table(dataset, PAGE, selected)
    title = say("Which is better, and is it really?")
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset))
    folds.draw_own(dataset)
    st.caption(say("Up to four models learn from the same rows and are tested on the same others, fold by fold."))
    places = slots.draw(folds.COMPARED, comparison_results.mark, dataset.target)
    compare_all(dataset, places)
    bar.undo(PAGE)
    address.save(PAGE, entries)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """Folds, and what errors cost."""
    folds.draw_plan()
    costs.draw(dataset)


def compare_all(dataset: Dataset, places: Sequence) -> None:
    """Try the chosen models, and show their results by now."""
    models = folds.models(dataset)
    if not models:
        st.info(say("Choose at least one model above; a second one to compare it with."))
        return
    plan = folds.plan(dataset)
    if note := folds.note_on(dataset, plan.n_folds):
        st.info(note)
        return
    trials = [ComparisonJob(model, dataset, plan) for model in models]
    titles = slots.titles(models)
    outcomes = runs.outcomes(trials)
    comparison_results.draw_outcomes(trials, outcomes, places)
    runs.offer_to_begin(trials)
    runs.draw_progress(trials, titles)
    results(dataset, trials, titles, outcomes)


def results(
    dataset: Dataset, trials: Sequence[ComparisonJob], titles: Sequence[str], outcomes: Sequence[Outcome]
) -> None:
    """The figures and the table, of the models that are done."""
    entrants = comparison_results.contestants(trials, titles, outcomes)
    if entrants:
        comparison_results.draw(
            dataset, entrants, [title for title, one in zip(titles, outcomes, strict=True) if one.is_awaited]
        )
        address.hold(section.group_entries(dataset))
        with embedding.part("decisions"):
            section.draw(dataset, [section.of_comparison(dataset, *one) for one in entrants])
        offer(PAGE, lambda: reports.reported(dataset, entrants))
    elif all(outcome.wrong for outcome in outcomes):
        st.info(say("None of these models could be tried; each place above says why."))
    if len(trials) == 1:
        st.caption(say("Choose a second model to compare this one with."))


frame.enter()
compare_page()
