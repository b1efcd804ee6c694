"""One question at a time: its text, the answers as large buttons, the value itself, and earlier answers."""

from __future__ import annotations

import streamlit as st

from espalier.analysis.questionnaire.questionnaire import Answer, Walk, answered, asks, given, unknown
from espalier.analysis.questionnaire.questions_ahead import ahead
from espalier.views.components.assets import source
from espalier.views.ink import accent, readable_on
from espalier.views.questionnaire import words as views
from espalier.views.questionnaire.words import QuestionText
from pages.shared.app.frame import callback, plain
from pages.shared.questionnaire import answers_in_url
from pages.shared.questionnaire.sources import QuestionnaireTree
from pages.shared.words import questionnaire as words

VALUE = "value-of"  # keys of the widgets: the feature's number follows


def bold(text: str) -> str:
    """Text from the data, bold and without any other meaning in Markdown."""
    return f"**{plain(text.strip())}**" if text.strip() else "**?**"


def style() -> None:
    """Styles of large buttons, and of the page on paper."""
    light, dark = (readable_on(accent(is_dark)) for is_dark in (False, True))  # Streamlit has white on either
    ink = f"light-dark({light}, {dark})"  # of the page as it is now, not as it was when the server last drew it
    st.html(f"<style>{source('questionnaire.css')}\n.st-key-choices {{ --on-accent: {ink}; }}</style>")


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """The question that is next."""
    feature = asks(one.form, walked.node, True, walked.stand_in).feature
    before, question = walked.known.get(feature), next_question(one, walked)
    with st.container(border=True, key="question"):
        _progress(one, walked)
        st.markdown(f"### {question.text}")
        if meaning := one.form.features[feature].meaning:
            st.caption(plain(meaning))
        if walked.stand_in:
            own = one.form.features[int(one.form.tree.feature[walked.node])]
            st.caption(words.stands_in(bold(views.parted(own)[0])))
        if before is not None:
            st.caption(words.you_said(views.said(before, one.form.features, bold)))
        with st.container(key="choices"):
            for place, choice in enumerate(question.choices):
                answer = answered(one.form, walked.node, choice.left, walked.stand_in)
                _button(plain(choice.label), answer, f"choice {place}", choice.key, "primary")
            _button(words.DO_NOT_KNOW, unknown(feature), "do-not-know", "U", "secondary")
        _value(one, feature)
    steps(bool(answers_in_url.answers(one.form.features)))


def next_question(one: QuestionnaireTree, walked: Walk) -> QuestionText:
    """The question that is next, in Markdown, after what is known of its column."""
    before = walked.known.get(asks(one.form, walked.node, True, walked.stand_in).feature)
    bound = None if before is None else before.bound
    return views.question(one.form, walked.node, bound, bold, walked.stand_in)


def _button(label: str, answer: Answer, key: str, shortcut: str, kind: str) -> None:
    st.button(
        label, key=key, shortcut=shortcut, type="primary" if kind == "primary" else "secondary", width="stretch",
        on_click=callback(answers_in_url.say), args=(answer,),
    )  # fmt: skip


def _progress(one: QuestionnaireTree, walked: Walk) -> None:
    """Draw the progress: questions answered, of those that there are at most."""
    n, left = len(answers_in_url.answers(one.form.features)), ahead(one.form, walked.node, walked.known)
    st.progress(n / max(n + left.most, 1), text=words.progress(n + 1, views.left_to_ask(left.least, left.most)))


def _value(one: QuestionnaireTree, feature: int) -> None:
    """The value itself, for those who know it: it answers later questions on the feature too."""
    whose, key = one.form.features[feature], f"{VALUE} {feature}"
    name, unit = views.parted(whose)
    if whose.moment is not None and not whose.categories:
        return  # nobody counts days from 1970: such a question is answered by yes or no
    if not whose.categories:
        st.number_input(
            words.or_value(bold(name), plain(unit)), value=None, format="%g", key=key,
            on_change=callback(_say_value), args=(one, feature), placeholder=words.TYPE_IT,
            help=words.ANSWERS_LATER,
        )  # fmt: skip
    elif len(whose.categories) > 2:
        st.selectbox(
            words.or_choose(bold(name)), range(len(whose.categories)), index=None, key=key,
            format_func=whose.categories.__getitem__, on_change=callback(_say_value), args=(one, feature),
            placeholder=words.CHOOSE_IT,
        )  # fmt: skip


def _say_value(one: QuestionnaireTree, feature: int) -> None:
    value = st.session_state[f"{VALUE} {feature}"]
    if value is not None:
        answers_in_url.say(given(feature, value, one.form.features[feature]))


def steps(has_answers: bool) -> None:
    """Back, and start again."""
    with st.container(horizontal=True, key="steps"):
        st.button(
            words.BACK, icon=":material/arrow_back:", shortcut="Backspace", disabled=not has_answers, key="back",
            on_click=callback(answers_in_url.back), width="stretch",
        )  # fmt: skip
        st.button(
            words.START_AGAIN, icon=":material/restart_alt:", shortcut="Home", disabled=not has_answers,
            key="start again", on_click=callback(answers_in_url.start_again), width="stretch",
        )  # fmt: skip


def so_far(one: QuestionnaireTree) -> None:
    """Draw the answers so far, each with a way back to it."""
    answers = answers_in_url.answers(one.form.features)
    st.markdown(words.SO_FAR)
    if not answers:
        st.caption(words.NOTHING_YET)
        return
    with st.container(key="so-far"):
        for place, answer in enumerate(answers):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"said {place}"):
                st.markdown(f"{place + 1}. {views.said(answer, one.form.features, bold)}", width="stretch")
                st.button(
                    words.CHANGE, key=f"change {place}", type="tertiary",
                    on_click=callback(answers_in_url.keep), args=(place,),
                    help=words.CHANGE_HELP,
                )  # fmt: skip
