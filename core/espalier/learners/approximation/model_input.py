"""Converts rows to a model's input: the columns, types and order that it was fitted to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from espalier.learners.frames import FrameColumns, quote_all

Present: TypeAlias = "Callable[[np.ndarray], Any]"  # the model's input for rows (n, n_features)
NUMBERED = re.compile(r"(Column_|f)\d+")  # names that boosting libraries give to unnamed columns


def presenting(model: Any, frame: FrameColumns | None, is_ours: bool = False) -> Present:
    """Return the function that converts rows (n, n_features) to the model's input.

    `frame` describes the columns of the DataFrame that the rows come from, None for an array; `is_ours` means that
    the model was fitted to this very DataFrame. A model with named columns gets them by name, in its order; text
    and categories are restored. Raises ValueError for missing columns.
    """
    wanted = _names_of(model)
    if frame is None:
        return _as_is if wanted is None else lambda rows: pd.DataFrame(rows, columns=wanted)
    if wanted is None:
        return _as_is if frame.is_plain and not is_ours else frame.plain
    order = _order([column.name for column in frame.columns], wanted)
    if order is None:
        return frame.plain
    return lambda rows: frame.plain(rows).iloc[:, order].set_axis(wanted, axis=1)


def in_same_terms(model: Any, frame: FrameColumns | None) -> bool:
    """Return whether a model of this project has the rows' own columns, in their order, with the same codes."""
    wanted, own = _names_of(model), getattr(model, "frame_", None)
    if frame is None:
        return not isinstance(own, FrameColumns) or own.is_plain
    if wanted is not None and _order([column.name for column in frame.columns], wanted) is not None:
        return False
    codes = own.categories if isinstance(own, FrameColumns) else [None] * len(frame.columns)
    return all(np.array_equal(_or_none(a), _or_none(b)) for a, b in zip(codes, frame.categories, strict=True))


def check_kind(model: Any, wants: str) -> None:
    """Raise ValueError for a classifier where a regressor is wanted ("regressor"), or the other way round."""
    name = type(model).__name__
    if wants == "regressor" and (kind_of(model) == "classifier" or hasattr(model, "predict_proba")):
        raise ValueError(
            f"the model {name} is a classifier: it says classes, and ApproximationRegressor stands in for "
            "numbers; take ApproximationClassifier, or give a function of rows that says the chance of one class"
        )
    if wants == "classifier" and kind_of(model) == "regressor" and not hasattr(model, "predict_proba"):
        raise ValueError(
            f"the model {name} is a regressor: it says numbers, and ApproximationClassifier stands in for "
            "classes; take ApproximationRegressor, or, where its numbers are chances of a class, give its predict"
        )


def kind_of(model: Any) -> str | None:
    """Return the model's declared kind, "classifier" or "regressor", or None."""
    try:
        return get_tags(model).estimator_type
    except (AttributeError, TypeError, ValueError):  # a function, or a model of another library
        return getattr(model, "_estimator_type", None)


def _as_is(rows: np.ndarray) -> np.ndarray:
    return rows


def _names_of(model: Any) -> list | None:
    """Return the names of the columns that the model was fitted to; None if unnamed or generated."""
    try:
        names = getattr(model, "feature_names_in_", None)
    except Exception:  # a property of a model of another library
        return None
    if names is None or all(isinstance(name, str) and NUMBERED.fullmatch(name) for name in names):
        return None
    return list(names)


def _order(names: list, wanted: list) -> list[int] | None:
    """Return the position of each column that the model wants.

    None if the order is the same. Raises ValueError.
    """
    if names == wanted:
        return None
    spaceless = [re.sub(r"\s", "_", str(name)) for name in names]  # LightGBM's form of names
    for known in (names, spaceless):
        if sorted(map(str, known)) == sorted(map(str, wanted)) and len(set(known)) == len(known):
            return [known.index(name) for name in wanted]
    lacking = [name for name in wanted if name not in names]
    besides = [name for name in names if name not in wanted]
    raise ValueError(
        f"the model was fitted to other columns than X has: X lacks {quote_all(lacking) or 'none of its columns'}"
        + (f", and has {quote_all(besides)} besides" if besides else "")
        + "; give X the columns that the model was fitted to"
    )


def _or_none(levels: np.ndarray | None) -> np.ndarray:
    return np.empty(0, object) if levels is None else levels
