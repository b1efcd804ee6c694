"""Sections of reports: decisions with their costs, the story of a row, and what a tree's page has besides."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions import figures
from espalier.display.parts import Marked, Part, Prose, ReportSection, grid_of
from espalier.display.text.values import in_words
from espalier.grown import GrownTree
from espalier.language import say
from espalier.reliability import curves, explanation_words
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import RecoursePlane
from espalier.trees import Forest
from pages.shared.app.frame import plain
from pages.shared.decisions import controls, section
from pages.shared.decisions.section import DecidingModel
from pages.shared.reliability import of_tree
from pages.shared.tree import inspector, recurrence, selection


def decisions(dataset: Dataset, models: Sequence[DecidingModel]) -> list[ReportSection]:
    """The decisions of models and their costs, by the column of groups that is chosen; none of numbers."""
    if not dataset.is_classification or not models:
        return []
    decision = controls.decision(dataset)
    name = "" if decision.code is None else dataset.classes[decision.code]
    rates = [(one.title, section.decided_of(one, decision)) for one in models]
    parts: list[Part] = [
        Marked(figures.rule_words(decision, dataset.target)),
        grid_of(figures.rates_table(rates, dataset.classes, decision.code)),
    ]
    if name:
        parts.append(figures.cost_picture(section.cost_summaries(models, decision), name))
    if st.session_state.get(section.GROUPS, ""):
        for one in models:
            groups = figures.groups_table(section.groups_of(one, decision, dataset), name)
            parts += [Marked(f"**{one.title}**"), grid_of(groups)]
    return [ReportSection(say("Decisions and their costs"), parts)]


def story(look: ExplanationInputs, plane: RecoursePlane | None, headline: str) -> ReportSection:
    """The answer to a row with its reasons, and what would change it; `headline` is Markdown."""
    data, row = look.dataset, look.story
    parts: list[Part] = [Marked(headline), Prose(" ".join(explanation_words.why(row, data)))]
    if row.steps and not isinstance(row.model, Forest):
        parts.append(curves.way_picture(look))
    parts += [
        Prose(" ".join(explanation_words.nearly(row, data))),
        Marked(say("**What would change the answer**")),
        Prose(explanation_words.counterfactual_words(row, data)),
    ]
    if plane is not None:
        parts.append(curves.recourse_picture(look, plane))
    changes = explanation_words.changes_table(row, data)
    return ReportSection(say("The story of one row"), [*parts, *([grid_of(changes)] if len(changes) else [])])


def tree_sections(grown: GrownTree, whole: GrownTree) -> list[ReportSection]:
    """Of a tree: the selected node, the story of the chosen row, and the decisions where they are open.

    `whole` is the tree before it was pruned and changed by hand, of which the page counts how often splits recur.
    """
    node, number, data = st.session_state["node"], selection.chosen_row(), grown.table
    parts: list[Part] = [*map(Prose, inspector.said(grown, node)), Prose(recurrence.said(grown, whole))]
    if (look := inspector.split_look(grown, node)) is not None:
        curve, offers = look
        parts += [curve, grid_of(offers)]
    every = [ReportSection(say("The selected node") if node else say("Why it asks this first"), parts)]
    if number is not None and (explained := of_tree.of_row(grown)) is not None:
        look, plane = explained
        answer = explanation_words.says(data, look.story.answers, look.story.answer)
        headline = say(
            "{row}: the tree says {answer}; in truth it is {truth}.",
            row=plain(data.roles.name_of(number, begins=True)),
            answer=plain(answer),
            truth=plain(in_words(data.target, float(data.y[number]))),
        )
        every.append(story(look, plane, headline))
    if grown.held.any() and section.is_open(data):
        every += decisions(data, [section.of_tree(grown)])
    return every
