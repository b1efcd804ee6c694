"""Which features the trees ask, depth by depth."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.stability import features, tables
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.stability import controls, results, slots
from pages.shared.stability.results import LearnerReplicates


def draw(found: Sequence[LearnerReplicates]) -> None:
    """A table for each learner, all with the same features."""
    names = [feature.name for feature in found[0].dataset.features]
    shares = [results.by_depth(learner, controls.depth()) for learner in found]
    which = features.listed_features(sum(shares[1:], shares[0]))
    if not which:
        st.caption("No tree asks anything: each is a lone root.")
        return
    shares = [features.reached(share) for share in shares]
    for column, learner, share in zip(st.columns(len(found), gap="medium"), found, shares, strict=True):
        with column:
            st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
            svg = features.features_table(share, names, which, learner.place, is_dark())
            pictures.show(svg, features.alt(share, names, which), 460)
            plain_svg = features.features_table(share, names, which, learner.place, False)
            pictures.save(plain_svg, f"features-{learner.place + 1}.svg")
    titles = [learner.title for learner in found]
    pictures.save(lambda: to_csv(tables.features(titles, shares, names)), "features.csv")
    left_out = sum(bool(sum(share[:, f].sum() for share in shares)) for f in range(len(names))) - len(which)
    more = f" Not shown: {left_out} more feature{'s' * (left_out > 1)}." if left_out else ""
    st.caption(
        "Percent of the trees that ask the feature anywhere at that depth; a depth has several questions, so a "
        f"column may sum to more than 100 %. Of a split that hesitates about its feature, the first counts.{more}"
    )
