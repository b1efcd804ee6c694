"""Thresholds of the replicates at the root, and their coverage by the cultivated tree's neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.display.tables import to_csv
from espalier.language import Texts, say
from espalier.stability import bars as stability_words
from espalier.stability import thresholds
from espalier.stability.thresholds import Shown, Span
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.stability import results, slots
from pages.shared.stability.results import COVERED, LearnerReplicates

WINDOWS = Texts({"neighbourhood": "Neighbourhood T(t₀)", "cube root": "∛N", "square root": "√N"})

KEY = "threshold-of"  # in the address: the feature's name
AUTO = ""


def url_entries() -> list[Entry]:
    """The feature as part of the address."""
    return [Entry(KEY, AUTO, str, undo=False)]


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the choice of the feature; then a picture and the coverage for each learner."""
    data, offered = learners[0].dataset, results.root_features(learners)
    if not offered:
        st.caption(
            say("No number gains anything at the root of these data, so that there is no neighbourhood to draw.")
        )
        return
    names = [data.features[f].name for f in offered]
    if st.session_state[KEY] not in names:
        st.session_state[KEY] = AUTO
    first = say("{name} (most often at the root)", name=names[0])
    st.selectbox(
        say("Thresholds at the root, on"),
        [AUTO, *names],
        key=KEY,
        format_func=lambda name: first if name == AUTO else name,
    )
    feature = offered[names.index(st.session_state[KEY] or names[0])]
    shown = [Shown(results.root_thresholds(one, feature), len(one.trees), one.place) for one in learners]
    span = thresholds.span_of(shown, results.root_windows(learners[0], feature))
    for column, learner, one in zip(st.columns(len(learners), gap="medium"), learners, shown, strict=True):
        with column:
            _panel(learner, one, feature, span)
    st.caption(
        say(
            "Bars: share of the trees with a threshold there. Grey: the neighbourhood of the "
            "best cut t₀ that a cultivated tree has at the root of the whole data. Thresholds of "
            "bagged trees without replacement lie within ∛N rows of the best one (Bühlmann & Yu "
            "2002); Nalenz & Augustin (2021) take √N, since the cuts that are found are not "
            "quite the best."
        )
    )
    titles = [learner.title for learner in learners]
    pictures.save(lambda: to_csv(thresholds.thresholds(titles, shown)), "thresholds.csv")


def _panel(learner: LearnerReplicates, shown: Shown, feature: int, span: Span) -> None:
    whose, windows = learner.dataset.features[feature], results.root_windows(learner, feature)
    st.markdown(results.learner_heading(slots.SYMBOLS[learner.place], plain(learner.title)))
    around = results.around(learner.dataset)[feature]
    picture = thresholds.thresholds_picture(shown, windows, around, span, whose)
    pictures.draw(picture, 460)
    n = len(shown.thresholds)
    if not n:
        st.caption(
            say(
                "None of the {n_trees} trees asks {name} at its root.",
                n_trees=shown.n_trees,
                name=plain(whose.name),
            )
        )
        return
    lines = [
        stability_words.coverage(WINDOWS[window.name], window.samples, window.coverage, n) for window in windows
    ]
    lines.append(stability_words.needed_width(results.needed(learner, feature) or 0, COVERED))
    st.markdown(
        say(
            "Asked at the root by {n} of {n_trees} trees. Of these thresholds are covered by:",
            n=n,
            n_trees=shown.n_trees,
        )
    )
    st.markdown("\n".join(f"- {line}" for line in lines))
    pictures.save(picture.draw(False), f"thresholds-{learner.place + 1}.svg")
