"""One question at a time: its words, the answers as large buttons, the value itself, and what was said before."""

from __future__ import annotations

import streamlit as st

from espalier.analysis.questionnaire.questionnaire import Answer, Walk, answered, given, unknown
from espalier.analysis.questionnaire.questions_ahead import ahead
from espalier.views.ink import accent, readable_on
from espalier.views.questionnaire import words as views
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.canvas.assets import source
from pages.shared.questionnaire import answers_in_url
from pages.shared.questionnaire.sources import QuestionnaireTree

VALUE = "value of"  # keys of the widgets: the feature's number follows


def bold(text: str) -> str:
    """Text from the data, bold and without any other meaning in Markdown."""
    return f"**{plain(text.strip())}**" if text.strip() else "**?**"


def style() -> None:
    """Large buttons, and what is left out on paper."""
    ink = readable_on(accent(is_dark()))  # Streamlit's own white is hard to read on the light accent of dark pages
    st.html(f"<style>{source('questionnaire.css')}\n.st-key-choices {{ --on-accent: {ink}; }}</style>")


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """The question that is next."""
    feature = int(one.form.tree.feature[walked.node])
    before = walked.known.get(feature)
    words = views.question(one.form, walked.node, None if before is None else before.bound, mark=bold)
    with st.container(border=True, key="question"):
        _progress(one, walked)
        st.markdown(f"### {words.text}")
        if before is not None:
            st.caption(f"You said: {views.said(before, one.form.features, bold)}.")
        with st.container(key="choices"):
            for place, choice in enumerate(words.choices):
                answer = answered(one.form, walked.node, choice.left)
                _button(plain(choice.label), answer, f"choice {place}", choice.key, "primary")
            _button("I do not know", unknown(feature), "do not know", "U", "secondary")
        _value(one, feature)
    steps(bool(answers_in_url.answers(one.form.features)))


def _button(label: str, answer: Answer, key: str, shortcut: str, kind: str) -> None:
    st.button(
        label, key=key, shortcut=shortcut, type="primary" if kind == "primary" else "secondary", width="stretch",
        on_click=callback(answers_in_url.say), args=(answer,),
    )  # fmt: skip


def _progress(one: QuestionnaireTree, walked: Walk) -> None:
    """How far this is: questions answered, of those that there are at most."""
    n, left = len(answers_in_url.answers(one.form.features)), ahead(one.form, walked.node, walked.known)
    st.progress(n / max(n + left.most, 1), text=f"Question {n + 1}: {views.left_to_ask(left.least, left.most)}")


def _value(one: QuestionnaireTree, feature: int) -> None:
    """The value itself, for those who know it: it answers later questions on the feature too."""
    whose, key = one.form.features[feature], f"{VALUE} {feature}"
    name, unit = views.parted(whose)
    label = f"Or choose: {bold(name)}" if whose.categories else f"Or the value of {bold(name)}"
    if not whose.categories:
        st.number_input(
            label + (f", in {plain(unit)}" if unit else ""), value=None, format="%g", key=key,
            on_change=callback(_say_value), args=(one, feature),
            placeholder="If you know it, type it and press Enter",
            help="Later questions on it are then answered too.",
        )  # fmt: skip
    elif len(whose.categories) > 2:
        st.selectbox(
            label, range(len(whose.categories)), index=None, format_func=whose.categories.__getitem__, key=key,
            on_change=callback(_say_value), args=(one, feature), placeholder="Choose, if you know it",
        )  # fmt: skip


def _say_value(one: QuestionnaireTree, feature: int) -> None:
    value = st.session_state[f"{VALUE} {feature}"]
    if value is not None:
        answers_in_url.say(given(feature, value, one.form.features[feature]))


def steps(said_any: bool) -> None:
    """Back, and start again."""
    with st.container(horizontal=True, key="steps"):
        st.button(
            "Back", icon=":material/arrow_back:", shortcut="Backspace", disabled=not said_any, key="back",
            on_click=callback(answers_in_url.back), width="stretch",
        )  # fmt: skip
        st.button(
            "Start again", icon=":material/restart_alt:", shortcut="Home", disabled=not said_any,
            key="start again", on_click=callback(answers_in_url.start_again), width="stretch",
        )  # fmt: skip


def so_far(one: QuestionnaireTree) -> None:
    """What was said, each with a way back to it."""
    answers = answers_in_url.answers(one.form.features)
    st.markdown("**Said so far**")
    if not answers:
        st.caption("Nothing yet. Your answers are kept in the link of this page: whoever opens it sees them.")
        return
    with st.container(key="so-far"):
        for place, answer in enumerate(answers):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"said {place}"):
                st.markdown(f"{place + 1}. {views.said(answer, one.form.features, bold)}", width="stretch")
                st.button(
                    "Change", key=f"change {place}", type="tertiary",
                    on_click=callback(answers_in_url.keep), args=(place,),
                    help="Takes this answer back, and all after it.",
                )  # fmt: skip
