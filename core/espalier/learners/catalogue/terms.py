"""What every estimator is told, of any kind and settings: the target, the columns, memory and time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset

OPTIMAL_MB = 64  # MB per search: several may be under way


class CommonTerms(NamedTuple):
    """Arguments of every estimator, of any kind and settings."""

    is_classification: bool
    categorical: np.ndarray | None = None  # (n_features,) bool: which features are split as sets of categories
    seed: int = 0  # of a model whose settings have none
    n_jobs: int = 1
    seconds: float | None = None  # time limit of a search whose settings have none; it returns the best so far
    classes: tuple[str, ...] = ()  # names of the target's classes, for settings that name one
    codes: tuple[int, ...] = ()  # their numbers in the data, where these are not 0, 1, …
    megabytes: int = OPTIMAL_MB  # memory of a search
    columns: tuple[str, ...] = ()  # names of the features, for settings that name some
    categories: tuple[tuple[str, ...], ...] = ()  # of each of them, for settings that name some of these
    directed: int = 1  # code of the one of two classes whose share directions are about (`Feature.directed`)
    # A fitted model: a person's own, or the black box of an approximation tree; None: its settings say which one
    box: Any = None

    @classmethod
    def of(cls, dataset: Dataset, **others: Any) -> CommonTerms:
        """Return the terms for these data; `others` are fields as above."""
        own: dict[str, Any] = {
            "classes": dataset.classes,
            "columns": tuple(feature.name for feature in dataset.features),
            "categories": tuple(feature.categories for feature in dataset.features),
            "directed": dataset.target.directed,
        }
        return cls(dataset.is_classification, dataset.categorical, **(own | others))
