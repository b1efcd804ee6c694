"""What errors cost: the section of decisions in a report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions import figures, tables
from espalier.decisions import words as decision_words
from espalier.decisions.figures import CostSummary
from espalier.language import say
from espalier.reports.sheet import Marked, Part, ReportSection, grid_of
from espalier.reports.still.picture import still
from pages.shared.decisions import controls, section
from pages.shared.decisions import sentences as decisions_sentences
from pages.shared.decisions.models import DecidingModel


def sections(dataset: Dataset, models: Sequence[DecidingModel]) -> list[ReportSection]:
    """The section, of models that answer with classes; none of numbers."""
    if not dataset.is_classification or not models:
        return []
    decision = controls.decision(dataset)
    found = [(one.title, section.decided_of(one, decision)) for one in models]
    parts: list[Part] = [
        Marked(decision_words.rule_words(decision, dataset.target)),
        grid_of(tables.rates_table(found, dataset.classes, decision.code)),
        Marked(say(decisions_sentences.TABLE_NOTES)),
    ]
    if decision.code is not None:
        name, free = dataset.classes[decision.code], decision._replace(threshold=None)
        curves = [CostSummary(one.title, one.slot, section.curve_of(one, free), decision.cut) for one in models]
        figure = still(partial(figures.cost_figure, curves, name), figures.cost_alt(curves, name))
        parts += [
            Marked(say("**What 100 rows would cost**")),
            figure,
            Marked(say(decisions_sentences.CURVE_NOTES)),
        ]
    return [ReportSection(say("Decisions and their costs"), [*parts, *_groups(dataset, models)])]


def _groups(dataset: Dataset, models: Sequence[DecidingModel]) -> list[Part]:
    """The rates by the column that is chosen on the page; none without one."""
    column = st.session_state.get(section.GROUPS, "")
    if not column:
        return []
    decision = controls.decision(dataset)
    name = "" if decision.code is None else dataset.classes[decision.code]
    parts: list[Part] = [Marked(say("**Is it as good for every group?**"))]
    for one in models:
        found = section.groups_of(one, decision, column, section.cuts(dataset), dataset)
        parts += [
            Marked(decision_words.standing_out(one.title, found, name)),
            grid_of(tables.groups_table(found, name)),
            Marked(decision_words.few_words(found)),
        ]
    return [*parts, Marked(say(decisions_sentences.GROUPS_NOTES))]
