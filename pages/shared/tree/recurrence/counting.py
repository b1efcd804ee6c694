"""Counting, as a job, how often each split comes back in trees from redrawn rows, and what cards show of it."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset, make_dataset
from espalier.data.roles import useful
from espalier.progress import Progress
from espalier.stability.replicates import GrowthWatch, Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import SplitRecurrence, counterparts, split_recurrence, tolerances
from espalier.stability.structures import Equality
from espalier.trees import LEAF
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import yes_or_no
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import learners
from pages.shared.tree import fits, results
from pages.shared.tree.results import GrownTree

KEY = "recurrence"  # in the address and the session state
PLAN = Plan(Redraw("bootstrap"), n_replicates=100)
LARGE = 200_000_000  # values to learn from, over all draws: more is begun only when asked for


class Recurrences(NamedTuple):
    """How often each split of a tree came back."""

    by_features: SplitRecurrence
    nearby: SplitRecurrence  # with thresholds within the neighbourhood, too


def url_entries() -> list[Entry]:
    """Whether cards show it, as part of the address."""
    return [Entry(KEY, False, yes_or_no, undo=False)]


def is_offered(whole: GrownTree) -> bool:
    """Whether the tree, not oblique, was grown to its end by a learner quick enough to grow it many times."""
    is_quick = (
        whole.source.model.name in learners.GROWN and not learners.LEARNERS[whole.source.model.name].is_searched
    )
    return is_quick and whole.sums is None and whole.key == results.key_of(whole.dataset, *whole.source)


def is_wanted(whole: GrownTree) -> bool:
    """Whether it is offered, and cards are to show it."""
    return is_offered(whole) and st.session_state[KEY]


def job_key(whole: GrownTree) -> str:
    """Names the job."""
    return f"{whole.key} recurrence"


def may_begin(whole: GrownTree) -> bool:
    """Whether it is little work, or was asked for."""
    return watch.may_begin([job_key(whole)], whole.dataset.X.size * PLAN.n_replicates, LARGE)


def outcome(whole: GrownTree) -> Outcome:
    """The counts as far as they have come; their job is begun."""
    if not may_begin(whole):
        return Outcome()
    return watch.outcome(Work(job_key(whole), PLAN.total, partial(_counted, whole)), beside=True)


def _counted(whole: GrownTree, progress: Progress) -> Recurrences | None:
    """The counts; of fewer trees where it was stopped, None before there is any."""
    for stage in {"forest", "cultivated", learners.LEARNERS[whole.source.model.name].kind.stage}:
        compilation.wait(stage)
    estimator = fits.Fit(whole.dataset, *whole.source).estimator
    data = _grown_on(whole)
    with workers(data.X.nbytes) as executor:
        trees = replicate(estimator, data, PLAN, GrowthWatch(progress=progress), executor).trees
    if not trees:
        return None
    near = Equality("neighbourhood", tolerances(data))
    return Recurrences(split_recurrence(whole.tree, trees), split_recurrence(whole.tree, trees, near))


def _grown_on(whole: GrownTree) -> Dataset:
    """The rows that the tree was grown on."""
    data, rows = whole.dataset, ~whole.held
    weights = data.row_weights
    kept = None if weights is None else weights._replace(values=weights.values[rows])
    return make_dataset(
        data.name, data.X[rows], data.features, data.y[rows], data.target, kept, useful(data.roles.of(rows))
    )


@of_table(max_entries=32)
def _places(shown: GrownTree, _whole: GrownTree) -> np.ndarray:
    return counterparts(shown.tree, _whole.tree)


def times(shown: GrownTree, whole: GrownTree, counted: SplitRecurrence) -> np.ndarray:
    """(n_nodes,): how often each split of the tree that is shown, perhaps pruned, came back."""
    return counted.times[_places(shown, whole)]


def card(shown: GrownTree, whole: GrownTree) -> dict[str, Any] | None:
    """The numbers on the cards: {"n": trees, "times": {node: times}}; None where there are none."""
    found: Recurrences | None = outcome(whole).value if is_wanted(whole) else None
    if found is None:
        return None
    of_node = times(shown, whole, found.by_features)
    drawn = [node["id"] for node in results.cards(shown)["nodes"] if shown.tree.left[node["id"]] != LEAF]
    return {"n": found.by_features.n_trees, "times": {str(node): int(of_node[node]) for node in drawn}}
