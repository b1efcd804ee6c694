"""Trees as good: classes of rows, what they rely on, and their cards, against lists of all trees."""

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.rashomon import cards_of, least_objectives, open_classes, reliance, summaries
from espalier.learners.optimal.rashomon.graph import splits_of
from espalier.learners.optimal.rashomon.summaries import SLIGHT, answers_of, reliance_of, trees_without
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import LEAF
from tests.tools.naive.optimal import grid_of, random_case

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def as_good_of_table(X, y, slack=0, **parameters):
    model = OptimalClassifier(**parameters).fit(X, y)
    return model, trees_as_good(model, model.prepare(X, y), slack)


def as_good(seed, slack=1, **parameters):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    return case, *as_good_of_table(case.X, case.y, slack, **parameters)


def every_answer(trees):
    """(n_trees, n_samples) and the objective of each."""
    near = [trees.near(number) for number in range(trees.n_trees)]
    answers = np.array([answers_of(trees, trees.shape(number)) for number in range(trees.n_trees)])
    return answers, np.array([tree.objective for tree in near])


def test_the_answers_of_a_shape_are_those_of_its_tree_and_rows_that_one_tree_answers_are_settled():
    case, model, trees = as_good(0, max_depth=2)
    assert (model.classes_[answers_of(trees, trees.shape(0))] != case.y).sum() == trees.near(0).objective
    found = open_classes(as_good_of_table(XOR, [0, 1, 1, 0], max_depth=2)[1])
    assert (found.ambiguity, found.discrepancy) == (0, 0)
    assert np.isfinite(found.objective).tolist() == [[True, False], [False, True], [False, True], [True, False]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_splits", [None, 1, 2])
def test_the_least_objective_of_each_answer_is_that_of_a_list_of_all_trees(seed, max_splits):
    case, _, trees = as_good(seed, max_depth=3 if seed < 2 else 2, max_splits=max_splits)
    answers, objective = every_answer(trees)
    found = open_classes(trees)
    for row in range(len(case.y)):
        for label in range(len(trees.root.leaves)):
            expected = objective[answers[:, row] == label].min(initial=np.inf)
            assert found.objective[row, label] == pytest.approx(expected)
    assert found.discrepancy == (answers != answers[0]).sum(axis=1).max()
    assert found.ambiguity == pytest.approx((answers != answers[0]).any(axis=0).mean())


# The classes that trees as good give to rows that they were not grown on: against a list of all trees
def elsewhere(case, seed):
    """Rows in whose columns values of different rows stand beside each other, and between them."""
    random = np.random.default_rng(seed)
    mixed = np.column_stack([random.choice(column, 40) for column in case.X.T])
    return mixed + random.choice([0.0, 0.5, -3.0], mixed.shape)


@pytest.mark.parametrize(
    ("seed", "max_splits"), [*((seed, None) for seed in range(6)), (0, 2), (1, 4), (2, 1), (3, 2)]
)
def test_the_least_objective_of_each_class_at_any_row_is_that_of_a_list_of_all_trees(seed, max_splits):
    case, _, trees = as_good(seed, max_depth=3 if seed == 1 else 2, max_splits=max_splits)
    X = elsewhere(case, seed)
    near = [trees.near(number) for number in range(trees.n_trees)]
    answers = np.array([classes(one.tree, X) for one in near])
    objective = np.array([one.objective for one in near])
    found = least_objectives(trees, X)
    for row in range(len(X)):
        for label in range(found.shape[1]):
            expected = objective[answers[:, row] == label].min(initial=np.inf)
            assert found[row, label] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_at_the_training_rows_it_is_that_of_the_open_classes_however_many_are_asked_at_a_time(seed, monkeypatch):
    case, _, trees = as_good(seed, max_depth=2)
    whole = least_objectives(trees, case.X)
    assert np.array_equal(whole, open_classes(trees).objective)
    monkeypatch.setattr(summaries, "VALUES", 1)
    many = np.tile(case.X, (20, 1)) + np.arange(20).repeat(len(case.X))[:, None] * 1e-12
    assert np.array_equal(least_objectives(trees, many)[: len(case.X)], whole)


def test_a_tree_without_splits_gives_every_row_its_class():
    _, trees = as_good_of_table(np.zeros((4, 1)), [0, 0, 0, 1], max_depth=1)
    assert least_objectives(trees, np.ones((2, 1))).tolist() == [[1.0, np.inf], [1.0, np.inf]]
    assert least_objectives(trees, np.ones((0, 1))).shape == (0, 2)


def test_the_best_subtree_is_not_taken_where_it_has_too_many_splits_beside_the_other_side():
    """Of two splits below the root one is allowed, so the class that needs it excludes the other side's."""
    two, trees = as_good_of_table(XOR, [0, 1, 1, 0], max_depth=2, max_splits=2)
    assert two.proof_.objective == 1
    assert least_objectives(trees, XOR).tolist() == [[1, 1]] * 4


# How much trees rely on a feature: against every pair of two samples, one by one
def as_good_at_costs(seed, slack=1):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2, costs=bool(seed % 2), weights=(1, 2))
    model = OptimalClassifier(max_depth=2, misclassification_cost=case.cost)
    model.fit(case.X, case.y, sample_weight=case.weight)
    return case, trees_as_good(model, model.prepare(case.X, case.y, case.weight), slack)


def swapped(case, tree, feature):
    """The mean cost when each sample gets the value of each other sample in turn."""
    n, total = len(case.y), 0.0
    for row in range(n):
        for other in set(range(n)) - {row}:
            x = case.X[row].copy()
            x[feature] = case.X[other, feature]
            total += case.weight[row] * case.cost[case.y[row], classes(tree, x[None])[0]] / (n - 1)
    return total


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_reliance_of_a_tree_is_the_mean_over_all_pairs_of_samples(seed):
    case, trees = as_good_at_costs(seed)
    tree = trees.near(trees.n_trees - 1)
    found = reliance_of(trees, trees.shape(trees.n_trees - 1), case.X.shape[1])
    expected = [swapped(case, tree.tree, feature) - tree.objective for feature in range(case.X.shape[1])]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_range_over_all_trees_has_that_of_each():
    case, trees = as_good_at_costs(1, slack=2)
    found = reliance(trees, case.X.shape[1])
    each = np.array([reliance_of(trees, trees.shape(i), case.X.shape[1]) for i in range(trees.n_trees)])
    assert found.is_exact
    np.testing.assert_array_equal(found.least, each.min(axis=0))
    np.testing.assert_array_equal(found.most, each.max(axis=0))


def test_of_many_trees_some_are_drawn_and_their_range_lies_within_that_of_all():
    case, trees = as_good_at_costs(0, slack=3)
    every, some = (reliance(trees, case.X.shape[1], limit) for limit in (trees.n_trees, 3))
    assert trees.n_trees > 3
    assert not some.is_exact
    assert (some.least >= every.least).all()
    assert (some.most <= every.most).all()


# Cards of trees as good: each function once, thresholds as ranges; and trees that do without a feature
@pytest.fixture(scope="module")
def iris():
    table = samples.load("iris")
    return as_good_of_table(table.X, table.y, 1, max_depth=2, max_thresholds=10)


def test_thresholds_in_one_gap_are_a_range_of_one_card():
    X, y = np.array([[0.0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 3]]), np.array([0, 0, 0, 0, 0, 1])
    _, trees = as_good_of_table(X, y, 0, max_depth=2)
    # Where x is 1, y is 0 or 3, and any of its three thresholds parts these: one gap. Where y is asked first, they
    # send other rows to other leaves, but answer them alike; the one in the middle is the first card's function.
    in_gap = ((0, 1), ((0.5, 0.5), (0.5, 2.5)))
    assert ranges_of(trees, slight=0) == {in_gap, ((1, 0), ((0.5, 2.5), (0.5, 0.5)))}


def test_one_row_of_49_is_a_49th_of_all_rows():
    X = np.arange(49.0)[:, None]
    _, trees = as_good_of_table(X, X[:, 0] > 24, 1, max_depth=1, max_thresholds=None)
    assert [one.n_functions for one in cards_of(trees, slight=1 / 49).cards] == [3]  # 1 / 49 * 49 is less than 1


def ranges_of(trees, slight):
    """The columns and the ranges of thresholds of each card."""
    found = set()
    for card in cards_of(trees, slight=slight).cards:
        feature = trees.near(card.first).tree.feature
        found.add((tuple(feature[feature != LEAF].tolist()), card.ranges))
    return found


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


@pytest.mark.parametrize("slight", [0.0, SLIGHT, 0.1, 1.0])
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
    found = cards_of(trees) if slight == SLIGHT else cards_of(trees, slight=slight)
    assert [[one.first, one.n_functions, one.n_trees, one.n_differ] for one in found.cards] == cards
    assert sum(one.n_trees for one in found.cards) == trees.n_trees
    assert (found.n_functions, found.n_listed, found.is_all) == (len(set(functions)), trees.n_trees, True)


def test_the_ranges_of_a_card_stand_in_the_order_of_the_nodes_and_hold_its_best_tree(iris):
    _, trees = iris
    for card in cards_of(trees).cards:
        tree = trees.near(card.first).tree
        cuts = tree.threshold[tree.feature != LEAF]
        assert all(low <= cut <= high for (low, high), cut in zip(card.ranges, cuts, strict=True))


def test_a_limit_or_a_stop_ends_the_list_and_says_so(iris):
    _, trees = iris
    found = cards_of(trees, limit=10)
    assert (found.n_listed, found.is_all) == (10, False)
    assert cards_of(trees, progress=Progress(is_stopped=True)).n_listed == 0


@pytest.mark.parametrize("seed", range(4))
def test_trees_without_a_feature_are_counted_as_a_list_of_all_trees_counts_them(seed):
    case, _, trees = as_good(seed, max_depth=3 if seed < 2 else 2)
    n_features, counts = case.X.shape[1], [0] * case.X.shape[1]
    for number in range(trees.n_trees):
        asked = {trees.questions.feature[split.place] for split in splits_of(trees.tree(number))}
        for feature in set(range(n_features)) - asked:
            counts[feature] += 1
    assert trees_without(trees, n_features) == counts
