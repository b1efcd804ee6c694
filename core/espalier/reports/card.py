"""The section of a report on what a model is for, and whom it should not be used for, as far as the data tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.trees import join
from espalier.display.theme import count, percent
from espalier.language import say
from espalier.reports.sheet import Listed, ReportSection

FEW = 20  # rows: a group of fewer is hardly tested
OFTEN_MISSING = 0.2  # share of a column's values
MOST_NAMED = 6  # groups of one column


def card_section(data: Dataset, findings: Sequence[str], asked: set[int] | None = None) -> ReportSection:
    """Return the section; `findings` are what about the table misleads, `asked` the features that the model uses.

    `asked` is None where all may be used.
    """
    features = range(len(data.features)) if asked is None else sorted(asked)
    items = [
        say(
            "It shows what goes together with {target} in these rows, not what causes it.", target=data.target.name
        ),
        say("It is for rows like these. Outside the ranges below it still answers, without a warning."),
        say("It was judged on rows of the same table. Before others rely on it, test it on rows from elsewhere."),
        *_hardly_tested(data, [f for f in features if data.features[f].categories]),
        *_often_missing(data, features),
        *findings,
    ]
    return ReportSection(say("What it is for, and whom it should not be used for"), [Listed(items)])


def _hardly_tested(data: Dataset, features: Sequence[int]) -> list[str]:
    """Return a sentence for each column, and for the target, with values that few rows have."""
    columns = [(data.features[f], data.X[:, f]) for f in features]
    if data.is_classification:
        columns.append((data.target, data.y.astype(float)))
    return [sentence for feature, x in columns if (sentence := _rare(feature, x))]


def _rare(feature: Feature, x: np.ndarray) -> str:
    sizes = np.bincount(x[np.isfinite(x)].astype(int), minlength=len(feature.categories))
    few = [(feature.categories[k], int(n)) for k, n in enumerate(sizes.tolist()) if n < FEW]
    if not few:
        return ""
    named = [say("{value} ({n} rows)", value=value, n=count(n)) for value, n in few[:MOST_NAMED]]
    if len(few) > MOST_NAMED:
        named.append(say("{n} more", n=count(len(few) - MOST_NAMED)))
    return say(
        "Not for {column} {values}: so few rows hardly test it.", column=feature.name, values=join(named, "or")
    )


def _often_missing(data: Dataset, features: Sequence[int] | range) -> list[str]:
    shares = [(data.features[f].name, float(np.isnan(data.X[:, f]).mean())) for f in features]
    named = [f"{name} ({percent(round(share, 2))})" for name, share in shares if share >= OFTEN_MISSING]
    if not named:
        return []
    if len(named) > MOST_NAMED:
        named = [*named[:MOST_NAMED], say("{n} more", n=count(len(named) - MOST_NAMED))]
    return [
        say(
            "Values are often missing in {columns}: find out why before it answers for rows without them.",
            columns=join(named, "and"),
        )
    ]
