"""The report of the page Data: the table in use, and its unusual rows."""

from __future__ import annotations

from functools import partial

import streamlit as st

from espalier.data import samples
from espalier.data.dataset import Dataset, held_out
from espalier.data.samples import title_of
from espalier.language import say
from espalier.views.forests import isolation
from espalier.views.reports.model import holdout_words
from espalier.views.reports.page import ReportedPage
from espalier.views.reports.screens import on_any_screen
from espalier.views.reports.sheet import Drawing, Marked, Part, Prose, ReportSection, grid_of
from pages.shared.canvas import tabs as page_tabs
from pages.shared.data import library
from pages.shared.models import rail
from pages.shared.unusual import controls, scoring, tab
from pages.shared.words import unusual as unusual_words
from pages.shared.words.data import page as data_words
from pages.shared.words.reports import page as words

MOST_LISTED, MOST_COLUMNS = 20, 2  # rows with the highest scores, and columns of each, on a sheet of paper


def reported(dataset: Dataset) -> ReportedPage:
    """What the page shows of the table in use; its unusual rows, where they are on the page."""
    holdout = rail.holdout()
    held = held_out(dataset, holdout)
    sections = [*_origin(dataset), *_unusual(dataset)]
    judged = holdout_words(holdout, int(held.sum()))
    lead = words.about_table(title_of(dataset), dataset.target.name)
    return ReportedPage(title_of(dataset), lead, dataset, sections, (), judged, held)


def _origin(dataset: Dataset) -> list[ReportSection]:
    """What a bundled table is about and where it comes from; nothing of a person's own."""
    name = library.own_text(library.key_of(dataset))
    if name not in samples.names():
        return []
    card = samples.card(name)
    texts = (say(card.description), f"{say(card.source)} · {card.licence}")
    return [ReportSection(words.ORIGIN, list(map(Prose, texts)))]


def _unusual(dataset: Dataset) -> list[ReportSection]:
    """The scores of the rows and the highest of them, once the rows were scored and their tab is open."""
    settings = controls.settings()
    if st.session_state["part"] != page_tabs.names(data_words)[1]:
        return []
    rows = scoring.there(dataset, settings)
    if rows is None:
        return []
    scores = scoring.scores(rows, settings.contamination)
    histogram = on_any_screen(partial(isolation.score_histogram, scores))
    picture = Drawing(histogram, isolation.histogram_alt(scores))
    listed = rows.highest[:MOST_LISTED]
    parts: list[Part] = [
        Marked(unusual_words.INTRODUCTION), picture, Marked(isolation.histogram_alt(scores)),
        Marked(unusual_words.MOST_UNUSUAL), grid_of(tab.table_of(rows, scores, listed, MOST_COLUMNS)),
        Prose(unusual_words.HOW),
    ]  # fmt: skip
    return [ReportSection(data_words.TABS[1], parts)]
