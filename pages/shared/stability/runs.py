"""Replicates at work: each learner is a job that hands over every tree as it is grown; what there is is kept."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, wait
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.analysis.stability.replicates import GrowthWatch, Plan, Replicates, replicate, so_far
from espalier.data.dataset import Dataset
from espalier.learners.catalogue import KINDS, CommonTerms
from espalier.progress import Progress
from espalier.settings import MAX_RESULTS_MB
from espalier.views.theme import number
from pages.shared.app.frame import callback, plain
from pages.shared.comparison.slots import Model
from pages.shared.jobs import compilation, queue
from pages.shared.stability.kept import ends, replicates
from pages.shared.tree import growing

PATIENCE_SECONDS = 0.35  # what is there sooner needs no progress bar
LARGE = 200_000_000  # values to learn from, over all draws and learners: more is begun only when asked for
BEGUN = "begun replicates"  # key of the session state

_log = logging.getLogger("espalier")


class StabilityJob(NamedTuple):
    """A learner, the data, and which replicates; calling it is the work of a job."""

    model: Model
    dataset: Dataset
    plan: Plan
    run: int  # 0: the first draws; others repeat them with seeds of their own

    @property
    def family(self) -> str:
        """Digest of all that a replicate depends on but its number."""
        plan = self.plan._replace(n_replicates=0)
        told = (self.dataset.digest, plan, self.model.kind.name, self.model.settings, self.model.seconds)
        return "stability " + hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()

    @property
    def key(self) -> str:
        """Names the job."""
        return f"{self.family} {self.plan.n_replicates}"

    @property
    def is_possible(self) -> bool:
        """Whether the learner is for targets of this kind."""
        return self.dataset.is_classification in self.model.kind.serves

    @property
    def stage(self) -> str:
        """Which kernels must be compiled: CART grows on bootstrap samples as the trees of forests do."""
        return "forest" if self.model.kind.stage == "cart" else self.model.kind.stage

    @property
    def found(self) -> Replicates:
        """The replicates that there are by now."""
        return so_far(self.plan, replicates(self.family))

    def left(self) -> Plan:
        """What there is still to grow: all from the first gap on."""
        trees = replicates(self.family)
        first = next((i for i in self.plan.numbers if i not in trees), self.plan.numbers.stop)
        return self.plan._replace(first=first, n_replicates=self.plan.numbers.stop - first)

    def __call__(self, progress: Progress) -> None:
        """Grow what is left; `progress` as in `replicate`."""
        compilation.wait(self.stage)
        data, left = self.dataset, self.left()
        if not left.n_replicates:
            return
        terms = CommonTerms(data.is_classification, data.categorical, self.plan.seed, seconds=self.model.seconds)
        estimator = self.model.kind.make(dict(self.model.settings), terms)
        n_threads = max((os.cpu_count() or 2) - 1, 1)  # one is left to the pages
        trees = replicates(self.family)
        trees.progress, trees.is_full = progress, False
        replicate(estimator, data, left, GrowthWatch(n_threads, progress, trees))


def start(trials: Sequence[StabilityJob]) -> None:
    """Set those to work that are not done, unless there is much to do and nobody asked; wait a moment for them."""
    growing.watch(*(trial.key for trial in trials))
    if may_begin(trials):
        running = [_started(trial) for trial in sorted(trials, key=_turn) if is_awaited(trial)]
        wait([job.future for job in running], PATIENCE_SECONDS)
    for trial in trials:
        _note(trial)


def is_awaited(trial: StabilityJob) -> bool:
    """Whether there are trees to come."""
    if not trial.is_possible or ends().find(trial.key) is not None:
        return False
    return not trial.found.is_complete


def _turn(trial: StabilityJob) -> tuple[bool, int, int]:
    """What has to wait for the engine comes last, repetitions after the first draws, what is quick first."""
    return not compilation.is_ready(trial.stage), trial.run, KINDS.index(trial.model.kind)


def _started(trial: StabilityJob) -> queue.Job:
    return queue.find(trial.key) or queue.start(trial.key, trial.left().total, trial)


def _note(trial: StabilityJob) -> None:
    """Look whether the job has ended, and how."""
    job = queue.find(trial.key)
    if job is None or not job.future.done():
        return
    queue.drop(trial.key)
    why = _why(job, trial)
    if why is not None:
        ends().put(trial.key, why)


def _why(job: queue.Job, trial: StabilityJob) -> str | None:
    try:
        job.future.result()
    except CancelledError:
        return ""
    except ValueError as wrong:
        text = " ".join(str(wrong).split())
        return f"{plain(text[:1].upper() + text[1:])}."
    except Exception:
        _log.exception("%s failed", trial.model.kind.name)
        return "Something went wrong; the details are in the server's log."
    if trial.found.is_complete or not job.is_cancelled:
        return None
    return _no_room(trial) if replicates(trial.family).is_full else ""


def _no_room(trial: StabilityJob) -> str:
    n, most = len(trial.found.trees), trial.plan.n_replicates
    return (
        f"Stopped after {n:,} of {most:,} trees: all that are kept may take {MAX_RESULTS_MB:,} MB. Ask for fewer "
        "draws, or limit the depth."
    )


def glance(trials: Sequence[StabilityJob]) -> bool:
    """Look at all that are at work; whether any still is."""
    at_work = [job for trial in trials if (job := queue.find(trial.key)) is not None]
    return any(not job.future.done() for job in at_work)


def stop(keys: Sequence[str]) -> None:
    """Tell these jobs to stop (a callback); what they have grown stays."""
    for key in keys:
        queue.cancel(key)


# Much to do ------------------------------------------------------------------------------------------


def may_begin(trials: Sequence[StabilityJob]) -> bool:
    """Whether what there is to do is little, or was asked for."""
    values = sum(t.dataset.X.size * t.left().n_replicates for t in trials if is_awaited(t))
    return values <= LARGE or st.session_state.get(BEGUN) == _all_keys(trials)


def offer_to_begin(trials: Sequence[StabilityJob]) -> None:
    """Where there is much to do: how much, and the button that begins it."""
    if may_begin(trials):
        return
    n, rows = sum(t.left().n_replicates for t in trials if is_awaited(t)), len(trials[0].dataset.y)
    st.info(f"There is much to do: {n:,} trees have to grow on about {rows:,} rows each. Fewer draws are faster.")
    st.button(
        "Grow them",
        icon=":material/play_arrow:",
        on_click=callback(_begin),
        args=(_all_keys(trials),),
        type="primary",
    )


def _begin(keys: str) -> None:
    st.session_state[BEGUN] = keys


def _all_keys(trials: Sequence[StabilityJob]) -> str:
    return " ".join(trial.key for trial in trials)


# In words --------------------------------------------------------------------------------------------


def how_far(trial: StabilityJob) -> tuple[float, str] | None:
    """The share that is done and words on it; None for what is not at work."""
    job = queue.find(trial.key)
    if job is None or job.future.done():
        return None
    n, most = len(trial.found.trees), trial.plan.n_replicates
    if job.is_cancelled:
        return n / most, f"{n} of {most} trees, stopping …"
    if np.isnan(job.times[0]):
        ahead = queue.ahead(trial.key)
        return n / most, f"waits for {ahead} other job{'s' * (ahead != 1)}"
    if not compilation.is_ready(trial.stage):
        seconds = time.monotonic() - compilation.engine().started
        return 0.0, f"waits until the engine is compiled, once on this computer ({seconds:.0f} s so far)"
    left = job.seconds_left
    estimate = "" if left is None else f", about {number(max(round(left), 1))} s left"
    return n / most, f"{n:,} of {most:,} trees{estimate}"


def not_for(trial: StabilityJob) -> str:
    """Why a learner cannot be tried on these data."""
    kind, others = ("a class", "numbers") if trial.dataset.is_classification else ("a number", "classes")
    name = plain(trial.dataset.target.name)
    return f"This kind is for {others} only, and the target, {name}, is {kind}. Choose another kind."
