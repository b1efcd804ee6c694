"""What columns add to the answers of both forests, and how answers change along a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from espalier.data import Dataset
from espalier.data.roles import row_names
from espalier.display.text.values import in_words
from espalier.explanation import columns as views
from espalier.explanation.columns import ColumnCurves, ColumnMonotony, ColumnParts
from espalier.explanation.dependence import (
    FeatureCurves,
    can_explain,
    closest_companion,
    feature_curves,
    monotony,
)
from espalier.explanation.shapley import ShapleyValues, shapley_values
from espalier.grown import GrownForest
from espalier.language import Later, say, to_say
from pages.shared.app import address, links, pictures
from pages.shared.app.address import Entry, save_again
from pages.shared.app.frame import guarded, plain
from pages.shared.app.links import whole
from pages.shared.app.store import of_table
from pages.shared.canvas.control import Control
from pages.shared.forests import error, sentences
from pages.shared.models.forests import SIDES, title
from pages.shared.tree import selection

MOST_ROWS, MOST_CURVES = 300, 1000  # rows whose parts are drawn; over which curves are averaged
MEAN, ACCUMULATED = "mean", "accumulated"
CURVE = Control(
    "curve", MEAN, {MEAN: to_say("Mean and single rows"), ACCUMULATED: to_say("Accumulated changes")},
    to_say("Curve"),
    to_say(
        "**Mean and single rows**: every row gets every value, also where no such rows exist. *Terms:* PDP, ICE. "
        "**Accumulated changes**: only rows near a value are moved, and only a little. *Term:* ALE."
    ),
    st.segmented_control, undo=False, stays=True,
)  # fmt: skip


def url_entries() -> list[Entry]:
    """The class whose share is explained, from 1, and the choice of curves."""
    pairs = links.gone_entry("together", say("pairs of columns are gone; *Importance* has each column"))
    return [Entry("explained", 1, whole(1, 1000), undo=False, stays=True), *curve_entries(), pairs]


def curve_entries() -> list[Entry]:
    """The column along which curves are drawn, from 1, and which curve."""
    return [Entry("along", 1, whole(1, 100_000), undo=False, stays=True), CURVE.entry]


def draw(pair: list[GrownForest]) -> None:
    """Draw the importance by shuffling, then the parts of answers, then the curves along a column."""
    error.draw_importance(pair)
    st.markdown(say("#### What do columns add to an answer?"))
    output, n = _pick_class(pair[0]), len(pair[0].dataset.y)
    st.caption(
        say(
            "A dot is a row, of {n} at most: how much the column's value adds to its answer; the stronger its "
            "colour, the greater the value. *Term:* Shapley values (SHAP).",
            n=min(n, MOST_ROWS),
        )
    )
    for one, side in _panels(pair):
        pictures.plot(views.strips_picture(parts_of(one, output)), f"parts {side}", pictures.NO_BAR)
    draw_curves(pair, output)


def _panels(pair: Sequence[GrownForest]) -> Iterator[tuple[GrownForest, str]]:
    """Each forest whose answers can be taken apart, with its side, in its half of the page below its name."""
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if can_explain(one.forest):
                yield one, side
            else:
                st.caption(say("No exact answer: a row is in many leaves, or a split asks for several columns."))


def _number(key: str, n: int) -> int:
    """A number of the address, from 1 to n."""
    st.session_state[key] = min(max(int(st.session_state.get(key, 1)), 1), n)
    return st.session_state[key]


def _pick_class(one: GrownForest) -> int:
    data = one.dataset
    if not data.is_classification:
        return 0
    _number("explained", len(data.classes))
    return st.selectbox(
        say("Share of"), range(1, len(data.classes) + 1), format_func=lambda n: in_words(data.target, n - 1),
        key="explained", width=260,
    ) - 1  # fmt: skip


def _rows(n: int, most: int) -> np.ndarray:
    """Some of n rows, ascending, always the same ones."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


@of_table(max_entries=16, show_spinner=Later(lambda: say("Taking the answers apart …")))
def _parts(one: GrownForest) -> ShapleyValues:
    return shapley_values(one.forest, one.dataset.X[_rows(len(one.dataset.y), MOST_ROWS)])


def parts_of(one: GrownForest, output: int) -> ColumnParts:
    """What each column adds to the answers to some rows."""
    data, values = one.dataset, _parts(one).added
    is_logistic = one.forest.link == "logistic"  # one score, that of the second class
    added = values[:, :, 0] * (1 if output else -1) if is_logistic else values[:, :, output]
    X = data.X[_rows(len(data.y), MOST_ROWS)]
    return ColumnParts(added, X, data.features, one.forest.link, data.target, output)


# ---- along a column


@st.fragment(key="curves along a column")
@guarded
def draw_curves(pair: list[GrownForest], output: int) -> None:
    """Draw the choice of a column and of a curve, and the curve of each forest; it runs alone."""
    address.hold(curve_entries())
    st.markdown(say("#### How does the answer change along a column?"))
    features = pair[0].dataset.features
    meaning = features[_number("along", len(features)) - 1].meaning
    with st.container(horizontal=True, vertical_alignment="bottom"):
        along = st.selectbox(
            say("Column"), range(1, len(features) + 1), format_func=lambda n: features[n - 1].name, key="along",
            width=260, help=meaning or None,
        )  # fmt: skip
        CURVE.draw()
    is_accumulated = CURVE.value == ACCUMULATED and views.has_order(features[along - 1])
    st.caption(
        say("Thick: accumulated changes; dashed: the mean curve; of {n} rows at most.", n=MOST_CURVES)
        if is_accumulated
        else say("Thick: the mean; thin: single rows, the chosen one dark; of {n} rows at most.", n=MOST_CURVES)
    )
    for one, side in _panels(pair):
        look = curve_of(one, along - 1, output)
        picture = views.accumulated_picture(look) if is_accumulated else views.curves_picture(look)
        pictures.plot(picture, f"curves {side}", pictures.NO_BAR)
        if not is_accumulated:
            st.markdown(_monotony_of(one, look))
        other, correlation = _companion(one.dataset, along - 1) or (None, 0.0)
        st.markdown(views.advice(look, features, other, correlation, plain))
    save_again()


def _rows_of_curves(one: GrownForest) -> np.ndarray:
    """Some of the rows, in order, with the chosen one."""
    some, row = _rows(len(one.dataset.y), MOST_CURVES), selection.chosen_row()
    return some if row is None else np.union1d(some, [row])


@of_table(max_entries=32)
def _along(key: str, _one: GrownForest, _some: np.ndarray, feature: int) -> FeatureCurves:
    n_categories = len(_one.dataset.features[feature].categories)
    return feature_curves(_one.forest, _one.dataset.X[_some], feature, n_categories)


@of_table(max_entries=64)
def _companion(data: Dataset, feature: int) -> tuple[int, float] | None:
    return closest_companion(data.X[_rows(len(data.y), MOST_CURVES)], feature, data.features)


def curve_of(one: GrownForest, feature: int, output: int) -> ColumnCurves:
    """The curves of a forest along a column, with the chosen row among those that are drawn."""
    data, row, some = one.dataset, selection.chosen_row(), _rows_of_curves(one)
    curves = _along(f"{one.key} {row}", one, some, feature)
    place = None if row is None else int(np.searchsorted(some, row))
    answer = data.target.name
    if data.is_classification:
        answer = say("share of {name}", name=in_words(data.target, output))
    return ColumnCurves(curves, output, data.features[feature], data.X[some, feature], data.target, place, answer)


def _monotony_of(one: GrownForest, look: ColumnCurves) -> str:
    """Whether the answers only rise or only fall along the column; Markdown."""
    data, directions = one.dataset, getattr(one.estimator, "monotonic_cst", None)
    names = tuple(row_names(data.roles.labels, _rows_of_curves(one).tolist(), begins=True))
    asked = 0
    if directions is not None and not one.is_own:  # the learner directs the share of the second of two classes
        asked = int(directions[look.curves.feature]) * (-1 if data.is_classification and look.output == 0 else 1)
    found = monotony(look.curves, look.output)
    known = ColumnMonotony(found, look.feature, look.curves.steps, names, data.is_classification, asked)
    return views.monotony_words(known, plain)
