"""Errors of the trees of each depth, for any learner: a job, since each depth grows on every fold anew."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.tree.error_curve import DEPTH, SizeCurve
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from espalier.tasks import PARTS
from espalier.tree.pruning import DepthErrors, DepthPlan, WeighedSamples, depth_errors
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import learners
from pages.shared.tree import fits, results
from pages.shared.tree.pruning import choice
from pages.shared.tree.results import GrownTree

FOLDS, FOLDS_OF_SEARCH = 10, 5
DEEPEST_SEARCH = 4  # each level more takes many times longer
LONG = 25  # times what a tree of this learner may grow at once on: more is begun only when asked for


class AllDepths(NamedTuple):
    """The trees of all depths of a learner's settings."""

    dataset: Dataset
    whole: GrownTree
    most: int  # the greatest depth

    @property
    def is_searched(self) -> bool:
        """Whether each tree is searched for."""
        return learners.LEARNERS[self.whole.source.model.name].is_searched

    @property
    def n_folds(self) -> int:
        """Number of folds: searches take their time."""
        return FOLDS_OF_SEARCH if self.is_searched else FOLDS

    @property
    def key(self) -> str:
        """Name of the job: the depth of the tree on the page is nothing to it."""
        model = self.whole.source.model
        settings = tuple((key, None if key == DEPTH else value) for key, value in model.settings)
        free = results.key_of(self.dataset, self.whole.source.holdout, Model(model.name, settings))
        return f"{free} depths {self.most}"


def asked(whole: GrownTree) -> AllDepths:
    """The trees of all depths that the settings allow; of a search up to a few, or to the one on the page."""
    model, dataset = whole.source.model, whole.table
    _, limit = learners.depth_of(model.name, dataset.target)
    most = int(limit.high)
    if learners.LEARNERS[model.name].is_searched:
        most = min(most, max(DEEPEST_SEARCH, model.value(DEPTH) or 1))
    return AllDepths(dataset, whole, most)


def may_begin(what: AllDepths) -> bool:
    """Whether the trees are little work, or were asked for."""
    long = LONG * learners.LEARNERS[what.whole.source.model.name].long
    return watch.may_begin([what.key], what.dataset.X.size * what.n_folds, long)


def errors(what: AllDepths) -> Outcome:
    """The errors as far as they have come; their job is begun."""
    if not may_begin(what):
        return Outcome()
    return watch.outcome(Work(what.key, PARTS * (what.n_folds + 1), partial(_errors, what)), beside=True)


def _errors(what: AllDepths, progress: Progress) -> DepthErrors | None:
    source, held = what.whole.source, what.whole.held
    compilation.wait(learners.LEARNERS[source.model.name].kind.stage)
    fit = fits.Fit(what.dataset, *source)
    data, plan = what.dataset, DepthPlan(what.most, fit.folds(what.n_folds), not what.is_searched)
    judges = WeighedSamples(data.X[held], data.y[held], data.weights_of(held)) if held.any() else None
    with workers(fit.X.nbytes) as executor:
        samples = WeighedSamples(fit.X, fit.y, fit.weight)
        return depth_errors(fit.estimator, samples, plan, judges, progress, executor)


def curve(what: AllDepths) -> SizeCurve | None:
    """The errors against depth; None while they are not there."""
    found: DepthErrors | None = errors(what).value
    if found is None:
        return None
    limit, deepest = what.whole.source.model.value(DEPTH), int(found.depth[0])
    at = 0 if limit is None else deepest - min(limit, deepest)
    is_share = what.dataset.is_classification
    return SizeCurve(DEPTH, found.depth, found.training, found.held, found.validated, at, is_share)


def take(what: AllDepths, depth: int) -> None:
    """Have the controls grow the tree of this depth, and show all of it."""
    key, _ = learners.depth_of(what.whole.source.model.name, what.dataset.target)
    st.session_state[key] = depth
    st.session_state[choice.RULE] = choice.WHOLE
