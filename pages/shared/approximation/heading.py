"""The black box and its tree in short: fidelity, scores, sureness and size; and the exports of the tree."""

from __future__ import annotations

import streamlit as st

from espalier.data.samples import title_of
from espalier.views.approximation import arrangement_words
from espalier.views.approximation import words as approximation_words
from espalier.views.comparison import rates_words
from espalier.views.theme import count, number, percent
from pages.shared.app.frame import plain
from pages.shared.approximation import results
from pages.shared.approximation.boxes import MOST_LEARNT
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.own_models import orders
from pages.shared.tree.exports import menu as exports
from pages.shared.words.approximate import tabs as words


def draw(one: Approximated) -> None:
    """The line of numbers, and a sentence on how sure the splits are."""
    data, n_fresh = one.dataset, len(results.fresh(one).X)
    with st.container(horizontal=True, gap="xsmall", key="heading"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="heading numbers"):
            names = plain(one.title), plain(title_of(data)), len(data.y), plain(data.target.name)
            st.markdown(words.title(*names), width="stretch")
            for label, (value, key) in metrics_of(one).items():
                st.metric(label, value, help=words.NUMBERS[key].format(n=count(n_fresh)), width="content")
        exports.menu(results.as_grown(one))
    st.markdown(
        f"{alike(one)} {approximation_words.sureness(results.split_facts(one))}{_of_known_rows(one)}{_part(one)}"
    )
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.note(one.arranged, data)


def metrics_of(one: Approximated) -> dict[str, tuple[str, str]]:
    """The value of each label, and the key of its help."""
    whole, truth = results.overall(one), results.truth(one)
    is_share = one.dataset.is_classification
    first, second = (words.AGREES, words.AVERAGE_GAP) if is_share else (words.R2_TO_MODEL, words.DIFFERENCE)
    shown = {first: (_written(whole.agreement, is_share), first), second: (number(whole.distance), second)}
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = words.ACCURACY if is_share else words.R2
        each = ((words.MODEL, truth.model), (words.TREE, truth.tree), (words.BASELINE, truth.baseline))
        for whose, value in each:
            shown[words.score_of(score, whose)] = (_written(value, is_share), whose)
    if one.model.value("method") == "sampled":
        shown[words.MADE_UP] = (count(results.n_pseudo_samples(one)), words.MADE_UP)
    return shown


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))


def alike(one: Approximated) -> str:
    """A sentence on how well the tree stands in."""
    agreement, who = results.overall(one).agreement, plain(one.in_sentence)
    asked = words.asked(one.tree.depth, one.tree.n_leaves)
    if one.dataset.is_classification:
        return words.agrees(asked, who, agreement)
    if agreement != agreement:
        return words.all_the_same(who)
    return words.explains(asked, who, max(agreement, 0.0))


def _of_known_rows(one: Approximated) -> str:
    """Note on how good a person's own model is, without credit: it may know the rows."""
    truth = results.truth(one)
    if one.model.value(BOX) != OWN or truth is None:
        return ""
    return f" {arrangement_words.known_rows(truth.model, truth.tree, one.dataset.is_classification)}"


def _part(one: Approximated) -> str:
    """Note on a black box that learnt from some of the rows, and on each class."""
    if one.model.value(BOX) not in MOST_LEARNT or one.n_learnt == int((~one.held).sum()):
        return _by_class(one)
    return words.learnt_from_some(one.title, one.n_learnt) + _by_class(one)


def _by_class(one: Approximated) -> str:
    """Right answers by class on the held-out rows, with a warning where accuracy tells little."""
    both = results.rates_of(one)
    if both is None:
        return ""
    target = one.dataset.target
    each = " ".join(rates_words.by_class_words(own, target, plain, who) for who, own in both)
    blind = rates_words.blind_words(both, target, plain)
    return f"  \n{each}" + (f"  \n:material/warning: {blind}" if blind else "")
