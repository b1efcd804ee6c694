"""What new rows are called, why one is for an expert, and the columns that matter most to its answer, in words."""

from __future__ import annotations

import math

import numpy as np

from espalier.analysis.new_rows.scoring import ScoredRowSet
from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import quoted
from espalier.language import say
from espalier.views.tables import named
from espalier.views.text.trees import join
from espalier.views.theme import number


def called(rows: NewRows, row: int) -> str:
    """Return what a row (counted from 0) is called: "customer 1543", or "row 7" where it has no label.

    >>> import pandas as pd
    >>> from espalier.data import samples
    >>> from espalier.data.columns.new_rows import new_rows
    >>> called(new_rows(pd.DataFrame({"petal length": [1.4]}), samples.load("iris")), 0)
    'row 1'
    """
    text = "" if rows.labels is None else rows.labels.texts[row]
    return f"{rows.labels.name} {text}" if rows.labels is not None and text else say("row {n}", n=row + 1)


def why_expert(found: ScoredRowSet, dataset: Dataset, row: int) -> list[str]:
    """Return the reasons to hand a row over, a few words each; empty for a row that the model answers."""
    handover = found.handover
    reasons = []
    if handover.doubted[row]:
        reasons.append(_doubted(float(found.said.doubt[row]), handover.threshold))
    if handover.unsettled[row] and found.said.possible is not None:
        classes = [name for name, is_in in zip(dataset.classes, found.said.possible[row], strict=True) if is_in]
        reasons.append(say("trees as good say {classes}", classes=join(classes, "or")))
    for f in np.flatnonzero(handover.unknown[row]).tolist():
        reasons.append(_unknown(dataset.features[f], found.rows.cell(row, f)))
    for f in np.flatnonzero(handover.outside[row]).tolist():
        reasons.append(_outside(found, dataset.features[f], row, f))
    for f in np.flatnonzero(handover.missing[row]).tolist():
        reasons.append(say("{column} is missing", column=dataset.features[f].name))
    return reasons


def matters_most(found: ScoredRowSet, dataset: Dataset, row: int) -> list[str]:
    """Return the columns that matter most to the answer to a row, each with its value and what it adds."""
    if found.leading is None:
        return []
    there = zip(found.leading.feature[row].tolist(), found.leading.added[row].tolist(), strict=True)
    return [
        f"{dataset.features[f].name} {value_words(found.rows, dataset.features[f], row, f)} ({signed(added)})"
        for f, added in there
        if f >= 0
    ]


def value_words(rows: NewRows, feature: Feature, row: int, place: int) -> str:
    """Return the value of a row in a column as the model reads it; where it knows none, what the file has."""
    x = float(rows.X[row, place])
    if math.isnan(x):
        return quoted(rows.cell(row, place)) if rows.unknown[row, place] else say("missing")
    return _written(feature, x)


def signed(x: float) -> str:
    """Return a number with its sign, also where that is a plus.

    >>> signed(0.5), signed(-2)
    ('+0.5', '−2')
    """
    return f"{'−' if x < 0 else '+'}{number(abs(x), 2)}"


def _written(feature: Feature, x: float) -> str:
    value = named(feature, np.array([x]))[0]
    return value if isinstance(value, str) else number(float(value), 4)


def _doubted(doubt: float, threshold: float) -> str:
    if math.isinf(threshold):
        return say("the goal leaves every row to an expert")
    return say("its doubt {doubt} is above {threshold}", doubt=number(doubt), threshold=number(threshold))


def _unknown(feature: Feature, text: str) -> str:
    if feature.categories:
        return say("{column} has no category {value}", column=feature.name, value=quoted(text))
    return say("{column} is no number: {value}", column=feature.name, value=quoted(text))


def _outside(found: ScoredRowSet, feature: Feature, row: int, place: int) -> str:
    x, learned = float(found.rows.X[row, place]), found.handover.learned
    is_low = x < learned.low[place]
    known = {"column": feature.name, "value": _written(feature, x)}
    if is_low:
        return say("{column} {value} is below all it learned from ({least})",
                   least=_written(feature, float(learned.low[place])), **known)  # fmt: skip
    return say("{column} {value} is above all it learned from ({most})",
               most=_written(feature, float(learned.high[place])), **known)  # fmt: skip
