"""Growing trees that take their time beside the page: what there is so far, and Cancel; later, going on."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from espalier import optimal
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds, HeldOut, deal, held_out, most_folds
from espalier.data.roles import useful
from espalier.display.oblique_sums import megabytes_of_sums
from espalier.display.theme import count, number
from espalier.display.tree import small_tree
from espalier.fitting import weights_for
from espalier.grown import (
    AsGood,
    FittedTree,
    GrownTree,
    TreeSource,
    add_absent_classes,
    class_prices,
    growing_parameters,
    join_data,
    make_estimator,
    objective_measure,
    survey_trees,
    tree_key,
    why_not,
)
from espalier.language import say
from espalier.leaf_models import LeafModels, for_classes
from espalier.learners import uncompiled
from espalier.learners.catalogue import Model
from espalier.learners.optimal import TreesAsGood, trees_as_good
from espalier.learners.optimal.monotone_search import MonotoneSearch
from espalier.learners.optimal.rashomon import (
    StoppedEarly,
)
from espalier.learners.optimal.tree_search import TreeSearch
from espalier.learners.pruning import prune
from espalier.oblique import ObliqueTree
from espalier.optimal import Measure, aim_words, search_words
from espalier.progress import Progress
from espalier.settings import MAX_CACHED_TREES, MAX_SUMS_MB
from espalier.tree.model_size import Prices
from espalier.trees import AnyTree, depths, prune_to
from pages.shared.app import pictures
from pages.shared.app.store import Store, of_megabytes, of_table
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.models import learners


def how_far(fit: Fit) -> Far:
    """The ratio of the bound to the best tree's objective, and both in words."""
    trace, heading = _trace(fit), say("**Searching for the best tree**")
    if not trace:
        return Far(0.0, heading)
    _, best, bound = trace[-1]
    share = min(max(bound / best, 0.0), 1.0) if best else 1.0
    aim = aim_words(*fit.search.aim, fit.counted) if fit.search else ""
    return Far(share, f"{heading}: {search_words(best, bound, fit.counted)}{aim}")


def draw_race(fit: Fit) -> None:
    """The race up to now, and the best tree so far beside it."""
    search, trace, data = fit.search, _trace(fit), fit.dataset
    if search is None or not trace:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(say("**Best tree found, and the bound that none can beat**"))
        pictures.draw(optimal.trace_picture(trace, search.seconds, fit.counted), optimal.WIDTH)
    with right:
        tree = fit.all_classes(search.tree())
        st.markdown(say("**Best tree so far**"))
        pictures.draw(small_tree.tree_picture(tree, data.features, data.target), small_tree.width_of(tree))


def draw_ended_race(grown: GrownTree) -> None:
    """The race of the search that found the tree."""
    fit = find_fit(tree_key(grown.dataset, *grown.source), grown.dataset, *grown.source)
    trace = _trace(fit)
    if fit.search is None or not trace:
        st.caption(say("There is no record of this search any more."))
    else:
        pictures.draw(optimal.trace_picture(trace, fit.search.seconds, fit.counted), optimal.WIDTH)


def _trace(fit: Fit) -> list[tuple[float, float, float]]:
    """Times with the best objective and the bound then, from the first tree on."""
    return [glance for glance in list(fit.search.trace) if math.isfinite(glance[1])] if fit.search else []


MOST_CELLS = 100_000  # values of the features: with more, another tree takes longer than the move that asks for it


def grow(dataset: Dataset, holdout: HeldOut, model: Model, ready: FittedTree | None = None) -> GrownTree:
    """The tree of this model, grown on the rows that are not held out; `ready` if it is there already."""
    key = tree_key(dataset, holdout, model)
    learner = learners.LEARNERS[model.name]
    is_slow = dataset.X.size > learner.long / 2 or not compilation.is_ready(learner.kind.stage)
    with st.spinner(say("Growing the tree …")) if is_slow else nullcontext():
        return _grown(key, dataset, TreeSource(holdout, model), ready)


@of_table(max_entries=MAX_CACHED_TREES)
def _grown(key: str, _dataset: Dataset, _source: TreeSource, _ready: FittedTree | None) -> GrownTree:
    if _ready:
        return join_data(key, _ready, _dataset, _source)
    limit, alpha = _source.model.value("depth"), _source.model.value("alpha")
    if is_cut(_dataset, _source.model) and (limit is not None or alpha):
        deep = deepest(_dataset, *_source)
        tree = deep.sharp if limit is None else prune_to(deep.sharp, depths(deep.sharp) < limit)
        tree = prune(tree, alpha) if alpha else tree
        own = deep.parameters | {"max_depth": limit, "ccp_alpha": alpha}
        return deep._replace(key=key, tree=tree, parameters=own, source=_source)
    fit = Fit(_dataset, *_source)
    # Of classes that no row has, the source's model alone knows the costs and weights.
    estimator = None if fit.lacks_classes else fit.estimator
    return join_data(key, fit(), _dataset, _source, estimator, fit.held)


def is_cut(dataset: Dataset, model: Model) -> bool:
    """Whether the tree of this model is `deepest`, cut off and pruned, so that it need not be grown by itself."""
    is_quick = dataset.X.size <= MOST_CELLS and compilation.is_ready(learners.CART.kind.stage)
    is_cart = is_quick and model.name == learners.CART.own.name
    # A limit of leaves, or splits to begin with, may make another tree.
    return is_cart and model.value("leaves") is None and not model.value("given")


def deepest(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree:
    """The tree of the same settings without a limit of depth, and not pruned."""
    return grow(dataset, holdout, model.with_settings(depth=None, alpha=0.0))


@of_table(max_entries=64)
def _held_out(dataset: Dataset, holdout: HeldOut) -> np.ndarray:
    """(n_samples,) bool: the rows held out, which many trees have in common."""
    return held_out(dataset, holdout)


def grow_with_progress(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """The tree, or None while it is being grown: the page then shows how far it is.

    After Cancel, or when a search has run out of time, it is the tree that was there; it may go on.
    """
    if refused := why_not(model, dataset, lambda: ~held_out(dataset, holdout)):
        st.info(refused)
        return None
    key = tree_key(dataset, holdout, model)
    if st.session_state.get(watch.WATCHED):  # they were of the tree before
        watch.leave_others([key])
    if dataset.X.size <= learners.LEARNERS[model.name].long:
        return grow(dataset, holdout, model)
    watch.watch([key])
    outcome = _outcome(key, dataset, holdout, model)
    _say_ended(key, outcome)
    if outcome.value is None:
        return None
    if refused := too_wide(outcome.value.tree, dataset):
        st.info(refused)
        return None
    if outcome.is_stopped or outcome.value.is_open:
        part = f"{key} {outcome.value.tree.n_nodes} {outcome.value.proof}"
        return join_data(part, outcome.value, dataset, TreeSource(holdout, model))
    if outcome.value.proof is None:
        fit_store().drop(key)  # only a search is asked for other trees
    return grow(dataset, holdout, model, outcome.value)


def is_whole_cart(grown: GrownTree) -> bool:
    """Whether the tree is one of CART's, grown to its end."""
    is_cart = grown.source.model.name == learners.CART.own.name
    return is_cart and grown.key == tree_key(grown.dataset, *grown.source)


def grow_beside(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """Another tree, beside that of the page; None while it is being grown, with how far it is on the page."""
    key = tree_key(dataset, holdout, model)
    if dataset.X.size <= learners.LEARNERS[model.name].long:
        return grow(dataset, holdout, model)
    outcome = _outcome(key, dataset, holdout, model, beside=True)
    return None if outcome.value is None else grow(dataset, holdout, model, outcome.value)


def _outcome(key: str, dataset: Dataset, holdout: HeldOut, model: Model, beside: bool = False) -> Outcome:
    """The tree of a job that begins here if need be; how far it is stands on the page."""
    if (outcome := watch.found(key)) is not None:
        return outcome
    fit = find_fit(key, dataset, holdout, model)
    outcome = watch.outcome(Work(key, len(fit.y), fit), beside=beside)
    fit_store().resize(key, of_megabytes(fit.megabytes))
    if outcome.is_awaited and fit.learner.is_searched:
        line = Line(key, say("**Searching for the best tree**"), lambda _: how_far(fit), fit.learner.kind.stage)
        note.progress([line], partial(draw_race, fit))
    elif outcome.is_awaited:
        note.progress([Line(key, say("**Growing the tree**"), _by_rows)])
    return outcome


def too_wide(tree: AnyTree | ObliqueTree, dataset: Dataset) -> str | None:
    """Reason why an oblique tree has too many sums for the page to show it, Markdown; None for other trees."""
    if not isinstance(tree, ObliqueTree):
        return None
    megabytes = megabytes_of_sums(tree, dataset)
    if megabytes <= MAX_SUMS_MB:
        return None
    return say(
        "**This oblique tree is too large to be shown.** In {n_sums} splits a sum for each of {n_rows} rows "
        "would take {megabytes} MB, and the page has {most} MB. Choose a smaller depth.",
        n_sums=count(int(tree.is_slanted.sum())),
        n_rows=count(len(dataset.y)),
        megabytes=number(megabytes),
        most=MAX_SUMS_MB,
    )


def _say_ended(key: str, outcome: Outcome) -> None:
    """Say of a tree that it is a part, or that there is none; of a search its proof says so."""
    if outcome.value is None:
        stopped, failed = say("Growing was stopped before there was a tree."), say("The tree could not be grown.")
        note.ended(key, outcome, stopped, failed, False)
    elif outcome.value.proof is None:
        part = say("Growing was stopped: this is the part of the tree that was there.")
        note.ended(key, outcome, part, goes_on=False)


def _by_rows(job: Job) -> Far:
    """Progress of a tree that grows row by row."""
    words = say("**Growing the tree** on {n_rows} rows", n_rows=count(job.work.total))
    return Far(job.share, words, job.seconds_left)


# ---- estimators at work: a tree is grown in one go, or in several where it is stopped and goes on. A `Fit` is the
# work of a job, shared by all sessions that ask for the same tree. Those that were stopped, or ran out of time,
# are kept for a while to go on; a search for the best tree also to ask it for others as good

NEAR_SECONDS = 10.0  # to look for trees that are as good: others wait for their own meanwhile
MOST_SPLITS = 150_000  # of the graph of such trees, about 80 MB
GLANCE_SECONDS = 0.05
SEARCH_MB = 128  # of a search: the page may keep a few
MOST_KEPT = 4  # fits: a search may hold `learners.optimal.MEMORY_MB` of bounds

NOT_COUNTED = "uncounted"  # in place of trees that are too many to count, or that a person did not wait for

_log = logging.getLogger("espalier")


class Fit:
    """A tree on its way; calling it grows the tree, or lets a search that was stopped go on."""

    def __init__(self, dataset: Dataset, holdout: HeldOut, model: Model):
        """The tree of this model, to grow on the rows that are not held out."""
        self.held = _held_out(dataset, holdout)
        self.rows = ~self.held
        self.dataset, self.model, self.learner = dataset, model, learners.LEARNERS[model.name]
        self.X, self.y = dataset.X[self.rows], dataset.y[self.rows]
        present = np.unique(self.y).tolist() if dataset.is_classification else []
        self.lacks_classes = len(present) < len(dataset.classes)
        self.estimator = make_estimator(model, dataset, [int(k) for k in present])
        self.weight = None if dataset.row_weights is None else weights_for(self.estimator, dataset, self.rows)
        self._lock = threading.Lock()

    def __call__(self, progress: Progress | None = None) -> FittedTree:
        """The tree; `progress` as in `CartClassifier.fit`."""
        with self._lock:
            if hasattr(self.estimator, "proof_"):
                self.estimator.go_on(self.estimator.time_limit, progress=progress)
            else:
                stage = self.learner.kind.stage
                is_early = not compilation.is_ready(stage)
                grown = self._uncompiled() if is_early and self.learner.uncompiled else None
                if grown is not None:
                    self.estimator = grown
                else:
                    if is_early:
                        compilation.wait(stage)
                    self.estimator.fit(self.X, self.y, self.weight, progress=progress)
            tree, proof = self.estimator.tree_, getattr(self.estimator, "proof_", None)
            models = self._formulas() if hasattr(self.estimator, "model_tree_") else None
            return FittedTree(self.all_classes(tree) if self.lacks_classes else tree, proof, models)

    def for_a_moment(self, seconds: float) -> FittedTree | None:
        """The tree after so many seconds more of a search; None where it is at work elsewhere, or had no time."""
        if not self._lock.acquire(blocking=False):
            return None
        self._lock.release()
        with _stopped_by(Progress(), seconds) as limited:
            return self(limited)

    def folds(self, n: int) -> list[Fold]:
        """So many folds of the rows to grow on, or as many as these allow. Raises ValueError as `deal` does."""
        roles = useful(self.dataset.roles.of(self.rows))
        strata = self.dataset.strata[self.rows]
        return deal(strata, Folds(max(min(n, most_folds(len(self.y), roles)), 2)), roles)

    @property
    def megabytes(self) -> float:
        """Memory that the rows take, and the bounds of a search."""
        return (self.X.nbytes + self.y.nbytes) / 1e6 + (self.search.megabytes if self.search else 0.0)

    @property
    def search(self) -> TreeSearch | MonotoneSearch | None:
        """The search that the estimator is at, for others to look at; None where it does not search."""
        return getattr(self.estimator, "search_", None)

    @property
    def is_proved(self) -> bool:
        """Whether a search has come to its end."""
        proof = getattr(self.estimator, "proof_", None)
        return proof is not None and proof.proved

    @property
    def prices(self) -> Prices:
        """Costs of errors; only of classes."""
        return class_prices(
            self.y, len(self.dataset.classes), growing_parameters(make_estimator(self.model, self.dataset))
        )

    @property
    def counted(self) -> Measure:
        """What the objective of a search stands for."""
        return objective_measure(self.dataset, self.y, self.weight, growing_parameters(self.estimator))

    def near(self, slack: float, limit: int, progress: Progress) -> AsGood | str:
        """All trees within `slack` of the proved optimum, with cards of the first `limit`; or `NOT_COUNTED`.

        `progress` is that of a job. A search that is not at its end goes on to it first.
        """
        while not (self.is_proved or progress.is_stopped):
            self(progress)
        if not self.is_proved:
            return NOT_COUNTED
        trees = self._counted(slack, progress, every=True)
        if trees is None and not self.estimator.search_.lists_every:
            trees = self._counted(slack, progress, every=False)
        if trees is None:
            return NOT_COUNTED
        classes = np.unique(self.y), len(self.dataset.classes)
        return survey_trees(trees, limit, self.X.shape[1], *classes, progress)

    def _counted(self, slack: float, progress: Progress, every: bool) -> TreesAsGood | None:
        """All trees within `slack`, over every question or over some; None where they are too many, or stopped."""
        if progress.is_stopped:
            return None
        with self._lock, _stopped_by(progress, NEAR_SECONDS) as limited:
            training = self.estimator.prepare(self.X, self.y, self.weight)
            try:
                return trees_as_good(self.estimator, training, slack, limited, MOST_SPLITS, every)
            except StoppedEarly:
                return None

    def all_classes(self, tree: Any) -> Any:
        """The tree with a share for every class of the data, also for one that no row it was grown on has."""
        return add_absent_classes(tree, np.unique(self.y), len(self.dataset.classes))

    def _formulas(self) -> LeafModels:
        """The formulas of a model tree, with a score for every class of the data."""
        models = self.estimator.model_tree_.models
        if not self.lacks_classes:
            return models
        return for_classes(models, np.unique(self.y), len(self.dataset.classes))

    def _uncompiled(self) -> Any | None:
        """The estimator, fitted without the compiler; None where that fails."""
        try:
            return uncompiled.fit(self.estimator, self.X, self.y, self.weight, compilation.is_ready("small"))
        except RuntimeError:
            _log.exception("growing without the compiler failed")
            return None


@contextmanager
def _stopped_by(progress: Progress, seconds: float) -> Iterator[Progress]:
    """A progress that is stopped once a job is, or the time is over."""
    limited, done, until = Progress(), threading.Event(), time.monotonic() + seconds

    def relay() -> None:
        while not done.wait(GLANCE_SECONDS):
            if progress.is_stopped or time.monotonic() > until:
                limited.stop()

    threading.Thread(target=relay, daemon=True).start()
    try:
        yield limited
    finally:
        done.set()


@st.cache_resource(show_spinner=False)
def fit_store() -> Store[Fit]:
    """The server's fits."""
    return Store(MOST_KEPT, lambda fit: of_megabytes(fit.megabytes))


def find_fit(key: str, dataset: Dataset, holdout: HeldOut, model: Model) -> Fit:
    """The fit of this key, or a new one that has not begun."""
    return fit_store().find_or_put(key, lambda: Fit(dataset, holdout, model))
