"""Which features the trees ask, depth by depth."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.views import stability_features, stability_tables
from core.views.spreadsheet import to_csv
from pages.shared import pictures
from pages.shared.frame import is_dark, plain
from pages.shared.stability import controls, facts, slots
from pages.shared.stability.facts import Learner


def draw(found: Sequence[Learner]) -> None:
    """A table for each learner, all with the same features."""
    names = [feature.name for feature in found[0].dataset.features]
    shares = [facts.by_depth(learner, controls.depth()) for learner in found]
    which = stability_features.told(sum(shares[1:], shares[0]))
    if not which:
        st.caption("No tree asks anything: each is a lone root.")
        return
    shares = [stability_features.reached(share) for share in shares]
    for column, learner, share in zip(st.columns(len(found), gap="medium"), found, shares, strict=True):
        with column:
            st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
            look = learner.place, is_dark()
            svg = stability_features.features_table(share, names, which, look)
            pictures.show(svg, stability_features.alt(share, names, which), 460)
            plain_svg = stability_features.features_table(share, names, which, (learner.place, False))
            pictures.save(plain_svg, f"features-{learner.place + 1}.svg")
    titles = [learner.title for learner in found]
    pictures.save(lambda: to_csv(stability_tables.features(titles, shares, names)), "features.csv")
    left_out = sum(bool(sum(share[:, f].sum() for share in shares)) for f in range(len(names))) - len(which)
    more = f" Not shown: {left_out} more feature{'s' * (left_out > 1)}." if left_out else ""
    st.caption(
        "Percent of the trees that ask the feature anywhere at that depth; a depth has several questions, so a "
        f"column may sum to more than 100 %. Of a split that hesitates about its feature, the first counts.{more}"
    )
