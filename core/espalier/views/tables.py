"""Rows of a data set with the names of their categories, for tables on a page and in files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.views.text.moments import written

MOST_FEATURES = 100  # of a table on a page: a browser takes seconds over thousands of columns


def on_page(n_features: int, first: Sequence[int] = ()) -> list[int]:
    """Return the features that a table on a page shows: all, or if they are too many, `first` and then others."""
    if n_features <= MOST_FEATURES:
        return list(range(n_features))
    return list(dict.fromkeys([*first, *range(MOST_FEATURES)]))[:MOST_FEATURES]


def left_off(n_features: int, order: str = "the first of the table") -> str:
    """Return the note below a table of the features `on_page` on those left off; empty if there are none."""
    if n_features <= MOST_FEATURES:
        return ""
    return f"Of {n_features:,} columns {MOST_FEATURES} are shown, {order}."


def listed(
    data: Dataset,
    rows: np.ndarray,
    held: np.ndarray | None = None,
    fraction: np.ndarray | None = None,
    features: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Return the table of these rows (indices): number, label, held out or not, target, weight, features.

    Codes are turned into the names of their categories; `features` are their numbers (None: all). `held` is
    (n_samples,) bool, and `fraction` (n,) the part of each of these rows that counts; None leaves out the column.
    """
    columns = {"row": rows + 1} | labels_of(data, rows) | ({} if fraction is None else {"fraction": fraction})
    columns |= {} if held is None else {"held out": held[rows]}
    columns[f"target: {data.target.name}"] = named(data.target, data.y[rows].astype(float))
    if data.row_weights is not None:
        columns[f"weight: {data.row_weights.name}"] = data.row_weights.values[rows]
    for f in range(len(data.features)) if features is None else features:
        feature = data.features[f]
        name = feature.name if feature.name not in columns else f"{feature.name} (column {f + 1})"
        columns[name] = named(feature, data.X[rows, f])
    return pd.DataFrame(columns)


def labels_of(data: Dataset, rows: np.ndarray | slice = slice(None)) -> dict[str, np.ndarray]:
    """Return a column of the labels of these rows under its heading; none without labels."""
    labels = data.roles.labels
    return {} if labels is None else {f"label: {labels.name}": np.array(labels.texts, dtype=object)[rows]}


def named(feature: Feature, x: np.ndarray) -> np.ndarray:
    """Return values (n,) with codes turned into names, and dates and times in words; missing ones are empty."""
    if feature.moment is not None and not feature.categories:
        return np.array(["" if np.isnan(value) else written(feature, value) for value in x.tolist()], dtype=object)
    if not feature.categories:
        return x
    names = np.array([*feature.categories, ""], dtype=object)
    return names[np.where(np.isnan(x), len(feature.categories), x).astype(int)]
