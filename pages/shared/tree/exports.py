"""The tree to take away: as code, drawing, rules, predictions and report; and the link to this page."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier import export, predict
from espalier.display.parts import ReportSection
from espalier.display.tables import labels_of, to_csv
from espalier.display.text.splits import add_changes, change_words
from espalier.export.columns import answers
from espalier.export.dialects import DIALECTS
from espalier.export.sql_cells import check_dialect
from espalier.findings.check import check_table
from espalier.findings.findings import sentences
from espalier.grown import GrownTree, make_estimator
from espalier.language import Refusal, Texts, as_spoken, english, say, to_say
from espalier.notebook.shown import axes_of
from espalier.reports.model import holdout_words
from espalier.reports.paper import to_html
from espalier.reports.scripts import RebuiltModel, to_notebook, to_script
from espalier.reports.tree import ReportedTree, tree_report
from pages.shared.app import lecture
from pages.shared.app.pictures import file_name
from pages.shared.data import library
from pages.shared.tree import results, selection
from pages.shared.tree.results import LEVEL, can_promise, promised

MOST_CELLS = 2_000_000  # of a table that is looked through again for what misleads


class PageState(NamedTuple):
    """What of the page a report takes up besides the tree."""

    link: str = ""
    axes: tuple[int, ...] = ()  # of the surface; none: those that tell most
    level: int = LEVEL  # of the leaves' promises, in percent
    more: tuple[ReportSection, ...] = ()  # what the page shows besides


AT_FIRST = PageState()


DIALECT_HELP = to_say("Databases quote names and texts, and read numbers, in ways of their own.")
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
    report = as_spoken(lambda: html(grown, state))
    _button(say("Report of this tree, to read and print (.html)"), grown, "html", "text/html", report)
    if code := script(grown):
        title = say("Python that grows this tree again (.py)")
        _button(title, grown, "script.py", "text/x-python", lambda: code)
        title = say("Notebook that grows this tree again (.ipynb)")
        _button(title, grown, "ipynb", "application/json", lambda: notebook(grown))
    _button(say("Predictions of all rows (.csv)"), grown, "csv", "text/csv", lambda: predictions(grown))
    st.caption(say("Link to this page, with everything that is set and selected:"))
    st.code(link(), language=None, wrap_lines=True)


@english()
def source(grown: GrownTree, form: Format, dialect: str = "standard") -> str:
    """The tree in this format, SQL in this dialect; where it cannot be written, a comment that says why."""
    others: tuple = (results.missing(grown.dataset),) if form.write is export.to_rules else ()
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
        help=say(DIALECT_HELP),
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
        axes = selection.chosen_axes(names, best)
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


# ---- the report, and the code that grows the tree again


def html(grown: GrownTree, page: PageState = AT_FIRST) -> str:
    """The report as an HTML document, in the language of the page."""
    data = grown.table
    changes = change_words(grown.sharp, grown.dataset.features, grown.by_hand) if grown.by_hand else []
    return to_html(
        tree_report(
            ReportedTree(
                grown.tree, grown.dataset, data, grown.held, results.answers(grown), grown.source.model,
                _rules(grown),
                sentences(data, check_table(data, grown.held)) if data.X.size <= MOST_CELLS else [],
                changes, script(grown), page.link,
                datetime.date.today().isoformat(),
                holdout_words(grown.source.holdout, int(grown.held.sum())),
                (grown.record, page.axes or axes_of(grown.record, data)),
                promised(grown, page.level) if can_promise(grown) else None,
                page.more,
            )
        )
    )  # fmt: skip


def _rules(grown: GrownTree) -> str:
    try:
        return export.to_rules(
            grown.record, grown.table.features, grown.table.target, results.missing(grown.dataset)
        )
    except ValueError as wrong:
        return str(wrong)


def script(grown: GrownTree) -> str:
    """Python that grows the tree again; empty where its table cannot be had again, or the tree was changed."""
    model = rebuilt(grown)
    return "" if model is None else to_script(model)


def notebook(grown: GrownTree) -> str:
    """The script as a notebook; empty where there is none."""
    model = rebuilt(grown)
    return "" if model is None else to_notebook(model)


@english()
def rebuilt(grown: GrownTree) -> RebuiltModel | None:
    """The model with all that makes it again, for a bundled table or a file that was read here; None otherwise."""
    source, table = grown.source, library.source_of(grown.table)
    if table is None or grown.by_hand or grown.pruned_from or grown.times is not None:
        return None
    tested = grown.held if grown.held.any() else ~grown.held
    estimator = make_estimator(source.model, grown.table)
    return RebuiltModel(estimator, grown.table, table, source.holdout, _score(grown, tested))


def _score(grown: GrownTree, rows: np.ndarray) -> float:
    y, outputs = grown.table.y[rows], results.answers(grown)[rows]
    if grown.table.is_classification:
        return float(np.mean(outputs.argmax(axis=1) == y))
    return float(1 - np.sum((y - outputs[:, 0]) ** 2) / np.sum((y - y.mean()) ** 2))
