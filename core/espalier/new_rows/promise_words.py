"""Promises in words, tables and pictures: the size of the sets, how often they hold the truth, and the rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, LEGEND, MARKS, colour_of
from espalier.data.dataset import Dataset
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.text.trees import join, phrase_with_unit, says
from espalier.display.theme import count, number, percent, rounded_to
from espalier.language import say
from espalier.new_rows import promises
from espalier.new_rows.promises import ALL, DOUBT_WIDTH, LeafPromises, PromisedIntervals, PromisedSets, Share
from espalier.reliability.reliability import Steps
from espalier.tree.rules import leaf_bounds
from espalier.trees import Tree


class PromiseSummary(NamedTuple):
    """A model with its promise."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    promise: PromisedSets | PromisedIntervals


def promise_words(model: PromiseSummary, classes: Sequence[str]) -> str:
    """Return the size of the sets or intervals, and the share of rows whose truth they hold."""
    promise = model.promise
    if isinstance(promise, PromisedIntervals):
        return _intervals_words(model.title, promise)
    return " ".join(filter(None, [_sets_words(model.title, promise), _weak(promise, classes)]))


def _sets_words(title: str, promise: PromisedSets) -> str:
    return say(
        "{model} names one class for **{one}** of the rows and several for {several}. For **{share}** of the "
        "rows ({low} to {high}) the truth is among the classes named.",
        model=f"**{title}**",
        one=_percentage(promise.sizes[0]),
        several=_percentage(promise.sizes[1:].sum()),
        **_ends(promise.promised.coverage),
    )


def _intervals_words(title: str, promise: PromisedIntervals) -> str:
    if math.isinf(promise.width):
        return say("{model} cannot promise so much: there are too few rows.", model=f"**{title}**")
    return say(
        "{model} names intervals of ± **{half}** around its answer, on average. The truth is inside for "
        "**{share}** of the rows ({low} to {high}).",
        model=f"**{title}**",
        half=number(promise.width / 2),
        **_ends(promise.promised.coverage),
    )


def _ends(share: Share) -> dict[str, str]:
    return {"share": _percentage(share.value), "low": _percentage(share.low), "high": _percentage(share.high)}


def _weak(promise: PromisedSets, classes: Sequence[str]) -> str:
    """Return the classes whose rows get clearly less than was promised over all rows; else empty."""
    terms = promise.promised
    weak = [(name, share) for name, share in zip(classes, terms.by_class, strict=True) if share.high < terms.level]
    if terms.by != ALL or not weak:
        return ""
    parts = ", ".join(say("“{name}” {share}", name=name, share=_percentage(share.value)) for name, share in weak)
    return say(
        "**Less than promised in:** {classes}. Choose “for every class” to promise it there too.", classes=parts
    )


def rule_words(model: PromiseSummary, classes: Sequence[str]) -> str:
    """Return the rule for new rows: the share from which a class belongs to the set, or the width."""
    terms = model.promise.promised
    limits = terms.limits.tolist()
    if isinstance(model.promise, PromisedIntervals):
        if math.isinf(limits[0]):
            return say("any number")
        if terms.by == DOUBT_WIDTH:
            return say(
                "± {limit} times the row's doubt, taken as at least {least}",
                limit=number(limits[0]),
                least=number(terms.least_scale),
            )
        return f"± {number(limits[0])}"
    if terms.by == ALL:
        return _from_share(limits[0])
    each = zip(classes, limits, strict=True)
    return ", ".join(say("“{name}” {share}", name=name, share=_from_share(limit)) for name, limit in each)


def _from_share(limit: float) -> str:
    """Return the least share that a class of the set has, by the limit of 1 − the share."""
    if limit >= 1:
        return say("always")
    if limit <= 0:
        return say("never")
    return say("from a share of {share}", share=percent(round(1 - limit, 3)))


def set_words(inside: Sequence[bool], classes: Sequence[str]) -> str:
    """Return the classes of one row's set: "benign or malignant"."""
    names = [name for is_inside, name in zip(inside, classes, strict=True) if is_inside]
    if len(names) == 1:
        return names[0]
    return say("{classes} or {last}", classes=", ".join(names[:-1]), last=names[-1])


# ---- the promises of leaves as a table: each leaf's rule, its answer, and what holds the truth of new rows in it


def leaves_table(leaves: LeafPromises, tree: Tree, data: Dataset) -> pd.DataFrame:
    """Return a row for each leaf, the heaviest first; of a tree of sums `data` has these as features."""
    missing = np.asarray(np.isnan(data.X).any(axis=0))
    rules = {
        leaf: join([phrase_with_unit(bound, data.features, missing) for bound in bounds], "and")
        for leaf, bounds in leaf_bounds(tree)
    }
    order = np.argsort(-tree.weight[leaves.node], kind="stable").tolist()
    lines = [
        {
            say("then"): says(tree, data.target, int(leaves.node[i])),
            say("truth of new rows"): promise_of(leaves, i, data.classes),
            say("rows held out"): count(int(leaves.n[i])),
            say("if"): rules[int(leaves.node[i])] or say("always"),  # last: a phone shows the first columns
        }
        for i in order
    ]
    return pd.DataFrame(lines)


def promise_of(leaves: LeafPromises, i: int, classes: tuple[str, ...]) -> str:
    """Return what holds the truth of new rows in leaf number i, or that its rows, or their groups, are too few."""
    if not leaves.is_promised[i]:
        n_needed = count(promises.units_needed(leaves.level))
        return say(
            "too few groups: {n} are needed" if leaves.in_groups else "too few rows: {n} are needed", n=n_needed
        )
    if classes:
        return set_words(leaves.sets[i].tolist(), classes)
    low, high = leaves.ends[i].tolist()
    text_of = rounded_to(leaves.ends.ravel())
    return say("{low} to {high}", low=text_of(low), high=text_of(high))


# ---- figures of promises: how large the sets are, and where intervals hold the truth; in pictures and words

BAR = 54  # pixels of a model's bar
AROUND = 46  # pixels of the axis
HEIGHT = 300  # pixels of the curves
LEAST_WRITTEN = 0.2  # of a bar: shorter parts have no words in them
STRENGTHS = (0.45, 0.25, 0.12, 0.05)  # of the ink for sets of one class, of two, …


def sizes_picture(models: Sequence[PromiseSummary]) -> Picture:
    """Return a bar for each model, parted by the number of classes in its sets."""
    lines = []
    for model in models:
        parts = ", ".join(f"{size_words(size)} {_percentage(share)}" for size, share in parts_of(model))
        lines.append(f"{model.title}: {parts}")
    return Picture(partial(_draw_sizes, models), say("Classes in the sets: {models}.", models="; ".join(lines)))


def _draw_sizes(models: Sequence[PromiseSummary], dark: bool) -> go.Figure:
    figure = blank(dark, AROUND + BAR * len(models), hovermode="closest", barmode="stack")
    figure.update_layout(margin={"t": 6}, bargap=0.35)
    text = ink.TEXT[ink.theme_of(dark)]
    for model in models:
        for size, share in parts_of(model):
            strength = STRENGTHS[min(size, len(STRENGTHS)) - 1]
            figure.add_bar(
                x=[share], y=[safe(model.title)], orientation="h",
                marker={"color": f"rgba({','.join(map(str, ink.rgb(text)))},{strength})", "line": edge(text, 1)},
                text=[safe(size_words(size)) if share >= LEAST_WRITTEN else ""], textposition="inside",
                insidetextanchor="middle", textangle=0, constraintext="none",
                textfont={"color": text},
                hovertext=[f"{safe(size_words(size))}: {_percentage(share)}"], hoverinfo="text",
            )  # fmt: skip
    figure.update_xaxes(tickformat=PERCENTS, range=[0, 1])
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def parts_of(model: PromiseSummary) -> list[tuple[int, float]]:
    """Return the sizes of sets that occur, with the share of rows of each."""
    assert isinstance(model.promise, PromisedSets)
    return [(size, share) for size, share in enumerate(model.promise.sizes.tolist(), start=1) if share > 0]


def size_words(size: int) -> str:
    """Return the number of classes in a set."""
    return say("one class") if size == 1 else say("{n} classes", n=size)


def holding_picture(models: Sequence[tuple[PromiseSummary, Steps]]) -> Picture:
    """Return the share of intervals that hold the truth, by tenths of growing doubt, and the share promised."""
    ends = [
        f"{model.title} {say('{low} to {high}', low=_percentage(steps.loss[0]), high=_percentage(steps.loss[-1]))}"
        for model, steps in models
    ]
    words = say(
        "Share of intervals that hold the truth, from the least doubted rows to the most doubted: {models}.",
        models="; ".join(ends),
    )
    return Picture(partial(_draw_holding, models), words)


def _draw_holding(models: Sequence[tuple[PromiseSummary, Steps]], dark: bool) -> go.Figure:
    figure = blank(dark, HEIGHT, hovermode="closest", legend=LEGEND | {"traceorder": "normal"})
    for model, steps in models:
        ranks = (np.cumsum(steps.n) - steps.n / 2) / steps.n.sum()
        figure.add_scatter(
            x=ranks.tolist(), y=steps.loss.tolist(), mode="lines+markers", name=safe(model.title),
            line=edge(colour_of(model.slot, dark), 2) | {"dash": DASHES[model.slot]},
            marker={"symbol": MARKS[model.slot], "size": 9},
            text=[f"{safe(model.title)}: {_percentage(share)}" for share in steps.loss.tolist()],
            hoverinfo="text",
        )  # fmt: skip
    level = models[0][0].promise.promised.level
    figure.add_hline(y=level, line=edge(ink.TEXT[ink.theme_of(dark)], 1.5) | {"dash": "dash"})
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        title_text=say("rows, from the least doubted to the most"), tickformat=PERCENTS, range=[0, 1]
    )
    lowest = min(float(steps.loss.min()) for _, steps in models)
    figure.update_yaxes(
        title_text=say("truth inside"), tickformat=PERCENTS, range=[min(lowest, level) - 0.08, 1.03]
    )
    return figure


def _percentage(share: float) -> str:
    return percent(round(float(share), 3))
