"""The growth of the forests as a film: tree after tree joins, and the average becomes smooth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier import predict
from espalier.display.boundaries.plane import typical
from espalier.display.svg import Reel
from espalier.display.theme import number, percent
from espalier.forests import growth, surfaces
from espalier.forests import pictures as error_curve
from espalier.forests.pictures import ErrorLine
from espalier.language import Texts, say
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.app.table_results import of_table
from pages.shared.canvas.player import Panel, player_canvas
from pages.shared.forests import error, sentences, surface
from pages.shared.forests import plane as forests_plane
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

PLAYER = Texts(
    {
        "film": "Film of the forests' growth",
        "splits": "Trees that have joined",
        "start": "Back to the first tree",
        "back": "One step back",
        "play": "Play",
        "pause": "Pause",
        "step": "Next step",
        "end": "All trees",
    }
)

CHANNEL = "forest-film"
CELLS = (80, 64)  # of a surface: half as many as where it stands still
ONE_BY_ONE, MOST_STEPS = 12, 24  # trees that join one at a time; steps of a film
WIDTH, CURVE_WIDTH = 240, 460  # pixels


class Surfaces(NamedTuple):
    """The surfaces of a forest's film."""

    average: Reel
    newest: Reel


def draw(pair: list[GrownForest]) -> None:
    """Draw the film of those forests that average, and why there is none of the others."""
    with st.container(horizontal=True, vertical_alignment="center", key="film bar"):
        st.markdown(say("**Tree after tree joins the average**"), width="stretch")
        forests_plane.pick_axes(pair[0])
    shown = [(side, one) for side, one in zip(SIDES, pair, strict=True) if not one.is_sum]
    for side, one in zip(SIDES, pair, strict=True):
        if one.is_sum:
            st.caption(
                say(
                    "Forest {side} adds its trees up, and none of them means anything alone: see *Round by "
                    "round*.",
                    side=title(side),
                )
                if one.has_rounds
                else sentences.no_votes(one, title(side))
            )
    if not shown:
        return
    data = pair[0].dataset
    pictures.legend(data, surface.colours(data))
    axes, most = forests_plane.axes(pair[0]), max(one.forest.n_trees for _, one in shown)
    counts = steps(most)
    lines = [line for line in error.lines_of(pair) if not pair[line.side].is_sum]
    panels = [panel for side, one in shown for panel in _panels(title(side), one, axes, counts)]
    if lines:
        reel = error_curve.reel(lines, counts, data.is_classification, is_dark())
        panels.append(Panel(say("Error of the trees so far"), CURVE_WIDTH, *reel))
    texts = [_step_sentence(n, most, _errors(lines, n, data.is_classification)) for n in counts]
    id = repr(([one.key for _, one in shown], axes, is_dark()))
    player_canvas("forests", id, texts, PLAYER, channel=CHANNEL, panels=panels)
    st.caption(
        say(
            "One tree cuts the plane into boxes, and the next one cuts it elsewhere. Their "
            "average has borders where most of them agree, and its error falls until the trees "
            "that join say nothing new. After the first 12 trees several join at a time."
        )
    )


def steps(n_trees: int) -> list[int]:
    """Numbers of trees at the steps of a film: one more at a time at first, then more and more, all at the end.

    >>> steps(3), steps(30)[9:]
    ([1, 2, 3], [10, 11, 12, 13, 14, 16, 17, 19, 20, 22, 24, 26, 28, 30])
    """
    first = range(1, min(n_trees, ONE_BY_ONE) + 1)
    if n_trees <= ONE_BY_ONE:
        return list(first)
    later = np.geomspace(ONE_BY_ONE, n_trees, MOST_STEPS - ONE_BY_ONE + 1)
    return sorted({*first, *np.round(later).astype(int).tolist()})


def _panels(side: str, one: GrownForest, axes: tuple[int, ...], counts: list[int]) -> list[Panel]:
    """Both surfaces of a forest; one that has fewer trees than the other stays as it is at its end."""
    own = [min(n, one.forest.n_trees) for n in counts]
    drawn = _surfaces(one, axes, tuple(own), is_dark())
    titles = (
        say("Forest {side}: average of its trees", side=side),
        say("Forest {side}: the tree that joined last", side=side),
    )
    return [Panel(name, WIDTH, *reel) for name, reel in zip(titles, drawn, strict=True)]


@of_table(max_entries=8)
def _surfaces(grown: GrownForest, axes: tuple[int, ...], counts: tuple[int, ...], dark: bool) -> Surfaces:
    data, forest = grown.dataset, grown.forest
    plane = surfaces.plane_of(data, axes, CELLS)
    X, several = plane.samples(typical(data)), sorted(set(counts))
    averages = dict(zip(several, growth.first_trees(forest, X, several), strict=True))
    newest = {n: predict.shares(forest.trees[n - 1], X) for n in several}
    drawn = ([answers[n] for n in counts] for answers in (averages, newest))
    return Surfaces(*(surfaces.reel(answers, plane, data, dark) for answers in drawn))


def _errors(lines: Sequence[ErrorLine], n_trees: int, is_share: bool) -> list[str]:
    """The errors of the first trees, where they are known: "A, held out 4.4 %"."""
    last = [(line.name, float(line.errors[min(n_trees, len(line.errors)) - 1])) for line in lines]
    return [f"{name} {percent(e) if is_share else number(e)}" for name, e in last if np.isfinite(e)]


def _step_sentence(n_trees: int, most: int, errors: Sequence[str]) -> str:
    """A step of the film: the number of trees, and the errors of their average."""
    told = say(" Error: {errors}.", errors="; ".join(errors)) if errors else ""
    return say(
        "{n_trees} of {most} tree.{told}" if most == 1 else "{n_trees} of {most} trees.{told}",
        n_trees=n_trees,
        most=most,
        told=told,
    )
