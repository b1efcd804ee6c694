"""The model's answer to a case: a few questions in plain words, then an answer with its reasons."""

import streamlit as st

from espalier.language import say
from espalier.questionnaire.figures import way_picture
from pages.shared.app import address, frame, pictures
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.questionnaire import interview, sources
from pages.shared.reports import use
from pages.shared.reports.offer import offer

PAGE = "questionnaire"


@frame.guarded
def questionnaire_page() -> None:
    """Draw the question in the middle; beside it the way so far, and what the questions are made from."""
    dataset = library.chosen()
    answers = interview.url_entries(dataset.features)
    entries = [*sources.url_entries(dataset), *answers]
    arrival = address.load(PAGE, entries)
    sources.drop_invalid(dataset)
    interview.drop_invalid(dataset.digest, arrival.linked)
    bar.table(dataset, PAGE, answers)
    title = say("What is the {target}?", target=plain(dataset.target.name))
    first = ("asking", "questions", *(entry.key for entry in answers))
    drawer.heading(title, PAGE, entries, lambda: sources.draw_controls(dataset), first)
    address.save(PAGE, entries)  # also while the tree grows, so that its link can be sent to a colleague
    bar.undo(PAGE)
    frame.notes(arrival.notes)
    with st.container(key="interview"):  # on a wide page the last of the three stands first
        middle, beside, controls = st.columns([2, 1, 1], gap="large")
    with controls:
        sources.CONTROLS["asking"].draw(options=sources.offered(dataset), width="stretch")
    with middle, frame.figure_part("question"):
        source = sources.source(dataset)
        if source is None:
            return
        asked = sources.asked(source)
        walked = interview.draw(asked)
    with controls:
        sources.draw_length(source)
    with beside:
        way = way_picture(asked.form, walked, dataset.target)
        pictures.draw(way, 300)
        st.caption(way.alt)
        interview.draw_so_far(asked)
    frame.fold(say("How many questions are enough?"), "lengths", lambda: sources.draw_lengths(asked))
    frame.fold(say("Print the questionnaire"), "sheet", lambda: sources.draw_sheet(asked))
    if section.is_asked(dataset):
        st.caption(say("What errors cost is looked at on the page Tree."))
    offer(PAGE, lambda: use.questionnaire(asked))
    address.save(PAGE, entries)
    compilation.freeze_imports()


frame.enter()
questionnaire_page()
