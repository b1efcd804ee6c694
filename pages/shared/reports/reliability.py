"""The report of the page Reliability."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.comparison import figures as comparison_figures
from espalier.comparison import tables
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.data.samples import title_of
from espalier.display.parts import Marked, Part, ReportSection
from espalier.display.text.trees import join
from espalier.language import Refusal, say
from espalier.new_rows import promise_words
from espalier.reliability import curves as curve_views
from espalier.reliability import words as reliability_words
from espalier.reliability.reliability import Goal, validation_of
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
    parts: list[Part] = []
    for one in summaries:
        beside = []
        if one.rates is not None and one.rates.n_rows:
            beside = [
                tables.baseline_words(one.rates, dataset.target),
                tables.class_rates_words(one.rates, dataset.target),
            ]
        parts.append(Marked(" ".join([reliability_words.point_words(one, goal, is_classes), *beside])))
    thresholds = [(one.title, reliability_words.threshold_words(one.point)) for one in summaries]
    parts += [
        Marked(reliability_sentences.outcomes_caption(thresholds, goal.confidence is not None)),
        Marked(reliability_sentences.answered_heading(is_classes)),
        curve_views.answered_picture(summaries, is_classes),
        Marked(reliability_sentences.answered_caption(is_classes)),
        Marked(say("**By the threshold on the doubt**")),
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
        heading = say("#### Does more doubt mean more error?").strip("# ")
        return ReportSection(heading, [picture, Marked(say(reliability_sentences.STEPS))])
    entrants = [Contestant(one.title, one.trial.slot, validation_of(one.fold_models)) for one in models]
    picture = comparison_figures.calibration_picture(entrants, dataset.y, None)
    heading = say(comparison_sentences.ARE_SHARES_TRUE).strip("# ")
    return ReportSection(heading, [picture, Marked(say(reliability_sentences.CALIBRATION))])
