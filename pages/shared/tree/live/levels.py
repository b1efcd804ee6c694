"""The levels of a cultivated tree, which the browser changes by itself: it is given the tree of all levels.

As in CART, what a node asks does not depend on how many levels may follow: a tree of fewer levels, pruned or not,
is part of one of more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from espalier.display.boundaries.plane import drawn_rows
from espalier.display.boundaries.surface import soft_fold
from espalier.settings import MAX_CARDS
from espalier.tree.modules import answers_of_cuts, kept_by_level, stops
from espalier.trees import CultivatedTree, prune_to
from pages.shared.app import address
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation
from pages.shared.models import learners
from pages.shared.tree import report, results
from pages.shared.tree.grown.record import ALPHA, DEPTH, LEVELS, OffAxis
from pages.shared.tree.results import GrownTree

MOST_CELLS, MOST_ROWS = 100_000, 5_000  # of the data: with more, all levels take their time


class Level(NamedTuple):
    """The tree of so many levels."""

    numbers: list[str | None]  # above the tree; the baseline stays
    wrong: str  # of each point that is drawn, 1 if it is misclassified, else 0


def fold(grown: GrownTree, axes: tuple[int, ...], like: Callable[[GrownTree], OffAxis]) -> dict[str, Any] | None:
    """The tree of all levels, for the browser; None where this tree is no part of that one.

    `like` says what features on no axis have on a tree's surface.
    """
    if not _may_fold(grown) or address.moving() not in ("", LEVELS):
        return None
    deep, alpha = _deepest(grown), grown.source.model.value(ALPHA)
    if deep.tree.n_nodes > MAX_CARDS:
        return None
    kept = kept_by_level(deep.soft, alpha)
    if not _is_cut(grown, deep.soft, kept):
        return None
    levels = _levels(deep, alpha, kept)
    return _cards(deep, alpha, kept, levels) | (
        _surface(deep, axes, like(deep)._replace(is_brief=True), levels) if kept else {}
    )


def _may_fold(grown: GrownTree) -> bool:
    source, X = grown.source, grown.dataset.X
    is_small = X.size <= MOST_CELLS and len(X) <= MOST_ROWS
    is_whole = grown.key == results.key_of(grown.dataset, *source)
    is_own = source.model.name == learners.CULTIVATED.own.name
    return is_small and is_own and is_whole and compilation.is_ready(learners.CULTIVATED.kind.stage)


def _deepest(grown: GrownTree) -> GrownTree:
    """The tree of the same settings with all levels, not pruned."""
    source, whole = grown.source, {DEPTH: None, ALPHA: 0.0}
    settings = tuple((key, whole.get(key, value)) for key, value in source.model.settings)
    return results.grown(grown.dataset, source.holdout, source.model._replace(settings=settings))


def _is_cut(grown: GrownTree, deep: CultivatedTree, kept: list[np.ndarray]) -> bool:
    limit, tree = grown.source.model.value(DEPTH), grown.soft
    level = len(kept) if limit is None else min(limit, len(kept))
    cut = prune_to(deep, kept[level - 1]) if kept else deep
    pairs = (tree.left, cut.left), (tree.value, cut.value), (tree.cuts.value, cut.cuts.value)
    return tree.n_nodes == cut.n_nodes and all(np.array_equal(mine, own) for mine, own in pairs)


@of_table(max_entries=16)
def _levels(deep: GrownTree, alpha: float, _kept: list[np.ndarray]) -> list[Level]:
    """The trees of each level from 1 on."""
    kinds, data, found = [rows for _, rows in report.kinds(deep)], deep.dataset, []
    drawn = drawn_rows(len(data.y))
    for keep, answers in zip(_kept, answers_of_cuts(deep.soft, data.X, _kept), strict=True):
        scores = [report.written_score(data, rows, answers[rows]) for rows in kinds]
        sizes = report.sizes(prune_to(deep.soft, keep)).values()
        wrong = answers[drawn].argmax(axis=1) != data.y[drawn]
        found.append(Level([*scores, None, *sizes], "".join(map(str, wrong.astype(int).tolist()))))
    return found


@of_table(max_entries=16)
def _cards(deep: GrownTree, alpha: float, _kept: list[np.ndarray], _levels: list[Level]) -> dict[str, Any]:
    numbers = [[level, one.numbers] for level, one in enumerate(_levels, start=1)]
    return {"name": LEVELS, "cards": results.cards(deep), "stop": stops(_kept), "numbers": numbers}


def _surface(deep: GrownTree, axes: tuple[int, ...], like: OffAxis, levels: list[Level]) -> dict[str, Any]:
    wrong = [[level, one.wrong] for level, one in enumerate(levels, start=1)]
    leaf, _ = results.drawn_in_leaves(deep)
    return {"leaf": leaf.tolist(), "soft": _gates(deep, axes, like) | {"wrong": wrong}}


@of_table(max_entries=16)
def _gates(deep: GrownTree, axes: tuple[int, ...], like: OffAxis) -> dict[str, Any]:
    return soft_fold(deep.soft, deep.dataset, axes, results.held_values(deep, like))
