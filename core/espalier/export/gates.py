"""The modules of a cultivated tree, prepared for exported source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from espalier.export.columns import ExportedColumn
from espalier.tree.modules import gate_of_codes, gate_of_cuts
from espalier.trees import CultivatedTree


class ExportedGate(NamedTuple):
    """One decision: the part of a sample that it sends to the left child, by the sample's value."""

    feature: int
    share: float  # of the decision in its module
    missing: float  # part of a missing value, or of an unknown category, that goes left
    cuts: tuple[float, ...]  # of a number: thresholds, ascending; of equal steps, only the last
    parts: tuple[float, ...]  # parts that go left: up to each cut, and beyond all of them; or for each name


def gates(tree: CultivatedTree, node: int, read: Mapping[int, ExportedColumn]) -> list[ExportedGate]:
    """Return the decisions of a node, the best one first; none at a leaf."""
    decisions = []
    for d in range(int(tree.decisions.start[node]), int(tree.decisions.start[node + 1])):
        feature = int(tree.decisions.feature[d])
        share, missing = float(tree.decisions.share[d]), float(tree.decisions.missing_left[d])
        decisions.append(ExportedGate(feature, share, missing, *_steps(tree, d, len(read[feature].names))))
    return decisions


def _steps(tree: CultivatedTree, d: int, n_names: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if n_names:
        return (), tuple(gate_of_codes(tree, d, n_names).tolist())
    cuts, parts = gate_of_cuts(tree, d)
    parts = parts[: np.count_nonzero(np.isfinite(cuts)) + 1]  # no known value is above an infinite cut
    kept = np.flatnonzero(np.append(np.diff(parts), 1.0))
    return tuple(cuts[kept[:-1]].tolist()), tuple(parts[kept].tolist())
