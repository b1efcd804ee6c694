"""Both forests in short: kind, errors and size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from espalier.comparison import rates_words
from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.language import say
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of
from pages.shared.forests import results, sentences
from pages.shared.forests.exports.menu import menu
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.own_models import fitted, orders, uploads
from pages.shared.tree import fits


def url_entries(tabs: Iterable[str]) -> list[Entry]:
    """The open tab, as part of the address."""
    names = list(tabs)
    return [Entry("view", names[0], one_of(names), undo=False, stays=True, name="tab")]


def draw(pair: list[GrownForest]) -> None:
    """Draw both forests in short, and the exports."""
    data = pair[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="forests heading"):
        text = _data_heading(plain(title_of(data)), len(data.y), plain(data.target.name), len(data.classes))
        st.markdown(text, width="stretch")
        menu(pair)
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(
                say(
                    "{side} · {kind}  \n:small[{size}]",
                    side=sentences.forest_heading(title(side)),
                    kind=plain(forests.short(one.model)),
                    size=_size(one),
                )
            )
            if one.is_own:
                st.caption(uploads.judged_on(one.model, data))
                orders.note(fitted.known(one.model, data), data)
            for held in of_columns.in_force(one.dataset, fits.parameters_of(one.estimator)):
                st.caption(held)
            with st.container(horizontal=True, gap="small"):
                for label, value in metrics_of(one).items():
                    st.metric(
                        label,
                        value,
                        help={
                            say("error out of bag"): say(
                                "Every row judged by the trees that did not draw it: what to expect of new rows."
                            ),
                            say("error held out"): say(
                                "On rows that no tree of it has seen: what to expect of new ones."
                            ),
                            say("error of the baseline"): say(
                                "On rows held out, else out of bag: always answering the most frequent class."
                            ),
                            say("error of one tree"): say(
                                "The mean error of a tree alone on rows new to it: those out of bag if there are "
                                "any, else held out."
                            ),
                        }.get(label),
                        width="content",
                    )
            _by_class(one, sentences.forest_name(title(side)))


def _by_class(one: GrownForest, name: str) -> None:
    """Draw the accuracy by class on rows new to the forest, and a warning where its error tells little."""
    rates, target = results.rates_of(one), one.dataset.target
    if rates is None:
        return
    st.caption(rates_words.by_class_words(rates, target, plain))
    if blind := rates_words.blind_words([(name, rates)], target, plain):
        st.markdown(f":material/warning: {blind}")


def metrics_of(one: GrownForest) -> dict[str, str]:
    """The errors of a forest, by their names."""
    curve, own, rates = results.curve(one), results.own_errors(one), results.rates_of(one)
    alone = (
        say("error of one tree, on rows it may have seen")
        if one.may_have_seen
        else say("error of one tree, on new rows")
        if one.is_own
        else say("error of one tree")
    )
    errors = {alone: float(np.nanmean(own))} if np.isfinite(own).any() else {}
    held_out = (
        say("error on rows it may have seen")
        if one.may_have_seen
        else say("error on rows new to it")
        if one.is_own
        else say("error held out")
    )
    curves = {say("error out of bag"): curve.unseen, held_out: curve.held}
    errors |= {name: float(e[-1]) for name, e in curves.items() if e is not None}
    if rates is not None:
        errors[say("error of the baseline")] = 1 - rates.baseline
    in_text = percent if one.dataset.is_classification else number
    return {name: in_text(error) for name, error in errors.items()}


def _size(one: GrownForest) -> str:
    n, most = one.forest.n_trees, one.model.n_trees
    n_leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    if one.has_rounds:
        return _size_of_sum(n // one.trees_a_round, n, n_leaves)
    return _size_of_forest(n, most if one.is_whole and n < (most or n) else None, n_leaves)


def _size_of_sum(n: int, n_trees: int, n_leaves: float) -> str:
    """Size of a sum; `n_leaves` of a tree on average."""
    leaves = say(
        "{n_leaves} leaf" if n_leaves == 1 else "{n_leaves} leaves",
        context="after with",
        n_leaves=number(n_leaves),
    )
    return say(
        "{n}: {n_trees} tree with {leaves} on average"
        if n_trees == 1
        else "{n}: {n_trees} trees with {leaves} on average",
        n=sentences.rounds(n),
        n_trees=n_trees,
        leaves=leaves,
    )


def _data_heading(name: str, n_rows: int, target: str, n_classes: int) -> str:
    """Name and size of the data, in Markdown; without classes the target is a number."""
    goal = say("{n_classes} classes", n_classes=n_classes) if n_classes else say("a number")
    return say(
        "#### Forests: {name}\n:small[:gray[{n_rows} rows · target {target}, {goal}]]",
        name=name,
        n_rows=count(n_rows),
        target=target,
        goal=goal,
    )


def _size_of_forest(n: int, asked_for: int | None, n_leaves: float) -> str:
    """Size of a forest; `asked_for` where it has fewer trees than that, `n_leaves` of a tree on average."""
    fewer = (
        say(" (of {asked_for} asked for; then there was nothing more to grow)", asked_for=asked_for)
        if asked_for
        else ""
    )
    trees = say("1 tree") if n == 1 else say("{n} trees", n=n)
    leaves = (
        say("1 leaf")
        if n_leaves == 1
        else say("{n_leaves} leaves", context="after with", n_leaves=number(n_leaves))
    )
    return say("{trees}{fewer} with {leaves} on average", trees=trees, fewer=fewer, leaves=leaves)
