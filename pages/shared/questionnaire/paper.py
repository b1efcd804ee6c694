"""The questionnaire to print, and how many of its questions are enough."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from espalier.data.samples import title_of
from espalier.language import as_spoken
from espalier.views.comparison import rates_words
from espalier.views.questionnaire import sheet as sheets
from espalier.views.questionnaire.sheet import Heading
from espalier.views.theme import number, percent
from pages.shared.app.frame import plain
from pages.shared.app.pictures import file_name
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.slider import slider
from pages.shared.models.rail import pick
from pages.shared.questionnaire import sources
from pages.shared.questionnaire.sources import QuestionnaireSource, QuestionnaireTree
from pages.shared.words import questionnaire as words

MOST_PRINTED = 200  # questions on a sheet


def sheet(one: QuestionnaireTree) -> None:
    """The questionnaire on paper: a look at it, to print or to save."""
    opened = st.expander(words.PRINT, icon=":material/print:", on_change="rerun", key="sheet")
    if not opened.open:
        return
    n = one.form.tree.n_leaves - 1
    with opened:
        if n > MOST_PRINTED:
            st.info(words.too_many(n, MOST_PRINTED))
            return
        name = file_name(one.source.dataset.name)
        st.download_button(
            words.SAVE, as_spoken(lambda: html(one)), f"questionnaire-{name or 'data'}.html", "text/html",
            on_click="ignore", key="save sheet", icon=":material/download:",
            help=words.SAVE_HELP,
        )  # fmt: skip
        st.iframe(html(one, button=True), height=700)


def html(one: QuestionnaireTree, button: bool = False) -> str:
    """The sheet as a document of its own."""
    data, source = one.source.dataset, one.source
    lines = [origin(source), f"{words.at_most(one.most)} {worth(source, one.most)}"]
    behind = words.BEHIND_TREE if source.box is None else words.behind_model(source.who)
    title = words.sheet_title(data.target.name)
    return sheets.sheet(
        one.form, data.target, Heading(title, tuple(lines), behind, one.limit, one.source.box is None), button
    )


def origin(source: QuestionnaireSource) -> str:
    """A sentence on the model or tree that the questions come from."""
    n = int((~source.held).sum())
    return words.origin(source.who, source.box is not None, n, title_of(source.dataset))


def worth(source: QuestionnaireSource, most: int) -> str:
    """A sentence on how good the questionnaire is with so many questions."""
    agreement = sources.lengths(source).levels[most].fidelity.agreement
    if math.isnan(agreement):
        return ""
    if not source.dataset.is_classification:
        whose = words.TARGET if source.box is None else words.model_answers(source.who)
        return words.explains(round(max(agreement, 0.0), 3), whose)
    if source.box is not None:
        return words.follows(round(agreement, 3), source.who)
    rows = words.TESTED_ROWS if source.held.any() else words.SHEET_ROWS
    rates, target = sources.rates_of(source, most), source.dataset.target
    beside = [rates_words.baseline_words(rates, target), rates_words.by_class_words(rates, target)]
    return words.is_right(round(agreement, 3), rows, beside)


def length(source: QuestionnaireSource) -> None:
    """Draw the control of the number of questions, and a note on what the choice is worth."""
    depth = min(source.tree.depth, sources.MOST_QUESTIONS)
    wanted = st.session_state["questions"]
    if wanted is not None and wanted >= depth:
        st.session_state["questions"] = None
    if depth > 1:
        pick(
            words.CONTROLS, "questions", slider, options=[*range(1, depth), None], default=None,
            format_func=lambda n: words.so_many_questions(n) if n else words.all_questions(depth),
        )  # fmt: skip
    wanted = st.session_state["questions"] if depth > 1 else None
    st.caption(plain(worth(source, depth if wanted is None else wanted)))


def lengths(one: QuestionnaireTree) -> None:
    """Draw the table of the price of fewer questions."""
    opened = st.expander(words.HOW_MANY, on_change="rerun", key="lengths")
    if not opened.open:
        return
    with opened:
        data_table(table(one.source), hide_index=True, alt=words.LENGTHS_ALT)
        st.caption(basis(one.source))


def table(source: QuestionnaireSource) -> pd.DataFrame:
    """A row for each number of questions, from none on."""
    by_length = sources.lengths(source)
    agreement = [level.fidelity.agreement for level in by_length.levels]
    rows = range(min(len(agreement), sources.MOST_QUESTIONS + 1))
    return pd.DataFrame(
        {
            words.QUESTIONS: list(rows),
            words.MEAN_ASKED: [number(float(by_length.mean_asked[n])) for n in rows],
            _column(source): [percent(max(round(agreement[n], 3), 0.0)) for n in rows],
            words.ENDINGS: [by_length.levels[n].n_leaves for n in rows],
        }
    )


def _column(source: QuestionnaireSource) -> str:
    if not source.dataset.is_classification:
        return words.EXPLAINED
    return words.RIGHT if source.box is None else words.SAME


def basis(source: QuestionnaireSource) -> str:
    """A sentence on the rows that the table of lengths is measured on; Markdown."""
    if source.box is not None:
        return words.on_made_up_cases(plain(source.who))
    return words.measured_on(words.TESTED_ROWS if source.held.any() else words.GROWN_ROWS)
