"""Sections that every report has: the data, and how the models were made, with code that makes them again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.data.folds import Folds, HeldOut
from espalier.data.samples import title_of
from espalier.display.parts import Grid, Listed, Part, Prose, ReportSection, Subheading, Verbatim
from espalier.display.tables import named
from espalier.display.text.trees import join
from espalier.display.text.values import all_written
from espalier.display.theme import count, number, percent, rounded_to
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import COSTLY, TIMES, Setting, effective_settings
from espalier.reports.paper import parts_html

PACKAGES = ("espalier", "numpy", "numba", "scikit-learn", "pandas")


class ReportedModel(NamedTuple):
    """A model of a page, under the title that it has there."""

    title: str
    model: Model
    note: str = ""  # on it alone, such as the rows that judge a person's own


def models_section(
    models: Sequence[ReportedModel], is_classification: bool, judged: str, script: str = ""
) -> ReportSection:
    """Return the section on models; `judged` says on which rows, and by which seed.

    `script` is Python that makes them again, or empty; an only model may have no title.
    """
    parts: list[Part] = [Prose(judged), Prose(versions())]
    for title, model, note in models:
        head = [Subheading(title)] if title else []
        parts += [*head, *_model_parts(model, is_classification), *([Prose(note)] if note else [])]
    if script:
        parts += [Subheading(say("Python that makes it again")), Verbatim(script)]
    return ReportSection(say("How it was made and judged"), parts)


def holdout_words(holdout: HeldOut, n_held: int) -> str:
    """Return which rows were held out, and by which seed.

    >>> holdout_words(HeldOut(30, 7), 45)
    '45 rows, 30 % of the table, were drawn with the seed 7 and held out.'
    """
    n = count(n_held)
    if holdout.where:
        return say("{n} rows were held out: those where {filter}.", n=n, filter=holdout.where)
    if not n_held:
        return say("No rows were held out.")
    share = percent(holdout.fraction)
    return say(
        "{n} rows, {share} of the table, were drawn with the seed {seed} and held out.",
        n=n, share=share, seed=holdout.seed,
    )  # fmt: skip


def folds_words(plan: Folds) -> str:
    """Return how the rows were dealt into folds, and by which seed.

    >>> folds_words(Folds(5, 2, 3))
    'Each row was answered by a model that had not seen it: 2 × 5 folds, with the seed 3.'
    """
    if plan.is_forward:
        return say("Each row was answered by a model that had seen earlier rows only: {n} folds.", n=plan.n_folds)
    n = f"{plan.n_repeats} × {plan.n_folds}" if plan.n_repeats > 1 else plan.n_folds
    return say(
        "Each row was answered by a model that had not seen it: {n} folds, with the seed {seed}.",
        n=n, seed=plan.seed,
    )  # fmt: skip


def _model_parts(model: Model, is_classification: bool) -> list[Part]:
    """Return what the model is, with its settings."""
    kind, own = model.kind, dict(model.settings)
    settings = kind.for_target(is_classification)
    usual = {setting.key: setting.default for setting in settings}
    there = [
        setting
        for setting in effective_settings(settings, usual | own)
        # how many times worse an error is says something only of a class
        if setting.key != TIMES.key or own.get(COSTLY.key)
    ]
    rows = [(say(setting.label), value_words(setting, own.get(setting.key, setting.default))) for setting in there]
    title = f"{say(kind.title)}: {say(kind.words)}"
    return [Prose(title), *([Grid((say("setting"), say("value")), rows)] if rows else [])]


def value_words(setting: Setting, value: Any) -> str:
    """Return a value of a setting as a person reads it."""
    if value is None:
        return say(setting.no_number) if setting.no_number else "–"
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    options: Mapping[Any, str] = dict(setting.options)
    if value in options:
        return say(options[value])
    if isinstance(value, int | float):
        return number(float(value), 6)
    return str(value) or "–"


def versions() -> str:
    """Return the versions of what made the model, in a sentence.

    >>> "numpy" in versions()
    True
    """
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return say("Made with {packages} on Python {python}.", packages=packages, python=platform.python_version())


# Data ------------------------------------------------------------------------------------------------

MOST_COLUMNS = 60  # listed with their ranges; beyond, those that the model asks about
MOST_NAMES = 6  # of categories


def data_section(data: Dataset, held: np.ndarray | None = None, asked: set[int] | None = None) -> ReportSection:
    """Return the section; `held` (n_samples,) are the rows held out, `asked` the features that the model uses.

    None stands for several models, each with its own.
    """
    parts: list[Part] = [Prose(_size(data, held)), Prose(_target(data)), _columns(data, asked)]
    meanings = [f"{column.name}: {column.meaning}" for column in (*data.features, data.target) if column.meaning]
    if meanings:
        parts += [Subheading(say("What the columns mean")), Listed(meanings)]
    changes = [sentence for feature in data.features for sentence in _changes(feature)]
    if changes:
        parts += [Subheading(say("Changed when the file was read")), Listed(changes)]
    return ReportSection(say("Data"), parts)


def table_html(data: Dataset) -> str:
    """Return the section as HTML without a heading, for a notebook.

    >>> from espalier.data import samples
    >>> "4.3 to 7.9" in table_html(samples.load("iris"))
    True
    """
    return parts_html(data_section(data).parts)


def _size(data: Dataset, held: np.ndarray | None) -> str:
    return say(
        "“{name}”: {n} rows, {held} of them held out; {columns} columns besides the target; digest {digest}."
        if held is not None
        else "“{name}”: {n} rows; {columns} columns besides the target; digest {digest}.",
        name=title_of(data),
        n=count(len(data.y)),
        held="" if held is None else count(int(held.sum())),
        columns=count(len(data.features)),
        digest=data.digest,
    )


def _target(data: Dataset) -> str:
    if not data.is_classification:
        low, high = float(data.y.min()), float(data.y.max())
        low, high = map(rounded_to((low, high)), (low, high))
        values = {"name": data.target.name, "low": low, "high": high}
        return say("Target: {name}, a number from {low} to {high}.", **values)
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
    if asked is not None:
        heads = [*heads, say("used by the model")]
        rows = [(*row, say("yes") if f in asked else "–") for f, row in zip(every, rows, strict=True)]
    return Grid(heads, rows)


def _column(data: Dataset, f: int) -> tuple[str, ...]:
    feature, x = data.features[f], data.X[:, f]
    missing = float(np.isnan(x).mean())
    return feature.name, _values(feature, x), percent(round(missing, 4)) if missing else "–"


def _values(feature: Feature, x: np.ndarray) -> str:
    finite = x[~np.isnan(x)]
    if not len(finite):
        return "–"
    if feature.categories:
        names = [*feature.categories[:MOST_NAMES], *["…"] * (len(feature.categories) > MOST_NAMES)]
        return ", ".join(names)
    low, high = (str(v) for v in named(feature, np.array([finite.min(), finite.max()])).tolist())
    if feature.moment is None:
        low, high = all_written(feature, (float(finite.min()), float(finite.max())))
    return low if low == high else say("{low} to {high}", low=low, high=high)


def _changes(feature: Feature) -> list[str]:
    """Return sentences on what was changed as the column was read from its file."""
    origin = feature.origin
    if origin is None:
        return []
    column, sentences = {"column": feature.name}, []
    texts = [f"“{text}”" for text in origin.missing[:MOST_NAMES]]
    texts += [say("texts that are no numbers")] if origin.is_lossy else []
    if texts:
        sentences.append(say("{column}: {texts} were read as missing.", texts=", ".join(texts), **column))
    if origin.pooled:
        sentences.append(say("{column}: {n} rare values became “(other)”.", n=count(len(origin.pooled)), **column))
    return sentences
