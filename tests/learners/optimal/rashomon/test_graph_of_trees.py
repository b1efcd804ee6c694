"""Trees as good: their graph, trees built by hand within it, classes of rows and cards, against every tree."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from espalier.data import samples
from espalier.learners.base import TrainingData
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.rashomon import (
    StoppedEarly,
    cards_of,
    graph,
    least_objectives,
    most_trees_as_good,
    open_classes,
    reliance,
    summaries,
    trees_as_good,
)
from espalier.learners.optimal.rashomon.building import TreeBuilding
from espalier.learners.optimal.rashomon.graph import ChosenSplit, splits_of
from espalier.learners.optimal.rashomon.summaries import SLIGHT, answers_of, reliance_of, trees_without
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import ColumnSplit, build_tree
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import LEAF
from tests.learners.optimal.test_optimal_search import KINDS, XOR, fitted, table_of, unit
from tests.tools.naive import as_good as naive
from tests.tools.naive.optimal import grid_of, random_case
from tests.tools.selection import seeds


def as_good(model, case, slack=0, progress=None):
    return trees_as_good(model, model.prepare(case.X, case.y, case.weight), slack, progress)


def written(trees, shape, rows):
    """The tree as the naive version writes it."""
    if not isinstance(shape, ColumnSplit):
        return shape
    inputs = trees.questions.inputs
    bits, question = inputs.columns.bits[:, shape.column], inputs.columns.question[shape.column]
    ones = frozenset(row for row in rows if bits[row])
    sides = (ones, written(trees, shape.one, ones)), (rows - ones, written(trees, shape.zero, rows - ones))
    return int(inputs.questions.feature[question]), frozenset(sides)


def assert_all_are_there(case, slack, leaf_share=0.0, **parameters):
    """Exactly the naive version's trees, each once, in order, with the objectives that they have."""
    model = fitted(case, min_weight_fraction_leaf=leaf_share, **parameters)
    trees = as_good(model, case, slack)
    table = naive.table_of(model.questions_, case, leaf_share)
    expected = naive.trees_within(table, slack, model.max_depth, model.max_splits)
    everyone = frozenset(range(len(case.y)))
    found = [written(trees, trees.shape(number), everyone) for number in range(trees.n_trees)]
    assert len(found) == len(set(found))
    assert set(found) == {tree.written for tree in expected}
    near = [trees.near(number) for number in range(trees.n_trees)]
    order = [(round(tree.objective, 6), tree.n_splits) for tree in near]
    assert order == sorted(order)
    sizes = Counter((round(tree.objective, 6), tree.n_splits) for tree in expected)
    assert Counter(order) == sizes
    assert {(round(s.objective, 6), s.n_splits): s.n_trees for s in trees.sizes} == sizes
    return trees


def test_exclusive_or_has_two_trees_and_of_a_stump_both_leaves_may_change_their_class():
    assert assert_all_are_there(unit(XOR, [0, 1, 1, 0]), 0, max_depth=2).n_trees == 2
    # Without an error a | b; with one, nothing: each leaf has two rows. With two errors the other leaf's class on
    # both sides, which are the two constants; a split of the same two leaves is none.
    trees = assert_all_are_there(unit([[0], [0], [1], [1]], [0, 0, 1, 1]), 2, max_depth=1)
    assert [(size.objective, size.n_splits, size.n_trees) for size in trees.sizes] == [(0, 1, 1), (2, 0, 2)]


def test_thresholds_that_part_rows_alike_are_one_split_and_columns_two():
    # Once x has parted 0 from 1, only one row with y = 3 is left on the right: y is asked in one way there.
    X = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 3]]
    trees = assert_all_are_there(unit(X, [0, 0, 0, 0, 1]), 0, max_depth=2)
    [root] = [split for split in trees.root.splits if trees.questions.feature[split.place] == 0]
    [below] = root.no.splits or root.yes.splits
    assert len(below.places) == 3
    assert assert_all_are_there(unit([[0, 5], [1, 3]], [0, 1]), 0, max_depth=1).n_trees == 2


@pytest.mark.few(14)  # every third one: each kind, most of them with each depth
@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_has_every_tree_once_and_counts_them(kind, max_depth, slack):
    for seed in range(4 - max_depth):
        n_columns = 3 if max_depth == 3 else 4
        assert_all_are_there(random_case(seed, max_columns=n_columns, **KINDS[kind]), slack, max_depth=max_depth)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
def test_numbers_categories_and_missing_values_make_each_tree_once(seed):
    assert_all_are_there(table_of(seed, 12), seed % 3, max_depth=2, categorical_features=[2])


@pytest.mark.parametrize("max_splits", [0, 1, 2, 3, 4])
def test_trees_keep_to_the_limit_of_splits(max_splits):
    for seed in range(3):
        assert_all_are_there(random_case(seed, max_columns=3), 1, max_depth=3, max_splits=max_splits)


def test_leaves_keep_to_their_least_weight():
    for seed in range(6):
        assert_all_are_there(random_case(seed, max_columns=4), 2, leaf_share=0.2, max_depth=2)


def test_without_the_fewest_splits_the_trees_are_the_same():
    case = random_case(3, max_columns=4)
    some = [as_good(fitted(case, max_depth=2, fewest_splits=fewest), case, 1) for fewest in (True, False)]
    assert some[0].sizes == some[1].sizes


def test_four_levels_are_counted_as_three_are():
    case = table_of(1, 8)
    assert_all_are_there(case._replace(X=case.X[:, :1]), 1, max_depth=4)


def test_trees_are_drawn_with_equal_chances():
    case = random_case(1, max_columns=4)
    trees = as_good(fitted(case, max_depth=2), case, 2)
    drawn = Counter(trees.shape(number) for number in trees.draw(200 * trees.n_trees, seed=0))
    assert len(drawn) == trees.n_trees > 10
    assert chisquare(list(drawn.values())).pvalue > 0.01


def test_a_number_beyond_the_last_and_other_samples_than_those_of_the_fit_are_refused():
    case = unit(XOR, [0, 1, 1, 0])
    trees = as_good(fitted(case, max_depth=2), case)
    for number in (-1, trees.n_trees):
        with pytest.raises(IndexError):
            trees.shape(number)
    case = unit(XOR, [0, 1, 1, 0])
    model = fitted(case, max_depth=2)
    for X in (XOR[:2], np.zeros((4, 2))):
        with pytest.raises(ValueError, match="fitted to"):
            trees_as_good(model, TrainingData(X, case.y[: len(X)], np.ones(len(X))))


@pytest.fixture
def in_sorted_columns(monkeypatch):
    """Counting in sorted columns, however few the questions are."""
    monkeypatch.setattr(graph, "FEW_QUESTIONS", 0)


def numbers_table(seed, n=24, kind="numbers"):
    """Numbers without equal values, or with many of them and gaps, and classes that follow the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    if kind != "numbers":
        X = np.round(X * 8)
        X[rng.random(X.shape) < 0.15] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (kind == "classes") * (np.nan_to_num(X[:, 1]) > 0.3)
    y[rng.random(n) < 0.2] = rng.integers(0, 2)
    return X, np.append(y[:-1], 0)


@pytest.mark.usefixtures("in_sorted_columns")
@pytest.mark.few(5)
@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_every_tree_over_every_threshold_is_there_once(seed, slack):
    rng = np.random.default_rng(seed)
    X = rng.permutation(19).reshape(-1, 1)
    y = (X[:, 0] > 8).astype(int) ^ (rng.random(19) < 0.25)
    assert_all_are_there(unit(X, y), slack, max_depth=2, max_thresholds=None)


@pytest.mark.usefixtures("in_sorted_columns")
def test_a_slack_in_hundredths_of_a_row_has_the_trees_that_cost_as_much():
    X, weight = np.arange(19.0)[:, None], np.full(19, 0.07)
    y = (X[:, 0] > 8).astype(int)
    model = OptimalClassifier(max_depth=2, max_thresholds=None).fit(X, y, weight)
    assert isinstance(model.search_, ThresholdSearch)
    slacks = (0.2, 0.21, 0.215)  # 0.21 * (1 / 0.07) is a little less than 3
    below, at, beyond = (trees_as_good(model, model.prepare(X, y, weight), slack) for slack in slacks)
    assert below.sizes != at.sizes == beyond.sizes
    below, at, beyond = ([near.objective for near in model.optimal_trees(slack)] for slack in slacks)
    assert below != at == beyond


def written_by_questions(trees, tree):
    if not isinstance(tree, ChosenSplit):
        return tree
    asked = trees.questions.inputs.columns.question[list(tree.split.places)]
    return frozenset(asked.tolist()), written_by_questions(trees, tree.yes), written_by_questions(trees, tree.no)


def counted_both_ways(monkeypatch, model, samples, slack=0):
    """What is counted in sorted columns and by pairs of questions, which is the same."""
    found = []
    for few in (0, 10**9):
        monkeypatch.setattr(graph, "FEW_QUESTIONS", few)
        found.append(trees_as_good(model, model.prepare(*samples), slack))
    assert found[0].sizes == found[1].sizes
    return found


@pytest.mark.parametrize("kind", ["numbers", "gaps", "classes"])
@pytest.mark.parametrize(("max_depth", "slack"), [(2, 2), (3, 0), (3, 1)])
@seeds(1, 4)
def test_the_trees_are_those_that_pairs_of_questions_give(kind, max_depth, slack, seeds, monkeypatch):
    for seed in seeds:
        X, y = numbers_table(seed, kind=kind)
        model = OptimalClassifier(max_depth=max_depth, max_thresholds=None).fit(X, y)
        if not isinstance(model.search_, ThresholdSearch):
            continue
        ways = counted_both_ways(monkeypatch, model, (X, y), slack)
        n_trees = ways[0].n_trees
        if n_trees <= 3000:
            first, second = ({written_by_questions(one, one.tree(n)) for n in range(n_trees)} for one in ways)
            assert first == second


def test_sets_of_categories_and_weights_count_too(monkeypatch):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 4, 150), rng.normal(size=150)]).astype(float)
    y, weight = (np.isin(X[:, 0], [1, 3]) ^ (X[:, 1] > 0.8)).astype(int), rng.integers(0, 3, 150).astype(float)
    model = OptimalClassifier(max_depth=2, max_thresholds=None, categorical_features=[0]).fit(X, y, weight)
    assert model.proof_.every_set
    assert isinstance(model.search_, ThresholdSearch)
    counted_both_ways(monkeypatch, model, (X, y, weight), 2)


def test_trees_of_depth_four_are_counted_as_well(monkeypatch):
    X, y = numbers_table(1, n=21)
    model = OptimalClassifier(max_depth=4, max_thresholds=None).fit(X[:, :1], y)
    assert isinstance(model.search_, ThresholdSearch)
    counted_both_ways(monkeypatch, model, (X[:, :1], y))


def of_many_questions():
    """A numbers_table with over a thousand questions, and an optimal tree of depth 3 over every threshold."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
    y[:3] = 1 - y[:3]
    return X, y, OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, y)


def test_over_a_thousand_questions_all_are_asked_unless_some_are_enough():
    X, y, model = of_many_questions()
    assert len(model.questions_.feature) > 1000
    every, some = (trees_as_good(model, model.prepare(X, y), every=one) for one in (True, False))
    assert (every.is_every, some.is_every) == (True, False)
    assert every.n_trees >= some.n_trees
    assert len(every.questions.feature) > 1000 > len(some.questions.feature)
    best = {size.objective for size in every.sizes}
    assert best == {model.proof_.objective}


def test_where_the_graph_is_too_large_some_questions_are_asked_and_it_says_so():
    X, y, model = of_many_questions()
    n_splits = next(n for n in itertools.count(100, 100) if fits(model, X, y, n))
    assert not fits(model, X, y, n_splits - 100)
    trees = most_trees_as_good(model, model.prepare(X, y), 0, Progress(), n_splits)
    assert trees.is_every == fits(model, X, y, n_splits, every=True)


def fits(model, X, y, limit, every=False) -> bool:
    try:
        trees_as_good(model, model.prepare(X, y), 0, None, limit, every)
    except StoppedEarly:
        return False
    return True


def test_a_limit_of_splits_or_a_least_weight_asks_some_questions_from_depth_three_on():
    X, y, _ = of_many_questions()
    few = OptimalClassifier(max_depth=3, max_thresholds=None, max_splits=4)
    heavy = OptimalClassifier(max_depth=3, max_thresholds=None, min_weight_fraction_leaf=0.05)
    for model in (few.fit(X, y), heavy.fit(X, y)):
        assert not trees_as_good(model, model.prepare(X, y)).is_every


def test_a_stop_ends_the_counting_and_other_samples_are_refused(monkeypatch):
    X, y, model = of_many_questions()
    for few in (0, 10**9):  # in sorted columns, and by pairs of questions
        monkeypatch.setattr(graph, "FEW_QUESTIONS", few)
        with pytest.raises(StoppedEarly):
            trees_as_good(model, model.prepare(X, y), 0, Progress(is_stopped=True))
    with pytest.raises(ValueError, match="not the samples"):
        trees_as_good(model, model.prepare(X + 1, y))


def xor(slack=0):
    case = unit(XOR, [0, 1, 1, 0])
    return as_good(fitted(case, max_depth=2), case, slack)


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
    trees = as_good(fitted(case, max_depth=max_depth), case, 1)
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
    case = random_case(1, max_columns=4)
    trees = as_good(fitted(case, max_depth=3, max_splits=2), case, 2)
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


def test_what_was_decided_can_be_opened_again_and_its_text_brings_it_back():
    building = TreeBuilding(xor())
    decided = building.with_choice("", building.choices("")[0])
    assert decided.text != building.text
    assert decided.with_choice("", None).text == building.text == "o"
    assert TreeBuilding(xor(), building.finished().text).text == building.finished().text


def test_finished_it_is_the_best_tree_that_agrees():
    building = TreeBuilding(xor(slack=2))
    for choice in building.choices(""):
        whole = building.with_choice("", choice).finished()
        assert not [node for node in whole.nodes if node.tree is None]
        assert whole.objective == choice.objective


@pytest.mark.parametrize("text", ["", "x", "q0", "o.o", "q0.o", "c2", "q99.o.o", "c0", "q0.c0.c0", "o.", "-1"])
def test_a_text_that_no_tree_as_good_agrees_with_is_refused(text):
    with pytest.raises(ValueError, match="tree"):
        TreeBuilding(xor(), text)


def as_good_of_table(X, y, slack=0, **parameters):
    model = OptimalClassifier(**parameters).fit(X, y)
    return model, trees_as_good(model, model.prepare(X, y), slack)


def as_good_of_case(seed, slack=1, **parameters):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    return case, *as_good_of_table(case.X, case.y, slack, **parameters)


def every_answer(trees):
    """(n_trees, n_samples) and the objective of each."""
    near = [trees.near(number) for number in range(trees.n_trees)]
    answers = np.array([answers_of(trees, trees.shape(number)) for number in range(trees.n_trees)])
    return answers, np.array([tree.objective for tree in near])


def test_the_answers_of_a_shape_are_those_of_its_tree_and_rows_that_one_tree_answers_are_settled():
    case, model, trees = as_good_of_case(0, max_depth=2)
    assert (model.classes_[answers_of(trees, trees.shape(0))] != case.y).sum() == trees.near(0).objective
    found = open_classes(as_good_of_table(XOR, [0, 1, 1, 0], max_depth=2)[1])
    assert (found.ambiguity, found.discrepancy) == (0, 0)
    assert np.isfinite(found.objective).tolist() == [[True, False], [False, True], [False, True], [True, False]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_splits", [None, 1, 2])
def test_the_least_objective_of_each_answer_is_that_of_a_list_of_all_trees(seed, max_splits):
    case, _, trees = as_good_of_case(seed, max_depth=3 if seed < 2 else 2, max_splits=max_splits)
    answers, objective = every_answer(trees)
    found = open_classes(trees)
    for row in range(len(case.y)):
        for label in range(found.objective.shape[1]):
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
    case, _, trees = as_good_of_case(seed, max_depth=3 if seed == 1 else 2, max_splits=max_splits)
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
    case, _, trees = as_good_of_case(seed, max_depth=2)
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
    case, _, trees = as_good_of_case(seed, max_depth=3 if seed < 2 else 2)
    n_features, counts = case.X.shape[1], [0] * case.X.shape[1]
    for number in range(trees.n_trees):
        asked = {trees.questions.feature[split.place] for split in splits_of(trees.tree(number))}
        for feature in set(range(n_features)) - asked:
            counts[feature] += 1
    assert trees_without(trees, n_features) == counts
