"""Rows on which the two forests disagree, as a table and on both surfaces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.errors import counted
from espalier.display.boundaries.plane import in_words
from espalier.display.tables import labels_of, named, to_csv
from espalier.display.theme import count, number, percent
from espalier.language import Texts, say, to_say
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback
from pages.shared.canvas.data_table import data_table
from pages.shared.forests import plane as forests_plane
from pages.shared.forests import results, sample, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

WHERE_APART = Texts({True: "the forests disagree", False: "the forests are farthest apart"})
FAIRLY = to_say(
    "Rows that a forest grew on are judged by those of its trees that did not draw them, where there are any."
)

MOST_LISTED = 500
NUMBERS_LISTED = 50  # of numbers, which hardly ever agree: the rows where they are farthest apart
CANVASES = [f"differences-surface-{side}" for side in SIDES]


def draw(pair: list[GrownForest]) -> None:
    """The rows as a table to choose from, and ringed on both surfaces."""
    data, rows = pair[0].dataset, rows_of(pair)
    st.markdown(_summary(pair, rows))
    plane = forests_plane.axes(pair[0])
    if len(rows):
        table = table_of(pair, rows)
        _table(table, rows, " ".join(one.key for one in pair))
        pictures.save(lambda: to_csv(table), "where-forests-disagree.csv")
    forests_plane.pick_others()
    forests_plane.line(pair[0], plane, _row_words(pair), CANVASES)
    rings = np.zeros(len(data.y), bool)
    rings[rows] = True
    for column, side, one, key in zip(st.columns(2, gap="medium"), SIDES, pair, CANVASES, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            forests_plane.surface(one, plane, (rings, WHERE_APART[data.is_classification]), key)


def _row_words(pair: list[GrownForest]) -> list[str]:
    """The chosen row with both forests' answers; every other part is bold."""
    row = chosen_row.chosen()
    if row is None:
        return [say("No row is chosen"), say(": tick a row, or click one on a surface.")]
    parts, target = list(forests_plane.row_words(pair[0])), pair[0].dataset.target
    for side, answers in zip(SIDES, answers_of(pair), strict=True):
        parts += [say("; {side} says ", side=title(side)), in_words(target, float(answers[row]))]
    return parts


def answers_of(pair: list[GrownForest]) -> list[np.ndarray]:
    """(n_samples,) for each forest: its class numbers, or its numbers."""
    return [results.predicted(one, results.fair(one).value) for one in pair]


def rows_of(pair: list[GrownForest]) -> np.ndarray:
    """Rows on which the forests disagree, the surest first; of numbers, the farthest apart first."""
    first, second = answers_of(pair)
    if not pair[0].dataset.is_classification:
        apart = np.abs(first - second)
        order = np.argsort(-apart, kind="stable")[:NUMBERS_LISTED]
        return order[apart[order] > 0]
    rows = np.flatnonzero(first != second)
    answers = zip(pair, (first, second), strict=True)
    sure = [results.fair(one).value[rows, answer[rows]] for one, answer in answers]
    return rows[np.argsort(-np.minimum(*sure), kind="stable")]


def table_of(pair: list[GrownForest], rows: np.ndarray) -> pd.DataFrame:
    """The rows with the truth, and the answers of both forests."""
    data = pair[0].dataset
    columns = {
        say("row"): rows + 1,
        **labels_of(data, rows),
        say("held out"): next((one for one in pair if not one.is_own), pair[0]).held[rows],
        say("truth"): named(data.target, data.y[rows].astype(float)),
    }
    answers = answers_of(pair)
    for side, one, answer in zip(SIDES, pair, answers, strict=True):
        columns[say("{side} says", side=title(side))] = named(data.target, answer[rows].astype(float))
        if data.is_classification:
            columns[_shares_heading(title(side))] = np.round(results.fair(one).value[rows, answer[rows]], 3)
    if not data.is_classification:
        columns[say("apart")] = np.abs(answers[0][rows] - answers[1][rows])
    return pd.DataFrame(columns)


def _table(table: pd.DataFrame, rows: np.ndarray, digest: str) -> None:
    floats = [str(name) for name in table if table[name].dtype == float]
    shares = [_shares_heading(title(side)) for side in SIDES]
    formats = {name: "percent" if name in shares else "%.4g" for name in floats}
    columns = {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}
    key = f"forests-differ-{digest}"
    data_table(
        table.head(MOST_LISTED), hide_index=True, height=min(38 + 35 * len(table), 250),
        column_config=columns, key=key, on_select=callback(lambda: _pick(rows, key)), selection_mode="single-row",
        alt=say("Rows of which the two forests say different things"),
    )  # fmt: skip


def _pick(rows: np.ndarray, key: str) -> None:
    ticked = st.session_state[key].selection.rows
    chosen_row.choose(int(rows[ticked[0]]) if ticked and ticked[0] < len(rows) else None)


def _summary(pair: list[GrownForest], rows: np.ndarray) -> str:
    data, n, answers = pair[0].dataset, len(pair[0].dataset.y), answers_of(pair)
    if not data.is_classification:
        first, second = answers
        return say(
            "The two forests' numbers are **{mean}** apart on average, and have the correlation **{together}**. "
            "Below, the rows where they are farthest apart. {FAIRLY}",
            mean=number(float(np.abs(first - second).mean())),
            together=number(float(np.corrcoef(first, second)[0, 1])),
            FAIRLY=say(FAIRLY),
        )
    if not len(rows):
        return say(
            "The two forests say the same of every one of the {n_rows} rows. {FAIRLY}",
            n_rows=count(n),
            FAIRLY=say(FAIRLY),
        )
    right = [int((answer[rows] == data.y[rows]).sum()) for answer in answers]
    both_wrong = int(np.all([sample.wrong(one) for one in pair], axis=0).sum())
    values = {"n": counted(len(rows), "row"), "n_rows": n, "n_2": percent(len(rows) / n)}
    both = say(
        "Both are wrong on {both_wrong}. {FAIRLY}", both_wrong=counted(both_wrong, "row"), FAIRLY=say(FAIRLY)
    )
    return say("They disagree on **{n}** of {n_rows} ({n_2}): ", **values) + say(
        "of these A is right on {first} and B on {second}. {both}", first=right[0], second=right[1], both=both
    )


def _shares_heading(side: str) -> str:
    """Heading of the shares that a forest gives its answers."""
    return say("{side}'s share", side=side)
