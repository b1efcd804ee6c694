"""The rows for an expert and the story of the chosen one, in the report of the page Reliability."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.display.parts import Marked, Part, Prose, ReportSection, grid_of
from espalier.explanation import parts as parts_picture
from espalier.language import say
from espalier.leaf_models import ModelTree
from espalier.reliability import curves, explanation_words, words
from espalier.reliability.words import ReliabilitySummary
from espalier.trees import CultivatedTree, Forest
from pages.shared.reliability import experts, explanation
from pages.shared.reliability import sentences as reliability_sentences
from pages.shared.reliability.explanation import ToldStory
from pages.shared.reliability.models import AnsweredModel

MOST_LISTED = 25  # rows for an expert


def sections(models: Sequence[AnsweredModel], summaries: Sequence[ReliabilitySummary]) -> list[ReportSection]:
    """The rows that the model of the page would hand over, and the story of the row that is chosen there."""
    one = experts.shown(models)
    if one is None:
        return []
    told = explanation.told(one)
    return [_experts(one, summaries), *([] if told is None else [_story(one, told)])]


def _experts(one: AnsweredModel, summaries: Sequence[ReliabilitySummary]) -> ReportSection:
    table, caption = experts.first(one, summaries, MOST_LISTED)
    if not len(table):
        return ReportSection(
            say("Rows for an expert"), [Prose(one.title), Prose(say(reliability_sentences.NOTHING_TO_HAND_OVER))]
        )
    texts = table.drop(columns=[words.RIGHT], errors="ignore").rename(columns=lambda name: say(name))
    return ReportSection(say("Rows for an expert"), [Prose(one.title), grid_of(texts), Marked(caption)])


def _story(one: AnsweredModel, told: ToldStory) -> ReportSection:
    headline = explanation.headline(one, told.look, told.row)
    return ReportSection(
        say("The story of one row"), [Marked(headline), *_why(told), *_changes(told), *_again(told)]
    )


def _why(told: ToldStory) -> list[Part]:
    """The reasons of the answer, and of the one that came second."""
    look, data, story = told.look, told.look.dataset, told.look.story
    parts: list[Part] = [Marked(say("**Why**")), _sentences(explanation_words.why(story, data))]
    added = explanation_words.parts_of(story, data)
    if added is not None and added.added.any():
        parts += [parts_picture.reasons_picture(added, data, story.x)]
        parts += [Marked(reliability_sentences.parts_caption(added.link))]
    if isinstance(story.model, CultivatedTree):
        parts += [curves.leaves_picture(look), Marked(say(reliability_sentences.LEAVES))]
    if isinstance(story.model, Forest):
        votes = explanation.votes_picture(look, story.model, told.row)
        parts += [votes, Prose(votes.alt)]
    elif story.steps:
        way = reliability_sentences.way_caption(isinstance(story.model, CultivatedTree))
        parts += [curves.way_picture(look), Marked(way)]
    if nearly := explanation_words.nearly(story, data):
        is_near = explanation_words.is_near(story, data)
        heading = say("**What nearly won**") if is_near else say("**What came second**")
        parts += [Marked(heading), _sentences(nearly)]
    return parts


def _changes(told: ToldStory) -> list[Part]:
    """What would change the answer: the smallest change, and those of single columns."""
    look, data, story = told.look, told.look.dataset, told.look.story
    parts: list[Part] = [
        Marked(say("**What would change the answer**")),
        _sentences([explanation_words.counterfactual_words(story, data)]),
    ]
    plane = None if isinstance(story.model, ModelTree) else explanation.recourse_of(told)
    if plane is not None:
        parts += [
            curves.recourse_picture(look, plane),
            Marked(reliability_sentences.recourse_caption(data.is_classification)),
        ]
    table = explanation_words.changes_table(story, data)
    return [*parts, *_strips(told), grid_of(table)] if len(table) else parts


def _strips(told: ToldStory) -> list[Part]:
    """What would be said along single columns."""
    return [
        curves.strips_picture(told.look, explanation.strips_shown(told)),
        Marked(reliability_sentences.strips_caption(told.look.dataset.is_classification)),
    ]


def _again(told: ToldStory) -> list[Part]:
    """What models on redrawn data say of the row, once they were asked."""
    answers = explanation.answers_again(told.refits, told.row)
    if answers is None:
        return []
    text = explanation_words.refit_words(told.look.dataset, told.look.story.answer, answers)
    return [
        Marked(say(reliability_sentences.AGAIN)),
        Prose(text),
        curves.refit_picture(told.look, answers, text),
        Marked(say(reliability_sentences.AGAIN_MODELS)),
    ]


def _sentences(sentences: Sequence[str]) -> Part:
    return Prose(" ".join(sentences))
