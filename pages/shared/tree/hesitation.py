"""Three answers to two overlapping clouds, as in Figure 3 of Nalenz & Augustin (2021): one surface each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Feature, HeldOut, samples
from espalier.data.samples.generators import CLOUD_SD, clouds
from espalier.language import Later
from espalier.learners.catalogue import Model
from espalier.predict import classes, shares
from espalier.views.boundaries.plane import typical
from espalier.views.boundaries.raster import raster
from espalier.views.forests import surfaces
from pages.shared.app.address import Entry
from pages.shared.canvas.surface import surface_canvas
from pages.shared.data import library
from pages.shared.models import cultivated
from pages.shared.tree import results
from pages.shared.tree.grown.off_axis import OffAxis
from pages.shared.tree.results import GrownTree
from pages.shared.words import hesitation as words

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
    return [entry for entry in cultivated.SETTINGS.url_entries(target()) if entry.key == "k"]


def introduction() -> str:
    """The models compared, and the rows, in Markdown."""
    return words.introduction(n_rows(), N_FRESH, BEST)


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
    ranking = words.ranking([panel.title[0] for panel in order], [panel.accuracy for panel in order])
    points = round(100 * soft.accuracy, 1) - round(100 * sharp.accuracy, 1)  # of the numbers that stand there
    return f"{ranking} {words.lead(points)}"


def draw(panel: SurfacePanel, key: str) -> None:
    """Draw the surface below its heading, and its caption; links come last, so that surfaces stand in one row."""
    st.markdown(words.heading(panel.title, panel.accuracy, panel.size))
    surface_canvas(panel.surface, key=key, tree=CHANNEL, channel=CHANNEL, height=HEIGHT)
    st.caption(panel.caption)
    if panel.link:
        st.page_link(
            "pages/tree.py", label=words.ITS_TREE, icon=":material/account_tree:", query_params=panel.link
        )


def _soft_split(k: int | str) -> SurfacePanel:
    model = Model("cultivated", (("depth", 1), ("k", k)))
    grown = _grown(model)
    n_options = len(grown.soft.decisions.feature)
    link = {library.PARAMETER: DATA, "model": "cultivated", "held": "0", "depth": "1", "k": str(k)}
    size = words.soft_size(n_options, grown.tree.n_leaves)
    surface = results.surface(grown, AXES, OffAxis())
    return SurfacePanel(
        words.SOFT_TITLE, size, _accuracy(grown.key, grown), words.soft_split(k == 0), surface, _answers(grown),
        link, model,
    )  # fmt: skip


def _cart() -> SurfacePanel:
    model = Model("cart", (("depth", CART_DEPTH),))
    grown = _grown(model)
    link = {library.PARAMETER: DATA, "held": "0", "depth": str(CART_DEPTH)}
    size = words.cart_size(grown.tree.n_leaves)
    surface = results.surface(grown, AXES, OffAxis())
    return SurfacePanel(
        words.CART_TITLE, size, _accuracy(grown.key, grown), words.CART, surface, _answers(grown), link, model
    )


def _forest_panel() -> SurfacePanel:
    forest = _forest()
    size = words.forest_size(forest.n_trees, forest.n_leaves)
    return SurfacePanel(
        words.FOREST_TITLE, size, forest.accuracy, words.FOREST, forest.surface, forest.answers, None, None
    )


@st.cache_resource(show_spinner=Later(lambda: words.GROWING_FOREST))
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
