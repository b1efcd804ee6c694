"""Trees as good over every threshold, counted in sorted columns: those of pairs of questions, and by hand."""

import itertools

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.rashomon import StoppedEarly, graph, most_trees_as_good
from espalier.learners.optimal.rashomon.graph import ChosenSplit
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.progress import Progress
from tests.learners.optimal.rashomon.test_graph_of_trees import assert_all_are_there, unit
from tests.tools.selection import seeds


@pytest.fixture
def in_sorted_columns(monkeypatch):
    """Counting in sorted columns, however few the questions are."""
    monkeypatch.setattr(graph, "FEW_QUESTIONS", 0)


def table(seed, n=24, kind="numbers"):
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


def written(trees, tree):
    if not isinstance(tree, ChosenSplit):
        return tree
    asked = trees.questions.inputs.columns.question[list(tree.split.places)]
    return frozenset(asked.tolist()), written(trees, tree.yes), written(trees, tree.no)


@pytest.mark.parametrize("kind", ["numbers", "gaps", "classes"])
@pytest.mark.parametrize(("max_depth", "slack"), [(2, 2), (3, 0), (3, 1)])
@seeds(1, 4)
def test_the_trees_are_those_that_pairs_of_questions_give(kind, max_depth, slack, seeds, monkeypatch):
    for seed in seeds:
        X, y = table(seed, kind=kind)
        model = OptimalClassifier(max_depth=max_depth, max_thresholds=None).fit(X, y)
        if not isinstance(model.search_, ThresholdSearch):
            continue
        found = []
        for few in (0, 10**9):
            monkeypatch.setattr(graph, "FEW_QUESTIONS", few)
            found.append(trees_as_good(model, model.prepare(X, y), slack))
        one, other = found
        assert one.sizes == other.sizes
        numbers = range(min(one.n_trees, 3000))
        if one.n_trees == len(numbers):
            first, second = ({written(trees, trees.tree(n)) for n in numbers} for trees in found)
            assert first == second


@pytest.mark.usefixtures("in_sorted_columns")
def test_sets_of_categories_and_weights_count_too(monkeypatch):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 4, 150), rng.normal(size=150)]).astype(float)
    y, weight = (np.isin(X[:, 0], [1, 3]) ^ (X[:, 1] > 0.8)).astype(int), rng.integers(0, 3, 150).astype(float)
    model = OptimalClassifier(max_depth=2, max_thresholds=None, categorical_features=[0]).fit(X, y, weight)
    assert model.proof_.every_set
    assert isinstance(model.search_, ThresholdSearch)
    one = trees_as_good(model, model.prepare(X, y, weight), 2)
    monkeypatch.setattr(graph, "FEW_QUESTIONS", 10**9)
    assert one.sizes == trees_as_good(model, model.prepare(X, y, weight), 2).sizes


@pytest.mark.usefixtures("in_sorted_columns")
def test_trees_of_depth_four_are_counted_as_well(monkeypatch):
    X, y = table(1, n=21)
    model = OptimalClassifier(max_depth=4, max_thresholds=None).fit(X[:, :1], y)
    assert isinstance(model.search_, ThresholdSearch)
    one = trees_as_good(model, model.prepare(X[:, :1], y))
    monkeypatch.setattr(graph, "FEW_QUESTIONS", 10**9)
    assert one.sizes == trees_as_good(model, model.prepare(X[:, :1], y)).sizes


def of_many_questions():
    """A table with over a thousand questions, and an optimal tree of depth 3 over every threshold."""
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


def test_a_stop_ends_the_counting_and_other_samples_are_refused():
    X, y, model = of_many_questions()
    with pytest.raises(StoppedEarly):
        trees_as_good(model, model.prepare(X, y), 0, Progress(is_stopped=True))
    with pytest.raises(ValueError, match="not the samples"):
        trees_as_good(model, model.prepare(X + 1, y))
