"""Which model is better, and is it really? Up to four on the same folds, with a critical look at differences."""

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from pages.shared.app import address, frame
from pages.shared.comparison import folds, results, runs
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.decisions import controls as costs
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.reports import trust
from pages.shared.reports.offer import offer

PAGE = "compare"


@frame.guarded
def compare_page() -> None:
    """The whole page: four places for models, their folds and differences, and folded below what else is known."""
    dataset = library.chosen()
    selected = results.url_entries(dataset)
    here = [*slots.url_entries(folds.COMPARED, dataset), *selected, *section.group_entries(dataset)]
    entries = [*folds.plan_entries(), *costs.url_entries(dataset), *here]
    arrival = address.load(PAGE, entries)
    results.drop_invalid(dataset)
    frame.notes(arrival.notes)
    bar.table(dataset, PAGE, selected)
    title, first = say("Which is better, and is it really?"), {entry.key for entry in here}
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset), first)
    folds.draw_own(dataset)
    places = slots.draw(folds.COMPARED, results.SYMBOLS, dataset.target)
    st.caption(say(slots.OWN))
    compare_all(dataset, places)
    address.save(PAGE, entries)
    bar.undo(PAGE)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """Folds, and what errors cost."""
    folds.draw_plan()
    costs.draw(dataset)


def compare_all(dataset: Dataset, places: Sequence) -> None:
    """Try the chosen models, and show their results by now."""
    models, plan = folds.models(dataset), folds.plan(dataset)
    none = say("Choose at least one model above.")
    if note := folds.note_on(dataset, plan.n_folds) if models else none:
        st.info(note)
        return
    trials = [ComparisonJob(*one, folds.seconds(), dataset, plan) for one in models.items()]
    titles, outcomes = slots.titles(models), runs.outcomes(trials)
    results.draw_outcomes(trials, outcomes, places)
    entrants = results.contestants(trials, titles, outcomes)
    if not entrants and all(outcome.wrong for outcome in outcomes):
        st.info(say("No model could be tried; each place says why."))
        return
    results.draw(trials, titles, outcomes, entrants)
    if entrants:
        address.hold([*results.url_entries(dataset)[1:], *section.group_entries(dataset)])
        deciding = [section.of_comparison(dataset, *one) for one in entrants]
        section.draw(dataset, deciding, [one for _, one in entrants], "shares")
        offer(PAGE, lambda: trust.compare(dataset, entrants))


frame.enter()
compare_page()
