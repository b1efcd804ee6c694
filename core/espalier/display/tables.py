"""Tables of rows with the names of their categories, and tables as CSV that is safe in spreadsheet programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.values import value_text
from espalier.display.theme import count
from espalier.language import say
from espalier.predict import are_tied

MOST_FEATURES = 100  # of a table on a page: a browser takes seconds over thousands of columns


def on_page(n_features: int, first: Sequence[int] = ()) -> list[int]:
    """Return the features that a table on a page shows: all, or if they are too many, `first` and then others."""
    if n_features <= MOST_FEATURES:
        return list(range(n_features))
    return list(dict.fromkeys([*first, *range(MOST_FEATURES)]))[:MOST_FEATURES]


def left_off(n_features: int, order: str = "") -> str:
    """Return the note below a table of the features `on_page` on those left off; empty if there are none.

    `order` says which are shown, in the language spoken; without it, they are the first of the table.
    """
    if n_features <= MOST_FEATURES:
        return ""
    values = {"n": count(n_features), "shown": MOST_FEATURES, "which": order or say("the first of the table")}
    return say("Of {n} columns {shown} are shown, {which}.", **values)


def listed(
    data: Dataset,
    rows: np.ndarray,
    held: np.ndarray | None = None,
    fraction: np.ndarray | None = None,
    features: Sequence[int] | None = None,
    outputs: np.ndarray | None = None,
) -> pd.DataFrame:
    """Return the table of these rows (indices): number, label, held out or not, target, weight, features.

    Codes are turned into the names of their categories; `features` are their numbers (None: all). `held` is
    (n_samples,) bool, `fraction` (n,) the part of each of these rows that counts, and `outputs` (n, n_outputs)
    what a model says of them: its class, or its mean. None leaves out the column.
    """
    columns = (
        {say("row"): rows + 1} | labels_of(data, rows) | ({} if fraction is None else {say("fraction"): fraction})
    )
    columns |= {} if held is None else {say("held out"): held[rows]}
    columns[target_heading(data)] = named(data.target, data.y[rows].astype(float))
    if outputs is not None:
        leader = outputs.argmax(axis=1) if data.is_classification else outputs[:, 0]
        columns[say("predicted")] = named(data.target, leader.astype(float))
        if data.is_classification:
            columns[say("predicted")][are_tied(outputs)] = say("tie")
    if data.row_weights is not None:
        columns[say("weight: {name}", name=data.row_weights.name)] = data.row_weights.values[rows]
    for f in range(len(data.features)) if features is None else features:
        feature = data.features[f]
        is_new = feature.name not in columns
        name = feature.name if is_new else say("{name} (column {n})", name=feature.name, n=f + 1)
        columns[name] = named(feature, data.X[rows, f])
    return pd.DataFrame(columns)


def target_heading(data: Dataset) -> str:
    """Return the heading of the target's column in such a table."""
    return say("target: {name}", name=data.target.name)


def labels_of(data: Dataset, rows: np.ndarray | slice = slice(None)) -> dict[str, np.ndarray]:
    """Return a column of the labels of these rows under its heading; none without labels."""
    labels = data.roles.labels
    if labels is None:
        return {}
    return {say("label: {name}", name=labels.name): np.array(labels.texts, dtype=object)[rows]}


def named(feature: Feature, x: np.ndarray) -> np.ndarray:
    """Return values (n,) with codes turned into names, and dates and times in words; missing ones are empty."""
    if feature.moment is not None and not feature.categories:
        return np.array(
            ["" if np.isnan(value) else value_text(feature, value) for value in x.tolist()], dtype=object
        )
    if not feature.categories:
        return x
    names = np.array([*feature.categories, ""], dtype=object)
    return names[np.where(np.isnan(x), len(feature.categories), x).astype(int)]


# CSV -------------------------------------------------------------------------------------------------

# Characters that spreadsheets take for the beginning of a formula or a command (OWASP, "CSV Injection"), also
# after a mark at which a program may split cells, and in full width.
SIGNS = "[ \"']*[=+\\-@\uff1d\uff0b\uff0d\uff20]"
START = re.compile(rf"[\t\n]|{SIGNS}")
INSIDE = re.compile(rf"([\t\n;])(?={SIGNS})")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def to_csv(table: pd.DataFrame, has_header: bool = True) -> str:
    """Return CSV of the table without its index; a text that would be a formula gets an apostrophe before it.

    These are texts that begin with ``= + - @``, a tab or a line break, or have ``= + - @`` after a tab, a line
    break or a semicolon; the names of columns are treated likewise. Numbers, and texts that are numbers, stay as
    they are. Without `has_header` the names are left out, for the later parts of a table that is written in parts.

    >>> to_csv(pd.DataFrame({"x": ["=1+1", "-1", "plain"]}))
    "x\\n'=1+1\\n-1\\nplain\\n"
    """
    columns = {i: _harmless_column(table.iloc[:, i]) for i in range(table.shape[1])}
    names = [_harmless(str(name)) for name in table.columns] if has_header else False
    return pd.DataFrame(columns, index=table.index).to_csv(index=False, header=names, lineterminator="\n")


def _harmless_column(values: Any) -> Any:
    return values if pd.api.types.is_numeric_dtype(values) else values.astype(object).map(_harmless)


def _harmless(value: Any) -> Any:
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    one_kind = re.sub("\r\n?", "\n", value)  # of line breaks: a lone carriage return would not be quoted
    inside = INSIDE.sub(r"\1'", one_kind)
    return f"'{inside}" if START.match(inside) else inside
