"""Growing replicates: each learner is a job that hands over every tree as it is grown."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.grown import why_not
from espalier.language import say
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.progress import Progress
from espalier.settings import MAX_RESULTS_MB
from espalier.stability.replicates import GrowthWatch, Plan, Replicates, replicate
from espalier.stability.replicates import so_far as replicates_so_far
from espalier.trees import AnyTree
from pages.shared.app.frame import plain
from pages.shared.app.store import Store, of_megabytes, size_of
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.jobs.workers import workers

MOST_KEPT = 1_000  # families of trees
LARGE = 200_000_000  # values to learn from, over all draws and learners: more is begun only when asked for


class GrownReplicates(dict[int, AnyTree]):
    """Trees by number, to which a job adds more; the job is stopped when there is no more room."""

    def __init__(self, family: str):
        super().__init__()
        self.family, self.megabytes = family, 0.0
        self.is_full = False
        self.progress: Progress | None = None  # of the job that grows them

    def __setitem__(self, number: int, tree: AnyTree) -> None:
        super().__setitem__(number, tree)
        self.megabytes += size_of(tree).megabytes
        if self.progress is not None and not _families().resize(self.family, of_megabytes(self.megabytes)):
            self.is_full = True
            self.progress.stop()


def replicates(family: str) -> GrownReplicates:
    """The trees of a family."""
    return _families().find_or_put(family, lambda: GrownReplicates(family))


@st.cache_resource(show_spinner=False)
def _families() -> Store[GrownReplicates]:
    return Store(MOST_KEPT, lambda trees: of_megabytes(trees.megabytes))


class StabilityJob(NamedTuple):
    """A learner, the data, and which replicates; calling it is the work of a job."""

    slot: int  # number of the model's place on the page
    model: Model
    seconds: float  # that a search may take each time it is fitted
    dataset: Dataset
    plan: Plan

    @property
    def family(self) -> str:
        """Digest of all that a replicate depends on but its number."""
        plan = self.plan._replace(n_replicates=0)
        causes = (self.dataset.digest, plan, self.model, self.seconds)
        return "stability " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def key(self) -> str:
        """Names the job."""
        return f"{self.family} {self.plan.n_replicates}"

    @property
    def outcome(self) -> Outcome:
        """Outcome of the job if it did not grow all trees; else an empty one."""
        if wrong := why_not(self.model, self.dataset):
            return Outcome(wrong=wrong)
        return watch.found(self.key) or Outcome()

    @property
    def is_awaited(self) -> bool:
        """Whether there are trees to come."""
        return self.outcome.is_awaited and not self.so_far.is_complete

    @property
    def stage(self) -> str:
        """Stage of the kernels that must be compiled; CART on bootstrap samples grows as in forests."""
        return "forest" if self.model.stage == "cart" else self.model.stage

    @property
    def so_far(self) -> Replicates:
        """The replicates that have been grown."""
        return replicates_so_far(self.plan, replicates(self.family))

    def left(self) -> Plan:
        """Plan of the trees still to grow: all from the first gap on."""
        trees = replicates(self.family)
        first = next((i for i in self.plan.numbers if i not in trees), self.plan.numbers.stop)
        return self.plan._replace(first=first, n_replicates=self.plan.numbers.stop - first)

    def estimator(self) -> Any:
        """What grows each tree."""
        terms = CommonTerms.of(self.dataset, seed=self.plan.seed, seconds=self.seconds)
        return self.model.make(terms)

    def __call__(self, progress: Progress) -> None:
        """Grow the trees that are left; `progress` as in `replicate`."""
        compilation.wait(self.stage)
        data, left = self.dataset, self.left()
        if not left.n_replicates:
            return
        estimator, trees = self.estimator(), replicates(self.family)
        trees.progress, trees.is_full = progress, False
        with workers(data.X.nbytes) as executor:
            replicate(estimator, data, left, GrowthWatch(progress=progress, trees=trees), executor)

    def how_stopped(self) -> str:
        """Note on a job that was stopped, or that had no room for more trees."""
        n, most = count(len(self.so_far.trees)), count(self.plan.n_replicates)
        text = say("Stopped after {n} of {most} trees", n=n, most=most)
        if not replicates(self.family).is_full:
            return f"{text}."
        limit = count(MAX_RESULTS_MB)
        return say("{text}: no room beyond {megabytes} MB. Ask for fewer draws.", text=text, megabytes=limit)

    def line(self, name: str) -> Line:
        """The progress of the job while it waits or is at work; `name` is that of its learner."""
        return Line(self.key, f"**{plain(name)}**", partial(_how_far, self, name), self.stage)


def start(trials: Sequence[StabilityJob]) -> None:
    """Begin the trials that are not done, or draw the button for it where there is much to do; wait a moment."""
    waiting = [trial for trial in sorted(trials, key=_turn) if trial.is_awaited]
    keys, n = [trial.key for trial in trials], sum(trial.left().n_replicates for trial in waiting)
    size, rows = trials[0].dataset.X.size, count(len(trials[0].dataset.y))
    may_begin = watch.may_begin(keys, size * n, LARGE)
    watch.outcomes([Work(trial.key, trial.left().total, trial) for trial in waiting if may_begin])
    if not may_begin:
        amount = say("{n_trees} trees have to grow on about {n_rows} rows each.", n_trees=count(n), n_rows=rows)
        watch.offer(keys, amount, say("Grow them"))


def _turn(trial: StabilityJob) -> tuple[bool, int]:
    """Place in the queue: jobs that wait for the engine last, quick ones first."""
    return not compilation.is_ready(trial.stage), KINDS.index(trial.model.kind)


def is_at_work(trials: Sequence[StabilityJob]) -> bool:
    """Look at all that wait or are at work; whether there are any."""
    return bool([trial for trial in trials if watch.find(trial.key)])  # all of them are looked at


def _how_far(trial: StabilityJob, name: str, job: Job) -> Far:
    n, most = len(trial.so_far.trees), trial.plan.n_replicates
    text = say("{title}: {n} of {most} trees", title=f"**{plain(name)}**", n=count(n), most=count(most))
    return Far(n / most, text, job.seconds_left)
