"""The questionnaire to print, and how many of its questions are enough."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from espalier.comparison import tables
from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.language import as_spoken, say
from espalier.questionnaire import sheet as sheets
from espalier.questionnaire.sheet import Heading
from pages.shared.app.frame import plain
from pages.shared.app.pictures import file_name
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.slider import slider
from pages.shared.models.drawer import pick
from pages.shared.questionnaire import sources
from pages.shared.questionnaire.sources import QuestionnaireSource, QuestionnaireTree

MOST_PRINTED = 200  # questions on a sheet


def sheet(one: QuestionnaireTree) -> None:
    """The questionnaire on paper: a look at it, to print or to save."""
    opened = st.expander(say("Print the questionnaire"), icon=":material/print:", on_change="rerun", key="sheet")
    if not opened.open:
        return
    n = one.form.tree.n_leaves - 1
    with opened:
        if n > MOST_PRINTED:
            st.info(length_warning(n))
            return
        name = file_name(one.source.dataset.name)
        st.download_button(
            say("Save as a web page (.html)"),
            as_spoken(lambda: html(one)),
            f"questionnaire-{name or 'data'}.html",
            "text/html",
            on_click="ignore",
            key="save sheet",
            icon=":material/download:",
            help=say("It opens in every browser and prints on A4."),
        )
        st.iframe(html(one, button=True), height=700)


def length_warning(n: int) -> str:
    """Note in place of a sheet with too many questions."""
    return say(
        "This questionnaire has {n} questions, too many for paper (at most {most}). Ask fewer: “Ask at most” "
        "above.",
        n=count(n),
        most=MOST_PRINTED,
    )


def html(one: QuestionnaireTree, button: bool = False) -> str:
    """The sheet as a document of its own."""
    data, source = one.source.dataset, one.source
    lines = [origin(source), (f"{sources.sheet_length(one.most)} {worth(source, one.most)}")]
    behind = (
        say("how often that was right among the rows of the table that led there, and how many these were")
        if source.box is None
        else say(
            "how likely {who} takes such a case for that, and how many rows of the table led there", who=source.who
        )
    )
    title = sources.sheet_title(data.target.name)
    return sheets.sheet(
        one.form, data.target, Heading(title, tuple(lines), behind, one.limit, one.source.box is None), button
    )


def origin(source: QuestionnaireSource) -> str:
    """A sentence on the model or tree that the questions come from."""
    n = int((~source.held).sum())
    start = say("Asks what {who} asks", who=source.who)
    if source.box is not None:
        start = say("Stands in for {who}", who=source.who)
    name = title_of(source.dataset)
    return say("{start}, made from {n} rows of “{name}” by Espalier.", start=start, n=count(n), name=name)


def worth(source: QuestionnaireSource, most: int, is_brief: bool = False) -> str:
    """Sentences on how good the questionnaire is with so many questions; the first of them, if `is_brief`."""
    agreement = sources.lengths(source).levels[most].fidelity.agreement
    if math.isnan(agreement):
        return ""
    if not source.dataset.is_classification:
        whose = say("the target") if source.box is None else say("what {who} says", who=source.who)
        return say(
            "It explains {share} of how {whose} varies.", share=percent(round(max(agreement, 0.0), 3)), whose=whose
        )
    share = percent(round(agreement, 3))
    if source.box is not None:
        return say("It answers as {who} does in {share} of made-up cases.", who=source.who, share=share)
    rows = say("rows kept for testing") if source.held.any() else say("the rows that it was made from")
    first = say("It is right on {share} of {rows}.", share=share, rows=rows)
    if is_brief:
        return first
    rates, target = sources.rates_of(source, most), source.dataset.target
    return " ".join([first, tables.baseline_words(rates, target), tables.class_rates_words(rates, target)])


def length(source: QuestionnaireSource) -> None:
    """Draw the control of the number of questions, and a note on what the choice is worth."""
    depth = min(source.tree.depth, sources.MOST_QUESTIONS)
    wanted = st.session_state["questions"]
    if wanted is not None and wanted >= depth:
        st.session_state["questions"] = None
    if depth > 1:
        pick(
            sources.CONTROLS, "questions", slider, options=[*range(1, depth), None], default=None,
            format_func=lambda n: sources.number_of_questions(n) if n else say("all {n}", n=depth),
        )  # fmt: skip
    wanted = st.session_state["questions"] if depth > 1 else None
    st.caption(plain(worth(source, depth if wanted is None else wanted, is_brief=True)))


def lengths(one: QuestionnaireTree) -> None:
    """Draw the table of the price of fewer questions."""
    opened = st.expander(say("How many questions are enough?"), on_change="rerun", key="lengths")
    if not opened.open:
        return
    with opened:
        data_table(table(one.source), hide_index=True, alt=say("What the questionnaire is worth by its length"))
        st.caption(f"{basis(one.source)} {plain(worth(one.source, one.most))}")


def table(source: QuestionnaireSource) -> pd.DataFrame:
    """A row for each number of questions, from none on."""
    by_length = sources.lengths(source)
    agreement = [level.fidelity.agreement for level in by_length.levels]
    rows = range(min(len(agreement), sources.MOST_QUESTIONS + 1))
    column = say("right", context="correct") if source.box is None else say("same as the full model")
    column = column if source.dataset.is_classification else say("variation explained")
    return pd.DataFrame(
        {
            say("questions, at most"): list(rows),
            say("asked on average"): [number(float(by_length.mean_asked[n])) for n in rows],
            column: [percent(max(round(agreement[n], 3), 0.0)) for n in rows],
            say("endings"): [by_length.levels[n].n_leaves for n in rows],
        }
    )


def basis(source: QuestionnaireSource) -> str:
    """A sentence on the rows that the table of lengths is measured on; Markdown."""
    if source.box is not None:
        return say("Measured on fresh made-up cases that {who} was asked about.", who=plain(source.who))
    return say(
        "Measured on {rows}.",
        rows=say("rows kept for testing") if source.held.any() else say("the rows that the tree was grown on"),
    )
