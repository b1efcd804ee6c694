"""What does a model say of new rows? A file of them: what is promised, the reasons, and the rows for an expert."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from espalier.new_rows.scoring import ScoringRules
from pages.shared.app import address, embedding, frame
from pages.shared.data import library
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.new_rows import drifting, models, results, saving, scoring, sources
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.promises import section as promises
from pages.shared.reliability import goal
from pages.shared.reports import new_rows as reports
from pages.shared.reports.offer import offer

PAGE = "new_rows"


@frame.guarded
def new_rows_page() -> None:
    """Draw the page: data and rules on the left; the model, the rows, and what it says of them."""
    dataset = library.chosen()
    entries = [
        *models.url_entries(dataset),
        *scoring.url_entries(),
        *sources.url_entries(),
        *results.url_entries(),
    ]
    entries += [*goal.url_entries(), promises.level_entry(), *drifting.url_entries()]
    arrival = address.load(PAGE, entries)
    bar.table(dataset, PAGE, goal.url_entries_of_data())
    drawer.heading(say("What does a model say of new rows?"), PAGE, entries, lambda: draw_settings(dataset))
    models.draw_own(dataset)
    st.caption(
        say(
            "Bring a file of rows that the model has not seen. Each gets an answer, how sure it "
            "is, what is promised about it, and the columns that matter most. Rows that an "
            "expert should answer in place of the model are named, with the reason."
        )
    )
    frame.notes(arrival.notes)
    draw_model(dataset, ScoringRules(goal.chosen(dataset), st.session_state["level"] / 100))
    bar.undo(PAGE)
    address.save(PAGE, entries)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """The rows held out, the time of a search, and which rows are for an expert."""
    models.draw_controls()
    st.markdown(say("**Rows for an expert**"))
    goal.draw(dataset)
    promises.pick_level()
    scoring.draw_control()


def draw_model(dataset: Dataset, rules: ScoringRules) -> None:
    """Draw the choice of the model, the rows, and once both are there what it says of them."""
    asked = models.chosen(dataset)
    if asked is None:
        return
    with embedding.part("rows"):
        model = models.made(asked)
        one = sources.asked(asked, model)
    if one is not None:
        draw_rows(one, asked, rules)


def draw_rows(one: RowsAtWork, asked: ScoringModel, rules: ScoringRules) -> None:
    """Draw all that is said of the rows, as soon as it is known."""
    dataset, found = asked.dataset, scoring.outcome(one)
    if found is None:
        return
    # The widgets below come only now: each run tells the browser their values anew.
    address.hold([*results.url_entries(), *drifting.url_entries()])
    rows = scoring.by_rules(one, found, rules)
    key = f"{one.key} {found.leading is not None} {rules}"
    with embedding.part("summary"):
        results.summary(rows, dataset, rules.level)
    with embedding.part("list"):
        results.draw(key, rows, dataset)
    saving.draw(key, rows, dataset, results.places(rows, st.session_state["listed"]))
    drifting.draw(one.key, one.model, one.rows)
    offer(PAGE, lambda: reports.reported(asked, one, rows, rules.level))


frame.enter()
new_rows_page()
