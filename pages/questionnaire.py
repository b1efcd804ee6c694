"""The model's answer to a case: a few questions in plain words, then an answer with its reasons."""

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import title_of
from espalier.language import say
from espalier.questionnaire.questionnaire import walk
from pages.shared.app import address, embedding, frame
from pages.shared.app import sentences as app_sentences
from pages.shared.app.frame import plain
from pages.shared.canvas.slider import slider
from pages.shared.data import library
from pages.shared.decisions import of_tree
from pages.shared.jobs import compilation
from pages.shared.models import bar, drawer
from pages.shared.questionnaire import answering, answers_in_url, asking, full_model, paper, sources
from pages.shared.questionnaire.sources import QuestionnaireTree
from pages.shared.reports import questionnaire as reports
from pages.shared.reports.offer import offer
from pages.shared.tree import report

PAGE = "questionnaire"


@frame.guarded
def questionnaire_page() -> None:
    """Draw the page: controls on the left; the question or the answer; earlier answers; the sheet."""
    dataset = library.chosen()
    answers = answers_in_url.url_entries(dataset.features)
    entries = [*sources.url_entries(dataset), *answers]
    arrival = address.load(PAGE, entries)
    sources.drop_invalid(dataset)
    answers_in_url.drop_invalid(dataset.digest, arrival.linked)
    asking.style()
    bar.table(dataset, PAGE, answers)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sources.draw_choice(dataset)
        length = st.container()
        drawer.settings(PAGE, entries, lambda: draw_settings(dataset), ("asking", "questions"))
    address.save(PAGE, entries)  # also while the tree grows, so that its link can be sent to a colleague
    bar.undo(PAGE)
    frame.notes(arrival.notes)
    source = sources.source(dataset)
    if source is None:
        report.preview(dataset)
        return
    with length:
        paper.length(source)
    one = sources.asked(source)
    st.markdown(
        say("**{name}**: what is the {target}?", name=plain(title_of(dataset)), target=plain(dataset.target.name))
    )
    with embedding.part("question"):
        interview(one)
    paper.lengths(one)
    paper.sheet(one)
    of_tree.draw_held_out(sources.deciding(one), dataset, source.held, sources.has_costs(dataset))
    offer(PAGE, lambda: reports.reported(one))
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


def interview(one: QuestionnaireTree) -> None:
    """Draw the next question or the answer; beside it the earlier answers."""
    walked = walk(one.form, answers_in_url.answers(one.form.features))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if one.form.tree.feature[walked.node] >= 0:
            asking.draw(one, walked)
        else:
            answering.draw(one, walked)
            full_model.draw(one, walked)
    with right:
        asking.so_far(one)


frame.enter()
questionnaire_page()
