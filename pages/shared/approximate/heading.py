"""The black box and its tree in short: how alike, how good, how sure, how large; and the tree to take away."""

from __future__ import annotations

import streamlit as st

from core.views import approximation_words
from core.views.theme import number, percent
from pages.shared import exports
from pages.shared.approximate import facts
from pages.shared.approximate.boxes import MOST_LEARNT
from pages.shared.approximate.fits import Approximated
from pages.shared.frame import plain

HELP = {
    "same class": f"Of {facts.FRESH:,} fresh pseudo-samples, how many the tree takes for the same class as the "
    "black box does.",
    "R² to the model": f"How much of the black box's variation over {facts.FRESH:,} fresh pseudo-samples the tree "
    "has. 1: the same answers.",
    "L1": "By how much the class probabilities of both differ on average over fresh pseudo-samples: half the sum "
    "of the differences, 0 if they are the same, 1 at most (section 4).",
    "difference": "By how much both answers differ on average over fresh pseudo-samples, in the target's unit.",
    "model": "On rows that neither has seen: what to expect of new ones.",
    "tree": "On the same rows: what is lost by the tree, if anything.",
    "pseudo-samples": "Drawn to find all splits together. Nodes that the test decides early need few.",
}


def draw(one: Approximated) -> None:
    """The line of numbers, and a sentence on how sure the splits are."""
    data = one.dataset
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="heading"):
        words = f"{len(data.y):,} rows · target {plain(data.target.name)}"
        st.markdown(
            f"**{plain(one.recipe.title)} and one tree**  \n:small[:gray[{plain(data.name)} · {words}]]",
            width="stretch",
        )
        for label, (value, told) in _metrics(one).items():
            st.metric(label, value, help=HELP[told], width="content")
        exports.menu(facts.as_grown(one))
    st.markdown(f"{_alike(one)} {approximation_words.sureness(facts.told(one))}{_part(one)}")


def _metrics(one: Approximated) -> dict[str, tuple[str, str]]:
    """What is written under each label, and the key of its help."""
    found, truth = facts.overall(one), facts.truth(one)
    is_share = one.dataset.is_classification
    first, second = ("same class", "L1") if is_share else ("R² to the model", "difference")
    shown = {first: (_written(found.agreement, is_share), first), second: (number(found.distance), second)}
    if truth is not None:
        score = "accuracy" if is_share else "R²"
        shown[f"{score}, model"] = (_written(truth.model, is_share), "model")
        shown[f"{score}, tree"] = (_written(truth.tree, is_share), "tree")
    if one.recipe.method == "sampled":
        shown["pseudo-samples"] = (f"{facts.n_pseudo_samples(one):,}", "pseudo-samples")
    return shown


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))


def _alike(one: Approximated) -> str:
    """How well the tree stands in, in a sentence."""
    found, who = facts.overall(one), plain(one.recipe.in_sentence)
    asked = f"With at most {_questions(one)}" if one.tree.depth else "Without any question"
    if one.dataset.is_classification:
        share = percent(found.agreement)
        return f"{asked} the tree agrees with {who} **{share}** of the time."
    if found.agreement != found.agreement:
        return f"To {who} all pseudo-samples are the same."
    kept = percent(max(found.agreement, 0.0))
    return f"{asked} the tree explains **{kept}** of the variation in the answers of {who}."


def _questions(one: Approximated) -> str:
    n, leaves = one.tree.depth, one.tree.n_leaves
    return f"{n} question{'s' * (n != 1)} ({leaves} lea{'f' if leaves == 1 else 'ves'})"


def _part(one: Approximated) -> str:
    """That the black box learnt from some of the rows, where it did."""
    if one.recipe.box not in MOST_LEARNT or one.n_learnt == int((~one.held).sum()):
        return ""
    learnt = f"{one.n_learnt:,} of the rows"
    return f" {one.recipe.title} learnt from {learnt}: more would take too long or too much room."
