"""The rows that a model would rather hand to an expert, each with its reasons; a click tells its story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.views.reliability import tables
from espalier.views.reliability.words import ReliabilitySummary
from pages.shared.app import chosen_row
from pages.shared.app.address import Entry, whole
from pages.shared.app.frame import callback
from pages.shared.app.table_results import of_table
from pages.shared.models.rail import Help, pick
from pages.shared.reliability import curves
from pages.shared.reliability.models import PLACES, AnsweredModel

MOST_LISTED = 200  # rows with their reasons on the page, and in the file
TABLE = "rows for an expert"  # key of the widget, before what is listed: what is ticked is no row of another list

HELP = {
    "who": Help("Whose rows", "The model whose doubts are listed, and whose story is told below."),
}


def url_entries() -> list[Entry]:
    """The model whose rows are listed, counted from 1, and the row whose story is told."""
    return [
        Entry("who", 1, whole(1, len(PLACES.names)), undo=False),
        chosen_row.entry(),
    ]


def drop_invalid(dataset: Dataset, titles: Mapping[int, str], linked: bool) -> list[str]:
    """Let go of a model and of a row that there are not; notes on what a link asked for.

    `titles` are the models by their places, counted from 1, those that are still at work among them.
    """
    if titles and st.session_state["who"] not in titles:
        st.session_state["who"] = min(titles)
    notes = chosen_row.drop_invalid(len(dataset.y))
    return notes if linked else []


def pick_model(titles: Mapping[int, str], models: Sequence[AnsweredModel]) -> int | None:
    """The choice of a model, and which of `models` it is; None while it is at work."""
    st.markdown("#### Rows for an expert")
    if len(titles) > 1:
        pick(HELP, "who", st.segmented_control, options=list(titles), format_func=titles.get, required=True)
    who = st.session_state["who"]
    found = [i for i, one in enumerate(models) if one.trial.slot + 1 == who]
    if not found:
        st.info(f"{titles.get(who, 'The model')} is still at work; its rows come when it is done.")
        return None
    return found[0]


def draw(dataset: Dataset, one: AnsweredModel, found: Sequence[ReliabilitySummary]) -> None:
    """The list of one model's rows; of all models in `found` the curves can be saved."""
    point = next(other.point for other in found if other.slot == one.trial.slot)
    places = tables.for_experts(one.answers, point.handed_over)
    if not len(places):
        st.info("At this goal the model answers every row: there is nothing to hand over.")
        return
    name = f"{one.key} {_digest(places)}"
    table = _listed(name, one, places[:MOST_LISTED])
    _draw_table(table, f"{TABLE} {name}")
    n = len(places)
    more = f"The {MOST_LISTED} most doubted of {n} rows" if n > MOST_LISTED else f"{n} row{'s' * (n != 1)}"
    again = ", in the first of the repeats" if one.questioned.plan.n_repeats > 1 else ""
    st.caption(
        f"{more}, the most doubted first{again}. Tick one to read its story. The truth is known here, since these "
        "are rows of the table; of new rows it would not be."
    )
    with st.container(horizontal=True):
        file = tables.experts_file(table, dataset)
        curves.save_table("Rows for an expert (.csv)", file, dataset, "rows-for-an-expert")
        curves.save(dataset, found)


@of_table(max_entries=16)
def _listed(key: str, _one: AnsweredModel, _places: np.ndarray) -> pd.DataFrame:
    return tables.experts(_one.questioned, _one.answers, _places, _one.by)


def _digest(places: np.ndarray) -> int:
    return hash(places.tobytes())


def _draw_table(table: pd.DataFrame, key: str) -> None:
    most = max(float(np.max(table["doubt"].to_numpy())), 1e-9)
    is_number = table["would say"].dtype.kind == "f"
    answer = (
        st.column_config.NumberColumn(width=85, format="%.4g") if is_number else st.column_config.Column(width=85)
    )
    columns = {
        "row": st.column_config.NumberColumn(width=50),
        "doubt": st.column_config.ProgressColumn(format="%.3g", min_value=0.0, max_value=most, width=90),
        "would say": answer,
        "in truth": answer,
        "right": st.column_config.CheckboxColumn(width=45),
        "off by": st.column_config.NumberColumn(format="%.3g", width=70),
        "why it is doubted": st.column_config.TextColumn(width=560),
    }
    st.dataframe(
        table, hide_index=True, height=min(38 + 35 * len(table), 330), column_config=columns, key=key,
        on_select=callback(lambda: _tell(table, key)), selection_mode="single-row",
        alt="Rows that the model would hand to an expert, with reasons",
    )  # fmt: skip


def _tell(table: pd.DataFrame, key: str) -> None:
    """Tell the story of the row that was ticked (a callback)."""
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(table):
        chosen_row.choose(int(table["row"].to_numpy()[picked[0]]) - 1)
