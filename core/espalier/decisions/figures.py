"""Decisions as pictures, sentences and tables: the cost curve, the rule, and rates with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, LEGEND, MARKS, colour_of, draw_band
from espalier.comparison.scores import Subgroups
from espalier.data.dataset import Feature
from espalier.decisions.decision import (
    ALARM,
    PRECISION,
    RECALL,
    RIGHT,
    SAYS,
    CostCurve,
    Decided,
    Decision,
    GroupRates,
    Rate,
)
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say

HEIGHT = 320  # pixels


class CostSummary(NamedTuple):
    """A model with its cost curve."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    curve: CostCurve
    cut: float  # the share from which the class is the answer


def cost_picture(models: Sequence[CostSummary], name: str) -> Picture:
    """Return the curves with a mark at the decision, and what always and never answering the class would cost."""
    parts = []
    for model in models:
        best = int(np.nanargmin(model.curve.cost))
        here = float(np.interp(model.cut, model.curve.threshold, model.curve.cost))
        parts.append(
            say(
                "{model} {cost}, at best {least} from {share} on",
                model=model.title, cost=number(100 * here), least=number(100 * float(model.curve.cost[best])),
                share=percent(round(float(model.curve.threshold[best]), 3)),
            )
        )  # fmt: skip
    words = say(
        "Cost of 100 rows where “{name}” is the answer from {share} on: {models}.",
        name=name, share=percent(round(models[0].cut, 3)), models="; ".join(parts),
    )  # fmt: skip
    return Picture(partial(_draw_costs, models, name), words)


def _draw_costs(models: Sequence[CostSummary], name: str, dark: bool) -> go.Figure:
    figure = blank(dark, HEIGHT, hovermode="closest", legend=LEGEND | {"traceorder": "normal"})
    for model in models:
        _draw_curve(figure, model, dark)
    first, grey = models[0].curve, ink.TEXT[ink.theme_of(dark)]
    for cost, text in ((first.always, say("always")), (first.never, say("never"))):
        figure.add_hline(
            y=100 * cost, line=edge(grey, 1) | {"dash": "dot"}, annotation_text=text,
        )  # fmt: skip
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        title_text=say("share from which “{name}” is the answer", name=safe(name)),
        tickformat=PERCENTS,
        range=[0, 1],
    )
    highest = max(
        100 * max(first.always, first.never), *(100 * float(np.nanmax(model.curve.cost)) for model in models)
    )
    figure.update_yaxes(title_text=say("cost of 100 rows"), range=[0, 1.08 * highest])
    return figure


def _draw_curve(figure: go.Figure, model: CostSummary, dark: bool) -> None:
    colour, curve = colour_of(model.slot, dark), model.curve
    draw_band(figure, curve.threshold, 100 * curve.low, 100 * curve.high, colour)
    figure.add_scatter(
        x=curve.threshold, y=100 * curve.cost, mode="lines", name=safe(model.title),
        line=edge(colour, 2.2) | {"dash": DASHES[model.slot]}, hoverinfo="text",
        text=[_hover(model.title, t, c) for t, c in zip(curve.threshold, curve.cost, strict=True)],
    )  # fmt: skip
    here = float(np.interp(model.cut, curve.threshold, curve.cost))
    figure.add_scatter(
        x=[model.cut], y=[100 * here], mode="markers", showlegend=False, cliponaxis=False, hoverinfo="text",
        text=[_hover(model.title, model.cut, here)],
        marker={"symbol": MARKS[model.slot], "size": 13, "color": colour,
                "line": edge(ink.TEXT[ink.theme_of(dark)], 2)},
    )  # fmt: skip


def _hover(title: str, threshold: float, cost: float) -> str:
    return say(
        "{model}: from {share} on, 100 rows cost {cost}",
        model=safe(title),
        share=percent(round(float(threshold), 3)),
        cost=number(100 * float(cost)),
    )


# ---- decisions in words: the rule, and rates with their intervals

RATES = {  # of one class, by the names of `decisions.decision`
    RIGHT: to_say("right answers"),
    SAYS: to_say("answered “{name}”"),
    RECALL: to_say("“{name}” found"),
    ALARM: to_say("others taken for “{name}”"),
    PRECISION: to_say("right, of those answered “{name}”"),
}
TOO_FEW = to_say("too few to say")
SIGNS = {"higher": " ▲", "lower": " ▼"}  # by the verdict on a rate of a group


def rule_words(decision: Decision, target: Feature, mark: Callable[[str], str] = str) -> str:
    """Return from which share the class is the answer, and why; `mark` treats names from the data."""
    if decision.code is None:
        return say("Every error costs the same: the answer is the likeliest class.")
    values = {"name": mark(target.categories[decision.code]), "share": percent(round(decision.cut, 3))}
    if decision.threshold is not None:
        rule = say("“{name}” is the answer from a share of **{share}** on, as you set it.", **values)
    elif decision.times == 1:
        rule = say("Every error costs the same: the answer is the likeliest class.")
    else:
        times = number(decision.times)
        rule = say(
            "Missing “{name}” costs {times} times as much as any other error: it is the answer from a share of "
            "**{share}** on.",
            **values,
            times=times,
        )
    if decision.prevalence is None:
        return rule
    share = percent(round(decision.prevalence, 4))
    correction = say(
        "Among the rows to come {share} are “{name}”: shares are corrected for that.",
        share=share,
        name=values["name"],
    )
    return f"{rule} {correction}"


def rate_words(rate: Rate) -> str:
    """Return a share with its interval: "93 % (89 % to 96 %)"; of too few rows that it cannot be said."""
    if not rate.is_known:
        return say(TOO_FEW)
    values = {name: percent(round(getattr(rate, name), 3)) for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **values)


def cost_words(outcome: Decided) -> str:
    """Return what 100 rows cost, with the interval."""
    if not outcome.cost.is_known:
        return say(TOO_FEW)
    values = {name: number(100 * getattr(outcome.cost, name)) for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **values)


# ---- decisions as tables: the rates of every class, and those of every group, with their intervals

MOST_CLASSES = 6  # of which each has its rates; of more only the class that is asked about


def rates_table(models: Sequence[tuple[str, Decided]], classes: Sequence[str], code: int | None) -> pd.DataFrame:
    """Return a column for each model (title, decisions): accuracy, recall and precision by class, and the cost."""
    codes = [k for k in range(len(classes)) if len(classes) <= MOST_CLASSES or k == code]
    columns = {title: _column(outcome, classes, codes) for title, outcome in models}
    return pd.DataFrame(columns).rename_axis(index=say("rate"))


def _column(outcome: Decided, classes: Sequence[str], codes: Sequence[int]) -> dict[str, str]:
    cells = {say("right, of all rows ↑"): rate_words(outcome.accuracy)}
    for k in codes:
        cells[say("found, of those that are “{name}” ↑", name=classes[k])] = rate_words(outcome.by_class[k].recall)
    for k in codes:
        cells[say("right, of those answered “{name}” ↑", name=classes[k])] = rate_words(
            outcome.by_class[k].precision
        )
    return cells | {say("cost of 100 rows ↓"): cost_words(outcome)}


def groups_table(groups: Subgroups[GroupRates], name: str = "") -> pd.DataFrame:
    """Return a row for each group: its rows, and each rate with its interval; `name` is the class asked about.

    A sign says that the rate differs from that of all other rows by more than chance may do: ▲ higher, ▼ lower.
    """
    lines = [
        {say("group"): group.words, say("rows"): count(group.n)}
        | {
            say(RATES[key], name=name): f"{rate_words(rate.rate)}{SIGNS.get(rate.verdict, '')}"
            for key, rate in group.rates.items()
        }
        for group in groups.groups
    ]
    return pd.DataFrame(lines)
