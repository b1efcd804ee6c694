"""What columns add to the answers of both forests, and how answers change along a column."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.display.boundaries.plane import in_words
from espalier.display.tables import to_csv
from espalier.explanation import columns as views
from espalier.explanation.columns import ColumnParts
from espalier.explanation.dependence import can_explain
from espalier.explanation.shapley import ShapleyValues, shapley_values
from espalier.language import Later, say
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import whole
from pages.shared.app.table_results import of_table
from pages.shared.explanation import curves, together
from pages.shared.forests import sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

MOST_ROWS = 300  # whose parts are drawn


def url_entries() -> list[Entry]:
    """The class whose share is explained, from 1, and the choices of pairs and of curves."""
    return [
        Entry("explained", 1, whole(1, 1000), undo=False, stays=True),
        *curves.url_entries(),
        *together.url_entries(),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the importance by shuffling, then the parts of answers, pairs of columns, then the curves along one."""
    sentences.draw(pair)
    data = pair[0].dataset
    st.markdown(say("#### What do columns add to an answer?"))
    output = _pick_class(pair[0])
    st.caption(sentences.parts_caption(MOST_ROWS, len(data.y)))
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            _strips(one, side, output)
    together.draw(pair, output)
    curves.draw(pair, output)


def _pick_class(one: GrownForest) -> int:
    data = one.dataset
    if not data.is_classification:
        return 0
    together.keep_within("explained", len(data.classes))
    chosen = st.selectbox(
        say("Share of"), range(1, len(data.classes) + 1), format_func=lambda n: in_words(data.target, n - 1),
        key="explained", width=260,
    )  # fmt: skip
    return chosen - 1


@of_table(max_entries=16, show_spinner=Later(lambda: say("Taking the answers apart …")))
def _parts(one: GrownForest, _rows: np.ndarray) -> ShapleyValues:
    return shapley_values(one.forest, one.dataset.X[_rows])


def parts_of(one: GrownForest, output: int) -> ColumnParts:
    """What each column adds to the answers to some rows."""
    data, some = one.dataset, together.drawn(len(one.dataset.y), MOST_ROWS)
    found = _parts(one, some)
    is_logistic = one.forest.link == "logistic"  # one score, that of the second class
    added = found.added[:, :, 0] * (1 if output else -1) if is_logistic else found.added[:, :, output]
    return ColumnParts(added, data.X[some], data.features, one.forest.link, data.target, output)


def _strips(one: GrownForest, side: str, output: int) -> None:
    if not can_explain(one.forest):
        st.caption(say(sentences.NO_PARTS))
        return
    parts = parts_of(one, output)
    pictures.plot(views.strips_picture(parts), f"parts {side}", pictures.NO_BAR)
    pictures.save(lambda: to_csv(views.parts_table(parts)), f"parts-of-forest-{side}.csv")
