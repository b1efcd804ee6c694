"""The plane that a notebook shows: of the features that are asked for, or of those that tell most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Dataset
from espalier.export.columns import asked_features
from espalier.forests.growth import gains
from espalier.predict import SomeTree
from espalier.tree.feature_use import most_used
from espalier.tree.planes import best_plane
from espalier.trees import Forest, Tree


def axes_of(
    record: SomeTree | Forest, data: Dataset, wanted: Sequence[int | str] | None = None
) -> tuple[int, ...]:
    """Return the numbers of one or two features.

    `wanted` are numbers or names. Raises ValueError for a name that the rows do not have.
    """
    if wanted is not None:
        return tuple(_number(name, data) for name in wanted)
    n = len(data.features)
    if isinstance(record, Forest):
        best = np.argsort(-gains(record, n), kind="stable").tolist()
    else:
        best = most_used(record, n)
    asked = set(asked_features(record))
    best = [f for f in best if f in asked] or best
    if isinstance(record, Tree):
        return best_plane(record, data.X, best)[:2]
    return tuple(sorted(best[:2]))


def _number(name: int | str, data: Dataset) -> int:
    names = [feature.name for feature in data.features]
    if isinstance(name, str) and name not in names:
        raise ValueError(f"no feature is named {name!r}: axes are some of {', '.join(names[:20])}")
    return names.index(name) if isinstance(name, str) else int(name)
