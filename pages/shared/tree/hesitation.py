"""Three answers to two overlapping clouds, as in Figure 3 of Nalenz & Augustin (2021): one surface each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Feature, HeldOut, samples
from espalier.data.samples.redrawn import CLOUD_SD, clouds
from espalier.display.boundaries.plane import typical
from espalier.display.boundaries.raster import raster
from espalier.display.theme import count, number, percent
from espalier.forests import surfaces
from espalier.language import Later, say
from espalier.learners.catalogue import Model
from espalier.predict import classes, shares
from pages.shared.app.address import Entry
from pages.shared.canvas.surface import surface_canvas
from pages.shared.data import library
from pages.shared.models import learners
from pages.shared.tree import results
from pages.shared.tree.grown.off_axis import OffAxis
from pages.shared.tree.results import GrownTree

DATA = "two-gaussians"
N_FRESH, SEED = 10_000, 1  # rows that accuracy is measured on
AXES = (0, 1)
CHANNEL = "figure 3"  # a sample that is clicked on one surface is marked on all three
HEIGHT = 380  # pixels of a surface
BEST = (1 + math.erf(1 / CLOUD_SD)) / 2  # accuracy of the slanted line between clouds about (1, 1) and (−1, −1)
ALL_ROWS = HeldOut(0)
CART_DEPTH = 1  # as many splits as the soft tree has


class SurfacePanel(NamedTuple):
    """One of the three surfaces."""

    title: str
    size: str  # how large the model is
    accuracy: float  # on fresh rows
    caption: str  # what to look at
    surface: dict[str, Any]
    answers: np.ndarray  # (n_cells, n_classes) over the same plane, for a still picture
    link: dict[str, str] | None  # its tree on the tree page
    model: Model | None  # None: the forest, which is scikit-learn's


class HesitationForest(NamedTuple):
    """Results of the random forest that are kept."""

    surface: dict[str, Any]
    answers: np.ndarray  # as those of a panel
    accuracy: float
    n_trees: int
    n_leaves: int


def url_entries() -> list[Entry]:
    """Width of the neighbourhood, as part of the address; the tree page has the same."""
    return [entry for entry in learners.CULTIVATED.own.url_entries(target()) if entry.key == "k"]


def introduction() -> str:
    """The models compared, and the rows, in Markdown."""
    return say(
        "Two round clouds that overlap, after Figure 3 of Nalenz & Augustin (2021): three answers to the same "
        "{n_rows} rows. Accuracy is measured on {n_fresh} new rows; the best border, a slanted line, is right on "
        "{best} of them.",
        n_rows=n_rows(),
        n_fresh=count(N_FRESH),
        best=percent(BEST),
    )


def target() -> Feature:
    """Target of all three."""
    return samples.load(DATA).target


def n_rows() -> int:
    """Number of rows that all three are grown on."""
    return len(samples.load(DATA).y)


def panels(k: int | str) -> list[SurfacePanel]:
    """The three surfaces, the soft split with neighbourhoods of width k."""
    return [_soft_split(k), _forest_panel(), _cart()]


def verdict(shown: Sequence[SurfacePanel]) -> str:
    """The three by their accuracy, and the lead of the soft split over the sharp tree, in Markdown."""
    order = sorted(shown, key=lambda panel: -panel.accuracy)
    soft, _, sharp = shown
    ranking = _ranking([panel.title[0] for panel in order], [panel.accuracy for panel in order])
    points = round(100 * soft.accuracy, 1) - round(100 * sharp.accuracy, 1)  # of the numbers that stand there
    return f"{ranking} {_lead_sentence(points)}"


def draw(panel: SurfacePanel, key: str) -> None:
    """Draw the surface below its heading, and its caption; links come last, so that surfaces stand in one row."""
    st.markdown(
        say(
            "**{title}**  \n:small[accuracy **{accuracy}** · {size}]",
            title=panel.title,
            accuracy=percent(panel.accuracy),
            size=panel.size,
        )
    )
    surface_canvas(panel.surface, key=key, tree=CHANNEL, channel=CHANNEL, height=HEIGHT)
    st.caption(panel.caption)
    if panel.link:
        st.page_link(
            "pages/tree.py", label=say("Its tree"), icon=":material/account_tree:", query_params=panel.link
        )


def _soft_split(k: int | str) -> SurfacePanel:
    model = Model("cultivated", (("depth", 1), ("k", k)))
    grown = _grown(model)
    n_options = len(grown.soft.decisions.feature)
    link = {library.PARAMETER: DATA, "model": "cultivated", "held": "0", "depth": "1", "k": str(k)}
    size = _soft_size(n_options, grown.tree.n_leaves)
    surface = results.surface(grown, AXES, OffAxis())
    return SurfacePanel(
        say("a · First split of a cultivated tree"),
        size,
        _accuracy(grown.key, grown),
        _soft_split_caption(k == 0),
        surface,
        _answers(grown),
        link,
        model,
    )


def _cart() -> SurfacePanel:
    model = Model("cart", (("depth", CART_DEPTH),))
    grown = _grown(model)
    link = {library.PARAMETER: DATA, "held": "0", "depth": str(CART_DEPTH)}
    size = say("1 split (1 column), {n_leaves} leaves", n_leaves=grown.tree.n_leaves)
    surface = results.surface(grown, AXES, OffAxis())
    return SurfacePanel(
        say("c · First split of CART"),
        size,
        _accuracy(grown.key, grown),
        say(
            "The split is a line along an axis, and the answer jumps there. Right at the line "
            "the tree is as sure as far from it. Like **a** it has one split."
        ),
        surface,
        _answers(grown),
        link,
        model,
    )


def _forest_panel() -> SurfacePanel:
    forest = _forest()
    size = say("{n_trees} trees, {n_leaves} leaves", n_trees=forest.n_trees, n_leaves=count(forest.n_leaves))
    return SurfacePanel(
        say("b · Random forest"),
        size,
        forest.accuracy,
        say(
            "The mean of hundreds of trees, each of other rows drawn with replacement. It is "
            "soft as well, with traces of single rows."
        ),
        forest.surface,
        forest.answers,
        None,
        None,
    )


@st.cache_resource(show_spinner=Later(lambda: say("Growing a random forest of 500 trees …")))
def _forest() -> HesitationForest:
    from espalier.learners.black_boxes.models import random_forest  # a second that other pages can do without

    data = samples.load(DATA)
    forest = random_forest(SEED).fit(data.X, data.y)
    surface = raster(lambda X: (forest.predict_proba(X), None), data, AXES)
    n_leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
    X, y = _fresh()
    accuracy = float(np.mean(forest.predict(X) == y))
    return HesitationForest(surface, forest.predict_proba(_cells()), accuracy, len(forest.estimators_), n_leaves)


def _grown(model: Model) -> GrownTree:
    return results.grown(samples.load(DATA), ALL_ROWS, model)


def _answers(grown: GrownTree) -> np.ndarray:
    return shares(grown.record, _cells())


def _cells() -> np.ndarray:
    """(n_cells, 2) the rows in the middles of the cells of a still picture."""
    data = samples.load(DATA)
    return surfaces.plane_of(data, AXES).samples(typical(data))


@st.cache_resource(show_spinner=False)
def _fresh() -> tuple[np.ndarray, np.ndarray]:
    """Rows that no model has seen, of the kind that all are grown on."""
    return clouds(np.random.default_rng(SEED), N_FRESH)


@st.cache_resource(max_entries=64, show_spinner=False)
def _accuracy(key: str, _grown: GrownTree) -> float:
    X, y = _fresh()
    return float(np.mean(classes(_grown.tree, X) == y))


def _ranking(letters: list[str], accuracies: list[float]) -> str:
    """The three models with their accuracies, the best first."""
    first, second, third = (f"**{a}** {percent(x)}" for a, x in zip(letters, accuracies, strict=True))
    return say("Right on the new rows: {first}, {second}, {third}.", first=first, second=second, third=third)


def _lead_sentence(points: float) -> str:
    """How many percentage points the soft split is ahead of the sharp one, or behind it."""
    if abs(points) < 0.05:
        return say("**a** is as accurate as **c**, which has one split as well.")
    if points > 0:
        return say(
            "**a** is right on {points} points more than **c**, which has one split as well.",
            points=number(points, 2),
        )
    return say(
        "**a** is right on {points} points less than **c**, which has one split as well. What it has instead: it "
        "says where it is unsure.",
        points=number(-points, 2),
    )


def _soft_split_caption(is_sharp: bool) -> str:
    """Caption of the soft split; a sharp one has neighbourhoods of one cut."""
    jumps = say("With one cut each the answer jumps: widen the neighbourhood.")
    slopes = say("Between the clouds it changes little by little, the wider the neighbourhood the more aslant.")
    return say(
        "Both columns are asked, and where they disagree, in two corners, the tree says about half and half. "
    ) + (jumps if is_sharp else slopes)


def _soft_size(n_features: int, n_leaves: int) -> str:
    """Size of the soft split."""
    asked = say("{n_features} columns, pooled", n_features=n_features) if n_features > 1 else say("1 column")
    return say("1 split ({asked}), {n_leaves} leaves", asked=asked, n_leaves=n_leaves)
