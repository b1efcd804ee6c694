"""The levels of a cultivated tree, which the browser changes by itself: it is given the tree of all levels.

As in CART, what a node asks does not depend on how many levels may follow: a tree of fewer levels, pruned or not,
is part of one of more. Its surface, which is soft, is left to the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from espalier.analysis.cultivated.levels import answers_of_cuts, kept_by_level, stops
from espalier.settings import MAX_CARDS
from espalier.trees import CultivatedTree, prune_to
from pages.shared.app import address
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation
from pages.shared.models import cultivated
from pages.shared.tree import report, results
from pages.shared.tree.live.places import ALPHA, DEPTH, LEVELS
from pages.shared.tree.results import GrownTree

MOST_CELLS, MOST_ROWS = (
    50_000,
    5_000,
)  # of the data: with more, all levels take their time


def fold(grown: GrownTree) -> dict[str, Any] | None:
    """The tree of all levels, for the browser; None where this tree is no part of that one."""
    if not _may_fold(grown) or address.moving() not in ("", LEVELS):
        return None
    deep, alpha = _deepest(grown), grown.source.model.value(ALPHA)
    if deep.tree.n_nodes > MAX_CARDS:
        return None
    kept = kept_by_level(deep.soft, alpha)
    return _cards(deep.key, alpha, deep, kept) if _is_cut(grown, deep.soft, kept) else None


def _may_fold(grown: GrownTree) -> bool:
    source, X = grown.source, grown.dataset.X
    is_small = X.size <= MOST_CELLS and len(X) <= MOST_ROWS
    is_whole = grown.key == results.key_of(grown.dataset, *source)
    is_own = source.model.name == cultivated.KIND.name
    return is_small and is_own and is_whole and compilation.is_ready(cultivated.CULTIVATED.stage)


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
def _cards(key: str, alpha: float, _deep: GrownTree, _kept: list[np.ndarray]) -> dict[str, Any]:
    numbers = [[level, said] for level, said in enumerate(_numbers(_deep, _kept), start=1)]
    return {"name": LEVELS, "cards": results.cards(_deep), "stop": stops(_kept), "numbers": numbers}


def _numbers(deep: GrownTree, kept: list[np.ndarray]) -> Iterator[list[str | None]]:
    """Yield what stands above the tree of each level; the baseline stays."""
    kinds = [rows for _, rows in report.kinds(deep)]
    for keep, answers in zip(kept, answers_of_cuts(deep.soft, deep.dataset.X, kept), strict=True):
        scores = [report.written_score(deep.dataset, rows, answers[rows]) for rows in kinds]
        yield [*scores, None, *report.sizes(prune_to(deep.soft, keep)).values()]
