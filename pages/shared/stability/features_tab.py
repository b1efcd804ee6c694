"""Features that the trees ask, depth by depth."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.display.spreadsheet import to_csv
from espalier.language import say
from espalier.stability import features, tables
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.stability import controls, results, sentences, slots
from pages.shared.stability.results import LearnerReplicates


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw a table for each learner, all with the same features."""
    names = [feature.name for feature in learners[0].dataset.features]
    shares = [results.by_depth(learner, controls.depth()) for learner in learners]
    which = features.listed_features(sum(shares[1:], shares[0]))
    if not which:
        st.caption(say("No tree asks anything: each is a lone root."))
        return
    shares = [features.reached(share) for share in shares]
    for column, learner, share in zip(st.columns(len(learners), gap="medium"), learners, shares, strict=True):
        with column:
            st.markdown(sentences.learner_heading(slots.SYMBOLS[learner.place], plain(learner.title)))
            svg = features.features_table(share, names, which, learner.place, is_dark())
            pictures.show(svg, features.alt(share, names, which), 460)
            plain_svg = features.features_table(share, names, which, learner.place, False)
            pictures.save(plain_svg, f"features-{learner.place + 1}.svg")
    titles = [learner.title for learner in learners]
    pictures.save(lambda: to_csv(tables.features(titles, shares, names)), "features.csv")
    n_asked = sum(bool(sum(share[:, f].sum() for share in shares)) for f in range(len(names)))
    st.caption(_features_caption(n_asked - len(which)))


def _features_caption(n_left_out: int) -> str:
    """Caption of the tables of features."""
    more = (
        say(
            " Not shown: {n_left_out} more column."
            if n_left_out == 1
            else " Not shown: {n_left_out} more columns.",
            n_left_out=n_left_out,
        )
        if n_left_out
        else ""
    )
    return say(
        "Percent of the trees that ask the column anywhere at that depth; a depth has several questions, so a "
        "column may sum to more than 100 %. Of a split that hesitates about its column, the first counts.{more}",
        more=more,
    )
