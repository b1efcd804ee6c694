"""How far a black box and its tree are, as a share and in words: learning, asking, timing, growing, comparing."""

from __future__ import annotations

import time
from typing import Any

from espalier.learners.catalogue import Model
from espalier.settings import MAX_APPROXIMATION_SECONDS
from pages.shared.approximation import controls
from pages.shared.jobs.note import Far
from pages.shared.jobs.run import Job
from pages.shared.words.everywhere import time_left

CLEAR_SECONDS = 2.0  # of growing, after which its pace says how long it may take


def how_far(model: Model, job: Job) -> Far:
    """The share of the present phase that is done, and words on it."""
    work, estimator = job.work.call, job.work.call.estimator
    if not work.is_growing:
        does = "is being asked" if model.value(controls.BOX) == controls.OWN else "learns"
        return Far(0.0, f"{controls.title(model)} {does} ({job.seconds:.0f} s so far)")
    if work.heard[1]:
        done, of = work.heard.tolist()
        words = f"To compare both, {done:,} of {of:,} other rows are asked about"
        return Far(done / of, f"**The tree is grown.** {words}")
    if getattr(estimator, "growth_", None) is not None:
        return _growing(model, job)
    return _asking(model, job)


def _asking(model: Model, job: Job) -> Far:
    """Before there is a root: the table's rows are asked about, and then the model is timed."""
    estimator, n = job.work.call.estimator, job.work.total
    if hasattr(estimator, "oracle_"):  # the rows have been answered; a slow model is timed
        return Far(1.0, f"**The tree begins**, {job.seconds:.0f} s so far")
    asked = min(getattr(getattr(estimator, "asking_", None), "n_answered", 0), n)
    words = f"{asked:,} of the {n:,} rows of the table, {job.seconds:.0f} s so far"
    return Far(asked / n, f"{controls.title(model)} is asked about {words}")


def _growing(model: Model, job: Job) -> Far:
    estimator = job.work.call.estimator
    since, spent = time.monotonic() - estimator.growth_.began, f"{job.seconds:.0f} s so far"
    if model.value("method") == "exact":
        return Far(job.share, f"**The tree grows**: {spent}{_about(job, since)}")
    asked, most = drawn(estimator)
    words = f" {asked:,} of at most {most:,} made-up cases asked, {spent}"
    return Far(asked / max(most, 1), f"**The tree grows**:{words}{_at_most(asked, most, since)}")


def drawn(estimator: Any) -> tuple[int, int]:
    """Made-up cases that the model was asked about, and how many it may come to."""
    asked = estimator.n_asked_
    return asked, max(round(estimator.growth_.most), asked)


def _at_most(asked: int, most: int, seconds: float) -> str:
    """How long growing may take from here: at its pace so far, if all splits need all they may."""
    left = _until_limit(seconds)
    if asked and seconds >= CLEAR_SECONDS:
        left = min(seconds * (most - asked) / asked, left)
    return f", at most {time_left(left)}"


def _about(job: Job, seconds: float) -> str:
    """How long the exact method may take from here, by the rows that are done."""
    left = _until_limit(seconds)
    if job.share and seconds >= CLEAR_SECONDS:
        return f", {time_left(min(seconds * (1 / job.share - 1), left))}"
    return f", at most {time_left(left)}"


def _until_limit(seconds: float) -> float:
    return max(MAX_APPROXIMATION_SECONDS - seconds, 1.0)
