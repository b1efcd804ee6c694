"""The modules of a cultivated tree as exported source writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.analysis.cultivated.modules import gate_of_codes, gate_of_cuts
from espalier.trees import CultivatedTree
from espalier.views.export.columns import ExportedColumn


class ExportedGate(NamedTuple):
    """One decision: what part of a sample it sends to the left child, by the sample's value."""

    feature: int
    share: float  # of the decision in its module
    missing: float  # part of a missing value that goes left, and of a category that the tree does not know
    cuts: tuple[float, ...]  # of a number: thresholds, ascending; where steps are equal, only the last of them
    parts: tuple[float, ...]  # one more: of values up to each cut, and past all of them; or one for each name


def gates(tree: CultivatedTree, node: int, read: dict[int, ExportedColumn]) -> list[ExportedGate]:
    """The decisions of a node, the best one first; none at a leaf."""
    found = []
    for d in range(int(tree.decisions.start[node]), int(tree.decisions.start[node + 1])):
        feature = int(tree.decisions.feature[d])
        share, missing = float(tree.decisions.share[d]), float(tree.decisions.missing_left[d])
        found.append(ExportedGate(feature, share, missing, *_steps(tree, d, len(read[feature].names))))
    return found


def _steps(tree: CultivatedTree, d: int, n_names: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if n_names:
        return (), tuple(gate_of_codes(tree, d, n_names).tolist())
    cuts, parts = gate_of_cuts(tree, d)
    parts = parts[: np.count_nonzero(np.isfinite(cuts)) + 1]  # nothing known is above an infinite cut
    kept = np.flatnonzero(np.append(np.diff(parts), 1.0))
    return tuple(cuts[kept[:-1]].tolist()), tuple(parts[kept].tolist())
