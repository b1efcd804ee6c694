"""Progress of a black box and its tree, as a share and in words: learning, asking, growing, comparing."""

from __future__ import annotations

import time
from typing import Any

from espalier.display.theme import count
from espalier.language import in_style, say
from espalier.learners.catalogue import Model
from espalier.settings import MAX_APPROXIMATION_SECONDS
from pages.shared.approximation import controls
from pages.shared.jobs import sentences as jobs_sentences
from pages.shared.jobs.note import Far
from pages.shared.jobs.run import Job

CLEAR_SECONDS = 2.0  # of growing, after which its pace is clear


def how_far(model: Model, job: Job) -> Far:
    """Return the share of the present phase that is done, and a text on it."""
    work, estimator = job.work.call, job.work.call.estimator
    if not work.is_growing:
        is_own = model.value(controls.BOX) == controls.OWN
        return Far(
            0.0,
            say(
                "{title} is being asked ({seconds} s so far)" if is_own else "{title} learns ({seconds} s so far)",
                title=controls.title(model),
                seconds=in_style(f"{job.seconds:.0f}"),
            ),
        )
    if work.heard[1]:
        done, of = work.heard.tolist()
        return Far(
            done / of,
            say(
                "**The tree is grown.** To compare both, {n} of {of} other rows are asked about",
                n=count(done),
                of=count(of),
            ),
        )
    if getattr(estimator, "growth_", None) is not None:
        return _growing(model, job)
    return _asking(model, job)


def _asking(model: Model, job: Job) -> Far:
    """Progress before there is a root: the table's rows are asked about, and then the model is timed."""
    estimator, n = job.work.call.estimator, job.work.total
    if hasattr(estimator, "oracle_"):  # the rows have been answered; a slow model is timed
        return Far(1.0, say("**The tree begins**, {seconds} s so far", seconds=in_style(f"{job.seconds:.0f}")))
    asked = min(getattr(getattr(estimator, "asking_", None), "n_answered", 0), n)
    return Far(
        asked / n,
        say(
            "{title} is asked about {n} of the {of} rows of the table, {seconds} s so far",
            title=controls.title(model),
            n=count(asked),
            of=count(n),
            seconds=in_style(f"{job.seconds:.0f}"),
        ),
    )


def _growing(model: Model, job: Job) -> Far:
    estimator = job.work.call.estimator
    since = time.monotonic() - estimator.growth_.began
    if model.value("method") == "exact":
        return Far(
            job.share,
            say(
                "**The tree grows**: {seconds} s so far, {left}",
                seconds=in_style(f"{job.seconds:.0f}"),
                left=_about(job, since),
            ),
        )
    asked, most = drawn(estimator)
    left = _at_most(asked, most, since)
    return Far(
        asked / max(most, 1),
        say(
            "**The tree grows**: {n} of at most {most} made-up cases asked, {seconds} s so far, {left}",
            n=count(asked),
            most=count(most),
            seconds=in_style(f"{job.seconds:.0f}"),
            left=left,
        ),
    )


def drawn(estimator: Any) -> tuple[int, int]:
    """Return the made-up cases that the model was asked about, and the most that there may be."""
    asked = estimator.n_asked_
    return asked, max(round(estimator.growth_.most), asked)


def _at_most(asked: int, most: int, seconds: float) -> str:
    """Time that is left at the pace so far, if all splits need all they may."""
    left = _until_limit(seconds)
    if asked and seconds >= CLEAR_SECONDS:
        left = min(seconds * (most - asked) / asked, left)
    return _time_limit(jobs_sentences.time_left(left))


def _about(job: Job, seconds: float) -> str:
    """Time that is left to the exact method, by the rows that are done."""
    left = _until_limit(seconds)
    if job.share and seconds >= CLEAR_SECONDS:
        return jobs_sentences.time_left(min(seconds * (1 / job.share - 1), left))
    return _time_limit(jobs_sentences.time_left(left))


def _until_limit(seconds: float) -> float:
    return max(MAX_APPROXIMATION_SECONDS - seconds, 1.0)


def _time_limit(time: str) -> str:
    """An upper limit of the time that is left."""
    return say("at most {time}", time=time)
