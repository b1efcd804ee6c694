"""Pictures of a forest: agreement of its trees, and importance of features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go

from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, quiet_axis, safe
from espalier.display.svg import shortened
from espalier.display.theme import count, number, percent
from espalier.forests.agreement import likeness_order, mean_agreement
from espalier.forests.growth import Importance
from espalier.language import say

MATRIX_HEIGHT, BAR = 420, 24  # pixels
MOST_TREES = 150  # of a matrix: more would be megabytes, and more cells than a screen shows
MOST_FEATURES, MOST_NAMED = 20, 5  # with a bar; named in words
MOST_LETTERS = 28  # of a feature's name


# ---- the matrix


def agreement_picture(matrix: np.ndarray, ends: tuple[float, float] | None = None) -> Picture:
    """Return the heatmap of an agreement matrix (n_trees, n_trees), darker where trees agree more.

    Trees that agree are side by side. Every tree agrees with itself, so the diagonal is blank. Of more than
    `MOST_TREES`, an even selection in that order is shown, which the words say. Trees are counted from 1. `ends`
    are those of the scale of colours, where not the least and the greatest agreement are.
    """
    order = likeness_order(matrix)
    order = order[:: -(-len(order) // MOST_TREES)]
    return Picture(partial(_draw_agreement, matrix, order, ends), _agreement_words(matrix, len(order)))


def _draw_agreement(
    matrix: np.ndarray, order: np.ndarray, ends: tuple[float, float] | None, dark: bool
) -> go.Figure:
    theme, names = ink.theme_of(dark), [say("tree {number}", number=tree + 1) for tree in order.tolist()]
    alike = np.where(order[:, None] == order, np.nan, matrix[np.ix_(order, order)])
    figure = blank(dark, MATRIX_HEIGHT, hovermode="closest")
    figure.add_heatmap(
        x=names,
        y=names,
        z=[[None if np.isnan(value) else round(value, 4) for value in row] for row in alike.tolist()],
        colorscale=[[0, ink.mix(ink.TEXT[theme], ink.PAPER[theme], 0.06)], [1, ink.TEXT[theme]]],
        colorbar={
            "tickformat": PERCENTS,
            "thickness": 12,
            "outlinewidth": 0,
            "title": {"text": say("vote alike")},
        },
        hovertemplate=say(
            "{first} and {second} vote alike on {share}", first="%{x}", second="%{y}", share="%{z:.1%}"
        )
        + "<extra></extra>",
        hoverongaps=False,
        **({} if ends is None else {"zmin": ends[0], "zmax": ends[1]}),
    )
    bare = {"showticklabels": False, "showgrid": False, "type": "category"}
    figure.update_xaxes(bare, title_text=say("trees, those that agree side by side"), constrain="domain")
    figure.update_yaxes(bare, autorange="reversed", scaleanchor="x", constrain="domain")
    return figure


def _agreement_words(matrix: np.ndarray, n_there: int) -> str:
    """Return the mean, and the pairs of trees that agree least and most; `n_there` trees are drawn."""
    n = len(matrix)
    if n < 2:
        return say("A single tree has no other to agree with.")
    first, second = np.triu_indices(n, 1)
    pairs = matrix[first, second]
    least, most = int(pairs.argmin()), int(pairs.argmax())
    text = say(
        "Two of the {n} trees vote alike on {mean} of the rows on average, trees {a} and {b} on {least}, the "
        "fewest, and trees {c} and {d} on {most}, the most.",
        n=n,
        mean=percent(mean_agreement(matrix)),
        a=first[least] + 1,
        b=second[least] + 1,
        least=percent(pairs[least]),
        c=first[most] + 1,
        d=second[most] + 1,
        most=percent(pairs[most]),
    )
    return f"{text} {say('The picture shows {n} of the trees.', n=n_there)}" if n_there < n else text


# ---- importance


def importance_picture(
    importance: Importance, names: Sequence[str], is_share: bool, reach: Sequence[float] | None = None
) -> Picture:
    """Return bars of feature importance, the greatest on top, with standard errors of the mean; at most 20.

    names (n_features,) are those of the features; `is_share`: errors are shares of rows; `reach` are both ends of
    the axis, if they are fixed.
    """
    order = np.argsort(-importance.mean, kind="stable")[:MOST_FEATURES]
    parts = [f"{names[i]} {_rise(float(importance.mean[i]), is_share)}" for i in order[:MOST_NAMED].tolist()]
    words = say("Shuffling a column raises the error: {columns}.", columns=", ".join(parts))
    if useless := int(np.count_nonzero(importance.mean <= 0)):
        rest = say("{n} of {n_all} columns do not raise it.", n=count(useless), n_all=count(len(names)))
        words = f"{words} {rest}"
    return Picture(partial(_draw_importance, importance, names, is_share, reach, order), words)


def _draw_importance(
    importance: Importance,
    names: Sequence[str],
    is_share: bool,
    reach: Sequence[float] | None,
    order: np.ndarray,
    dark: bool,
) -> go.Figure:
    mean, off = importance.mean[order], np.nan_to_num(importance.error[order])
    figure = blank(dark, BAR * len(order) + 60, hovermode="closest", bargap=0.35)
    figure.add_bar(
        x=mean,
        y=list(range(len(order))),
        orientation="h",
        marker={"color": ink.LINE[ink.theme_of(dark)]},
        error_x={
            "type": "data",
            "array": off,
            "color": ink.TEXT[ink.theme_of(dark)],
            "thickness": 1,
            "width": 3,
        },
        hovertext=[_hover(importance, names, i, is_share) for i in order.tolist()],
        hoverinfo="text",
    )
    labels = [safe(shortened(names[int(i)], MOST_LETTERS)) for i in order]
    ticks = {"tickvals": list(range(len(order))), "ticktext": labels}
    figure.update_yaxes(ticks, autorange="reversed", showgrid=False)
    line = {"zeroline": True, "zerolinecolor": ink.LINE[ink.theme_of(dark)]}
    figure.update_xaxes(
        quiet_axis(dark) | line | ({"tickformat": PERCENTS} if is_share else {}),
        title_text=say("the error rises by" if is_share else "the mean squared error rises by"),
        range=reach,
    )
    return figure


def _hover(importance: Importance, names: Sequence[str], feature: int, is_share: bool) -> str:
    mean, spread, off = (float(part[feature]) for part in (importance.mean, importance.spread, importance.error))
    values = {"name": safe(names[feature]), "rise": _rise(mean, is_share)}
    if np.isnan(off):
        return say("{name}: shuffled, the error rises by {rise}", **values)
    return say(
        "{name}: shuffled, the error rises by {rise} ± {off} (standard error); over the trees it varies "
        "by {spread}",
        **values,
        off=_rise(off, is_share),
        spread=_rise(spread, is_share),
    )


def _rise(value: float, is_share: bool) -> str:
    return say("{n} pts", n=number(100 * value)) if is_share else number(value)
