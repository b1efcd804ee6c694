"""Both forests in short: kind, errors and size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st

from espalier.data.samples import title_of
from espalier.views.comparison import rates_words
from espalier.views.theme import number, percent
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of
from pages.shared.forests import results
from pages.shared.forests.exports.menu import menu
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.own_models import fitted, orders, uploads
from pages.shared.tree import fits
from pages.shared.words.forests import boosting as boosting_words
from pages.shared.words.forests import page as words
from pages.shared.words.own import model as own_words


def url_entries(tabs: Iterable[str]) -> list[Entry]:
    """The open tab, as part of the address."""
    names = list(tabs)
    return [Entry("view", names[0], one_of(names), undo=False, stays=True, name="tab")]


def draw(pair: list[GrownForest]) -> None:
    """Draw both forests in short, and the exports."""
    data = pair[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="forests heading"):
        text = words.data(plain(title_of(data)), len(data.y), plain(data.target.name), len(data.classes))
        st.markdown(text, width="stretch")
        menu(pair)
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(words.in_short(title(side), plain(forests.short(one.model)), _size(one)))
            if one.is_own:
                st.caption(uploads.judged_on(one.model, data))
                orders.note(fitted.known(one.model, data), data)
            for held in of_columns.in_force(one.dataset, fits.parameters_of(one.estimator)):
                st.caption(held)
            with st.container(horizontal=True, gap="small"):
                for label, value in metrics_of(one).items():
                    st.metric(label, value, help=words.ERROR_HELP.get(label), width="content")
            _by_class(one, words.forest(title(side)))


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
    alone = own_words.error_of_one(one.may_have_seen) if one.is_own else words.ERROR_OF_ONE
    errors = {alone: float(np.nanmean(own))} if np.isfinite(own).any() else {}
    held_out = own_words.error(one.may_have_seen) if one.is_own else words.ERROR_HELD_OUT
    curves = {words.ERROR_OUT_OF_BAG: curve.unseen, held_out: curve.held}
    errors |= {name: float(e[-1]) for name, e in curves.items() if e is not None}
    if rates is not None:
        errors[words.ERROR_OF_BASELINE] = 1 - rates.baseline
    in_text = percent if one.dataset.is_classification else number
    return {name: in_text(error) for name, error in errors.items()}


def _size(one: GrownForest) -> str:
    n, most = one.forest.n_trees, one.model.n_trees
    n_leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    if one.has_rounds:
        return boosting_words.size(n // one.trees_a_round, n, n_leaves)
    return words.size(n, most if one.is_whole and n < (most or n) else None, n_leaves)
