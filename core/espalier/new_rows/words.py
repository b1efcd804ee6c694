"""New rows in sentences: how the columns were matched, what goes to an expert, what is promised, and how "
"right it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.columns.kinds import label
from espalier.data.columns.new_rows import ChangedUnit, NewRows, changed_units
from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import listed, quoted
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.new_rows.conformal import units_needed
from espalier.new_rows.scoring import Hits, ScoredRowSet, hits

MOST_NAMED = 8  # columns in a sentence
MOST_VALUES = 3  # of a column, as examples


class Matched(NamedTuple):
    """What there is to say of the columns of a file: sentences, and whether any of them is a warning."""

    sentences: list[str]
    warnings: list[str]


def matching(rows: NewRows, dataset: Dataset) -> Matched:
    """Return how the columns of a file were matched with those of the model, and what does not fit.

    >>> import pandas as pd
    >>> from espalier.data import samples
    >>> from espalier.data.columns.new_rows import new_rows
    >>> frame = pd.DataFrame({"Petal_Length": [1.4, 5.0], "petal width": ["0.2", "wide"]})
    >>> found = matching(new_rows(frame, samples.load("iris")), samples.load("iris"))
    >>> found.sentences[0]
    'Of 4 columns that the model knows, 2 are in the file.'
    >>> found.warnings[1]
    '“petal width” is no number in 1 of 2 rows, such as “wide”; it counts as missing there.'
    """
    sources, n = rows.sources, len(dataset.features)
    pairs = list(zip(dataset.features, sources.features, strict=True))
    there = sum(bool(source) for source in sources.features)
    sentences = [
        say("All {n} columns that the model knows are in the file.", n=count(n))
        if there == n
        else say("Of {n} columns that the model knows, {there} are in the file.", n=count(n), there=count(there))
    ]
    renamed = [say("{column} from {source}", column=quoted(feature.name), source=quoted(source))
               for feature, source in pairs if source and source != feature.name]  # fmt: skip
    if renamed:
        sentences.append(say("Read from a column of another name: {columns}.", columns=_listed(renamed)))
    used = {*sources.features, sources.target, sources.label}
    if extra := [quoted(str(name)) for name in rows.frame.columns if name not in used]:
        sentences.append(say("Not used: {columns}.", columns=_listed(extra)))
    sentences += [
        say(
            "The numbers of {column} have no unit in the file and are taken to be in {unit}.",
            column=quoted(feature.name),
            unit=feature.origin.format.unit,
        )
        for feature, source in pairs
        if source
        and feature.origin
        and feature.origin.format
        and feature.origin.format.unit
        and rows.frame[source].dtype == np.float64
    ]
    warnings = [
        say(
            "No column for {columns}: rows whose answer hangs on that go to an expert.",
            columns=_listed(_lacking(pairs)),
        )
    ]
    strange = [
        _strange(rows, feature, f) for f, feature in enumerate(dataset.features) if rows.unknown[:, f].any()
    ]
    units = [_unit(found) for found in changed_units(rows, dataset)]
    return Matched(sentences, warnings * (there < n) + units + strange)


def handover_words(found: ScoredRowSet) -> str:
    """Return how many rows the model answers and how many go to an expert, in a sentence."""
    n, handed = len(found.said.doubt), int(found.handover.is_for_expert.sum())
    if not handed:
        return say(
            "The model answers the row itself."
            if n == 1
            else "The model answers all {n} rows; none goes to an expert.",
            n=count(n),
        )
    if handed == n:
        return say(
            "The row should go to an expert." if n == 1 else "All {n} rows should go to an expert.", n=count(n)
        )
    return say(
        "Of {n} rows the model answers **{answered}**; **{handed}** ({share}) should go to an expert.",
        n=count(n), answered=count(n - handed), handed=count(handed), share=percent(round(handed / n, 4)),
    )  # fmt: skip


def reasons_words(found: ScoredRowSet, dataset: Dataset) -> list[str]:
    """Return each reason to hand rows over with the number of its rows; a row may have several."""
    handover = found.handover
    lines = []
    if (n := int(handover.doubted.sum())) and math.isinf(handover.threshold):
        lines.append(say("{n}: the goal leaves every row to an expert", n=count(n)))
    elif n:
        lines.append(say("{n}: the model doubts its answer (doubt above {threshold})",
                         n=count(n), threshold=number(handover.threshold)))  # fmt: skip
    if n := int(handover.unsettled.sum()):
        lines.append(say("{n}: trees as good say another class", n=count(n)))
    by_columns = (
        (handover.unknown, to_say("{n}: a value that is new to the model ({columns})")),
        (handover.outside, to_say("{n}: a number outside the range that the model learned from ({columns})")),
        (handover.missing, to_say("{n}: a value is missing in a column that always had one ({columns})")),
        (handover.absent, to_say("{n}: the answer hangs on what the file does not have ({columns})")),
    )
    for mask, text in by_columns:
        if mask.any():
            lines.append(say(text, n=count(int(mask.any(axis=1).sum())), columns=_columns(mask, dataset)))
    return lines


def promise_of_rows(found: ScoredRowSet, level: float) -> str:
    """Return what is promised about the answers: the size of the sets, or the width of the intervals; "" "
    "for none."""
    if math.isnan(found.limit):
        return say(
            "No rows judge the model, so nothing is promised, and no row goes to an expert for doubt. Hold rows "
            "out first."
        )
    if math.isinf(found.limit):
        return say(
            "Too few groups of rows judge the model to promise {level}: that takes {n}."
            if found.in_groups
            else "Too few rows judge the model to promise {level}: that takes {n}.",
            level=percent(level),
            n=count(units_needed(level)),
        )
    if found.ends is not None:
        return say(
            "Intervals of ± {half} around the answer hold the truth of about {level} of new rows, if these "
            "are like the rows that judge the model.",
            half=number(found.limit), level=percent(level),
        )  # fmt: skip
    assert found.sets is not None
    if len(found.sets) == 1:
        return say(
            "The classes promised hold the truth of about {level} of new rows, if these are like the rows that "
            "judge the model.",
            level=percent(level),
        )
    one = int((found.sets.sum(axis=1) == 1).sum())
    return say(
        "The classes in the column *promised* hold the truth of about {level} of new rows, if these are like "
        "the rows that judge the model. {one} of {n} rows have one class there.",
        level=percent(level), one=count(one), n=count(len(found.sets)),
    )  # fmt: skip


def hits_words(found: ScoredRowSet, dataset: Dataset) -> str:
    """Return how right the answers are on rows whose truth the file has; "" where it has none."""
    handed = found.handover.is_for_expert
    every, own, left = hits(found), hits(found, ~handed), hits(found, handed)
    if not every.n:
        return ""
    is_classes = dataset.is_classification
    first = say(
        "The truth of {n} rows is known: the answers are right in **{right}** of them ({low} to {high})."
        if is_classes
        else "The truth of {n} rows is known: the answers are off by **{right}** on average.",
        n=count(every.n), right=_rate(every, is_classes), low=percent(round(every.low, 3)) if is_classes else "",
        high=percent(round(every.high, 3)) if is_classes else "",
    )  # fmt: skip
    if not own.n or not left.n:
        return first
    return f"{first} " + say(
        "They are right in {own} of the rows that the model answers itself, and in {left} of those for an expert."
        if is_classes
        else "They are off by {own} on rows that the model answers itself, and by {left} on those for an expert.",
        own=_rate(own, is_classes), left=_rate(left, is_classes),
    )  # fmt: skip


def _rate(found: Hits, is_classes: bool) -> str:
    return percent(round(found.mean, 4)) if is_classes else number(found.mean)


def _unit(found: ChangedUnit) -> str:
    """Return that a column seems to have another unit, and what to do."""
    return say(
        "{column} may have another unit: its median is {median}, that of the rows that the model learned from "
        "{learned}. If so, divide it by {factor} in the file; here no number is changed."
        if found.factor > 1
        else "{column} may have another unit: its median is {median}, that of the rows that the model learned "
        "from {learned}. If so, multiply it by {factor} in the file; here no number is changed.",
        column=quoted(found.feature.name),
        median=number(found.median),
        learned=number(found.learned),
        factor=count(round(max(found.factor, 1 / found.factor))),
    )


def _lacking(pairs: Sequence[tuple[Feature, str]]) -> list[str]:
    return [quoted(feature.name) for feature, source in pairs if not source]


def _listed(names: Sequence[str]) -> str:
    return listed(names, MOST_NAMED)


def _columns(mask: np.ndarray, dataset: Dataset) -> str:
    """Return the columns of a mask (n_rows, n_features), those of most rows first."""
    n = mask.sum(axis=0)
    order = [f for f in np.argsort(-n, kind="stable").tolist() if n[f]]
    return listed([quoted(dataset.features[f].name) for f in order], MOST_VALUES)


def _strange(rows: NewRows, feature: Feature, place: int) -> str:
    """Return the values of a column that the model cannot read, with examples."""
    unknown = rows.unknown[:, place]
    values = pd.Series(rows.frame[rows.sources.features[place]].to_numpy()[unknown])
    examples = listed([quoted(label(value)) for value in values.value_counts().index[:MOST_VALUES].tolist()])
    known = {"column": quoted(feature.name), "n": count(int(unknown.sum())), "all": count(len(unknown))}
    if feature.categories:
        return say(
            "{column} has a value that the model does not know in {n} of {all} rows, such as {examples}; it "
            "counts as missing there.",
            examples=examples,
            **known,
        )
    return say(
        "{column} is no number in {n} of {all} rows, such as {examples}; it counts as missing there.",
        examples=examples,
        **known,
    )
