"""A search for settings in words: settings, sizes, scores, what was tried, and what it says."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from espalier.comparison.scores import LABELS
from espalier.comparison.tables import is_share
from espalier.display.theme import count, number, percent
from espalier.language import say
from espalier.learners.catalogue import Model, Setting
from espalier.learners.catalogue.spaces import SPACES
from espalier.tuning.search import BEST, NOW, Tuning
from espalier.tuning.trials import Trial

DIGITS = 3


def written_score(score: str, value: float) -> str:
    """Return a score as it is written: shares as percentages."""
    return percent(value) if is_share(score) and math.isfinite(value) else number(value, DIGITS)


def leaves_words(leaves: float) -> str:
    """Return a mean number of leaves.

    >>> leaves_words(1.0), leaves_words(4.4), leaves_words(1234.5)
    ('1 leaf', '4.4 leaves', '1234.5 leaves')
    """
    digits = max(len(str(int(leaves))) + 1, DIGITS)
    return say("{n} leaf" if leaves == 1 else "{n} leaves", n=number(round(leaves, 1), digits))


def settings_words(found: Tuning, model: Model) -> str:
    """Return the settings of a model that the search tries, each with its value."""
    is_classes = found.bench.dataset.is_classification
    there = [one for one in model.kind.for_target(is_classes) if one.key in SPACES[model.name]]
    return "; ".join(f"{say(one.label)}: {_value(one, model.value(one.key, is_classes))}" for one in there)


def _value(setting: Setting, value: Any) -> str:
    options = dict(setting.options)
    if value in options:
        return say(options[value])
    return say(setting.no_number) if value is None else number(value)


def tried_words(found: Tuning) -> str:
    """Return how many settings were tried, on what, and of how many.

    Of those on the way up the rungs of successive halving few have seen all data.
    """
    n, whole = found.n_tried, found.n_whole
    n_folds = len(found.trials[0].scores)
    words = say(
        "Of {all} combinations of settings {n} was tried by cross-validation with {folds} folds."
        if n == 1
        else "Of {all} combinations of settings {n} were tried by cross-validation with {folds} folds.",
        all=count(found.n_settings), n=count(n), folds=n_folds,
    )  # fmt: skip
    if whole < n:
        words += " " + say(
            "Only the best of them went on from a part of the data to all of it: {n} (successive halving).",
            n=count(whole),
        )
    return words


def honest_words(found: Tuning) -> str:
    """Return the score of the best in the search beside that on rows it has not seen, and what the gap means."""
    best, honest, score = found.best(), found.honest(BEST), found.bench.score
    if honest is None or not (math.isfinite(honest.mean) and math.isfinite(best.mean)):
        return say("How good such a choice is on new rows is not known yet: the search has to be repeated for it.")
    n = len(honest.scores)
    words = say(
        "The best has {score} {inner} in the search, which chose it by this very score. Repeated {n} times, each "
        "time without a part of the rows, the search chose settings that have {outer} there: so much is to be "
        "expected of new rows.",
        score=say(LABELS[score]), inner=written_score(score, best.mean), n=n,
        outer=written_score(score, honest.mean),
    )  # fmt: skip
    before = found.honest(NOW)
    if before is not None and math.isfinite(before.mean):
        words += " " + say("The settings where it began have {now} there.", now=written_score(score, before.mean))
    if n < found.n_outer:
        words += " " + say("It is to be repeated {n} times.", n=found.n_outer)
    return words


def simplest_words(found: Tuning) -> str:
    """Return what the simplest settings within one standard error save."""
    best, simplest = found.best(), found.simplest()
    if simplest.model == best.model:
        return say("No smaller one is within one standard error of the best.")
    return say(
        "Within one standard error of the best ({spread}) the simplest has {few} instead of {many}.",
        spread=written_score(found.bench.score, best.standard_error).replace("–", "0"),
        few=leaves_words(simplest.leaves), many=leaves_words(best.leaves),
    )  # fmt: skip


def trials_table(found: Tuning) -> pd.DataFrame:
    """Return a row for each trial on all rows: its settings, its part of the data, scores of folds, and leaves."""
    return pd.DataFrame([_row(found, trial) for trial in found.trials])


def _row(found: Tuning, trial: Trial) -> dict[str, Any]:
    is_classes = found.bench.dataset.is_classification
    settings = {key: trial.model.value(key, is_classes) for key in SPACES[trial.model.name]}
    settings = {key: say("no limit") if value is None else value for key, value in settings.items()}
    folds = {say("fold {n}", n=i + 1): score for i, score in enumerate(trial.scores)}
    means = {say("mean"): trial.mean, say("standard error"): trial.standard_error, say("leaves"): trial.leaves}
    return settings | {say("part of the data"): f"1/{trial.divisor}"} | means | folds
