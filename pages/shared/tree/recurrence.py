"""How often each split of a tree comes back in trees from redrawn rows: on the cards, and in a sentence."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset, make_dataset
from espalier.data.roles import useful
from espalier.display.theme import count
from espalier.grown import GrownTree, tree_key
from espalier.language import say, to_say
from espalier.progress import Progress
from espalier.stability.replicates import GrowthWatch, Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import SplitRecurrence, counterparts, split_recurrence
from espalier.trees import LEAF
from pages.shared.app.store import of_table
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import learners
from pages.shared.tree import growing, results

PLAN = Plan(Redraw("bootstrap"), n_replicates=100)
LARGE = 200_000_000  # values to learn from, over all draws: more is begun only when asked for
TOGGLE = Control(
    "recurrence", False, None, to_say("How often splits come back"),
    to_say("In so many of 100 trees of bootstrap samples the columns and sides down to this split are the same."),
    undo=False,
)  # fmt: skip


def toggle(whole: GrownTree) -> None:
    """Draw the choice whether cards show it; nothing for trees that take too long to grow many times."""
    if _is_offered(whole):
        TOGGLE.draw()


def draw(shown: GrownTree, whole: GrownTree) -> None:
    """Draw the sentence on the selected split, or how far counting is; nothing where cards do not show it."""
    if not (_is_offered(whole) and TOGGLE.value):
        return
    work = _work(whole)
    if not _may_begin(whole):
        rows = say("{n} rows, {trees} trees", n=count(int((~whole.held).sum())), trees=PLAN.n_replicates)
        watch.offer([work.key], rows, say("Count how often"))
        return
    line = Line(work.key, say("**Growing 100 trees**"), _how_far)
    counted = note.result(work, line, say("Counted in the trees that were complete."), say("None was counted."))
    if counted is not None:
        st.caption(_sentence(shown, whole, counted))


def said(shown: GrownTree, whole: GrownTree) -> str:
    """The sentence on the selected split, for a sheet of paper; empty until it was counted."""
    counted = _counted(whole)
    return "" if counted is None else _sentence(shown, whole, counted)


def card(shown: GrownTree, whole: GrownTree) -> dict[str, Any] | None:
    """The numbers on the cards: {"n": trees, "times": {node: times}}; None where there are none."""
    counted = _counted(whole)
    if counted is None:
        return None
    times = _times(shown, whole, counted)
    drawn = [node["id"] for node in results.cards(shown)["nodes"] if shown.tree.left[node["id"]] != LEAF]
    return {"n": counted.n_trees, "times": {str(node): int(times[node]) for node in drawn}}


def _is_offered(whole: GrownTree) -> bool:
    """Whether the tree, not oblique, was grown to its end by a learner quick enough to grow it many times."""
    name = whole.source.model.name
    is_quick = name in learners.GROWN and not learners.LEARNERS[name].is_searched
    return is_quick and whole.sums is None and whole.key == tree_key(whole.dataset, *whole.source)


def _may_begin(whole: GrownTree) -> bool:
    """Whether it is little work, or was asked for."""
    return watch.may_begin([_work(whole).key], whole.dataset.X.size * PLAN.n_replicates, LARGE)


def _work(whole: GrownTree) -> Work:
    return Work(f"{whole.key} recurrence", PLAN.total, partial(_count, whole))


def _how_far(job: Job) -> Far:
    return Far(job.share, say("**Growing 100 trees**"), job.seconds_left)


def _counted(whole: GrownTree) -> SplitRecurrence | None:
    """The counts as far as they have come; None where they are not wanted, or there are none yet."""
    if not (_is_offered(whole) and TOGGLE.value and _may_begin(whole)):
        return None
    return watch.outcome(_work(whole), beside=True).value


def _count(whole: GrownTree, progress: Progress) -> SplitRecurrence | None:
    """The counts; of fewer trees where it was stopped, None before there is any."""
    for stage in {"forest", "cultivated", learners.LEARNERS[whole.source.model.name].kind.stage}:
        compilation.wait(stage)
    data = _grown_on(whole)
    with workers(data.X.nbytes) as executor:
        estimator = growing.Fit(whole.dataset, *whole.source).estimator
        trees = replicate(estimator, data, PLAN, GrowthWatch(progress=progress), executor).trees
    return split_recurrence(whole.tree, trees) if trees else None


def _grown_on(whole: GrownTree) -> Dataset:
    """The rows that the tree was grown on."""
    data, rows, weights = whole.dataset, ~whole.held, whole.dataset.row_weights
    kept = None if weights is None else weights._replace(values=weights.values[rows])
    roles = useful(data.roles.of(rows))
    return make_dataset(data.name, data.X[rows], data.features, data.y[rows], data.target, kept, roles)


@of_table(max_entries=32)
def _places(shown: GrownTree, _whole: GrownTree) -> np.ndarray:
    return counterparts(shown.tree, _whole.tree)


def _times(shown: GrownTree, whole: GrownTree, counted: SplitRecurrence) -> np.ndarray:
    """(n_nodes,): how often each split of the tree that is shown, perhaps pruned, came back."""
    return counted.times[_places(shown, whole)]


def _sentence(shown: GrownTree, whole: GrownTree, counted: SplitRecurrence) -> str:
    node = st.session_state["node"]
    if shown.tree.left[node] == LEAF:
        return say("A leaf asks nothing: select a split to read how often it came back.")
    times = int(_times(shown, whole, counted)[node])
    return say("This split came back in **{times} of {n_trees}** trees.", times=times, n_trees=counted.n_trees)
