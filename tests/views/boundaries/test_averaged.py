"""Surfaces averaged over rows: in every cell the mean of the slices through each row."""

import numpy as np
import pytest

from espalier.analysis.grids import samples_over
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, ObliqueClassifier
from espalier.predict import leaves, shares
from espalier.trees import subtree_end
from espalier.views.boundaries.averaged import node_average
from espalier.views.boundaries.raster import node_raster, raster, rulers_of
from espalier.views.boundaries.surface import surface
from espalier.views.model_trees.surface import node_cells
from espalier.views.model_trees.surface import surface as surface_of_sums
from tests.views.boundaries.test_raster import unpacked

WINE = samples.load("wine")
ROWS = WINE.X[::30]
AXES = [(6, 12), (12, 6), (9,)]


def mean_of_rows(ask, axes, rulers):
    """The mean answer in every cell, each row asked by itself, and the others' shares as they are sent."""
    at = [ruler.at for ruler in rulers]
    return np.mean([ask(samples_over(axes, at, row)) for row in ROWS], axis=0)


@pytest.mark.parametrize("axes", AXES)
def test_a_tree_of_classes_is_averaged_exactly(axes):
    tree = CartClassifier(max_depth=5).fit(WINE.X, WINE.y).tree_
    card = surface(tree, WINE, axes, ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), axes, rulers_of(WINE, axes, tree))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    assert card["averaged"] == len(ROWS)
    assert card["held"] == []
    assert 0 <= card["seen"] <= 1


def test_a_tree_of_numbers_is_averaged_exactly():
    data = samples.load("diabetes")
    tree, rows = CartRegressor(max_depth=4).fit(data.X, data.y).tree_, data.X[::60]
    card = surface(tree, data, (2, 8), rows)
    at = [ruler.at for ruler in rulers_of(data, (2, 8), tree)]
    wanted = np.mean([shares(tree, samples_over((2, 8), at, row))[:, 0] for row in rows], axis=0)
    assert np.abs(unpacked(card["cells"]["value"]) - wanted).max() <= 1.01e-4 * np.ptp(wanted)


def test_the_cells_of_a_node_are_the_rows_that_would_be_in_it():
    tree = CartClassifier(max_depth=4).fit(WINE.X, WINE.y).tree_
    node = int(tree.right[0])
    lit = node_average(tree, WINE, (6, 12), ROWS, node)
    at = [ruler.at for ruler in rulers_of(WINE, (6, 12), tree)]

    def inside(row):
        leaf = leaves(tree, samples_over((6, 12), at, row))
        return (leaf >= node) & (leaf < subtree_end(tree, node))

    assert unpacked(lit["cells"]) == pytest.approx(np.mean([inside(row) for row in ROWS], axis=0), abs=1e-4)


def test_any_other_surface_is_the_mean_of_the_slices_through_the_rows():
    tree = CultivatedClassifier(max_depth=4).fit(WINE.X, WINE.y).tree_
    card = surface(tree, WINE, (6, 12), ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), (6, 12), rulers_of(WINE, (6, 12), tree))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    whole = node_raster(tree, WINE, (6, 12), ROWS, 0)
    assert unpacked(whole["cells"]) == pytest.approx(1.0)

    model = raster(lambda X: (shares(tree, X), None), WINE, (6, 12), ROWS)
    assert model["averaged"] == len(ROWS)


def test_slanted_splits_are_averaged_too():
    tree = ObliqueClassifier(max_depth=2).fit(WINE.X, WINE.y).tree_
    card = surface_of_sums(tree, WINE, (6, 12), ROWS)
    wanted = mean_of_rows(lambda X: shares(tree, X), (6, 12), rulers_of(WINE, (6, 12)))
    assert np.abs(unpacked(card["cells"]["shares"]) - wanted[:, 1:].T.ravel()).max() <= 1.01e-4
    assert not node_cells(tree, WINE, (6, 12), ROWS, 1)["whole"]
    assert "seen" not in card
