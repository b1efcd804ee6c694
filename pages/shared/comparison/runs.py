"""Models at work: each is a job of its own on the same folds; those that are done stay for when others change."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.analysis.comparison.cross_validation import PARTS, Folds, validate
from espalier.data.dataset import Dataset
from espalier.learners.catalogue import KINDS, CommonTerms
from espalier.progress import Progress
from espalier.views.theme import number
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.comparison.slots import Model
from pages.shared.jobs import compilation, queue
from pages.shared.jobs.store import Store, n_bytes
from pages.shared.tree import growing

PATIENCE_SECONDS = 0.6  # what is there sooner needs no progress bar
MOST_KEPT = 64  # outcomes; one of a million rows and ten classes has 80 MB
LARGE = 50_000_000  # values to learn from, over all folds and models: more is begun only when asked for
BEGUN = "begun comparison"  # key of the session state

_log = logging.getLogger("espalier")


class ModelOutcome(NamedTuple):
    """What became of a model: scores, or why there are none; neither while it is at work."""

    validated: Any = None  # `Validated`, or what another page's trials lead to; it `is_complete` or not
    error: str | None = None
    may_repeat: bool = False  # whether trying again may end otherwise


class ComparisonJob(NamedTuple):
    """A model, the data, and the folds; calling it is the work of a job."""

    purpose = "compare"  # part of its key

    model: Model
    dataset: Dataset
    plan: Folds

    @property
    def key(self) -> str:
        """Digest of all that the outcome depends on."""
        told = (self.dataset.digest, self.plan, self.model.kind.name, self.model.settings, self.model.seconds)
        return f"{self.purpose} " + hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()

    @property
    def is_possible(self) -> bool:
        """Whether the model is for targets of this kind."""
        return self.dataset.is_classification in self.model.kind.serves

    def __call__(self, progress: Progress) -> Any:
        """The model on all folds; `progress` as in `validate`."""
        estimator = self.estimator()
        with ThreadPoolExecutor(max((os.cpu_count() or 2) - 1, 1)) as pool:  # one is left to the pages
            return self.try_all(estimator, pool, progress)

    def try_all(self, estimator: Any, pool: ThreadPoolExecutor, progress: Progress) -> Any:
        """What is asked of the model on all folds: here, its scores."""
        return validate(estimator, self.dataset, self.plan, pool, progress)

    def estimator(self) -> Any:
        """The model, not fitted; waits for its engine to be compiled."""
        if self.model.kind.stage:
            compilation.wait(self.model.kind.stage)
        data = self.dataset
        terms = CommonTerms(data.is_classification, data.categorical, self.plan.seed, seconds=self.model.seconds)
        return self.model.kind.make(dict(self.model.settings), terms)


@st.cache_resource(show_spinner=False)
def store() -> Store[ModelOutcome]:
    """The server's outcomes."""
    return Store(MOST_KEPT, lambda outcome: n_bytes(outcome.validated) / 1e6)


def outcomes(trials: Sequence[ComparisonJob]) -> list[ModelOutcome]:
    """What is there of each trial by now; the others are at work, unless there is much to do and nobody asked."""
    _watch([trial.key for trial in trials])
    if not _may_begin(trials):
        return [store().find(trial.key) or ModelOutcome() for trial in trials]
    running = {trial.key: _started(trial) for trial in sorted(trials, key=_turn) if not _is_settled(trial)}
    wait([job.future for job in running.values()], PATIENCE_SECONDS)
    return [_outcome(trial, running.get(trial.key)) for trial in trials]


def _turn(trial: ComparisonJob) -> tuple[bool, int]:
    """What has to wait for the engine comes last, what is quick first."""
    kind = trial.model.kind
    return bool(kind.stage) and not compilation.is_ready(kind.stage), KINDS.index(kind)


def _is_settled(trial: ComparisonJob) -> bool:
    return not trial.is_possible or store().find(trial.key) is not None


def _may_begin(trials: Sequence[ComparisonJob]) -> bool:
    """Whether what there is to do is little, or was asked for."""
    values = sum(t.dataset.X.size * t.plan.n_all for t in trials if not _is_settled(t))
    return values <= LARGE or st.session_state.get(BEGUN) == _all_keys(trials)


def offer_to_begin(trials: Sequence[ComparisonJob], label: str = "Compare") -> None:
    """Where there is much to do: how much, and the button that begins it."""
    if _may_begin(trials):
        return
    fits = sum(t.plan.n_all for t in trials if not _is_settled(t))
    rows = len(trials[0].dataset.y)
    st.info(
        f"There is much to do: {fits} models have to learn from about {rows:,} rows each. Fewer folds are faster."
    )
    st.button(
        label, icon=":material/play_arrow:", on_click=callback(_begin), args=(_all_keys(trials),), type="primary"
    )


def _begin(keys: str) -> None:
    st.session_state[BEGUN] = keys


def _all_keys(trials: Sequence[ComparisonJob]) -> str:
    return " ".join(trial.key for trial in trials)


def _started(trial: ComparisonJob) -> queue.Job:
    return queue.start(trial.key, trial.plan.n_all * PARTS, trial)


def _outcome(trial: ComparisonJob, job: queue.Job | None) -> ModelOutcome:
    if not trial.is_possible:
        return ModelOutcome(error=_not_for(trial))
    known = store().find(trial.key)
    if known is not None or job is None:
        return known or ModelOutcome()
    if not job.future.done():
        return ModelOutcome()
    queue.drop(trial.key)
    return store().put(trial.key, _ended(job.future, trial))


def _ended(future: Future[Any], trial: ComparisonJob) -> ModelOutcome:
    try:
        found = future.result()
        return ModelOutcome(found, may_repeat=not found.is_complete)
    except CancelledError:
        return ModelOutcome(error="It was cancelled before it began.", may_repeat=True)
    except ValueError as wrong:
        return ModelOutcome(error=_sentence(str(wrong)))
    except Exception:
        _log.exception("%s failed", trial.model.kind.name)
        return ModelOutcome(error="Something went wrong; the details are in the server's log.", may_repeat=True)


def _sentence(text: str) -> str:
    """What an estimator says, as a sentence of the page."""
    return f"{plain(text[:1].upper() + text[1:])}."


def _not_for(trial: ComparisonJob) -> str:
    kind, others = ("a class", "numbers") if trial.dataset.is_classification else ("a number", "classes")
    name = plain(trial.dataset.target.name)
    return f"This kind is for {others} only, and the target, {name}, is {kind}. Choose another kind."


def _watch(keys: Sequence[str]) -> None:
    """Look at these jobs and no others, which would only keep them waiting."""
    watched = st.session_state.setdefault(growing.WATCHED, set())
    for other in watched.difference(keys):
        queue.leave(other)
    watched.clear()
    watched.update(keys)


def awaited(titles: Sequence[str], found: Sequence[ModelOutcome]) -> list[str]:
    """The models that there is nothing of yet."""
    return [title for title, one in zip(titles, found, strict=True) if one == ModelOutcome()]


def draw_progress(trials: Sequence[ComparisonJob], titles: Sequence[str], found: Sequence[ModelOutcome]) -> None:
    """How far those are that are at work, and Cancel; nothing where none is."""
    waiting = [
        (t.key, title) for t, title, one in zip(trials, titles, found, strict=True) if one == ModelOutcome()
    ]
    running = [(key, title) for key, title in waiting if queue.find(key)]
    if running:
        _progress(running)


@st.fragment(run_every=0.5)
@guarded
def _progress(running: list[tuple[str, str]]) -> None:
    """A bar for each model at work; the page runs again as soon as one of them is done."""
    found = [(queue.find(key), key, title) for key, title in running]
    if any(job is None or job.future.done() for job, _, _ in found):
        rerun()
        return
    with st.container(key="comparing"):
        for job, key, title in found:
            if job is not None:
                st.progress(job.share, text=f"**{title}**: {_how_far(job, key)}")
        keys = [key for key, _ in running]
        st.button("Cancel", icon=":material/stop_circle:", on_click=callback(_cancel), args=(keys,))


def _how_far(job: queue.Job, key: str) -> str:
    plan = job.work.plan
    if np.isnan(job.times[0]):
        n = queue.ahead(key)
        if not n:
            return "begins"
        return f"waits for {n} other job{'s' * (n != 1)} of this server"
    stage = job.work.model.kind.stage
    if stage and not compilation.is_ready(stage):
        seconds = time.monotonic() - compilation.engine().started
        return f"waits until the engine is compiled, once on this computer ({seconds:.0f} s so far)"
    left = job.seconds_left
    time_left = f", about {number(max(round(left), 1))} s left" if left is not None else ""
    spent = time.monotonic() - job.times[0]
    fold = min(job.progress.done // PARTS + 1, plan.n_all)
    return f"fold {fold} of {plan.n_all}, {spent:.0f} s so far{time_left}"


def _cancel(keys: Sequence[str]) -> None:
    for key in keys:
        queue.cancel(key)
