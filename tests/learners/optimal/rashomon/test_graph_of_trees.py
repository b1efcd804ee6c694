"""The and-or graph of trees as good, and trees built by hand within it: against every tree, and by law."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from espalier.learners.base import TrainingData
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.rashomon import StoppedEarly, graph, most_trees_as_good, trees_as_good
from espalier.learners.optimal.rashomon.building import TreeBuilding
from espalier.learners.optimal.rashomon.graph import ChosenSplit
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import ColumnSplit, build_tree
from espalier.progress import Progress
from tests.learners.optimal.test_optimal_trees import KINDS, XOR, fitted, unit
from tests.tools.naive.as_good import table_of, trees_within
from tests.tools.naive.optimal import random_case
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
    table = table_of(model.questions_, case, leaf_share)
    expected = trees_within(table, slack, model.max_depth, model.max_splits)
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


def mixed(seed, n=12):
    """A number, a number with gaps and a category."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 3)).astype(float)
    X[rng.random(n) < 0.25, 1] = np.nan
    return unit(X, np.append(rng.integers(0, 2 + seed % 2, n - 1), 1))


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
def test_numbers_categories_and_missing_values_make_each_tree_once(seed):
    assert_all_are_there(mixed(seed), seed % 3, max_depth=2, categorical_features=[2])


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
    case = mixed(1, 8)
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
    below, at, beyond = (trees_as_good(model, model.prepare(X, y, weight), slack) for slack in (0.2, 0.21, 0.215))
    assert below.sizes != at.sizes == beyond.sizes  # 0.21 * (1 / 0.07) is a little less than 3


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
