"""What trees as good say together: the rows whose class is not settled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier import optimal as optimal_words
from espalier.display.boundaries.plane import ringed
from espalier.display.boundaries.raster import raster
from espalier.display.tables import labels_of
from espalier.display.theme import count, percent
from espalier.language import say
from espalier.learners.optimal.rashomon.summaries import OpenClasses, least_objectives
from pages.shared.app.frame import callback
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.surface import surface_canvas
from pages.shared.tree import explorer, results
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree

MOST_ROWS = 200  # of the table of rows that are open
HEIGHT = 360  # pixels of the surface


def section(grown: GrownTree, others: AsGood) -> None:
    """Draw which rows are settled; nothing for a lone tree."""
    if others.trees.n_trees == 1:
        return
    st.markdown(say("#### What these trees say together"))
    _rows(grown, others, others.open)


def _key(grown: GrownTree) -> str:
    return f"{grown.key} together {st.session_state['slack']}"


def _rows(grown: GrownTree, others: AsGood, found: OpenClasses) -> None:
    rows, n_open = _training_rows(grown), int(found.is_open.sum())
    said = say(
        "**{n} of {n_rows} training rows ({share}) are not settled**: some of these trees give them another "
        "class.",
        n=count(n_open),
        n_rows=count(len(rows)),
        share=percent(found.ambiguity),
    )
    if not n_open:
        st.markdown(say("Every training row gets the same class from all of them."))
        return
    st.markdown(
        f"{said} "
        + say(
            "One tree alone answers at most {n} of them otherwise than the optimal one. *Terms:* ambiguity, "
            "discrepancy (Marx, Calmon & Ustun 2020).",
            n=count(found.discrepancy),
        )
    )
    drawer = st.expander(say("The rows whose class is not settled"), key="open rows", on_change="rerun")
    if drawer.open:
        with drawer:
            _table(grown, others, found, rows)
            _surface(grown, others, rows[found.is_open])


def _training_rows(grown: GrownTree) -> np.ndarray:
    """The numbers of the rows that the trees were grown on."""
    rows = np.flatnonzero(~grown.held)
    weight = grown.dataset.weights_of(~grown.held)
    return rows if weight is None else rows[weight > 0]


def _table(grown: GrownTree, others: AsGood, found: OpenClasses, rows: np.ndarray) -> None:
    """Draw the rows that are open, with the errors from which on each class is possible."""
    data, counted = grown.dataset, results.prices(grown).are_equal
    at = np.flatnonzero(found.is_open)[:MOST_ROWS]
    truth = [data.classes[int(y)] for y in data.y[rows[at]]]
    columns: dict[str, object] = {say("row"): rows[at] + 1, **labels_of(data, rows[at]), say("in truth"): truth}
    for label, code in enumerate(others.present.tolist()):
        least = found.objective[at, label]
        columns[say("{name}, from", name=data.classes[int(code)])] = [
            optimal_words.amount(float(one), counted) if np.isfinite(one) else "–" for one in least
        ]
    data_table(
        pd.DataFrame(columns),
        hide_index=True,
        height=min(38 + 35 * len(at), 300),
        alt=say("The rows whose class is not settled"),
    )
    if len(at) < int(found.is_open.sum()):
        st.caption(say("The first {n} rows.", n=count(len(at))))


def _surface(grown: GrownTree, others: AsGood, rows: np.ndarray) -> None:
    """Draw where on the plane the trees agree, with the rows that are open ringed."""
    axes, marked = explorer.plane_of(grown), np.isin(np.arange(len(grown.dataset.y)), rows)
    held = explorer.one_case(grown)
    st.markdown(say("**Where these trees agree**"))
    drawn = ringed(
        _region(_key(grown), axes, held.tobytes(), grown, others, held), marked, say("the class is not settled")
    )
    surface_canvas(
        drawn, key="open-rows-surface", tree=None, channel=explorer.CHANNEL, show="probability",
        on_pick=callback(lambda spot: explorer.pick(grown, axes, spot) if spot else None), height=HEIGHT,
    )  # fmt: skip
    st.caption(
        say(
            "Full colours: all of them give this class. Grey and mixed colours: some give one "
            "class, some another; all of them are asked. Other columns are held at typical "
            "values, or at those of the selected row."
        )
    )


@of_table(max_entries=16)
def _region(
    key: str, axes: tuple[int, ...], held: bytes, _grown: GrownTree, _others: AsGood, _held: np.ndarray
) -> dict[str, Any]:
    def shares(X: np.ndarray) -> tuple[np.ndarray, None]:
        possible = np.zeros((len(X), _others.n_classes))
        possible[:, _others.present] = np.isfinite(least_objectives(_others.trees, X))
        return possible / possible.sum(axis=1, keepdims=True), None

    return raster(shares, _grown.dataset, axes, _held, _grown.held)
