"""The parts of a cultivated tree's prediction: the values of its leaves, and their fractions."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.cultivated.words import about, in_a_sentence, shown
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.text.answers import class_fills, class_words
from espalier.display.text.trees import answers_of
from espalier.display.theme import colours_of, number, percent, rounded_to
from espalier.language import say
from espalier.tree.modules import CultivatedAnswer
from espalier.trees import CultivatedTree

HEIGHT = 210  # pixels
BINS = 50  # along the axis: leaves with values in the same bin are stacked
MAX_LEAVES = 80  # up to which each has an outline


def answer_figure(
    tree: CultivatedTree, answer: CultivatedAnswer, target: Feature, dark: bool = False
) -> go.Figure:
    """Return bars of the fractions at the leaves' values, with the weighted mean as a line and sigma as a band.

    For classes the value is the share of the predicted one; a leaf has the colour of its own first class.
    """
    theme = ink.theme_of(dark)
    figure = blank(dark, HEIGHT, barmode="stack", bargap=0.0, hovermode="closest")
    mean, spread, name = shown(answer, target)
    values = _values(tree, answer, target)
    low, high = (0.0, 1.0) if target.categories else _span(tree)
    width = (high - low) / BINS
    figure.add_vrect(mean - spread, mean + spread, fillcolor=ink.GRID[theme], line_width=0, layer="below")
    x = low + width * (np.round((values - low) / width))
    figure.add_bar(x=x, width=0.9 * width, **_leaves(tree, answer, target, dark))
    text = number(mean) if target.categories else answers_of(tree)(mean)
    label = {"text": f"<b>{text}</b>", "yanchor": "bottom", "y": 1, "yref": "paper"}
    figure.add_vline(mean, line=edge(ink.TEXT[theme], 2), annotation=label, annotation_position="top")
    title = say("share of {name} in the leaf" if name else "{name} in the leaf", name=name or target.name)
    figure.update_xaxes(title_text=safe(title), range=[low - 1.5 * width, high + 1.5 * width], showgrid=False)
    figure.update_yaxes(title_text=say("fraction of the row"), tickformat=PERCENTS, nticks=5, rangemode="tozero")
    return figure


def _values(tree: CultivatedTree, answer: CultivatedAnswer, target: Feature) -> np.ndarray:
    column = int(np.argmax(answer.mean)) if target.categories else 0
    return tree.value[answer.leaves, column]


def _span(tree: CultivatedTree) -> tuple[float, float]:
    leaves = tree.value[tree.left < 0, 0]
    low, high = float(leaves.min()), float(leaves.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _leaves(tree: CultivatedTree, answer: CultivatedAnswer, target: Feature, dark: bool) -> dict[str, Any]:
    """Return heights, colours and words of the leaves' bars, as Plotly takes them."""
    theme = ink.theme_of(dark)
    value, n = tree.value[answer.leaves], len(answer.leaves)
    colours = class_fills(target, value, dark) if target.categories else [colours_of(target)[theme][0]] * n
    many = len(answer.leaves) > MAX_LEAVES
    said = say("leaf {leaf}: {answer}, fraction {share}")
    words = [
        said.format(leaf=leaf, answer=safe(_hover(tree, target, leaf)), share=percent(part))
        for leaf, part in zip(answer.leaves.tolist(), answer.fractions.tolist(), strict=True)
    ]
    marker = {"color": colours, "line": edge(ink.PAPER[theme], 0.0 if many else 1.0)}
    return {"y": answer.fractions, "marker": marker, "hovertext": words, "hoverinfo": "text"}


def _hover(tree: CultivatedTree, target: Feature, leaf: int) -> str:
    value = tree.value[leaf]
    if not target.categories:
        return answers_of(tree)(float(value[0]))
    return f"{class_words(target, value, str)} {about(float(value.max()))}"


def answer_alt(tree: CultivatedTree, answer: CultivatedAnswer, target: Feature) -> str:
    """Return the figure in a sentence."""
    values = _values(tree, answer, target)
    rounded = rounded_to(values)
    return say(
        "{answer}, with values from {low} to {high}; the first leaf has {share} of the row.",
        answer=in_a_sentence(answer, target),
        low=rounded(float(values.min())),
        high=rounded(float(values.max())),
        share=percent(float(answer.fractions[0])),
    )
