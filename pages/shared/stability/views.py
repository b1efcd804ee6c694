"""What else the trees have in common: columns by depth, thresholds, answers row by row, and over a plane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.display.tables import listed, to_csv
from espalier.display.theme import count, number, percent
from espalier.forests.surfaces import WIDTH, plane_of
from espalier.language import Texts, say, to_say
from espalier.stability import bars, thresholds
from espalier.stability.splits import Agreement
from espalier.stability.thresholds import Shown
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.canvas import axis_choice
from pages.shared.canvas.data_table import data_table
from pages.shared.stability import controls, results, slots
from pages.shared.stability.results import COVERED, MOST_MAPPED, LearnerReplicates

WINDOWS = Texts({"neighbourhood": "Neighbourhood T(t₀)", "cube root": "∛N", "square root": "√N"})
MEASURE = Texts({True: "agreement", False: "difference"})
KEY = "threshold-of"  # in the address: the feature's name
AUTO = ""
MOST_LISTED = 200
FIGURE = 420  # pixels of a figure's width


def url_entries() -> list[Entry]:
    """The feature whose thresholds are drawn, as part of the address."""
    return [Entry(KEY, AUTO, str, undo=False)]


def _panels(learners: Sequence[LearnerReplicates]) -> Iterator[LearnerReplicates]:
    """Each learner, within its column and below its heading."""
    columns = st.columns(len(slots.SYMBOLS), gap="small")
    for learner in learners:
        with columns[learner.place]:
            st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
            yield learner


def draw_columns(learners: Sequence[LearnerReplicates]) -> None:
    """Draw a table of the columns asked at each depth for each learner, all with the same columns."""
    names = [feature.name for feature in learners[0].dataset.features]
    shares = [results.by_depth(learner, controls.depth()) for learner in learners]
    total = sum(shares[1:], shares[0])
    which = bars.listed_features(total)
    if not which:
        st.caption(say("No tree asks anything: each is a lone root."))
        return
    shares = [bars.used_depths(share) for share in shares]
    for learner, share in zip(_panels(learners), shares, strict=True):
        picture = bars.features_picture(share, names, which)
        pictures.draw(picture, FIGURE, f"features-{learner.place + 1}.svg")
    titles = [learner.title for learner in learners]
    pictures.save(lambda: to_csv(thresholds.feature_table(titles, shares, names)), "features.csv")
    n_left_out = int(total.any(axis=0).sum()) - len(which)
    more = say(" Columns not shown: {n}.", n=n_left_out) if n_left_out else ""
    st.caption(
        say("Percent of the trees that ask the column at that depth, of a split that hesitates its first.") + more
    )


def draw_thresholds(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the choice of the column; then a picture for each learner, and how much of it which window covers."""
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
        help=say(
            "Grey: the neighbourhood of the best cut t₀ that a cultivated tree has at the root of the whole data. "
            "Thresholds of bagged trees without replacement lie within ∛N rows of the best one (Bühlmann & Yu "
            "2002); Nalenz & Augustin (2021) take √N, since the cuts that are found are not quite the best."
        ),
    )
    feature = offered[names.index(st.session_state[KEY] or names[0])]
    shown = [Shown(results.root_thresholds(one, feature), len(one.trees)) for one in learners]
    span = thresholds.span_of(shown, results.root_windows(learners[0], feature))
    around, whose = results.around(data)[feature], data.features[feature]
    lines = []
    for learner, one in zip(_panels(learners), shown, strict=True):
        windows = results.root_windows(learner, feature)
        picture = thresholds.thresholds_picture(one, windows, around, span, whose)
        pictures.draw(picture, FIGURE, f"thresholds-{learner.place + 1}.svg")
        lines.append(_coverage(learner, feature, one))
    data_table(pd.DataFrame(lines), hide_index=True, alt=say("Thresholds covered by windows"), key="coverage")
    titles = [learner.title for learner in learners]
    pictures.save(lambda: to_csv(thresholds.thresholds(titles, shown)), "thresholds.csv")


def _coverage(learner: LearnerReplicates, feature: int, shown: Shown) -> dict[str, str]:
    """How often the column is at the root, and which share of its thresholds each window covers."""
    n, needed = len(shown.thresholds), results.needed(learner, feature)
    line = {
        say("learner"): learner.title,
        say("at the root"): say("{n} of {n_trees}", n=count(n), n_trees=count(shown.n_trees)),
    }
    for window in results.root_windows(learner, feature):
        line[say("{window}: ± {n} rows", window=WINDOWS[window.name], n=number(window.samples))] = (
            percent(window.coverage) if n else "–"
        )
    covering = say("rows for {share}", share=percent(COVERED))
    return line | {covering: "–" if needed is None else f"± {count(needed)}"}


def draw_agreement(learners: Sequence[LearnerReplicates]) -> None:
    """Draw how often two trees agree, for each learner; then the rows on which they do so least."""
    is_share = learners[0].dataset.is_classification
    several = [learner for learner in learners if len(learner.trees) > 1]
    if not several:
        st.caption(say("Two trees of a learner are needed to see whether they agree."))
        return
    agreed = [results.agreement(learner) for learner in several]
    most = 1.0 if is_share else thresholds.difference_end(agreed)
    for learner, one in zip(_panels(several), agreed, strict=True):
        if is_share:
            st.metric(say("Two trees agree on"), say("{share} of the rows", share=percent(one.mean)))
        else:
            words = say("Root mean square over pairs of trees and rows")
            st.metric(say("Two trees differ by"), number(one.mean), help=words)
        picture = thresholds.rows_picture(one, most, is_share)
        pictures.draw(picture, FIGURE, f"agreement-{learner.place + 1}.svg")
    st.caption(say(AGREEMENT))
    fold = st.expander(say("Rows of least agreement"), on_change="rerun", key="rows of little agreement")
    if fold.open:
        with fold:
            table = rows_table(several, agreed)
            alt = say("Rows on which the trees agree least")
            data_table(table.head(MOST_LISTED), hide_index=True, height=300, alt=alt)
            name = "agreement-by-row.csv" if is_share else "difference-by-row.csv"
            pictures.save(lambda: to_csv(rows_table(several, agreed)), name)


def rows_table(learners: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> pd.DataFrame:
    """The rows with the agreement of each learner's trees on them, the least first."""
    data = learners[0].dataset
    rows, by_row = plane.drawn_rows(len(data.y)), np.stack([one.by_row for one in agreed])
    order = np.argsort((1 if data.is_classification else -1) * by_row.mean(axis=0), kind="stable")
    table = listed(data, rows[order])
    for place, (learner, values) in enumerate(zip(learners, by_row, strict=True), start=1):
        heading = f"{MEASURE[data.is_classification]}: {learner.title}"
        table.insert(place, heading, np.round(values[order], 4))
    return table


def draw_surface(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the axes, the scale, and a map of the variance of the trees' answers for each learner."""
    data = learners[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        names = [feature.name for feature in data.features]
        axes = axis_choice.chosen(names, results.best_axes(learners))
        axis_choice.pick(names, axes)
    with st.spinner(say("Asking all trees …"), show_time=True):
        maps = [np.sqrt(results.spread(learner, axes).variance) for learner in learners]
    most = max(float(one.max(initial=0.0)) for one in maps)
    of = say("shares") if data.is_classification else plain(data.target.name)
    st.caption(say("Standard deviation of the {of} that the trees tell", of=of), help=maps_caption(data))
    pictures.draw(thresholds.map_legend(most), 300)
    for learner, one in zip(_panels(learners), maps, strict=True):
        picture = thresholds.map_picture(one, most, plane_of(data, axes), data)
        pictures.draw(picture, 2 * WIDTH, f"variance-{learner.place + 1}.svg")
        st.caption(say("Standard deviation {value}", value=number(float(np.mean(one**2)) ** 0.5)))


AGREEMENT = to_say(
    "Up: share of the rows. Trees that ask otherwise may still answer alike. Rows that a tree has grown on are "
    "among them."
)


def maps_caption(dataset: Dataset) -> str:
    """What a map shows, and of how many trees."""
    of_classes = say(" Of classes: the root of half the summed variances of the shares.")
    return say(
        "The stronger the tone, the more the answer depends on the draw. At most {most_trees} trees of each "
        "learner are asked; columns on no axis have their median or most frequent value.{of_classes}",
        most_trees=MOST_MAPPED,
        of_classes=of_classes if dataset.is_classification else "",
    )
