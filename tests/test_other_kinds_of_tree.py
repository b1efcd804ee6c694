"""Oblique and model trees where a tree of questions on one feature is asked for: refused by name, or taken."""

from typing import Any

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners import CultivatedClassifier, ModelTreeClassifier, ObliqueClassifier
from espalier.tree_checks import check_tree
from espalier.trees import prune_to, softened
from espalier.views.boundaries.surface import surface
from espalier.views.tree.cards import cards
from espalier.views.tree.drawings import sample_of
from espalier.views.tree.small_tree import small_tree
from tests.tools.by_hand import admission
from tests.tools.cases import case

IRIS: Any = samples.load("iris")
OBLIQUE = ObliqueClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
MODEL = ModelTreeClassifier(max_depth=1).fit(IRIS.X, IRIS.y).model_tree_
SOFT: Any = CultivatedClassifier(max_depth=1).fit(IRIS.X, IRIS.y).tree_
EVERYONE = np.ones(len(IRIS.y), bool)


@pytest.mark.parametrize("tree", [OBLIQUE, MODEL], ids=["oblique", "model"])
@pytest.mark.parametrize("function", [softened, lambda tree: prune_to(tree, np.zeros(tree.n_nodes, bool))])
def test_what_takes_only_trees_of_questions_on_one_feature_names_the_kind_and_what_to_give(function, tree):
    with pytest.raises(ValueError, match=rf"knows no {type(tree).__name__}: give it the tree of a CART learner"):
        function(tree)


def test_check_tree_checks_oblique_and_model_trees_by_their_own_rules_and_refuses_the_rest_by_name():
    check_tree(OBLIQUE)
    check_tree(MODEL)
    with pytest.raises(ValueError, match="children of node 0"):
        check_tree(OBLIQUE._replace(left=np.zeros(OBLIQUE.n_nodes, np.int32)))
    with pytest.raises(ValueError, match="check_tree knows no CultivatedTree"):
        check_tree(SOFT)
    with pytest.raises(ValueError, match="softened knows no CultivatedTree"):
        softened(SOFT)


def test_pictures_of_boxes_refuse_trees_without_boxes_by_name():
    for draw in [
        lambda tree: surface(tree, IRIS, (0, 1)),
        lambda tree: cards(tree, IRIS, EVERYONE),
        lambda tree: small_tree(tree, IRIS.features, IRIS.target, False),
        lambda tree: sample_of(tree, IRIS.X, IRIS.y),
    ]:
        for tree, says in [(OBLIQUE, "splits on one feature each"), (MODEL, "one answer in each leaf")]:
            with case(draw), pytest.raises(ValueError, match=f"{says}.*Take a CART tree"):
                draw(tree)


def test_names_of_scikit_learn_are_there_where_they_mean_the_same():
    tree = admission()
    assert (tree.capacity, tree.n_classes.tolist()) == (tree.node_count, [tree.value.shape[1]])
