"""Forests, replicates, folds and approximations are the same bits wherever their tasks run."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.analysis import Folds, Plan, Redraw, deal, pruning_sequence, replicate, replications, validate
from espalier.data import samples
from espalier.executors import executor
from espalier.learners import BaggedForestClassifier, RandomForestClassifier, SubspaceForestClassifier
from espalier.reliability.reliability import ask
from tests.tools.dask_cluster import cluster, wait_for_workers

IRIS = samples.load("iris")
SMALL = learners.CartClassifier(max_depth=2)
FORESTS = (
    RandomForestClassifier(n_estimators=20, oob_score=True, random_state=0),
    RandomForestClassifier(n_estimators=5, max_leaf_nodes=4, random_state=0),
    learners.ExtraTreesClassifier(n_estimators=9, random_state=0),
    learners.CultivatedForestClassifier(n_estimators=3, bootstrap=True, random_state=0),
    BaggedForestClassifier(SMALL, 9, voting="oob", random_state=0),
    SubspaceForestClassifier(SMALL, 9, random_state=0),
    learners.RootForestClassifier(SMALL, 9, random_state=0),
    learners.RandomForestRegressor(n_estimators=9, random_state=0),
    learners.CultivatedForestRegressor(n_estimators=3, random_state=0),
)


def forest_of(estimator):
    def grow(workers):
        fitted = estimator.fit(IRIS.X, IRIS.y, executor=workers)
        seen = fitted.in_bag() if hasattr(fitted, "in_bag") else None
        return [tuple(tree) for tree in fitted.forest_.trees], fitted.forest_.weight, seen

    return grow


def replicates_of(estimator, redraw):
    def grow(workers):
        found = replicate(estimator, IRIS, Plan(redraw, 9, seed=1), executor=workers)
        return found.numbers, [tuple(tree) for tree in found.trees]

    return grow


def approximations(workers):
    model = learners.ApproximationClassifier(
        SMALL.fit(IRIS.X, IRIS.y), max_depth=2, random_state=0, max_samples=500
    )
    return [tuple(one.tree) for one in replications(model.fit(IRIS.X), 4, executor=workers)]


def folds(workers):
    return validate(LogisticRegression(max_iter=500), IRIS, Folds(4), executor=workers).predicted


def doubts(workers):
    return [one.answers for one in ask(SMALL, IRIS, Folds(3), executor=workers).tried]


def subtrees(workers):
    found = pruning_sequence(SMALL, IRIS.X, IRIS.y, deal(IRIS.y, Folds(4)), executor=workers)
    return found and tuple(found.validated)


WORK = {
    **{f"{type(one).__name__} {number}": forest_of(one) for number, one in enumerate(FORESTS)},
    "bootstrap replicates": replicates_of(SMALL, Redraw("bootstrap")),
    "replicates on subsamples": replicates_of(SMALL, Redraw("subsample", 0.8)),
    "cultivated replicates": replicates_of(learners.CultivatedClassifier(max_depth=2), Redraw("noise", 0.02)),
    "approximations": approximations,
    "folds": folds,
    "doubts": doubts,
    "subtrees": subtrees,
}


@pytest.mark.parametrize("forest", [
    SubspaceForestClassifier(draw="soft"), BaggedForestClassifier(decorrelated=True),
    learners.BoostedForestClassifier(), learners.GradientBoostingRegressor(),
], ids=lambda forest: type(forest).__name__)  # fmt: skip
def test_forests_whose_trees_depend_on_each_other_refuse_an_executor_by_name(forest):
    refused = pytest.raises(ValueError, match=rf"{type(forest).__name__}.*one after the other")
    with executor("threads", 1) as threads, refused:
        forest.fit(IRIS.X, IRIS.y, executor=threads)


def same(one, other):
    """Whether two results are equal to the bit, however deep their arrays stand."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return pickle.dumps(one) == pickle.dumps(other)


@pytest.fixture(scope="module")
def processes():
    with executor("processes", 2) as workers:
        yield workers


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    pytest.importorskip("distributed", reason="distributed is not installed")
    with cluster(tmp_path_factory.mktemp("cluster")) as address, executor(address) as workers:
        wait_for_workers(workers)
        yield workers


@pytest.mark.parametrize("name", WORK)
def test_threads_and_processes_give_what_one_thread_gives(name, processes):
    alone = WORK[name](None)
    with executor("threads", 2) as threads:
        assert same(alone, WORK[name](threads))
    assert same(alone, WORK[name](processes))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_a_cluster_gives_what_one_thread_gives(name, dask):
    assert same(WORK[name](None), WORK[name](dask))


def test_a_bit_that_differs_is_seen():
    assert same((np.array([1.0]), "a"), (np.array([1.0]), "a"))
    assert not same((np.array([0.0]), "a"), (np.array([-0.0]), "a"))
