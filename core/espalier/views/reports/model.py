"""The section of a report on how the model was made: its settings, the program, and code that makes it again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.setting import Setting, in_effect
from espalier.learners.catalogue.settings import COSTLY, TIMES
from espalier.views.reports.sheet import Grid, Prose, ReportSection, Verbatim
from espalier.views.theme import number

PACKAGES = ("espalier", "numpy", "numba", "scikit-learn", "pandas")


def model_section(model: Model, is_classification: bool, script: str) -> ReportSection:
    """Return the section; `script` is Python that makes the model again, or empty."""
    kind = model.kind
    chosen = dict(model.settings)
    usual = {one.key: one.default for one in kind.for_target(is_classification)}
    there = [one for one in in_effect(kind.for_target(is_classification), usual | chosen) if _counts(one, chosen)]
    rows = [(say(one.label), value_words(one, chosen.get(one.key, one.default))) for one in there]
    title = f"{say(kind.title)}: {say(kind.words)}"
    parts = [Prose(title), Grid((say("setting"), say("value")), rows), Prose(versions())]
    if script:
        parts += [Prose(say("This Python code makes the model again:")), Verbatim(script)]
    return ReportSection(say("How the model was made"), parts)


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
