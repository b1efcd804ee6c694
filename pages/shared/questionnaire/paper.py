"""The questionnaire to print, and how many of its questions are enough."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.language import as_spoken, say
from espalier.questionnaire import sheet as sheets
from pages.shared.app.frame import plain
from pages.shared.app.pictures import file_name
from pages.shared.canvas.data_table import data_table
from pages.shared.questionnaire import sources
from pages.shared.questionnaire.sources import CONTROLS, QuestionnaireSource, QuestionnaireTree

MOST_PRINTED = 200  # questions on a sheet


def draw_sheet(asked: QuestionnaireTree) -> None:
    """The questionnaire on paper: a look at it, to print or to save."""
    if asked.form.tree.n_leaves > MOST_PRINTED + 1:
        st.info(length_warning(asked))
        return
    name = file_name(asked.source.dataset.name) or "data"
    st.download_button(
        say("Save as a web page (.html)"), as_spoken(lambda: html(asked)), f"questionnaire-{name}.html",
        "text/html", on_click="ignore", key="save sheet", icon=":material/download:",
    )  # fmt: skip
    st.iframe(html(asked, button=True), height=700)


def length_warning(asked: QuestionnaireTree) -> str:
    """Note in place of a sheet with too many questions."""
    n = count(asked.form.tree.n_leaves - 1)
    return say("{n} questions are too many for paper (at most {most}): ask fewer.", n=n, most=MOST_PRINTED)


def html(asked: QuestionnaireTree, button: bool = False) -> str:
    """The sheet as a document of its own."""
    source, target = asked.source, asked.source.dataset.target
    behind = say("how often that was right, and of how many rows of the table")
    if source.box is not None:
        behind = say("how likely {who} finds that, and how many rows of the table led there", who=source.who)
    title = say("Questionnaire: {target}", target=target.name)
    length = f"{say('At most {n}.', n=sources.number_of_questions(asked.most))} {worth(source, asked.most)}"
    heading = sheets.Heading(title, (origin(source), length), behind, asked.limit, source.box is None)
    return sheets.sheet(asked.form, target, heading, button)


def origin(source: QuestionnaireSource) -> str:
    """A sentence on the model or tree that the questions come from."""
    n, name = count(int((~source.held).sum())), title_of(source.dataset)
    return say("Stands for {who}, made from {n} rows of “{name}” by Espalier.", who=source.who, n=n, name=name)


def worth(source: QuestionnaireSource, most: int) -> str:
    """A sentence on how good the questionnaire is with so many questions."""
    agreement = sources.lengths(source)[0][most].fidelity.agreement
    if math.isnan(agreement):
        return ""
    share = percent(max(round(agreement, 3), 0.0))
    if not source.dataset.is_classification:
        whose = say("the target") if source.box is None else source.who
        return say("It explains {share} of how {whose} varies.", share=share, whose=whose)
    if source.box is not None:
        return say("It answers as {who} does in {share} of made-up cases.", who=source.who, share=share)
    return say("It is right on {share} of {rows}.", share=share, rows=judging_rows(source))


def judging_rows(source: QuestionnaireSource) -> str:
    """The rows that say how good the questionnaire is, in the middle of a sentence."""
    if source.box is not None:
        return say("made-up cases that {who} answered", who=source.who)
    return say("rows kept for testing") if source.held.any() else say("the rows that it was made from")


def draw_length(source: QuestionnaireSource) -> None:
    """Draw the control of the number of questions, and a note on what the choice is worth."""
    depth, control = min(source.tree.depth, sources.MOST_QUESTIONS), CONTROLS["questions"]
    if control.value is not None and control.value >= depth:
        st.session_state["questions"] = None
    if depth > 1:
        control.draw(
            options=[*range(1, depth), None],
            format_func=lambda n: sources.number_of_questions(n) if n else say("all {n}", n=depth),
        )
    st.caption(plain(worth(source, depth if control.value is None else control.value)))


def draw_lengths(asked: QuestionnaireTree) -> None:
    """Draw the table of the price of fewer questions."""
    alt = say("What the questionnaire is worth by its length")
    data_table(lengths_table(asked.source), hide_index=True, alt=alt)
    st.caption(plain(say("Measured on {rows}.", rows=judging_rows(asked.source))))


def lengths_table(source: QuestionnaireSource) -> pd.DataFrame:
    """A row for each number of questions, from none on."""
    levels, mean_asked = sources.lengths(source)
    rows = range(min(len(levels), sources.MOST_QUESTIONS + 1))
    column = say("variation explained")
    if source.dataset.is_classification:
        column = say("right", context="correct") if source.box is None else say("same as the full model")
    table = {
        say("questions, at most"): list(rows),
        say("asked on average"): [number(float(mean_asked[n])) for n in rows],
        column: [percent(max(round(levels[n].fidelity.agreement, 3), 0.0)) for n in rows],
        say("endings"): [levels[n].n_leaves for n in rows],
    }
    return pd.DataFrame(table)
