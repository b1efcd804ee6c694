"""Decisions as tables: the rates of every class, and those of every group, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from espalier.decisions.groups import RatesByGroup
from espalier.decisions.judged import Decided, Rate
from espalier.decisions.words import RATES, cost_words, rate_words
from espalier.display.theme import count
from espalier.language import say

MOST_CLASSES = 6  # of which each has its rates; of more only the class that is asked about


def rates_table(models: Sequence[tuple[str, Decided]], classes: Sequence[str], code: int | None) -> pd.DataFrame:
    """Return a column for each model (title, decisions): accuracy, recall and precision by class, and the cost."""
    shown = [k for k in range(len(classes)) if len(classes) <= MOST_CLASSES or k == code]
    columns = {title: _column(found, classes, shown) for title, found in models}
    return pd.DataFrame(columns).rename_axis(index=say("rate"))


def _column(found: Decided, classes: Sequence[str], shown: Sequence[int]) -> dict[str, str]:
    cells = {say("right, of all rows ↑"): rate_words(found.accuracy)}
    for k in shown:
        cells[say("found, of those that are “{name}” ↑", name=classes[k])] = rate_words(found.by_class[k].recall)
    for k in shown:
        cells[say("right, of those answered “{name}” ↑", name=classes[k])] = rate_words(
            found.by_class[k].precision
        )
    return cells | {say("cost of 100 rows ↓"): cost_words(found)}


def groups_table(found: RatesByGroup, name: str = "") -> pd.DataFrame:
    """Return a row for each group: its rows, and each rate with its interval; `name` is the class asked about."""
    lines = [
        {say("group"): group.words, say("rows"): count(group.n)}
        | {say(RATES[key], name=name): rate_words(one.rate) for key, one in group.rates.items()}
        for group in found.groups
    ]
    return pd.DataFrame(lines)


def groups_file(models: Sequence[tuple[str, RatesByGroup]]) -> pd.DataFrame:
    """Return a row for each model, group and rate, as numbers."""
    return pd.DataFrame(
        {"model": title, "group": group.words, "rows": group.n, "rate": key, **_ends(one.rate),
         "gap": one.gap, "gap_low": one.low, "gap_high": one.high, "verdict": one.verdict}
        for title, found in models
        for group in found.groups
        for key, one in group.rates.items()
    )  # fmt: skip


def _ends(rate: Rate) -> dict[str, float]:
    return {"value": rate.value, "low": rate.low, "high": rate.high, "rows_counted": rate.n}
