"""Emulated replications: fluctuations and variances against obvious versions, trees against real replications."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression

from espalier.kernels.approximation.better_split_test import Candidates, add_up, variances
from espalier.kernels.approximation.emulation import count_cells, fluctuate
from espalier.learners import (
    ApproximationClassifier,
    ApproximationRegressor,
    CartClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.approximation.emulated_node import Draws, field_of, split_tests
from espalier.learners.approximation.emulation import emulate
from espalier.learners.approximation.replication import Inline, inputs_of, regrow
from espalier.learners.approximation.split_test import Rule
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive.approximation import fixed_variance, full_variance
from tests.tools.same_trees import are_same

IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
RNG = np.random.default_rng(0)
SQUARE = RNG.random((80, 2))
CORNER = (SQUARE.sum(axis=1) + RNG.normal(0, 0.3, 80) > 1).astype(int)
SAMPLES = RNG.integers(0, 3, (2, 600)).astype(np.uint16)  # bins of two columns with two splits each
LABELS = (RNG.random((600, 2)) + SAMPLES.T @ [[0.3, 0.0], [0.1, 0.2]]) / 3
START = np.array([0, 2, 4])
SCALES = (np.zeros((2, 1)), np.zeros((2, 2)))
THRESHOLDS = np.array([0.5, 1.5, 0.5, 1.5])
PROSPECTS = Candidates(np.arange(2), START, THRESHOLDS, np.full((2, 64), -1), np.full(2, 3), *SCALES)


def rows_of(y):
    return np.column_stack([np.ones(len(y)), y, y[:, 0] ** 2, y[:, 1] * y[:, 0], y[:, 1] ** 2])


def in_bins(bins, rows):
    return np.concatenate([[rows[column == b].sum(axis=0) for b in range(3)] for column in bins])


def field(most=4000):
    """The samples as the pool of a node, and their own means as the exact ones."""
    mean = in_bins(SAMPLES, rows_of(LABELS)[:, :3]) / 600
    rule = Rule(0.1, 1000, most, False, 0.0, False)
    return field_of(PROSPECTS, mean[:3].sum(axis=0), mean, SAMPLES, LABELS, rule), rule


def emulated(model, n, n_jobs=1, **settings):
    with ThreadPoolExecutor(n_jobs) as pool:
        return emulate(inputs_of(model), list(range(n)), pool, Progress(), **settings)


def real(model, n):
    inputs = inputs_of(model)
    return [regrow(inputs, 1000 + i, Progress()) for i in range(n)]


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("best", range(4))
def test_the_variance_of_every_split_against_the_best_is_that_of_the_paper(best, fixed):
    left = [SAMPLES[column] <= cut for column in range(2) for cut in range(2)]
    sums, found = np.zeros((6, 2, 6)), np.empty(4)
    count_cells(SAMPLES, rows_of(LABELS), (~left[best]).astype(np.uint8), START, sums)
    variances(START, add_up(START, sums), fixed, found)
    naive = fixed_variance if fixed else full_variance
    expected = [-1.0 if i == best else naive(LABELS, left[best], left[i]) for i in range(4)]
    assert found == pytest.approx(expected, rel=1e-9)


def test_sums_fluctuate_as_those_of_independent_samples_do():
    made, _ = field()
    n_draws = 20_000
    drawn = np.zeros((n_draws, 6, 3))
    fluctuate(made.bins, made.factor, made.start, np.arange(n_draws).astype(np.uint64) * np.uint64(7919), drawn)
    each = np.concatenate(
        [(column == b)[:, None] * rows_of(LABELS)[:, :3] for column in SAMPLES for b in range(3)], 1
    )
    expected = each.T @ each / len(each)
    spread = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()) + expected**2)
    error = (np.cov(drawn.reshape(n_draws, -1).T) - expected) / np.where(spread > 0, spread, 1)
    assert np.abs(error).max() < 5 / np.sqrt(n_draws)


def test_contests_have_just_as_many_samples_as_they_ask_for_and_means_that_are_exact():
    made, rule = field()
    outcomes = split_tests(made, rule, Draws(np.arange(400, dtype=np.uint64), Inline()))
    sums = np.array([outcome.sums for outcome in outcomes])
    n = np.array([outcome.n_samples for outcome in outcomes])
    assert sums[:, 0, 0] == pytest.approx(n)
    assert sums[:, 1] + sums[:, 2] == pytest.approx(sums[:, 0])
    z = (sums[:, 0, 1:3] / n[:, None] - LABELS.mean(axis=0)) * np.sqrt(n)[:, None] / LABELS.std(axis=0)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(400)
    assert z.std(axis=0) == pytest.approx([1, 1], abs=0.15)


def test_the_mass_of_bins_is_the_exact_one_even_where_the_pool_has_another():
    mean = in_bins(SAMPLES, rows_of(LABELS)[:, :3]) / 600
    part = slice(0, 150)
    rule = Rule(0.1, 1000, 4000, False, 0.0, False)
    made = field_of(PROSPECTS, mean[:3].sum(axis=0), mean, SAMPLES[:, part], LABELS[part], rule)
    for column in range(2):
        mass = np.bincount(made.bins[column], made.cells[:, 0])
        assert mass == pytest.approx(mean[3 * column : 3 * column + 3, 0], abs=1e-3)


def distance(one, other):
    """Total variation between two lists."""
    a, b = Counter(one), Counter(other)
    return sum(abs(a[k] / len(one) - b[k] / len(other)) for k in {*a, *b}) / 2


def unlike(one, other):
    """How large their distance would be, in one case of a thousand, if chance alone made the two lists differ."""
    rng, both = np.random.default_rng(0), [*one, *other]
    shuffled = ([both[i] for i in rng.permutation(len(both))] for _ in range(2000))
    return np.quantile([distance(some[: len(one)], some[len(one) :]) for some in shuffled], 0.999)


@pytest.mark.parametrize("at_limit", ["best", "order"])
def test_emulated_trees_are_as_frequent_as_real_ones(at_limit):
    forest = RandomForestClassifier(n_estimators=8, max_depth=4, random_state=0).fit(SQUARE, CORNER)
    model = ApproximationClassifier(
        forest, max_depth=2, initial_samples=2000, max_samples=8000, at_limit=at_limit, bandwidth=0.1
    )
    model.fit(SQUARE)
    kinds, n_samples, decided, values = [], [], [], []
    for grown in (emulated(model, 150, n_pool=40_000), real(model, 150)):
        kinds.append([(int(tree.feature[0]), float(tree.threshold[0])) for tree, _ in grown])
        n_samples.append([considered.n_samples[0] for _, considered in grown])
        decided.append([considered.decided[0] for _, considered in grown])
        values.append([tree.value[0, 1] for tree, _ in grown])
    assert len(set(kinds[1])) > 2
    assert distance(*kinds) < unlike(*kinds)
    for one, other in (n_samples, decided, values):
        error = np.sqrt(np.var(one) / len(one) + np.var(other) / len(other))
        assert abs(np.mean(one) - np.mean(other)) <= 4 * error


def test_a_tree_is_always_approximated_by_itself():
    original = CartClassifier(max_depth=2).fit(IRIS, SPECIES)
    model = ApproximationClassifier(original, max_depth=2, initial_samples=2000, max_samples=20_000).fit(IRIS)
    inner = original.tree_.feature != LEAF
    for tree, considered in emulated(model, 10, n_pool=5000):
        assert tree.feature.tolist() == original.tree_.feature.tolist()
        assert tree.threshold[inner].tolist() == original.tree_.threshold[inner].tolist()
        assert considered.decided[0]


def test_threads_change_nothing():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS, SPECIES)
    model = ApproximationClassifier(forest, max_depth=3, initial_samples=1000, max_samples=30_000).fit(IRIS)
    one, other = emulated(model, 6, n_pool=10_000), emulated(model, 6, n_jobs=3, n_pool=10_000)
    for (tree, _), (again, _) in zip(one, other, strict=True):
        assert are_same(tree, again)


def test_trees_and_records_fit_together_for_numbers_categories_and_missing_values():
    X, y = (np.asarray(a) for a in load_diabetes(return_X_y=True))
    X = np.column_stack([X[:, :3], np.digitize(X[:, 3], [-0.04, 0, 0.04])])
    X[::7, 0] = np.nan
    forest = RandomForestRegressor(n_estimators=5, max_depth=4, categorical_features=[3], random_state=0).fit(X, y)
    model = ApproximationRegressor(
        forest, max_depth=3, initial_samples=500, max_samples=9000, categorical_features=[3]
    ).fit(X)
    for tree, considered in emulated(model, 5, n_pool=3000):
        check_tree(tree)
        split = np.flatnonzero(tree.feature != LEAF)
        first = considered.runners.start[split]
        assert considered.runners.feature[first].tolist() == tree.feature[split].tolist()
        assert (considered.p_value[considered.decided] < model.alpha).all()
        assert (considered.n_samples[split][~considered.decided[split]] == model.max_samples).all()
        assert tree.value[0, 0] == pytest.approx(model.tree_.value[0, 0], rel=0.1)
        assert tree.depth <= 3


def test_a_model_that_is_no_forest_of_ours_and_a_signal_to_stop():
    other = ApproximationClassifier(LogisticRegression().fit(SQUARE, CORNER), max_depth=1, max_samples=1000)
    with pytest.raises(ValueError, match="the model is LogisticRegression"):
        emulated(other.fit(SQUARE), 2)
    tree = ApproximationClassifier(CartClassifier(max_depth=2).fit(IRIS, SPECIES), max_samples=1000).fit(IRIS)
    assert emulate(inputs_of(tree), [0, 1], Inline(), Progress(is_stopped=True)) == []
