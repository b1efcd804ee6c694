"""Where the replicates put the root's threshold, and whether the cultivated tree's neighbourhood covers that."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.stability import tables, thresholds
from espalier.views.stability import words as stability_words
from espalier.views.stability.thresholds import Shown, Span
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import is_dark, plain
from pages.shared.stability import results, slots
from pages.shared.stability.results import COVERED, LearnerReplicates

KEY = "threshold-of"  # in the address: the feature's name
AUTO = ""
TITLES = {"neighbourhood": "Neighbourhood T(t₀)", "cube root": "∛N", "square root": "√N"}


def url_entries() -> list[Entry]:
    """The feature as part of the address."""
    return [Entry(KEY, AUTO, str, undo=False)]


def draw(found: Sequence[LearnerReplicates]) -> None:
    """The choice of the feature; then a picture and the coverage for each learner."""
    data, offered = found[0].dataset, results.root_features(found)
    if not offered:
        st.caption(
            "No number gains anything at the root of these data, so that there is no neighbourhood to draw."
        )
        return
    names = [data.features[f].name for f in offered]
    if st.session_state[KEY] not in names:
        st.session_state[KEY] = AUTO
    words = {AUTO: f"{names[0]} (most often at the root)"}
    st.selectbox(
        "Thresholds at the root, on", [AUTO, *names], key=KEY, format_func=lambda name: words.get(name) or name
    )
    feature = offered[names.index(st.session_state[KEY] or names[0])]
    shown = [Shown(results.root_thresholds(one, feature), len(one.trees), one.place) for one in found]
    span = thresholds.span_of(shown, results.root_windows(found[0], feature))
    for column, learner, one in zip(st.columns(len(found), gap="medium"), found, shown, strict=True):
        with column:
            _panel(learner, one, feature, span)
    st.caption(_explained())
    titles = [learner.title for learner in found]
    pictures.save(lambda: to_csv(tables.thresholds(titles, shown)), "thresholds.csv")


def _panel(learner: LearnerReplicates, shown: Shown, feature: int, span: Span) -> None:
    name, windows = learner.dataset.features[feature].name, results.root_windows(learner, feature)
    st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
    around = results.around(learner.dataset)[feature]
    svg = thresholds.thresholds_picture(shown, windows, around, span, name, is_dark())
    pictures.show(svg, thresholds.alt(shown, windows, learner.dataset.features[feature]), 460)
    n = len(shown.thresholds)
    if not n:
        st.caption(f"None of the {shown.n_trees} trees asks {plain(name)} at its root.")
        return
    lines = [
        stability_words.coverage(TITLES[window.name], window.samples, window.coverage, n) for window in windows
    ]
    lines.append(stability_words.needed(results.needed(learner, feature) or 0, COVERED))
    st.markdown(f"Asked at the root by {n} of {shown.n_trees} trees. Of these thresholds are covered by:")
    st.markdown("\n".join(f"- {line}" for line in lines))
    light = thresholds.thresholds_picture(shown, windows, around, span, name, False)
    pictures.save(light, f"thresholds-{learner.place + 1}.svg")


def _explained() -> str:
    return (
        "Bars: share of the trees with a threshold there. Grey: the neighbourhood of the best cut t₀ that a "
        "cultivated tree has at the root of the whole data. Thresholds of bagged trees without replacement lie "
        "within N^(1/3) rows of the best one (Bühlmann & Yu 2002); Nalenz & Augustin (2021) take √N, since the "
        "cuts that are found are not quite the best."
    )
