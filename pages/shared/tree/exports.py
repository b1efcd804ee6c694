"""The tree to take away: source text, a drawing's source, rules, predictions, and the link to this page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from espalier import predict
from espalier.views import export
from espalier.views.export.columns import answers
from espalier.views.export.dialects import DIALECTS
from espalier.views.spreadsheet import to_csv
from pages.shared.tree import results
from pages.shared.tree.results import GrownTree


class Format(NamedTuple):
    """A kind of file to save the tree as."""

    label: str
    ending: str
    mime: str
    write: Callable[..., str]
    comment: str  # how a line of it starts that is not read


FORMATS = (
    Format("Python function", "py", "text/x-python", export.to_python, "# "),
    Format("SQL expression", "sql", "application/sql", export.to_sql, "-- "),
    Format("Rules in words", "txt", "text/plain", export.to_rules, ""),
    Format("JSON, reads back", "json", "application/json", export.to_json, ""),
    Format("Graphviz DOT", "dot", "text/vnd.graphviz", export.to_dot, "// "),
)


def menu(grown: GrownTree) -> None:
    """The button that opens the exports; they are drawn, and written, only when asked for."""
    opened = st.popover("Export", icon=":material/download:", on_change="rerun", key="export menu")
    if not opened.open:
        return
    with opened:
        st.caption("The tree graph and the surface have a button of their own for a picture.")
        for form in FORMATS:
            dialect = _dialect() if form.write is export.to_sql else "standard"
            _button(
                f"{form.label} (.{form.ending})",
                grown,
                form.ending,
                form.mime,
                lambda f=form, d=dialect: source(grown, f, d),
            )
        _button("Predictions of all rows (.csv)", grown, "csv", "text/csv", lambda: predictions(grown))
        st.caption("Link to this page, with everything that is set and selected:")
        st.code(link(), language=None, wrap_lines=True)


def source(grown: GrownTree, form: Format, dialect: str = "standard") -> str:
    """The tree in this format, SQL in this dialect; where it cannot be written, a comment that says why."""
    told: tuple = (results.missing(grown),) if form.write is export.to_rules else ()
    told = (dialect,) if form.write is export.to_sql else told
    try:
        return form.write(grown.tree, grown.dataset.features, grown.dataset.target, *told)
    except ValueError as wrong:
        return f"{form.comment}This tree cannot be written here: {' '.join(str(wrong).split())}\n"


def _dialect() -> str:
    return st.selectbox(
        "SQL for", list(DIALECTS), format_func=lambda name: DIALECTS[name].label, key="SQL dialect",
        help="Databases quote names and texts, and read numbers, in ways of their own.",
    )  # fmt: skip


def predictions(grown: GrownTree) -> str:
    """CSV of every row: held out or not, its target, what the tree says, and the share of each class.

    Of a cultivated tree also the spread: how much it hesitates.
    """
    data, said = grown.dataset, results.answers(grown)
    table = pd.DataFrame({"row": range(1, len(data.y) + 1), "held out": grown.held})
    if data.is_classification:
        names = pd.Index(answers(data.target))
        table["target"], table["predicted"] = names[data.y], names[said.argmax(axis=1)]
        table[[f"share of {name}" for name in names]] = said
    else:
        table["target"], table["predicted"] = data.y, said[:, 0]
    if grown.is_cultivated:
        table["spread"] = predict.spreads(grown.tree, data.X)
    return to_csv(table)


def link() -> str:
    """Address that shows a colleague the same page."""
    query = urlencode(st.query_params.to_dict())
    return (st.context.url or "") + ("?" + query if query else "")


def _button(label: str, grown: GrownTree, ending: str, mime: str, data: Callable[[], str]) -> None:
    name = "".join(c if c.isalnum() else "-" for c in grown.dataset.name.lower())[:40].strip("-") or "tree"
    st.download_button(
        label, data, f"{name}.{ending}", mime, on_click="ignore", width="stretch", key=f"save {ending}"
    )
