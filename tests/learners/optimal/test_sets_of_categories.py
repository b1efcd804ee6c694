"""Sets of categories in optimal trees of two classes: counts of trees as good, and what does not go with sets."""

from typing import Any

import numpy as np
import pytest

from espalier.analysis.reliability.as_good import possible_classes
from espalier.data import Feature, make_dataset
from espalier.data.binarise import Questions, every_question, every_set
from espalier.language import Refusal
from espalier.learners import BaggedForestClassifier
from espalier.learners.catalogue import CommonTerms, model, named
from espalier.learners.optimal import OptimalClassifier, threshold_search, trees_as_good
from espalier.learners.optimal.as_good import graph
from tests.tools.exhaustive.counts import sizes_within
from tests.tools.exhaustive.functions import MOST_CELLS, EveryFunction, Size, n_cells
from tests.tools.naive.as_good import table_of
from tests.tools.naive.optimal import Case
from tests.tools.selection import seeds

FEW, MANY = 0, 10**9  # questions from which on sorted columns are taken: always, and never


def table(seed: int) -> tuple[Case, np.ndarray]:
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
@pytest.mark.parametrize("in_columns", [FEW, MANY])
def test_trees_as_good_over_any_sets_are_as_many_as_can_be_written_down(in_columns, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", in_columns)
    monkeypatch.setattr(graph, "FEW_QUESTIONS", in_columns)
    n_listed = 0
    for seed in seeds[int(in_columns == MANY) :: 2]:
        case, categorical = table(seed)
        depth, slack = 1 + seed % 3, float(seed % 4)
        splits = min(2**depth - 1, int(np.random.default_rng(seed).integers(1, 9)))
        terms = {
            "max_depth": depth,
            "max_splits": splits,
            "max_thresholds": None,
            "categorical_features": categorical,
        }
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
    ("n_codes", "more"),
    [(3, {}), (4, {"max_thresholds": 5}), (4, {"max_thresholds": None, "binarisation": "forest"})],
)
def test_what_parts_no_sets_anyway_is_not_refused(limit, _name, n_codes, more):
    X, y = some_rows(n_codes)
    assert OptimalClassifier(categorical_features=[0], max_depth=2, **limit, **more).fit(X, y).proof_.proved


def test_of_three_classes_a_least_weight_is_not_refused():
    X, y = some_rows(5, 3)
    model = OptimalClassifier(categorical_features=[0], max_depth=2, min_weight_fraction_leaf=0.1)
    assert model.fit(X, y).proof_.every_set is False


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
    kind = named("optimal")
    terms = CommonTerms(True, columns=("c", "x"), categorical=np.array([True, False]), classes=("n", "p"))
    made = [model(kind, {"monotone": text}).make(terms) for text in ("", "x:rising")]
    assert [one.categories for one in made] == ["subset", "one-vs-rest"]
    X, y = some_rows(5)
    assert made[1].fit(X, y).proof_.every_set is False
