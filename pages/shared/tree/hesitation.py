"""Three answers to two overlapping clouds, as in Figure 3 of Nalenz & Augustin (2021): one surface each."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Feature, HeldOut, samples
from espalier.data.samples.generators import CLOUD_SD, clouds
from espalier.predict import classes
from espalier.views.boundaries.raster import raster
from espalier.views.theme import count, number, percent
from pages.shared.app.address import Entry
from pages.shared.canvas.surface import surface_canvas
from pages.shared.data import library
from pages.shared.models import cultivated
from pages.shared.tree import results
from pages.shared.tree.results import GrownTree

DATA = "two-gaussians"
N_FRESH, SEED = 10_000, 1  # rows that accuracy is measured on
AXES = (0, 1)
CHANNEL = "figure 3"  # a sample that is clicked on one surface is marked on all three
HEIGHT = 380  # pixels of a surface
BEST = (1 + math.erf(1 / CLOUD_SD)) / 2  # accuracy of the slanted line between clouds about (1, 1) and (−1, −1)
CART_DEPTH = 2


SLOPE = "Between the clouds it changes little by little, the wider the neighbourhood the more aslant."


class SurfacePanel(NamedTuple):
    """One of the three surfaces."""

    title: str
    size: str  # how large the model is
    accuracy: float  # on fresh rows
    caption: str  # what to look at
    surface: dict[str, Any]
    link: dict[str, str] | None  # its tree on the tree page


class HesitationForest(NamedTuple):
    """What is kept of the random forest."""

    surface: dict[str, Any]
    accuracy: float
    n_trees: int
    n_leaves: int


def url_entries() -> list[Entry]:
    """Width of the neighbourhood, as part of the address; the tree page has the same."""
    return [entry for entry in cultivated.url_entries(target()) if entry.key == "k"]


def introduction() -> str:
    """What is compared, and on what rows, in Markdown."""
    return (
        "Two round clouds that overlap, after Figure 3 of Nalenz & Augustin (2021): three answers to the same "
        f"{n_rows()} rows. Accuracy is measured on {N_FRESH:,} new rows; the best border, a slanted line, is "
        f"right on {percent(BEST)} of them."
    )


def target() -> Feature:
    """What all three predict."""
    return samples.load(DATA).target


def n_rows() -> int:
    """Rows that all three are grown on."""
    return len(samples.load(DATA).y)


def panels(k: int | str) -> list[SurfacePanel]:
    """The three surfaces, the soft split with neighbourhoods of width k."""
    return [_soft_split(k), _forest_panel(), _cart()]


def verdict(shown: list[SurfacePanel]) -> str:
    """Which of them is right most often, and how far the soft split is ahead of the sharp tree, in Markdown."""
    order = sorted(shown, key=lambda panel: -panel.accuracy)
    told = [f"**{panel.title[0]}** {percent(panel.accuracy)}" for panel in order]
    soft, _, sharp = shown
    lead = 100 * (soft.accuracy - sharp.accuracy)
    text = f"Right on the new rows: {told[0]}, {told[1]}, {told[2]}. "
    if abs(lead) < 0.05:
        return text + "**a**, with one split, is as accurate as **c** with more of them."
    if lead > 0:
        return (
            text
            + f"**a**, with one split, is right on {number(lead, 2)} points more than **c** with more of them."
        )
    return (
        text + f"**a**, with one split, is right on {number(-lead, 2)} points less than **c** with more of them. "
        "What it has instead: it says where it is unsure."
    )


def draw(panel: SurfacePanel, key: str) -> None:
    """The surface under its title, how good and how large the model is, and what to look at."""
    size = f":small[accuracy **{percent(panel.accuracy)}** · {panel.size}]"
    with st.container(horizontal=True, vertical_alignment="top"):
        st.markdown(f"**{panel.title}**  \n{size}", width="stretch")
        if panel.link:
            st.page_link(
                "pages/tree.py", label="Its tree", icon=":material/account_tree:", query_params=panel.link
            )
    surface_canvas(panel.surface, key=key, tree=CHANNEL, channel=CHANNEL, height=HEIGHT)
    st.caption(panel.caption)


def _soft_split(k: int | str) -> SurfacePanel:
    grown = _grown(("learner", "cultivated"), ("max_depth", 1), ("k", k))
    n_options = len(grown.soft.decisions.feature)
    asked = f"{n_options} features, pooled" if n_options > 1 else "1 feature"
    caption = (
        "Both features are asked, and where they disagree, in two corners, the tree says about half and half. "
        + ("With one cut each the answer jumps: widen the neighbourhood." if k == 0 else SLOPE)
    )
    link = {library.PARAMETER: DATA, "model": "cultivated", "held": "0", "depth": "1", "k": str(k)}
    size = f"1 split ({asked}), {grown.tree.n_leaves} leaves"
    surface = results.surface(grown, AXES, None)
    return SurfacePanel(
        "a · First split of a cultivated tree", size, _accuracy(grown.key, grown), caption, surface, link
    )


def _cart() -> SurfacePanel:
    grown = _grown(("criterion", "gini"), ("max_depth", CART_DEPTH))
    n_splits = grown.tree.n_nodes - grown.tree.n_leaves
    caption = (
        "Every split is a line along an axis, and the answer jumps there. Right at a line the tree is as sure as "
        f"far from it. It has {n_splits} splits where **a** has one."
    )
    link = {library.PARAMETER: DATA, "held": "0", "depth": str(CART_DEPTH)}
    size = f"{n_splits} splits, {grown.tree.n_leaves} leaves"
    surface = results.surface(grown, AXES, None)
    return SurfacePanel(
        f"c · CART of depth {CART_DEPTH}", size, _accuracy(grown.key, grown), caption, surface, link
    )


def _forest_panel() -> SurfacePanel:
    forest = _forest()
    caption = (
        "The mean of hundreds of trees, each of other rows drawn with replacement. It is soft as well, with "
        "traces of single rows."
    )
    size = f"{forest.n_trees} trees, {count(forest.n_leaves)} leaves"
    return SurfacePanel("b · Random forest", size, forest.accuracy, caption, forest.surface, None)


@st.cache_resource(show_spinner="Growing a random forest of 500 trees …")
def _forest() -> HesitationForest:
    from espalier.learners.black_boxes.models import random_forest  # a second that other pages can do without

    data = samples.load(DATA)
    forest = random_forest(SEED).fit(data.X, data.y)
    surface = raster(lambda X: (forest.predict_proba(X), None), data, AXES)
    n_leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
    X, y = _fresh()
    return HesitationForest(surface, float(np.mean(forest.predict(X) == y)), len(forest.estimators_), n_leaves)


def _grown(*parameters: tuple[str, Any]) -> GrownTree:
    return results.grown(samples.load(DATA), HeldOut(0), parameters)


@st.cache_resource(show_spinner=False)
def _fresh() -> tuple[np.ndarray, np.ndarray]:
    """Rows that no model has seen, of the kind that all are grown on."""
    return clouds(np.random.default_rng(SEED), N_FRESH)


@st.cache_resource(max_entries=64, show_spinner=False)
def _accuracy(key: str, _grown: GrownTree) -> float:
    X, y = _fresh()
    return float(np.mean(classes(_grown.tree, X) == y))
