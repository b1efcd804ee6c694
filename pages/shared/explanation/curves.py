"""How the answers of both forests change along a column: the mean and single rows, or accumulated changes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data import Dataset
from espalier.data.roles import row_names
from espalier.display.boundaries.plane import in_words
from espalier.display.tables import to_csv
from espalier.explanation import columns
from espalier.explanation.columns import ColumnCurves, ColumnMonotony, monotony_words
from espalier.explanation.dependence import (
    Companion,
    FeatureCurves,
    can_explain,
    closest_companion,
    feature_curves,
    monotony,
)
from espalier.language import Texts, say
from pages.shared.app import address, chosen_row, pictures
from pages.shared.app.address import Entry, save_again
from pages.shared.app.frame import guarded, plain
from pages.shared.app.links.readers import one_of, whole
from pages.shared.app.table_results import of_table
from pages.shared.forests import sentences as forests_sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.drawer import pick
from pages.shared.models.forests import SIDES, title

CURVE_NAMES = Texts({"mean": "Mean and single rows", "accumulated": "Accumulated changes"})

MOST_CURVES = 1000  # rows over which curves are averaged
MEAN, ACCUMULATED = "mean", "accumulated"


def sample_rows(n: int, most: int) -> np.ndarray:
    """Some of n rows, ascending, always the same ones."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def rows_with_selected(n: int, most: int) -> np.ndarray:
    """Some of n rows, in order, with the chosen one."""
    some, row = sample_rows(n, most), chosen_row.chosen()
    return some if row is None else np.union1d(some, [row])


def keep_within(key: str, n: int) -> None:
    """Let a number from the address be one that there is."""
    st.session_state[key] = min(max(int(st.session_state.get(key, 1)), 1), n)


def curve_entries() -> list[Entry]:
    """The column along which curves are drawn, from 1, and which curve."""
    return [
        Entry("along", 1, whole(1, 100_000), undo=False, stays=True),
        Entry("curve", MEAN, one_of((MEAN, ACCUMULATED)), undo=False, stays=True),
    ]


@st.fragment(key="curves along a column")
@guarded
def draw_curves(pair: list[GrownForest], output: int) -> None:
    """Draw the choice of a column and of a curve, and the curve of each forest; it runs alone."""
    address.hold(curve_entries())
    _curves(pair, output)
    save_again()


def _curves(pair: list[GrownForest], output: int) -> None:
    data = pair[0].dataset
    st.markdown(say("#### How does the answer change along a column?"))
    feature = _pick_column(pair)
    is_accumulated = st.session_state["curve"] == ACCUMULATED and columns.has_order(data.features[feature])
    st.caption(
        forests_sentences.accumulated_caption(MOST_CURVES)
        if is_accumulated
        else forests_sentences.curves_caption(MOST_CURVES)
    )
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            if not can_explain(one.forest):
                st.caption(say(forests_sentences.NO_PARTS))
            elif is_accumulated:
                _accumulated(one, side, curve_of(one, feature, output))
            else:
                _mean(one, side, curve_of(one, feature, output))


def _pick_column(pair: list[GrownForest]) -> int:
    features = pair[0].dataset.features
    keep_within("along", len(features))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        along = st.selectbox(
            say("Column"), range(1, len(features) + 1), format_func=lambda n: features[n - 1].name, key="along",
            width=260, help=features[int(st.session_state["along"]) - 1].meaning or None,
        )  # fmt: skip
        pick(
            {
                "curve": (
                    say("Curve"),
                    say(
                        "**Mean and single rows**: every row gets every value of the column, and its other values "
                        "stay. That is plain to read, but where columns go together it asks about rows that do "
                        "not exist.\n\n**Accumulated changes**: only rows near a value are moved, only a little, "
                        "and their changes add up. To be preferred where the column goes together with another. "
                        "*Terms:* PDP, ICE; accumulated local effects (ALE; Apley and Zhu 2020)."
                    ),
                )
            },
            "curve",
            st.segmented_control,
            options=[MEAN, ACCUMULATED],
            format_func=CURVE_NAMES.get,
            required=True,
        )
    return along - 1


@of_table(max_entries=32, show_spinner=False)
def _along(key: str, _one: GrownForest, _rows: np.ndarray, feature: int) -> FeatureCurves:
    n_categories = len(_one.dataset.features[feature].categories)
    return feature_curves(_one.forest, _one.dataset.X[_rows], feature, n_categories)


@of_table(max_entries=64, show_spinner=False)
def _companion(data: Dataset, feature: int) -> Companion | None:
    return closest_companion(data.X[sample_rows(len(data.y), MOST_CURVES)], feature, data.features)


def curve_of(one: GrownForest, feature: int, output: int) -> ColumnCurves:
    """The curves of a forest along a column, with the chosen row among those that are drawn."""
    data, row = one.dataset, chosen_row.chosen()
    some = rows_with_selected(len(data.y), MOST_CURVES)
    found = _along(f"{one.key} {row}", one, some, feature)
    place = None if row is None else int(np.searchsorted(some, row))
    answer = data.target.name
    if data.is_classification:
        answer = say("share of {name}", name=in_words(data.target, output))
    return ColumnCurves(found, output, data.features[feature], data.X[some, feature], data.target, place, answer)


def _mean(one: GrownForest, side: str, look: ColumnCurves) -> None:
    """Draw the mean curve, single rows, whether answers only rise or fall, and if the mean is to be trusted."""
    st.markdown(forests_sentences.forest_heading(title(side)))
    pictures.plot(columns.curves_picture(look), f"curves {side}", pictures.NO_BAR)
    st.markdown(monotony_of(one, look))
    st.markdown(advice(one, look))
    pictures.save(lambda: to_csv(columns.curves_table(look)), f"curve-of-forest-{side}.csv")


def monotony_of(one: GrownForest, look: ColumnCurves) -> str:
    """Whether the answers only rise or only fall along the column; Markdown."""
    data, some = one.dataset, rows_with_selected(len(one.dataset.y), MOST_CURVES)
    names = tuple(row_names(data.roles.labels, some.tolist(), begins=True))
    known = ColumnMonotony(
        monotony(look.curves, look.output), look.feature, look.curves.steps, names, data.is_classification,
        _asked(one, look.curves.feature, look.output),
    )  # fmt: skip
    return monotony_words(known, plain)


def _accumulated(one: GrownForest, side: str, look: ColumnCurves) -> None:
    """Draw the accumulated changes with the mean curve, and which of the two to read."""
    st.markdown(forests_sentences.forest_heading(title(side)))
    pictures.plot(columns.accumulated_picture(look), f"accumulated {side}", pictures.NO_BAR)
    st.markdown(advice(one, look))
    pictures.save(lambda: to_csv(columns.accumulated_table(look)), f"accumulated-of-forest-{side}.csv")


def advice(one: GrownForest, look: ColumnCurves) -> str:
    """Which of the two curves to read, by the column that goes most with this one; Markdown."""
    feature = look.curves.feature
    companion = _companion(one.dataset, feature)
    return columns.advice(look, companion, one.dataset.features, plain)


def _asked(one: GrownForest, feature: int, output: int) -> int:
    """The direction that a forest was asked to keep along a column: 1 rising, -1 falling, 0 none."""
    directions = getattr(one.estimator, "monotonic_cst", None)
    if directions is None or one.is_own:
        return 0
    # The learner directs the share of the second of two classes.
    return int(directions[feature]) * (-1 if one.dataset.is_classification and output == 0 else 1)
