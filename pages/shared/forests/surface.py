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


def draw(planted: list[GrownForest]) -> None:
    """Both forests below each other, the numbers of trees from left to right."""
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown("What the first trees say together", width="stretch")
        forests_plane.pick_axes(planted[0])
    axes, data = forests_plane.axes(planted[0]), planted[0].dataset
    pictures.show(surfaces.legend(data, is_dark()), _colours(data), surfaces.LEGEND)
    for side, one in zip(SIDES, planted, strict=True):
        st.markdown(f"**Forest {title(side)}**")
        _row(one, side, axes)
    by_chance = "" if len(axes) == 2 else "; up and down they stand by chance"
    dots = f"Dots are rows of the data, {surfaces.MOST_DOTS} at most{by_chance}."
    st.caption(
        f"{dots} Features on no axis have their median or most frequent value. One tree is constant on boxes; the "
        "mean of many has as many steps as all of them have edges, so it looks smooth where they differ, and "
        "stays sharp where all cut at the same place."
    )


def _colours(data: Dataset) -> str:
    if data.is_classification:
        return f"A colour for each class: {', '.join(data.classes)}."
    return "The deeper the colour, the greater the number."


def _row(one: GrownForest, side: str, axes: tuple[int, ...]) -> None:
    plane, counts = surfaces.plane_of(one.dataset, axes), results.counts(one)
    found = results.surfaces(one, axes, None)
    for column, count, answers in zip(st.columns(len(counts)), counts, found, strict=True):
        with column:
            n = f"{count} tree{'s' * (count > 1)}" if count != one.forest.n_trees else f"all {count}"
            st.markdown(f":small[**{n}**{_error(one, count)}]")
            drawn = surfaces.picture(answers, plane, one.dataset, is_dark(), surfaces.SMALL)
            told = surfaces.alt(answers, one.dataset, one.forest.prior)
            pictures.show(drawn, f"{n}: {told}", 2 * surfaces.WIDTH)
            pictures.save(drawn, f"forest-{side}-{count}-trees.svg")


def _error(one: GrownForest, count: int) -> str:
    found = results.curve(one)
    errors = found.held if found.held is not None else found.unseen  # of few trees not all rows are out of bag
    if errors is None or not np.isfinite(errors[count - 1]):
        return ""
    error = float(errors[count - 1])
    return f" · error {percent(error) if one.dataset.is_classification else number(error)}"
