"""Growing an approximation again and again: the same whatever the threads, streamed, and stopped when told."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from espalier.analysis.approximation.replication import replications, seeds_of
from espalier.learners import ApproximationClassifier, RandomForestClassifier
from espalier.learners.approximation.replication import inputs_of, regrow
from espalier.progress import Progress
from tests.tools.same_trees import are_same

IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
FOREST = RandomForestClassifier(n_estimators=10, random_state=0).fit(IRIS, SPECIES)
MODEL = ApproximationClassifier(FOREST, max_depth=3, initial_samples=500, max_samples=3000, random_state=0).fit(
    IRIS
)


def test_grown_again_from_the_same_seed_the_tree_is_the_one_that_was_fitted():
    tree, considered = regrow(inputs_of(MODEL), MODEL._seed(), Progress())
    assert are_same(tree, MODEL.tree_)
    assert np.array_equal(considered.p_value, MODEL.considered_.p_value, equal_nan=True)


def test_trees_depend_on_the_seed_alone_and_come_in_order():
    one = list(replications(MODEL, 6, seed=3))
    many = list(replications(MODEL, 8, seed=3, n_jobs=3))
    assert all(are_same(a.tree, b.tree) for a, b in zip(one, many, strict=False))
    assert not are_same(one[0].tree, one[1].tree)
    assert not are_same(one[0].tree, next(replications(MODEL, 1, seed=4)).tree)
    assert len(set(seeds_of(3, 100))) == 100


def test_the_fitted_approximation_is_left_as_it_was():
    asked = MODEL.oracle_.n_asked
    list(replications(MODEL, 2))
    assert asked <= MODEL.oracle_.n_asked <= asked + len(MODEL.table_.X)


def test_progress_counts_up_to_all_rows_of_all_replications():
    progress = Progress()
    grown = list(replications(MODEL, 5, 0, 2, progress))
    assert len(grown) == 5
    assert (progress.done, progress.is_stopped) == (5 * len(IRIS), False)


def test_told_to_stop_no_further_tree_comes():
    progress, asked = Progress(), []

    def chance(X):
        asked.append(len(X))
        return np.where(X[:, 0] > 5.8, 0.8, 0.2)

    model = ApproximationClassifier(chance, max_depth=2, initial_samples=500, max_samples=3000).fit(IRIS)
    asked.clear()
    stream = replications(model, 50, progress=progress)
    first = next(stream)
    progress.stop()
    assert list(stream) == []
    assert first.tree.n_nodes > 1
    per_tree = first.considered.n_samples.sum()
    assert sum(asked) < 25 * per_tree


def test_a_stream_that_is_left_ends_its_threads():
    stream = replications(MODEL, 200, n_jobs=2)
    next(stream)
    stream.close()
    with pytest.raises(StopIteration):
        next(stream)


def test_what_cannot_be_replicated_is_named():
    with pytest.raises(ValueError, match="replications is 0"):
        replications(MODEL, 0)
    with pytest.raises(NotFittedError):
        replications(ApproximationClassifier(FOREST), 2)
