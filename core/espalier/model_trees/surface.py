"""The decision surface of a model tree, or of an oblique one: its answers in the cells of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import Dots, points
from espalier.display.boundaries.raster import held_or_rows, packed, raster, rulers_of
from espalier.leaf_models import ModelTree, formula_features
from espalier.oblique import ObliqueTree
from espalier.predict import fractions_in, leaves_and_shares, samples_over, shares
from espalier.tree.feature_use import features_of
from espalier.trees import LEAF


def surface(
    model: ModelTree | ObliqueTree,
    dataset: Dataset,
    axes: Sequence[int],
    held: np.ndarray,
    out: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the surface's data, in the form of `espalier.display.boundaries.raster.raster`.

    Arguments are those of `espalier.display.boundaries.surface.surface`. The values of other features are named
    where the tree splits on them or a formula takes them.
    """
    card = raster(lambda X: (shares(model, X), None), dataset, axes, held, out)
    others = [feature for feature in used_features(model) if feature not in axes]
    dots = Dots(lambda X: leaves_and_shares(model, X), out)
    return card | held_or_rows(dataset, others, held) | points(dataset, axes, dots)


def node_cells(
    model: ModelTree | ObliqueTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray, node: int
) -> dict[str, Any]:
    """Return which cells of the surface lie in a node, as `espalier.display.boundaries.raster.node_raster` does.

    "whole" says that no row is in it by a part.
    """
    at = [ruler.at for ruler in rulers_of(dataset, axes)]
    rows = np.atleast_2d(held)
    inside = np.mean([fractions_in(model, samples_over(axes, at, row), node) for row in rows], axis=0)
    return {"node": int(node), "cells": packed(inside, 0.0, float(inside.max())), "whole": held.ndim == 1}


def used_features(model: ModelTree | ObliqueTree) -> list[int]:
    """Return the features that the tree splits on or a formula takes, ascending, each once."""
    if isinstance(model, ObliqueTree):
        return features_of(model)
    asked = model.tree.feature[model.tree.feature != LEAF].tolist()
    return sorted({*asked, *formula_features(model.models)})
