"""What else the trees have in common: columns by depth, thresholds, answers row by row, and over a plane."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.display.theme import number, percent
from espalier.forests.surfaces import WIDTH, plane_of
from espalier.language import say, to_say
from espalier.stability import bars, splits, thresholds
from espalier.stability.splits import Agreement, Neighbourhood, SplitChoices, Window
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.store import of_table
from pages.shared.stability import controls
from pages.shared.stability.structures import LearnerReplicates, panels
from pages.shared.tree import selection

KEY = "threshold-of"  # in the address: the feature's name
AUTO = ""
FIGURE = 420  # pixels of a figure's width
MOST_MAPPED = 100  # trees of a map
AGREEMENT = to_say("Up: share of the rows. Trees that ask otherwise may still answer alike.")
MAP = to_say("The stronger the tone, the more the answer depends on the draw.")


def url_entries() -> list[Entry]:
    """The feature whose thresholds are drawn, as part of the address."""
    return [Entry(KEY, AUTO, str, undo=False)]


# ---- columns by depth


@of_table(max_entries=32)
def _splits(learner: LearnerReplicates) -> SplitChoices:
    return splits.split_choices(learner.trees)


def depth_shares(learner: LearnerReplicates, n_depths: int) -> np.ndarray:
    """(n_depths, n_features): share of the trees that ask each feature at each depth, from the root on."""
    n_features = len(learner.dataset.features)
    counts = _splits(learner).trees(n_features)[:n_depths]
    share = np.zeros((n_depths, n_features))
    share[: len(counts)] = counts / len(learner.trees)
    return share


def draw_columns(learners: Sequence[LearnerReplicates]) -> None:
    """Draw a table of the columns asked at each depth for each learner, all with the same columns."""
    names = [feature.name for feature in learners[0].dataset.features]
    shares = [depth_shares(learner, controls.CONTROLS["down"].value) for learner in learners]
    which = bars.listed_features(sum(shares[1:], shares[0]))
    if not which:
        st.caption(say("No tree asks anything: each is a lone root."))
        return
    for learner, share in zip(panels(learners), shares, strict=True):
        picture = bars.features_picture(bars.used_depths(share), names, which)
        pictures.draw(picture, FIGURE, f"features-{learner.place + 1}.svg")
    st.caption(say("Percent of the trees that ask the column at that depth."))


# ---- thresholds at the root


@of_table(max_entries=32)
def _neighbourhoods(dataset: Dataset) -> dict[int, Neighbourhood]:
    return splits.neighbourhoods(dataset)


def root_features(learners: Sequence[LearnerReplicates]) -> list[int]:
    """Number features at the roots, the most frequent first; without any, all that have a neighbourhood."""
    data = learners[0].dataset
    share = sum(depth_shares(learner, 1)[0] for learner in learners) + np.zeros(len(data.features))
    return sorted(_neighbourhoods(data), key=lambda f: (-share[f], f))


def root_thresholds(learner: LearnerReplicates, feature: int) -> np.ndarray:
    """(m,): thresholds on the feature, of the trees that ask it at their root."""
    choices = _splits(learner)
    values = choices.threshold[choices.at(feature, 0)]
    return values[np.isfinite(values)]


def root_windows(learner: LearnerReplicates, feature: int) -> list[Window]:
    """The neighbourhood, N^(1/3) and √N samples around the best cut, with their coverage of the thresholds."""
    data = learner.dataset
    around, values = _neighbourhoods(data)[feature], root_thresholds(learner, feature)
    return splits.windows(data.X[:, feature], around, values)


def draw_thresholds(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the choice of the column, and a picture of its thresholds for each learner."""
    data, offered = learners[0].dataset, root_features(learners)
    if not offered:
        st.caption(say("No number gains anything at the root of these data."))
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
        help=say(
            "Grey: the neighbourhood T(t₀) of the best cut, as a cultivated tree has it (Nalenz & Augustin "
            "2021). Below: ∛N rows on either side (Bühlmann & Yu 2002), and √N."
        ),
    )
    feature = offered[names.index(st.session_state[KEY] or names[0])]
    thresholds_of_each = [(root_thresholds(learner, feature), len(learner.trees)) for learner in learners]
    span = thresholds.span_of(thresholds_of_each, root_windows(learners[0], feature))
    around, whose = _neighbourhoods(data)[feature], data.features[feature]
    for learner, values in zip(panels(learners), thresholds_of_each, strict=True):
        picture = thresholds.thresholds_picture(*values, root_windows(learner, feature), around, span, whose)
        pictures.draw(picture, FIGURE, f"thresholds-{learner.place + 1}.svg")
        st.caption(plain(picture.alt))


# ---- answers


def _threads() -> int:
    return max((os.cpu_count() or 2) - 1, 1)


@of_table(max_entries=32)
def agreement(learner: LearnerReplicates) -> Agreement:
    """Agreement of the trees on the rows of the table, or on 2,000 of them; at least two trees."""
    data = learner.dataset
    votes = splits.votes_of(learner.trees, data.X[plane.drawn_rows(len(data.y))], _threads())
    return splits.pairwise_agreement(votes) if data.is_classification else splits.pairwise_difference(votes)


def draw_agreement(learners: Sequence[LearnerReplicates]) -> None:
    """Draw how often two trees agree, for each learner."""
    is_share = learners[0].dataset.is_classification
    several = [learner for learner in learners if len(learner.trees) > 1]
    agreed = [agreement(learner) for learner in several]
    most = 1.0 if is_share else thresholds.difference_end(agreed)
    for learner, alike in zip(panels(several), agreed, strict=True):
        if is_share:
            st.metric(say("Two trees agree on"), say("{share} of the rows", share=percent(alike.mean)))
        else:
            words = say("Root mean square over pairs of trees and rows")
            st.metric(say("Two trees differ by"), number(alike.mean), help=words)
        picture = thresholds.rows_picture(alike, most, is_share)
        pictures.draw(picture, FIGURE, f"agreement-{learner.place + 1}.svg")
    st.caption(say(AGREEMENT))


@of_table(max_entries=32)
def variance(learner: LearnerReplicates, axes: tuple[int, ...]) -> np.ndarray:
    """Variance of the trees' answers in the cells of the plane of these axes."""
    data, trees = learner.dataset, learner.trees
    some = trees[:: -(-len(trees) // MOST_MAPPED)]
    return splits.spread(some, plane_of(data, axes).samples(plane.typical(data)), _threads())[1]


def axes_of(learners: Sequence[LearnerReplicates]) -> tuple[int, ...]:
    """The axes of the map: those chosen, else the features asked most often near the root."""
    features = learners[0].dataset.features
    weight = np.zeros(len(features))
    for learner in learners:
        for depth, share in enumerate(depth_shares(learner, 3)):
            weight += share / 2**depth
    order = np.argsort(-weight, kind="stable").tolist()
    best = selection.legible(features, order, np.flatnonzero(weight > 0).tolist())
    return selection.chosen_axes([feature.name for feature in features], sorted(best[:2]) + best[2:])


def draw_surface(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the axes, the scale, and a map of the variance of the trees' answers for each learner."""
    data, axes = learners[0].dataset, axes_of(learners)
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        selection.pick_axes([feature.name for feature in data.features], axes)
    with st.spinner(say("Asking all trees …"), show_time=True):
        maps = [np.sqrt(variance(learner, axes)) for learner in learners]
    most = max(float(deviation.max(initial=0.0)) for deviation in maps)
    subject = say("shares") if data.is_classification else plain(data.target.name)
    st.caption(say("Standard deviation of the {of} that the trees tell", of=subject), help=say(MAP))
    pictures.draw(thresholds.map_legend(most), 300)
    for learner, deviation in zip(panels(learners), maps, strict=True):
        picture = thresholds.map_picture(deviation, most, plane_of(data, axes), data)
        pictures.draw(picture, 2 * WIDTH, f"variance-{learner.place + 1}.svg")
