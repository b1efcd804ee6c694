"""Trees as good between accuracy, size and stability: a figure whose points are trees, and its table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from espalier.analysis.stability.front import StablePoint
from espalier.language import say, to_say
from espalier.views import ink
from espalier.views.optimal.words import amount
from espalier.views.plotly import blank
from espalier.views.theme import count, number

HEIGHT = 300  # pixels
ERRORS, COST, SPLITS, DISTANCE = to_say("errors"), to_say("cost"), to_say("splits"), to_say("distance")
BEATEN, UNBEATEN = 6, 11  # pixels of a point


def front_figure(
    points: Sequence[StablePoint], kept: Sequence[StablePoint], counted: bool, dark: bool
) -> go.Figure:
    """Return the distance of each tree from redrawn ones against its errors, or cost unless they are `counted`.

    Points carry their number among `points`; those of the front, `kept`, are large.
    """
    figure, theme = blank(dark, HEIGHT, hovermode="closest"), ink.theme_of(dark)
    unbeaten = set(map(id, kept))
    sizes = ((False, BEATEN, ink.LINE[theme]), (True, UNBEATEN, ink.accent(dark)))
    for is_kept, size, colour in sizes:
        some = [at for at, point in enumerate(points) if (id(point) in unbeaten) == is_kept]
        figure.add_scatter(
            x=[points[at].objective for at in some], y=[points[at].distance for at in some], customdata=some,
            mode="markers", marker={"size": size, "color": colour, "opacity": 1.0 if is_kept else 0.5},
            text=[point_words(points[at], counted) for at in some], hoverinfo="text",
        )  # fmt: skip
    figure.update_xaxes(title_text=say(ERRORS if counted else COST))
    figure.update_yaxes(title_text=say("distance from redrawn trees"), rangemode="tozero")
    return figure


def point_words(point: StablePoint, counted: bool) -> str:
    """Return the size, errors and distance of a tree."""
    splits = say("{n} split" if point.n_splits == 1 else "{n} splits", n=count(point.n_splits))
    errors = amount(point.objective, counted)
    return say(
        "{splits}, {errors}, distance {distance}", splits=splits, errors=errors, distance=number(point.distance)
    )


def front_alt(points: Sequence[StablePoint], kept: Sequence[StablePoint], counted: bool) -> str:
    """Return the figure in a sentence."""
    most, least = kept[0], min(kept, key=lambda point: point.distance)
    return say(
        "{n} trees, of which no other one beats {m}: from {most} at a distance of {far} to {least} at {near}.",
        n=count(len(points)), m=count(len(kept)), most=amount(most.objective, counted), far=number(most.distance),
        least=amount(least.objective, counted), near=number(least.distance),
    )  # fmt: skip


def front_table(kept: Sequence[StablePoint], counted: bool) -> pd.DataFrame:
    """Return a row for each tree of the front."""
    return pd.DataFrame(
        {
            ERRORS if counted else COST: [point.objective for point in kept],
            SPLITS: [point.n_splits for point in kept],
            DISTANCE: [number(point.distance) for point in kept],
        }
    )
