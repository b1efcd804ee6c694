"""The confusion matrix as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from espalier.language import say
from espalier.views import ink
from espalier.views.plotly import blank, safe
from espalier.views.theme import class_colours, number, percent

ROW_HEIGHT = 30  # pixels
MAX_CELL_TEXTS = 12  # with more classes, cells show no numbers
MAX_CELL_HOVERS = 32  # with more classes, cells show no text under the pointer


def confusion_figure(matrix: np.ndarray, classes: Sequence[str], dark: bool = False) -> go.Figure:
    """Return the confusion matrix with true classes in rows: right answers in blue, errors in orange.

    Colours are darker for a greater share of the row's samples; cells show numbers. `matrix` comes from
    `analysis.comparison.scores.confusion`.
    """
    n = len(classes)
    total = matrix.sum(axis=1, keepdims=True)
    share = matrix / np.where(total > 0, total, 1)
    depth = np.where(np.eye(n, dtype=bool), share, -share)
    figure = blank(dark, max(ROW_HEIGHT * n, 90) + 90, hovermode="closest")
    figure.add_heatmap(
        z=np.round(depth, 4),
        zmin=-1,
        zmax=1,
        colorscale=[[(level + 1) / 2, _depth_colour(level, dark)] for level in (-1, -1e-3, 0, 1e-3, 1)],
        showscale=False,
        xgap=2,
        ygap=2,
        hovertext=_cell_texts(matrix, share, classes) if n <= MAX_CELL_HOVERS else None,
        hoverinfo="text" if n <= MAX_CELL_HOVERS else "skip",
    )
    if n <= MAX_CELL_TEXTS:
        _write_cells(figure, matrix, depth, dark)
    ticks = {"tickvals": list(range(n)), "ticktext": [safe(name) for name in classes], "showgrid": False}
    figure.update_xaxes(ticks, title_text=say("predicted"), side="top")
    figure.update_yaxes(ticks, title={"text": say("true"), "standoff": 12}, range=[n - 0.5, -0.5])
    figure.update_layout(margin={"t": 4})
    return figure


def _depth_colour(depth: float, dark: bool) -> str:
    """Return the colour of a cell: blue for right answers (above 0), orange for errors; nothing at 0."""
    theme = ink.theme_of(dark)
    colour = class_colours(6)[theme][0 if depth > 0 else 5]
    return ink.mixed(colour, ink.PAPER[theme], 0.08 + 0.92 * abs(depth) if depth else 0.0)


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


def _write_cells(figure: go.Figure, matrix: np.ndarray, depth: np.ndarray, dark: bool) -> None:
    rows, columns = np.nonzero(matrix)
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="text",
        text=[_amount(v) for v in matrix[rows, columns]],
        textfont={"color": [ink.readable_on(_depth_colour(d, dark)) for d in depth[rows, columns].tolist()]},
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
