"""Compiling ahead of use: what it compiles is what is used, so that no page compiles anything."""

import os
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from espalier import learners
from espalier.data import samples
from espalier.display.boundaries.surface import surface
from espalier.explanation.dependence import feature_curves
from espalier.explanation.shapley import shapley_interactions, shapley_values
from espalier.forests.growth import permutation_importance
from espalier.kernels import caches, compile_all
from espalier.kernels.optimal import depth_two, number_search
from espalier.learners import CartClassifier, GradientBoostingClassifier, RandomForestClassifier, catalogue
from espalier.learners.optimal import OptimalClassifier, OptimalRegressor
from espalier.paths import CHECKOUT, SOURCES
from espalier.predict import record_of, shares
from espalier.progress import Progress
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import change_search, seek
from tests.kernels.test_parts import all_kernels

PARTS: list[Any] = [depth_two.solve_children, number_search.best_pair]  # which only others call


def call_learners(stage):
    """Grow with every kind of model of the catalogue that waits for this stage."""
    settings = {"trees": 3, "depth": 3, "samples": 3000, "k": "all"}
    for kind in catalogue.KINDS:
        for serves in kind.serves if kind.stage == stage else ():
            data = samples.load("wine" if serves else "diabetes")
            there = {one.key for one in kind.for_target(serves)}
            model = catalogue.model(kind, {key: value for key, value in settings.items() if key in there})
            model.make(catalogue.CommonTerms.of(data, seconds=20)).fit(data.X, data.y).predict(data.X)


def view_surface():
    iris = samples.load("iris")
    tree = learners.CultivatedClassifier(k="all", max_depth=3).fit(iris.X, iris.y).tree_
    surface(tree, iris, (0, 1), iris.X[0], np.zeros(len(iris.y), dtype=bool))


def call_forests():
    X, y = load_iris(return_X_y=True)
    for target, learner in (
        (y, RandomForestClassifier),
        (y > 0, RandomForestClassifier),
        (y, learners.RandomForestRegressor),
    ):
        many = learner(n_estimators=3, oob_score=True, n_jobs=2).fit(X, target, progress=Progress())
        many.predict(np.where(X > 6, np.nan, X))
        learner(n_estimators=3).fit(np.round(X), target)
        many.predict(np.tile(X, (5, 1)))
        permutation_importance(many, X, target, sample_weight=np.linspace(0.5, 1, len(y)))


def boost():
    X, y = load_iris(return_X_y=True)
    for target, learner in (
        (y, GradientBoostingClassifier),
        (y > 0, GradientBoostingClassifier),
        (y, learners.GradientBoostingRegressor),
    ):
        model = learner(n_estimators=3, subsample=0.8, n_jobs=2, n_iter_no_change=2, categorical_features=[3])
        model.fit(np.round(X), target, sample_weight=y + 1, progress=Progress()).predict(X)
        model.set_params(max_leaf_nodes=None, subsample=1).fit(X, target)


def search_for_optimal_trees():
    X, y = load_iris(return_X_y=True)
    for labels in (y, y > 0):
        for depth, splits in ((2, None), (3, None), (4, None), (4, 5)):
            model = OptimalClassifier(max_depth=depth, max_splits=splits, max_thresholds=2).fit(X, labels)
            model.go_on().predict(X)
            assert list(model.optimal_trees(slack=1, limit=5))
        for weight in (1, 1000):
            every = OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, labels, np.full(len(X), weight))
            every.go_on()
    weighted = OptimalClassifier(max_depth=4, n_jobs=2, misclassification_cost=1.5 - 1.5 * np.eye(3))
    weighted.fit(X, y, sample_weight=np.linspace(0.1, 1, len(y)), progress=Progress())


def search_for_optimal_trees_of_numbers():
    X, _ = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        OptimalRegressor(max_depth=depth).fit(X[:, :3], X[:, 3])


def approximate():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    parameters: Any
    for parameters in ({"max_samples": 3000, "initial_samples": 1000}, {"method": "exact"}, {"variance": "fixed"}):
        learners.ApproximationClassifier(forest, max_depth=3, random_state=0, **parameters).fit(X)


def explain():
    X, y = load_iris(return_X_y=True)
    gaps = np.where(X > 6, np.nan, X)
    for model in (CartClassifier(missing="surrogate"), GradientBoostingClassifier(n_estimators=2)):
        record: Any = record_of(model.fit(gaps, y))
        shapley_values(record, gaps, n_jobs=2)
        shapley_interactions(record, gaps[:5])
        feature_curves(record, gaps, 2)
    iris = samples.load("iris")
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y).forest_
    changes = change_search(iris, forest, iris.X[0], (partial(shares, forest), other_class(0, forest.prior)))
    assert seek(changes, forest, shares(forest, iris.X[:1])[0], 0).is_certain


SEARCHES = search_for_optimal_trees, search_for_optimal_trees_of_numbers


def signatures():
    """What each kernel is compiled for, or loaded for from the disk."""
    return {name: set(kernel.signatures) for name, kernel in all_kernels().items()}


def use_all():
    """Compile stage after stage, and use the library, for which no kernel is compiled any more."""
    for stage, call in compile_all.STAGES.items():
        call()
        compiled = signatures()
        call_learners(stage)
        assert signatures() == compiled, stage
    compiled = signatures()
    for use in (call_forests, boost, *SEARCHES, approximate, explain, view_surface):
        use()
        assert signatures() == compiled, use.__name__
    assert not any(part.signatures for part in PARTS)


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_is_used_afterwards():
    """In a process of its own, where no other test has compiled anything."""
    code = "from tests.kernels import test_compile_all as uses; uses.use_all()"
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(CHECKOUT), str(SOURCES)])}
    subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, env=found, check=True)


def test_a_stage_is_warm_only_if_those_before_it_are(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "mark", lambda stage: tmp_path / stage.__name__ / "warm")

    def leave_mark(stage):
        compile_all.mark(stage).parent.mkdir()
        compile_all.mark(stage).touch()

    leave_mark("forest")
    assert not compile_all.is_warm("forest")
    leave_mark("cart")
    assert not compile_all.is_warm("cart")
    leave_mark("small")
    assert compile_all.is_warm("cart")
    assert compile_all.is_warm("forest")
    assert not compile_all.is_warm("linear")
    assert not compile_all.is_warm()


def test_stages_are_named_and_ordered_as_their_functions_are():
    assert [*compile_all.STAGES][:3] == ["small", "cart", "forest"]
    assert all(call.__name__ == f"call_{name}" for name, call in compile_all.STAGES.items())


CHILD = "import time; from espalier.kernels.compile_all import end_with; end_with({}); time.sleep(600)"
PARENT = f"""
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", {CHILD!r}.format(os.getpid())])
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.name == "nt", reason="there a process does not learn that its parent has ended")
def test_who_compiles_for_a_server_ends_with_it_however_that_ends():
    found = os.environ | {"PYTHONPATH": str(SOURCES)}
    killed = subprocess.run(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=found, timeout=120, check=False
    )
    assert killed.returncode == -9  # and the child, too, has let go of the pipe


def test_who_compiles_seldom_looks_for_unreachable_objects():
    program = (
        "import gc; from espalier.kernels import compile_all; compile_all.collect_seldom();"
        "before = gc.get_stats()[0]['collections']; kept = [[] for _ in range(50_000)];"
        "print(gc.get_stats()[0]['collections'] - before)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0"]


def test_only_what_is_compiled_is_loaded(monkeypatch):
    ran: list[str] = []
    stages = {name: partial(ran.append, name) for name in ("cart", "forest")}
    monkeypatch.setattr(compile_all, "STAGES", stages)
    monkeypatch.setattr(compile_all, "is_warm", lambda name: name == "cart")
    compile_all.load()
    assert ran == ["cart"]
