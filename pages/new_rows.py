"""What does a model say of new rows? Those held out, or a file: who answers each, why, and what is promised."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from espalier.new_rows.scoring import ScoringRules, apply_rules
from pages.shared.app import address, frame, links
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.new_rows import results, rows, scoring
from pages.shared.own_models import uploads
from pages.shared.promises import section as promises
from pages.shared.reliability import goal
from pages.shared.reports import use
from pages.shared.reports.offer import offer

PAGE = "new_rows"


@frame.guarded
def new_rows_page() -> None:
    """Draw the page: the model, the rows, and what it says of them; the rules stand in the drawer."""
    dataset = library.chosen()
    first = [*slots.url_entries(scoring.PLACES, dataset), rows.SOURCES.entry, *below()]
    former = links.gone_entry("reasons", say("the columns that matter most stand in the list where that is quick"))
    settings = [*drawer.held_out_entries(), scoring.SECONDS.entry, *goal.url_entries(), promises.CONTROL.entry]
    entries = [*first, *settings, former]
    arrival = address.load(PAGE, entries)
    bar.table(dataset, PAGE, goal.url_entries_of_data())
    title = say("What does a model say of new rows?")
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset), [entry.key for entry in first])
    frame.notes(arrival.notes)
    draw_model(dataset, ScoringRules(goal.chosen(dataset), st.session_state["level"] / 100))
    address.save(PAGE, entries)
    bar.undo(PAGE)
    compilation.freeze_imports()


def below() -> list[address.Entry]:
    """The controls below the figure."""
    return [results.LISTED.entry, scoring.DRIFT.entry]


def draw_settings(dataset: Dataset) -> None:
    """The rows held out, the time of a search, and which rows are for an expert."""
    drawer.draw_held_out()
    scoring.SECONDS.draw()
    st.markdown(say("**Rows for an expert**"))
    goal.draw(dataset)
    promises.CONTROL.draw()


def draw_model(dataset: Dataset, rules: ScoringRules) -> None:
    """Draw the choices of the model and of the rows, and once both are there what it says of them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="asked-model"):
        chosen = scoring.chosen(dataset)
        rows.SOURCES.draw()
    if slots.has_own(scoring.PLACES):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)
    if chosen is None:
        return
    with frame.figure_part("rows"):
        asked = rows.asked(chosen, scoring.made(chosen))
        outcome = None if asked is None else scoring.outcome(asked)
    if asked is None or outcome is None:
        return
    # The widgets below come only now: each run tells the browser their values anew.
    address.hold(below())
    known, said, leading = outcome
    scored = apply_rules(asked.model, known, asked.rows, said, rules)._replace(leading=leading)
    with frame.figure_part("summary"):
        results.draw_summary(scored, dataset, rules.level)
    with frame.figure_part("list"):
        results.draw(f"{asked.key} {leading is not None} {rules}", scored, dataset)
    with st.container(horizontal=True):
        results.draw_saving(scored, dataset)
        offer(PAGE, lambda: use.new_rows(chosen, scored, rules.level))
    scoring.draw_drift(asked)


frame.enter()
new_rows_page()
