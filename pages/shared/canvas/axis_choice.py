"""The two features that a plane is drawn over: chosen by the person, or by what the page shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry

MOST_LEVELS = 12  # categories of an axis that is taken unasked, if there are two others
AUTO, NONE = "", "-"  # choices of an axis beside the features' names


def url_entries() -> list[Entry]:
    """Both axes as parts of the address, the same on every page."""
    return [Entry("x", AUTO, str, undo=False), Entry("y", AUTO, str, undo=False)]


def drop_invalid(features: Sequence[Feature]) -> list[str]:
    """Let go of axes that these features do not have; a note on each."""
    notes, names = [], {feature.name for feature in features}
    for key, allowed in (("x", {AUTO, *names}), ("y", {AUTO, NONE, *names})):
        if st.session_state[key] not in allowed:
            notes.append(say("{key}={name}: these data have no such column", key=key, name=st.session_state[key]))
            st.session_state[key] = AUTO
    return notes


def legible(features: Sequence[Feature], best: Sequence[int], asked: Collection[int]) -> list[int]:
    """Features, the best first, but last those of so many categories that no plane shows them well.

    Only where two others are `asked`: a plane without what the tree asks would show nothing of it.
    """
    crowded = [f for f in best if len(features[f].categories) > MOST_LEVELS]
    clear = [f for f in best if f not in crowded]
    return [*clear, *crowded] if sum(f in asked for f in clear) >= 2 else list(best)


def chosen(names: Sequence[str], best: Sequence[int]) -> tuple[int, ...]:
    """The features on the axes, one or two: those chosen, else the first of `best`, the most telling first."""
    x, y = st.session_state["x"], st.session_state["y"]
    first = names.index(x) if x != AUTO else next(f for f in best if y in (AUTO, NONE) or f != names.index(y))
    second = next((f for f in best if f != first), None) if y == AUTO else None if y == NONE else names.index(y)
    return (first,) if second in (None, first) else (first, second)


def pick(names: Sequence[str], axes: tuple[int, ...]) -> None:
    """The choice of both axes, in a line; `axes` are those that are `chosen` now."""
    shown = {"x": names[axes[0]], "y": names[axes[1]] if len(axes) == 2 else say("none", context="axis")}
    for key, others in (("x", []), ("y", [NONE])):
        st.session_state[key] = st.session_state[key]  # a widget knows it by its words, which change
        texts = {
            AUTO: say("↔ {name} (auto)" if key == "x" else "↕ {name} (auto)", name=shown[key]),
            NONE: say("↕ none"),
        }
        st.selectbox(
            app_sentences.AXES[key], [AUTO, *others, *names], key=key, label_visibility="collapsed",
            format_func=lambda name, texts=texts: texts.get(name) or name,
        )  # fmt: skip
