"""The same folds for every model, out-of-fold scores, progress and cancel; and how large models are."""

import math
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, r2_score, roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_validate

from espalier.comparison.cross_validation import validate
from espalier.data import make_dataset, samples
from espalier.data.dataset import Feature
from espalier.data.folds import Folds, deal
from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, RandomForestClassifier
from espalier.progress import Progress
from espalier.tasks import PARTS
from espalier.tree.model_size import LONE_ROOT, Size, n_rules, size_of
from espalier.trees import Tree, is_leaf
from tests.tools import by_hand

IRIS = samples.load("iris")


@given(
    st.integers(2, 6), st.integers(1, 3), st.lists(st.integers(0, 3), min_size=6, max_size=60), st.integers(0, 9)
)
def test_every_row_is_tested_once_a_repeat_and_every_fold_has_its_share_of_every_class(
    n_folds, n_repeats, y, seed
):
    y = np.array(y)
    folds = [fold.rows for fold in deal(y, Folds(n_folds, n_repeats, seed))]
    assert len(folds) == n_folds * n_repeats
    for repeat in (folds[start : start + n_folds] for start in range(0, len(folds), n_folds)):
        assert sorted(np.concatenate(repeat)) == list(range(len(y)))
        for k in np.unique(y):
            counts = [np.count_nonzero(y[rows] == k) for rows in repeat]
            assert max(counts) - min(counts) <= 1
        assert max(map(len, repeat)) - min(map(len, repeat)) <= 1


@given(st.lists(st.floats(-9, 9), min_size=20, max_size=60))
def test_every_fold_has_its_share_of_small_and_great_numbers(y):
    y = np.array(y)
    order = np.sort(y)
    for fold in deal(y, Folds(5)):
        inside = np.sort(y[fold.rows])
        for i, value in enumerate(inside):  # one of every five neighbours
            assert order[5 * i] <= value <= order[min(5 * i + 4, len(y) - 1)]


def test_folds_follow_from_the_targets_and_the_plan_alone_and_what_a_model_cannot_do_is_raised():
    first, again, other = (deal(IRIS.y, Folds(10, 2, seed)) for seed in (0, 0, 1))
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.rows, b.rows) for a, b in zip(first, other, strict=True))
    assert not np.array_equal(first[0].rows, first[10].rows)
    with pytest.raises(ValueError, match="max_depth"):
        validate(CartClassifier(max_depth=-1), IRIS, Folds(3))
    with pytest.raises(ValueError, match="200 folds cannot be made of 150 rows"):
        validate(CartClassifier(), IRIS, Folds(200))


def test_two_models_are_tested_on_the_same_rows_and_trained_on_the_others():
    class Noting(DummyClassifier):
        seen: ClassVar[list] = []

        def fit(self, X, y, sample_weight=None):
            self.seen.append(("fit", X))
            return super().fit(X, y)

        def predict_proba(self, X):
            self.seen.append(("asked", X))
            return super().predict_proba(X)

    class NotingAlso(Noting):
        seen: ClassVar[list] = []

    plan = Folds(5, 2)
    for model in (Noting(), NotingAlso()):
        validate(model, numbered(), plan)
    assert len(Noting.seen) == 2 * plan.n_all
    for (what, a), (_, b) in zip(Noting.seen, NotingAlso.seen, strict=True):
        assert np.array_equal(a, b), what
    for (_, fit), (_, asked) in zip(Noting.seen[::2], Noting.seen[1::2], strict=True):
        assert sorted([*fit[:, 0], *asked[:, 0]]) == list(range(40))


def numbered():
    """Rows whose one feature is their number."""
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    return make_dataset("numbered", X, [Feature("number")], y, Feature("t", "category", ("a", "b")))


def test_scores_of_classes_and_of_numbers_are_scikit_learns_on_the_same_folds():
    data = samples.load("breast-cancer")
    found = validate(CartClassifier(max_depth=3), data, Folds(5))
    for tried, (_, rows, _) in zip(found.tried, deal(data.y, Folds(5)), strict=True):
        y, shares = data.y[rows], found.predicted[rows]
        assert found.scores("accuracy")[tried.number] == pytest.approx(accuracy_score(y, shares.argmax(axis=1)))
        assert found.scores("auc")[tried.number] == pytest.approx(float(roc_auc_score(y, shares[:, 1])))
        assert found.scores("brier")[tried.number] == pytest.approx(2 * float(brier_score_loss(y, shares[:, 1])))
        assert found.scores("log_loss")[tried.number] == pytest.approx(log_loss(y, shares))
    data = samples.load("diabetes")
    found = validate(CartRegressor(max_depth=3), data, Folds(4))
    for tried, (_, rows, _) in zip(found.tried, deal(data.y, Folds(4)), strict=True):
        error = data.y[rows] - found.predicted[rows, 0]
        assert found.scores("r2")[tried.number] == pytest.approx(r2_score(data.y[rows], found.predicted[rows, 0]))
        assert found.scores("rmse")[tried.number] == pytest.approx(math.sqrt(np.mean(error**2)))
        assert found.scores("mae")[tried.number] == pytest.approx(np.mean(np.abs(error)))


def test_out_of_fold_accuracy_is_scikit_learns_on_the_same_split_and_a_class_missing_there_has_no_share():
    number = np.empty(len(IRIS.y), np.int64)
    for fold in deal(IRIS.y, Folds(6)):
        number[fold.rows] = fold.number
    tree = CartClassifier(max_depth=2, random_state=0)
    theirs = cross_validate(tree, IRIS.X, IRIS.y, cv=PredefinedSplit(number))["test_score"]
    assert validate(tree, IRIS, Folds(6)).scores("accuracy") == pytest.approx(theirs)
    y = np.array([0] * 9 + [1] * 10 + [2])
    data = make_dataset(
        "rare", np.arange(20.0)[:, None], [Feature("x")], y, Feature("t", "category", tuple("abc"))
    )
    found = validate(CartClassifier(), data, Folds(4))
    assert found.is_complete
    assert found.predicted[19].sum() == pytest.approx(1)
    assert found.predicted[19, 2] == 0


def test_threads_and_processes_find_what_one_thread_finds():
    tree, plan = CartClassifier(max_depth=3, random_state=0), Folds(3)
    alone = validate(tree, IRIS, plan)
    with ThreadPoolExecutor(2) as pool:
        threads = validate(tree, IRIS, plan, pool)
    assert np.array_equal(alone.predicted, threads.predicted)
    assert [t.scores for t in alone.tried] == [t.scores for t in threads.tried]
    with ProcessPoolExecutor(1) as pool:
        found = validate(DummyClassifier(), IRIS, Folds(5), pool)  # five folds part 50 rows of a class evenly
    assert found.scores("accuracy") == pytest.approx([1 / 3] * 5)


class Slow(BaseEstimator):
    """Says the first class, after a while or when it is told to stop."""

    def __init__(self, gate: threading.Event):
        self.gate = gate

    def __sklearn_clone__(self):
        return self

    def fit(self, X, y, progress):
        self.classes_ = np.unique(y)
        while self.gate.is_set() and not progress.is_stopped:
            time.sleep(0.001)
        progress.done = len(y)
        return self

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), int)]


def test_every_fold_counts_the_same_for_progress_and_what_is_cancelled_before_it_begins_tries_nothing():
    progress = Progress()
    validate(Slow(threading.Event()), IRIS, Folds(3, 2), progress=progress)
    assert progress.done == 6 * PARTS
    gate, progress = threading.Event(), Progress(is_stopped=True)
    gate.set()
    found = validate(Slow(gate), IRIS, Folds(5), progress=progress)
    assert not found.tried
    assert np.isnan(found.predicted).all()


def test_a_cancelled_validation_ends_and_keeps_only_what_was_whole():
    gate, progress = threading.Event(), Progress()
    with ThreadPoolExecutor(1) as caller:
        started = caller.submit(validate, Slow(gate), IRIS, Folds(40, 5), None, progress)
        while progress.done < PARTS and not started.done():
            time.sleep(0.001)
        gate.set()  # from here on every fold waits to be stopped
        progress.stop()
        found = started.result(60)
    assert not found.is_complete or not gate.is_set()
    assert all(t.scores.n_samples > 0 for t in found.tried)
    assert np.count_nonzero(np.isfinite(found.scores("accuracy"))) == len(found.tried)


def naive_rules(tree: Tree, node=0):
    """The classes that the leaves below vote for, as they stand, with pairs under one split drawn together."""
    if tree.left[node] < 0:
        return [int(tree.value[node].argmax())]
    left, right = naive_rules(tree, tree.left[node]), naive_rules(tree, tree.right[node])
    return left if len(left) == len(right) == 1 and left == right else left + right


@pytest.mark.parametrize("depth", [1, 2, 4, None])
def test_rules_are_leaves_without_twins(depth):
    tree = CartClassifier(max_depth=depth, min_samples_leaf=3).fit(IRIS.X, IRIS.y).tree_
    assert n_rules(tree) == len(naive_rules(tree))


def test_sizes_by_hand_of_trees_of_a_forest_that_represents_its_trees_and_of_a_cultivated_tree_that_pools_many():
    tree = by_hand.admission()
    assert n_rules(tree) == 3 == tree.n_leaves
    same = tree._replace(value=np.tile([0.6, 0.4], (5, 1)))
    assert n_rules(same) == 1
    assert size_of(DummyClassifier().fit([[0]], [0])) == LONE_ROOT == Size(1, 1, 0)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(IRIS.X, IRIS.y)
    size = size_of(forest)
    assert size.log_trees == pytest.approx(2)
    assert size.leaves == sum(np.count_nonzero(is_leaf(tree)) for tree in forest.forest_.trees)
    cultivated = CultivatedClassifier().fit(IRIS.X, IRIS.y)
    assert size_of(cultivated).log_trees == log_ensemble_size(cultivated.tree_) > 0
    assert size_of(CartClassifier().fit(IRIS.X, IRIS.y)).log_trees == 0
