"""The black box and its tree in short: how alike, how good, how sure, how large; and the tree to take away."""

from __future__ import annotations

import streamlit as st

from espalier.views.approximation import arrangement_words
from espalier.views.approximation import words as approximation_words
from espalier.views.comparison import rates_words
from espalier.views.theme import number, percent
from pages.shared.app.frame import plain
from pages.shared.approximation import orders, results
from pages.shared.approximation.boxes import MOST_LEARNT
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.tree import exports

HELP = {
    "agrees with the model": "Of {n:,} fresh made-up cases, how many the tree takes for the same "
    "class as the black box does. *Term:* fidelity.",
    "R² to the model": "How much of the black box's variation over {n:,} fresh made-up cases the "
    "tree has. 1: the same answers.",
    "average gap": "By how much the chances that both give to the classes differ on average over fresh made-up "
    "cases: half the sum of the differences, 0 if they are the same, 1 at most. *Paper:* L1 (section 4).",
    "difference": "By how much both answers differ on average over fresh made-up cases, in the target's unit.",
    "model": "On rows that neither has seen: what to expect of new ones.",
    "tree": "On the same rows: what is lost by the tree, if anything.",
    "baseline": "On the same rows: always the most frequent class of the rows learned from, or their mean.",
    "made-up cases": "Rows drawn around those of the table to find all splits together. Nodes that the test "
    "decides early need few. *Paper:* pseudo-samples.",
}


def draw(one: Approximated) -> None:
    """The line of numbers, and a sentence on how sure the splits are."""
    data, n_fresh = one.dataset, len(results.fresh(one).X)
    with st.container(horizontal=True, gap="xsmall", key="heading"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="heading numbers"):
            words = f"{len(data.y):,} rows · target {plain(data.target.name)}"
            st.markdown(
                f"**{plain(one.title)} and one tree**  \n:small[:gray[{plain(data.name)} · {words}]]",
                width="stretch",
            )
            for label, (value, told) in _metrics(one).items():
                st.metric(label, value, help=HELP[told].format(n=n_fresh), width="content")
        exports.menu(results.as_grown(one))
    st.markdown(
        f"{_alike(one)} {approximation_words.sureness(results.split_facts(one))}{_of_known_rows(one)}{_part(one)}"
    )
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.tell(one.arranged, data)


def _metrics(one: Approximated) -> dict[str, tuple[str, str]]:
    """What is written under each label, and the key of its help."""
    found, truth = results.overall(one), results.truth(one)
    is_share = one.dataset.is_classification
    first, second = ("agrees with the model", "average gap") if is_share else ("R² to the model", "difference")
    shown = {first: (_written(found.agreement, is_share), first), second: (number(found.distance), second)}
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = "accuracy" if is_share else "R²"
        shown[f"{score}, model"] = (_written(truth.model, is_share), "model")
        shown[f"{score}, tree"] = (_written(truth.tree, is_share), "tree")
        shown[f"{score}, baseline"] = (_written(truth.baseline, is_share), "baseline")
    if one.model.value("method") == "sampled":
        shown["made-up cases"] = (f"{results.n_pseudo_samples(one):,}", "made-up cases")
    return shown


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))


def _alike(one: Approximated) -> str:
    """How well the tree stands in, in a sentence."""
    found, who = results.overall(one), plain(one.in_sentence)
    asked = f"With at most {_questions(one)}" if one.tree.depth else "Without any question"
    if one.dataset.is_classification:
        share = percent(found.agreement)
        return f"{asked} the tree agrees with {who} **{share}** of the time."
    if found.agreement != found.agreement:
        return f"To {who} all made-up cases are the same."
    kept = percent(max(found.agreement, 0.0))
    return f"{asked} the tree explains **{kept}** of the variation in the answers of {who}."


def _questions(one: Approximated) -> str:
    n, leaves = one.tree.depth, one.tree.n_leaves
    return f"{n} question{'s' * (n != 1)} ({leaves} lea{'f' if leaves == 1 else 'ves'})"


def _of_known_rows(one: Approximated) -> str:
    """How good a person's own model is, without credit: it may know the rows."""
    truth = results.truth(one)
    if one.model.value(BOX) != OWN or truth is None:
        return ""
    return f" {arrangement_words.known_rows(truth.model, truth.tree, one.dataset.is_classification)}"


def _part(one: Approximated) -> str:
    """That the black box learnt from some of the rows, where it did."""
    if one.model.value(BOX) not in MOST_LEARNT or one.n_learnt == int((~one.held).sum()):
        return _by_class(one)
    learnt = f"{one.n_learnt:,} of the rows"
    told = f" {one.title} learnt from {learnt}: more would take too long or too much room."
    return told + _by_class(one)


def _by_class(one: Approximated) -> str:
    """What is right of each class on the held-out rows, with a warning where accuracy tells little."""
    found = results.rates_of(one)
    if found is None:
        return ""
    target = one.dataset.target
    each = " ".join(rates_words.by_class_words(told, target, plain, who) for who, told in found)
    blind = rates_words.blind_words(found, target, plain)
    return f"  \n{each}" + (f"  \n:material/warning: {blind}" if blind else "")
