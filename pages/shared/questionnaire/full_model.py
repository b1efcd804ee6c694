"""Answers of the full model where the questionnaire ends: to many made-up cases, and to this one, filled in."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import streamlit as st

from espalier.data.dataset import make_dataset
from espalier.data.options import calendar_day, days_until, first_day
from espalier.display.boundaries import plane
from espalier.display.theme import number
from espalier.language import say
from espalier.predict import leaves
from espalier.questionnaire import words as verdicts
from espalier.questionnaire.questionnaire import Walk, value_of
from espalier.ties import winner
from pages.shared.app.frame import plain
from pages.shared.questionnaire import answers_in_url, sources
from pages.shared.questionnaire.asking import bold
from pages.shared.questionnaire.sources import QuestionnaireTree

MOST_FIELDS, ABREAST = 40, 2
WIDGET = "filled"  # keys of the widgets: the leaf and the feature follow


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """Draw the full model's answers; nothing where the questions come from no other model."""
    if one.source.box is None:
        return
    with st.container(key="full-model"):
        st.markdown(say("**What would {who} itself have said?**", who=plain(one.source.who)))
        if said := would_have_said(one, walked):
            st.markdown(said)
        opened = st.expander(say("Ask it about this very case"), on_change="rerun", key="full-model-form")
        if opened.open:
            with opened:
                _ask(one, walked)


def would_have_said(one: QuestionnaireTree, walked: Walk) -> str:
    """What the full model says of made-up cases that end here; Markdown, empty without such a case."""
    spread = sources.spread_at(one, walked.node)
    if spread is None:
        return ""
    value, target = one.form.tree.value[walked.node], one.source.dataset.target
    return verdicts.spread_words(spread, value, target, plain(one.source.who), bold)


def _ask(one: QuestionnaireTree, walked: Walk) -> None:
    """Draw fields for all values without an answer, and the full model's answer to all of them."""
    usual = typical(one, walked)
    st.caption(
        say(
            "It needs a value of every column. What you did not say stands here as it is typical "
            "of the rows that led to the same answer (the middle value, or the most frequent "
            "one). Change what you know better."
        )
    )
    answer = st.container()
    row = usual.copy()
    for feature, value in answers_in_url.filled(one.form.features).items():
        row[feature] = value
    fields = [f for f in order(one, walked) if f not in _given(walked)]
    fields, others = fields[:MOST_FIELDS], fields[MOST_FIELDS:]
    for first in range(0, len(fields), ABREAST):  # rows, so that a phone keeps the order
        for column, feature in zip(st.columns(ABREAST), fields[first : first + ABREAST], strict=False):
            with column:
                _field(one, walked.node, feature, usual[feature], row[feature])
    if others:
        st.caption(say("The other {n} columns stay as they are typical.", n=len(others)))
    for feature, value in _given(walked).items():
        row[feature] = value
    with answer:
        _answer(one, walked, row)


def _given(walked: Walk) -> dict[int, float]:
    values = {feature: value_of(answer) for feature, answer in walked.known.items()}
    return {feature: value for feature, value in values.items() if not math.isnan(value)}


def typical(one: QuestionnaireTree, walked: Walk) -> np.ndarray:
    """(n_features,) most frequent or middle values of the rows that led here; of all rows where none did."""
    data = one.source.dataset
    rows = sources.rows_at(one, walked.node, held=False)
    rows = rows if len(rows) else np.flatnonzero(~one.source.held)
    return plane.typical(make_dataset(data.name, data.X[rows], data.features, data.y[rows], data.target))


def order(one: QuestionnaireTree, walked: Walk) -> list[int]:
    """Features that were asked about first, then others that the tree asks about, then all."""
    on_the_way = [int(one.form.tree.feature[step.node]) for step in walked.steps]
    asked = [int(f) for f in one.form.tree.feature if f >= 0]
    return list(dict.fromkeys([*on_the_way, *asked, *range(len(one.form.features))]))


def _field(one: QuestionnaireTree, leaf: int, feature: int, usual: float, now: float) -> None:
    """A field with the usual value, or another that was filled in."""
    whose, key = one.form.features[feature], f"{WIDGET} {one.key} {leaf} {feature}"
    since = None if whose.categories else first_day(whose.moment)
    if key not in st.session_state and not math.isnan(now):
        st.session_state[key] = (
            int(now) if whose.categories else float(now) if since is None else calendar_day(now, since)
        )
    options = {"key": key, "on_change": _fill, "args": (one, key, feature, usual)}
    if whose.categories:
        st.selectbox(
            plain(whose.name), range(len(whose.categories)), format_func=whose.categories.__getitem__, **options,
            index=None if math.isnan(now) else 0, placeholder=say("not known"),
        )  # fmt: skip
    elif since is not None:
        st.date_input(plain(whose.name), None, date.min, date.max, format="YYYY-MM-DD", **options)
    else:
        st.number_input(plain(whose.name), value=None, format="%.6g", placeholder=say("not known"), **options)


def _fill(one: QuestionnaireTree, key: str, feature: int, usual: float) -> None:
    value = st.session_state[key]
    if isinstance(value, date):
        value = days_until(value, first_day(one.form.features[feature].moment) or 0)
    answers_in_url.fill(feature, None if value is None or value == usual else value, one.form.features)


def _answer(one: QuestionnaireTree, walked: Walk, row: np.ndarray) -> None:
    """Draw the full model's answer to the row, and a note where the questionnaire's differs."""
    data, box = one.source.dataset, one.source.box
    if box is None:
        return
    output = box.model_says(row[None, :])[0]
    value, who = one.form.tree.value[walked.node], one.source.who
    who = say("{who} says", who=plain(who[0].upper() + who[1:]))
    best = winner(output, box.prior)
    st.markdown(f"#### {verdicts.verdict(output, data.target, 0.0, who, bold)}")
    if data.is_classification and best != value.argmax():
        st.caption(say("That is another answer than the questionnaire's, which knows only what it asked."))
    elif not data.is_classification:
        st.caption(say("The questionnaire says {number}.", number=number(float(value[0]))))
    leaf = int(leaves(one.form.tree, row[None, :])[0])
    if leaf != walked.node and all(step.known for step in walked.steps):
        elsewhere = verdicts.verdict(one.form.tree.value[leaf], data.target, one.limit, say("it says"), bold)
        st.caption(
            say(
                "These values do not fit your answers: with them, the questionnaire ends elsewhere ({elsewhere}).",
                elsewhere=elsewhere,
            )
        )
