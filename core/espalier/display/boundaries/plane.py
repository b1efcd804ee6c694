"""The plane of a decision surface: its axes, the fixed values of other features, and the samples on top."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.scales import all_rounded, round_digits
from espalier.display.text.values import behind, on_axis, split_unit, value_text
from espalier.inert import inert, legible
from espalier.language import say
from espalier.settings import MAX_POINTS

PAD = 0.04  # of the data's range, at either end of an axis
Interval = tuple[float, float]
Judge = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # X -> the leaf and the prediction of each row


def check_axes(dataset: Dataset, axes: Sequence[int]) -> None:
    """Raise ValueError if the axes are not one or two different features of the data."""
    if not 1 <= len(axes) <= 2 or len(set(axes)) != len(axes):
        raise ValueError(f"a surface has one or two different features, not {list(axes)}")
    if not all(0 <= a < len(dataset.features) for a in axes):
        raise ValueError(f"axes {list(axes)} name a feature that the data do not have")


def typical(dataset: Dataset) -> np.ndarray:
    """Return median of numbers and ordered categories, else the most frequent code, (n_features,) float64."""
    values = np.full(len(dataset.features), np.nan)
    for f, feature in enumerate(dataset.features):
        x = dataset.X[:, f]
        x = x[np.isfinite(x)]
        if not len(x):
            continue
        if feature.kind in ("category", "yes/no"):
            values[f] = np.bincount(x.astype(int)).argmax()
        elif feature.kind == "ordered":
            values[f] = np.sort(x)[(len(x) - 1) // 2]  # the lower median, which is an existing level
        else:
            values[f] = _median(x)
    return values


def _median(x: np.ndarray) -> float:
    """Return the median. NumPy's own takes ten times as long for short columns, and tables may have thousands."""
    middle = [(len(x) - 1) // 2, len(x) // 2]
    low, high = np.partition(x, middle)[middle]
    return float((low + high) / 2)


def ends_of(feature: Feature, x: np.ndarray) -> Interval:
    """Return both ends of an axis: half a step around categories, else the data's range, padded."""
    if feature.categories:
        return -0.5, len(feature.categories) - 0.5
    finite = x[np.isfinite(x)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    pad = PAD * (high - low) or max(abs(low), 1.0) / 2
    return low - pad, high + pad


def axis_card(dataset: Dataset, f: int, ends: Interval) -> dict[str, Any]:
    """Return the JSON of an axis, as `espalier.display.boundaries.surface` describes it."""
    feature, x = dataset.features[f], dataset.X[:, f]
    axis: dict[str, Any] = {"feature": int(f), "name": inert(feature.name)}
    axis |= {"meaning": legible(feature.meaning)} if feature.meaning else {}
    low, high = all_rounded(np.array(ends))
    axis |= {"low": low, "high": high, "missing": int(np.isnan(x).sum())}
    names = [inert(name) for name in feature.categories]
    return axis | ({"names": names} if names else on_axis(feature))


def held_words(dataset: Dataset, features: Iterable[int], held: np.ndarray) -> list[list[str]]:
    """Return the names and fixed values of the features that matter but are not on the surface's axes."""
    return [[inert(dataset.features[f].name), in_words(dataset.features[f], float(held[f]))] for f in features]


def in_words(feature: Feature, value: float, digits: int = 3) -> str:
    """Return a feature's value as a person writes it, numbers with so many significant digits."""
    if np.isnan(value):
        return say("missing")
    if feature.categories and 0 <= value < len(feature.categories):
        return inert(feature.categories[int(value)])
    return value_text(feature, value, digits)


def in_unit(feature: Feature, value: float, digits: int = 4) -> str:
    """Return a feature's value as `in_words`, with its unit behind: "1.75 cm"."""
    return in_words(feature, value, digits) + ("" if np.isnan(value) else behind(split_unit(feature)[1]))


def named_value(feature: Feature, value: float, digits: int = 4) -> str:
    """Return a feature with its value, in its unit: "petal width 1.75 cm", "colour red"."""
    name, unit = split_unit(feature)
    return f"{name if unit else inert(feature.name)} {in_unit(feature, value, digits)}"


def points(dataset: Dataset, axes: Sequence[int], judge: Judge, out: np.ndarray | None = None) -> dict[str, Any]:
    """Return the JSON of the samples drawn, as `espalier.display.boundaries.surface` describes it.

    `judge` is called with the rows of `drawn_rows`; `out` (n_samples,) bool are the held-out rows.
    """
    rows = drawn_rows(len(dataset.y))
    X, y = dataset.X[rows], dataset.y[rows]
    card: dict[str, Any] = {"row": rows.tolist(), "x": _values(X[:, axes[0]])}
    if (labels := dataset.roles.labels) is not None:
        card["label"] = [inert(name) for name in labels.called(rows.tolist())]
    card["y"] = _values(X[:, axes[1]]) if len(axes) == 2 else None
    leaf, says = judge(X)
    card["leaf"] = leaf.tolist()
    card["target"] = y.tolist() if dataset.is_classification else _values(y)
    if dataset.is_classification:
        card["wrong"] = (says.argmax(axis=1) != y).astype(int).tolist()
    card["out"] = ([0] * len(rows)) if out is None else out[rows].astype(int).tolist()
    return {"points": card, "left_out": len(dataset.y) - len(rows)}


def ringed(surface: dict[str, Any], rows: np.ndarray, why: str) -> dict[str, Any]:
    """Return the surface with rings around these rows, (n_samples,) bool, instead of errors.

    `why` gives the reason.
    """
    flags = rows[surface["points"]["row"]].astype(int).tolist()
    return surface | {"points": surface["points"] | {"ringed": flags, "why": why}}


def mark(dataset: Dataset, axes: Sequence[int], row: int) -> dict[str, Any]:
    """Return the place of a sample on the surface of `axes`, and its name if it has a label, for the browser."""
    x = [_values(dataset.X[:, axis], [row])[0] for axis in axes]
    spot = {"row": int(row), "x": x[0], "y": x[1] if len(axes) == 2 else None}
    spot |= {} if dataset.roles.labels is None else {"name": inert(dataset.roles.name_of(row))}
    return spot | {"target": _values(np.asarray(dataset.y, dtype=float), [row])[0]}


def drawn_rows(n: int) -> np.ndarray:
    """Return the rows drawn as points, ascending: all, or MAX_POINTS of them, always the same ones."""
    if n <= MAX_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_POINTS, replace=False))


def _values(x: np.ndarray, rows: Sequence[int] | None = None) -> list[float | None]:
    """Return the values of a column, of all or some of its `rows`, rounded by the range of all; None: missing."""
    finite = x[np.isfinite(x)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    each = x if rows is None else x[list(rows)]
    return [round_digits(v, span) if np.isfinite(v) else None for v in each.tolist()]
