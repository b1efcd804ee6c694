"""The black box and its tree in short: fidelity, scores, sureness and size; and the exports of the tree."""

from __future__ import annotations

import streamlit as st

from espalier.approximation import words
from espalier.comparison import tables
from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.language import say
from pages.shared.app.frame import plain
from pages.shared.approximation import results
from pages.shared.approximation.boxes import MOST_LEARNT
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.own_models import orders
from pages.shared.tree.exports import menu as exports


def score_label(score: str, whose: str) -> str:
    """Label of a score of the model, the tree or the baseline."""
    return f"{score}, {whose}"


# ---- the black box and its tree in short: fidelity, scores, sureness and size; and the exports of the tree


def draw(one: Approximated) -> None:
    """The line of numbers, and a sentence on how sure the splits are."""
    data, n_fresh = one.dataset, len(results.fresh(one).X)
    with st.container(horizontal=True, gap="xsmall", key="heading"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="heading numbers"):
            names = plain(one.title), plain(title_of(data)), len(data.y), plain(data.target.name)
            st.markdown(_title(*names), width="stretch")
            for label, (value, key) in metrics_of(one).items():
                st.metric(
                    label,
                    value,
                    help={
                        say("agrees with the model"): say(
                            "Of {n} fresh made-up cases, how many the tree takes for the same class as the black "
                            "box does. *Term:* fidelity."
                        ),
                        say("R² to the model"): say(
                            "How much of the black box's variation over {n} fresh made-up cases the tree has. 1: "
                            "the same answers."
                        ),
                        say("average gap"): say(
                            "By how much the chances that both give to the classes differ on average over fresh "
                            "made-up cases: half the sum of the differences, 0 if they are the same, 1 at most. "
                            "*Paper:* L1 (section 4)."
                        ),
                        say("difference"): say(
                            "By how much both answers differ on average over fresh made-up cases, in the "
                            "target's unit."
                        ),
                        say("model"): say("On rows that neither has seen: what to expect of new ones."),
                        say("tree"): say("On the same rows: what is lost by the tree, if anything."),
                        say("baseline"): say(
                            "On the same rows: always the most frequent class of the rows learned from, or their "
                            "mean."
                        ),
                        say("made-up cases"): say(
                            "Rows drawn around those of the table to find all splits together. Nodes that the "
                            "test decides early need few. *Paper:* pseudo-samples."
                        ),
                    }[key].format(n=count(n_fresh)),
                    width="content",
                )
        exports.menu(results.as_grown(one))
    st.markdown(f"{alike(one)} {words.sureness(results.split_facts(one))}{_of_known_rows(one)}{_part(one)}")
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.note(one.arranged, data)


def metrics_of(one: Approximated) -> dict[str, tuple[str, str]]:
    """The value of each label, and the key of its help."""
    whole, truth = results.overall(one), results.truth(one)
    is_share = one.dataset.is_classification
    first, second = (
        (say("agrees with the model"), say("average gap"))
        if is_share
        else (say("R² to the model"), say("difference"))
    )
    shown = {first: (_written(whole.agreement, is_share), first), second: (number(whole.distance), second)}
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = say("accuracy") if is_share else "R²"
        each = ((say("model"), truth.model), (say("tree"), truth.tree), (say("baseline"), truth.baseline))
        for whose, value in each:
            shown[score_label(score, whose)] = (_written(value, is_share), whose)
    if one.model.value("method") == "sampled":
        shown[say("made-up cases")] = (count(results.n_pseudo_samples(one)), say("made-up cases"))
    return shown


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
    """Note on a black box that learnt from some of the rows, and on each class."""
    if one.model.value(BOX) not in MOST_LEARNT or one.n_learnt == int((~one.held).sum()):
        return _by_class(one)
    return say(
        " {box} learnt from {n} of the rows: more would take too long or too much room.",
        box=one.title,
        n=count(one.n_learnt),
    ) + _by_class(one)


def _by_class(one: Approximated) -> str:
    """Right answers by class on the held-out rows, with a warning where accuracy tells little."""
    both = results.rates_of(one)
    if both is None:
        return ""
    target = one.dataset.target
    each = " ".join(tables.class_rates_words(own, target, plain, who) for who, own in both)
    blind = tables.blind_words(both, target, plain)
    return f"  \n{each}" + (f"  \n:material/warning: {blind}" if blind else "")


def _title(box: str, data: str, n_rows: int, target: str) -> str:
    """The black box and the data; all names are Markdown."""
    return say(
        "**{box} and one tree**  \n:small[:gray[{data} · {n_rows} rows · target {target}]]",
        box=box,
        data=data,
        n_rows=count(n_rows),
        target=target,
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
