"""The ObliqueTree record: its laws, its checks, and what becomes of it."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from espalier import predict
from espalier.analysis.reliability.contributions import contributions
from espalier.analysis.reliability.counterfactuals import cuts_of
from espalier.analysis.reliability.explanation import steps_of
from espalier.analysis.reliability.uncertainty import LEAF_DOUBT, measure_of, uncertainties
from espalier.analysis.stability.structures import splits_of
from espalier.analysis.tree.feature_use import features_of
from espalier.analysis.tree.rules import bounds
from espalier.data.dataset import Feature, make_dataset
from espalier.kernels.oblique.route import oblique_leaf_of
from espalier.learners.pruning import prune
from espalier.oblique import prune_oblique_to, terms_of
from espalier.tree_checks import check_oblique
from espalier.trees import depths, path_to, subtree_end
from espalier.views import export
from tests.tools.by_hand import slanted
from tests.tools.cases import case

NAN = np.nan


def test_a_sum_of_features_is_compared_with_the_threshold():
    X = np.array([[1.0, 2, 0], [1, 2.1, 1], [3, 1, 0], [-9, 12, 0]])
    assert oblique_leaf_of(slanted(), X).tolist() == [1, 3, 4, 1]


def test_a_missing_value_counts_as_the_mean_and_a_missing_category_as_the_commonest():
    X = np.array([[NAN, 2.0, 0], [NAN, 2.5, 1], [1.5, NAN, NAN], [5, 5, 64], [5, 5, -1]])
    assert oblique_leaf_of(slanted(), X).tolist() == [1, 3, 4, 4, 4]


def test_predictions_are_those_of_the_leaf():
    X = np.array([[1.0, 2, 0], [3, 1, 0]])
    assert predict.leaves(slanted(), X).tolist() == [1, 4]
    assert predict.shares(slanted(), X).tolist() == [[1, 0], [0, 1]]
    assert predict.classes(slanted(), X).tolist() == [0, 1]
    assert predict.fractions_in(slanted(), X, 2).tolist() == [0, 1]
    assert predict.spreads(slanted(), X).tolist() == [0, 0]


def test_it_has_the_shape_of_any_tree():
    tree: Any = slanted()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (5, 3, 2)
    assert depths(tree).tolist() == [0, 1, 1, 2, 2]
    assert path_to(tree, 4) == [0, 2, 4]
    assert [subtree_end(tree, node) for node in range(5)] == [5, 2, 5, 4, 5]
    assert terms_of(tree, 0)[0].tolist() == [0, 1]
    assert len(terms_of(tree, 2)[0]) == 0


def test_pruning_takes_the_terms_of_what_is_left():
    stump = prune_oblique_to(slanted(), np.array([True, False, False, False, False]))
    check_oblique(stump)
    assert stump.terms.start.tolist() == [0, 2, 2, 2]
    assert prune(slanted(), 1.0).terms.start.tolist() == [0, 0]
    assert prune(slanted(), 0.0).n_leaves == 3


@pytest.mark.parametrize("copied", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy])
def test_a_copied_tree_still_cannot_be_written(copied):
    with pytest.raises(ValueError, match="read-only"):
        copied(slanted()).terms.coefficient[0] = 2.0
    assert oblique_leaf_of(copied(slanted()), np.array([[3.0, 1, 0]])).tolist() == [4]


def changed(**fields):
    return slanted()._replace(**fields)


def test_arrays_that_make_no_tree_are_refused_by_node():
    for tree, reason in [
        (changed(impurity=np.zeros(3)), "impurity has 3 entries"),
        (changed(right=np.array([2, -1, 3, -1, -1])), "children of node 2"),
        (changed(fill=np.array([1.0, NAN, 0])), "finite"),
        (changed(fill=np.ones(1)), "outside"),
        (changed(feature=np.array([1, -1, 2, -1, -1])), "do not begin with its feature"),
        (changed(terms=slanted().terms._replace(start=np.array([0, 1, 2, 2, 2, 2]))), "node 0 are fewer"),
        (changed(terms=slanted().terms._replace(start=np.array([0, 0, 2, 2, 2, 2]))), "node 1 has terms, but is"),
        (changed(terms=slanted().terms._replace(start=np.zeros(3))), "do not say where"),
        (changed(terms=slanted().terms._replace(coefficient=np.ones(3))), "every array needs"),
    ]:
        with case((tree, reason)):
            check_oblique(slanted())
            with pytest.raises(ValueError, match=reason):
                check_oblique(tree)


FEATURES = (Feature("x"), Feature("y"), Feature("c", "category", ("a", "b")))
TARGET = Feature("z", "category", ("no", "yes"))
DATA = make_dataset("one", np.array([[1.0, 2, 0], [3, 1, 1]]), FEATURES, np.array([0, 1]), TARGET)
NEEDS_BOXES = {
    "scikit-learn": lambda tree: export.to_sklearn(tree, FEATURES, TARGET),
    "rule": lambda tree: bounds(tree, 1),
    "contributions": lambda tree: contributions(tree, DATA.X[0]),
    "explanation": lambda tree: steps_of(tree, DATA, DATA.X[0]),
    "smallest change": lambda tree: cuts_of(tree, 3),
    "structures": splits_of,
}


@pytest.mark.parametrize("words", NEEDS_BOXES)
def test_what_needs_splits_on_one_feature_refuses_an_oblique_tree_by_name(words):
    with pytest.raises(ValueError, match=f"{words}.* needs .*oblique tree"):
        NEEDS_BOXES[words](slanted())


def test_it_knows_all_features_that_it_asks_for():
    assert features_of(slanted()) == [0, 1, 2]


def test_the_doubt_of_its_leaves_is_known():
    X = np.array([[1.0, 2, 0], [3, 1, 0]])
    assert measure_of(slanted()) == LEAF_DOUBT
    assert (uncertainties(slanted(), X, np.array([0, 1])).leaf_weight == [4, 4]).all()
