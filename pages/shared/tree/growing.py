"""Growing trees that take their time beside the page: what there is so far, and Cancel; later, going on."""

from __future__ import annotations

from functools import partial

from espalier.data.dataset import Dataset, HeldOut
from espalier.learners.catalogue import Model
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome, Work
from pages.shared.models import learners
from pages.shared.tree import fits, results, search_view
from pages.shared.tree.fits import Fit
from pages.shared.tree.results import GrownTree, TreeSource


def grown(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """The tree, or None while it is being grown: the page then shows how far it is.

    After Cancel, or when a search has run out of time, it is the tree that was there; it may go on.
    """
    key = results.key_of(dataset, holdout, model)
    watch.watch([key])
    if dataset.X.size <= learners.named(model.name).long:
        return results.grown(dataset, holdout, model)
    found = RUNNER.outcome(key)
    if found is None:
        fit = fits.find(key, dataset, holdout, model)
        found = watch.outcome(Work(key, len(fit.y), fit))
        fits.store().resize(key, fit.megabytes)
        if found.is_awaited:
            _show_progress(key, fit)
    _say_ended(key, found)
    if found.value is None:
        return None
    if found.is_stopped or found.value.is_open:
        part = f"{key} {found.value.tree.n_nodes} {found.value.proof}"
        return results.with_data(part, found.value, dataset, TreeSource(holdout, model))
    if found.value.proof is None:
        fits.store().drop(key)  # only a search is asked for other trees
    return results.grown(dataset, holdout, model, found.value)


def _say_ended(key: str, found: Outcome) -> None:
    """Say of a tree that it is a part, or that there is none; of a search its proof says so."""
    if found.value is None:
        note.ended(
            key, found, "Growing was stopped before there was a tree.", "The tree could not be grown.", False
        )
    elif found.value.proof is None:
        note.ended(key, found, "Growing was stopped: this is the part of the tree that was there.", goes_on=False)


def _show_progress(key: str, fit: Fit) -> None:
    """How far the tree is and, where its learner has that to show, what was found so far."""
    if fit.learner.is_searched:
        line = Line(key, search_view.TITLE, lambda _: search_view.how_far(fit), fit.learner.stage)
        note.progress([line], partial(search_view.draw, fit))
    else:
        note.progress([Line(key, "**Growing the tree**", _by_rows)])


def _by_rows(job: Job) -> Far:
    """How far a tree is that grows row by row."""
    return Far(job.share, f"**Growing the tree** on {job.work.total:,} rows", job.seconds_left)
