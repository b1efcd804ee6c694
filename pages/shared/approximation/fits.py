"""Approximation trees at work: the black box is fitted, its tree grows, and both are compared, beside the page.

`approximated` is for any page that has the controls of `controls.entries` in its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
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
from espalier.learners.approximation.asking import FIRST, LONG, SHORT
from espalier.learners.approximation.sampling import discrete_mask, rounded_down
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.settings import MAX_APPROXIMATION_SECONDS, MAX_FOREST_MB
from espalier.ties import prior_among
from espalier.trees import Tree, read_only
from pages.shared.approximation import boxes, controls
from pages.shared.approximation.boxes import Fit
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Outcome, Work, sentence
from pages.shared.jobs.workers import THREADS
from pages.shared.models import drawer

STAGE = "approximation"  # of `espalier.kernels.compile_all`
CODED = ("ordered", "yes/no")  # kinds of features whose numbers are levels
FRESH = 10_000  # pseudo-samples that fidelity is measured on
FRESH_SEED = 2**40  # unlike any seed that a tree is grown with
MOST_ASKED = 10_000  # rows that the black box is asked about for the page, at most
PATIENCE = 10.0  # seconds that the model may take for each of them
FEWEST = 100  # however slow it is


class ModelAnswers(NamedTuple):
    """Answers of the model to rows that its tree was not grown on."""

    pace: float  # seconds that it takes for a row
    fresh: np.ndarray  # (n, n_features) pseudo-samples
    of_fresh: np.ndarray  # (n, n_outputs): the answers to them
    rows: np.ndarray  # (n_held,) int64: numbers of held-out rows, all or some
    of_rows: np.ndarray  # (n_held, n_outputs)


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
    compared: ModelAnswers | None = None  # None while its job works

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
        return compared(one.model_says, pace, progress, fresh, rows, self.dataset.X)

    def _estimator(self, box: Any) -> Any:
        estimator = self.model.make(CommonTerms.of(self.dataset, n_jobs=THREADS, box=box))
        return estimator.set_params(discrete_features=levels(self.dataset), time_limit=MAX_APPROXIMATION_SECONDS)

    def _tree(self) -> Tree:
        """The tree, with a share for every class of the data."""
        tree = self.estimator.tree_
        if not self.dataset.is_classification:
            return tree
        return tree._replace(value=read_only(in_all_classes(tree.value, self.estimator, self.dataset)))


def affordable(pace: float, most: int) -> int:
    """Number of rows for a model that takes `pace` seconds for each: `most`, unless that takes too long."""
    return most if pace * most <= PATIENCE else min(max(int(rounded_down(PATIENCE / pace)), FEWEST), most)


def ask(says: Callable[[np.ndarray], np.ndarray], X: np.ndarray, pace: float, progress: Progress) -> np.ndarray:
    """(n, n_outputs): what a model says of the first n rows of X, of all unless it is stopped; it counts them."""
    step = len(X) if pace * len(X) <= LONG else max(int(SHORT / pace), FIRST)
    parts = []
    for first in range(0, max(len(X), 1), max(step, 1)):
        if parts and progress.is_stopped:
            break
        parts.append(says(X[first : first + step]))
        progress.advance(len(parts[-1]))
    return np.concatenate(parts)


def compared(
    says: Callable[[np.ndarray], np.ndarray], pace: float, progress: Progress, fresh: np.ndarray, rows: np.ndarray,
    X: np.ndarray,
) -> ModelAnswers:  # fmt: skip
    """Answers of the model to `fresh` pseudo-samples, and to held-out rows, by number, of the table X."""
    of_fresh = ask(says, fresh, pace, progress)
    of_rows = ask(says, X[rows], pace, progress) if len(rows) else np.empty((0, of_fresh.shape[1]))
    order = np.argsort(rows[: len(of_rows)])
    return ModelAnswers(pace, fresh[: len(of_fresh)], of_fresh, rows[order], of_rows[order])


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
