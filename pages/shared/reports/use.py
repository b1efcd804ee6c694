"""The reports of Questionnaire and of Ask it, and that of the table itself."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data import samples
from espalier.data.dataset import Dataset
from espalier.data.folds import held_out
from espalier.data.samples import title_of
from espalier.display.parts import Grid, Listed, Marked, Part, Prose, ReportSection, grid_of
from espalier.display.theme import number, percent
from espalier.language import say
from espalier.new_rows import words
from espalier.new_rows.scoring import EXPERT, ScoredRowSet, listed_rows
from espalier.questionnaire.questionnaire import walk
from espalier.questionnaire.sheet import steps_table
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from espalier.reports.tree import tree_drawing
from espalier.trees import LEAF
from pages.shared.data import library
from pages.shared.models import drawer
from pages.shared.new_rows.scoring import ScoringModel
from pages.shared.own_models import uploads
from pages.shared.questionnaire import interview, sources
from pages.shared.questionnaire.sources import QuestionnaireTree

MOST_LISTED = 50  # rows for an expert


def questionnaire(asked: QuestionnaireTree) -> ReportedPage:
    """The answer to the case, the questions, and what fewer of them are worth."""
    source, form, data = asked.source, asked.form, asked.source.dataset
    case: list[Part] = []
    if said := interview.said_so_far(asked):
        walked = walk(form, interview.answers(form.features))
        case = [Marked(interview.bullets(said))]
        if form.tree.feature[walked.node] == LEAF:
            lines = [f"### {interview.verdict(asked, walked)}", *interview.beside_verdict(asked, walked)]
            lists = [interview.why(asked, walked), interview.how_sure(asked, walked)]
            case = [*map(Marked, lines), *(Marked(interview.bullets(texts)) for texts in lists)]
    questions: list[Part] = [Prose(f"{sources.origin(source)} {sources.worth(source, asked.most)}")]
    if form.tree.n_leaves > sources.MOST_PRINTED + 1:
        questions.append(Prose(sources.length_warning(asked)))
    else:
        steps = steps_table(form, data.target, asked.limit, source.box is None)
        questions += [tree_drawing(form.tree, form.features, data.target), grid_of(steps)]
    return ReportedPage(
        say("What is the {target}?", target=data.target.name),
        data,
        [
            ReportSection(say("The answer to this case"), case),
            ReportSection(say("The questions"), questions),
            ReportSection(say("How many questions are enough?"), [grid_of(sources.lengths_table(source))]),
        ],
        [ReportedModel(source.model.kind.title, source.model)],
        holdout_words(drawer.holdout(), int(source.held.sum())),
        source.held,
    )


def new_rows(one: ScoringModel, scored: ScoredRowSet, level: float) -> ReportedPage:
    """What the model says of the rows, how their columns were matched, and the rows for an expert."""
    data, held = one.dataset, ~one.seen
    places = listed_rows(scored, EXPERT)
    matched, warnings = words.matching(scored.rows, data)
    answers = [
        Marked(words.handover_words(scored)), Listed(words.reasons_words(scored, data)),
        Marked(words.promise_of_rows(scored, level)), grid_of(words.outcomes_table(scored, data)),
    ]  # fmt: skip
    return ReportedPage(
        say("What does a model say of new rows?"),
        data,
        [
            ReportSection(say("What the model says of new rows"), answers),
            ReportSection(say("How the columns were matched"), [Listed([*matched, *warnings])]),
            ReportSection(
                say("Rows for an expert"), [_grid(words.expert_table(scored, data, places[:MOST_LISTED]))]
            ),
        ],
        [ReportedModel(one.title, one.model, uploads.judged_on(one.model, data) if one.is_own else "")],
        holdout_words(one.holdout, 0 if one.is_own else int(held.sum())),
        held,
    )


def _grid(table: pd.DataFrame) -> Grid:
    """A table whose numbers are as people write them, under heads in the language of the page."""
    texts = table.astype(object)
    for name in table.columns:
        form = percent if name in (words.CHANCE, say("share")) else number
        if table[name].dtype.kind == "f":
            texts[name] = [form(round(x, 4)) if np.isfinite(x) else "–" for x in table[name].tolist()]
    return grid_of(texts.rename(columns=lambda name: say(name) if name in words.NAMES else name))


def table(dataset: Dataset) -> ReportedPage:
    """What a bundled table is about and where it comes from; of a person's own what every report says."""
    holdout, name = drawer.holdout(), library.own_text(library.key_of(dataset))
    held, about = held_out(dataset, holdout), []
    if name in samples.names():
        card = samples.card(name)
        about = [Prose(say(card.description)), Prose(f"{say(card.source)} · {card.licence}")]
    judged = holdout_words(holdout, int(held.sum()))
    heading = say("What the table is about")
    return ReportedPage(title_of(dataset), dataset, [ReportSection(heading, about)], (), judged, held)
