"""Pictures of the inspector and the scores, drawn by Plotly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.data.roles import weighted_mean
from espalier.display import ink, theme
from espalier.display.cultivated import about, answer_sentence, summary_of_answer
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.text.trees import answers_of, class_fills, class_words, rows_words
from espalier.display.theme import colours_of, number, percent, rounded_to
from espalier.inert import short_names
from espalier.language import say
from espalier.learners.missing import weighted_median
from espalier.tree.modules import CultivatedAnswer
from espalier.trees import CultivatedTree

HISTOGRAM_HEIGHT, ROW_HEIGHT = 190, 30  # pixels; a row is a bar
MOST_LETTERS = 30  # of a name beside a bar
MAX_BARS = 12  # classes with a bar of their own


def target_histogram(
    y: np.ndarray,
    inside: np.ndarray,
    target: Feature,
    mean: float | None = None,
    weight: np.ndarray | None = None,
) -> Picture:
    """Return the histogram of a numeric target: a node's samples, `inside` (n_samples,), before all of them.

    `inside` is bool, or the fraction of each sample that is in the node. `mean` marks what the node predicts.
    Rows count by `weight` (n_samples,), or all the same.
    """
    draw = partial(_draw_histogram, y, inside, target, mean, weight)
    return Picture(draw, _histogram_words(y, inside, target, weight))


def _draw_histogram(
    y: np.ndarray,
    inside: np.ndarray,
    target: Feature,
    mean: float | None,
    weight: np.ndarray | None,
    dark: bool,
) -> go.Figure:
    theme = ink.theme_of(dark)
    figure = blank(dark, HISTOGRAM_HEIGHT, barmode="overlay", bargap=0.04, hovermode="closest")
    edges = np.histogram_bin_edges(y, bins=min(max(round(math.sqrt(len(y))), 5), 40))
    _add_counts(figure, np.histogram(y, edges, weights=weight)[0], edges, ink.FAINT[theme], say("all rows"))
    inside, is_plain = inside if weight is None else inside * weight, inside.dtype == np.bool_ and weight is None
    here = np.histogram(y[inside], edges)[0] if is_plain else np.histogram(y, edges, weights=inside)[0]
    _add_counts(figure, here, edges, ink.accent(dark), say("this node"))
    if mean is not None:
        label = {
            "text": f"<b>{rounded_to([mean, *edges])(mean)}</b>",
            "yanchor": "bottom",
            "y": 1,
            "yref": "paper",
        }
        figure.add_vline(mean, line=edge(ink.TEXT[theme], 2), annotation=label, annotation_position="top")
    figure.update_xaxes(title_text=safe(target.name), showgrid=False)
    figure.update_yaxes(title_text=say("rows" if weight is None else "weight"), nticks=4)
    return figure


def _add_counts(figure: go.Figure, count: np.ndarray, edges: np.ndarray, colour: str, name: str) -> None:
    text = say("{low} to {high}")
    ends = [rounded_to(edges)(edge) for edge in edges.tolist()]
    spans = [text.format(low=low, high=high) for low, high in itertools.pairwise(ends)]
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=count,
        width=np.diff(edges),
        marker={"color": colour, "line_width": 0},
        hovertext=[f"{name}, {span}: {number(n)}" for n, span in zip(count.tolist(), spans, strict=True)],
        hoverinfo="text",
    )


def _histogram_words(y: np.ndarray, inside: np.ndarray, target: Feature, weight: np.ndarray | None) -> str:
    here, inside = y[inside > 0], inside if weight is None else inside * weight
    if not len(here):
        return say("No rows of {target} in this node.", target=target.name)
    is_median, every = target.centre == "median", np.ones(len(y)) if weight is None else weight
    middle, format_value = weighted_median if is_median else weighted_mean, rounded_to((y.min(), y.max()))
    return say(
        "{target} of {rows} in this node: from {low} to {high}, median {centre}; of all {n} rows the median is "
        "{of_all}."
        if is_median
        else "{target} of {rows} in this node: from {low} to {high}, mean {centre}; of all {n} rows the mean is "
        "{of_all}.",
        target=target.name,
        rows=rows_words(len(here)),
        low=format_value(float(here.min())),
        high=format_value(float(here.max())),
        centre=format_value(middle(here, inside[inside > 0].astype(np.float64))),
        n=theme.count(len(y)),
        of_all=format_value(middle(y, every)),
    )


def class_bars(shares: np.ndarray, root_shares: np.ndarray, target: Feature) -> Picture:
    """Return bars of a node's class shares (n_classes,), each with a tick at the share among all samples.

    The words begin with the largest.
    """
    text = say("{name} {share} (of all rows {of_all})")
    parts = [
        text.format(
            name=target.categories[k], share=percent(float(shares[k])), of_all=percent(float(root_shares[k]))
        )
        for k in np.argsort(-shares, kind="stable")[:MAX_BARS].tolist()
    ]
    words = say("Class shares: {shares}.", shares=", ".join([*parts, *_rest_words(len(shares))]))
    return Picture(partial(_draw_classes, shares, root_shares, target), words)


def _draw_classes(shares: np.ndarray, root_shares: np.ndarray, target: Feature, dark: bool) -> go.Figure:
    order = np.sort(np.argsort(-shares, kind="stable")[:MAX_BARS])
    places = list(range(len(order)))
    figure = blank(dark, ROW_HEIGHT * len(order) + 50, bargap=0.3, hovermode="closest")
    colours = colours_of(target)[ink.theme_of(dark)]
    texts = [percent(float(share)) for share in shares[order]]
    of_all = [percent(float(share)) for share in root_shares[order]]
    names = [safe(target.categories[int(k)]) for k in order]
    short = [safe(name) for name in short_names([target.categories[int(k)] for k in order], MOST_LETTERS)]
    text = say("{name}: {here}, of all rows {of_all}")
    figure.add_bar(
        x=shares[order],
        y=places,
        orientation="h",
        marker={"color": [colours[k] for k in order.tolist()], "line_width": 0},
        text=texts,
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            text.format(name=name, here=here, of_all=share)
            for name, here, share in zip(names, texts, of_all, strict=True)
        ],
        hoverinfo="text",
    )
    marker = {"symbol": "line-ns", "size": 16, "line": edge(ink.TEXT[ink.theme_of(dark)], 2)}
    figure.add_scatter(x=root_shares[order], y=places, mode="markers", marker=marker, hoverinfo="skip")
    figure.update_xaxes(range=[0, 1.12], tickformat=PERCENTS, tickvals=[0, 0.25, 0.5, 0.75, 1])
    title = say("share of the node (tick: of all rows)")
    figure.update_xaxes(title_text="; ".join([title, *_rest_words(len(shares))]))
    figure.update_yaxes(tickvals=places, ticktext=short, autorange="reversed", showgrid=False)
    figure.update_layout(margin={"t": 4})
    return figure


def _rest_words(n_classes: int) -> list[str]:
    """Return how many classes have no bar, in words; nothing where each has one."""
    n = n_classes - MAX_BARS
    return [say("and {n} class more" if n == 1 else "and {n} classes more", n=theme.count(n))] if n > 0 else []


# Confusion matrix ------------------------------------------------------------------------------------

CELL_HEIGHT = 30  # pixels
LETTERS_BESIDE_CELLS = 24  # of a name beside the cells
MAX_CELL_TEXTS = 12  # with more classes, cells show no numbers
WITHIN = 0.02, 0.98  # of the room that each class has on the scale of colours, so that no two meet
MAX_CELL_HOVERS = 32  # with more classes, cells show no text under the pointer


def confusion_picture(matrix: np.ndarray, target: Feature) -> Picture:
    """Return the confusion matrix with true classes in rows: right answers in their class's colour, errors grey.

    Colours are darker for a greater share of the row's samples; cells show numbers. `matrix` comes from
    `comparison.scores.confusion`.
    """
    words = say(
        "Confusion matrix: {right} of {total} of the rows' weight is right."
        if matrix.dtype.kind == "f"
        else "Confusion matrix: {right} of {total} rows are right.",
        right=number(float(np.trace(matrix))),
        total=number(float(matrix.sum())),
    )
    errors = matrix - np.diag(np.diag(matrix))
    words = f"{words} {_worst(errors, target.categories)}" if errors.any() else words
    return Picture(partial(_draw_confusion, matrix, target), words)


def _draw_confusion(matrix: np.ndarray, target: Feature, dark: bool) -> go.Figure:
    n, classes = len(target.categories), target.categories
    total = matrix.sum(axis=1, keepdims=True)
    share = matrix / np.where(total > 0, total, 1)
    scales = _scales(target, dark)
    scale = np.where(np.eye(n, dtype=bool), np.arange(n)[:, None], n)  # one for each class, and one for errors
    figure = blank(dark, max(CELL_HEIGHT * n, 90) + 90, hovermode="closest")
    figure.add_heatmap(
        z=np.round(np.where(matrix > 0, scale + WITHIN[0] + (WITHIN[1] - WITHIN[0]) * share, np.nan), 4),
        zmin=0,
        zmax=n + 1,
        colorscale=[[(at + level) / (n + 1), ends[level]] for at, ends in enumerate(scales) for level in (0, 1)],
        showscale=False,
        xgap=2,
        ygap=2,
        hovertext=_cell_texts(matrix, share, classes) if n <= MAX_CELL_HOVERS else None,
        hoverinfo="text" if n <= MAX_CELL_HOVERS else "skip",
    )
    if n <= MAX_CELL_TEXTS:
        _write_cells(figure, matrix, share, target, dark)
    ticks = {
        "tickvals": list(range(n)),
        "ticktext": [safe(name) for name in short_names(classes, LETTERS_BESIDE_CELLS)],
        "showgrid": False,
    }
    figure.update_xaxes(ticks, title_text=say("predicted"), side="top")
    figure.update_yaxes(ticks, title={"text": say("true"), "standoff": 12}, range=[n - 0.5, -0.5])
    figure.update_layout(margin={"t": 4})
    return figure


def _scales(target: Feature, dark: bool) -> list[tuple[str, str]]:
    """Return both ends of the colours of each class's right answers, and last those of errors."""
    theme = ink.theme_of(dark)
    paper = ink.PAPER[theme]
    strong = [*colours_of(target)[theme], ink.mix(ink.TEXT[theme], paper, 0.6)]
    return [(ink.mix(colour, paper, 0.08), colour) for colour in strong]


def _cell_texts(matrix: np.ndarray, share: np.ndarray, classes: Sequence[str]) -> list[list[str]]:
    names = [safe(name) for name in classes]
    text = say("{true} taken for {taken}: {rows}, {share}")
    return [
        [
            text.format(true=true, taken=answer, rows=number(float(matrix[i, j])), share=percent(share[i, j]))
            for j, answer in enumerate(names)
        ]
        for i, true in enumerate(names)
    ]


def _write_cells(figure: go.Figure, matrix: np.ndarray, share: np.ndarray, target: Feature, dark: bool) -> None:
    rows, columns = np.nonzero(matrix)
    scales = _scales(target, dark)
    fills = [
        ink.mix(scales[i if i == j else -1][1], scales[i if i == j else -1][0], float(share[i, j]))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="text",
        text=[number(float(v)) for v in matrix[rows, columns]],
        textfont={"color": [ink.readable_on(fill) for fill in fills]},
        hoverinfo="skip",
    )


def _worst(errors: np.ndarray, classes: Sequence[str]) -> str:
    """Return the most frequent error in a sentence."""
    i, j = divmod(int(errors.argmax()), len(classes))
    values = {"true": classes[i], "taken": classes[j], "n": number(float(errors[i, j]))}
    if errors.dtype.kind == "f":
        return say("The most frequent error takes {true} for {taken}, with a weight of {n}.", **values)
    if errors[i, j] == 1:
        return say("The most frequent error takes {true} for {taken}, once.", true=classes[i], taken=classes[j])
    return say("The most frequent error takes {true} for {taken}, {n} times.", **values)


# Leaves of a cultivated tree -------------------------------------------------------------------------

ANSWER_HEIGHT = 210  # pixels
BINS = 50  # along the axis: leaves with values in the same bin are stacked
MAX_LEAVES = 80  # up to which each has an outline


def answer_picture(tree: CultivatedTree, answer: CultivatedAnswer, target: Feature) -> Picture:
    """Return bars of the fractions at the leaves' values, with the weighted mean as a line and sigma as a band.

    For classes the value is the share of the predicted one; a leaf has the colour of its own first class.
    """
    values = tree.value[answer.leaves, int(np.argmax(answer.mean)) if target.categories else 0]
    format_value = rounded_to(values)
    words = say(
        "{answer}, with values from {low} to {high}; the first leaf has {share} of the row.",
        answer=answer_sentence(answer, target),
        low=format_value(float(values.min())),
        high=format_value(float(values.max())),
        share=percent(float(answer.fractions[0])),
    )
    return Picture(partial(_draw_answer, tree, answer, target, values), words)


def _draw_answer(
    tree: CultivatedTree, answer: CultivatedAnswer, target: Feature, values: np.ndarray, dark: bool
) -> go.Figure:
    theme = ink.theme_of(dark)
    figure = blank(dark, ANSWER_HEIGHT, barmode="stack", bargap=0.0, hovermode="closest")
    mean, spread, name = summary_of_answer(answer, target)
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
    text = say("leaf {leaf}: {answer}, fraction {share}")
    words = [
        text.format(leaf=leaf, answer=safe(_hover(tree, target, leaf)), share=percent(part))
        for leaf, part in zip(answer.leaves.tolist(), answer.fractions.tolist(), strict=True)
    ]
    marker = {"color": colours, "line": edge(ink.PAPER[theme], 0.0 if many else 1.0)}
    return {"y": answer.fractions, "marker": marker, "hovertext": words, "hoverinfo": "text"}


def _hover(tree: CultivatedTree, target: Feature, leaf: int) -> str:
    value = tree.value[leaf]
    if not target.categories:
        return answers_of(tree)(float(value[0]))
    return f"{class_words(target, value, str)} {about(float(value.max()))}"
