"""The size of a tree by cross-validation: a naive version, rpart's standard error, and the two rules."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from espalier.analysis import Folds, deal, pruning_sequence, subtree_errors
from espalier.analysis.tree.pruning import PruningSequence, SubtreeErrors, sequence_parts
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.pruning import PruningPath, prune, pruning_path
from espalier.predict import predictions
from espalier.progress import Progress
from tests.tools.rpart_data import kyphosis


def table(seed, make, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 3)).astype(float)
    y = X[:, 0] + 3 * rng.normal(size=n)
    return X, y if make is CartRegressor else np.digitize(y, [2, 5])


def validated(estimator, X, y, folds) -> PruningSequence:
    found = pruning_sequence(estimator, X, y, folds)
    assert found is not None
    return found


def losses(said, y):
    return (said - y) ** 2 if y.dtype.kind == "f" else (said != y).astype(float)


def fitted(estimator, X, y, **parameters):
    anew: Any = clone(estimator)
    return anew.set_params(**parameters).fit(X, y)


def naive_errors(estimator, X, y, folds):
    """Each subtree's losses on all folds: fitted anew for every fold and every alpha."""
    alpha = pruning_path(fitted(estimator, X, y).tree_).alpha
    between = [*np.sqrt(alpha[:-1] * alpha[1:]), 1e9]
    found = np.zeros((len(alpha), len(y)))
    for fold in folds:
        rest, rows = np.flatnonzero(fold.fitted_to), fold.rows
        for i, price in enumerate(between):
            pruned = fitted(estimator, X[rest], y[rest], ccp_alpha=price)
            found[i, rows] = losses(pruned.predict(X[rows]), y[rows])
    return found


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([CartClassifier, CartRegressor]))
def test_errors_are_those_of_trees_fitted_anew_at_every_price(seed, make):
    X, y = table(seed, make)
    folds, estimator = deal(y, Folds(4, seed=seed)), make(max_depth=4)
    found = validated(estimator, X, y, folds)
    naive = naive_errors(estimator, X, y, folds)
    assert found.validated.error == pytest.approx(naive.mean(axis=1))
    assert found.validated.standard_error == pytest.approx(naive.std(axis=1) / np.sqrt(len(y)))


def test_the_errors_of_subtrees_are_those_of_the_trees_themselves():
    X, y = table(5, CartClassifier)
    tree = CartClassifier().fit(X[::2], y[::2]).tree_
    errors = subtree_errors(tree, X[1::2], y[1::2])
    pruned = [prune(tree, alpha) for alpha in pruning_path(tree).alpha]
    assert errors.error.tolist() == [(predictions(one, X[1::2]) != y[1::2]).mean() for one in pruned]


def test_the_standard_error_of_the_root_is_the_one_that_rpart_prints():
    # xstd in the first line of the kyphosis table, in units of the root's error 17/81, is the same for all folds.
    X, y = kyphosis()
    found = validated(CartClassifier(min_samples_split=20, min_samples_leaf=7), X, y, deal(y, Folds(10)))
    assert found.validated.error[-1] / (17 / 81) == pytest.approx(1)
    assert (found.validated.standard_error[-1] / (17 / 81)).round(5) == 0.21559


def test_a_tree_exactly_one_standard_error_above_the_least_is_within_it_whatever_its_error_is_rounded_to():
    for least in range(50):
        for spread in range(50):
            errors = SubtreeErrors(np.array([least, least + spread]) / 100, np.full(2, spread / 100))
            assert errors.one_standard_error == 1, (least, spread)


def sequence(errors, spread):
    n = len(errors)
    path = PruningPath(np.arange(n, dtype=float), np.arange(n, 0, -1), np.zeros(n))
    both = SubtreeErrors(np.array(errors), np.full(n, spread))
    return PruningSequence(path, both, both)


def test_the_rules_choose_the_least_error_and_the_smallest_tree_within_a_standard_error():
    # Breiman et al. (1984, table 3.3) in small: the minimum lies in a flat valley.
    found = sequence([0.30, 0.28, 0.28, 0.29, 0.31, 0.50], 0.02)
    assert found.least == 2
    assert found.one_standard_error == 3


def test_without_spread_both_rules_choose_the_same_tree():
    found = sequence([0.3, 0.2, 0.4], 0.0)
    assert found.least == found.one_standard_error == 1


def test_labels_may_be_words_and_a_class_may_be_absent_from_a_fold():
    X, y = table(2, CartClassifier)
    words = np.array(["left", "middle", "rare"])[np.where(np.arange(len(y)) == 7, 2, y > 0)]
    found = validated(CartClassifier(), pd.DataFrame(X), words, deal(y, Folds(5)))
    assert 0 < found.validated.error[0] < 1
    assert found.training.error[0] <= found.training.error[-1]


def test_progress_counts_every_tree_and_a_stop_ends_it_without_a_sequence():
    X, y = table(1, CartRegressor)
    progress = Progress()
    assert pruning_sequence(CartRegressor(), X, y, deal(y, Folds(3)), progress) is not None
    assert progress.done == sequence_parts(3)
    assert pruning_sequence(CartRegressor(), X, y, deal(y, Folds(3)), Progress(is_stopped=True)) is None


def test_a_single_fold_and_no_samples_are_refused():
    X, y = table(1, CartRegressor)
    with pytest.raises(ValueError, match="at least two"):
        pruning_sequence(CartRegressor(), X, y, deal(y, Folds(2))[:1])
    with pytest.raises(ValueError, match="no rows"):
        subtree_errors(CartRegressor().fit(X, y).tree_, X[:0], y[:0])
