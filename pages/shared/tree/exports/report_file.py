"""The report of the tree, as a file."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import numpy as np

from espalier import export
from espalier.data.dataset import Dataset
from espalier.display.parts import ReportSection
from espalier.display.text.splits import change_words
from espalier.findings.check import check_table
from espalier.findings.findings import sentences
from espalier.language import english
from espalier.notebook.shown import axes_of
from espalier.reports.model import holdout_words
from espalier.reports.paper import to_html
from espalier.reports.scripts import RebuiltModel, to_notebook, to_script
from espalier.reports.tree import ReportedTree, tree_report
from pages.shared.data import library
from pages.shared.tree import fits, results
from pages.shared.tree.grown.leaf_promises import LEVEL, can_promise, promised
from pages.shared.tree.results import GrownTree

MOST_CELLS = 2_000_000  # of a table that is looked through again for what misleads


class PageState(NamedTuple):
    """What of the page a report takes up besides the tree."""

    link: str = ""
    axes: tuple[int, ...] = ()  # of the surface; none: those that tell most
    level: int = LEVEL  # of the leaves' promises, in percent
    more: tuple[ReportSection, ...] = ()  # what the page shows besides


AT_FIRST = PageState()


def html(grown: GrownTree, page: PageState = AT_FIRST) -> str:
    """The report as an HTML document, in the language of the page."""
    data = grown.table
    changes = change_words(grown.sharp, grown.dataset.features, grown.by_hand) if grown.by_hand else []
    return to_html(
        tree_report(
            ReportedTree(
                grown.tree, grown.dataset, data, grown.held, results.answers(grown), grown.source.model,
                _rules(grown), _findings(data, grown.held), changes, script(grown), page.link,
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
        return export.to_rules(grown.record, grown.table.features, grown.table.target, results.missing(grown))
    except ValueError as wrong:
        return str(wrong)


def _findings(data: Dataset, held: np.ndarray) -> list[str]:
    return sentences(data, check_table(data, held)) if data.X.size <= MOST_CELLS else []


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
    estimator = fits.estimator_of(source.model, grown.table)
    return RebuiltModel(estimator, grown.table, table, source.holdout, _score(grown, tested))


def _score(grown: GrownTree, rows: np.ndarray) -> float:
    y, outputs = grown.table.y[rows], results.answers(grown)[rows]
    if grown.table.is_classification:
        return float(np.mean(outputs.argmax(axis=1) == y))
    return float(1 - np.sum((y - outputs[:, 0]) ** 2) / np.sum((y - y.mean()) ** 2))
