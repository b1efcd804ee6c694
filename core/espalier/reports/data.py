"""The section of a report on its data: size, digest, columns with their ranges, and changes made on reading."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.data.samples import title_of
from espalier.display.tables import named
from espalier.display.text.moments import all_written
from espalier.display.text.trees import join
from espalier.display.theme import count, percent, rounded_to
from espalier.language import say
from espalier.reports.sheet import Grid, Listed, Part, Prose, ReportSection, parts_html

MOST_COLUMNS = 60  # listed with their ranges; beyond, those that the model asks about
MOST_NAMES = 6  # of categories


def data_section(data: Dataset, held: np.ndarray | None = None, asked: set[int] | None = None) -> ReportSection:
    """Return the section; `held` (n_samples,) are the rows held out, `asked` the features that the model uses.

    None stands for several models, each with its own.
    """
    parts: list[Part] = [Prose(_size(data, held)), Prose(_target(data)), _columns(data, asked)]
    meanings = [f"{one.name}: {one.meaning}" for one in (*data.features, data.target) if one.meaning]
    if meanings:
        parts += [
            Prose(say("What the columns mean, in the words of the person who made this report:")),
            Listed(meanings),
        ]
    changes = [sentence for feature in data.features for sentence in _changes(feature)]
    if changes:
        parts += [Prose(say("Changed when the file was read:")), Listed(changes)]
    return ReportSection(say("Data"), parts)


def table_html(data: Dataset) -> str:
    """Return the section as HTML without a heading, for a notebook.

    >>> from espalier.data import samples
    >>> "4.3 to 7.9" in table_html(samples.load("iris"))
    True
    """
    return parts_html(data_section(data).parts)


def _size(data: Dataset, held: np.ndarray | None) -> str:
    if held is None:
        return say(
            "“{name}”: {n} rows, and {columns} columns besides the target. Its digest in this program is "
            "{digest}: the same table under the same name has the same one.",
            name=title_of(data),
            n=count(len(data.y)),
            columns=count(len(data.features)),
            digest=data.digest,
        )
    return say(
        "“{name}”: {n} rows, of which {held} were held out for the scores, and {columns} columns besides the "
        "target. Its digest in this program is {digest}: the same table under the same name has the same one.",
        name=title_of(data),
        n=count(len(data.y)),
        held=count(int(held.sum())),
        columns=count(len(data.features)),
        digest=data.digest,
    )


def _target(data: Dataset) -> str:
    if not data.is_classification:
        low, high = float(data.y.min()), float(data.y.max())
        low, high = map(rounded_to((low, high)), (low, high))
        known = {"name": data.target.name, "low": low, "high": high}
        return say("Target: {name}, a number from {low} to {high}.", **known)
    shares = np.bincount(data.y, minlength=len(data.classes)) / len(data.y)
    classes = [
        f"{name} {percent(round(share, 3))}" for name, share in zip(data.classes, shares.tolist(), strict=True)
    ]
    return say("Target: {name}, with the classes {classes}.", name=data.target.name, classes=join(classes, "and"))


def _columns(data: Dataset, asked: set[int] | None) -> Grid:
    """Return a row for each column: its values, the share missing, and whether the one model asks about it."""
    first = range(min(len(data.features), MOST_COLUMNS))
    every = first if asked is None or len(data.features) <= MOST_COLUMNS else sorted(asked)
    heads, rows = [say("column"), say("values"), say("missing")], [_column(data, f) for f in every]
    if asked is None:
        return Grid(heads, rows)
    used = [(*row, say("yes") if f in asked else "–") for f, row in zip(every, rows, strict=True)]
    return Grid([*heads, say("used by the model")], used)


def _column(data: Dataset, f: int) -> tuple[str, ...]:
    feature, x = data.features[f], data.X[:, f]
    missing = float(np.isnan(x).mean())
    return feature.name, _values(feature, x), percent(round(missing, 4)) if missing else "–"


def _values(feature: Feature, x: np.ndarray) -> str:
    known = x[~np.isnan(x)]
    if not len(known):
        return "–"
    if feature.categories:
        names = [*feature.categories[:MOST_NAMES], *["…"] * (len(feature.categories) > MOST_NAMES)]
        return ", ".join(names)
    low, high = (str(v) for v in named(feature, np.array([known.min(), known.max()])).tolist())
    if feature.moment is None:
        low, high = all_written(feature, (float(known.min()), float(known.max())))
    return low if low == high else say("{low} to {high}", low=low, high=high)


def _changes(feature: Feature) -> list[str]:
    """Return sentences on what was changed as the column was read from its file."""
    origin = feature.origin
    if origin is None:
        return []
    known, found = {"column": feature.name}, []
    if origin.missing:
        texts = ", ".join(f"“{text}”" for text in origin.missing[:MOST_NAMES])
        found.append(say("{column}: {texts} were read as missing.", texts=texts, **known))
    if origin.pooled:
        found.append(say("{column}: {n} rare values became “(other)”.", n=count(len(origin.pooled)), **known))
    if origin.is_lossy:
        found.append(say("{column}: texts that are no numbers were read as missing.", **known))
    return found
