"""One question at a time: its text, the answers as large buttons, the value itself, and earlier answers."""

from __future__ import annotations

import streamlit as st

from espalier.display.text.values import split_unit
from espalier.language import say
from espalier.questionnaire import words as views
from espalier.questionnaire.questionnaire import Answer, Walk, ahead, asks, side_answer, unknown, value_answer
from espalier.questionnaire.words import QuestionText
from pages.shared.app.frame import callback, plain
from pages.shared.questionnaire import answers_in_url
from pages.shared.questionnaire.sources import QuestionnaireTree

VALUE = "value-of"  # keys of the widgets: the feature's number follows


def bold(text: str) -> str:
    """Text from the data, bold and without any other meaning in Markdown."""
    return f"**{plain(text.strip())}**" if text.strip() else "**?**"


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """The question that is next."""
    feature = asks(one.form, walked.node, True, walked.stand_in).feature
    before, question = walked.known.get(feature), next_question(one, walked)
    with st.container(border=True, key="question"):
        n, left = len(answers_in_url.answers(one.form.features)), ahead(one.form, walked.node, walked.known)
        ahead_words = views.left_to_ask(left.least, left.most)
        st.progress(
            n / max(n + left.most, 1), text=say("Question {number}: {left}", number=n + 1, left=ahead_words)
        )
        st.markdown(f"### {question.text}")
        if meaning := one.form.features[feature].meaning:
            st.caption(plain(meaning))
        if walked.stand_in:
            own = one.form.features[int(one.form.tree.feature[walked.node])]
            st.caption(substitute_note(bold(split_unit(own)[0])))
        if before is not None:
            st.caption(say("You said: {answer}.", answer=views.answer_words(before, one.form.features, bold)))
        with st.container(key="choices"):
            for place, choice in enumerate(question.choices):
                answer = side_answer(one.form, walked.node, choice.left, walked.stand_in)
                _button(plain(choice.label), answer, f"choice {place}", choice.key)
            _button(say("I do not know"), unknown(feature), "do-not-know", "U")
        _value(one, feature)
    steps(n > 0)


def next_question(one: QuestionnaireTree, walked: Walk) -> QuestionText:
    """The question that is next, in Markdown, after what is known of its column."""
    before = walked.known.get(asks(one.form, walked.node, True, walked.stand_in).feature)
    bound = None if before is None else before.bound
    return views.question(one.form, walked.node, bound, bold, walked.stand_in)


def _button(label: str, answer: Answer, key: str, shortcut: str) -> None:
    st.button(
        label, key=key, shortcut=shortcut, width="stretch",
        on_click=callback(answers_in_url.note_answer), args=(answer,),
    )  # fmt: skip


def _value(one: QuestionnaireTree, feature: int) -> None:
    """The value itself, for those who know it: it answers later questions on the feature too."""
    whose, key = one.form.features[feature], f"{VALUE} {feature}"
    name, unit = split_unit(whose)
    if whose.moment is not None and not whose.categories:
        return  # nobody counts days from 1970: such a question is answered by yes or no
    if not whose.categories:
        st.number_input(
            say("Or the value of {name}", name=bold(name))
            + (say(", in {unit}", unit=plain(unit)) if unit else ""),
            value=None,
            format="%g",
            key=key,
            on_change=callback(_say_value),
            args=(one, feature),
            help=say("Later questions on it are then answered too."),
        )
    elif len(whose.categories) > 2:
        st.selectbox(
            say("Or choose: {name}", name=bold(name)), range(len(whose.categories)), index=None, key=key,
            format_func=whose.categories.__getitem__, on_change=callback(_say_value), args=(one, feature),
            placeholder=say("Choose, if you know it"),
        )  # fmt: skip


def _say_value(one: QuestionnaireTree, feature: int) -> None:
    value = st.session_state[f"{VALUE} {feature}"]
    if value is not None:
        answers_in_url.note_answer(value_answer(feature, value, one.form.features[feature]))


def steps(has_answers: bool) -> None:
    """Back, and start again."""
    with st.container(horizontal=True, key="steps"):
        st.button(
            say("Back"), icon=":material/arrow_back:", shortcut="Backspace", disabled=not has_answers, key="back",
            on_click=callback(answers_in_url.back), width="stretch",
        )  # fmt: skip
        st.button(
            say("Start again"), icon=":material/restart_alt:", shortcut="Home", disabled=not has_answers,
            key="start again", on_click=callback(answers_in_url.start_again), width="stretch",
        )  # fmt: skip


def so_far(one: QuestionnaireTree) -> None:
    """Draw the answers so far, each with a way back to it."""
    answers = answers_in_url.answers(one.form.features)
    st.markdown(
        say("**Said so far**"),
        help=say("Your answers are kept in the link of this page: whoever opens it sees them."),
    )
    with st.container(key="so-far"):
        for place, answer in enumerate(answers):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"said {place}"):
                st.markdown(f"{place + 1}. {views.answer_words(answer, one.form.features, bold)}", width="stretch")
                st.button(
                    say("Change"), key=f"change {place}", type="tertiary",
                    on_click=callback(answers_in_url.keep), args=(place,),
                    help=say("Takes this answer back, and all after it."),
                )  # fmt: skip


def substitute_note(name: str) -> str:
    """Note on a question that is asked because another one could not be answered; Markdown."""
    return say("You do not know {name}. This question tells most nearly the same.", name=name)
