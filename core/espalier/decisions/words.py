"""Decisions in words: the rule, and rates with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from espalier.data.dataset import Feature
from espalier.decisions.decision import Decision
from espalier.decisions.judged import (
    ALARM,
    FEWEST,
    PRECISION,
    RECALL,
    RIGHT,
    SAID,
    Decided,
    GroupRates,
    Rate,
    RatesByGroup,
)
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say

RATES = {  # of one class, by the names of `decisions.judged`
    RIGHT: to_say("right answers"),
    SAID: to_say("answered “{name}”"),
    RECALL: to_say("“{name}” found"),
    ALARM: to_say("others taken for “{name}”"),
    PRECISION: to_say("right, of those answered “{name}”"),
}
TOO_FEW = to_say("too few to say")


def rule_words(decision: Decision, target: Feature, mark: Callable[[str], str] = str) -> str:
    """Return from which share the class is the answer, and why; `mark` treats names from the data."""
    if decision.code is None:
        return say("Every error costs the same: the answer is the likeliest class.")
    known = {"name": mark(target.categories[decision.code]), "share": percent(round(decision.cut, 3))}
    if decision.threshold is not None:
        rule = say("“{name}” is the answer from a share of **{share}** on, as you set it.", **known)
    elif decision.times == 1:
        rule = say("Every error costs the same: the answer is the likeliest class.")
    else:
        times = number(decision.times)
        rule = say(
            "Missing “{name}” costs {times} times as much as any other error: it is the answer from a share of "
            "**{share}** on.",
            **known,
            times=times,
        )
    return " ".join(filter(None, [rule, _prevalence(decision, known["name"])]))


def _prevalence(decision: Decision, name: str) -> str:
    if decision.prevalence is None:
        return ""
    share = percent(round(decision.prevalence, 4))
    return say(
        "Among the rows to come {share} are “{name}”: shares are corrected for that.", share=share, name=name
    )


def rate_words(rate: Rate) -> str:
    """Return a share with its interval: "93 % (89 % to 96 %)"; of too few rows that it cannot be said."""
    if not rate.is_known:
        return say(TOO_FEW)
    known = {name: percent(round(getattr(rate, name), 3)) for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **known)


def cost_words(found: Decided) -> str:
    """Return what 100 rows cost, with the interval."""
    if not found.cost.is_known:
        return say(TOO_FEW)
    known = {name: number(100 * getattr(found.cost, name)) for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **known)


def standing_out(title: str, found: RatesByGroup, name: str = "", mark: Callable[[str], str] = str) -> str:
    """Return which rates differ from the other rows beyond chance, a line for each group; Markdown.

    `name` is that of the class.
    """
    model = f"**{title}**"
    gaps = [(group.words, _gaps(group, name, mark)) for group in found.groups]
    lines = [f"- {mark(words)}: {'; '.join(there)}" for words, there in gaps if there]
    if not lines:
        return say(
            "{model}: no group's rate differs from that of the other rows by more than chance may do.", model=model
        )
    head = say("{model}: these groups differ from all other rows by more than chance may do.", model=model)
    return "\n".join([f"{head}\n", *lines])


def _gaps(group: GroupRates, name: str, mark: Callable[[str], str]) -> list[str]:
    """Return the rates of a group that stand out, each with its gap in points and the gap's interval."""
    return [
        say(
            "{rate}: {points} points higher ({low} to {high})"
            if one.verdict == "higher"
            else "{rate}: {points} points lower ({low} to {high})",
            rate=say(RATES[key], name=mark(name)),
            points=_points(one.gap),
            low=_points(min(one.low, one.high, key=abs)),
            high=_points(max(one.low, one.high, key=abs)),
        )
        for key, one in group.rates.items()
        if one.verdict in ("lower", "higher")
    ]


def _points(gap: float) -> str:
    return number(abs(round(100 * gap, 1)))


def few_words(found: RatesByGroup) -> str:
    """Return how many rates cannot be said, in a sentence; empty if all can."""
    n = sum(one.verdict == "few" for group in found.groups for one in group.rates.values())
    return say("Of fewer than {n} rows nothing is said.", n=FEWEST) if n else ""


# ---- decisions as tables: the rates of every class, and those of every group, with their intervals

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
