"""Growing trees that take their time beside the page: what there is so far, and Cancel; later, going on."""

from __future__ import annotations

from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet

import streamlit as st

from espalier.data.dataset import Dataset
from pages.shared.app import memory
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.jobs import queue
from pages.shared.models.learners import Parameters
from pages.shared.tree import fits, results, search_view
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree

PATIENCE_SECONDS = 0.6  # what is there sooner needs no progress bar
WATCHED = "watched jobs"  # key of the session state: keys of the jobs that it looks at


def grown(dataset: Dataset, percent_held: int, seed: int, parameters: Parameters) -> GrownTree | None:
    """The tree, or None while it is being grown: the page then shows how far it is.

    After Cancel, or when a search has run out of time, it is the tree that was there; it may `go_on`.
    """
    key = results.key_of(dataset, percent_held, seed, parameters)
    watch(key)
    learner, rows = fits.learner_of(parameters), (percent_held, seed)
    if dataset.X.size <= learner.long or not _is_new(key):
        return results.grown(dataset, percent_held, seed, parameters)
    fit = fits.find(key, dataset, rows, parameters)
    if fit.stopped is None:
        job = queue.start(key, len(fit.y), fit)
        fitted = _result(job)
        if fitted is None:
            _when_not_done(key, job)
            return None
        if _is_whole(job, fitted):
            return _take(key, results.grown(dataset, percent_held, seed, parameters, fitted))
        fit.stopped = fitted
        fits.store().resize(key, fit.megabytes)
        queue.drop(key)
    if fit.stopped.proof is None:
        _say_stopped(key)
    return results.with_data(f"{key} {fit.n_calls}", fit.stopped, dataset, rows, parameters)


def go_on(key: str) -> None:
    """Let a tree that was stopped grow on (a callback)."""
    fits.let_go_on(key)


def watch(*keys: str) -> None:
    """Look at the jobs of these keys and at those that belong to them; others would only keep them waiting."""
    watched = st.session_state.setdefault(WATCHED, set())
    for other in [job for job in watched if not job.startswith(keys)]:
        queue.leave(other)
        watched.discard(other)
    watched.update(keys)


@st.cache_resource(show_spinner=False)
def _known() -> set[str]:
    """Keys of the large trees that were grown to the end: they are cached, or take their time once more."""
    return set()


def _is_new(key: str) -> bool:
    return key not in _known()


def _take(key: str, grown: GrownTree) -> GrownTree:
    """The tree, which is whole: what made it is needed no more, unless it can tell of other trees."""
    _known().add(key)
    queue.drop(key)
    memory.give_back_soon()
    if grown.proof is None:
        fits.store().drop(key)
    return grown


def _is_whole(job: queue.Job, fitted: FittedTree) -> bool:
    return not job.is_cancelled if fitted.proof is None else fitted.proof.proved


def _result(job: queue.Job) -> FittedTree | None:
    try:
        return job.future.result(PATIENCE_SECONDS)
    except (NotYet, CancelledError):
        return None


def _when_not_done(key: str, job: queue.Job) -> None:
    if not (job.is_cancelled and job.future.cancelled()):
        _progress(key)
        return
    queue.drop(key)
    st.info("Growing was cancelled before there was a tree.")
    st.button("Grow the tree", icon=":material/play_arrow:")


@st.fragment(run_every=0.5)
@guarded
def _progress(key: str) -> None:
    """How far the tree is and, where its learner has that to show, what was found so far; and Cancel."""
    job = queue.find(key)
    if job is None or job.future.done():
        rerun()
        return
    is_searched = job.work.learner.is_searched
    share, words = search_view.how_far(job.work) if is_searched else _by_rows(job)
    with st.container(horizontal=True, vertical_alignment="center", key="growing"):
        st.progress(share, text=_unless_it_waits(key, job, words))
        st.button("Cancel", icon=":material/stop_circle:", on_click=callback(queue.cancel), args=(key,))
    if is_searched:
        search_view.draw(job.work)


def _unless_it_waits(key: str, job: queue.Job, words: str) -> str:
    waiting = queue.ahead(key)
    if waiting:
        return f"**Growing the tree** begins after {waiting} other job{'s' * (waiting > 1)} of this server."
    return "**Growing the tree**: stopping …" if job.is_cancelled else words


def _by_rows(job: queue.Job) -> tuple[float, str]:
    """How far a tree is that grows row by row: the share that is done, and words on it."""
    left = job.seconds_left
    estimate = "" if left is None else f", about {max(left, 1):.0f} s left"
    return job.share, f"**Growing the tree** on {job.total:,} rows{estimate} …"


def _say_stopped(key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="stopped"):
        st.info("Growing was stopped: this is the part of the tree that was there.")
        st.button("Grow it to the end", on_click=callback(go_on), args=(key,))
