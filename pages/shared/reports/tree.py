"""What the report of a tree has of the page besides the tree: the selected node and row, and decisions."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import in_words
from espalier.display.parts import Marked, Part, Prose, ReportSection, grid_of
from espalier.display.tree import figures
from espalier.language import say
from espalier.reliability import curves, explanation_words
from pages.shared.app import chosen_row
from pages.shared.decisions import of_tree as deciding
from pages.shared.reliability import of_tree as row
from pages.shared.reliability import sentences as reliability_sentences
from pages.shared.reliability.of_tree import RowOfTree
from pages.shared.reports import questionnaire
from pages.shared.tree import inspector
from pages.shared.tree.recurrence import line
from pages.shared.tree.results import GrownTree


def section(grown: GrownTree, whole: GrownTree) -> ReportSection:
    """The node that is selected on the page; the first question, where none is.

    `whole` is the tree before it was pruned and changed by hand, of which the page counts how often splits recur.
    """
    node = st.session_state["node"]
    tree, target = grown.tree, grown.dataset.target
    parts: list[Part] = [Prose(text) for text in inspector.said(grown, node)]
    if target.categories:
        parts.append(Prose(figures.class_bars(tree.value[node], tree.value[0], target).alt))
    parts.append(Prose(line.said(grown, whole)))
    return ReportSection(
        say("The selected node") if node else say("Why it asks this first"), [*parts, *_split(grown, node)]
    )


def _split(grown: GrownTree, node: int) -> list[Part]:
    """The curve that the inspector shows, and the columns by what they offer."""
    look = inspector.split_look(grown, node)
    if look is None:
        return []
    return [look.curve, Prose(look.curve.alt), grid_of(look.offers), Marked(look.note)]


# ---- what the report of a tree has of the page besides the tree: the selected node and row, and decisions


def sections(grown: GrownTree, whole: GrownTree) -> list[ReportSection]:
    """The selected node, the story of the chosen row, and the decisions where they were opened on the page."""
    told, number = row.of_row(grown), chosen_row.chosen()
    story = [] if told is None or number is None else [_story(told, grown.table, number)]
    shown = [section(grown, whole), *story]
    if not grown.held.any() or not deciding.is_open(grown.table):
        return shown
    return [*shown, *questionnaire.sections(grown.table, [deciding.deciding(grown)])]


def _story(told: RowOfTree, data: Dataset, number: int) -> ReportSection:
    """The answer to the row with its reasons, and what would change it."""
    look, story = told.look, told.look.story
    said = explanation_words.says(data, story.answers, story.answer)
    name = data.roles.name_of(number, begins=True)
    parts: list[Part] = [
        Prose(
            say(
                "{row}: the tree says {answer}; in truth it is {truth}.",
                row=name,
                answer=said,
                truth=in_words(data.target, float(data.y[number])),
            )
        ),
        Prose(" ".join(explanation_words.why(story, data))),
        Marked(say("**What would change the answer**")),
        Prose(explanation_words.counterfactual_words(story, data)),
    ]
    if told.plane is not None:
        parts += [curves.recourse_picture(look, told.plane)]
        parts += [Marked(reliability_sentences.recourse_caption(data.is_classification))]
    table = explanation_words.changes_table(story, data)
    return ReportSection(say("The story of one row"), [*parts, *([grid_of(table)] if len(table) else [])])
