"""Approximation trees at work: the black box is fitted and asked, and its tree grows, beside the page.

`approximated` is for any page that has the controls of `controls.entries` in its address.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation.fidelity import Arranged
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.theme import count
from espalier.language import in_style, say
from espalier.learners.approximation import Considered, StoppedAsking
from espalier.learners.approximation.sampling import discrete_mask
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.settings import MAX_APPROXIMATION_SECONDS, MAX_FOREST_MB
from espalier.ties import prior_among
from espalier.trees import Tree, read_only
from pages.shared.approximation import answers, boxes, controls
from pages.shared.approximation.answers import Asked, ModelAnswers
from pages.shared.approximation.boxes import Fit
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Outcome, Work, sentence
from pages.shared.jobs.workers import THREADS
from pages.shared.models import drawer

STAGE = "approximation"  # of `espalier.kernels.compile_all`
CODED = ("ordered", "yes/no")  # kinds of features whose numbers are levels


class Approximated(NamedTuple):
    """A black box and the tree that stands in for it."""

    key: str  # names data and model: the key of everything that is derived from it
    dataset: Dataset
    holdout: HeldOut  # from both
    held: np.ndarray  # (n_samples,) bool: these rows
    model: Model  # of the approximation tree
    box: Any  # the black box, fitted
    n_learnt: int  # rows that it learnt from; 0 where that is not known
    estimator: Any  # the approximation, fitted: `considered_`, `oracle_`, `pseudo_samples`
    tree: Tree  # with a share for every class of the data
    is_whole: bool  # whether it was not stopped
    arranged: Arranged | None = None  # of a person's own model: its classes and columns
    compared: ModelAnswers | None = None  # the black box's answers to rows that the tree was not grown on

    @property
    def title(self) -> str:
        """The name of the black box on the page."""
        return controls.title(self.model)

    @property
    def in_sentence(self) -> str:
        """The name of the black box in the middle of a sentence."""
        return controls.in_sentence(self.model)

    @property
    def considered(self) -> Considered:
        """Tests at each node."""
        return self.estimator.considered_

    @property
    def is_late(self) -> bool:
        """Whether the limit of time stopped it, and no person."""
        return bool(getattr(self.estimator, "timed_out_", False))

    @property
    def prior(self) -> np.ndarray:
        """(n_classes,) by which the black box breaks ties, as `espalier.ties` has it; or none."""
        return prior_among(self.box, len(self.dataset.classes))

    def model_says(self, X: np.ndarray) -> np.ndarray:
        """(n, n_outputs): class shares, or a number, that the black box gives rows X (n, n_features)."""
        output = self.estimator.oracle_.answer(X)
        return in_all_classes(output, self.estimator, self.dataset) if self.dataset.is_classification else output


class ApproximationJob:
    """A black box to be fitted, and its tree to be grown; calling it does both."""

    def __init__(self, key: str, dataset: Dataset, holdout: HeldOut, model: Model, fit: Fit):
        """The tree of the model, to grow on the rows that are not held out; `fit` gives the black box."""
        self.key, self.dataset, self.holdout, self.model, self.fit = key, dataset, holdout, model, fit
        self.held = held_out(dataset, holdout)
        self.is_growing = False  # and no longer fitting the black box
        self.heard = np.zeros(2, np.int64)  # rows answered to compare both, of how many; zeros before
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
        ground, grown = (
            (self.dataset, self.holdout, self.held, self.model),
            (self.estimator, tree, is_whole, fitted.arranged),
        )
        one = Approximated(key, *ground, fitted.model, fitted.n_rows, *grown)
        return one._replace(compared=self._compared(one, progress))

    def _compared(self, one: Approximated, progress: Progress) -> ModelAnswers:
        """Answers to fresh cases and held-out rows: to some where the black box is slow, to few once stopped."""
        if one.is_late:
            progress.go_on()  # no person has stopped it
        pace = self.estimator.asking_.pace
        fresh = self.estimator.pseudo_samples(answers.affordable(pace, answers.FRESH), answers.FRESH_SEED)
        rows = answers.some_of(np.flatnonzero(self.held), answers.affordable(pace, answers.MOST_ASKED))
        asked = Asked(one.model_says, pace, progress, self.heard)
        return answers.compared(asked, fresh, rows, self.dataset.X)

    def _estimator(self, box: Any) -> Any:
        estimator = self.model.make(CommonTerms.of(self.dataset, n_jobs=THREADS, box=box))
        return estimator.set_params(discrete_features=levels(self.dataset), time_limit=MAX_APPROXIMATION_SECONDS)

    def _tree(self) -> Tree:
        """The tree, with a share for every class of the data."""
        tree = self.estimator.tree_
        if not self.dataset.is_classification:
            return tree
        return tree._replace(value=read_only(in_all_classes(tree.value, self.estimator, self.dataset)))


def levels(dataset: Dataset) -> np.ndarray:
    """(n_features,) bool: numbers that jump between levels: few whole ones, and codes of ordered categories."""
    coded = np.array([feature.kind in CODED for feature in dataset.features], dtype=bool)
    return coded | discrete_mask("auto", dataset.X, dataset.categorical)


def in_all_classes(shares: np.ndarray, estimator: Any, dataset: Dataset) -> np.ndarray:
    """(n, n_classes): shares (n, k) of the classes that the model knows, by code, among all of the data."""
    wide = np.zeros((len(shares), len(dataset.classes)))
    wide[:, np.asarray(estimator.classes_, dtype=np.int64)] = shares
    return wide


def approximated(dataset: Dataset) -> Approximated | None:
    """Result of the controls; None while it is not there, with the reason and the progress on the page."""
    if not compilation.is_ready(STAGE):
        compilation.progress(STAGE)
        return None
    holdout, model = drawer.holdout(), controls.model()
    made = boxes.maker(dataset, holdout, model)
    if made is None:
        return None
    name, fit = made
    key = key_of(dataset, holdout, model, name)
    outcome = watch.found(key) or _begun(ApproximationJob(key, dataset, holdout, model, fit))
    watch.watch([key])
    with st.container(key="waiting for the tree"):  # there at every run, so that what comes has a place of its own
        if outcome.is_awaited:
            note.progress([Line(key, say("**The tree**"), partial(controls.how_far, model))])
    _say_ended(key, model, outcome)
    return outcome.value


def key_of(dataset: Dataset, holdout: HeldOut, model: Model, box: str) -> str:
    """Digest of all that a tree depends on; `box` names the black box."""
    name = repr((dataset.digest, holdout, model, box))
    return "approximation " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _begun(work: ApproximationJob) -> Outcome:
    """Outcome of the work so far; starts it if there is memory for it."""
    if refused := too_large(work.dataset, work.model):
        return Outcome(wrong=sentence(refused))
    return watch.outcome(Work(work.key, int((~work.held).sum()), work))


def too_large(dataset: Dataset, model: Model) -> str:
    """Note on pseudo-samples that may take too much memory; empty for others."""
    if model.value("method") == "exact":
        return ""
    most = int(model.value("samples"))
    megabytes = 2e-6 * len(dataset.features) * most
    if megabytes <= MAX_FOREST_MB:
        return ""
    return say(
        "{n} made-up cases of {n_columns} columns may take {megabytes} MB, and this server allows {most} MB; "
        "allow fewer of them",
        n=count(most),
        n_columns=count(len(dataset.features)),
        megabytes=count(round(megabytes)),
        most=count(MAX_FOREST_MB),
    )


def _say_ended(key: str, model: Model, outcome: Outcome) -> None:
    """Say that there is no tree, or a part of one, and why."""
    if outcome.value is None:
        who = controls.in_sentence(model)
        note.ended(
            key,
            outcome,
            say("Growing was stopped before there was a tree for {who}.", who=who),
            say("There is no tree for {who}.", who=who),
            False,
        )
    elif outcome.value.is_late:
        _say_late(outcome.value)
    else:
        note.ended(
            key, outcome, say("Growing was stopped: this is the part of the tree that was there."), goes_on=False
        )


def _say_late(one: Approximated) -> None:
    is_exact = one.model.value("method") == "exact"
    st.warning(_note_of_part(MAX_APPROXIMATION_SECONDS, is_exact), icon=":material/timer_off:")


def _note_of_part(seconds: float, is_exact: bool) -> str:
    """A part of a tree, since the time was over."""
    fewer = say("fewer questions") if is_exact else say("fewer made-up cases or fewer questions")
    return say(
        "**Growing was stopped after {seconds} s**, the most that this server allows: this is the part of the "
        "tree that was there. For a whole tree allow {fewer}, or take a black box that answers faster.",
        seconds=in_style(f"{seconds:.0f}"),
        fewer=fewer,
    )
