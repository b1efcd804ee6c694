"""The black box, the tree, and where they differ, over a plane of two features."""

from __future__ import annotations

import streamlit as st

from espalier.approximation import surfaces as approximation_surfaces
from espalier.forests import surfaces as forests_surfaces
from espalier.language import say
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.approximation import results
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas import axis_choice
from pages.shared.tree import explorer


def drop_invalid(one: Approximated, linked: bool) -> list[str]:
    """Let go of axes that these data do not have; notes on them where a link asked for them."""
    notes = axis_choice.drop_invalid(one.dataset.features)
    return notes if linked else []


def draw(one: Approximated) -> None:
    """The three pictures side by side."""
    grown, data, dark = results.as_grown(one), one.dataset, is_dark()
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(say("Both over the same plane, and how far apart they are"), width="stretch")
        explorer.pick_axes(grown)
    axes = explorer.plane_of(grown)
    outputs = results.over_plane(one, axes)
    if outputs is None:
        return
    pictures.legend(data, _colours(one))
    plane = results.plane_of(data, axes)
    gap = approximation_surfaces.gap(outputs.model, outputs.tree, data, one.prior)
    drawn = [forests_surfaces.picture(answers, plane, data, dark) for answers in (outputs.model, outputs.tree)]
    differ = approximation_surfaces.picture(gap, plane, data, dark), approximation_surfaces.alt(gap, data)
    panels = (
        (one.title, "black-box.svg", drawn[0], forests_surfaces.alt(outputs.model, data, one.prior)),
        (say("The tree"), "tree.svg", drawn[1], forests_surfaces.alt(outputs.tree, data)),
        (say("Where they differ"), "difference.svg", *differ),
    )
    for column, (title, name, svg, alt) in zip(st.columns(3), panels, strict=True):
        with column:
            st.markdown(f"**{plain(title)}**")
            pictures.show(svg, f"{title}: {alt}", 2 * forests_surfaces.WIDTH)
            pictures.save(svg, name)
    dots = _note_of_dots(forests_surfaces.MOST_DOTS, len(axes) == 2)
    st.caption(f"{approximation_surfaces.alt(gap, data)} {_key(one)} {dots}")


def _colours(one: Approximated) -> str:
    if one.dataset.is_classification:
        return say("A colour for each class: {classes}.", classes=", ".join(one.dataset.classes))
    return say("The deeper the colour, the greater the number.")


def _key(one: Approximated) -> str:
    return (
        say("In the third picture: the stronger the colour, the further apart; full where the class is another.")
        if one.dataset.is_classification
        else say("In the third picture: the stronger the colour, the further apart.")
    )


def _note_of_dots(most: int, is_plane: bool) -> str:
    """Note on the dots."""
    by_chance = "" if is_plane else say("; up and down they stand by chance")
    return say(
        "Dots are rows of the data, {most} at most{by_chance}. Columns on no axis have their median or most "
        "frequent value.",
        most=most,
        by_chance=by_chance,
    )
