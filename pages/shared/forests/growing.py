"""Growing forests beside the page, one after the other: progress, the error so far, and stopping early.

Trees that were grown before a stop are kept and shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut
from espalier.display.theme import count, number
from espalier.forests import pictures as error_curve
from espalier.forests.pictures import ErrorLine
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.settings import MAX_FOREST_MB
from pages.shared.app import pictures
from pages.shared.forests import error, results, sentences
from pages.shared.forests.forest_job import ForestJob, GrownForest, OwnForest, SoFar, fitting, megabytes_ahead
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work, sentence
from pages.shared.models import drawer
from pages.shared.models import forests as forest_controls
from pages.shared.models.forests import SIDES, title
from pages.shared.models.targets import why_not
from pages.shared.own_models import uploads

ROOM = 0.5  # of the memory for forests: the part of one forest on the page, which has two
MOST_JUDGED = 2_000  # rows that the error is measured on while a forest grows


class ForestRequest:
    """A forest that the page asks for."""

    def __init__(self, side: str, dataset: Dataset, holdout: HeldOut):
        """The forest of this side's controls, on the rows that are not held out."""
        self.title, self.number = title(side), SIDES.index(side)
        asked, n_rows = forest_controls.model(side, dataset.target), holdout.n_left(len(dataset.y))
        self.is_own = asked.name == uploads.NAME
        self.dataset, self.holdout = dataset, HeldOut(0) if self.is_own else holdout
        self.model = asked if self.is_own else fitting(asked, n_rows, ROOM * MAX_FOREST_MB)
        self.is_limited = self.model != asked
        self.key = key_of(dataset, holdout, self.model)

    @property
    def work(self) -> ForestJob | OwnForest:
        """The job that grows it, or reads a person's own."""
        if self.is_own:
            return OwnForest(self.key, self.dataset, self.model)
        return ForestJob(self.dataset, self.holdout, self.model)


def forests(dataset: Dataset, sides: Sequence[str]) -> list[GrownForest] | None:
    """The forests of these sides' controls; None while one is missing, with the reason on the page."""
    holdout = drawer.holdout()
    wanted = [ForestRequest(side, dataset, holdout) for side in sides]
    watch.watch([one.key for one in wanted])
    _say_limited([one for one in wanted if one.is_limited])
    if not all(watch.found(one.key) or _is_ready(one) for one in wanted):
        return None
    outcomes = _outcomes(wanted)
    awaited = [one for one, outcome in zip(wanted, outcomes, strict=True) if outcome.is_awaited]
    waiting = st.container(
        key="waiting for forests"
    )  # there at every run, so that what comes has a place of its own
    if awaited:
        lines = [Line(one.key, sentences.forest_heading(one.title), partial(_how_far, one)) for one in awaited]
        with waiting:
            note.progress(lines, partial(_curves_so_far, wanted))
        return None
    for one, outcome in zip(wanted, outcomes, strict=True):
        if one.is_own and not uploads.file_of(one.model).digest:
            st.info(outcome.wrong)  # nothing is wrong yet: a file is asked for
            continue
        note.ended(
            one.key,
            outcome,
            _stopped(one, outcome.value),
            say("{side} could not be grown.", side=sentences.forest_name(one.title)),
            False,
        )
    return None if any(one.value is None for one in outcomes) else [one.value for one in outcomes]


def _stopped(one: ForestRequest, grown: GrownForest | None) -> str:
    """Note on the forest if it was stopped."""
    if grown is not None and grown.is_sum:
        return say(
            "Forest {side} was stopped: it has {n} of {most} rounds.",
            side=one.title,
            n=grown.forest.n_trees // grown.trees_a_round,
            most=one.model.n_trees,
        )
    return _stopping_note(one.title, 0 if grown is None else grown.forest.n_trees, one.model.n_trees)


def _outcomes(wanted: list[ForestRequest]) -> list[Outcome]:
    """Outcomes of the forests so far; starts the missing ones if there is memory for them."""
    ahead = {one.key: one.work for one in wanted if watch.found(one.key) is None}
    refused = {key: Outcome(wrong=reason) for key, job in ahead.items() if (reason := _why_not(job))}
    watch.outcomes([Work(key, job.total, job) for key, job in ahead.items() if key not in refused], beside=True)
    return [refused.get(one.key) or watch.found(one.key) or Outcome() for one in wanted]


def _say_limited(wanted: list[ForestRequest]) -> None:
    """Say which forests have a limit of depth that was not set, and why."""
    for one in wanted:
        st.caption(
            say(
                "{side}: trees end at depth {depth}. Without an end so many rows could take more than the {most} "
                "MB that this server has for forests; choose a depth to have another.",
                side=sentences.forest_name(one.title),
                depth=one.model.depth,
                most=count(MAX_FOREST_MB),
            )
        )


def key_of(dataset: Dataset, holdout: HeldOut, model: Model) -> str:
    """Digest of all that a forest depends on."""
    name = repr((dataset.digest, holdout, model))
    return "forest " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _is_ready(one: ForestRequest) -> bool:
    """Whether the kernels that it needs are compiled; the page says so where they are not."""
    stage = one.model.stage
    if not compilation.is_ready(stage):
        compilation.progress(stage)
        return False
    return True


def _why_not(job: ForestJob | OwnForest) -> str:
    """Why a forest is not grown: its target, or its size; of a person's own, its file; "" where it is."""
    if isinstance(job, OwnForest):
        return job.why_not
    return why_not(job.model, job.dataset, lambda: ~job.held) or _too_large(job)


def _too_large(job: ForestJob) -> str:
    """Why a forest is not grown that may take too much memory; "" for another."""
    estimate = megabytes_ahead(job)
    return (
        sentence(
            say(
                "it may take {megabytes} MB, and this server allows {most} MB; ask for fewer trees, limit their "
                "depth, or hold more rows out",
                megabytes=count(round(estimate)),
                most=number(MAX_FOREST_MB),
            )
        )
        if estimate > MAX_FOREST_MB
        else ""
    )


# While they grow -------------------------------------------------------------------------------------


def _how_far(one: ForestRequest, job: Job) -> Far:
    if one.is_own:
        return Far(0.0, say("{heading}: your file is being read", heading=sentences.forest_heading(one.title)))
    most = one.model.n_trees
    how_far = _rounds_so_far if one.model.kind.is_sum else _trees_so_far
    text = how_far(one.title, job.work.call.n_so_far(), most)
    return Far(job.share, text, job.seconds_left) if most else Far(0.0, text)  # without: the data decide


def _curves_so_far(wanted: list[ForestRequest]) -> None:
    drawn = [line_so_far(one) for one in wanted]
    lines = [line for line in drawn if line is not None]
    if not lines:
        return
    is_share = wanted[0].dataset.is_classification
    most = max([one.model.n_trees or 1 for one in wanted] + [len(line.errors) for line in lines])
    counted = error.steps([one.model.kind.is_sum for one in wanted])
    pictures.draw(error_curve.error_picture(lines, most, is_share, counted), error_curve.WIDTH)


def line_so_far(one: ForestRequest) -> ErrorLine | None:
    """The error of the trees so far, out of bag if it is known, else on held-out rows; None without either."""
    kept, job = watch.found(one.key), watch.find(one.key)
    if kept is not None and kept.value is not None:
        curve = results.curve(kept.value)
        errors, is_unseen = (curve.held, False) if curve.unseen is None else (curve.unseen, True)
        errors = None if errors is None else results.of_rounds(errors, kept.value.trees_a_round)
    else:
        sample = None if job is None else job.work.call.so_far(MOST_JUDGED)
        errors = None if sample is None else _errors_so_far(one, sample)
        is_unseen = sample is not None and sample.in_bag is not None
    name = sentences.out_of_bag_curve(one.title) if is_unseen else sentences.held_out_curve(one.title)
    return None if errors is None else ErrorLine(name, one.number, errors)


def _errors_so_far(one: ForestRequest, sample: SoFar) -> np.ndarray:
    """The errors after each tree, or after each round of a sum."""
    start = sample.forest.start
    trees_a_round = int(np.isfinite(start).sum()) if one.model.kind.is_sum else 1
    return results.of_rounds(results.errors_of(one.dataset, sample), trees_a_round)


def _rounds_so_far(side: str, n: int, most: int | None) -> str:
    """Number of rounds so far."""
    return say("**Forest {side}**: {n} of {most} rounds", side=side, n=n, most=most)


def _stopping_note(side: str, n: int, most: int | None) -> str:
    """Note on a forest that was stopped; `most` is None where the data decide."""
    if not n:
        return say("{side} was stopped before it had a tree.", side=sentences.forest_name(side))
    of = say(" of {most}", most=most) if most else ""
    return say("{side} was stopped: it has {n}{of} trees.", side=sentences.forest_name(side), n=n, of=of)


def _trees_so_far(side: str, n: int, most: int | None) -> str:
    """Number of trees so far; `most` is None where the data decide."""
    return (
        say("{side}: {n} of {most} trees", side=sentences.forest_heading(side), n=n, most=most)
        if most
        else say("{side}: {n} trees so far", side=sentences.forest_heading(side), n=n)
    )
