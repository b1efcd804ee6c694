"""Growing trees that take their time beside the page: what there is so far, and Cancel; later, going on."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from espalier import optimal
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.oblique_sums import megabytes_of_sums
from espalier.display.theme import count, number
from espalier.display.tree import small_tree
from espalier.grown import GrownTree, TreeSource, join_data, tree_key
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.oblique import ObliqueTree
from espalier.optimal import aim_words, search_words
from espalier.settings import MAX_SUMS_MB
from espalier.trees import AnyTree
from pages.shared.app import pictures
from pages.shared.app.store import of_megabytes
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.models import learners, targets
from pages.shared.tree import fits, results
from pages.shared.tree.fits import Fit


def how_far(fit: Fit) -> Far:
    """The ratio of the bound to the best tree's objective, and both in words."""
    trace, heading = _trace(fit), say("**Searching for the best tree**")
    if not trace:
        return Far(0.0, heading)
    _, best, bound = trace[-1]
    share = min(max(bound / best, 0.0), 1.0) if best else 1.0
    aim = aim_words(*fit.search.aim, fit.counted) if fit.search else ""
    return Far(share, f"{heading}: {search_words(best, bound, fit.counted)}{aim}")


def draw(fit: Fit) -> None:
    """The race up to now, and the best tree so far beside it."""
    search, trace, data = fit.search, _trace(fit), fit.dataset
    if search is None or not trace:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(say("**Best tree found, and the bound that none can beat**"))
        pictures.draw(optimal.trace_picture(trace, search.seconds, fit.counted), optimal.WIDTH)
    with right:
        tree = fit.all_classes(search.tree())
        st.markdown(say("**Best tree so far**"))
        pictures.draw(small_tree.tree_picture(tree, data.features, data.target), small_tree.width_of(tree))


def draw_ended(grown: GrownTree) -> None:
    """The race of the search that found the tree."""
    fit = fits.find(tree_key(grown.dataset, *grown.source), grown.dataset, *grown.source)
    trace = _trace(fit)
    if fit.search is None or not trace:
        st.caption(say("There is no record of this search any more."))
    else:
        pictures.draw(optimal.trace_picture(trace, fit.search.seconds, fit.counted), optimal.WIDTH)


def _trace(fit: Fit) -> list[tuple[float, float, float]]:
    """Times with the best objective and the bound then, from the first tree on."""
    return [glance for glance in list(fit.search.trace) if math.isfinite(glance[1])] if fit.search else []


def grown(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """The tree, or None while it is being grown: the page then shows how far it is.

    After Cancel, or when a search has run out of time, it is the tree that was there; it may go on.
    """
    if refused := targets.why_not(model, dataset, lambda: ~held_out(dataset, holdout)):
        st.info(refused)
        return None
    key = tree_key(dataset, holdout, model)
    watch.watch([key])
    if dataset.X.size <= learners.LEARNERS[model.name].long:
        return results.grown(dataset, holdout, model)
    outcome = _outcome(key, dataset, holdout, model)
    _say_ended(key, outcome)
    if outcome.value is None:
        return None
    if refused := too_wide(outcome.value.tree, dataset):
        st.info(refused)
        return None
    if outcome.is_stopped or outcome.value.is_open:
        part = f"{key} {outcome.value.tree.n_nodes} {outcome.value.proof}"
        return join_data(part, outcome.value, dataset, TreeSource(holdout, model))
    if outcome.value.proof is None:
        fits.store().drop(key)  # only a search is asked for other trees
    return results.grown(dataset, holdout, model, outcome.value)


def beside(dataset: Dataset, holdout: HeldOut, model: Model) -> GrownTree | None:
    """Another tree, beside that of the page; None while it is being grown, with how far it is on the page."""
    key = tree_key(dataset, holdout, model)
    if dataset.X.size <= learners.LEARNERS[model.name].long:
        return results.grown(dataset, holdout, model)
    outcome = _outcome(key, dataset, holdout, model, beside=True)
    return None if outcome.value is None else results.grown(dataset, holdout, model, outcome.value)


def _outcome(key: str, dataset: Dataset, holdout: HeldOut, model: Model, beside: bool = False) -> Outcome:
    """The tree of a job that begins here if need be; how far it is stands on the page."""
    if (outcome := watch.found(key)) is not None:
        return outcome
    fit = fits.find(key, dataset, holdout, model)
    outcome = watch.outcome(Work(key, len(fit.y), fit), beside=beside)
    fits.store().resize(key, of_megabytes(fit.megabytes))
    if outcome.is_awaited and fit.learner.is_searched:
        line = Line(key, say("**Searching for the best tree**"), lambda _: how_far(fit), fit.learner.kind.stage)
        note.progress([line], partial(draw, fit))
    elif outcome.is_awaited:
        note.progress([Line(key, say("**Growing the tree**"), _by_rows)])
    return outcome


def too_wide(tree: AnyTree | ObliqueTree, dataset: Dataset) -> str | None:
    """Reason why an oblique tree has too many sums for the page to show it, Markdown; None for other trees."""
    if not isinstance(tree, ObliqueTree):
        return None
    megabytes = megabytes_of_sums(tree, dataset)
    if megabytes <= MAX_SUMS_MB:
        return None
    return say(
        "**This oblique tree is too large to be shown.** It weighs columns in {n_sums} splits; a sum for each of "
        "{n_rows} rows would take {megabytes} MB, and the page has {most} MB. Choose a smaller depth.",
        n_sums=count(int(tree.is_slanted.sum())),
        n_rows=count(len(dataset.y)),
        megabytes=number(megabytes),
        most=MAX_SUMS_MB,
    )


def _say_ended(key: str, outcome: Outcome) -> None:
    """Say of a tree that it is a part, or that there is none; of a search its proof says so."""
    if outcome.value is None:
        stopped, failed = say("Growing was stopped before there was a tree."), say("The tree could not be grown.")
        note.ended(key, outcome, stopped, failed, False)
    elif outcome.value.proof is None:
        part = say("Growing was stopped: this is the part of the tree that was there.")
        note.ended(key, outcome, part, goes_on=False)


def _by_rows(job: Job) -> Far:
    """Progress of a tree that grows row by row."""
    words = say("**Growing the tree** on {n_rows} rows", n_rows=count(job.work.total))
    return Far(job.share, words, job.seconds_left)
