"""What a script needs to make the models of a page again, with the page's own numbers; None where it cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.analysis.reliability.abstention import Goal
from espalier.data.dataset import HeldOut
from espalier.views.comparison.tables import Contestant
from espalier.views.reliability.words import ReliabilitySummary
from espalier.views.reports.scripts import AtGoal, BesideModel, OnFolds, OnRowsHeldOut, RebuiltPage
from pages.shared.approximation import results as approximation_results
from pages.shared.approximation.boxes import learnt_rows
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.fits import Approximated
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.forests.forest_job import GrownForest
from pages.shared.reliability.models import AnsweredModel


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
