"""The reports of Compare, Stability and Reliability, which stand on one set of models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.comparison import figures, tables
from espalier.comparison import words as comparison_words
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.display.parts import Marked, PictureRow, Prose, ReportSection, Subheading, grid_of
from espalier.forests.surfaces import plane_of
from espalier.language import Refusal, say
from espalier.reliability import curves as curve_views
from espalier.reliability import words as reliability_words
from espalier.reliability.reliability import Goal
from espalier.reports.model import ReportedModel, folds_words
from espalier.reports.scripts import RebuiltPage, ReportedPage
from espalier.stability import bars, thresholds
from pages.shared.comparison import results
from pages.shared.comparison.results import PREDICTED
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.decisions import section as deciding
from pages.shared.own_models import uploads
from pages.shared.promises import section as promises
from pages.shared.reliability import curves, experts, explanation
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reports import sections
from pages.shared.stability import structures, views
from pages.shared.stability.structures import LearnerReplicates
from pages.shared.tree import selection

Entrants = Sequence[tuple[ComparisonJob, Contestant]]

MOST_LISTED = 25  # rows for an expert


def compare(dataset: Dataset, entrants: Entrants) -> ReportedPage:
    """The differences of the models with a critical look, their scores, and how true their shares are."""
    score, about = st.session_state["by"], st.session_state.get("about", PREDICTED)
    every, fitted = [one for _, one in entrants], [one for trial, one in entrants if not trial.is_own]
    parts = [figures.folds_picture(fitted, score)] if fitted else []
    if pairs := tables.comparisons(fitted, score):
        looks = results.warnings(entrants, pairs, score)
        parts = [
            Marked(comparison_words.headline(fitted, pairs, score)), *map(Marked, looks),
            grid_of(comparison_words.pairs_table(fitted, pairs, score)), *parts,
            figures.matrix_picture([one.title for one in fitted], pairs, score),
        ]  # fmt: skip
    for trial, one in entrants if fitted else ():
        if trial.is_own:
            parts += [Subheading(one.title), grid_of(results.own_beside(trial, one, fitted, score))]
    names = tables.score_names(dataset.is_classification)
    scores = grid_of(tables.scores_table(every, dataset.y, names, dataset.classes))
    shares = []
    if dataset.is_classification:
        which = None if about == PREDICTED else dataset.classes.index(about)
        curve = dataset.target.positive if which is None else which
        shares = [figures.calibration_picture(every, dataset.y, which)]
        shares += [] if curve is None else [figures.roc_picture(every, dataset.y, curve)]
    return ReportedPage(
        say("Which is better, and is it really?"),
        dataset,
        [
            ReportSection(say("A critical look"), parts),
            ReportSection(say("Scores, size, time"), [scores]),
            ReportSection(say("When it says 80 %"), shares),
            *sections.decisions(dataset, [deciding.of_comparison(dataset, *one) for one in entrants]),
        ],
        [_model(trial, one.title) for trial, one in entrants],
        folds_words(entrants[0][0].plan),
        rebuilt=_rebuilt(entrants, score),
    )


def _model(trial: ComparisonJob, title: str) -> ReportedModel:
    """The model under its title, a person's own with the rows that judge it."""
    return ReportedModel(title, trial.model, uploads.judged_on(trial.model, trial.dataset) if trial.is_own else "")


def _rebuilt(entrants: Entrants, score: str) -> RebuiltPage | None:
    """The models with the mean of the score over the folds; without a person's own."""
    there = [pair for pair in entrants if not pair[0].is_own and pair[1].validated.is_complete]
    source = library.source_of(entrants[0][0].dataset)
    if source is None or not there:
        return None
    models = {one.title: trial.estimator() for trial, one in there}
    means = {one.title: float(one.validated.scores(score).mean()) for _, one in there}
    return RebuiltPage(models, there[0][0].dataset, source, there[0][0].plan, means, score)


def reliability(dataset: Dataset, models: Sequence[AnsweredModel], goal: Goal) -> ReportedPage:
    """What the models answer at this goal, what they promise, the rows for an expert, and the chosen row."""
    summaries = curves.summaries_of(models, goal)
    asked, row, row_story = experts.listed_model(models), selection.chosen_row(), None
    listed = []
    if asked is not None:
        table, caption = experts.first(asked, summaries, MOST_LISTED)
        words = table.drop(columns=[reliability_words.RIGHT], errors="ignore").rename(
            columns=lambda name: say(name)
        )
        listed = [ReportSection(say("Rows for an expert"), [Prose(asked.title), grid_of(words), Prose(caption)])]
        row_story = explanation.row_story(asked)
    if asked is not None and row is not None and row_story is not None:
        look, plane = row_story
        listed.append(sections.story(look, plane, explanation.headline(asked, row, look)))
    return ReportedPage(
        say("When should a model rather not answer?"),
        dataset,
        [
            ReportSection(
                say("When models should rather not answer"),
                [
                    grid_of(reliability_words.points_table(summaries, goal, dataset)),
                    *map(Marked, curves.notes(models, summaries, goal, dataset)),
                    curve_views.answered_picture(summaries, dataset.is_classification),
                ],
            ),
            *sections.decisions(dataset, [deciding.of_reliability(one) for one in models]),
            _promises(dataset, models),
            *listed,
        ],
        [_model(one.trial, one.title) for one in models],
        folds_words(models[0].fold_models.plan),
    )


def _promises(dataset: Dataset, models: Sequence[AnsweredModel]) -> ReportSection:
    """The sets or intervals that hold the truth as often as the page asks."""
    try:
        return ReportSection(say("Promises"), [grid_of(promises.table_of(dataset, models))])
    except Refusal as too_few_groups:
        return ReportSection(say("Promises"), [Marked(f"{too_few_groups}.")])


def stability(learners: Sequence[LearnerReplicates]) -> ReportedPage:
    """How many different trees grow, what they ask about, and how far they agree."""
    data, trial, most = learners[0].dataset, learners[0].trial, structures.scale(learners)
    bar_parts, column_parts = [], []
    names = [feature.name for feature in data.features]
    shares = [views.depth_shares(learner, st.session_state["down"]) for learner in learners]
    features = bars.listed_features(sum(shares[1:], shares[0]))
    for learner, share in zip(learners, map(bars.used_depths, shares), strict=True):
        bar_parts += [structures.chart_picture(learner, most)]
        if features:
            column_parts += [Subheading(learner.title), bars.features_picture(share, names, features)]
    table = grid_of(structures.structure_table(learners))
    return ReportedPage(
        say("Would we get the same tree again?"),
        data,
        [
            ReportSection(say("How many different trees"), [*bar_parts, table]),
            ReportSection(say("What they ask about"), column_parts),
            *_agreement([one for one in learners if len(one.trees) > 1]),
        ],
        [ReportedModel(one.title, one.trial.model) for one in learners],
        structures.draws_words(trial),
    )


def _agreement(learners: Sequence[LearnerReplicates]) -> list[ReportSection]:
    """How often the trees agree, and where their answers depend on the draw."""
    if not learners:
        return []
    data, agreed = learners[0].dataset, [views.agreement(one) for one in learners]
    end = 1.0 if data.is_classification else thresholds.difference_end(agreed)
    axes = views.axes_of(learners)
    maps = [np.sqrt(views.variance(one, axes)) for one in learners]
    most, plane, rows, drawn = max(float(one.max(initial=0.0)) for one in maps), plane_of(data, axes), [], []
    for learner, one, spread in zip(learners, agreed, maps, strict=True):
        agreement = thresholds.rows_picture(one, end, data.is_classification)
        rows.append(agreement._replace(caption=learner.title))
        drawn.append(thresholds.map_picture(spread, most, plane, data)._replace(caption=learner.title))
    parts = [PictureRow(rows), PictureRow(drawn), thresholds.map_legend(most)]
    return [ReportSection(say("How far the trees agree"), parts)]
