"""The answer: its class or number, the reasons, how sure it is, and advice where it is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.decisions.decision import decide, part_of, unweight_shares
from espalier.display.text.values import split_unit
from espalier.display.theme import percent
from espalier.language import say
from espalier.questionnaire import words
from espalier.questionnaire.questionnaire import Walk, could_end, is_unsure, outside, reasons
from pages.shared.app.frame import plain
from pages.shared.decisions import controls
from pages.shared.questionnaire import asking, sources
from pages.shared.questionnaire.asking import bold
from pages.shared.questionnaire.sources import QuestionnaireTree

MOST_CLASSES = 8  # that are listed; of more the likeliest


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """The answer with its reasons."""
    dataset, n = one.source.dataset, len(sources.rows_at(one, walked.node, held=False))
    with st.container(border=True, key="answer"):
        st.caption(plain(dataset.target.name))
        st.markdown(f"### {verdict(one, walked)}")
        for line in beside_verdict(one, walked):
            st.markdown(line)
        if n < words.FEW_BEHIND:
            st.markdown(f":material/warning: {words.rows_behind_words(n)}")
        for name, share in likeliest_classes(one, walked):
            st.progress(min(share, 1.0), text=f"{plain(name)}: {percent(share)}")
        if dataset.is_classification:
            st.caption(shares_note(one, walked))
        st.markdown(say("**Because**"))
        st.markdown(why(one, walked))
    asking.steps(bool(walked.known))
    with st.container(key="how-sure"):
        st.markdown(say("**How sure is that?**"))
        st.markdown("\n".join(f"- {line}" for line in how_sure(one, walked)))
    if one.source.considered is not None and walked.steps:
        with st.expander(say("How sure is every question?"), key="sure questions"):
            st.markdown("\n".join(f"{n + 1}. {line}" for n, line in enumerate(splits(one, walked))))


def verdict(one: QuestionnaireTree, walked: Walk) -> str:
    """The answer in a line; Markdown."""
    value, target = one.form.tree.value[walked.node], one.source.dataset.target
    is_learned = all(step.known or step.learned for step in walked.steps)
    if not is_learned and not words.is_settled(could_end(one.form, walked.known), one.form, target):
        return words.perhaps(value, target, bold)
    who = say("The model would say") if one.source.box is not None else say("The answer is")
    return words.verdict(value, target, one.limit, who, bold, rows_behind(one, walked.node))


def rows_behind(one: QuestionnaireTree, leaf: int) -> int | None:
    """How many rows the shares of a leaf are of; None of a model's, which are of made-up cases."""
    return None if one.source.box is not None else int(one.form.tree.n_samples[leaf])


def beside_verdict(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """Lines below the answer: the likeliest classes, the class to act for, or numbers of the rows; Markdown."""
    value, target = one.form.tree.value[walked.node], one.source.dataset.target
    if target.categories:
        n = rows_behind(one, walked.node)
        unsure = [words.likeliest(value, target, bold, n)] if is_unsure(value, one.limit) else []
        return [*unsure, *_by_costs(one, value)]
    rows = sources.rows_at(one, walked.node, held=False)
    return [words.numbers_words(one.source.dataset.y[rows], bold(target.name))] if len(rows) else []


def _by_costs(one: QuestionnaireTree, value: np.ndarray) -> list[str]:
    """A line on the class to act for by what errors cost, where these differ."""
    data, decision = one.source.dataset, controls.decision(one.source.dataset)
    if decision.code is None or decision.is_plain:
        return []
    weight = data.weights_of(~one.source.held)
    grown_on = data.y[~one.source.held]
    here = part_of(grown_on, np.ones(len(grown_on)) if weight is None else weight, decision.code)
    given = unweight_shares(value[None], one.source.class_weight)
    (said,) = decide(given, given.argmax(axis=1), decision, here).tolist()
    return [
        say(
            "By what errors cost, “{name}” is the answer from a share of {cut} on: here act as for **{said}**.",
            name=plain(data.classes[decision.code]),
            cut=percent(decision.cut),
            said=plain(data.classes[said]),
        )
    ]


def likeliest_classes(one: QuestionnaireTree, walked: Walk) -> list[tuple[str, float]]:
    """Classes with their shares, the likeliest first; none of numbers."""
    value, classes = one.form.tree.value[walked.node], one.source.dataset.target.categories
    order = np.argsort(-value, kind="stable")[:MOST_CLASSES] if classes else []
    return [(classes[k], float(value[k])) for k in order]


def shares_note(one: QuestionnaireTree, walked: Walk) -> str:
    """What the shares of the classes are of; Markdown."""
    if one.source.box is not None:
        return say("How likely {who} finds each in such cases, on average.", who=plain(one.source.who))
    is_assumed = any(not step.known for step in walked.steps)
    where = say("that go the way taken, with what is assumed below") if is_assumed else say("that led here")
    return say("Shares of the rows of the table {where}.", where=where)


def why(one: QuestionnaireTree, walked: Walk) -> str:
    """The reasons, a line each; Markdown."""
    lines = [words.because(reason, one.form.features, bold) for reason in reasons(one.form, walked)]
    return "\n".join(f"- {line}" for line in lines) or say(
        "- nothing needs to be asked: the answer is the same for everybody."
    )


def how_sure(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """Lines on how good this answer is, and on doubts about it; Markdown."""
    leaf, data = walked.node, one.source.dataset
    value, y = one.form.tree.value[leaf], data.y[sources.rows_at(one, leaf, held=False)]
    lines = [] if len(y) < words.FEW_BEHIND else [words.rows_behind_words(len(y))]  # of few the card itself warns
    tested = data.y[sources.rows_at(one, leaf, held=True)]
    if len(tested):
        lines.append(words.held_out_words(value, tested, data.target, bold, data.y[one.source.held]))
    names = [bold(split_unit(feature)[0]) for feature in one.form.features]
    strange = outside(walked.known, data.X[~one.source.held])
    guesses = [
        say("No row of the table has such a value of {name}: the answer is a guess.", name=names[feature])
        for feature in strange
    ]
    return [*_not_known(one, walked, names), *guesses, *lines]


def _not_known(one: QuestionnaireTree, walked: Walk, names: Sequence[str]) -> list[str]:
    """Lines on values that are not known: how the tree went on, and the answers if all were known."""
    part, target, why_ = could_end(one.form, walked.known), one.source.dataset.target, reasons(one.form, walked)
    replaced = [names[reason.bound.feature] for reason in why_ if reason.stand_ins]
    lines = [substitutes_note(replaced)] if replaced else []
    guessed = [reason for reason in why_ if reason.guessed]
    if not guessed:
        return lines
    learned, assumed = (
        [names[reason.bound.feature] for reason in guessed if reason.learned == how] for how in (True, False)
    )
    if learned:
        lines.append(
            say("Not known: {names}. The tree has learned what to make of that.", names=", ".join(learned))
        )
    if assumed:
        is_settled = words.is_settled(part, one.form, target)
        weak = "" if is_settled else say(", so the answer is **less sure**")
        lines.append(
            say(
                "Not known: {names}. Assumed is what most rows have that come as far{weak}.",
                names=", ".join(assumed),
                weak=weak,
            )
        )
    return [
        *lines,
        say(
            "If it were known, {could_be}." if len(guessed) == 1 else "If they were known, {could_be}.",
            could_be=words.could_be(part, one.form, target, bold),
        ),
    ]


def splits(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """A line for each question on the way: the chance that it is the right one to ask; Markdown."""
    considered, box = one.source.considered, one.source.box
    if considered is None or box is None:
        return []
    lines, level = [], box.model.value("level")
    for step in walked.steps:
        chance = words.chance(considered, int(one.nodes[step.node]), level, one.form.features, bold)
        lines.append(f"{words.demand(one.form, step.node, step.left, bold)}: {chance or say('not tested')}.")
    return lines


def substitutes_note(names: Sequence[str]) -> str:
    """Note on unknown values in whose place other columns decided."""
    return say(
        "Not known: {names}. Another column stood in, which mostly leads the same way.", names=", ".join(names)
    )
