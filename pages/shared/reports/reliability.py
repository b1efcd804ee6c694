"""The report of the page Reliability."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.comparison import figures as comparison_figures
from espalier.data.dataset import Dataset
from espalier.data.samples import title_of
from espalier.display.parts import Marked, Part, ReportSection, grid_of
from espalier.display.text.trees import join
from espalier.language import Refusal, say
from espalier.new_rows import promise_words
from espalier.reliability import curves as curve_views
from espalier.reliability import words as reliability_words
from espalier.reliability.reliability import Goal
from espalier.reliability.words import ReliabilitySummary
from espalier.reports.model import folds_words
from espalier.reports.scripts import ReportedPage
from pages.shared.comparison import folds as comparison_sentences
from pages.shared.decisions import section as deciding
from pages.shared.promises import section as promises
from pages.shared.promises import sentences as promises_sentences
from pages.shared.reliability import curves
from pages.shared.reliability import sentences as reliability_sentences
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reports import comparison, new_rows, questionnaire, rebuilding, story


def reported(dataset: Dataset, models: Sequence[AnsweredModel], goal: Goal) -> ReportedPage:
    """What the page shows of these models, at this goal."""
    summaries = curves.summaries_of(models, goal)
    sections = [
        _abstaining(dataset, summaries, goal),
        *questionnaire.sections(dataset, [deciding.of_reliability(one) for one in models]),
        _promises(dataset, models),
        *story.sections(models, summaries),
        _calibration(dataset, models, summaries),
    ]
    return ReportedPage(
        f"{dataset.target.name}: {say('When models should rather not answer')}",
        new_rows.first_sentence(
            say("When should a model rather not answer?"),
            join([one.title for one in models], "and"),
            title_of(dataset),
        ),
        dataset,
        sections,
        [comparison.model_of(one.trial, one.title) for one in models],
        folds_words(models[0].fold_models.plan),
        rebuilt=rebuilding.at_goal(models, summaries, goal),
    )


def _abstaining(dataset: Dataset, summaries: Sequence[ReliabilitySummary], goal: Goal) -> ReportSection:
    """Accuracy against the share answered, and the outcome of the goal."""
    is_classes = dataset.is_classification
    parts: list[Part] = [
        grid_of(reliability_words.points_table(summaries, goal, dataset)),
        *map(Marked, curves.notes(summaries, goal, dataset)),
        Marked(say(reliability_sentences.JUDGED)),
        curve_views.answered_picture(summaries, is_classes),
        Marked(say(reliability_sentences.ANSWERED)),
        Marked(f"**{say(curves.BY_THRESHOLD)}**"),
    ]
    parts += [curve_views.threshold_picture(one, is_classes) for one in summaries]
    parts.append(Marked(reliability_sentences.threshold_caption(is_classes)))
    return ReportSection(say("When models should rather not answer"), parts)


def _promises(dataset: Dataset, models: Sequence[AnsweredModel]) -> ReportSection:
    """The sets or intervals that hold the truth as often as the page asks."""
    try:
        found, classes = [promises.promise_of(one) for one in models], dataset.classes
    except Refusal as too_few_groups:
        return ReportSection(say("Promises"), [Marked(f"{too_few_groups}.")])
    if dataset.is_classification:
        picture = promise_words.sizes_picture(found)
    else:
        pairs = list(zip(found, map(promises.steps_of, models, found), strict=True))
        picture = promise_words.holding_picture(pairs)
    rules = [(one.title, promise_words.rule_words(one, classes)) for one in found]
    parts: list[Part] = [
        Marked(promises_sentences.introduction(dataset.is_classification)),
        picture,
        *(Marked(promise_words.promise_words(one, classes)) for one in found),
        Marked(promises_sentences.rules(rules, dataset.is_classification)),
        Marked(reliability_sentences.warning(dataset.roles.groups is not None, dataset.roles.times is not None)),
    ]
    return ReportSection(say("Promises"), parts)


def _calibration(
    dataset: Dataset, models: Sequence[AnsweredModel], summaries: Sequence[ReliabilitySummary]
) -> ReportSection:
    if not dataset.is_classification:
        pairs = [(one, known.steps) for one, known in zip(summaries, models, strict=True)]
        picture = curve_views.steps_picture(pairs)
        heading = say(curves.MORE_DOUBT)
        return ReportSection(heading, [picture, Marked(say(reliability_sentences.STEPS))])
    picture = comparison_figures.calibration_picture(curves.contestants(models), dataset.y, None)
    caption = Marked(say(comparison_sentences.CALIBRATION_DOTS))
    return ReportSection(say(comparison_sentences.ARE_SHARES_TRUE), [picture, caption])
