"""The report of the page Questionnaire."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions import figures
from espalier.decisions.figures import CostSummary
from espalier.display.parts import Grid, Marked, Part, Prose, ReportSection, grid_of
from espalier.display.theme import percent
from espalier.language import say
from espalier.questionnaire import words as views
from espalier.questionnaire.questionnaire import Walk, walk
from espalier.questionnaire.sheet import steps_table
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from espalier.reports.tree import branches_words, tree_drawing
from espalier.trees import LEAF
from pages.shared.decisions import controls, of_tree, section
from pages.shared.decisions.section import DecidingModel
from pages.shared.models import drawer
from pages.shared.questionnaire import answering, answers_in_url, asking, full_model, paper, sources
from pages.shared.questionnaire.asking import bold
from pages.shared.questionnaire.sources import QuestionnaireTree
from pages.shared.reports import rebuilding


def sections(dataset: Dataset, models: Sequence[DecidingModel]) -> list[ReportSection]:
    """The section, of models that answer with classes; none of numbers."""
    if not dataset.is_classification or not models:
        return []
    decision = controls.decision(dataset)
    found = [(one.title, section.decided_of(one, decision)) for one in models]
    parts: list[Part] = [
        Marked(figures.rule_words(decision, dataset.target)),
        grid_of(figures.rates_table(found, dataset.classes, decision.code)),
        Marked(say(section.TABLE_NOTES)),
    ]
    if decision.code is not None:
        name, free = dataset.classes[decision.code], decision._replace(threshold=None)
        curves = [CostSummary(one.title, one.slot, section.curve_of(one, free), decision.cut) for one in models]
        parts += [
            Marked(say("**What 100 rows would cost**")),
            figures.cost_picture(curves, name),
            Marked(say(section.CURVE_NOTES)),
        ]
    return [ReportSection(say("Decisions and their costs"), [*parts, *_groups(dataset, models)])]


def _groups(dataset: Dataset, models: Sequence[DecidingModel]) -> list[Part]:
    """The rates by the column that is chosen on the page; none without one."""
    column = st.session_state.get(section.GROUPS, "")
    if not column:
        return []
    decision = controls.decision(dataset)
    name = "" if decision.code is None else dataset.classes[decision.code]
    parts: list[Part] = [Marked(f"**{say(section.EVERY_GROUP)}**")]
    for one in models:
        found = section.groups_of(one, decision, column, section.cuts(dataset), dataset)
        parts += [
            Marked(figures.standing_out(one.title, found, name)),
            grid_of(figures.groups_table(found, name)),
            Marked(figures.few_words(found)),
        ]
    return [*parts, Marked(say(section.GROUPS_NOTES))]


# ---- the report of the page Questionnaire


def reported(one: QuestionnaireTree) -> ReportedPage:
    """What the page shows: the answer to the case, the questions, and what fewer of them are worth."""
    source, data = one.source, one.source.dataset
    n_held = int(source.held.sum())
    return ReportedPage(
        sources.sheet_title(data.target.name),
        paper.origin(source),
        data,
        [*_case(one), _questions(one), _lengths(one), *_decisions(one)],
        [ReportedModel(source.model.kind.title, source.model)],
        holdout_words(drawer.holdout(), n_held),
        source.held,
        rebuilding.of_questions(source),
    )


def _case(one: QuestionnaireTree) -> list[ReportSection]:
    """What was said of a case, and the answer or the next question; nothing before the first answer."""
    answers = answers_in_url.answers(one.form.features)
    if not answers:
        return []
    walked = walk(one.form, answers)
    said = [views.answer_words(answer, one.form.features, bold) for answer in answers]
    parts: list[Part] = [Marked(say("**Said so far**")), Marked(_lines(said))]
    parts += _answer(one, walked) if one.form.tree.feature[walked.node] == LEAF else [_next(one, walked)]
    return [ReportSection(say("The answer to this case"), parts)]


def _lines(texts: list[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _next(one: QuestionnaireTree, walked: Walk) -> Part:
    asked = asking.next_question(one, walked)
    return Marked(say("Asked next: {text}", text=asked.text))


def _answer(one: QuestionnaireTree, walked: Walk) -> list[Part]:
    """The answer with its reasons, how sure it is, and what the full model would have said."""
    shares = answering.likeliest_classes(one, walked)
    parts: list[Part] = [Marked(f"### {answering.verdict(one, walked)}")]
    parts += [Marked(line) for line in answering.beside_verdict(one, walked)]
    if shares:
        heads = (one.source.dataset.target.name, say("share"))
        parts += [
            Grid(heads, [(name, percent(share)) for name, share in shares]),
            Marked(answering.shares_note(one, walked)),
        ]
    parts += [
        Marked(say("**Because**")), Marked(answering.why(one, walked)),
        Marked(say("**How sure is that?**")), Marked(_lines(answering.how_sure(one, walked))),
    ]  # fmt: skip
    if tested := answering.splits(one, walked):
        parts += [Marked(f"**{say('How sure is every question?')}**"), Marked(_lines(tested))]
    if said := full_model.would_have_said(one, walked):
        parts.append(Marked(said))
    return parts


def _questions(one: QuestionnaireTree) -> ReportSection:
    """The questions as a tree and as a table, with what they are worth."""
    form, target = one.form, one.source.dataset.target
    worth = Prose(f"{sources.sheet_length(one.most)} {paper.worth(one.source, one.most)}")
    if form.tree.n_leaves - 1 > paper.MOST_PRINTED:
        too_many = paper.length_warning(form.tree.n_leaves - 1)
        return ReportSection(say("The questions"), [worth, Prose(too_many)])
    drawing = tree_drawing(form.tree, form.features, target)
    table = grid_of(steps_table(form, target, one.limit, one.source.box is None))
    return ReportSection(say("The questions"), [worth, drawing, Prose(branches_words()), table])


def _lengths(one: QuestionnaireTree) -> ReportSection:
    table = grid_of(paper.table(one.source))
    return ReportSection(say("How many questions are enough?"), [table, Marked(paper.basis(one.source))])


def _decisions(one: QuestionnaireTree) -> list[ReportSection]:
    """What errors cost, once that is open on the page and rows were held out."""
    if not one.source.held.any() or not of_tree.is_open(one.source.dataset):
        return []
    return sections(one.source.dataset, [sources.deciding(one)])
