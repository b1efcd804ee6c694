"""How closely the tree follows the black box: by depth, by class, and on which rows it does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.approximation import fidelity
from espalier.ties import winners
from espalier.views import tables
from espalier.views.approximation import fidelity_by_depth
from espalier.views.approximation import words as approximation_words
from espalier.views.approximation.fidelity_by_depth import FidelityLine
from espalier.views.spreadsheet import to_csv
from espalier.views.tables import listed
from espalier.views.theme import number, percent
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.approximation import results
from pages.shared.approximation.controls import MAX_DEPTH
from pages.shared.approximation.fits import Approximated
from pages.shared.approximation.results import AnsweredRows

MOST_LISTED = 200


def draw(one: Approximated) -> None:
    """Both measures by depth, and where to stop; then the classes, and the rows on which they differ."""
    lines, levels = _lines(one), results.levels(one)
    enough, most = fidelity.enough(levels), one.model.value("depth")
    with st.container(horizontal=True, vertical_alignment="center", key="where to stop"):
        words = approximation_words.enough_words(levels, enough, most)
        st.markdown(words, width="stretch")
        if 0 < enough < most:
            _offer(f"Stop at depth {enough}", enough, ":material/content_cut:")
        elif enough == most < MAX_DEPTH:
            _offer(f"Allow {enough + 1} questions", enough + 1, ":material/add:")
    mark = enough if enough < most else None  # else it is still gaining
    measures = fidelity_by_depth.measures(one.dataset.is_classification)
    for column, measure in zip(st.columns(2), measures, strict=True):
        with column:
            st.markdown(f"**{measure.title[0].upper()}{measure.title[1:]}**")
            drawn = fidelity_by_depth.depth_curve(lines, measure, mark, is_dark())
            pictures.show(drawn, fidelity_by_depth.alt(lines, measure, mark), 560)
    st.caption(_explained(one))
    with st.container(horizontal=True):
        for measure in measures:
            svg = fidelity_by_depth.depth_curve(lines, measure, mark, False)
            pictures.save(svg, f"fidelity-{measure.key}.svg")
        pictures.save(lambda: to_csv(levels_table(one)), "fidelity-by-depth.csv")
    if one.dataset.is_classification:
        _classes(one)
    _rows(one)


def _offer(label: str, depth: int, icon: str) -> None:
    if st.button(label, on_click=callback(_allow), args=(depth,), icon=icon):
        st.rerun(scope="app")  # the tabs are a fragment, and the tree is grown outside of it


def _allow(depth: int) -> None:
    st.session_state["ap-depth"] = depth


def _lines(one: Approximated) -> list[FidelityLine]:
    held = results.held_levels(one)
    lines = [FidelityLine("made-up cases", results.levels(one))]
    return lines + ([] if held is None else [FidelityLine("held-out rows", held, dashed=True)])


def _explained(one: Approximated) -> str:
    how = (
        "*Average gap in the chances*: half the sum of the differences between what both give to the classes "
        "(L1 in the paper). *Agrees with the model*: how often both say the same class."
        if one.dataset.is_classification
        else "*Mean difference*: in the target's unit; *R²*: how much of the black box's variation the tree has."
    )
    n = len(results.fresh(one).X)
    return (
        f"The tree cut off after 0, 1, 2, … questions, held against the black box on {n:,} fresh "
        f"made-up cases and, where there are any, on held-out rows. {how}"
    )


def levels_table(one: Approximated) -> pd.DataFrame:
    """A line for every depth, with the fidelity on all rows that it is measured on."""
    first, second = fidelity_by_depth.measures(one.dataset.is_classification)
    table = pd.DataFrame(
        {
            "depth": [level.depth for level in results.levels(one)],
            "leaves": [level.n_leaves for level in results.levels(one)],
        }
    )
    for line in _lines(one):
        for measure in (first, second):
            table[f"{measure.title}, {line.name}"] = line.values(measure)
    return table


def _classes(one: Approximated) -> None:
    """How often the tree agrees, by what the black box says."""
    columns = {"made-up cases": results.fresh(one), "held-out rows": results.held(one)}
    table = pd.DataFrame({"the black box says": one.dataset.classes})
    for name, rows in columns.items():
        if rows is not None:
            found = fidelity.by_class(rows.model, rows.tree, one.prior)
            table[f"{name}"] = [f"{of.n_samples:,}" for of in found]
            table[f"tree agrees, {name}"] = [percent(of.agreement) if of.n_samples else "–" for of in found]
    st.markdown("**By class**")
    st.dataframe(table, hide_index=True, alt="How often the tree agrees, by what the black box says")


def _rows(one: Approximated) -> None:
    """The rows on which they differ most."""
    opened = st.expander("Rows on which they differ most", on_change="rerun", key="rows that differ")
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
        st.dataframe(
            table, hide_index=True, height=300, alt="Rows on which the black box and the tree differ most"
        )
        if words := tables.left_off(n):
            st.caption(words)
        pictures.save(lambda: _saved(one, *answered), "black-box-and-tree.csv")


def answers(one: Approximated, rows: AnsweredRows) -> pd.DataFrame:
    """What both say of rows, and how far apart they are."""
    apart = np.abs(rows.model - rows.tree).sum(axis=1)
    if one.dataset.is_classification:
        names = np.array(one.dataset.classes, dtype=object)
        said = {"model": names[winners(rows.model, one.prior)], "tree": names[winners(rows.tree)]}
        return pd.DataFrame(said | {"gap": [float(number(v)) for v in (apart / 2).tolist()]})
    return pd.DataFrame({"model": rows.model[:, 0], "tree": rows.tree[:, 0], "difference": apart})


def _saved(one: Approximated, numbers: np.ndarray, rows: AnsweredRows) -> str:
    table = answers(one, rows)
    table.insert(0, "row", np.asarray(numbers) + 1)
    table.insert(1, "held out", one.held[numbers])
    return to_csv(table)
