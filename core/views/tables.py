"""Rows of a data set as a person knows them, for tables on a page and in files."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.data.dataset import Dataset, Feature


def listed(
    data: Dataset, rows: np.ndarray, held: np.ndarray | None = None, fraction: np.ndarray | None = None
) -> pd.DataFrame:
    """Table of these rows (indices): their number from 1, whether held out, the target, and every feature.

    Codes are turned into the names of their categories. `held` is (n_samples,) bool, and `fraction` (n,) what part
    of each of these rows is meant; None leaves them out.
    """
    columns = {"row": rows + 1} | ({} if fraction is None else {"fraction": fraction})
    columns |= {} if held is None else {"held out": held[rows]}
    columns[f"target: {data.target.name}"] = named(data.target, data.y[rows].astype(float))
    for f, feature in enumerate(data.features):
        name = feature.name if feature.name not in columns else f"{feature.name} (feature {f + 1})"
        columns[name] = named(feature, data.X[rows, f])
    return pd.DataFrame(columns)


def named(feature: Feature, x: np.ndarray) -> np.ndarray:
    """Values (n,) with codes turned into names; a missing category is an empty text."""
    if not feature.categories:
        return x
    names = np.array([*feature.categories, ""], dtype=object)
    return names[np.where(np.isnan(x), len(feature.categories), x).astype(int)]
