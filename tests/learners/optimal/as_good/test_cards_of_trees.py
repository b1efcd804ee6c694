"""Cards of trees as good: each function once, thresholds as ranges; and trees that do without a feature."""

import itertools

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.cards import SLIGHT, cards_of
from espalier.learners.optimal.as_good.nodes import splits_of
from espalier.learners.optimal.as_good.without import trees_without
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import LEAF
from tests.tools.naive.optimal import grid_of, random_case


def as_good(X, y, slack, **parameters):
    model = OptimalClassifier(**parameters).fit(X, y)
    return model, trees_as_good(model, model.prepare(X, y), slack)


@pytest.fixture(scope="module")
def iris():
    table = samples.load("iris")
    return as_good(table.X, table.y, 1, max_depth=2, max_thresholds=10)


def test_thresholds_in_one_gap_are_a_range_of_one_card():
    X, y = np.array([[0.0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 3]]), np.array([0, 0, 0, 0, 0, 1])
    _, trees = as_good(X, y, 0, max_depth=2)
    # Where x is 1, y is 0 or 3, and any of its three thresholds parts these: one gap. Where y is asked first, they
    # send other rows to other leaves, but answer them alike; the one in the middle is the first card's function.
    in_gap = ((0, 1), ((0.5, 0.5), (0.5, 2.5)))
    assert ranges_of(trees, slight=0) == {in_gap, ((1, 0), ((0.5, 2.5), (0.5, 0.5)))}


def ranges_of(trees, slight):
    """The columns and the ranges of thresholds of each card."""
    found = set()
    for card in cards_of(trees, slight=slight).cards:
        feature = trees.near(card.first).tree.feature
        found.add((tuple(feature[feature != LEAF].tolist()), card.ranges))
    return found


def test_cards_have_every_function_on_the_grid_of_thresholds_once(iris, functions):
    _, trees = iris
    found = cards_of(trees)
    assert found.n_functions == sum(card.n_functions for card in found.cards) == len(set(functions))
    assert (found.n_listed, found.is_all) == (trees.n_trees, True)


def outline_of(tree):
    """The columns of a tree and the answers of its leaves, in preorder."""
    return tuple(tree.feature), tuple(tree.value.argmax(axis=1)[tree.feature == LEAF])


def n_apart(one, other, X):
    """How many rows two trees answer differently."""
    return int((classes(one, X) != classes(other, X)).sum())


@pytest.fixture(scope="module")
def functions(iris):
    """Of each tree, its answers on the grid of thresholds: trees of one function have the same."""
    model, trees = iris
    grid = grid_of(model.questions_)
    known = grid[~np.isnan(grid).any(axis=1)]
    return [classes(trees.near(number).tree, known).tobytes() for number in range(trees.n_trees)]


@pytest.mark.parametrize("slight", [0.0, 0.02, 0.1, 1.0])
def test_cards_are_those_of_a_plain_list_of_all_trees(iris, functions, slight):
    _, trees = iris
    X = samples.load("iris").X
    cards, card_of = [], {}  # a card: best tree, functions, trees, rows apart
    for number, name in enumerate(functions):
        tree = trees.near(number).tree
        if name in card_of:
            card_of[name][2] += 1
            continue
        for card in cards:
            best = trees.near(card[0]).tree
            if outline_of(best) == outline_of(tree) and n_apart(best, tree, X) <= slight * len(X):
                card[1:] = card[1] + 1, card[2] + 1, max(card[3], n_apart(best, tree, X))
                break
        else:
            card = [number, 1, 1, 0]
            cards.append(card)
        card_of[name] = card
    found = cards_of(trees, slight=slight).cards
    assert [[one.first, one.n_functions, one.n_trees, one.n_differ] for one in found] == cards
    assert sum(one.n_trees for one in found) == trees.n_trees


def test_trees_of_two_cards_differ_in_a_column_or_an_answer_or_in_more_than_few_rows(iris):
    _, trees = iris
    X, cards = samples.load("iris").X, [trees.near(card.first).tree for card in cards_of(trees).cards]
    alike = [
        (one, other) for one, other in itertools.combinations(cards, 2) if outline_of(one) == outline_of(other)
    ]
    assert alike
    assert all(n_apart(one, other, X) > SLIGHT * len(X) for one, other in alike)


def test_the_ranges_of_a_card_stand_in_the_order_of_the_nodes_and_hold_its_best_tree(iris):
    _, trees = iris
    for card in cards_of(trees).cards:
        tree = trees.near(card.first).tree
        cuts = tree.threshold[tree.feature != LEAF]
        assert all(r.low <= cut <= r.high for r, cut in zip(card.ranges, cuts, strict=True))


def test_a_limit_or_a_stop_ends_the_list_and_says_so(iris):
    _, trees = iris
    found = cards_of(trees, limit=10)
    assert (found.n_listed, found.is_all) == (10, False)
    assert cards_of(trees, progress=Progress(is_stopped=True)).n_listed == 0


@pytest.mark.parametrize("seed", range(4))
def test_trees_without_a_feature_are_counted_as_a_list_of_all_trees_counts_them(seed):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    _, trees = as_good(case.X, case.y, 1, max_depth=3 if seed < 2 else 2)
    n_features, counts = case.X.shape[1], [0] * case.X.shape[1]
    for number in range(trees.n_trees):
        asked = {trees.questions.feature[split.place] for split in splits_of(trees.tree(number))}
        for feature in set(range(n_features)) - asked:
            counts[feature] += 1
    assert trees_without(trees, n_features) == counts
