"""The surface of each forest's first trees: one cuts boxes, many together draw what is smooth."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.views.forests import surfaces
from espalier.views.theme import number, percent
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.forests import plane as forests_plane
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.words.forests import answers as words
from pages.shared.words.forests import boosting as boosting_words
from pages.shared.words.forests import page as forest_words


def draw(pair: list[GrownForest]) -> None:
    """Both forests below each other, the numbers of trees from left to right."""
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(words.FIRST_TREES, width="stretch")
        forests_plane.pick_axes(pair[0])
        forests_plane.pick_others()
    axes, data = forests_plane.axes(pair[0]), pair[0].dataset
    pictures.legend(data, colours(data))
    for side, one in zip(SIDES, pair, strict=True):
        st.markdown(forest_words.heading(title(side)))
        _row(one, side, axes)
    averaged = [forests_plane.like(one).averaged for one in pair]
    st.caption(words.surface_dots(surfaces.MOST_DOTS, len(axes) == 2))
    st.caption(words.others(averaged, st.session_state["others"]))


def colours(data: Dataset) -> str:
    """The legend of the surfaces in a sentence."""
    return words.colours(list(data.classes)) if data.is_classification else words.DEEPER_IS_GREATER


def _row(one: GrownForest, side: str, axes: tuple[int, ...]) -> None:
    plane, counts = surfaces.plane_of(one.dataset, axes), results.counts(one)
    maps = results.surfaces(one, axes, forests_plane.like(one))
    for column, count, answers in zip(st.columns(len(counts)), counts, maps, strict=True):
        with column:
            n = first_trees(one, count)
            st.markdown(words.surface_title(n, _error(one, count)))
            picture = surfaces.picture(answers, plane, one.dataset, is_dark(), surfaces.SMALL)
            alt = surfaces.alt(answers, one.dataset, one.forest.prior)
            pictures.show(picture, f"{n}: {alt}", 2 * surfaces.WIDTH)
            pictures.save(picture, f"forest-{side}-{count}-trees.svg")


def first_trees(one: GrownForest, n_trees: int) -> str:
    """Number of first trees, or of first rounds of a sum."""
    if one.has_rounds and n_trees < one.forest.n_trees:
        return boosting_words.rounds(n_trees // one.trees_a_round)
    return words.first_trees(n_trees // one.trees_a_round, one.forest.n_trees // one.trees_a_round)


def _error(one: GrownForest, count: int) -> str:
    curve = results.curve(one)
    errors = curve.held if curve.held is not None else curve.unseen  # of few trees not all rows are out of bag
    if errors is None or not np.isfinite(errors[count - 1]):
        return ""
    value = float(errors[count - 1])
    return percent(value) if one.dataset.is_classification else number(value)
