"""When should a model rather not answer? Accuracy against the share answered, rows for an expert, and why."""

from collections.abc import Mapping, Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from pages.shared.app import address, embedding, frame
from pages.shared.comparison import folds, runs
from pages.shared.comparison import results as comparison_results
from pages.shared.data import library
from pages.shared.decisions import controls as costs
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.promises import section as promises
from pages.shared.reliability import changing, curves, experts, explanation, goal, models, unsettled
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reports import reliability as reports
from pages.shared.reports.offer import offer

PAGE = "reliability"


@frame.guarded
def reliability_page() -> None:
    """The whole page: data and folds on the left; three places for models; their answers and doubts."""
    dataset = library.chosen()
    selected = [*experts.url_entries(), *changing.url_entries(dataset)]
    asked = [*goal.url_entries(), *promises.url_entries(), *section.url_entries(dataset)]
    entries = [*models.url_entries(dataset), *asked, *selected]
    arrival = address.load(PAGE, entries)
    lost = changing.follow(dataset, arrival.linked)
    bar.table(dataset, PAGE, [*selected, *goal.url_entries_of_data()])
    title = say("When should a model rather not answer?")
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset))
    folds.draw_own(dataset, models.PLACES)
    st.caption(
        say(
            "A model that knows what it does not know leaves its doubtful rows to an expert, and "
            "is right more often on the rest. Each model is asked about rows that it has not "
            "seen."
        )
    )
    top = st.container()
    places = slots.draw(models.PLACES, comparison_results.mark, dataset.target)
    notes = look_at_all(dataset, places, arrival.linked)
    with top:
        frame.notes([*arrival.notes, *lost, *notes])
    bar.undo(PAGE)
    address.save(PAGE, entries)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """Folds, the measure of doubt, and what errors cost."""
    folds.draw_plan()
    models.draw_measure(dataset)
    costs.draw(dataset)


def look_at_all(dataset: Dataset, places: Sequence, linked: bool) -> list[str]:
    """Ask the chosen models, and show their answers so far; notes on a row of the link that is not there."""
    trials = models.trials(dataset)
    note = folds.note_on(dataset, trials[0].plan.n_folds) if trials else say("Choose at least one model above.")
    if note:
        st.info(note)
        return []
    titles = slots.titles([trial.chosen for trial in trials])
    outcomes = runs.outcomes(trials)
    comparison_results.draw_outcomes(trials, outcomes, places)
    runs.offer_to_begin(trials, say("Ask them"))
    runs.draw_progress(trials, titles)
    known = models.known(trials, titles, outcomes)
    if not known and all(outcome.wrong for outcome in outcomes):
        st.info(say("None of these models could be asked; each place above says why."))
    there = zip(trials, titles, outcomes, strict=True)
    possible = {trial.slot + 1: title for trial, title, outcome in there if not outcome.wrong}
    notes = experts.drop_invalid(dataset, possible, linked)
    if known:
        results(dataset, known, possible)
    return notes


def results(dataset: Dataset, known: Sequence[AnsweredModel], titles: Mapping[int, str]) -> None:
    """Draw curves, goal, list, story and calibration of the models that are done; titles are of all."""
    # The widgets below come only when a model is done: each run tells the browser their values anew.
    own = [*goal.url_entries(), *promises.url_entries(), *section.group_entries(dataset)]
    address.hold([*own, *experts.url_entries(), *changing.url_entries(dataset)])
    with embedding.part("curves"):
        summaries = curves.draw(dataset, known)
    with embedding.part("decisions"):
        section.draw(dataset, [section.of_reliability(one) for one in known])
    with embedding.part("promise"):
        promises.draw(dataset, known)
    chosen = experts.pick_model(titles, known)
    if chosen is not None:
        with embedding.part("rows"):
            experts.draw(dataset, known[chosen], summaries)
            unsettled.draw(known[chosen])
        with embedding.part("story"):
            explanation.draw(dataset, known[chosen])
    with embedding.part("calibration"):
        curves.draw_calibration(dataset, known, summaries)
    st.page_link(
        "pages/new_rows.py", label=say("What a model says of new rows"), icon=":material/playlist_add_check:"
    )
    offer(PAGE, lambda: reports.reported(dataset, known, goal.chosen(dataset)))


frame.enter()
reliability_page()
