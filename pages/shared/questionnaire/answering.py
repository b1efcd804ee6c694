"""The answer: what it is, why, how sure, and what to do where it is not."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.questionnaire.questionnaire import Reason, Walk, could_end, is_unsure, outside, reasons
from espalier.views.questionnaire import answer as words
from espalier.views.questionnaire import words as views
from espalier.views.theme import percent
from pages.shared.app.frame import plain
from pages.shared.questionnaire import asking, sources
from pages.shared.questionnaire.asking import bold
from pages.shared.questionnaire.sources import QuestionnaireTree

MOST_CLASSES = 8  # that are listed; of more the likeliest


def draw(one: QuestionnaireTree, walked: Walk) -> None:
    """The answer with its reasons."""
    with st.container(border=True, key="answer"):
        _verdict(one, walked)
        _warn_of_few(one, walked.node)
        _shares(one, walked)
        st.markdown("**Because**")
        st.markdown(why(one, walked))
    asking.steps(bool(walked.known))
    with st.container(key="how-sure"):
        st.markdown("**How sure is that?**")
        st.markdown("\n".join(f"- {line}" for line in how_sure(one, walked)))
    if one.source.considered is not None and walked.steps:
        with st.expander("How sure is every question?", key="sure questions"):
            st.markdown("\n".join(f"{n + 1}. {line}" for n, line in enumerate(splits(one, walked))))


def _verdict(one: QuestionnaireTree, walked: Walk) -> None:
    leaf = walked.node
    value, target = one.form.tree.value[leaf], one.source.dataset.target
    who = "The model would say" if one.source.box is not None else "The answer is"
    st.caption(plain(target.name))
    if _is_open(one, walked):
        st.markdown(f"### {words.perhaps(value, target, bold)}")
    else:
        st.markdown(f"### {words.verdict(value, target, one.limit, who, bold)}")
    if target.categories:
        if is_unsure(value, one.limit):
            st.markdown(words.likeliest(value, target, bold))
        return
    rows = sources.rows_at(one, leaf, held=False)
    if len(rows):
        st.markdown(words.of_numbers(one.source.dataset.y[rows], bold(target.name)))


def _is_open(one: QuestionnaireTree, walked: Walk) -> bool:
    """Whether what is not known, and what the model did not learn to do without, may change the answer."""
    if all(step.known or step.learned for step in walked.steps):
        return False
    return not words.is_settled(could_end(one.form, walked.known), one.form, one.source.dataset.target)


def _warn_of_few(one: QuestionnaireTree, leaf: int) -> None:
    n = len(sources.rows_at(one, leaf, held=False))
    if n < words.FEW:
        st.markdown(f":material/warning: {words.behind(n)}")


def _shares(one: QuestionnaireTree, walked: Walk) -> None:
    """A bar for every class, the likeliest first."""
    value, target = one.form.tree.value[walked.node], one.source.dataset.target
    if not target.categories:
        return
    order = np.argsort(-value, kind="stable")[:MOST_CLASSES]
    for k in order.tolist():
        st.progress(min(float(value[k]), 1.0), text=f"{plain(target.categories[k])}: {percent(float(value[k]))}")
    if one.source.box is not None:
        st.caption(f"How likely {plain(one.source.who)} finds each in such cases, on average.")
    else:
        is_assumed = any(not step.known for step in walked.steps)
        led = "that go the way taken, with what is assumed below" if is_assumed else "that led here"
        st.caption(f"Shares of the rows of the table {led}.")


def why(one: QuestionnaireTree, walked: Walk) -> str:
    """The reasons, a line each; Markdown."""
    found = [views.because(reason, one.form.features, bold) for reason in reasons(one.form, walked)]
    if not found:
        return "- nothing needs to be asked: the answer is the same for everybody."
    return "\n".join(f"- {line}" for line in found)


def how_sure(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """What is known of how good this answer is, and what speaks against it; Markdown."""
    leaf, data = walked.node, one.source.dataset
    value, y = one.form.tree.value[leaf], data.y[sources.rows_at(one, leaf, held=False)]
    lines = [] if len(y) < words.FEW else [words.behind(len(y))]  # of few the card itself warns
    tested = data.y[sources.rows_at(one, leaf, held=True)]
    if len(tested):
        lines.append(words.checked(value, tested, data.target, bold, data.y[one.source.held]))
    return [*_doubts(one, walked), *lines]


def _doubts(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """What makes this answer less sure than others: what is not known, and values that nobody had."""
    features = one.form.features
    names = {f: bold(views.parted(features[f])[0]) for f in range(len(features))}
    guessed = [reason for reason in reasons(one.form, walked) if reason.guessed]
    lines = _not_known(one, walked, guessed, names) if guessed else []
    for feature in outside(walked.known, one.source.dataset.X[~one.source.held]):
        lines.append(f"No row of the table has such a value of {names[feature]}: the answer is a guess.")
    return lines


def _not_known(one: QuestionnaireTree, walked: Walk, guessed: list[Reason], names: dict[int, str]) -> list[str]:
    """What was done without knowing, by what it was done; and what the answer would be if all were known."""
    part, target = could_end(one.form, walked.known), one.source.dataset.target
    learned, assumed = (
        [names[reason.bound.feature] for reason in guessed if reason.learned == how] for how in (True, False)
    )
    weak = "" if words.is_settled(part, one.form, target) else ", so the answer is **less sure**"
    it_were = "it were" if len(guessed) == 1 else "they were"
    lines = [f"Not known: {', '.join(learned)}. The tree has learned what to make of that."] * bool(learned)
    if assumed:
        lines.append(f"Not known: {', '.join(assumed)}. Assumed is what most rows have that come as far{weak}.")
    return [*lines, f"If {it_were} known, {words.could_be(part, one.form, target, bold)}."]


def splits(one: QuestionnaireTree, walked: Walk) -> list[str]:
    """How sure it is that each question on the way is the right one to ask; Markdown."""
    considered, box = one.source.considered, one.source.box
    if considered is None or box is None:
        return []
    found = []
    for step in walked.steps:
        told = words.chance(considered, int(one.nodes[step.node]), box.recipe.alpha, one.form.features, bold)
        found.append(f"{words.demand(one.form, step.node, step.left, bold)}: {told or 'not tested'}.")
    return found
