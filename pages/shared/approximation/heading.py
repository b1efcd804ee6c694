"""The black box and its tree in short: how well the tree stands in, and what is to be known of both."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.approximation import words
from espalier.comparison import tables
from espalier.display.theme import count, number, percent
from espalier.language import say
from pages.shared.app.frame import plain
from pages.shared.approximation import results
from pages.shared.approximation.boxes import MOST_LEARNT
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.own_models import orders


def draw(one: Approximated) -> None:
    """Draw how well the tree stands in, in a line, and below what is to be known of the model."""
    data, box = one.dataset, one.model.value(BOX)
    text = f"{alike(one)} {words.sureness(results.split_facts(one))}"
    truth = results.truth(one)
    if box == OWN and truth is not None:
        text += f" {words.known_rows(truth.model, truth.tree, data.is_classification)}"
    if box in MOST_LEARNT and one.n_learnt < int((~one.held).sum()):
        text += " " + say("{box} learned from {n} of the rows.", box=one.title, n=count(one.n_learnt))
    st.markdown(text)
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.note(one.arranged, data)
    if (both := results.rates_of(one)) and (blind := tables.blind_words(both, data.target, plain)):
        st.markdown(f":material/warning: {blind}")


def alike(one: Approximated) -> str:
    """A sentence on how well the tree stands in."""
    agreement, n = results.overall(one).agreement, one.tree.n_leaves
    share = "–" if agreement != agreement else percent(max(agreement, 0.0))  # without any variation there is no R²
    leaves, who = say("{n} leaf" if n == 1 else "{n} leaves", n=n), plain(one.in_sentence)
    return say(
        "With {leaves} the tree agrees with {who} **{share}** of the time."
        if one.dataset.is_classification
        else "With {leaves} the tree explains **{share}** of the variation in the answers of {who}.",
        leaves=leaves,
        who=who,
        share=share,
    )


def score_table(one: Approximated) -> pd.DataFrame:
    """How good both are on rows new to them, in one line."""
    return pd.DataFrame({label: [value] for label, value in metrics_of(one).items()})


def metrics_of(one: Approximated) -> dict[str, str]:
    """How near both are on fresh made-up cases, and their scores on rows held out, by label."""
    overall, truth, is_share = results.overall(one), results.truth(one), one.dataset.is_classification
    agreement, gap = say("R² to the model"), say("difference")
    if is_share:
        agreement, gap = say("agrees with the model"), say("average gap")
    metrics = {agreement: _written(overall.agreement, is_share), gap: number(overall.distance)}
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = say("accuracy") if is_share else "R²"
        names = {say("model"): truth.model, say("tree"): truth.tree, say("baseline"): truth.baseline}
        metrics |= {f"{score}, {name}": _written(value, is_share) for name, value in names.items()}
    return metrics


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))
