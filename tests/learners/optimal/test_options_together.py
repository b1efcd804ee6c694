"""The best trees with all options at once, against every tree there is; and sets of categories among them."""

from typing import Any

import numpy as np
import pytest

from espalier.data import Feature, make_dataset
from espalier.data.binarise import Questions, answers, every_question, every_set
from espalier.language import Refusal
from espalier.learners import BaggedForestClassifier
from espalier.learners.catalogue import CommonTerms, find_kind, model
from espalier.learners.optimal import OptimalClassifier, threshold_search, trees_as_good
from espalier.learners.optimal.rashomon import graph
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.reliability.reliability import possible_classes
from espalier.trees import LEAF
from tests.learners.optimal.test_monotone_optimal import assert_keeps
from tests.tools.exhaustive import MOST_CELLS, EveryFunction, EveryTree, Size, n_cells, sizes_within
from tests.tools.naive.as_good import table_of
from tests.tools.naive.optimal import Case, objective_of
from tests.tools.selection import seeds

WAYS = {OptimalSearch: 10**9, ThresholdSearch: 0}  # questions a column from which on sorted columns are searched
SHARES = (0, 0, 0.04, 0.1, 0.15, 0.2, 0.25, 0.34)  # of all weight in a leaf, at least


def table(rng, n_classes: int, tops: list[int]) -> Case:
    """A table of 8 to 20 rows with ties, now and then with gaps; its weights and costs have a common measure."""
    n = int(rng.integers(8, 21))
    X = np.column_stack([rng.integers(0, top, n) for top in tops]).astype(float)
    X[rng.random(X.shape) < rng.choice([0, 0, 0.12])] = np.nan
    follows = np.nansum(X, axis=1) + rng.normal(size=n) * 2
    y = np.digitize(follows, np.quantile(follows, np.arange(1, n_classes) / n_classes))
    y[:n_classes] = np.arange(n_classes)
    weights = [(1.0,), (1.0, 2.0, 3.0), (0.25, 0.7, 1.1), (1 / 3, 2 / 3, 5.0), (1.0, 10.0, 100.0)]
    cost = rng.integers(0 if n_classes > 2 else 1, 4, (n_classes, n_classes)).astype(float)
    cost[0, 1] = 1.0
    np.fill_diagonal(cost, 0)
    return Case(X, y, rng.choice(weights[rng.integers(0, len(weights))], n), cost)


def limits(rng, depth: int) -> tuple[dict[str, Any], Size]:
    splits, share = int(rng.integers(1, 2**depth)), float(rng.choice(SHARES))
    splits = splits if rng.random() < 0.6 else 2**depth - 1
    parameters = {"max_depth": depth, "max_splits": splits, "min_weight_fraction_leaf": share}
    return parameters | {"max_thresholds": None, "categories": "one-vs-rest"}, Size(depth, splits, share)


def assert_best(model, case: Case, best, place) -> None:
    proof = model.proof_
    assert (proof.proved, proof.lower_bound) == (True, proof.objective), place
    assert proof.objective == pytest.approx(best.objective), place
    assert np.count_nonzero(model.tree_.feature != LEAF) == best.n_splits, place
    assert objective_of(model.predict(case.X), case) == pytest.approx(best.objective), place


def assert_allows_for_rounding(proof, best, weight) -> None:
    assert proof.lower_bound - 1e-9 * weight <= best <= proof.objective + 1e-9 * weight
    assert proof.objective - proof.lower_bound <= 2e-3 * weight


@seeds(24, 120)
@pytest.mark.parametrize("way", WAYS)
def test_no_tree_of_any_number_of_splits_and_any_least_weight_is_better(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    monkeypatch.setattr(threshold_search, "LARGE", 14)  # from so many rows on, some tell where to begin
    monkeypatch.setattr(threshold_search, "SOME", 2)
    searched = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2 + seed % 2, [[9, 4], [20], [4, 3, 3]][seed % 3])
        parameters, size = limits(rng, 3 + seed // 3 % (3 if way is OptimalSearch else 2))
        categorical = rng.random(case.X.shape[1]) < 0.2
        parameters |= {"misclassification_cost": case.cost, "categorical_features": categorical}
        model = OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)
        every = EveryTree(answers(model.questions_, case.X), case, size.depth, size.leaf_share)
        assert_best(model, case, every.least(size.splits), seed)
        searched.append(isinstance(model.search_, way))
    assert np.mean(searched) > 0.9


@seeds(16, 100)
@pytest.mark.parametrize("way", WAYS)
def test_no_tree_that_keeps_to_directions_besides_is_better(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    n_tables = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2, [[7, 2], [4, 3], [12], [2, 2, 3]][seed % 4])
        parameters, size = limits(rng, 1 + seed // 4 % 4)
        directions = rng.integers(-1, 2, case.X.shape[1])
        directions[0] = directions[0] or 1
        categorical = (directions == 0) & (rng.random(len(directions)) < 0.5)
        parameters |= {"misclassification_cost": case.cost, "categorical_features": categorical}
        model = OptimalClassifier(monotonic_cst=directions, **parameters)
        model.fit(case.X, case.y, sample_weight=case.weight)
        if n_cells(model.questions_) <= MOST_CELLS:
            n_tables += 1
            assert_best(model, case, EveryFunction(model.questions_, case, size).least(directions), seed)
            assert_keeps(model, case.X, directions)
    assert n_tables > 0.75 * len(seeds)


@seeds(20, 60)
def test_where_weights_are_rounded_the_proof_allows_for_it(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2 + seed % 2, [[9, 4], [20], [4, 3, 3]][seed % 3])
        case = case._replace(weight=rng.random(len(case.y)) + 0.01)
        parameters, size = limits(rng, 3 + seed % 2)
        parameters |= {"misclassification_cost": case.cost, "min_weight_fraction_leaf": 0.0}
        model = OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)
        best = EveryTree(answers(model.questions_, case.X), case, size.depth).least(size.splits).objective
        assert_allows_for_rounding(model.proof_, best, case.weight.sum())


@seeds(12, 40)
@pytest.mark.parametrize("way", WAYS)
def test_a_row_of_a_weight_rounded_to_nothing_is_still_one_that_directions_are_kept_on(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2, [[7, 2], [4, 3], [12], [2, 2, 3]][seed % 4])
        weight = (rng.random(len(case.y)) + 0.5) * np.where(rng.random(len(case.y)) < 0.3, 1e-8, 1)
        case, size = case._replace(weight=weight), Size(3, 7)
        model = OptimalClassifier(max_depth=3, max_thresholds=None, monotonic_cst=[1] * case.X.shape[1])
        model.set_params(misclassification_cost=case.cost).fit(case.X, case.y, sample_weight=weight)
        if n_cells(model.questions_) <= MOST_CELLS:
            best = EveryFunction(model.questions_, case, size).least(np.ones(case.X.shape[1])).objective
            assert_allows_for_rounding(model.proof_, best, weight.sum())


def table_of_sets(seed: int) -> tuple[Case, np.ndarray]:
    """A column of up to six categories and maybe another one, some values missing; and which are categories."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    X = np.c_[rng.integers(0, rng.integers(3, 7), n), rng.integers(0, 3, n)].astype(float)
    X = X[:, : rng.integers(1, 3)]
    X[rng.random(X.shape) < rng.choice([0, 0.15])] = np.nan
    y, weight = np.append([0, 1], rng.integers(0, 2, n - 2)), rng.choice([1.0, 2.0, 3.0], n)
    return Case(X, y, weight, 1 - np.eye(2)), np.array([True, rng.random() < 0.5])[: X.shape[1]]


def over_every_set(case: Case, categorical: np.ndarray) -> Questions:
    sets = {feature: every_set(case.X[:, feature]) for feature in np.flatnonzero(categorical).tolist()}
    sets = {feature: masks for feature, masks in sets.items() if len(masks)}
    return every_question(case.X, categorical, sets)


@seeds(28, 200)
@pytest.mark.parametrize("in_columns", WAYS.values())
def test_trees_as_good_over_any_sets_are_as_many_as_can_be_written_down(in_columns, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", in_columns)
    monkeypatch.setattr(graph, "FEW_QUESTIONS", in_columns)
    n_listed = 0
    for seed in seeds[int(in_columns > 0) :: 2]:
        case, categorical = table_of_sets(seed)
        depth, slack = 1 + seed % 3, float(seed % 4)
        splits = min(2**depth - 1, int(np.random.default_rng(seed).integers(1, 9)))
        terms = {
            "max_depth": depth, "max_splits": splits, "max_thresholds": None, "categorical_features": categorical,
        }  # fmt: skip
        model = OptimalClassifier(**terms).fit(case.X, case.y, sample_weight=case.weight)
        trees = trees_as_good(model, model.prepare(case.X, case.y, case.weight), slack)
        questions = over_every_set(case, categorical)
        expected = sizes_within(table_of(questions, case), slack, depth, splits)
        assert {(size.objective, size.n_splits): size.n_trees for size in trees.sizes} == expected, seed
        if n_cells(questions) <= MOST_CELLS:
            n_listed += 1
            every = EveryFunction(questions, case, Size(depth, splits), are_equals_one=True)
            assert len(list(model.optimal_trees(slack, 10**6))) == every.n_within(slack), seed
    assert n_listed > 0.15 * len(seeds)


def stump_of_seven():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 7, (60, 1)).astype(float), rng.integers(0, 2, 60)
    return X, y, OptimalClassifier(max_depth=1, categorical_features=[0])


def test_a_stump_over_more_categories_than_whose_sets_are_all_asked_about_lists_no_others():
    X, y, model = stump_of_seven()
    model.fit(X, y)
    assert (model.proof_.every_set, model.lists_trees) == (True, False)
    with pytest.raises(Refusal, match="one-vs-rest"):
        model.optimal_trees()
    with pytest.raises(Refusal, match="more than 6 categories"):
        trees_as_good(model, model.prepare(X, y))
    single = model.set_params(categories="one-vs-rest").fit(X, y)
    assert single.lists_trees
    assert list(single.optimal_trees(limit=1))


def test_who_asks_for_trees_as_good_by_the_way_does_without_them_there():
    X, y, model = stump_of_seven()
    data = make_dataset(
        "t", X, [Feature("c", "category", tuple("abcdefg"))], y, Feature("y", "category", ("n", "p"))
    )
    rows = np.arange(60)
    assert possible_classes(model.fit(X, y), data, rows, rows) is None
    forest = BaggedForestClassifier(model, n_estimators=3, decorrelated=True).fit(X, y)
    assert forest.forest_.n_trees == 3


LIMITS: list[tuple[dict[str, Any], str]] = [
    ({"min_weight_fraction_leaf": 0.1}, "min_weight_fraction_leaf"),
    ({"monotonic_cst": [0, 1]}, "monotonic_cst"),
]


def some_rows(n_codes: int, n_classes: int = 2):
    rng = np.random.default_rng(0)
    X = np.c_[np.arange(60) % n_codes, rng.normal(size=60)]
    return X, np.append(np.arange(n_classes), rng.integers(0, n_classes, 60 - n_classes))


@pytest.mark.parametrize(("limit", "name"), LIMITS)
@pytest.mark.parametrize("more", [{}, {"max_depth": 1}, {"max_thresholds": None}, {"max_depth": 6}])
def test_sets_are_refused_beside_a_least_weight_and_directions_by_their_names(limit, name, more):
    X, y = some_rows(4)
    model = OptimalClassifier(categorical_features=[0], **limit, **more)
    with pytest.raises(Refusal, match=f'categories="subset" .* {name}: set categories="one-vs-rest"'):
        model.fit(X, y)
    model.set_params(categories="one-vs-rest", time_limit=0.1).fit(X, y)
    assert model.proof_.every_set is False


@pytest.mark.parametrize(("limit", "_name"), LIMITS)
@pytest.mark.parametrize(
    ("n_codes", "n_classes", "more"),
    [
        (3, 2, {}),
        (4, 2, {"max_thresholds": 5}),
        (4, 2, {"max_thresholds": None, "binarisation": "forest"}),
        (5, 3, {"monotonic_cst": None}),
    ],
)
def test_what_parts_no_sets_anyway_is_not_refused(limit, _name, n_codes, n_classes, more):
    X, y = some_rows(n_codes, n_classes)
    model = OptimalClassifier(categorical_features=[0], max_depth=2, **limit | more)
    assert model.fit(X, y).proof_.proved
    assert not model.proof_.every_set


def test_what_is_allowed_on_a_table_is_so_on_some_of_its_rows_whatever_their_number():
    """A search on fewer rows asks about more thresholds, and fewer categories occur there."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 9, 3000), rng.normal(size=(3000, 9))]
    y = rng.integers(0, 2, 3000)
    for n in (3000, 60):
        model = OptimalClassifier(categorical_features=[0], min_weight_fraction_leaf=0.1, time_limit=0.1)
        with pytest.raises(Refusal):
            model.fit(X[:n], y[:n])


def test_the_optimal_tree_of_the_catalogue_parts_single_categories_beside_monotone_columns():
    kind = find_kind("optimal")
    terms = CommonTerms(True, columns=("c", "x"), categorical=np.array([True, False]), classes=("n", "p"))
    made = [model(kind, {"monotone": text}).make(terms) for text in ("", "x:rising")]
    assert [one.categories for one in made] == ["subset", "one-vs-rest"]
    X, y = some_rows(5)
    assert made[1].fit(X, y).proof_.every_set is False
