"""Trees built by hand within trees as good: every number against a list of all trees."""

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.rashomon.building import TreeBuilding
from espalier.learners.optimal.rashomon.graph import ChosenSplit
from espalier.learners.optimal.tree_builder import build_tree
from tests.tools.naive.optimal import random_case

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def fitted(case, **parameters):
    model = OptimalClassifier(misclassification_cost=case.cost, **parameters)
    model.fit(case.X, case.y, sample_weight=case.weight)
    return model, model.prepare(case.X, case.y, case.weight)


def xor(slack=0):
    y = [0, 1, 1, 0]
    model = OptimalClassifier(max_depth=2).fit(XOR, y)
    return trees_as_good(model, model.prepare(XOR, y), slack)


def agrees(tree, partial):
    if partial is None:
        return True
    if not isinstance(partial, ChosenSplit):
        return tree == partial
    is_same = isinstance(tree, ChosenSplit) and tree.split.places == partial.split.places
    return is_same and agrees(tree.yes, partial.yes) and agrees(tree.no, partial.no)


def agreeing(trees, building):
    """The values of all trees that agree with what is decided."""
    values = enumerate(values_of(trees))
    return [value for number, value in values if agrees(trees.tree(number), building.tree)]


CASES = [(0, 2, 3, 2), (1, 3, 4, 3), (2, 2, 3, 2), (3, 3, 4, 2)]  # seed, classes, columns, depth


@pytest.mark.parametrize(("seed", "n_classes", "n_columns", "max_depth"), CASES)
def test_every_choice_says_how_many_trees_it_leaves_and_the_best_of_them(seed, n_classes, n_columns, max_depth):
    case = random_case(seed, n_classes=n_classes, max_columns=n_columns)
    model, training = fitted(case, max_depth=max_depth)
    trees = trees_as_good(model, training, 1)
    building, source = TreeBuilding(trees), np.random.default_rng(seed)
    while open_nodes := [node.path for node in building.nodes if node.tree is None]:
        path = str(source.choice(open_nodes))
        choices = building.choices(path)
        assert sum(choice.n_trees for choice in choices) == building.n_trees
        for choice in choices:
            after = building.with_choice(path, choice)
            left = agreeing(trees, after)
            assert choice.n_trees == after.n_trees == len(left)
            assert choice.objective == after.objective == pytest.approx(trees.objective(min(left)))
        building = building.with_choice(path, choices[source.integers(len(choices))])
    assert building.n_trees == 1
    assert build_tree(trees.questions.inputs, building.shape)[1] == pytest.approx(building.objective)


def test_with_a_limit_of_splits_choices_keep_to_it():
    model, training = fitted(random_case(1, max_columns=4), max_depth=3, max_splits=2)
    trees = trees_as_good(model, training, 2)
    for choice in TreeBuilding(trees).choices(""):
        assert choice.n_trees == len(agreeing(trees, TreeBuilding(trees).with_choice("", choice)))


def test_a_leaf_that_spends_the_slack_closes_leaves_on_the_other_side():
    building = TreeBuilding(xor(slack=1))
    split = next(choice for choice in building.choices("") if choice.split is not None)
    building = building.with_choice("", split)
    assert any(choice.split is None for choice in building.choices("n"))
    spent = building.with_choice("y", next(c for c in building.choices("y") if c.split is None))
    assert spent.objective == 1
    assert all(choice.split is not None for choice in spent.choices("n"))


def values_of(trees):
    return [value for value, n in trees.root.table.items() for _ in range(n)]


def test_what_was_decided_can_be_opened_again():
    building = TreeBuilding(xor())
    decided = building.with_choice("", building.choices("")[0])
    assert decided.text != building.text
    assert decided.with_choice("", None).text == building.text == "o"


def test_finished_it_is_the_best_tree_that_agrees():
    building = TreeBuilding(xor(slack=2))
    for choice in building.choices(""):
        whole = building.with_choice("", choice).finished()
        assert not [node for node in whole.nodes if node.tree is None]
        assert whole.objective == choice.objective


def test_a_text_brings_back_what_was_decided():
    building = TreeBuilding(xor()).finished()
    assert TreeBuilding(xor(), building.text).text == building.text


@pytest.mark.parametrize("text", ["", "x", "q0", "o.o", "q0.o", "c2", "q99.o.o", "c0", "q0.c0.c0", "o.", "-1"])
def test_a_text_that_no_tree_as_good_agrees_with_is_refused(text):
    with pytest.raises(ValueError, match="tree"):
        TreeBuilding(xor(), text)
