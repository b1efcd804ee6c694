"""The section of a report on how the model was made: its settings, the program, and code that makes it again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from espalier.data.dataset import HeldOut
from espalier.data.rows.folds import Folds
from espalier.display.theme import count, number, percent
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import COSTLY, TIMES, Setting, effective_settings
from espalier.reports.sheet import Grid, Part, Prose, ReportSection, Subheading, Verbatim

PACKAGES = ("espalier", "numpy", "numba", "scikit-learn", "pandas")


class ReportedModel(NamedTuple):
    """A model of a page, under the title that it has there."""

    title: str
    model: Model
    note: str = ""  # on it alone, such as the rows that judge a person's own


def models_section(
    models: Sequence[ReportedModel], is_classification: bool, judged: str, script: str = ""
) -> ReportSection:
    """Return the section on several models; `judged` and `script` as in `model_section`, for all of them."""
    parts: list[Part] = [Prose(judged), Prose(versions())]
    for one in models:
        parts += [Subheading(one.title), *_made(one.model, is_classification)]
        parts += [Prose(one.note)] if one.note else []
    if script:
        parts += [Prose(say("This Python code makes the models again:")), Verbatim(script)]
    return ReportSection(say("How the models were made and judged"), parts)


def model_section(model: Model, is_classification: bool, script: str, judged: str) -> ReportSection:
    """Return the section on one model; `judged` says on which rows, and by which seed.

    `script` is Python that makes the model again, or empty.
    """
    parts = [*_made(model, is_classification), Prose(judged), Prose(versions())]
    if script:
        parts += [Prose(say("This Python code makes the model again:")), Verbatim(script)]
    return ReportSection(say("How the model was made"), parts)


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
    'Each row was answered by a model that had not seen it: 5 folds, dealt 2 times, with the seed 3.'
    """
    n, seed = plan.n_folds, plan.seed
    if plan.is_forward:
        return say("Each row was answered by a model that had seen earlier rows only: {n} folds.", n=n)
    if plan.n_repeats == 1:
        return say(
            "Each row was answered by a model that had not seen it: {n} folds, with the seed {seed}.",
            n=n,
            seed=seed,
        )
    return say(
        "Each row was answered by a model that had not seen it: {n} folds, dealt {times} times, with the seed "
        "{seed}.",
        n=n,
        times=plan.n_repeats,
        seed=seed,
    )


def _made(model: Model, is_classification: bool) -> list[Part]:
    """Return what the model is, with its settings."""
    kind = model.kind
    chosen = dict(model.settings)
    usual = {one.key: one.default for one in kind.for_target(is_classification)}
    there = [
        one
        for one in effective_settings(kind.for_target(is_classification), usual | chosen)
        if _counts(one, chosen)
    ]
    rows = [(say(one.label), value_words(one, chosen.get(one.key, one.default))) for one in there]
    title = f"{say(kind.title)}: {say(kind.words)}"
    return [Prose(title), *([Grid((say("setting"), say("value")), rows)] if rows else [])]


def _counts(setting: Setting, chosen: Mapping[str, Any]) -> bool:
    """Return whether a setting says something; how many times worse an error is does so only of a class."""
    return setting.key != TIMES.key or bool(chosen.get(COSTLY.key))


def value_words(setting: Setting, value: Any) -> str:
    """Return a value of a setting as a person reads it."""
    if value is None:
        return say(setting.no_number) if setting.no_number else "–"
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if (named := _option(setting.options, value)) is not None:
        return say(named)
    if isinstance(value, int | float):
        return number(float(value), 6)
    return str(value) or "–"


def _option(options: tuple[tuple[str, str], ...], value: Any) -> str | None:
    words: Mapping[Any, str] = dict(options)
    return words.get(value)


def versions() -> str:
    """Return the versions of what made the model, in a sentence.

    >>> "numpy" in versions()
    True
    """
    known = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return say("Made with {packages} on Python {python}.", packages=known, python=platform.python_version())
