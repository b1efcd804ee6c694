"""The growth of the forests as a film: tree after tree joins, and their surface becomes smooth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier import predict
from espalier.display.boundaries.plane import typical
from espalier.display.svg import Reel
from espalier.display.theme import number, percent
from espalier.forests import growth, surfaces
from espalier.forests import pictures as error_pictures
from espalier.forests.pictures import ErrorLine
from espalier.forests.surfaces import Plane
from espalier.grown import GrownForest
from espalier.language import Texts, say
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.app.store import of_table
from pages.shared.canvas.components import Panel, player_canvas
from pages.shared.forests import error, row, sentences
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


def draw(pair: list[GrownForest]) -> None:
    """Draw the film of both forests: their surfaces, the trees that joined last, and the errors."""
    with st.container(horizontal=True, vertical_alignment="center", key="film bar"):
        st.markdown(say("**Tree after tree joins**"), width="stretch")
        row.pick_axes(pair[0])
    data, axes, most = pair[0].dataset, row.axes(pair[0]), max(one.n_rounds for one in pair)
    pictures.legend(data, sentences.colours(data))
    counts, panels = steps(most), []
    for side, one in zip(SIDES, pair, strict=True):
        titles = (
            say("Forest {side}: all so far", side=title(side)),
            say("Forest {side}: the last tree", side=title(side)),
        )
        reels = _surfaces(one, axes, tuple(min(n, one.n_rounds) for n in counts), is_dark())
        panels += [Panel(name, WIDTH, *reel) for name, reel in zip(titles, reels, strict=False)]
    if lines := error.lines_of(pair):
        reel = error_pictures.reel(lines, counts, data.is_classification, is_dark())
        panels.append(Panel(say("Error so far"), CURVE_WIDTH, *reel))
    texts = []
    for n in counts:
        errors = "; ".join(_errors(lines, n, data.is_classification))
        text = say(" Error: {errors}.", errors=errors) if errors else ""
        texts.append(say("{n_trees} of {most}.{told}", n_trees=n, most=most, told=text))
    key = repr(([one.key for one in pair], axes, is_dark()))
    player_canvas("forests", key, texts, PLAYER, channel=CHANNEL, panels=panels)


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


@of_table(max_entries=8)
def _surfaces(grown: GrownForest, axes: tuple[int, ...], counts: tuple[int, ...], dark: bool) -> list[Reel]:
    """The films of all trees so far, and of the newest one alone; that of a sum says nothing, so it has none."""
    data, plane = grown.dataset, surfaces.plane_of(grown.dataset, axes, CELLS)
    films = [answers_so_far(grown, plane, counts)]
    if not grown.is_sum:
        X = plane.samples(typical(data))
        newest = {n: predict.shares(grown.forest.trees[n - 1], X) for n in set(counts)}
        films.append([newest[n] for n in counts])
    return [surfaces.reel(answers, plane, data, dark) for answers in films]


def answers_so_far(grown: GrownForest, plane: Plane, counts: Sequence[int]) -> list[np.ndarray]:
    """Answers of the first trees, or rounds, over a plane, (n_cells, n_outputs) for each of `counts`."""
    several, X = sorted(set(counts)), plane.samples(typical(grown.dataset))
    answers = growth.first_trees(grown.forest, X, [n * grown.trees_a_round for n in several])
    by_count = dict(zip(several, answers, strict=True))
    return [by_count[n] for n in counts]


def _errors(lines: Sequence[ErrorLine], n_trees: int, is_share: bool) -> list[str]:
    """The errors of the first trees, where they are known: "A, held out 4.4 %"."""
    last = [(line.name, float(line.errors[min(n_trees, len(line.errors)) - 1])) for line in lines]
    return [f"{name} {percent(e) if is_share else number(e)}" for name, e in last if np.isfinite(e)]
