"""Growing forests beside the page, one after the other: how far each is, its error so far, and stopping early.

What has grown when somebody stops is kept, and shown as what it is.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.settings import MAX_FOREST_MB
from espalier.views.forests import error_curve
from espalier.views.forests.error_curve import ErrorLine
from pages.shared.app import pictures
from pages.shared.app.frame import callback, guarded, is_dark, plain, rerun
from pages.shared.forests import results
from pages.shared.forests.forest_job import ForestJob, GrownForest, fitting, megabytes_ahead
from pages.shared.jobs import compilation, queue
from pages.shared.jobs.store import Store
from pages.shared.models.forests import SIDES, ForestRecipe, recipe, title
from pages.shared.tree import growing

PATIENCE_SECONDS = 0.8  # forests that are there sooner need no progress bar
ROOM = 0.5  # of the memory for forests: what one takes by itself on the page, on which there are two
MOST_KEPT = 64  # forests
MOST_JUDGED = 2_000  # rows that the error is measured on while a forest grows


class ForestRequest:
    """A forest that the page asks for."""

    def __init__(self, side: str, dataset: Dataset, rows: tuple[int, int]):
        """The forest of this side's controls; `rows` are the percentage held out and the seed of which."""
        self.title, self.number = title(side), SIDES.index(side)
        asked, n_rows = recipe(side), round(len(dataset.y) * (1 - rows[0] / 100))
        self.dataset, self.rows, self.recipe = dataset, rows, fitting(asked, n_rows, ROOM * MAX_FOREST_MB)
        self.is_limited = self.recipe != asked
        self.key = key_of(dataset, rows, self.recipe)

    def outcome(self, until: float) -> GrownForest | str | None:
        """The forest, what is wrong with it, or None while it is on its way: it is begun, and waited for."""
        job = queue.find(self.key)
        if job is None:
            plot = ForestJob(self.dataset, self.rows, self.recipe)
            if refused := _too_large(plot):
                return refused
            job = queue.start(self.key, plot.total, plot)
        try:
            planted = job.future.result(max(until - time.monotonic(), 0.0))
        except NotYet:
            return None
        except CancelledError:
            return "it was stopped before it had a tree"
        except ValueError as wrong:
            return " ".join(str(wrong).split())
        queue.drop(self.key)
        store().put(self.key, planted)
        return planted


@st.cache_resource(show_spinner=False)
def store() -> Store[GrownForest]:
    """The server's forests."""
    return Store(MOST_KEPT, lambda forest: forest.megabytes)


def forests(dataset: Dataset, sides: Sequence[str]) -> list[GrownForest] | None:
    """The forests of these sides' controls; None while one is not there, with the reason on the page."""
    rows = st.session_state["held"], st.session_state["seed"]
    wanted = [ForestRequest(side, dataset, rows) for side in sides]
    growing.watch(*(one.key for one in wanted))
    _say_limited([one for one in wanted if one.is_limited])
    kept = [store().find(one.key) for one in wanted]
    if not all(there or _is_ready(one) for there, one in zip(kept, wanted, strict=True)):
        return None
    until = time.monotonic() + PATIENCE_SECONDS
    found = [there or one.outcome(until) for there, one in zip(kept, wanted, strict=True)]
    if any(outcome is None for outcome in found):
        _progress(wanted)
        return None
    for one, outcome in zip(wanted, found, strict=True):
        _say(one, outcome)
    there = [outcome for outcome in found if isinstance(outcome, GrownForest)]
    return there if len(there) == len(wanted) else None


def _say_limited(wanted: list[ForestRequest]) -> None:
    """Say which forests have a depth that nobody asked for, and why."""
    for one in wanted:
        st.caption(
            f"Forest {one.title}: trees end at depth {one.recipe.depth}. Without an end so many rows could take "
            f"more than the {MAX_FOREST_MB:,} MB that this server has for forests; choose a depth to have another."
        )


def key_of(dataset: Dataset, rows: tuple[int, int], recipe: ForestRecipe) -> str:
    """Digest of all that a forest depends on."""
    name = repr((dataset.digest, rows, recipe))
    return "forest " + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _is_ready(one: ForestRequest) -> bool:
    """Whether the kernels that it needs are compiled; the page says so where they are not."""
    stage = one.recipe.stage
    if not compilation.is_ready(stage):
        compilation.progress(stage)
        return False
    return True


def _too_large(plot: ForestJob) -> str:
    """What is said of a forest that may take too much memory; nothing of another."""
    guess = megabytes_ahead(plot)
    if guess <= MAX_FOREST_MB:
        return ""
    return (
        f"it may take {guess:,.0f} MB, and this server allows {MAX_FOREST_MB:,} MB; ask for fewer trees, limit "
        "their depth, or hold more rows out"
    )


def _say(one: ForestRequest, outcome: GrownForest | str | None) -> None:
    """What there is to say of a forest that did not grow to its end."""
    if isinstance(outcome, str):
        _say_none(one, outcome)
    elif outcome is not None and not outcome.is_whole:
        _say_stopped(one, outcome)


def _say_none(one: ForestRequest, why: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"no forest {one.title}"):
        st.error(f"**Forest {one.title} could not be grown:** {plain(why)}.")
        st.button("Try again", on_click=callback(queue.drop), args=(one.key,), key=f"again {one.title}")


def _say_stopped(one: ForestRequest, planted: GrownForest) -> None:
    n, most = planted.forest.n_trees, one.recipe.n_trees
    with st.container(horizontal=True, vertical_alignment="center", key=f"stopped {one.title}"):
        of = f" of {most}" if most else ""
        st.info(f"Forest {one.title} was stopped: it has {n}{of} trees.")
        st.button("Grow it to the end", on_click=callback(store().drop), args=(one.key,), key=f"whole {one.title}")


# While they grow -------------------------------------------------------------------------------------


@st.fragment(run_every=0.5)
@guarded
def _progress(wanted: list[ForestRequest]) -> None:
    """How far each forest is, Stop, and the errors of the trees so far; the page runs again when all are done."""
    under_way = [None if store().find(one.key) else queue.find(one.key) for one in wanted]
    if all(job is None or job.future.done() for job in under_way):
        rerun()
        return
    for one, job in zip(wanted, under_way, strict=True):
        with st.container(horizontal=True, vertical_alignment="center", key=f"growing {one.title}"):
            st.progress(*_how_far(one, job))
            _stop(one, job)
    _curves_so_far(wanted, under_way)


def _stop(one: ForestRequest, job: queue.Job | None) -> None:
    words = f"Keeps the trees of forest {one.title} that are complete"
    is_done = job is None or job.future.done() or job.is_cancelled
    st.button(
        "Stop here", icon=":material/stop_circle:", on_click=callback(queue.cancel), args=(one.key,), help=words,
        key=f"stop {one.title}", disabled=is_done,
    )  # fmt: skip


def _how_far(one: ForestRequest, job: queue.Job | None) -> tuple[float, str]:
    """The share that is done, and words on it."""
    name = f"**Forest {one.title}**"
    if job is None or job.future.done():
        return 1.0, f"{name} has grown."
    waiting = queue.ahead(one.key)
    if waiting:
        return 0.0, f"{name} begins after {waiting} other job{'s' * (waiting > 1)} of this server."
    if job.is_cancelled:
        return job.share, f"{name}: stopping …"
    n, most, left = len(job.work.trees_so_far()), one.recipe.n_trees, job.seconds_left
    trees = f"{n} of {most} trees" if most else f"{n} trees so far"
    estimate = "" if left is None or not most else f", about {max(left, 1):.0f} s left"
    return (job.share if most else 0.0), f"{name}: {trees}{estimate} …"


def _curves_so_far(wanted: list[ForestRequest], under_way: list[queue.Job | None]) -> None:
    drawn = [line_so_far(one, job) for one, job in zip(wanted, under_way, strict=True)]
    lines = [line for line in drawn if line is not None]
    if not lines:
        return
    is_share = wanted[0].dataset.is_classification
    most = max([one.recipe.n_trees or 1 for one in wanted] + [len(line.errors) for line in lines])
    picture = error_curve.error_curve(lines, most, is_share, is_dark())
    pictures.show(picture, error_curve.curve_alt(lines, is_share), error_curve.WIDTH)


def line_so_far(one: ForestRequest, job: queue.Job | None) -> ErrorLine | None:
    """The error of the trees so far, out of bag where they tell it, else on held-out rows; None without either."""
    kept = store().find(one.key)
    if kept is not None:
        found = results.curve(kept)
        errors, is_unseen = (found.held, False) if found.unseen is None else (found.unseen, True)
    else:
        sample = None if job is None else job.work.so_far(MOST_JUDGED)
        errors = None if sample is None else results.errors_of(one.dataset, sample)
        is_unseen = sample is not None and sample.in_bag is not None
    name = f"{one.title}, {'out of bag' if is_unseen else 'held out'}"
    return None if errors is None else ErrorLine(name, one.number, errors)
