"""The rows held out, as if they were new: half of them are scored, and the other half judges the model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data.columns.new_rows import ColumnSources, NewRows
from espalier.data.dataset import Dataset
from espalier.data.moments import CLOCK, DURATION
from espalier.data.rows.parts import strata_of
from espalier.data.rows.roles import RowLabels
from espalier.display.spreadsheet import to_csv
from espalier.display.tables import named
from espalier.language import english, say
from espalier.new_rows.answers import TableModel

FEWEST = 4  # rows held out, of which half can judge and half be scored
MOST_IN_EXAMPLE = 10  # rows of the example file
WRITTEN_IN_FULL = ("date", CLOCK, DURATION)  # parts of a moment from which its cell can be written again


def halves(model: TableModel) -> tuple[TableModel, np.ndarray]:
    """The model with every second row held out to judge it, and the other rows (indices), which are scored.

    Rows that belong together stay on one side, and later rows are scored where rows have times.
    """
    data, held = model.dataset, np.flatnonzero(model.judges)
    scored = np.zeros(len(data.y), bool)
    scored[held[_second(data, held)]] = True
    return model._replace(judges=model.judges & ~scored), np.flatnonzero(scored)


def _second(data: Dataset, held: np.ndarray) -> np.ndarray:
    """Return which of these rows (indices) are of the second half, (n,) bool."""
    roles = data.roles
    if roles.groups is not None:
        codes = roles.groups.codes[held]
        return np.unique(codes, return_inverse=True)[1] % 2 == 1
    by = strata_of(data.y[held]) if roles.times is None else -roles.times.values[held]
    order = np.argsort(by, kind="stable")
    second = np.zeros(len(held), bool)
    second[order[1::2] if roles.times is None else order[: len(order) // 2]] = True
    return second


def new_rows_of(data: Dataset, rows: np.ndarray) -> NewRows:
    """Rows of the table (indices) as new ones, under their labels, or their numbers in the table."""
    labels = data.roles.of(rows).labels or RowLabels(say("row of the table"), tuple(str(row + 1) for row in rows))
    names = tuple(feature.name for feature in data.features)
    frame = pd.DataFrame(
        {feature.name: named(feature, data.X[rows, f]) for f, feature in enumerate(data.features)}
    )
    frame[data.target.name] = named(data.target, data.y[rows].astype(float))
    X = np.asfortranarray(data.X[rows])
    sources = ColumnSources(names, data.target.name)
    return NewRows(X, np.zeros(X.shape, bool), data.y[rows].astype(float), labels, sources, frame)


def example_file(data: Dataset, rows: np.ndarray) -> str:
    """A few of these rows (indices) as CSV under the names of the table's own file, without the target."""
    rows = rows[:MOST_IN_EXAMPLE]
    columns = {}
    with english():
        if data.roles.labels is not None:
            columns[data.roles.labels.name] = [data.roles.labels.texts[row] for row in rows.tolist()]
        for f, feature in enumerate(data.features):
            if feature.moment is None:
                columns[feature.name if feature.origin is None else feature.origin.name] = named(
                    feature, data.X[rows, f]
                )
            elif feature.moment.part in WRITTEN_IN_FULL:
                columns[feature.moment.column] = named(feature, data.X[rows, f])
        return to_csv(pd.DataFrame(columns))
