"""The confusion matrix as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.plotly import blank, safe
from espalier.display.theme import colours_of, number, percent
from espalier.inert import short_names
from espalier.language import say

ROW_HEIGHT = 30  # pixels
MOST_LETTERS = 24  # of a name beside the cells
MAX_CELL_TEXTS = 12  # with more classes, cells show no numbers
WITHIN = 0.02, 0.98  # of the room that each class has on the scale of colours, so that no two meet
MAX_CELL_HOVERS = 32  # with more classes, cells show no text under the pointer


def confusion_figure(matrix: np.ndarray, target: Feature, dark: bool = False) -> go.Figure:
    """Return the confusion matrix with true classes in rows: right answers in their class's colour, errors grey.

    Colours are darker for a greater share of the row's samples; cells show numbers. `matrix` comes from
    `comparison.scores.confusion`.
    """
    n, classes = len(target.categories), target.categories
    total = matrix.sum(axis=1, keepdims=True)
    share = matrix / np.where(total > 0, total, 1)
    scales = _scales(target, dark)
    scale = np.where(np.eye(n, dtype=bool), np.arange(n)[:, None], n)  # one for each class, and one for errors
    figure = blank(dark, max(ROW_HEIGHT * n, 90) + 90, hovermode="closest")
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
        "ticktext": [safe(name) for name in short_names(classes, MOST_LETTERS)],
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
    strong = [*colours_of(target)[theme], ink.mixed(ink.TEXT[theme], paper, 0.6)]
    return [(ink.mixed(colour, paper, 0.08), colour) for colour in strong]


def _cell_texts(matrix: np.ndarray, share: np.ndarray, classes: Sequence[str]) -> list[list[str]]:
    names = [safe(name) for name in classes]
    said = say("{true} taken for {taken}: {rows}, {share}")
    return [
        [
            said.format(true=true, taken=taken, rows=_amount(matrix[i, j]), share=percent(share[i, j]))
            for j, taken in enumerate(names)
        ]
        for i, true in enumerate(names)
    ]


def _amount(cell: Any) -> str:
    """Return a number of rows, or their weight."""
    return number(float(cell))


def _write_cells(figure: go.Figure, matrix: np.ndarray, share: np.ndarray, target: Feature, dark: bool) -> None:
    rows, columns = np.nonzero(matrix)
    scales = _scales(target, dark)
    fills = [
        ink.mixed(scales[i if i == j else -1][1], scales[i if i == j else -1][0], float(share[i, j]))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="text",
        text=[_amount(v) for v in matrix[rows, columns]],
        textfont={"color": [ink.readable_on(fill) for fill in fills]},
        hoverinfo="skip",
    )


def confusion_alt(matrix: np.ndarray, classes: Sequence[str]) -> str:
    """Return the confusion matrix in sentences: how many are right, and the most frequent error."""
    total, right = _amount(matrix.sum()), _amount(np.trace(matrix))
    text = say(
        "Confusion matrix: {right} of {total} of the rows' weight is right."
        if matrix.dtype.kind == "f"
        else "Confusion matrix: {right} of {total} rows are right.",
        right=right,
        total=total,
    )
    errors = matrix - np.diag(np.diag(matrix))
    return f"{text} {_worst(errors, classes)}" if errors.any() else text


def _worst(errors: np.ndarray, classes: Sequence[str]) -> str:
    i, j = divmod(int(errors.argmax()), len(classes))
    found = {"true": classes[i], "taken": classes[j], "n": _amount(errors[i, j])}
    if errors.dtype.kind == "f":
        return say("The most frequent error takes {true} for {taken}, with a weight of {n}.", **found)
    if errors[i, j] == 1:
        return say("The most frequent error takes {true} for {taken}, once.", true=classes[i], taken=classes[j])
    return say("The most frequent error takes {true} for {taken}, {n} times.", **found)
