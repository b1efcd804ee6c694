"""The stable ones of the trees as good: each tree's errors, size and distance from trees of redrawn rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.analysis.stability.front import REDRAWS, Redraws, StablePoint, front, stable_points
from espalier.analysis.stability.path_distance import ranges_of
from espalier.language import say
from espalier.learners.optimal.as_good.building import text_of
from espalier.views.optimal.front import front_alt, front_figure, front_table, point_words
from espalier.views.theme import number
from pages.shared.app.frame import callback, is_dark
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import fits, results
from pages.shared.tree.as_good.building import OWN, RECORD
from pages.shared.tree.fits import AsGood
from pages.shared.tree.node_data import PLAIN
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import as_good as words

FIGURE, TABLE = "stable-figure", "stable-table"  # beginnings of keys


class StableTrees(NamedTuple):
    """Trees as good with their distances, the least first, and those of them that no other one beats."""

    points: tuple[StablePoint, ...]
    kept: tuple[StablePoint, ...]
    of_cart: float  # mean distance of one redrawn CART tree of this depth from another


def section(key: str, grown: GrownTree, others: AsGood) -> None:
    """The drawer of stable trees: nothing is grown before it is opened."""
    drawer = st.expander(words.STABLE, key="stable tree", on_change="rerun")
    if drawer.open:
        with drawer:
            _draw(key, others, _stable(key, grown, others), results.prices(grown).are_equal)


@of_table(max_entries=8)
def _stable(key: str, _grown: GrownTree, _others: AsGood) -> StableTrees:
    fit = fits.Fit(_grown.dataset, *_grown.source)
    training = fit.estimator.prepare(fit.X, fit.y, fit.weight).of_positive_weight()
    redraws = Redraws(training, ranges_of(_grown.dataset), _grown.source.model.value("depth"))
    points = stable_points(_others.trees, redraws)
    return StableTrees(tuple(points), tuple(front(points)), redraws.own_distance)


def _draw(key: str, others: AsGood, found: StableTrees, counted: bool) -> None:
    """Draw the figure, whose points are trees, and the table of the front; a click shows the tree above."""
    stable, best = (point_words(point, counted) for point in (found.points[0], found.kept[0]))
    st.markdown(words.stable(stable, best, number(found.of_cart), REDRAWS))
    place = f"{FIGURE} {key}"
    st.plotly_chart(
        front_figure(found.points, found.kept, counted, is_dark()), theme=None, key=place, config=PLAIN,
        on_select=callback(lambda: _click(place, others, found)), selection_mode="points",
        alt=front_alt(found.points, found.kept, counted),
    )  # fmt: skip
    table, at = front_table(found.kept, counted), f"{TABLE} {key}"
    data_table(
        table, hide_index=True, height=min(38 + 35 * len(table), 250), key=at, alt=words.STABLE,
        column_config={name: say(name) for name in table.columns},
        on_select=callback(lambda: _tick(at, others, found)), selection_mode="single-row",
    )  # fmt: skip
    st.caption(words.STABLE_CAPTION)


def _click(place: str, others: AsGood, found: StableTrees) -> None:
    picked = st.session_state[place].selection.points
    if picked:
        _show(others, found.points[int(np.ravel(picked[0]["customdata"])[0])])


def _tick(place: str, others: AsGood, found: StableTrees) -> None:
    picked = st.session_state[place].selection.rows
    if picked:
        _show(others, found.kept[picked[0]])


def _show(others: AsGood, point: StablePoint) -> None:
    st.session_state[RECORD], st.session_state["tree"] = text_of(others.trees, point.tree), OWN
