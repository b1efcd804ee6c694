"""Growing trees of large tables beside the page: with progress, an estimate, and Cancel."""

from __future__ import annotations

from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from functools import partial

import streamlit as st

from core import jobs
from core.data.dataset import Dataset
from core.trees import AnyTree
from pages.shared import cache
from pages.shared.cache import Grown
from pages.shared.frame import guarded, rerun
from pages.shared.learners import Parameters

PATIENCE_SECONDS = 0.6  # what is there sooner needs no progress bar
STOPPED = "stopped trees"  # key of the session state: (key, tree) where growing was cancelled


def grown(dataset: Dataset, percent_held: int, seed: int, parameters: Parameters) -> Grown | None:
    """The tree, or None while it is being grown: the page then shows how far it is.

    After Cancel it is the part of the tree that was there, with a note.
    """
    key = cache.key_of(dataset, percent_held, seed, parameters)
    if dataset.X.size <= cache.learner_of(parameters).long or not _is_new(key):
        return cache.grown(dataset, percent_held, seed, parameters)
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        _say_stopped()
        rows = (percent_held, seed)
        return cache.with_data(f"{key} stopped", stopped[1], dataset, rows, parameters)
    work = partial(cache.grow, dataset, percent_held, seed, parameters)
    job = jobs.start(key, round(len(dataset.y) * (1 - percent_held / 100)), work)
    tree = _result(job)
    if tree is None or job.is_cancelled:
        _when_not_done(key, job, tree)
        return None
    _known().add(key)
    jobs.drop(key)
    return cache.grown(dataset, percent_held, seed, parameters, tree)


@st.cache_resource(show_spinner=False)
def _known() -> set[str]:
    """Keys of the large trees that were grown to the end: they are cached, or take their time once more."""
    return set()


def _is_new(key: str) -> bool:
    return key not in _known()


def _result(job: jobs.Job) -> AnyTree | None:
    try:
        return job.future.result(PATIENCE_SECONDS)
    except (NotYet, CancelledError):
        return None


def _when_not_done(key: str, job: jobs.Job, tree: AnyTree | None) -> None:
    if not job.is_cancelled:
        _progress(key)
        return
    jobs.drop(key)
    if tree is not None:
        st.session_state[STOPPED] = (key, tree)
        st.rerun()
    st.info("Growing was cancelled before there was a tree.")
    st.button("Grow the tree", icon=":material/play_arrow:")


@st.fragment(run_every=0.5)
@guarded
def _progress(key: str) -> None:
    job = jobs.find(key)
    if job is None or job.future.done():
        rerun()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="growing"):
        st.progress(job.share, text=_how_far(key, job))
        st.button("Cancel", icon=":material/stop_circle:", on_click=jobs.cancel, args=(key,))


def _how_far(key: str, job: jobs.Job) -> str:
    waiting = jobs.ahead(key)
    if waiting:
        return f"**Growing the tree** begins after {waiting} other large tree{'s' * (waiting > 1)}."
    if job.is_cancelled:
        return "**Growing the tree**: stopping …"
    left = job.seconds_left
    estimate = "" if left is None else f", about {max(left, 1):.0f} s left"
    return f"**Growing the tree** on {job.total:,} rows{estimate} …"


def _say_stopped() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="stopped"):
        st.info("Growing was stopped: this is the part of the tree that was there.")
        st.button("Grow it to the end", on_click=st.session_state.pop, args=(STOPPED, None))
