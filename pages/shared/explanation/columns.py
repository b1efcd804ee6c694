"""What columns add to the answers of both forests, and how answers change along a column."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.explanation.dependence import FeatureCurves, feature_curves
from espalier.analysis.explanation.monotony import monotony
from espalier.analysis.explanation.scores import can_explain
from espalier.analysis.explanation.shapley import ShapleyValues, shapley_values
from espalier.language import Later
from espalier.views.boundaries.surface import in_words
from espalier.views.explanation import columns as views
from espalier.views.explanation.columns import ColumnCurves, ColumnParts
from espalier.views.explanation.monotony import ColumnMonotony, monotony_words
from espalier.views.spreadsheet import to_csv
from pages.shared.app import chosen_row, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.links.readers import whole
from pages.shared.app.table_results import of_table
from pages.shared.forests import importance
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.words.forests import columns as words
from pages.shared.words.forests import page as forest_words

MOST_ROWS, MOST_CURVES = 300, 1000  # whose parts are drawn; over which curves are averaged
CHART = {"displayModeBar": False}


def url_entries() -> list[Entry]:
    """The class whose share is explained, and the column along which curves are drawn, from 1."""
    return [
        Entry("explained", 1, whole(1, 1000), undo=False, stays=True),
        Entry("along", 1, whole(1, 100_000), undo=False, stays=True),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the importance by shuffling, then the parts of answers, then the curves along a column."""
    importance.draw(pair)
    data = pair[0].dataset
    st.markdown(words.PARTS)
    output = _pick_class(pair[0])
    st.caption(words.parts(MOST_ROWS, len(data.y)))
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(forest_words.heading(title(side)))
            _strips(one, side, output)
    st.markdown(words.CURVES)
    names = [feature.name for feature in data.features]
    _keep_within("along", len(names))
    along = st.selectbox(
        words.ALONG, range(1, len(names) + 1), format_func=lambda n: names[n - 1], key="along", width=260
    )
    st.caption(words.curves(MOST_CURVES))
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            _curves(one, side, along - 1, output)


def _keep_within(key: str, n: int) -> None:
    """Let a number from the address be one that there is."""
    st.session_state[key] = min(max(int(st.session_state.get(key, 1)), 1), n)


def _pick_class(one: GrownForest) -> int:
    data = one.dataset
    if not data.is_classification:
        return 0
    _keep_within("explained", len(data.classes))
    chosen = st.selectbox(
        words.EXPLAINED, range(1, len(data.classes) + 1), format_func=lambda n: in_words(data.target, n - 1),
        key="explained", width=260,
    )  # fmt: skip
    return chosen - 1


def _rows(one: GrownForest, most: int) -> np.ndarray:
    """Some rows of the table, in order, with the chosen one."""
    some, row = _drawn(len(one.dataset.y), most), chosen_row.chosen()
    return some if row is None else np.union1d(some, [row])


def _drawn(n: int, most: int) -> np.ndarray:
    """Some of n rows, ascending, always the same ones."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


@of_table(max_entries=16, show_spinner=Later(lambda: words.EXPLAINING))
def _parts(key: str, _one: GrownForest, _rows: np.ndarray) -> ShapleyValues:
    return shapley_values(_one.forest, _one.dataset.X[_rows])


@of_table(max_entries=32, show_spinner=False)
def _along(key: str, _one: GrownForest, _rows: np.ndarray, feature: int) -> FeatureCurves:
    n_categories = len(_one.dataset.features[feature].categories)
    return feature_curves(_one.forest, _one.dataset.X[_rows], feature, n_categories)


def _strips(one: GrownForest, side: str, output: int) -> None:
    if not can_explain(one.forest):
        st.caption(words.NO_PARTS)
        return
    data, rows = one.dataset, _drawn(len(one.dataset.y), MOST_ROWS)
    found = _parts(one.key, one, rows)
    is_logistic = one.forest.link == "logistic"  # one score, that of the second class
    added = found.added[:, :, 0] * (1 if output else -1) if is_logistic else found.added[:, :, output]
    parts = ColumnParts(added, data.X[rows], data.features, one.forest.link, data.is_classification)
    figure, alt = views.strips_figure(parts, is_dark()), views.strips_alt(parts)
    st.plotly_chart(figure, theme=None, key=f"parts {side}", config=CHART, alt=alt)
    pictures.save(lambda: to_csv(views.parts_table(parts)), f"parts-of-forest-{side}.csv")


def _curves(one: GrownForest, side: str, feature: int, output: int) -> None:
    if not can_explain(one.forest):
        st.caption(words.NO_PARTS)
        return
    data, row = one.dataset, chosen_row.chosen()
    rows = _rows(one, MOST_CURVES)
    found = _along(f"{one.key} {row}", one, rows, feature)
    place = None if row is None else int(np.searchsorted(rows, row))
    values = data.X[rows, feature]
    look = ColumnCurves(found, output, data.features[feature], values, data.is_classification, place)
    figure, alt = views.curves_figure(look, is_dark()), views.curves_alt(look)
    st.plotly_chart(figure, theme=None, key=f"curves {side}", config=CHART, alt=alt)
    names = tuple(data.roles.name_of(int(number)) for number in rows)
    asked = _asked(one, feature, output)
    known = ColumnMonotony(
        monotony(found, output), data.features[feature], found.steps, names, data.is_classification, asked
    )
    st.markdown(monotony_words(known, plain))
    pictures.save(lambda: to_csv(views.curves_table(look)), f"curve-of-forest-{side}.csv")


def _asked(one: GrownForest, feature: int, output: int) -> int:
    """The direction that a forest was asked to keep along a column: 1 rising, -1 falling, 0 none."""
    directions = getattr(one.estimator, "monotonic_cst", None)
    if directions is None or one.is_own:
        return 0
    # The learner directs the share of the second of two classes.
    return int(directions[feature]) * (-1 if one.dataset.is_classification and output == 0 else 1)
