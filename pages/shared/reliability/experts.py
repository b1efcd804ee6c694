"""The rows that a model would rather hand to an expert, each with its reasons; a click opens its story."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.errors import counted
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import say, to_say
from espalier.reliability import words
from espalier.reliability.words import ReliabilitySummary
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.app.links import whole
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table, picked_row
from pages.shared.models.drawer import pick
from pages.shared.reliability.models import PLACES, AnsweredModel
from pages.shared.tree import selection

MOST_LISTED = 200  # rows with their reasons on the page, and in the file
TAB, STORY = "trust-tab", to_say("One row")  # key of the session state: the open tab; that of a row's story
TABLE = "rows-for-an-expert"  # beginning of the widget's key: every list has a key of its own, and its own tick


def url_entries() -> list[Entry]:
    """The model whose rows are listed, counted from 1, and the row whose story is told."""
    return [Entry("who", 1, whole(1, len(PLACES.names)), undo=False), selection.row_entry()]


def drop_invalid(dataset: Dataset, titles: Mapping[int, str], linked: bool) -> list[str]:
    """Drop a model and a row that do not exist; notes on those that a link asked for.

    `titles` are the models by their places, counted from 1, with those that are still at work.
    """
    if titles and st.session_state["who"] not in titles:
        st.session_state["who"] = min(titles)
    notes = selection.drop_invalid_row(len(dataset.y))
    return notes if linked else []


def pick_model(titles: Mapping[int, str], models: Sequence[AnsweredModel]) -> AnsweredModel | None:
    """The chosen model, None while it is at work; draws the choice."""
    if len(titles) > 1:
        help_of = {"who": (say("Whose rows"), say("The model whose doubts are listed, and whose story is told."))}
        pick(
            help_of, "who", st.segmented_control, options=list(titles), format_func=titles.get, required=True
        )  # fmt: skip
    model = listed_model(models)
    if model is None:
        st.info(say("{title} is still at work.", title=titles.get(st.session_state["who"], say("The model"))))
    return model


def listed_model(models: Sequence[AnsweredModel]) -> AnsweredModel | None:
    """The model whose rows are listed; None while it is at work."""
    return next((one for one in models if one.trial.slot + 1 == st.session_state["who"]), None)


def draw(dataset: Dataset, one: AnsweredModel, summaries: Sequence[ReliabilitySummary]) -> None:
    """Draw the list of one model's rows."""
    table, caption = first(one, summaries, MOST_LISTED)
    if not len(table):
        st.info(caption)
        return
    digest = hashlib.blake2b(table[words.ROW].to_numpy().tobytes(), digest_size=8).hexdigest()
    _draw_table(table, f"{TABLE}-{one.key}-{digest}")
    st.caption(f"{caption} {say('Tick one to read its story.')}")
    name = f"{pictures.file_name(dataset.name)}-{TABLE}.csv"
    pictures.save(lambda: to_csv(words.experts_file(first(one, summaries, MOST_LISTED)[0], dataset)), name)


def first(one: AnsweredModel, summaries: Sequence[ReliabilitySummary], most: int) -> tuple[pd.DataFrame, str]:
    """The first rows of the list, in the language of the page, and a sentence on how many there are."""
    point = next(summary.point for summary in summaries if summary.slot == one.trial.slot)
    places = words.for_experts(one.answers, point.handed_over)
    if not len(places):
        return pd.DataFrame(), say("At this goal the model answers every row.")
    text = say("{rows}, the most doubted first.", rows=counted(len(places), "row"))
    if len(places) > most:
        text = say("The {most} most doubted of {n} rows.", most=count(most), n=count(len(places)))
    return _listed(one.key, places[:MOST_LISTED].tobytes(), one).head(most), text


@of_table(max_entries=16)
def _listed(key: str, places: bytes, _one: AnsweredModel) -> pd.DataFrame:
    return words.experts_table(_one.fold_models, _one.answers, np.frombuffer(places, np.int64), _one.by)


def _draw_table(table: pd.DataFrame, key: str) -> None:
    most = max(float(np.max(table[words.DOUBT].to_numpy())), 1e-9)
    is_number = table[words.WOULD_SAY].dtype.kind == "f"
    answer = partial(st.column_config.NumberColumn, format="%.4g") if is_number else st.column_config.Column
    columns = {
        words.ROW: st.column_config.NumberColumn(say(words.ROW), width=50),
        words.DOUBT: st.column_config.ProgressColumn(
            say(words.DOUBT), format="%.3g", min_value=0.0, max_value=most, width=90
        ),
        words.WOULD_SAY: answer(say(words.WOULD_SAY), width=85),
        words.TRUTH: answer(say(words.TRUTH), width=85),
        words.RIGHT: st.column_config.CheckboxColumn(say(words.IS_RIGHT), width=64),
        words.OFF_BY: st.column_config.NumberColumn(say(words.OFF_BY), format="%.3g", width=70),
        words.WHY: st.column_config.TextColumn(say(words.WHY), width=560),
    }
    data_table(
        table, hide_index=True, height=min(38 + 35 * len(table), 330), column_config=columns, key=key,
        on_select=callback(lambda: open_story(table, key)), selection_mode="single-row",
        alt=say("Rows that the model would hand to an expert, with reasons"),
    )  # fmt: skip


def open_story(table: pd.DataFrame, key: str) -> None:
    """Choose the row that was ticked, and open its story (a callback)."""
    number = picked_row(table, key, words.ROW)
    if number is not None:
        st.session_state[TAB] = STORY
        selection.choose_row(number - 1)
