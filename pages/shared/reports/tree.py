"""What the report of a tree has of the page besides: the selected node, the chosen row, and decisions."""

from __future__ import annotations

import streamlit as st

from espalier.display.boundaries.plane import in_words
from espalier.display.parts import Part, Prose, ReportSection, grid_of
from espalier.language import say
from espalier.reliability import explanation_words
from pages.shared.app import chosen_row
from pages.shared.app.frame import plain
from pages.shared.decisions import section as deciding
from pages.shared.reliability import of_tree as row
from pages.shared.reports import sections as shared
from pages.shared.tree import inspector, recurrence
from pages.shared.tree.results import GrownTree


def sections(grown: GrownTree, whole: GrownTree) -> list[ReportSection]:
    """The selected node, the story of the chosen row, and the decisions where they were opened on the page.

    `whole` is the tree before it was pruned and changed by hand, of which the page counts how often splits recur.
    """
    node, number, data = st.session_state["node"], chosen_row.chosen(), grown.table
    parts: list[Part] = [*map(Prose, inspector.said(grown, node)), Prose(recurrence.said(grown, whole))]
    if (look := inspector.split_look(grown, node)) is not None:
        parts += [look.curve, grid_of(look.offers)]
    every = [ReportSection(say("The selected node") if node else say("Why it asks this first"), parts)]
    if number is not None and (told := row.of_row(grown)) is not None:
        answer = explanation_words.says(data, told.look.story.answers, told.look.story.answer)
        headline = say(
            "{row}: the tree says {answer}; in truth it is {truth}.",
            row=plain(data.roles.name_of(number, begins=True)),
            answer=plain(answer),
            truth=plain(in_words(data.target, float(data.y[number]))),
        )
        every.append(shared.story(told.look, told.plane, headline))
    if grown.held.any() and deciding.is_open(data):
        every += shared.decisions(data, [deciding.of_tree(grown)])
    return every
