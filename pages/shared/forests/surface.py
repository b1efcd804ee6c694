"""The surface of each forest's first trees: one cuts boxes, many together draw what is smooth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.forests import surfaces
from espalier.language import say, to_say
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.forests import plane as forests_plane
from pages.shared.forests import results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.tree import sentences as tree_sentences

NO_AVERAGE = to_say(" A sum of trees that passes through a link, and soft trees, have no exact average here.")


def draw(pair: list[GrownForest]) -> None:
    """Both forests below each other, the numbers of trees from left to right."""
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(say("What the first trees say together"), width="stretch")
        forests_plane.pick_axes(pair[0])
        forests_plane.pick_others()
    axes, data = forests_plane.axes(pair[0]), pair[0].dataset
    pictures.legend(data, colours(data))
    for side, one in zip(SIDES, pair, strict=True):
        st.markdown(sentences.forest_heading(title(side)))
        _row(one, side, axes)
    averaged = [forests_plane.like(one).averaged for one in pair]
    st.caption(sentences.surface_dots(surfaces.MOST_DOTS, len(axes) == 2))
    st.caption(_other_columns(averaged, st.session_state["others"]))


def colours(data: Dataset) -> str:
    """The legend of the surfaces in a sentence."""
    return (
        say("A colour for each class: {classes}.", classes=", ".join(list(data.classes)))
        if data.is_classification
        else say("The deeper the colour, the greater the number.")
    )


def _row(one: GrownForest, side: str, axes: tuple[int, ...]) -> None:
    plane, counts = surfaces.plane_of(one.dataset, axes), results.counts(one)
    maps = results.surfaces(one, axes, forests_plane.like(one))
    for column, count, answers in zip(st.columns(len(counts)), counts, maps, strict=True):
        with column:
            n = first_trees(one, count)
            error = _error(one, count)
            st.markdown(
                say(":small[**{trees}** · error {error}]", trees=n, error=error) if error else f":small[**{n}**]"
            )
            picture = surfaces.surface_picture(answers, plane, one.dataset, prior=one.forest.prior)
            svg = picture.draw(is_dark())
            pictures.show(svg, f"{n}: {picture.alt}", 2 * surfaces.WIDTH)
            pictures.save(svg, f"forest-{side}-{count}-trees.svg")


def first_trees(one: GrownForest, n_trees: int) -> str:
    """Number of first trees, or of first rounds of a sum."""
    if one.has_rounds and n_trees < one.forest.n_trees:
        return sentences.rounds(n_trees // one.trees_a_round)
    return _number_of_trees(n_trees // one.trees_a_round, one.forest.n_trees // one.trees_a_round)


def _error(one: GrownForest, count: int) -> str:
    curve = results.curve(one)
    errors = curve.held if curve.held is not None else curve.unseen  # of few trees not all rows are out of bag
    if errors is None or not np.isfinite(errors[count - 1]):
        return ""
    return results.error_text(one, float(errors[count - 1]))


def _other_columns(averaged: Sequence[bool], chosen: str) -> str:
    """What columns on no axis have; `averaged` says of forests A and B whether their answers are averages."""
    texts, columns = tree_sentences.OTHERS, say("Columns not on an axis have")
    held = texts["row" if chosen == "row" else "typical"]
    if not any(averaged):
        return f"{columns} {held}.{say(NO_AVERAGE) * (chosen == 'average')}"
    both = f"{columns} {texts['average']}."
    return (
        both
        if all(averaged)
        else say(
            "{both} Of forest {value}: {held}.{NO_AVERAGE}",
            both=both,
            value="AB"[averaged.index(False)],
            held=held,
            NO_AVERAGE=say(NO_AVERAGE),
        )
    )


def _number_of_trees(n: int, n_trees: int) -> str:
    """The number of first trees that a surface is of."""
    return say("all {n}", n=n) if n == n_trees else say("{n} tree" if n == 1 else "{n} trees", n=n)
