"""The questionnaire to print, and how many of its questions are enough."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from espalier.views.comparison import rates_words
from espalier.views.questionnaire import sheet as sheets
from espalier.views.questionnaire.sheet import Heading
from espalier.views.theme import number, percent
from pages.shared.app.frame import plain
from pages.shared.models.rail import pick
from pages.shared.questionnaire import sources
from pages.shared.questionnaire.sources import HELP, QuestionnaireSource, QuestionnaireTree

MOST_PRINTED = 200  # questions on a sheet


def sheet(one: QuestionnaireTree) -> None:
    """The questionnaire on paper: a look at it, to print or to save."""
    opened = st.expander("Print the questionnaire", icon=":material/print:", on_change="rerun", key="sheet")
    if not opened.open:
        return
    n = one.form.tree.n_leaves - 1
    with opened:
        if n > MOST_PRINTED:
            st.info(
                f"This questionnaire has {n:,} questions, too many for paper (at most {MOST_PRINTED}). Ask fewer: "
                "“Ask at most” on the left."
            )
            return
        name = "".join(c if c.isalnum() else "-" for c in one.source.dataset.name.lower())[:40].strip("-")
        st.download_button(
            "Save as a web page (.html)", lambda: html(one), f"questionnaire-{name or 'data'}.html", "text/html",
            on_click="ignore", key="save sheet", icon=":material/download:",
            help="It opens in every browser and prints on A4.",
        )  # fmt: skip
        st.iframe(html(one, button=True), height=700)


def html(one: QuestionnaireTree, button: bool = False) -> str:
    """The sheet as a document of its own."""
    data, source = one.source.dataset, one.source
    lines = [_origin(source), f"At most {one.most} question{'s' * (one.most != 1)}. {_worth(source, one.most)}"]
    behind = (
        f"how likely {source.who} takes such a case for that, and how many rows of the table led there"
        if source.box is not None
        else "how often that was right among the rows of the table that led there, and how many these were"
    )
    title = f"Questionnaire: {data.target.name}"
    return sheets.sheet(one.form, data.target, Heading(title, tuple(lines), behind, one.limit), button)


def _origin(source: QuestionnaireSource) -> str:
    n = int((~source.held).sum())
    what = f"Stands in for {source.who}" if source.box is not None else f"Asks what {source.who} asks"
    return f"{what}, made from {n:,} rows of “{source.dataset.name}” by Espalier."


def _worth(source: QuestionnaireSource, most: int) -> str:
    """How good the questionnaire is with so many questions, in a sentence."""
    found = sources.lengths(source).levels[most].fidelity.agreement
    if math.isnan(found):
        return ""
    if not source.dataset.is_classification:
        whose = f"what {source.who} says" if source.box is not None else "the target"
        return f"It explains {percent(round(max(found, 0.0), 3))} of how {whose} varies."
    if source.box is not None:
        return f"It answers as {source.who} does in {percent(round(found, 3))} of made-up cases."
    rows = "rows kept for testing" if source.held.any() else "the rows that it was made from"
    told = sources.rates_of(source, most)
    beside = [say(told, source.dataset.target) for say in (rates_words.baseline_words, rates_words.by_class_words)]
    return f"It is right on {percent(round(found, 3))} of {rows}. {' '.join(beside)}"


def length(source: QuestionnaireSource) -> None:
    """The control of how many questions are asked, and what the choice is worth."""
    depth = min(source.tree.depth, sources.MOST_QUESTIONS)
    wanted = st.session_state["questions"]
    if wanted is not None and wanted >= depth:
        st.session_state["questions"] = None
    if depth > 1:
        pick(
            HELP, "questions", st.select_slider, options=[*range(1, depth), None],
            format_func=lambda n: f"{n} question{'s' * (n != 1)}" if n else f"all {depth}",
        )  # fmt: skip
    wanted = st.session_state["questions"] if depth > 1 else None
    st.caption(plain(_worth(source, depth if wanted is None else wanted)))


def lengths(one: QuestionnaireTree) -> None:
    """Table of what fewer questions cost."""
    opened = st.expander("How many questions are enough?", on_change="rerun", key="lengths")
    if not opened.open:
        return
    with opened:
        st.dataframe(table(one.source), hide_index=True, alt="What the questionnaire is worth by its length")
        st.caption(_basis(one.source))


def table(source: QuestionnaireSource) -> pd.DataFrame:
    """A row for each number of questions, from none on."""
    found = sources.lengths(source)
    agreement = [level.fidelity.agreement for level in found.levels]
    rows = range(min(len(agreement), sources.MOST_QUESTIONS + 1))
    return pd.DataFrame(
        {
            "questions, at most": list(rows),
            "asked on average": [number(float(found.mean_asked[n])) for n in rows],
            _column(source): [percent(max(round(agreement[n], 3), 0.0)) for n in rows],
            "endings": [found.levels[n].n_leaves for n in rows],
        }
    )


def _column(source: QuestionnaireSource) -> str:
    if not source.dataset.is_classification:
        return "variation explained"
    return "same as the full model" if source.box is not None else "right"


def _basis(source: QuestionnaireSource) -> str:
    if source.box is not None:
        return f"Measured on fresh made-up cases that {plain(source.who)} was asked about."
    rows = "rows kept for testing" if source.held.any() else "the rows that the tree was grown on"
    return f"Measured on {rows}."
