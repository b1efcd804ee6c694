"""Sliders that the browser follows by itself: it is given the greatest tree, to fold.

Depth and pruning α of a CART tree: a greedy tree of depth 3 is the one without a limit, cut off there, and what
pruning leaves is part of that (`growing.is_cut`). So are the levels of a cultivated tree, of which it is checked:
where the page has another one, the sliders are left to the server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from espalier.data import Dataset
from espalier.data.folds import held_out
from espalier.display.boundaries import surface as fold_views
from espalier.display.boundaries.plane import drawn_rows
from espalier.display.boundaries.surface import soft_fold
from espalier.grown import GrownTree, tree_key, why_not
from espalier.settings import MAX_CARDS
from espalier.tree.modules import answers_of_cuts, kept_by_level, stops
from espalier.trees import CultivatedTree, depths, is_leaf, prune_to
from pages.shared.app import address
from pages.shared.app.store import of_table
from pages.shared.jobs import compilation
from pages.shared.models import drawer, learners
from pages.shared.tree import growing, report, results
from pages.shared.tree.results import ALPHA, DEPTH, LEVELS, OffAxis

Like = Callable[[GrownTree], OffAxis]


def fold(grown: GrownTree, axes: tuple[int, ...], like: Like) -> dict[str, Any] | None:
    """The tree of all depths, for the browser; None where this tree is not that one cut off, or it is too large.

    `like` says what features on no axis have on a tree's surface. There is no fold while another slider moves: it
    would be another one at every step.
    """
    if grown.is_cultivated:
        return _fold_levels(grown, axes, like)
    source = grown.source
    is_part = growing.is_cut(grown.dataset, source.model) and grown.key == tree_key(grown.dataset, *source)
    if not is_part or address.moving() not in ("", DEPTH, ALPHA):
        return None
    deep = growing.deepest(grown.dataset, *source)
    if deep.tree.n_nodes > MAX_CARDS:
        return None
    return _cards(deep) | surface(deep, axes, like(deep))


def errors_by_depth(dataset: Dataset) -> list[list[float]]:
    """Error of CART's tree of the controls at each depth up to its greatest: on rows held out, then on its own.

    Of numbers the share of the spread that is left. None where another learner grows, or that takes its time.
    """
    model = learners.chosen().model(dataset.target) if learners.can_predict(dataset) else None
    is_quick = dataset.X.size <= growing.MOST_CELLS and compilation.is_ready(learners.CART.kind.stage)
    if model is None or model.name != "cart" or not is_quick or dataset.X.size > learners.chosen().long:
        return []
    holdout = drawer.holdout()
    if why_not(model, dataset, lambda: ~held_out(dataset, holdout)):
        return []
    return _errors_by_depth(growing.deepest(dataset, holdout, model))


@of_table(max_entries=64)
def _errors_by_depth(deep: GrownTree) -> list[list[float]]:
    tree, at = deep.sharp, depths(deep.sharp)
    ends = [(at == depth) | (is_leaf(tree) & (at < depth)) for depth in range(max(int(at.max()), 1) + 1)]
    each = [fold_views.lost(tree, deep.dataset, np.flatnonzero(rows)) for _, rows in report.kinds(deep)]
    return [[float(np.asarray(one["lost"])[end].sum() / one["of"]) for end in ends] for one in each]


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


# ---- the levels of a cultivated tree

MOST_ROWS = 5_000  # of the data: with more, all levels take their time


Level = tuple[list[str | None], str]  # the numbers above the tree; of each point drawn, 1 if misclassified, else 0


def _fold_levels(grown: GrownTree, axes: tuple[int, ...], like: Like) -> dict[str, Any] | None:
    """The tree of all levels, for the browser; None where this tree is no part of that one.

    `like` says what features on no axis have on a tree's surface.
    """
    if not _may_fold_levels(grown) or address.moving() not in ("", LEVELS):
        return None
    deep, alpha = growing.deepest(grown.dataset, *grown.source), grown.source.model.value(ALPHA)
    if deep.tree.n_nodes > MAX_CARDS:
        return None
    kept = kept_by_level(deep.soft, alpha)
    if not _is_cut(grown, deep.soft, kept):
        return None
    levels = _levels(deep, alpha, kept)
    return _level_cards(deep, alpha, kept, levels) | (
        _level_surface(deep, axes, like(deep)._replace(is_brief=True), levels) if kept else {}
    )


def _may_fold_levels(grown: GrownTree) -> bool:
    source, X = grown.source, grown.dataset.X
    is_small = X.size <= growing.MOST_CELLS and len(X) <= MOST_ROWS
    is_whole = grown.key == tree_key(grown.dataset, *source)
    is_own = source.model.name == learners.CULTIVATED.own.name
    return is_small and is_own and is_whole and compilation.is_ready(learners.CULTIVATED.kind.stage)


def _is_cut(grown: GrownTree, deep: CultivatedTree, kept: list[np.ndarray]) -> bool:
    limit, tree = grown.source.model.value(DEPTH), grown.soft
    level = len(kept) if limit is None else min(limit, len(kept))
    cut = prune_to(deep, kept[level - 1]) if kept else deep
    pairs = (tree.left, cut.left), (tree.value, cut.value), (tree.cuts.value, cut.cuts.value)
    return tree.n_nodes == cut.n_nodes and all(np.array_equal(mine, own) for mine, own in pairs)


@of_table(max_entries=16)
def _levels(deep: GrownTree, alpha: float, _kept: list[np.ndarray]) -> list[Level]:
    """The tree of each level from 1 on; no number stands for the baseline, which stays."""
    kinds, data, found = [rows for _, rows in report.kinds(deep)], deep.dataset, []
    drawn = drawn_rows(len(data.y))
    for keep, answers in zip(_kept, answers_of_cuts(deep.soft, data.X, _kept), strict=True):
        scores = [report.written_score(data, rows, answers[rows]) for rows in kinds]
        sizes = report.sizes(prune_to(deep.soft, keep)).values()
        wrong = answers[drawn].argmax(axis=1) != data.y[drawn]
        found.append(([*scores, None, *sizes], "".join(map(str, wrong.astype(int).tolist()))))
    return found


@of_table(max_entries=16)
def _level_cards(deep: GrownTree, alpha: float, _kept: list[np.ndarray], _levels: list[Level]) -> dict[str, Any]:
    numbers = [[level, texts] for level, (texts, _) in enumerate(_levels, start=1)]
    return {"name": LEVELS, "cards": results.cards(deep), "stop": stops(_kept), "numbers": numbers}


def _level_surface(deep: GrownTree, axes: tuple[int, ...], like: OffAxis, levels: list[Level]) -> dict[str, Any]:
    wrong = [[level, marks] for level, (_, marks) in enumerate(levels, start=1)]
    leaf, _ = results.drawn_in_leaves(deep)
    return {"leaf": leaf.tolist(), "soft": _gates(deep, axes, like) | {"wrong": wrong}}


@of_table(max_entries=16)
def _gates(deep: GrownTree, axes: tuple[int, ...], like: OffAxis) -> dict[str, Any]:
    return soft_fold(deep.soft, deep.dataset, axes, results.held_values(deep, like))
