"""The distribution of the target in a node, beside that in all samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.data.weights import weighted_mean
from espalier.display import ink, theme
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.text.trees import rows_words
from espalier.display.theme import colours_of, number, percent, rounded_to
from espalier.inert import short_names
from espalier.language import say
from espalier.learners.boosting.loss import weighted_median

HISTOGRAM_HEIGHT, ROW_HEIGHT = 190, 30  # pixels; a row is a bar
MOST_LETTERS = 30  # of a name beside a bar
MAX_BARS = 12  # classes with a bar of their own


def target_histogram(
    y: np.ndarray,
    inside: np.ndarray,
    target: Feature,
    mean: float | None = None,
    dark: bool = False,
    weight: np.ndarray | None = None,
) -> go.Figure:
    """Return the histogram of a numeric target: a node's samples, `inside` (n_samples,), before all of them.

    `inside` is bool, or the fraction of each sample that is in the node. `mean` marks what the node predicts.
    Rows count by `weight` (n_samples,), or all the same.
    """
    theme = ink.theme_of(dark)
    figure = blank(dark, HISTOGRAM_HEIGHT, barmode="overlay", bargap=0.04, hovermode="closest")
    edges = np.histogram_bin_edges(y, bins=min(max(round(math.sqrt(len(y))), 5), 40))
    _add_counts(figure, np.histogram(y, edges, weights=weight)[0], edges, ink.FAINT[theme], say("all rows"))
    inside, whole = inside if weight is None else inside * weight, inside.dtype == np.bool_ and weight is None
    here = np.histogram(y[inside], edges)[0] if whole else np.histogram(y, edges, weights=inside)[0]
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
    said = say("{low} to {high}")
    ends = [rounded_to(edges)(edge) for edge in edges.tolist()]
    spans = [said.format(low=low, high=high) for low, high in itertools.pairwise(ends)]
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=count,
        width=np.diff(edges),
        marker={"color": colour, "line_width": 0},
        hovertext=[f"{name}, {span}: {number(n)}" for n, span in zip(count.tolist(), spans, strict=True)],
        hoverinfo="text",
    )


def histogram_alt(y: np.ndarray, inside: np.ndarray, target: Feature, weight: np.ndarray | None = None) -> str:
    """Return the target's histogram in a sentence; `inside` and `weight` as in `target_histogram`."""
    here, inside = y[inside > 0], inside if weight is None else inside * weight
    if not len(here):
        return say("No rows of {target} in this node.", target=target.name)
    is_median, every = target.centre == "median", np.ones(len(y)) if weight is None else weight
    middle, written = weighted_median if is_median else weighted_mean, rounded_to((y.min(), y.max()))
    return say(
        "{target} of {rows} in this node: from {low} to {high}, median {centre}; of all {n} rows the median is "
        "{of_all}."
        if is_median
        else "{target} of {rows} in this node: from {low} to {high}, mean {centre}; of all {n} rows the mean is "
        "{of_all}.",
        target=target.name,
        rows=rows_words(len(here)),
        low=written(float(here.min())),
        high=written(float(here.max())),
        centre=written(middle(here, inside[inside > 0].astype(np.float64))),
        n=theme.count(len(y)),
        of_all=written(middle(y, every)),
    )


def class_bar(shares: np.ndarray, root_shares: np.ndarray, target: Feature, dark: bool = False) -> go.Figure:
    """Return bars of a node's class shares (n_classes,), each with a tick at the share among all samples."""
    order = np.sort(np.argsort(-shares, kind="stable")[:MAX_BARS])
    places = list(range(len(order)))
    figure = blank(dark, ROW_HEIGHT * len(order) + 50, bargap=0.3, hovermode="closest")
    colours = colours_of(target)[ink.theme_of(dark)]
    texts = [percent(float(share)) for share in shares[order]]
    of_all = [percent(float(share)) for share in root_shares[order]]
    names = [safe(target.categories[int(k)]) for k in order]
    short = [safe(name) for name in short_names([target.categories[int(k)] for k in order], MOST_LETTERS)]
    said = say("{name}: {here}, of all rows {of_all}")
    figure.add_bar(
        x=shares[order],
        y=places,
        orientation="h",
        marker={"color": [colours[k] for k in order.tolist()], "line_width": 0},
        text=texts,
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            said.format(name=name, here=here, of_all=share)
            for name, here, share in zip(names, texts, of_all, strict=True)
        ],
        hoverinfo="text",
    )
    _tick_bars(figure, root_shares[order], places, dark)
    figure.update_xaxes(range=[0, 1.12], tickformat=PERCENTS, tickvals=[0, 0.25, 0.5, 0.75, 1])
    title = say("share of the node (tick: of all rows)")
    figure.update_xaxes(title_text="; ".join([title, *_unlisted(len(shares))]))
    figure.update_yaxes(tickvals=places, ticktext=short, autorange="reversed", showgrid=False)
    figure.update_layout(margin={"t": 4})
    return figure


def _tick_bars(figure: go.Figure, x: np.ndarray, places: list[int], dark: bool) -> None:
    marker = {"symbol": "line-ns", "size": 16, "line": edge(ink.TEXT[ink.theme_of(dark)], 2)}
    figure.add_scatter(x=x, y=places, mode="markers", marker=marker, hoverinfo="skip")


def class_bar_alt(shares: np.ndarray, root_shares: np.ndarray, target: Feature) -> str:
    """Return the class shares in a sentence, the largest first."""
    said = say("{name} {share} (of all rows {of_all})")
    parts = [
        said.format(
            name=target.categories[k], share=percent(float(shares[k])), of_all=percent(float(root_shares[k]))
        )
        for k in np.argsort(-shares, kind="stable")[:MAX_BARS].tolist()
    ]
    return say("Class shares: {shares}.", shares=", ".join([*parts, *_unlisted(len(shares))]))


def _unlisted(n_classes: int) -> list[str]:
    """Return how many classes have no bar, in words; nothing where each has one."""
    n = n_classes - MAX_BARS
    return [say("and {n} class more" if n == 1 else "and {n} classes more", n=theme.count(n))] if n > 0 else []
