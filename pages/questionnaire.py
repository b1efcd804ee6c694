"""The model's answer to a case: a few questions in plain words, then an answer with its reasons."""

import streamlit as st

from espalier.data import Dataset
from espalier.language import say
from espalier.questionnaire.figures import way_picture
from espalier.questionnaire.questionnaire import Walk, walk
from pages.shared.app import address, embedding, frame, pictures
from pages.shared.app import sentences as app_sentences
from pages.shared.app.frame import plain
from pages.shared.canvas.slider import slider
from pages.shared.data import library
from pages.shared.decisions import of_tree
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.questionnaire import answering, answers_in_url, asking, full_model, paper, sources
from pages.shared.questionnaire.sources import QuestionnaireTree
from pages.shared.reports import use
from pages.shared.reports.offer import offer

PAGE = "questionnaire"


@frame.guarded
def questionnaire_page() -> None:
    """Draw the question in the middle; beside it the way so far, and what the questions are made from."""
    dataset = library.chosen()
    answers = answers_in_url.url_entries(dataset.features)
    entries = [*sources.url_entries(dataset), *answers]
    arrival = address.load(PAGE, entries)
    sources.drop_invalid(dataset)
    answers_in_url.drop_invalid(dataset.digest, arrival.linked)
    bar.table(dataset, PAGE, answers)
    title = say("What is the {target}?", target=plain(dataset.target.name))
    first = ("asking", "questions", *(entry.key for entry in answers))
    drawer.heading(title, PAGE, entries, lambda: draw_settings(dataset), first)
    address.save(PAGE, entries)  # also while the tree grows, so that its link can be sent to a colleague
    bar.undo(PAGE)
    frame.notes(arrival.notes)
    with st.container(key="interview"):  # on a wide page the last of the three stands first
        middle, beside, controls = st.columns([2, 1, 1], gap="large")
    with controls:
        sources.draw_choice(dataset)
    with middle, embedding.part("question"):
        source = sources.source(dataset)
        form = None if source is None else sources.asked(source)
        walked = None if form is None else draw_interview(form)
    if source is None or form is None or walked is None:
        return
    with controls:
        paper.length(source)
    with beside:
        way = way_picture(form.form, walked, dataset.target)
        pictures.draw(way, 300)
        st.caption(way.alt)
        asking.so_far(form)
    paper.lengths(form)
    paper.sheet(form)
    of_tree.draw_held_out(sources.deciding(form), dataset, source.held, sources.has_costs(dataset))
    offer(PAGE, lambda: use.questionnaire(form))
    address.save(PAGE, entries)
    compilation.freeze_imports()


def draw_settings(dataset: Dataset) -> None:
    """How sure is sure enough, and how the tree is grown."""
    if dataset.is_classification:
        drawer.pick(
            sources.CONTROLS, "sure", slider, options=range(101), default=sources.PERCENT_SURE,
            format_func=app_sentences.percentage,
        )  # fmt: skip
    sources.draw_controls(dataset)


def draw_interview(one: QuestionnaireTree) -> Walk:
    """Draw the next question or the answer; the way that led there."""
    walked = walk(one.form, answers_in_url.answers(one.form.features))
    if one.form.tree.feature[walked.node] >= 0:
        asking.draw(one, walked)
    else:
        answering.draw(one, walked)
        full_model.draw(one, walked)
    return walked


frame.enter()
questionnaire_page()
