"""Why new rows are for an expert, and the columns that matter most to their answers, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import listed, quoted
from espalier.display.tables import named
from espalier.display.text.trees import join
from espalier.display.text.values import behind, parted
from espalier.display.theme import number
from espalier.language import say
from espalier.new_rows.scoring import ScoredRowSet

MOST_NAMED = 3  # columns in a reason


def why_expert(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> list[list[str]]:
    """Return for each of these rows (indices) the reasons to hand it over, a few words each; none for most."""
    handover = found.handover
    reasons: list[list[str]] = [[] for _ in rows]
    doubted = np.flatnonzero(handover.doubted[rows])
    _add(reasons, doubted, _of_values(found.said.doubt[rows[doubted]], lambda x: _doubted(x, handover.threshold)))
    if found.said.possible is not None:
        unsettled = np.flatnonzero(handover.unsettled[rows])
        _add(reasons, unsettled, [_as_good(dataset, one) for one in found.said.possible[rows[unsettled]]])
    for f, feature in enumerate(dataset.features):
        unknown = np.flatnonzero(handover.unknown[rows, f])
        _add(reasons, unknown, [_unknown(feature, found.rows.cell(row, f)) for row in rows[unknown].tolist()])
        outside = np.flatnonzero(handover.outside[rows, f])
        ends = float(handover.learned.low[f]), float(handover.learned.high[f])
        _add(reasons, outside, _of_values(found.rows.X[rows[outside], f], partial(_outside, feature, *ends)))
        missing = np.flatnonzero(handover.missing[rows, f])
        _add(reasons, missing, [say("{column} is missing", column=feature.name)] * len(missing))
    hanging = np.flatnonzero(handover.absent[rows].any(axis=1))
    if len(hanging):
        names = absent_columns(found, dataset)
        _add(
            reasons,
            hanging,
            [say("its answer hangs on {columns}, which the file does not have", columns=names)] * len(hanging),
        )
    return reasons


def absent_columns(found: ScoredRowSet, dataset: Dataset) -> str:
    """Return the columns that the model asks about and the file does not have; "" for none."""
    reach = found.said.reach
    return "" if reach is None else listed([quoted(dataset.features[f].name) for f in reach.features], MOST_NAMED)


def matters_most(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> list[list[str]]:
    """Return for each of these rows (indices) the columns that matter most, with value and what it adds."""
    if found.leading is None:
        return [[] for _ in rows]
    feature, added = found.leading.feature[rows], found.leading.added[rows]
    texts = np.full(feature.shape, "", dtype=object)
    for f in np.unique(feature[feature >= 0]).tolist():
        at = np.nonzero(feature == f)
        values = _values(found.rows, dataset.features[f], rows[at[0]], f)
        signs = _of_values(added[at], signed)
        name, _ = parted(dataset.features[f])
        texts[at] = [f"{name} {value} ({sign})" for value, sign in zip(values, signs, strict=True)]
    return [[text for text in line if text] for line in texts.tolist()]


def signed(x: float) -> str:
    """Return a number with its sign, also where that is a plus.

    >>> signed(0.5), signed(-2)
    ('+0.5', '−2')
    """
    return f"{'−' if x < 0 else '+'}{number(abs(x), 2)}"


def _add(reasons: list[list[str]], places: np.ndarray, texts: Iterable[str]) -> None:
    for place, text in zip(places.tolist(), texts, strict=True):
        reasons[place].append(text)


def _of_values(x: np.ndarray, text_of: Callable[[float], str]) -> list[str]:
    """Return a text for each number; of equal ones it is written once, since many rows share a value."""
    values, place = np.unique(x, return_inverse=True)
    texts = [text_of(value) for value in values.tolist()]
    return [texts[i] for i in place.ravel().tolist()]


def _values(rows: NewRows, feature: Feature, places: np.ndarray, column: int) -> list[str]:
    """Return the values of rows (indices) as the model reads them; where it knows none, what the file has."""
    x = rows.X[places, column]
    texts = _of_values(x, lambda value: say("missing") if math.isnan(value) else _written(feature, value))
    for i in np.flatnonzero(rows.unknown[places, column]).tolist():
        texts[i] = quoted(rows.cell(int(places[i]), column))
    return texts


def _written(feature: Feature, x: float) -> str:
    value = named(feature, np.array([x]))[0]
    return value if isinstance(value, str) else number(float(value), 4) + behind(parted(feature)[1])


def _doubted(doubt: float, threshold: float) -> str:
    if math.isinf(threshold):
        return say("the goal leaves every row to an expert")
    return say("its doubt {doubt} is above {threshold}", doubt=number(doubt), threshold=number(threshold))


def _as_good(dataset: Dataset, possible: np.ndarray) -> str:
    classes = [name for name, is_in in zip(dataset.classes, possible.tolist(), strict=True) if is_in]
    return say("trees as good say {classes}", classes=join(classes, "or"))


def _unknown(feature: Feature, text: str) -> str:
    if feature.categories:
        return say("{column} has no category {value}", column=feature.name, value=quoted(text))
    return say("{column} is no number: {value}", column=feature.name, value=quoted(text))


def _outside(feature: Feature, low: float, high: float, x: float) -> str:
    known = {"column": parted(feature)[0], "value": _written(feature, x)}
    if x < low:
        return say(
            "{column} {value} is below every value it learned from ({least})",
            least=_written(feature, low),
            **known,
        )
    return say(
        "{column} {value} is above every value it learned from ({most})", most=_written(feature, high), **known
    )
