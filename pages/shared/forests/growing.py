"""Growing forests beside the page: progress, and stopping early; trees that grew before a stop are shown."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut
from espalier.display.theme import count, number
from espalier.grown import GrownForest, limit_depth, why_not
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.settings import MAX_FOREST_MB
from pages.shared.forests import results, sentences
from pages.shared.forests.forest_job import ForestJob, OwnForest, megabytes_ahead
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work, sentence
from pages.shared.models import drawer, forests
from pages.shared.own_models import uploads

ROOM = 0.5  # of the memory for forests: the part of one forest on the page, which has two


class ForestRequest:
    """A forest that the page asks for."""

    def __init__(self, side: str, dataset: Dataset, holdout: HeldOut):
        """The forest of this side's controls, on the rows that are not held out."""
        self.heading = sentences.forest_heading(forests.title(side))
        asked, n_rows = forests.model(side, dataset.target), holdout.n_left(len(dataset.y))
        self.is_own = asked.name == uploads.NAME
        self.dataset, self.holdout = dataset, HeldOut(0) if self.is_own else holdout
        self.model = asked if self.is_own else limit_depth(asked, n_rows, ROOM * MAX_FOREST_MB)
        self.is_limited = self.model != asked
        self.key = key_of(dataset, holdout, self.model)

    @property
    def job(self) -> ForestJob | OwnForest:
        """The job that grows it, or reads a person's own."""
        if self.is_own:
            return OwnForest(self.key, self.dataset, self.model)
        return ForestJob(self.dataset, self.holdout, self.model)


def grown_forests(dataset: Dataset, sides: Sequence[str]) -> list[GrownForest] | None:
    """The forests of these sides' controls; None while one is missing, with the reason on the page."""
    wanted = [ForestRequest(side, dataset, drawer.holdout()) for side in sides]
    watch.watch([one.key for one in wanted])
    for one in wanted:
        if one.is_limited:
            text = say(
                "{forest}: depth {depth} at most, as memory allows.", forest=one.heading, depth=one.model.depth
            )
            st.caption(text)
        stage = one.model.stage
        if not (watch.found(one.key) or compilation.is_ready(stage)):
            compilation.progress(stage)
            return None
    outcomes = _outcomes(wanted)
    awaited = [one for one, outcome in zip(wanted, outcomes, strict=True) if outcome.is_awaited]
    # there at every run, so that what comes has a place of its own
    with st.container(key="waiting for forests"):
        if awaited:
            note.progress([Line(one.key, one.heading, partial(_how_far, one)) for one in awaited])
            return None
    for one, outcome in zip(wanted, outcomes, strict=True):
        if one.is_own and not uploads.file_of(one.model).digest:
            st.info(outcome.wrong)  # nothing is wrong yet: a file is asked for
            continue
        ready = outcome.value
        so_far = say("no tree") if ready is None else results.counted(ready, ready.n_rounds)
        stopped = say("{forest} was stopped with {trees}.", forest=one.heading, trees=so_far)
        note.ended(one.key, outcome, stopped, say("{forest} could not be grown.", forest=one.heading), False)
    return None if any(one.value is None for one in outcomes) else [one.value for one in outcomes]


def _outcomes(wanted: list[ForestRequest]) -> list[Outcome]:
    """Outcomes of the forests so far; starts the missing ones if there is memory for them."""
    ahead = {one.key: one.job for one in wanted if watch.found(one.key) is None}
    refused = {key: Outcome(wrong=reason) for key, job in ahead.items() if (reason := _why_not(job))}
    watch.outcomes([Work(key, job.total, job) for key, job in ahead.items() if key not in refused], beside=True)
    return [refused.get(one.key) or watch.found(one.key) or Outcome() for one in wanted]


def key_of(dataset: Dataset, holdout: HeldOut, model: Model) -> str:
    """Digest of all that a forest depends on."""
    name = repr((dataset.digest, holdout, model))
    return "forest " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _why_not(job: ForestJob | OwnForest) -> str:
    """Why a forest is not grown: its target, or its size; of a person's own, its file; "" where it is."""
    if isinstance(job, OwnForest):
        return job.why_not
    if wrong := why_not(job.model, job.dataset, lambda: ~job.held):
        return wrong
    estimate = megabytes_ahead(job)
    if estimate <= MAX_FOREST_MB:
        return ""
    return sentence(
        say(
            "it may take {megabytes} MB, and this server allows {most} MB; ask for fewer trees, or less depth",
            megabytes=count(round(estimate)),
            most=number(MAX_FOREST_MB),
        )
    )


def _how_far(one: ForestRequest, job: Job) -> Far:
    if one.is_own:
        return Far(0.0, say("{forest} is read", forest=one.heading))
    seconds = job.seconds_left if one.model.n_trees else None  # else the data decide how many trees there are
    return Far(job.share, say("{forest} grows", forest=one.heading), seconds)
