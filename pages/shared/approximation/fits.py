"""Approximation trees at work: the black box is fitted and asked, and its tree grows, beside the page.

`approximated` is for any page that has the controls of `controls.entries` in its address.
"""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.analysis.approximation.arrangement import Arranged
from espalier.data.dataset import Dataset, held_out
from espalier.learners import ApproximationClassifier, ApproximationRegressor
from espalier.learners.approximation import Considered, StoppedAsking
from espalier.learners.approximation.smoothing import discrete_mask
from espalier.learners.ties import prior_among
from espalier.progress import Progress
from espalier.settings import MAX_APPROXIMATION_SECONDS, MAX_FOREST_MB
from espalier.trees import Tree, read_only
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.approximation import answers, boxes, controls
from pages.shared.approximation.answers import Asked, ModelAnswers
from pages.shared.approximation.boxes import Fit
from pages.shared.approximation.controls import ApproximationRecipe
from pages.shared.forests import forest_job
from pages.shared.jobs import compilation, queue
from pages.shared.jobs.store import Store
from pages.shared.tree import growing

STAGE = "approximation"  # of `espalier.kernels.compile_all`
PATIENCE_SECONDS = 0.8  # what is there sooner needs no progress bar
MOST_KEPT = 24
LEAST_SHARE = 0.01  # of the work, from which on the time that is left can be said
CODED = ("ordered", "yes/no")  # kinds of features whose numbers are levels


class Approximated(NamedTuple):
    """A black box and the tree that stands in for it."""

    key: str  # names data and recipe: the key of everything that is derived from it
    dataset: Dataset
    rows: tuple[int, int]  # the percentage held out from both, and the seed of which
    held: np.ndarray  # (n_samples,) bool: these rows
    recipe: ApproximationRecipe
    model: Any  # the black box, fitted
    n_learnt: int  # rows that it learnt from; 0 where nobody here knows
    estimator: Any  # the approximation, fitted: `considered_`, `oracle_`, `pseudo_samples`
    tree: Tree  # with a share for every class of the data
    is_whole: bool  # whether it was not stopped
    arranged: Arranged | None = None  # of a person's own model: its classes and columns
    compared: ModelAnswers | None = None  # what the model says of rows that the tree was not grown on

    @property
    def considered(self) -> Considered:
        """What was tested at each node."""
        return self.estimator.considered_

    @property
    def is_late(self) -> bool:
        """Whether the limit of time stopped it, and no person."""
        return bool(getattr(self.estimator, "timed_out_", False))

    @property
    def prior(self) -> np.ndarray:
        """(n_classes,) by which the black box breaks ties, as `espalier.learners.ties` has it; or none."""
        return prior_among(self.model, len(self.dataset.classes))

    def model_says(self, X: np.ndarray) -> np.ndarray:
        """(n, n_outputs): class shares, or a number, that the black box gives rows X (n, n_features)."""
        said = self.estimator.oracle_.answer(X)
        return in_all_classes(said, self.estimator, self.dataset) if self.dataset.is_classification else said


class ApproximationJob:
    """A black box to be fitted, and its tree to be grown; calling it does both."""

    def __init__(self, key: str, dataset: Dataset, rows: tuple[int, int], recipe: ApproximationRecipe, fit: Fit):
        """`rows` are the percentage held out and the seed of which; `fit` gives the black box."""
        self.key, self.dataset, self.rows, self.recipe, self.fit = key, dataset, rows, recipe, fit
        self.held = held_out(dataset, rows[0] / 100, rows[1])
        self.is_growing = False  # and no longer fitting the black box
        self.heard = np.zeros(2, np.int64)  # rows answered to compare both, of how many; zeros before
        self.began = 0.0  # seconds, monotonic: when growing did
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
        self.estimator, self.began = self._estimator(fitted.model), time.monotonic()
        self.is_growing = True
        try:
            self.estimator.fit(self.dataset.X[~self.held], progress=progress)
        except StoppedAsking:
            return None
        is_whole, drawn = not progress.is_stopped, int(self.estimator.considered_.n_samples.sum())
        tree = self._tree()
        key = self.key if is_whole else f"{self.key} {tree.n_nodes} {drawn}"
        ground, grown = (
            (self.dataset, self.rows, self.held, self.recipe),
            (self.estimator, tree, is_whole, fitted.arranged),
        )
        one = Approximated(key, *ground, fitted.model, fitted.n_rows, *grown)
        return one._replace(compared=self._compared(one, progress))

    def _compared(self, one: Approximated, progress: Progress) -> ModelAnswers:
        """What the model says of fresh cases and held-out rows: of some where it is slow, of few once stopped."""
        if one.is_late:
            progress.go_on()  # no person has stopped it
        pace = self.estimator.asking_.pace
        fresh = self.estimator.pseudo_samples(answers.affordable(pace, answers.FRESH), answers.FRESH_SEED)
        rows = answers.some_of(np.flatnonzero(self.held), answers.affordable(pace, answers.MOST_ASKED))
        asked = Asked(one.model_says, pace, progress, self.heard)
        return answers.compared(asked, fresh, (rows, self.dataset.X))

    def _estimator(self, model: Any) -> Any:
        make = ApproximationClassifier if self.dataset.is_classification else ApproximationRegressor
        return make(
            model, **self.recipe.parameters, n_jobs=forest_job.THREADS, discrete_features=levels(self.dataset),
            categorical_features=self.dataset.categorical, time_limit=MAX_APPROXIMATION_SECONDS,
        )  # fmt: skip

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


@st.cache_resource(show_spinner=False)
def store() -> Store[Approximated]:
    """The server's approximation trees."""
    return Store(MOST_KEPT, megabytes)


def megabytes(one: Approximated) -> float:
    """Memory that a tree takes with the table that is smoothed, about."""
    return 2 * one.estimator.table_.X.nbytes / 1e6


def approximated(dataset: Dataset) -> Approximated | None:
    """What the controls stand for; None while it is not there, with the reason and the progress on the page."""
    if not compilation.is_ready(STAGE):
        compilation.progress(STAGE)
        return None
    rows, recipe = (st.session_state["held"], st.session_state["seed"]), controls.recipe()
    made = boxes.maker(dataset, rows, recipe)
    if made is None:
        return None
    name, fit = made
    key = key_of(dataset, rows, recipe, name)
    growing.watch(key)
    found = store().find(key)
    if found is None:
        found = _outcome(ApproximationJob(key, dataset, rows, recipe, fit))
    if found is None:
        _progress(key, recipe)
        return None
    if isinstance(found, str):
        _say_none(key, recipe, found)
        return None
    if found.is_late:
        _say_late(found)
    elif not found.is_whole:
        _say_stopped(key)
    return found


def key_of(dataset: Dataset, rows: tuple[int, int], recipe: ApproximationRecipe, box: str) -> str:
    """Digest of all that a tree depends on; `box` names the black box."""
    name = repr((dataset.digest, rows, recipe, box))
    return "approximation " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _outcome(work: ApproximationJob) -> Approximated | str | None:
    """The tree, what is wrong with it, or None while it is on its way: it is begun, and waited for."""
    job = queue.find(work.key)
    if job is None:
        if refused := too_large(work.dataset, work.recipe):
            return refused
        job = queue.start(work.key, int((~work.held).sum()), work)
    try:
        found = job.future.result(PATIENCE_SECONDS)
    except NotYet:
        return None
    except CancelledError:
        return STOPPED
    except ValueError as wrong:
        return " ".join(str(wrong).split())
    if found is None:
        return STOPPED
    queue.drop(work.key)
    store().put(work.key, found)
    return found


STOPPED = "it was stopped before there was a tree"


def too_large(dataset: Dataset, recipe: ApproximationRecipe) -> str:
    """What is said of pseudo-samples that may take too much memory; nothing of others."""
    if recipe.method == "exact":
        return ""
    megabytes = 2e-6 * len(dataset.features) * recipe.max_samples
    if megabytes <= MAX_FOREST_MB:
        return ""
    return (
        f"{recipe.max_samples:,} made-up cases of {len(dataset.features):,} columns may take {megabytes:,.0f} "
        f"MB, and this server allows {MAX_FOREST_MB:,} MB; allow fewer of them"
    )


def _say_none(key: str, recipe: ApproximationRecipe, why: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="no approximation"):
        if why == STOPPED:
            st.info(f"Growing was stopped before there was a tree for {recipe.in_sentence}.")
        else:
            st.error(f"**There is no tree for {recipe.in_sentence}:** {plain(why)}.")
        if recipe.box != controls.OWN or why == STOPPED:  # a file says the same every time
            st.button("Try again", on_click=callback(queue.drop), args=(key,), key="approximate again")


def _say_stopped(key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="stopped approximation"):
        st.info("Growing was stopped: this is the part of the tree that was there.")
        st.button("Grow it to the end", on_click=callback(store().drop), args=(key,))


def _say_late(one: Approximated) -> None:
    exact = one.recipe.method == "exact"
    fewer = "fewer questions" if exact else "fewer made-up cases or fewer questions"
    st.warning(
        f"**Growing was stopped after {MAX_APPROXIMATION_SECONDS:.0f} s**, the most that this server allows: this "
        f"is the part of the tree that was there. For a whole tree allow {fewer}, or take a black box that "
        "answers faster.",
        icon=":material/timer_off:",
    )


@st.fragment(run_every=0.5)
@guarded
def _progress(key: str, recipe: ApproximationRecipe) -> None:
    """How far the tree is, and Cancel; the page runs again when it is there."""
    job = queue.find(key)
    if job is None or job.future.done():
        rerun()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="approximating"):
        st.progress(*_how_far(key, job, recipe))
        st.button("Cancel", icon=":material/stop_circle:", on_click=callback(queue.cancel), args=(key,))


def _how_far(key: str, job: queue.Job, recipe: ApproximationRecipe) -> tuple[float, str]:
    """The share of the tree that is done, and words on it."""
    waiting, work = queue.ahead(key), job.work
    if waiting:
        return 0.0, f"**The tree** begins after {waiting} other job{'s' * (waiting > 1)} of this server."
    if job.is_cancelled:
        return _share(job) if work.is_growing else 0.0, "Stopping …"
    spent = max(time.monotonic() - float(np.nan_to_num(job.times[0], nan=time.monotonic())), 0.0)
    if not work.is_growing:
        does = "is being asked" if recipe.box == controls.OWN else "learns"
        return 0.0, f"{recipe.title} {does} ({spent:.0f} s so far) …"
    if work.heard[1]:
        done, of = work.heard.tolist()
        return (
            done / of,
            f"**The tree is grown.** To compare both, {done:,} of {of:,} other rows are asked about …",
        )
    oracle = getattr(work.estimator, "oracle_", None)
    if oracle is None or not oracle.n_asked:
        n, asked = job.total, getattr(getattr(work.estimator, "asking_", None), "n_answered", 0)
        told = f"{min(asked, n):,} of the {n:,} rows of the table"
        return min(asked / n, 1.0), f"{recipe.title} is asked about {told}, {spent:.0f} s so far …"
    asked = oracle.n_asked
    words = "" if recipe.method == "exact" else f" {asked:,} of at most {_most(job):,} made-up cases asked,"
    return _share(job), f"**The tree grows**:{words} {spent:.0f} s so far{_left(job)} …"


def _left(job: queue.Job) -> str:
    """How long it may take from here: by the share that is done, and by the limit of time."""
    spent, share = time.monotonic() - job.work.began, _share(job)
    until_limit = max(MAX_APPROXIMATION_SECONDS - spent, 1.0)
    if share < LEAST_SHARE:
        return f", about {until_limit:.0f} s left"
    return f", about {min(max(spent * (1 / share - 1), 1.0), until_limit):.0f} s left"


def _most(job: queue.Job) -> int:
    """Made-up cases, if all splits need all they may."""
    return int(min(job.work.recipe.most_samples, getattr(job.work.estimator, "budget_", np.inf)))


def _share(job: queue.Job) -> float:
    """How much of the tree is done: by its rows, or by its pseudo-samples if all splits need all they may."""
    recipe, oracle = job.work.recipe, getattr(job.work.estimator, "oracle_", None)
    if oracle is None or recipe.method == "exact":
        return job.share
    return max(job.share, min(oracle.n_asked / _most(job), 1.0))
