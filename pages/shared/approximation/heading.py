"""The black box and its tree in short: fidelity, scores, sureness and size; and the exports of the tree."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.approximation import words
from espalier.comparison import tables
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.trees import LEAF
from pages.shared.app.frame import plain
from pages.shared.approximation import results
from pages.shared.approximation.boxes import MOST_LEARNT
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.own_models import orders

MEANINGS = {
    "agreement": to_say("of {n} fresh made-up cases, how many both take for the same class (*fidelity*)"),
    "r2": to_say("how much of the model's variation over {n} fresh made-up cases the tree has"),
    "gap": to_say("how far the chances that both give are apart: half the sum of the differences (L1)"),
    "difference": to_say("how far both answers are apart on average, in the target's unit"),
    "model": to_say("on rows that neither has seen"),
    "tree": to_say("on the same rows"),
    "baseline": to_say("on the same rows: always the most frequent class, or the mean"),
    "cases": to_say("rows drawn around those of the table to find all splits (*pseudo-samples*)"),
}  # by the keys of `metrics_of`
SCORES = ("model", "tree", "baseline")  # those of scores


def score_label(score: str, whose: str) -> str:
    """Label of a score of the model, the tree or the baseline."""
    return f"{score}, {whose}"


def draw(one: Approximated) -> None:
    """Draw how well the tree stands in, in a line, and below what is to be known of the model."""
    data = one.dataset
    st.markdown(f"{alike(one)} {_sureness(one)}{_of_known_rows(one)}{_part(one)}", help=_meanings(one))
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.note(one.arranged, data)
    if (both := results.rates_of(one)) and (blind := tables.blind_words(both, data.target, plain)):
        st.markdown(f":material/warning: {blind}")


def _sureness(one: Approximated) -> str:
    """How many splits are open, where some are and others not; else what is to be known of all."""
    facts = results.split_facts(one)
    n, n_open = int((one.tree.feature != LEAF).sum()), len(words.unsure_splits(facts))
    if 0 < n_open < n and one.is_whole:
        return say("**?** marks {n} of {of} splits that are not sure.", n=n_open, of=n)
    return words.sureness(facts)


def score_table(one: Approximated) -> pd.DataFrame:
    """The scores of the model, of the tree and of the baseline on rows new to them; empty where none are."""
    return pd.DataFrame({label: [value] for label, (value, key) in metrics_of(one).items() if key in SCORES})


def _meanings(one: Approximated) -> str:
    """Every number of both with its meaning, a line each; Markdown."""
    n = count(len(results.fresh(one).X))
    return "\n".join(
        f"- **{label} {value}**: {say(MEANINGS[key], n=n)}" for label, (value, key) in metrics_of(one).items()
    )


def metrics_of(one: Approximated) -> dict[str, tuple[str, str]]:
    """The value of each label, and the key of its meaning."""
    whole, truth = results.overall(one), results.truth(one)
    is_share = one.dataset.is_classification
    first = (say("agrees with the model"), "agreement") if is_share else (say("R² to the model"), "r2")
    second = (say("average gap"), "gap") if is_share else (say("difference"), "difference")
    metrics = {
        first[0]: (_written(whole.agreement, is_share), first[1]),
        second[0]: (number(whole.distance), second[1]),
    }
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = say("accuracy") if is_share else "R²"
        for whose, key in ((say("model"), "model"), (say("tree"), "tree"), (say("baseline"), "baseline")):
            metrics[score_label(score, whose)] = (_written(getattr(truth, key), is_share), key)
    if one.model.value("method") == "sampled":
        metrics[say("made-up cases")] = (count(results.n_pseudo_samples(one)), "cases")
    return metrics


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))


def alike(one: Approximated) -> str:
    """A sentence on how well the tree stands in."""
    agreement, who = results.overall(one).agreement, plain(one.in_sentence)
    asked = _size_sentence(one.tree.depth, one.tree.n_leaves)
    if one.dataset.is_classification:
        return say(
            "{size} the tree agrees with {who} **{share}** of the time.",
            size=asked,
            who=who,
            share=percent(agreement),
        )
    if agreement != agreement:
        return say("To {who} all made-up cases are the same.", who=who)
    return say(
        "{size} the tree explains **{share}** of the variation in the answers of {who}.",
        size=asked,
        share=percent(max(agreement, 0.0)),
        who=who,
    )


def _of_known_rows(one: Approximated) -> str:
    """Note on how good a person's own model is, without credit: it may know the rows."""
    truth = results.truth(one)
    if one.model.value(BOX) != OWN or truth is None:
        return ""
    return f" {words.known_rows(truth.model, truth.tree, one.dataset.is_classification)}"


def _part(one: Approximated) -> str:
    """Note on a black box that learnt from some of the rows."""
    if one.model.value(BOX) not in MOST_LEARNT or one.n_learnt == int((~one.held).sum()):
        return ""
    return say(
        " {box} learnt from {n} of the rows: more would take too long or too much room.",
        box=one.title,
        n=count(one.n_learnt),
    )


def _size_sentence(depth: int, n_leaves: int) -> str:
    """Size of the tree at the beginning of a sentence."""
    if depth == 0:
        return say("Without any question")
    leaves = say("{n_leaves} leaf" if n_leaves == 1 else "{n_leaves} leaves", n_leaves=n_leaves)
    return say(
        "With at most {depth} question ({leaves})" if depth == 1 else "With at most {depth} questions ({leaves})",
        depth=depth,
        leaves=leaves,
    )
