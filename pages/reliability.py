"""When should a model rather not answer? Accuracy against the share answered, rows for an expert, and why."""

from collections.abc import Mapping, Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.language import say, to_say
from pages.shared.app import address, frame, links
from pages.shared.app.address import Entry
from pages.shared.app.links import one_of
from pages.shared.canvas.components import draw_tabs
from pages.shared.comparison import folds, results, runs
from pages.shared.data import library
from pages.shared.decisions import controls as costs
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.promises import section as promises
from pages.shared.reliability import changing, curves, experts, explanation, goal, models
from pages.shared.reliability.experts import STORY, TAB
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reports import trust
from pages.shared.reports.offer import offer
from pages.shared.tree import selection

PAGE = "reliability"
HOW_FAR, WHO = to_say("How far"), to_say("Who decides")
TABS = (HOW_FAR, WHO, to_say("One row"))
TAB_OF_FIGURE = {"rows": WHO, "story": STORY}  # that a frame shows alone; of others the first


@frame.guarded
def reliability_page() -> None:
    """The whole page: places for models; tabs for their answers, the rows they would hand over, and one row."""
    dataset = library.chosen()
    selected = [*experts.url_entries(), *changing.url_entries(dataset)]
    tab = Entry(TAB, first_tab(), one_of(TABS), undo=False, stays=True, name="tab")
    here = [*goal.url_entries(), *promises.url_entries(), *section.group_entries(dataset), *selected, tab]
    here += [*results.url_entries(dataset)[1:], *slots.url_entries(models.PLACES, dataset)]
    doubt = links.gone_entry("doubt", say("doubt is measured by what a model is made of"))
    entries = [*folds.plan_entries(), *costs.url_entries(dataset), *here, doubt]
    arrival = address.load(PAGE, entries)
    lost = changing.follow(dataset, arrival.linked)
    results.drop_invalid(dataset)
    bar.table(dataset, PAGE, [*selected, *goal.url_entries_of_data()])
    title, first = say("When should a model rather not answer?"), {entry.key for entry in here}
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset), first)
    folds.draw_own(dataset)
    top = st.container()
    places = slots.draw(models.PLACES, results.SYMBOLS, dataset.target)
    notes = look_at_all(dataset, places, arrival.linked)
    with top:
        frame.notes([*arrival.notes, *lost, *notes])
    address.save(PAGE, entries)
    bar.undo(PAGE)
    compilation.freeze_imports()


def first_tab() -> str:
    """The tab that a link opens which names none: that of its figure, or of its row."""
    figure = st.query_params.get(frame.FIGURE, "") if frame.is_embedded() else ""
    return TAB_OF_FIGURE.get(figure, HOW_FAR if figure or selection.ROW not in st.query_params else STORY)


def draw_settings(dataset: Dataset) -> None:
    """Folds, and what errors cost."""
    folds.draw_plan()
    costs.draw(dataset)


def look_at_all(dataset: Dataset, places: Sequence, linked: bool) -> list[str]:
    """Ask the chosen models, and show their answers so far; notes on a row of the link that is not there."""
    trials = models.trials(dataset)
    note = folds.note_on(dataset, trials[0].plan.n_folds) if trials else say("Choose at least one model above.")
    if note:
        st.info(note)
        return []
    titles, outcomes = slots.titles({trial.slot: trial.model for trial in trials}), runs.outcomes(trials)
    results.draw_outcomes(trials, outcomes, places)
    known = models.known(trials, titles, outcomes)
    if not known and all(outcome.wrong for outcome in outcomes):
        st.info(say("No model could be tried; each place says why."))
    there = zip(trials, titles, outcomes, strict=True)
    possible = {trial.slot + 1: title for trial, title, outcome in there if not outcome.wrong}
    notes = experts.drop_invalid(dataset, possible, linked)
    with st.container(key="trust-stage"):
        if known:
            address.hold([*goal.url_entries(), *promises.url_entries(), *section.group_entries(dataset)])
            address.hold([*experts.url_entries(), *changing.url_entries(dataset)])
            draw_answers(dataset, known, possible)
        runs.draw_progress(trials, titles)
    if known:
        offer(PAGE, lambda: trust.reliability(dataset, known, goal.chosen(dataset)))
    return notes


def draw_answers(dataset: Dataset, known: Sequence[AnsweredModel], titles: Mapping[int, str]) -> None:
    """Draw the open tab, of the models that are done; titles are of all."""
    tabs = draw_tabs(TABS, TAB)
    if tabs[HOW_FAR].open:
        with tabs[HOW_FAR]:
            how_far(dataset, known)
        return
    with tabs[WHO] if tabs[WHO].open else tabs[STORY]:
        model = experts.pick_model(titles, known)
        if model is not None and tabs[WHO].open:
            with frame.figure_part("rows"):
                experts.draw(dataset, model, curves.summaries_of(known, goal.chosen(dataset)))
            label = say("What a model says of new rows")
            st.page_link("pages/new_rows.py", label=label, icon=":material/playlist_add_check:")
        elif model is not None:
            with frame.figure_part("story"):
                explanation.draw(dataset, model)


def how_far(dataset: Dataset, known: Sequence[AnsweredModel]) -> None:
    """Draw curves and goal, and folded what else says how far the models can be relied on."""
    is_classes = dataset.is_classification
    with frame.figure_part("curves"):
        summaries = curves.draw(dataset, known)
    frame.fold(say(curves.BY_THRESHOLD), "by-threshold", lambda: curves.draw_by_threshold(summaries, is_classes))
    with frame.figure_part("promise"):
        title = say("Sets with the truth") if is_classes else say("Intervals with the truth")
        frame.fold(
            title, "promises", lambda: promises.draw(dataset, known), st.session_state["level"] != promises.LEVEL
        )
    deciding = [section.of_reliability(one) for one in known]
    section.draw(dataset, deciding, curves.contestants(known), "calibration")


frame.enter()
reliability_page()
