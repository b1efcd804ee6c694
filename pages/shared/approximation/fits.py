"""Approximation trees at work: the black box is fitted, its tree grows, and both are compared, beside the page.

`approximated` is for any page that has the controls of `controls.entries` in its address.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation.fidelity import Arranged
from espalier.approximation.stand_in import (
    FRESH,
    FRESH_SEED,
    MOST_ASKED,
    Approximated,
    ModelAnswers,
    affordable,
    compare_answers,
    discrete_levels,
    fit_until_stopped,
    learning_rows,
    spread_shares,
)
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.theme import count
from espalier.fitting import check_takes_weights, fit
from espalier.language import in_style, say
from espalier.learners.approximation import StoppedAsking
from espalier.learners.black_boxes.models import Setup, black_box
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress, ScaledProgress
from espalier.settings import MAX_APPROXIMATION_SECONDS, MAX_FOREST_MB
from espalier.tasks import Call, in_order
from espalier.trees import Tree, read_only
from pages.shared.app.store import Store
from pages.shared.approximation import controls
from pages.shared.approximation.controls import BOX, OURS, OWN
from pages.shared.forests import growing
from pages.shared.jobs import compilation, note, watch, workers
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Outcome, Work, sentence
from pages.shared.jobs.workers import THREADS, are_outside
from pages.shared.models import drawer
from pages.shared.own_models import uploads
from pages.shared.own_models.uploads import UploadedModel

STAGE = "approximation"  # of `espalier.kernels.compile_all`
MOST_KEPT = 12  # black boxes


# ---- black boxes, fitted: those that learn here, forests of their page, and models that persons have uploaded


class FittedBlackBox(NamedTuple):
    """A black box that can be asked."""

    model: Any
    n_rows: int  # that it learnt from; 0 where that is not known
    arranged: Arranged | None = None  # of a model that a person uploaded


Fit = Callable[[Progress], "FittedBlackBox | None"]  # of a job's progress; None where it was stopped


@st.cache_resource(show_spinner=False)
def store() -> Store[FittedBlackBox]:
    """The server's fitted black boxes."""
    return Store(MOST_KEPT)


def maker(dataset: Dataset, holdout: HeldOut, model: Model) -> tuple[str, Fit] | None:
    """Name of the black box, and the function that fits it; None where there is none yet: the page says why."""
    box = model.value(BOX)
    if box in OURS:
        planted = growing.grown_forests(dataset, [OURS[box]])
        if planted is None:
            return None
        one = planted[0]
        return one.key, lambda _: FittedBlackBox(one.estimator, len(one.rows))
    if box == OWN:
        file = uploads.brought()
        if not uploads.is_there(file.digest):
            return None
        return repr(file), lambda _: brought(file, dataset)
    key = repr((dataset.digest, holdout, box, model.value("box-random")))
    return key, lambda progress: learnt(key, dataset, holdout, model, progress)


def brought(file: UploadedModel, dataset: Dataset) -> FittedBlackBox:
    """A model that a person uploaded; one that runs already is kept. Raises ValueError where it is of no use."""
    model, arranged = uploads.arranged(file, dataset)
    return FittedBlackBox(model, 0, arranged)


def learnt(
    key: str, dataset: Dataset, holdout: HeldOut, model: Model, progress: Progress
) -> FittedBlackBox | None:
    """The black box of this name, fitted to the rows that are not held out; one that was fitted before is kept."""
    earlier = store().find(key)
    if earlier is not None:
        return earlier
    setup = Setup(dataset.is_classification, dataset.categorical, model.value("box-random"), THREADS)
    estimator = black_box(model.value(BOX)).make(setup)
    some = learning_rows(dataset, holdout, model.value(BOX))
    check_takes_weights(estimator, dataset)
    if "progress" in inspect.signature(estimator.fit).parameters:
        fit(estimator, dataset, some, progress)
    elif are_outside():
        estimator = outside(Call(fit, (estimator, dataset, some)), progress)
    else:
        estimator = fit_until_stopped(partial(fit, estimator, dataset, some), progress)
    if progress.is_stopped or estimator is None:
        return None
    box = FittedBlackBox(estimator, len(some))
    store().put(key, box)
    return box


def outside(fit: Call, progress: Progress) -> Any:
    """The model that the task returns, in another process; None where it is stopped, which ends it at once.

    Raises what the task raises.
    """
    with workers.workers() as executor:
        return next((model for _, model in in_order([fit], executor, ScaledProgress(progress, 0.0))), None)


# ---- their trees


class ApproximationJob:
    """A black box to be fitted, and its tree to be grown; calling it does both."""

    def __init__(self, key: str, dataset: Dataset, holdout: HeldOut, model: Model, fit: Fit):
        """The tree of the model, to grow on the rows that are not held out; `fit` gives the black box."""
        self.key, self.dataset, self.holdout, self.model, self.fit = key, dataset, holdout, model, fit
        self.held = held_out(dataset, holdout)
        self.is_growing = False  # and no longer fitting the black box
        self.n_compared = 0  # rows that both are compared on; 0 before
        self.estimator: Any = None

    def __call__(self, progress: Progress) -> Approximated | None:
        """The tree and its black box; `progress` is that of a job. None where it was stopped too early for any.

        Raises ValueError where there can be none, saying why.
        """
        compilation.wait(STAGE)
        fitted = self.fit(progress)
        if fitted is None or progress.is_stopped:
            return None
        progress.done = 0
        self.estimator = self._estimator(fitted.model)
        self.is_growing = True
        try:
            trained = ~self.held
            weight = self.dataset.weights_of(trained)
            self.estimator.fit(self.dataset.X[trained], sample_weight=weight, progress=progress)
        except StoppedAsking:
            return None
        is_whole, drawn = not progress.is_stopped, int(self.estimator.considered_.n_samples.sum())
        tree = self._tree()
        key = self.key if is_whole else f"{self.key} {tree.n_nodes} {drawn}"
        one = Approximated(
            key, self.dataset, self.holdout, self.held, self.model, fitted.model, fitted.n_rows, self.estimator,
            tree, is_whole, fitted.arranged,
        )  # fmt: skip
        return one._replace(compared=self._compared(one, progress))

    def _compared(self, one: Approximated, progress: Progress) -> ModelAnswers:
        """Answers to fresh cases and held-out rows: to some where the black box is slow, to few once stopped."""
        if one.is_late:
            progress.go_on()  # no person has stopped it
        pace = self.estimator.asking_.pace
        fresh = self.estimator.pseudo_samples(affordable(pace, FRESH), FRESH_SEED)
        # held-out rows by chance in order, so that the first of them stand for all
        held = np.flatnonzero(self.held)
        rows = np.random.default_rng(0).permutation(held[:: len(held) // affordable(pace, MOST_ASKED) + 1])
        progress.done, self.n_compared = 0, len(fresh) + len(rows)
        return compare_answers(one.ask_model, pace, progress, fresh, rows, self.dataset.X)

    def _estimator(self, box: Any) -> Any:
        estimator = self.model.make(CommonTerms.of(self.dataset, n_jobs=THREADS, box=box))
        is_level = discrete_levels(self.dataset)
        return estimator.set_params(discrete_features=is_level, time_limit=MAX_APPROXIMATION_SECONDS)

    def _tree(self) -> Tree:
        """The tree, with a share for every class of the data."""
        tree = self.estimator.tree_
        if not self.dataset.is_classification:
            return tree
        return tree._replace(value=read_only(spread_shares(tree.value, self.estimator, self.dataset)))


def approximated(dataset: Dataset) -> Approximated | None:
    """Result of the controls; None while it is not there, with the reason and the progress on the page."""
    if not compilation.is_ready(STAGE):
        compilation.progress(STAGE)
        return None
    holdout, model = drawer.holdout(), controls.model()
    made = maker(dataset, holdout, model)
    if made is None:
        return None
    name, fit = made
    key = key_of(dataset, holdout, model, name)
    job = ApproximationJob(key, dataset, holdout, model, fit)
    outcome = watch.found(key)
    if outcome is None and (refused := too_large(dataset, model)):
        outcome = Outcome(wrong=sentence(refused))
    outcome = outcome or watch.outcome(Work(key, int((~job.held).sum()), job))
    watch.watch([key])
    with st.container(key="waiting for the tree"):  # there at every run, so that what comes has a place of its own
        if outcome.is_awaited:
            note.progress([Line(key, say("**The tree**"), partial(controls.how_far, model))])
    if outcome.value is not None and outcome.value.is_late:
        text = say(
            "**Growing was stopped after {seconds} s**, the most that this server allows. Allow fewer questions "
            "or made-up cases, or take a faster black box.",
            seconds=in_style(f"{MAX_APPROXIMATION_SECONDS:.0f}"),
        )
        st.warning(text, icon=":material/timer_off:")
    else:
        failed = say("There is no tree for {who}.", who=controls.in_sentence(model))
        part = failed if outcome.value is None else say("This is the part of the tree that had grown.")
        note.ended(key, outcome, say("Growing was stopped. {what}", what=part), failed, goes_on=False)
    return outcome.value


def key_of(dataset: Dataset, holdout: HeldOut, model: Model, box: str) -> str:
    """Digest of all that a tree depends on; `box` names the black box."""
    name = repr((dataset.digest, holdout, model, box))
    return "approximation " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def too_large(dataset: Dataset, model: Model) -> str:
    """Note on pseudo-samples that may take too much memory; empty for others."""
    if model.value("method") == "exact":
        return ""
    most = int(model.value("samples"))
    megabytes = 2e-6 * len(dataset.features) * most
    if megabytes <= MAX_FOREST_MB:
        return ""
    return say(
        "{n} made-up cases may take {megabytes} MB, and this server allows {most} MB; allow fewer of them",
        n=count(most),
        megabytes=count(round(megabytes)),
        most=count(MAX_FOREST_MB),
    )
