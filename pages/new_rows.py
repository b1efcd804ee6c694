"""What does a model say of new rows? Those held out, or a file: who answers each, why, and what is promised."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from espalier.new_rows.scoring import ScoringRules, apply_rules
from pages.shared.app import address, embedding, frame
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer, slots
from pages.shared.new_rows import drifting, models, results, scoring, sources
from pages.shared.promises import section as promises
from pages.shared.reliability import goal
from pages.shared.reports import use
from pages.shared.reports.offer import offer

PAGE = "new_rows"


@frame.guarded
def new_rows_page() -> None:
    """Draw the page: the model, the rows, and what it says of them; the rules stand in the drawer."""
    dataset = library.chosen()
    of_rows = [*sources.url_entries(), *results.url_entries(), *drifting.url_entries()]
    shown = [*slots.url_entries(models.PLACES, dataset), *of_rows]
    entries = [*shown, *models.url_entries(), *scoring.url_entries(), *goal.url_entries(), promises.level_entry()]
    arrival = address.load(PAGE, entries)
    bar.table(dataset, PAGE, goal.url_entries_of_data())
    title, first = say("What does a model say of new rows?"), [entry.key for entry in shown]
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset), first)
    frame.notes(arrival.notes)
    draw_model(dataset, ScoringRules(goal.chosen(dataset), st.session_state["level"] / 100))
    address.save(PAGE, entries)
    bar.undo(PAGE)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """The rows held out, the time of a search, and which rows are for an expert."""
    models.draw_controls()
    st.markdown(say("**Rows for an expert**"))
    goal.draw(dataset)
    promises.pick_level()
    scoring.draw_control()


def draw_model(dataset: Dataset, rules: ScoringRules) -> None:
    """Draw the choices of the model and of the rows, and once both are there what it says of them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="asked-model"):
        asked = models.chosen(dataset)
        sources.draw_choice()
    models.draw_own(dataset)
    if asked is None:
        return
    with embedding.part("rows"):
        model = models.made(asked)
        one = sources.asked(asked, model)
        found = None if one is None else scoring.outcome(one)
    if one is None or found is None:
        return
    # The widgets below come only now: each run tells the browser their values anew.
    address.hold([*results.url_entries(), *drifting.url_entries()])
    rows = apply_rules(one.model, found.known, one.rows, found.said, rules)._replace(leading=found.leading)
    key = f"{one.key} {found.leading is not None} {rules}"
    with embedding.part("summary"):
        results.summary(rows, dataset, rules.level)
    with embedding.part("list"):
        results.draw(key, rows, dataset)
    with st.container(horizontal=True):
        results.draw_saving(rows, dataset)
        offer(PAGE, lambda: use.new_rows(asked, rows, rules.level))
    drifting.draw(one.key, one.model, one.rows)


frame.enter()
new_rows_page()
