"""Fidelity of the tree to the black box: by depth, by class, and the rows on which they differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.approximation import fidelity
from espalier.approximation import pictures as fidelity_by_depth
from espalier.approximation import words as approximation_words
from espalier.approximation.pictures import FidelityLine
from espalier.comparison import tables as rates_words
from espalier.display import tables
from espalier.display.parts import Picture
from espalier.display.tables import listed, to_csv
from espalier.display.theme import count, percent
from espalier.language import say
from espalier.learners.catalogue.settings import DEEPEST_APPROXIMATION
from espalier.ties import winners
from pages.shared.app import pictures
from pages.shared.app.frame import callback, plain
from pages.shared.approximation import results
from pages.shared.approximation.fits import Approximated
from pages.shared.approximation.results import AnsweredRows
from pages.shared.canvas.data_table import data_table

MOST_LISTED = 200


def draw(one: Approximated) -> None:
    """Both measures by depth, and where to stop; then the classes, and the rows on which they differ."""
    curves = depth_curves(one)
    enough, most = fidelity.enough(results.levels(one)), one.model.value("depth")
    with st.container(horizontal=True, vertical_alignment="center", key="where to stop"):
        st.markdown(curves.enough, width="stretch")
        if 0 < enough < most:
            _offer(say("Stop at depth {depth}", depth=enough), enough, ":material/content_cut:")
        elif enough == most < DEEPEST_APPROXIMATION:
            _offer(say("Allow {n} questions", n=enough + 1), enough + 1, ":material/add:")
    for column, picture in zip(st.columns(2), curves.pictures, strict=True):
        with column:
            st.markdown(f"**{picture.caption}**")
            pictures.draw(picture, 560)
    st.caption(curves.explained)
    measures = fidelity_by_depth.measures(one.dataset.is_classification)
    with st.container(horizontal=True):
        for measure, picture in zip(measures, curves.pictures, strict=True):
            pictures.save(picture.draw(False), f"fidelity-{measure.key}.svg")
        pictures.save(lambda: to_csv(levels_table(one)), "fidelity-by-depth.csv")
    if one.dataset.is_classification:
        _classes(one)
    _rows(one)


class DepthCurves(NamedTuple):
    """How well the tree stands in by its depth, in words and pictures."""

    enough: str  # a sentence on where to stop; Markdown
    pictures: list[Picture]  # one for each measure, with its title as the caption
    explained: str


def depth_curves(one: Approximated) -> DepthCurves:
    """Both measures by depth."""
    lines, levels = _lines(one), results.levels(one)
    enough, most = fidelity.enough(levels), one.model.value("depth")
    mark = enough if enough < most else None  # else it is still gaining
    by_measure = [
        fidelity_by_depth.depth_picture(lines, measure, mark)
        for measure in fidelity_by_depth.measures(one.dataset.is_classification)
    ]
    return DepthCurves(approximation_words.enough_words(levels, enough, most), by_measure, _explained(one))


def _offer(label: str, depth: int, icon: str) -> None:
    if st.button(label, on_click=callback(_allow), args=(depth,), icon=icon):
        st.rerun(scope="app")  # the tabs are a fragment, and the tree is grown outside of it


def _allow(depth: int) -> None:
    st.session_state["ap-depth"] = depth


def _lines(one: Approximated) -> list[FidelityLine]:
    held = results.held_levels(one)
    lines = [FidelityLine(say("made-up cases"), results.levels(one))]
    return lines + ([] if held is None else [FidelityLine(say("held-out rows"), held, dashed=True)])


def _explained(one: Approximated) -> str:
    measures = (
        say(
            "*Average gap in the chances*: half the sum of the differences between what both "
            "give to the classes (L1 in the paper). *Agrees with the model*: how often both say "
            "the same class."
        )
        if one.dataset.is_classification
        else say(
            "*Mean difference*: in the target's unit; *R²*: how much of the black box's variation the tree has."
        )
    )
    return say(
        "The tree cut off after 0, 1, 2, … questions, held against the black box on {n} fresh made-up cases and, "
        "where there are any, on held-out rows. {measures}",
        n=count(len(results.fresh(one).X)),
        measures=measures,
    )


def levels_table(one: Approximated) -> pd.DataFrame:
    """A line for every depth, with the fidelity on all rows that it is measured on."""
    first, second = fidelity_by_depth.measures(one.dataset.is_classification)
    table = pd.DataFrame(
        {
            say("depth"): [level.depth for level in results.levels(one)],
            say("leaves"): [level.n_leaves for level in results.levels(one)],
        }
    )
    for line in _lines(one):
        for measure in (first, second):
            table[f"{measure.title}, {line.name}"] = line.values(measure)
    return table


def _classes(one: Approximated) -> None:
    """Draw the agreement by the black box's class."""
    st.markdown(say("**By class**"))
    for who, rates in results.rates_of(one) or ():
        st.caption(rates_words.class_rates_words(rates, one.dataset.target, plain, who))
    data_table(by_class(one), hide_index=True, alt=say("How often the tree agrees, by what the black box says"))


def by_class(one: Approximated) -> pd.DataFrame:
    """A line for each class of the black box: rows, and how many of them the tree gives the same."""
    columns = {say("made-up cases"): results.fresh(one), say("held-out rows"): results.held(one)}
    table = pd.DataFrame({say("the black box says"): one.dataset.classes})
    for name, rows in columns.items():
        if rows is not None:
            weight = None if name == say("made-up cases") else one.dataset.weights_of(results.held_rows(one))
            each = fidelity.class_agreement(rows.model, rows.tree, one.prior, weight)
            table[name] = [count(of.n_samples) for of in each]
            table[say("tree agrees, {rows}", rows=name)] = [
                percent(of.agreement) if of.n_samples else "–" for of in each
            ]
    return table


def _rows(one: Approximated) -> None:
    """The rows on which they differ most."""
    opened = st.expander(say("Rows on which they differ most"), on_change="rerun", key="rows that differ")
    if not opened.open:
        return
    with opened:
        answered = results.all_rows(one)
        if answered is None:
            return
        numbers, rows = answered
        order = np.argsort(-np.abs(rows.model - rows.tree).sum(axis=1), kind="stable")[:MOST_LISTED]
        n = len(one.dataset.features)
        table = listed(one.dataset, numbers[order], one.held, features=tables.on_page(n))
        both = answers(one, rows)
        for place, name in enumerate(both.columns, start=2):
            table.insert(place, name, both[name].to_numpy()[order])
        data_table(
            table, hide_index=True, height=300, alt=say("Rows on which the black box and the tree differ most")
        )
        if left_off := tables.left_off(n):
            st.caption(left_off)
        pictures.save(lambda: _saved(one, *answered), "black-box-and-tree.csv")


def answers(one: Approximated, rows: AnsweredRows) -> pd.DataFrame:
    """Answers of both to rows, and the difference between them."""
    apart = np.abs(rows.model - rows.tree).sum(axis=1)
    if one.dataset.is_classification:
        names = np.array(one.dataset.classes, dtype=object)
        both = {say("model"): names[winners(rows.model, one.prior)], say("tree"): names[winners(rows.tree)]}
        return pd.DataFrame(both | {say("gap"): [float(f"{v:.3g}") for v in (apart / 2).tolist()]})
    return pd.DataFrame({say("model"): rows.model[:, 0], say("tree"): rows.tree[:, 0], say("difference"): apart})


def _saved(one: Approximated, numbers: np.ndarray, rows: AnsweredRows) -> str:
    table = answers(one, rows)
    first = {say("row"): np.asarray(numbers) + 1} | tables.labels_of(one.dataset, numbers)
    first |= {say("held out"): one.held[numbers]}
    return to_csv(pd.concat([pd.DataFrame(first), table], axis=1))
