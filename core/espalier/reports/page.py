"""The report of a page: what the page shows, and what every report says besides.

A page brings the sections of its views; what the models are for, the data, and how they were made come after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.language import say
from espalier.reports.card import card_section
from espalier.reports.data import data_section
from espalier.reports.model import ReportedModel, models_section, versions
from espalier.reports.scripts import RebuiltPage, page_script
from espalier.reports.sheet import Listed, Prose, Report, ReportSection


class ReportedPage(NamedTuple):
    """A page with all that its report says."""

    title: str
    lead: str  # what is shown, in a sentence
    data: Dataset
    sections: Sequence[ReportSection]  # what the page shows, in its order
    models: Sequence[ReportedModel]  # none of a page about the table alone
    judged: str  # on which rows, and by which seed
    held: np.ndarray | None = None  # (n_samples,) bool: rows held out; None: each row by some of the models
    rebuilt: RebuiltPage | None = None  # None: no script makes the models again
    findings: Sequence[str] = ()  # what about the table misleads
    link: str = ""  # to the page; empty: none
    day: str = ""  # on which the report was made


def page_report(one: ReportedPage) -> Report:
    """Return the report.

    >>> from espalier.data import samples
    >>> from espalier.learners.catalogue import Model
    >>> models = [ReportedModel("CART", Model("cart"))]
    >>> page = ReportedPage("Two trees", "Which is better?", samples.load("iris"), (), models, "On 5 folds.")
    >>> [section.heading for section in page_report(page).sections][-1]
    'How the models were made and judged'
    """
    sections = [*one.sections, *(_models(one) if one.models else _table(one))]
    made = say("Made on {day}.", day=one.day) if one.day else ""
    return Report(one.title, (one.lead,), sections, (made, one.link))


def _models(one: ReportedPage) -> list[ReportSection]:
    """Return what the models are for, the data, and how they were made."""
    script = "" if one.rebuilt is None else page_script(one.rebuilt)
    return [
        card_section(one.data, one.findings),
        data_section(one.data, one.held),
        models_section(one.models, one.data.is_classification, one.judged, script),
    ]


def _table(one: ReportedPage) -> list[ReportSection]:
    """Return what about the table misleads, the data, and which rows are held out of it."""
    misleading = [ReportSection(say("What to look at first"), [Listed(one.findings)])] if one.findings else []
    made = ReportSection(say("How this report was made"), [Prose(one.judged), Prose(versions())])
    return [*misleading, data_section(one.data, one.held), made]
