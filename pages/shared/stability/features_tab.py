"""Features that the trees ask, depth by depth."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.stability import features, tables
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.stability import controls, results, slots
from pages.shared.stability.results import LearnerReplicates
from pages.shared.words import stability as words
from pages.shared.words.forests import page as forest_words


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw a table for each learner, all with the same features."""
    names = [feature.name for feature in learners[0].dataset.features]
    shares = [results.by_depth(learner, controls.depth()) for learner in learners]
    which = features.listed_features(sum(shares[1:], shares[0]))
    if not which:
        st.caption(forest_words.NO_QUESTION)
        return
    shares = [features.reached(share) for share in shares]
    for column, learner, share in zip(st.columns(len(learners), gap="medium"), learners, shares, strict=True):
        with column:
            st.markdown(words.heading(slots.SYMBOLS[learner.place], plain(learner.title)))
            svg = features.features_table(share, names, which, learner.place, is_dark())
            pictures.show(svg, features.alt(share, names, which), 460)
            plain_svg = features.features_table(share, names, which, learner.place, False)
            pictures.save(plain_svg, f"features-{learner.place + 1}.svg")
    titles = [learner.title for learner in learners]
    pictures.save(lambda: to_csv(tables.features(titles, shares, names)), "features.csv")
    n_asked = sum(bool(sum(share[:, f].sum() for share in shares)) for f in range(len(names)))
    st.caption(words.features(n_asked - len(which)))
