"""How near the tree is to the black box: over a plane, by depth, and by class."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.approximation import fidelity, words
from espalier.approximation import pictures as fidelity_pictures
from espalier.approximation.pictures import FidelityLine
from espalier.display.parts import Picture
from espalier.display.theme import count, percent
from espalier.forests import surfaces
from espalier.language import say
from espalier.learners.catalogue.settings import DEEPEST_APPROXIMATION
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.approximation import results
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.data_table import data_table
from pages.shared.forests import sentences
from pages.shared.tree import explorer


def draw_side_by_side(one: Approximated) -> None:
    """The black box, the tree, and where they differ, over a plane of two features."""
    grown = results.as_grown(one)
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(say("Both over the same plane"), width="stretch")
        explorer.pick_axes(grown)
    panels = surface_pictures(one, explorer.plane_of(grown), surfaces.SIZE)
    if not panels:
        return
    pictures.legend(one.dataset, sentences.colours(one.dataset))
    for column, name, picture in zip(st.columns(3), ("black-box", "tree", "difference"), panels, strict=True):
        with column:
            st.markdown(f"**{plain(picture.caption)}**")
            pictures.show(picture.draw(is_dark()), f"{picture.caption}: {picture.alt}", 2 * surfaces.WIDTH)
            pictures.save(picture.draw(False), f"{name}.svg")
    st.caption(f"{panels[-1].alt} {say('The stronger the colour, the further apart.')}")


def surface_pictures(one: Approximated, axes: tuple[int, ...], size: int = surfaces.SMALL) -> list[Picture]:
    """The surfaces of both, and where they differ; none while the black box is asked."""
    outputs, data = results.over_plane(one, axes), one.dataset
    if outputs is None:
        return []
    plane = results.plane_of(data, axes)
    gap = fidelity_pictures.gap(outputs.model, outputs.tree, data, one.prior)
    return [
        surfaces.surface_picture(outputs.model, plane, data, one.title, one.prior, size),
        surfaces.surface_picture(outputs.tree, plane, data, say("The tree"), size=size),
        fidelity_pictures.gap_picture(gap, plane, data, size),
    ]


def draw(one: Approximated) -> None:
    """Both measures by depth, and where to stop; then the classes."""
    levels, most = results.levels(one), one.model.value("depth")
    enough = fidelity.enough(levels)
    with st.container(horizontal=True, vertical_alignment="center", key="where to stop"):
        st.markdown(words.enough_words(levels, enough, most), width="stretch")
        if 0 < enough < most:
            _offer(say("Stop at depth {depth}", depth=enough), enough, ":material/content_cut:")
        elif enough == most < DEEPEST_APPROXIMATION:
            _offer(say("Allow {n} questions", n=enough + 1), enough + 1, ":material/add:")
    for column, picture in zip(st.columns(2), depth_pictures(one), strict=True):
        with column:
            st.markdown(f"**{picture.caption}**")
            pictures.draw(picture, 560, f"fidelity-{pictures.file_name(picture.caption)}.svg")
    if one.dataset.is_classification:
        st.markdown(say("**By class**"))
        data_table(
            by_class(one), hide_index=True, alt=say("How often the tree agrees, by what the black box says")
        )


def depth_pictures(one: Approximated) -> list[Picture]:
    """Both measures by depth, on made-up cases and on rows held out."""
    levels, held = results.levels(one), results.levels(one, is_held=True)
    lines = [FidelityLine(say("made-up cases"), levels)]
    lines += [FidelityLine(say("held-out rows"), held, dashed=True)] if held else []
    enough = fidelity.enough(levels)
    mark = enough if enough < one.model.value("depth") else None  # else it is still gaining
    measures = fidelity_pictures.measures(one.dataset.is_classification)
    return [fidelity_pictures.depth_picture(lines, measure, mark) for measure in measures]


def _offer(label: str, depth: int, icon: str) -> None:
    if st.button(label, on_click=callback(_allow), args=(depth,), icon=icon):
        st.rerun(scope="app")  # the tabs are a fragment, and the tree is grown outside of it


def _allow(depth: int) -> None:
    st.session_state["ap-depth"] = depth


def by_class(one: Approximated) -> pd.DataFrame:
    """A line for each class of the black box: rows, and how many of them the tree gives the same."""
    columns = {say("made-up cases"): results.fresh(one), say("held-out rows"): results.held(one)}
    table = pd.DataFrame({say("the black box says"): one.dataset.classes})
    for name, rows in columns.items():
        if rows is not None:
            each = fidelity.class_agreement(rows.model, rows.tree, one.prior, rows.weight)
            table[name] = [count(of.n_samples) for of in each]
            agrees = [percent(of.agreement) if of.n_samples else "–" for of in each]
            table[say("tree agrees, {rows}", rows=name)] = agrees
    return table
