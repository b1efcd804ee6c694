"""Growing forests beside the page, one after the other: how far each is, its error so far, and stopping early.

What has grown when somebody stops is kept, and shown as what it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import streamlit as st

from espalier.data.dataset import Dataset, HeldOut
from espalier.learners.catalogue import Model
from espalier.settings import MAX_FOREST_MB
from espalier.views.forests import error_curve
from espalier.views.forests.error_curve import ErrorLine
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.forests import results
from pages.shared.forests.forest_job import ForestJob, GrownForest, fitting, megabytes_ahead
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome, Work, sentence
from pages.shared.models import forests as forest_controls
from pages.shared.models import rail
from pages.shared.models.forests import SIDES, title

ROOM = 0.5  # of the memory for forests: what one takes by itself on the page, on which there are two
MOST_JUDGED = 2_000  # rows that the error is measured on while a forest grows


class ForestRequest:
    """A forest that the page asks for."""

    def __init__(self, side: str, dataset: Dataset, holdout: HeldOut):
        """The forest of this side's controls, on the rows that are not held out."""
        self.title, self.number = title(side), SIDES.index(side)
        asked, n_rows = forest_controls.model(side), holdout.n_left(len(dataset.y))
        self.dataset, self.holdout, self.model = dataset, holdout, fitting(asked, n_rows, ROOM * MAX_FOREST_MB)
        self.is_limited = self.model != asked
        self.key = key_of(dataset, holdout, self.model)

    @property
    def work(self) -> ForestJob:
        """What grows it."""
        return ForestJob(self.dataset, self.holdout, self.model)


def forests(dataset: Dataset, sides: Sequence[str]) -> list[GrownForest] | None:
    """The forests of these sides' controls; None while one is not there, with the reason on the page."""
    holdout = rail.holdout()
    wanted = [ForestRequest(side, dataset, holdout) for side in sides]
    watch.watch([one.key for one in wanted])
    _say_limited([one for one in wanted if one.is_limited])
    if not all(RUNNER.outcome(one.key) or _is_ready(one) for one in wanted):
        return None
    found = _outcomes(wanted)
    awaited = [one for one, outcome in zip(wanted, found, strict=True) if outcome.is_awaited]
    if awaited:
        lines = [Line(one.key, f"**Forest {one.title}**", partial(_how_far, one)) for one in awaited]
        note.progress(lines, partial(_curves_so_far, wanted))
        return None
    for one, outcome in zip(wanted, found, strict=True):
        note.ended(
            one.key, outcome, _stopped(one, outcome.value), f"Forest {one.title} could not be grown.", False
        )
    return None if any(outcome.value is None for outcome in found) else [outcome.value for outcome in found]


def _outcomes(wanted: list[ForestRequest]) -> list[Outcome]:
    """Outcomes of the forests so far; starts the missing ones if there is memory for them."""
    ahead = {one.key: one.work for one in wanted if RUNNER.outcome(one.key) is None}
    refused = {key: Outcome(wrong=words) for key, plot in ahead.items() if (words := _too_large(plot))}
    watch.outcomes([Work(key, plot.total, plot) for key, plot in ahead.items() if key not in refused], beside=True)
    return [refused.get(one.key) or RUNNER.outcome(one.key) or Outcome() for one in wanted]


def _say_limited(wanted: list[ForestRequest]) -> None:
    """Say which forests have a depth that nobody asked for, and why."""
    for one in wanted:
        st.caption(
            f"Forest {one.title}: trees end at depth {one.model.depth}. Without an end so many rows could take "
            f"more than the {MAX_FOREST_MB:,} MB that this server has for forests; choose a depth to have another."
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


def _too_large(plot: ForestJob) -> str:
    """What is said of a forest that may take too much memory; nothing of another."""
    guess = megabytes_ahead(plot)
    if guess <= MAX_FOREST_MB:
        return ""
    return sentence(
        f"it may take {guess:,.0f} MB, and this server allows {MAX_FOREST_MB:,} MB; ask for fewer trees, limit "
        "their depth, or hold more rows out"
    )


def _stopped(one: ForestRequest, forest: GrownForest | None) -> str:
    """What there is of a forest that was stopped."""
    if forest is None:
        return f"Forest {one.title} was stopped before it had a tree."
    of = f" of {one.model.n_trees}" if one.model.n_trees else ""
    return f"Forest {one.title} was stopped: it has {forest.forest.n_trees}{of} trees."


# While they grow -------------------------------------------------------------------------------------


def _how_far(one: ForestRequest, job: Job) -> Far:
    n, most = len(job.work.call.trees_so_far()), one.model.n_trees
    if not most:  # the data decide how many there are
        return Far(0.0, f"**Forest {one.title}**: {n} trees so far")
    return Far(job.share, f"**Forest {one.title}**: {n} of {most} trees", job.seconds_left)


def _curves_so_far(wanted: list[ForestRequest]) -> None:
    drawn = [line_so_far(one) for one in wanted]
    lines = [line for line in drawn if line is not None]
    if not lines:
        return
    is_share = wanted[0].dataset.is_classification
    most = max([one.model.n_trees or 1 for one in wanted] + [len(line.errors) for line in lines])
    picture = error_curve.error_curve(lines, most, is_share, is_dark())
    pictures.show(picture, error_curve.curve_alt(lines, is_share), error_curve.WIDTH)


def line_so_far(one: ForestRequest) -> ErrorLine | None:
    """The error of the trees so far, out of bag where they tell it, else on held-out rows; None without either."""
    kept, job = RUNNER.outcome(one.key), watch.find(one.key)
    if kept is not None and kept.value is not None:
        found = results.curve(kept.value)
        errors, is_unseen = (found.held, False) if found.unseen is None else (found.unseen, True)
    else:
        sample = None if job is None else job.work.call.so_far(MOST_JUDGED)
        errors = None if sample is None else results.errors_of(one.dataset, sample)
        is_unseen = sample is not None and sample.in_bag is not None
    name = f"{one.title}, {'out of bag' if is_unseen else 'held out'}"
    return None if errors is None else ErrorLine(name, one.number, errors)
