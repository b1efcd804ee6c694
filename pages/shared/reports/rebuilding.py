"""What a script needs to make the models of a page again, with the page's own numbers; None where it cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from espalier import predict
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut
from espalier.display.boundaries import plane
from espalier.language import say
from espalier.reliability.reliability import Goal
from espalier.reliability.words import ReliabilitySummary
from espalier.reports.scripts import AtGoal, BesideModel, OnDraws, OnFolds, OnRowsHeldOut, RebuiltPage
from espalier.stability.structures import Equality
from pages.shared.approximation import results as approximation_results
from pages.shared.approximation.boxes import learnt_rows
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import drawer
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.questionnaire.sources import QuestionnaireSource
from pages.shared.reliability.models import AnsweredModel
from pages.shared.stability import controls, results
from pages.shared.stability.results import LearnerReplicates
from pages.shared.tree import fits


def on_folds(entrants: Sequence[tuple[ComparisonJob, Contestant]], score: str) -> RebuiltPage | None:
    """The models of Compare, with the mean of the score over the folds; without a person's own."""
    there = [pair for pair in entrants if not pair[0].is_own and pair[1].validated.is_complete]
    source = library.source_of(entrants[0][0].dataset)
    if source is None or not there:
        return None
    trial = there[0][0]
    models = {one.title: trial.estimator() for trial, one in there}
    here = {one.title: (float(one.validated.scores(score).mean()),) for _, one in there}
    return RebuiltPage(models, trial.dataset, source, OnFolds(trial.plan, score), here)


def at_goal(
    models: Sequence[AnsweredModel], summaries: Sequence[ReliabilitySummary], goal: Goal
) -> RebuiltPage | None:
    """The models of Reliability, with the share that each answers and the mean loss of that."""
    pairs = [
        (one, summary.point)
        for one, summary in zip(models, summaries, strict=True)
        if not one.trial.is_own and len(one.fold_models.tried) == one.fold_models.plan.n_all
    ]
    source = library.source_of(models[0].trial.dataset)
    if source is None or not pairs:
        return None
    first = pairs[0][0]
    estimators = {one.title: one.trial.estimator() for one, _ in pairs}
    here = {one.title: (point.coverage, point.risk) for one, point in pairs}
    judged = AtGoal(first.fold_models.plan, goal, first.by)
    return RebuiltPage(estimators, first.trial.dataset, source, judged, here)


def of_forests(titles: Sequence[str], pair: Sequence[GrownForest], holdout: HeldOut) -> RebuiltPage | None:
    """Both forests, with their scores on the rows held out; without one that was stopped, or a person's own."""
    there = {title: one for title, one in zip(titles, pair, strict=True) if one.is_whole and not one.is_own}
    source = library.source_of(pair[0].dataset)
    if source is None or not there:
        return None
    models = {title: one.estimator for title, one in there.items()}
    here = {title: (_score(one),) for title, one in there.items()}
    return RebuiltPage(models, pair[0].dataset, source, OnRowsHeldOut(holdout), here)


def _score(one: GrownForest) -> float:
    data, rows = one.dataset, one.held if one.held.any() else ~one.held
    return float(one.estimator.score(data.X[rows], data.y[rows], data.weights_of(rows)))


def of_stand_in(one: Approximated, titles: tuple[str, str]) -> RebuiltPage | None:
    """The model and its tree, with scores on the rows held out; not of a model that learned from a sample."""
    source, truth, box = library.source_of(one.dataset), approximation_results.truth(one), one.model.value(BOX)
    if source is None or truth is None or box == OWN or not one.is_whole:
        return None
    if len(learnt_rows(one.dataset, one.holdout, box)) != np.count_nonzero(~one.held):
        return None
    models = dict(zip(titles, (one.box, one.estimator), strict=True))
    here = dict(zip(titles, ((truth.model,), (truth.tree,)), strict=True))
    return RebuiltPage(models, one.dataset, source, BesideModel(one.holdout), here)


def of_scoring(one: ScoringModel, work: RowsAtWork) -> RebuiltPage | None:
    """The model that scores new rows, with its score on the rows held out; not a person's own."""
    source, data = library.source_of(one.dataset), one.dataset
    if source is None or one.is_own:
        return None
    rows = ~one.seen if not one.seen.all() else one.seen
    estimator = work.model.estimator
    score = estimator.score(data.X[rows], data.y[rows], data.weights_of(rows))
    return RebuiltPage({one.title: estimator}, data, source, OnRowsHeldOut(one.holdout), {one.title: (score,)})


def of_questions(one: QuestionnaireSource) -> RebuiltPage | None:
    """The tree that asks, before it is cut off, with its score on the rows held out, or its model beside it."""
    if one.box is not None:
        return of_stand_in(one.box, (one.box.title, say("The tree")))
    source, data, title = library.source_of(one.dataset), one.dataset, one.model.kind.title
    if source is None:
        return None
    rows, score_of = one.held if one.held.any() else ~one.held, r2_score
    answers = predict.shares(one.tree, data.X[rows])[:, 0]
    if data.is_classification:
        answers, score_of = predict.classes(one.tree, data.X[rows]), accuracy_score
    score = float(score_of(data.y[rows], answers, sample_weight=data.weights_of(rows)))
    models = {title: fits.estimator_of(one.model, data)}
    return RebuiltPage(models, data, source, OnRowsHeldOut(drawer.holdout()), {title: (score,)})


def on_draws(there: Sequence[LearnerReplicates]) -> RebuiltPage | None:
    """The learners of Stability whose trees are all there, with their structures on all levels."""
    data, whole = there[0].dataset, [one for one in there if one.runs[0].is_complete]
    source, same = library.source_of(data), _equality(data)
    if source is None or same is None or not whole:
        return None
    models = {one.title: one.trials[0].estimator() for one in whole}
    deepest = {one.title: results.structure_counts(one).levels[0][-1] for one in whole}
    here = {title: (float(level.n_structures), level.top_share) for title, level in deepest.items()}
    return RebuiltPage(models, data, source, OnDraws(whole[0].trials[0].plan, controls.depth(), same), here)


def _equality(data: Dataset) -> Equality | None:
    """The page's equality, written out; None where trees are compared on some of the rows only."""
    same = controls.equality(data)
    if same.kind == "function" and len(data.y) > len(plane.drawn_rows(len(data.y))):
        return None
    widths = np.asarray(same.tolerance)
    return same._replace(tolerance=widths.tolist() if widths.any() else 0.0)
