"""One question at a time with its answers as large buttons; then the answer, its reasons, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.data.dataset import Feature
from espalier.decisions.decision import decide, part_of, unweight_shares
from espalier.display.text.values import split_unit
from espalier.display.theme import percent
from espalier.language import say
from espalier.questionnaire import words
from espalier.questionnaire.answers import JOINT, read_answers, token_of, write_answers
from espalier.questionnaire.questionnaire import (
    Answer,
    Walk,
    ahead,
    asks,
    could_end,
    is_unsure,
    outside,
    reasons,
    side_answer,
    unknown,
    value_answer,
    walk,
)
from espalier.trees import LEAF
from pages.shared.app import links
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.decisions import controls
from pages.shared.questionnaire import sources
from pages.shared.questionnaire.sources import QuestionnaireTree

SAID, FILLED = "said", "filled"  # keys of the address: the answers in their order; a form that has gone
DATA = "data-asked-about"  # key of the session state: their digest
VALUE = "value-of"  # keys of the widgets: the feature's number follows
MOST_CLASSES = 8  # that are listed; of more the likeliest


def bold(text: str) -> str:
    """Text from the data, bold and without any other meaning in Markdown."""
    return f"**{plain(text.strip())}**" if text.strip() else "**?**"


def draw(asked: QuestionnaireTree) -> Walk:
    """Draw the next question or the answer; the way that led there."""
    told = answers(asked.form.features)
    walked = walk(asked.form, told)
    is_answer = asked.form.tree.feature[walked.node] == LEAF
    if is_answer:
        _draw_answer(asked, walked)
    else:
        _draw_question(asked, walked, len(told))
    with st.container(horizontal=True, key="steps"):
        for label, icon, shortcut, key, take in (
            (say("Back"), "arrow_back", "Backspace", "back", back),
            (say("Start again"), "restart_alt", "Home", "start-again", start_again),
        ):
            st.button(
                label, icon=f":material/{icon}:", shortcut=shortcut, disabled=not told, key=key,
                on_click=callback(take), width="stretch",
            )  # fmt: skip
    if is_answer and (lines := how_sure(asked, walked)):
        st.markdown(say("**How sure is that?**"))
        st.markdown(bullets(lines))
    return walked


def bullets(lines: list[str]) -> str:
    """Lines as a list; Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def said_so_far(asked: QuestionnaireTree) -> list[str]:
    """The answers so far, in words; Markdown."""
    features = asked.form.features
    return [words.answer_words(answer, features, bold) for answer in answers(features)]


def draw_so_far(asked: QuestionnaireTree) -> None:
    """Draw the answers so far, each with a way back to it."""
    st.markdown(say("**Said so far**"), help=say("Whoever opens the link of this page sees your answers."))
    with st.container(key="so-far"):
        for place, text in enumerate(said_so_far(asked)):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"said {place}"):
                st.markdown(f"{place + 1}. {text}", width="stretch")
                st.button(
                    say("Change"), key=f"change {place}", type="tertiary",
                    on_click=callback(keep), args=(place,),
                    help=say("Takes this answer back, and all after it."),
                )  # fmt: skip


# ---- the question


def _draw_question(asked: QuestionnaireTree, walked: Walk, n_answers: int) -> None:
    form, feature = asked.form, asks(asked.form, walked.node, True, walked.stand_in).feature
    before = walked.known.get(feature)
    bound = None if before is None else before.bound
    question = words.question(form, walked.node, bound, bold, walked.stand_in)
    with st.container(border=True, key="question"):
        least, most, _ = ahead(form, walked.node, walked.known)
        text = say("Question {number}: {left}", number=n_answers + 1, left=words.left_to_ask(least, most))
        st.progress(n_answers / max(n_answers + most, 1), text=text)
        st.markdown(f"### {question.text}")
        if meaning := form.features[feature].meaning:
            st.caption(plain(meaning))
        if walked.stand_in:
            own = form.features[int(form.tree.feature[walked.node])]
            st.caption(say("This tells most nearly what {name} would.", name=bold(split_unit(own)[0])))
        if before is not None:
            st.caption(say("You said: {answer}.", answer=words.answer_words(before, form.features, bold)))
        with st.container(key="choices"):
            for place, choice in enumerate(question.choices):
                answer = side_answer(form, walked.node, choice.left, walked.stand_in)
                _button(plain(choice.label), answer, f"choice {place}", choice.key)
            _button(say("I do not know"), unknown(feature), "do-not-know", "U")
        _draw_value(asked, feature)


def _button(label: str, answer: Answer, key: str, shortcut: str) -> None:
    st.button(
        label, key=key, shortcut=shortcut, width="stretch",
        on_click=callback(note_answer), args=(answer,),
    )  # fmt: skip


def _draw_value(asked: QuestionnaireTree, feature: int) -> None:
    """The value itself, for those who know it: it answers later questions on the feature too."""
    whose, key = asked.form.features[feature], f"{VALUE} {feature}"
    name, unit = split_unit(whose)
    options = {"key": key, "on_change": callback(_take_value), "args": (asked, feature)}
    if len(whose.categories) > 2:
        st.selectbox(
            say("Or choose: {name}", name=bold(name)), range(len(whose.categories)), index=None,
            format_func=whose.categories.__getitem__, placeholder=say("Choose, if you know it"), **options,
        )  # fmt: skip
    elif not whose.categories and whose.moment is None:  # nobody counts days from 1970
        label = say("Or the value of {name}", name=bold(name))
        label += say(", in {unit}", unit=plain(unit)) if unit else ""
        st.number_input(
            label, value=None, format="%g", help=say("Later questions on it are then answered too."), **options
        )


def _take_value(asked: QuestionnaireTree, feature: int) -> None:
    value = st.session_state[f"{VALUE} {feature}"]
    if value is not None:
        note_answer(value_answer(feature, value, asked.form.features[feature]))


# ---- the answer


def _draw_answer(asked: QuestionnaireTree, walked: Walk) -> None:
    n, target = len(sources.rows_at(asked, walked.node, held=False)), asked.source.dataset.target
    value, icon = asked.form.tree.value[walked.node], ":material/warning: " if n < words.FEW_BEHIND else ""
    with st.container(border=True, key="answer"):
        st.caption(plain(target.name))
        for line in (f"### {verdict(asked, walked)}", *beside_verdict(asked, walked)):
            st.markdown(line)
        st.markdown(f"{icon}{words.rows_behind_words(n)}")
        for code in np.argsort(-value, kind="stable")[:MOST_CLASSES] if target.categories else []:
            share = min(float(value[code]), 1.0)
            st.progress(share, text=f"{plain(target.categories[code])}: {percent(share)}")
        st.markdown(say("**Because**"))
        st.markdown(bullets(why(asked, walked)))


def verdict(asked: QuestionnaireTree, walked: Walk) -> str:
    """The answer in a line; Markdown."""
    value, target = asked.form.tree.value[walked.node], asked.source.dataset.target
    is_learned = all(step.known or step.learned for step in walked.steps)
    if not is_learned and not words.is_settled(could_end(asked.form, walked.known), asked.form, target):
        return words.perhaps(value, target, bold)
    who = say("The answer is") if asked.source.box is None else say("The model would say")
    return words.verdict(value, target, asked.limit, who, bold, _rows_behind(asked, walked.node))


def _rows_behind(asked: QuestionnaireTree, leaf: int) -> int | None:
    """How many rows the shares of a leaf are of; None of a model's, which are of made-up cases."""
    return None if asked.source.box is not None else int(asked.form.tree.n_samples[leaf])


def beside_verdict(asked: QuestionnaireTree, walked: Walk) -> list[str]:
    """Lines below the answer: the likeliest classes, the class to act for, or the span of the rows; Markdown."""
    value, data = asked.form.tree.value[walked.node], asked.source.dataset
    if not data.is_classification:
        rows = sources.rows_at(asked, walked.node, held=False)
        return [words.range_words(data.y[rows], data.target)] if len(rows) else []
    lines, decision = [], controls.decision(data)
    if is_unsure(value, asked.limit):
        likely = words.likeliest_classes(value, data.target, bold, _rows_behind(asked, walked.node))
        lines.append(say("Most likely {answers}.", answers=likely))
    if decision.code is not None and not decision.is_plain:
        weight, y = data.weights_of(~asked.source.held), data.y[~asked.source.held]
        here = part_of(y, np.ones(len(y)) if weight is None else weight, decision.code)
        given = unweight_shares(value[None], asked.source.class_weight)
        (code,) = decide(given, given.argmax(axis=1), decision, here).tolist()
        lines.append(say("By what errors cost, act as for {name}.", name=bold(data.classes[code])))
    return lines


def why(asked: QuestionnaireTree, walked: Walk) -> list[str]:
    """The reasons, a line each; Markdown."""
    lines = [words.because(reason, asked.form.features, bold) for reason in reasons(asked.form, walked)]
    return lines or [say("nothing needs to be asked: the answer is the same for everybody.")]


def how_sure(asked: QuestionnaireTree, walked: Walk) -> list[str]:
    """Lines on how good this answer is, and on doubts about it; Markdown."""
    leaf, form, source = walked.node, asked.form, asked.source
    data, value = source.dataset, form.tree.value[leaf]
    lines = [
        say(
            "No row has such a value of {name}: the answer is a guess.",
            name=bold(split_unit(form.features[feature])[0]),
        )
        for feature in outside(walked.known, data.X[~source.held])
    ]
    if any(reason.guessed for reason in reasons(form, walked)):
        others = words.could_be(could_end(form, walked.known), form, data.target, bold)
        lines.append(say("If all were known: {answers}.", answers=others))
    tested = data.y[sources.rows_at(asked, leaf, held=True)]
    if len(tested):
        lines.append(words.held_out_words(value, tested, data.target, bold, data.y[source.held]))
    outputs = sources.rows_to_judge(source)[1][sources.leaves_judged(asked) == leaf]
    if source.box is not None and len(outputs):
        who = plain(source.who)
        lines.append(words.full_model_words(outputs, source.prior, value, data.target, who, bold))
    return lines


# ---- the answers so far, in the address of the page


def url_entries(features: Sequence[Feature]) -> list[Entry]:
    """The answers as a part of the address; they mean nothing for other data."""
    former = links.gone_entry(FILLED, say("the page Ask it asks a full model about a row of your own"))
    return [Entry(SAID, "", lambda text: write_answers(read_answers(text, features))), former]


def drop_invalid(digest: str, linked: bool) -> None:
    """Forget answers on other data, unless a link has just brought answers on these."""
    if st.session_state.setdefault(DATA, digest) != digest and not linked:
        start_again()
    st.session_state[DATA] = digest


def answers(features: Sequence[Feature]) -> list[Answer]:
    """Return the answers so far."""
    try:
        return read_answers(st.session_state[SAID], features)
    except ValueError:  # Undo brought back answers on other data
        st.session_state[SAID] = ""
        return []


def note_answer(answer: Answer) -> None:
    """Add an answer (a callback); the same one once more, of a second click, adds nothing."""
    token, text = token_of(answer), st.session_state[SAID]
    if text.rsplit(JOINT, 1)[-1] != token:
        st.session_state[SAID] = JOINT.join([text, token] if text else [token])


def keep(n: int) -> None:
    """Take back all answers but the first `n` (a callback)."""
    st.session_state[SAID] = JOINT.join(st.session_state[SAID].split(JOINT)[:n])


def back() -> None:
    """Take the last answer back (a callback)."""
    st.session_state[SAID] = st.session_state[SAID].rpartition(JOINT)[0]


def start_again() -> None:
    """Take all answers back (a callback)."""
    st.session_state[SAID] = ""
