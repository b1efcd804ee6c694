"""Three answers to two overlapping clouds, as in Figure 3 of Nalenz & Augustin (2021): one surface each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Feature, HeldOut, samples
from espalier.data.samples.redrawn import CLOUD_SD, clouds
from espalier.display.accuracy import accuracy_picture
from espalier.display.boundaries.plane import raster, typical
from espalier.display.parts import Picture
from espalier.display.theme import count, percent
from espalier.forests import surfaces
from espalier.language import Later, say
from espalier.learners.catalogue import Model
from espalier.predict import classes, shares
from pages.shared.app.address import Entry
from pages.shared.app.store import of_table
from pages.shared.canvas.components import surface_canvas
from pages.shared.data import library
from pages.shared.models import learners
from pages.shared.tree import growing, results
from pages.shared.tree.results import OffAxis

DATA = "two-gaussians"
N_FRESH, SEED = 10_000, 1  # rows that accuracy is measured on
AXES = (0, 1)
CHANNEL = "figure 3"  # a sample that is clicked on one surface is marked on all three
HEIGHT = 380  # pixels of a surface
BEST = (1 + math.erf(1 / CLOUD_SD)) / 2  # accuracy of the slanted line between clouds about (1, 1) and (−1, −1)
ALL_ROWS = HeldOut(0)


class SurfacePanel(NamedTuple):
    """One of the three surfaces."""

    title: str
    size: str  # how large the model is
    accuracy: float  # on fresh rows
    caption: str  # what to look at
    surface: dict[str, Any]
    answers: np.ndarray  # (n_cells, n_classes) over the same plane, for a still picture
    model: Model | None = None  # None: the forest, which is scikit-learn's


def url_entries() -> list[Entry]:
    """Width of the neighbourhood, as part of the address; the tree page has the same."""
    return [entry for entry in learners.CULTIVATED.own.url_entries(target()) if entry.key == "k"]


def introduction() -> str:
    """The models compared, and the rows, in Markdown."""
    return say("Three answers to the same {n} rows, after Figure 3 of Nalenz & Augustin (2021).", n=n_rows())


def measure() -> str:
    """The rows that accuracy is measured on, and the best accuracy there can be."""
    return say(
        "Accuracy is measured on {n_fresh} new rows; the best border, a slanted line, is right on {best}.",
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
    jumps = say("The answer jumps, as sure at the line as far from it.")
    looks = jumps if k == 0 else say("Where the columns disagree, in two corners: about half and half.")
    soft, sharp = Model("cultivated", (("depth", 1), ("k", k))), Model("cart", (("depth", 1),))
    return [
        _split(say("a · First split of a cultivated tree"), looks, soft),
        _forest(),
        _split(say("c · First split of CART"), jumps, sharp),
    ]


def accuracies(shown: Sequence[SurfacePanel]) -> Picture:
    """The accuracy of each, in the order of the surfaces, beside that of the best border."""
    return accuracy_picture([panel.title[0] for panel in shown], [panel.accuracy for panel in shown], BEST)


def draw(panel: SurfacePanel, key: str) -> None:
    """Draw the surface below its heading, above what to look at and the way to its tree."""
    st.markdown(say("**{title}**  \n:small[{size}]", title=panel.title, size=panel.size))
    surface_canvas(panel.surface, key=key, tree=CHANNEL, channel=CHANNEL, height=HEIGHT)
    st.caption(panel.caption)
    if panel.model:
        link = {key: str(value) for key, value in panel.model.settings}
        link |= {library.PARAMETER: DATA, "model": panel.model.name, "held": "0"}
        icon = ":material/account_tree:"
        st.page_link("pages/tree.py", label=say("Its tree"), icon=icon, query_params=link)


@of_table(max_entries=64)
def _split(title: str, caption: str, model: Model) -> SurfacePanel:
    grown = growing.grow(samples.load(DATA), ALL_ROWS, model)
    X, y = _fresh()
    accuracy, size = float(np.mean(classes(grown.tree, X) == y)), say("1 split, {n} leaves", n=grown.tree.n_leaves)
    surface = results.surface(grown, AXES, OffAxis())
    return SurfacePanel(title, size, accuracy, caption, surface, shares(grown.record, _cells()), model)


@of_table(max_entries=4, show_spinner=Later(lambda: say("Growing a random forest of 500 trees …")))
def _forest() -> SurfacePanel:
    from espalier.learners.black_boxes.models import random_forest  # a second that other pages can do without

    data = samples.load(DATA)
    forest = random_forest(SEED).fit(data.X, data.y)
    X, y = _fresh()
    n_leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
    size = say("{n_trees} trees, {n_leaves} leaves", n_trees=len(forest.estimators_), n_leaves=count(n_leaves))
    return SurfacePanel(
        say("b · Random forest"),
        size,
        float(np.mean(forest.predict(X) == y)),
        say("Soft as well, with traces of single rows."),
        raster(lambda X: (forest.predict_proba(X), None), data, AXES),
        forest.predict_proba(_cells()),
    )


def _cells() -> np.ndarray:
    """(n_cells, 2) the rows in the middles of the cells of a still picture."""
    data = samples.load(DATA)
    return surfaces.plane_of(data, AXES).samples(typical(data))


@st.cache_resource(show_spinner=False)
def _fresh() -> tuple[np.ndarray, np.ndarray]:
    """Rows that no model has seen, of the kind that all are grown on."""
    return clouds(np.random.default_rng(SEED), N_FRESH)
