"""The tree to take away: source text, a drawing's source, rules, predictions, and the link to this page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from espalier import export, predict
from espalier.display.parts import ReportSection
from espalier.display.tables import labels_of, to_csv
from espalier.display.text.splits import add_changes, change_words
from espalier.export.columns import answers
from espalier.export.dialects import DIALECTS
from espalier.export.sql_cells import check_dialect
from espalier.language import Refusal, Texts, as_spoken, english, say
from espalier.notebook.shown import axes_of
from pages.shared.app import lecture
from pages.shared.app.pictures import file_name
from pages.shared.canvas import axis_choice
from pages.shared.data import library
from pages.shared.tree import results
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.exports import report_file
from pages.shared.tree.exports.report_file import PageState
from pages.shared.tree.grown.leaf_promises import LEVEL
from pages.shared.tree.results import GrownTree

FORMAT_LABELS = Texts(
    {
        "py": "Python function",
        "sql": "SQL expression",
        "txt": "Rules in words",
        "json": "JSON, reads back",
        "dot": "Graphviz DOT",
    }
)


class Format(NamedTuple):
    """A kind of file to save the tree as."""

    ending: str
    mime: str
    write: Callable[..., str]
    comment: str  # the beginning of a line of comment


FORMATS = (
    Format("py", "text/x-python", export.to_python, "# "),
    Format("sql", "application/sql", export.to_sql, "-- "),
    Format("txt", "text/plain", export.to_rules, ""),
    Format("json", "application/json", export.to_json, ""),
    Format("dot", "text/vnd.graphviz", export.to_dot, "// "),
)


def draw_menu(grown: GrownTree, more: Callable[[], Sequence[ReportSection]] = tuple) -> None:
    """Draw the button that opens the exports; `more` are sections of the report on what the page shows besides."""
    opened = st.popover(say("Export"), icon=":material/download:", on_change="rerun", key="export menu")
    if opened.open:
        with opened:
            draw(grown, more)


def draw(grown: GrownTree, more: Callable[[], Sequence[ReportSection]] = tuple) -> None:
    """Draw the exports, which are written when they are asked for; `more` are sections of the report."""
    st.caption(say("The tree graph and the surface have a button of their own for a picture."))
    for form in FORMATS:
        dialect = _dialect() if form.write is export.to_sql else "standard"
        if form.write is export.to_sql and (reason := _refusal(grown, dialect)):
            st.caption(reason)
            continue
        label = f"{FORMAT_LABELS[form.ending]} (.{form.ending})"
        _button(label, grown, form.ending, form.mime, lambda f=form, d=dialect: source(grown, f, d))
    state = _state(grown)._replace(more=tuple(more()))
    report = as_spoken(lambda: report_file.html(grown, state))
    _button(say("Report of this tree, to read and print (.html)"), grown, "html", "text/html", report)
    if script := report_file.script(grown):
        title = say("Python that grows this tree again (.py)")
        _button(title, grown, "script.py", "text/x-python", lambda: script)
        title = say("Notebook that grows this tree again (.ipynb)")
        _button(title, grown, "ipynb", "application/json", lambda: report_file.notebook(grown))
    _button(say("Predictions of all rows (.csv)"), grown, "csv", "text/csv", lambda: predictions(grown))
    st.caption(say("Link to this page, with everything that is set and selected:"))
    st.code(link(), language=None, wrap_lines=True)


@english()
def source(grown: GrownTree, form: Format, dialect: str = "standard") -> str:
    """The tree in this format, SQL in this dialect; where it cannot be written, a comment that says why."""
    others: tuple = (results.missing(grown),) if form.write is export.to_rules else ()
    others = (dialect,) if form.write is export.to_sql else others
    try:
        text = form.write(grown.record, grown.table.features, grown.table.target, *others)
        changes = change_words(grown.sharp, grown.dataset.features, grown.by_hand) if grown.by_hand else []
        return add_changes(text, changes, None if form.write is export.to_json else form.comment)
    except ValueError as wrong:
        return (
            f"{form.comment}"
            + say("This tree cannot be written here: {why}", why=" ".join(str(wrong).split()))
            + "\n"
        )


def _dialect() -> str:
    return st.selectbox(
        say("SQL for"), list(DIALECTS), format_func=lambda name: DIALECTS[name].label, key="SQL dialect",
        help=say(tree_sentences.DIALECT_HELP),
    )  # fmt: skip


def _refusal(grown: GrownTree, dialect: str) -> str:
    """Why the tree is not written in a dialect; empty: it is."""
    try:
        check_dialect(grown.record, grown.table.features, dialect)
    except Refusal as refused:
        return str(refused)
    return ""


@english()
def predictions(grown: GrownTree) -> str:
    """CSV of every row: held out or not, its target, the prediction, and the share of each class.

    Of a cultivated tree also the spread, its hesitation.
    """
    data, outputs = grown.dataset, results.answers(grown)
    first = {say("row"): range(1, len(data.y) + 1)} | labels_of(data) | {say("held out"): grown.held}
    if data.row_weights is not None:
        first[say("weight: {name}", name=data.row_weights.name)] = data.row_weights.values
    table = pd.DataFrame(first)
    if data.is_classification:
        names = pd.Index(answers(data.target))
        table[say("target")], table[say("predicted")] = names[data.y], names[outputs.argmax(axis=1)]
        table[[say("share of {name}", name=name) for name in names]] = outputs
    else:
        table[say("target")], table[say("predicted")] = data.y, outputs[:, 0]
    if grown.is_cultivated:
        table[say("spread")] = predict.spreads(grown.tree, data.X)
    return to_csv(table)


def _state(grown: GrownTree) -> PageState:
    """What of the page the report takes up: read here, since it is written when it is saved."""
    names = [feature.name for feature in grown.table.features]
    best = list(dict.fromkeys([*axes_of(grown.record, grown.table), *range(len(names))]))
    try:
        axes = axis_choice.chosen(names, best)
    except ValueError:  # axes of another kind of tree: sums have names of their own
        axes = ()
    return PageState(link_in_report(), axes, st.session_state.get("level", LEVEL))


def link() -> str:
    """Address that shows a colleague the same page, with the name of the file of a person's own table."""
    return lecture.link(st.context.url or "", _query(), lecture.listener())


def link_in_report() -> str:
    """The same for a report, which is read elsewhere: words where no other machine can open the address."""
    return lecture.link_in_report(st.context.url, _query(), lecture.listener()) if st.context.url else ""


def _query() -> dict[str, str]:
    file = library.file_in_use()
    return st.query_params.to_dict() | ({library.FILE: file} if file else {})


def _button(label: str, grown: GrownTree, ending: str, mime: str, data: Callable[[], str]) -> None:
    name = file_name(grown.dataset.name)
    st.download_button(
        label, data, f"{name}.{ending}", mime, on_click="ignore", width="stretch", key=f"save {ending}"
    )
