"""Depth and pruning α of a CART tree, which the browser changes by itself: it is given the whole tree, to fold.

A greedy tree of depth 3 is the one without a limit, cut off at depth 3, and what pruning leaves is part of that.
That is checked of the tree on the page: where it is another one, both sliders are left to the server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from espalier.data import Dataset
from espalier.data.folds import held_out
from espalier.display.boundaries import surface as fold_views
from espalier.learners.pruning import prune
from espalier.settings import MAX_CARDS
from espalier.trees import depths, is_leaf, prune_to
from pages.shared.app import address
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation
from pages.shared.models import drawer, learners, targets
from pages.shared.tree import pruning, report, results
from pages.shared.tree.grown.record import ALPHA, DEPTH, OffAxis
from pages.shared.tree.live import levels
from pages.shared.tree.results import GrownTree

Like = Callable[[GrownTree], OffAxis]
MOST_CELLS = 100_000  # values of the features: with more, another tree takes longer than the move that asks for it


def fold(grown: GrownTree, axes: tuple[int, ...], like: Like) -> dict[str, Any] | None:
    """The tree of all depths, for the browser; None where this tree is not that one cut off, or it is too large.

    `like` says what features on no axis have on a tree's surface. There is no fold while another slider moves: it
    would be another one at every step.
    """
    if grown.is_cultivated:
        return levels.fold(grown, axes, like)
    if not _may_fold(grown) or address.moving() not in ("", DEPTH, ALPHA):
        return None
    deep = _deepest(grown)
    if deep.tree.n_nodes > MAX_CARDS or not _is_cut_of(grown, deep):
        return None
    others = like(deep)
    return _cards(deep) | surface(deep, axes, others)


def errors_by_depth(dataset: Dataset) -> list[list[float]]:
    """Error of CART's tree of the controls at each depth up to its greatest: on rows held out, then on its own.

    Of numbers the share of the spread that is left. None where another learner grows, or that takes its time.
    """
    model = learners.chosen().model(dataset.target) if learners.can_predict(dataset) else None
    is_quick = dataset.X.size <= MOST_CELLS and compilation.is_ready(learners.CART.kind.stage)
    if model is None or model.name != "cart" or not is_quick or dataset.X.size > learners.chosen().long:
        return []
    holdout = drawer.holdout()
    if targets.why_not(model, dataset, lambda: ~held_out(dataset, holdout)):
        return []
    settings = tuple((key, {DEPTH: None, ALPHA: 0.0}.get(key, value)) for key, value in model.settings)
    return _errors_by_depth(results.grown(dataset, holdout, model._replace(settings=settings)))


@of_table(max_entries=64)
def _errors_by_depth(deep: GrownTree) -> list[list[float]]:
    tree, at = deep.sharp, depths(deep.sharp)
    ends = [(at == depth) | (is_leaf(tree) & (at < depth)) for depth in range(max(int(at.max()), 1) + 1)]
    each = [fold_views.lost(tree, deep.dataset, np.flatnonzero(rows)) for _, rows in report.kinds(deep)]
    return [[float(np.asarray(one["lost"])[end].sum() / one["of"]) for end in ends] for one in each]


def _may_fold(grown: GrownTree) -> bool:
    model = grown.source.model
    is_small = grown.dataset.X.size <= MOST_CELLS
    return (
        is_small
        and model.value("leaves") is None
        and pruning.is_offered(grown)
        and compilation.is_ready(learners.CART.kind.stage)
    )


def _deepest(grown: GrownTree) -> GrownTree:
    """The tree of the same settings without a limit of depth, and not pruned."""
    source, whole = grown.source, {DEPTH: None, ALPHA: 0.0}
    settings = tuple((key, whole.get(key, value)) for key, value in source.model.settings)
    return results.grown(grown.dataset, source.holdout, source.model._replace(settings=settings))


@of_table(max_entries=64)
def _is_cut_of(grown: GrownTree, deep: GrownTree) -> bool:
    limit, alpha = (grown.source.model.value(name) for name in (DEPTH, ALPHA))
    cut = deep.sharp if limit is None else prune_to(deep.sharp, depths(deep.sharp) < limit)
    cut = prune(cut, alpha) if alpha else cut
    mine = grown.sharp
    return mine.n_nodes == cut.n_nodes and all(
        np.array_equal(getattr(mine, name), getattr(cut, name), equal_nan=True)
        for name in ("feature", "threshold", "value")
    )


@of_table(max_entries=16)
def surface(deep: GrownTree, axes: tuple[int, ...], like: OffAxis) -> dict[str, Any]:
    """The surface of a tree and of all that can be cut off from it."""
    return fold_views.fold(deep.sharp, deep.dataset, axes, results.held_values(deep, like))


@of_table(max_entries=16)
def _cards(deep: GrownTree) -> dict[str, Any]:
    tree, rows = deep.sharp, [rows for _, rows in report.kinds(deep)]
    return {
        "name": DEPTH,
        "cards": results.cards(deep),
        "stop": depths(tree).tolist(),
        "prices": fold_views.prices_by_depth(tree),
        "scores": [fold_views.lost(tree, deep.dataset, some) for some in rows],
    }
