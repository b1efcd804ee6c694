"""The report of the page New rows."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.samples import title_of
from espalier.display.parts import Grid, Listed, Marked, Part, Prose, ReportSection, grid_of
from espalier.display.theme import count, number, percent
from espalier.language import say
from espalier.new_rows import words
from espalier.new_rows.scoring import ScoredRowSet
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from pages.shared.new_rows import results
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.own_models import uploads
from pages.shared.reports import rebuilding


def interval(low: str, high: str) -> str:
    """Ends of an interval."""
    return say("{low} to {high}", low=low, high=high)


def first_sentence(question: str, models: str, data: str) -> str:
    """First sentence of a report: the question of the page, the models, and the table."""
    return say("{question} {models}, on the rows of “{data}”.", question=question, models=models, data=data)


# ---- the report of the page New rows

MOST_LISTED = 50  # rows for an expert


def reported(one: ScoringModel, work: RowsAtWork, found: ScoredRowSet, level: float) -> ReportedPage:
    """What the page says of the rows, with those for an expert and the reasons."""
    data, held = one.dataset, ~one.seen
    note = uploads.judged_on(one.model, data) if one.is_own else ""
    return ReportedPage(
        f"{data.target.name}: {say('What the model says of new rows')}",
        first_sentence(say("What does a model say of new rows?"), one.title, title_of(data)),
        data,
        [_answers(found, data, level), _columns(found, data), _experts(found, data)],
        [ReportedModel(one.title, one.model, note)],
        holdout_words(one.holdout, 0 if one.is_own else int(held.sum())),
        held,
        rebuilding.of_scoring(one, work),
    )


def _answers(found: ScoredRowSet, data: Dataset, level: float) -> ReportSection:
    """How many rows go to an expert, what is promised, and how right the answers are where that is known."""
    parts: list[Part] = [Marked(words.handover_words(found)), Listed(words.reasons_words(found, data))]
    parts += [Marked(words.promise_of_rows(found, level)), _grid(words.answers_table(found, data))]
    if hits := words.hits_words(found, data):
        parts.append(Marked(hits))
    return ReportSection(say("What the model says of new rows"), parts)


def _columns(found: ScoredRowSet, data: Dataset) -> ReportSection:
    sentences, warnings = words.matching(found.rows, data)
    return ReportSection(say("How the columns were matched"), [Listed([*sentences, *warnings])])


def _experts(found: ScoredRowSet, data: Dataset) -> ReportSection:
    """The rows for an expert, the most doubted first, with the reasons."""
    places = results.places(found, results.EXPERT)
    table = words.expert_table(found, data, places[:MOST_LISTED])
    caption = results.list_caption(count(len(places)), count(MOST_LISTED) if len(places) > MOST_LISTED else "")
    return ReportSection(say("Rows for an expert"), [_grid(table), Prose(caption)])


def _grid(table) -> Grid:
    """A table whose numbers are as people write them, under heads in the language of the page."""
    texts = table.astype(object)
    for name in table.columns:
        form = percent if name in (words.CHANCE, say("share")) else number
        if table[name].dtype.kind == "f":
            texts[name] = [form(round(x, 4)) if np.isfinite(x) else "–" for x in table[name].tolist()]
    return grid_of(texts.rename(columns=lambda name: say(name) if name in words.NAMES else name))
