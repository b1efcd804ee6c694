"""Growing replicates: each learner is a job that hands over every tree as it is grown."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.language import say
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.progress import Progress
from espalier.settings import MAX_RESULTS_MB
from espalier.stability.replicates import GrowthWatch, Plan, Replicates, replicate
from espalier.stability.replicates import so_far as replicates_so_far
from espalier.trees import AnyTree
from pages.shared.app.frame import plain
from pages.shared.app.sizes import of_megabytes, size_of
from pages.shared.app.store import Store
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models.slots import SlotModel
from pages.shared.models.targets import why_not

MOST_KEPT = 1_000  # families of trees


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


# ---- growing replicates: each learner is a job that hands over every tree as it is grown

LARGE = 200_000_000  # values to learn from, over all draws and learners: more is begun only when asked for


class StabilityJob(NamedTuple):
    """A learner, the data, and which replicates; calling it is the work of a job."""

    chosen: SlotModel
    dataset: Dataset
    plan: Plan
    run: int  # 0: the first draws; others repeat them with seeds of their own

    @property
    def model(self) -> Model:
        """The model itself."""
        return self.chosen.model

    @property
    def slot(self) -> int:
        """Number of its place on the page."""
        return self.chosen.slot

    @property
    def family(self) -> str:
        """Digest of all that a replicate depends on but its number."""
        plan = self.plan._replace(n_replicates=0)
        causes = (self.dataset.digest, plan, self.model, self.chosen.seconds)
        return "stability " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def key(self) -> str:
        """Names the job."""
        return f"{self.family} {self.plan.n_replicates}"

    @property
    def is_possible(self) -> bool:
        """Whether the learner is for this target."""
        return not why_not(self.model, self.dataset)

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
        terms = CommonTerms.of(self.dataset, seed=self.plan.seed, seconds=self.chosen.seconds)
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


def start(trials: Sequence[StabilityJob]) -> None:
    """Begin the trials that are not done, unless there is much to do and no one asked; wait a moment for them."""
    awaited = [trial for trial in sorted(trials, key=_turn) if is_awaited(trial)] if may_begin(trials) else []
    watch.outcomes([Work(trial.key, trial.left().total, trial) for trial in awaited])


def outcome(trial: StabilityJob) -> Outcome:
    """Outcome of the job if it did not grow all trees; else an empty one."""
    if not trial.is_possible:
        return Outcome(wrong=why_not(trial.model, trial.dataset))
    return watch.found(trial.key) or Outcome()


def is_awaited(trial: StabilityJob) -> bool:
    """Whether there are trees to come."""
    return outcome(trial).is_awaited and not trial.so_far.is_complete


def _turn(trial: StabilityJob) -> tuple[bool, int, int]:
    """Place in the queue: jobs that wait for the engine last, repetitions after first draws, quick ones first."""
    return not compilation.is_ready(trial.stage), trial.run, KINDS.index(trial.model.kind)


def is_at_work(trials: Sequence[StabilityJob]) -> bool:
    """Look at all that wait or are at work; whether there are any."""
    return bool([trial for trial in trials if watch.find(trial.key)])  # all of them are looked at


def may_begin(trials: Sequence[StabilityJob]) -> bool:
    """Whether there is little to do, or it was asked for."""
    values = sum(t.dataset.X.size * t.left().n_replicates for t in trials if is_awaited(t))
    return watch.may_begin([trial.key for trial in trials], values, LARGE)


def offer_to_begin(trials: Sequence[StabilityJob]) -> None:
    """Draw the button that begins the work, with its amount; nothing where there is little to do."""
    if not may_begin(trials):
        n, rows = sum(t.left().n_replicates for t in trials if is_awaited(t)), len(trials[0].dataset.y)
        watch.offer(
            [trial.key for trial in trials],
            say(
                "{n_trees} trees have to grow on about {n_rows} rows each. Fewer draws are faster.",
                n_trees=count(n),
                n_rows=count(rows),
            ),
            say("Grow them"),
        )


def how_stopped(trial: StabilityJob) -> str:
    """Note on a job that was stopped, or that had no room for more trees."""
    n, most = len(trial.so_far.trees), trial.plan.n_replicates
    text = say("Stopped after {n} of {most} trees", n=count(n), most=count(most))
    if not replicates(trial.family).is_full:
        return f"{text}."
    return say(
        "{text}: all that are kept may take {megabytes} MB. Ask for fewer draws, or limit the depth.",
        text=text,
        megabytes=count(MAX_RESULTS_MB),
    )


def line(trial: StabilityJob, name: str) -> Line:
    """The progress of a job that waits or is at work; `name` is that of its learner."""
    title = f"**{plain(name)}**" + (say(", repetition {run}", run=trial.run) if trial.run else "")
    return Line(trial.key, title, partial(_how_far, trial, title), trial.stage)


def _how_far(trial: StabilityJob, title: str, job: Job) -> Far:
    n, most = len(trial.so_far.trees), trial.plan.n_replicates
    return Far(
        n / most, say("{title}: {n} of {most} trees", title=title, n=count(n), most=count(most)), job.seconds_left
    )
