"""What pandas and files hand over may be read-only or have gaps: no kernel is compiled anew for that."""

import sys
from typing import Any

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

from espalier import learners
from espalier.analysis.reliability.counterfactuals import change_search, seek
from espalier.analysis.reliability.smallest_change import other_class
from espalier.data import samples
from espalier.predict import shares

N = 90
NAMES = ("Cart", "Cultivated", "Oblique", "ModelTree", "Optimal", "RandomForest", "ExtraTrees", "GradientBoosting")
FEW = {"n_estimators": 3, "random_state": 0}
MORE = {"RandomForest": FEW | {"oob_score": True}, "ExtraTrees": FEW, "GradientBoosting": FEW}


def compiled() -> dict[str, int]:
    """Return for how many kinds of arguments each kernel is compiled here."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("espalier.kernels")]
    kernels = {
        f"{one.py_func.__module__}.{one.py_func.__qualname__}": len(one.signatures)
        for module in modules
        for one in vars(module).values()
        if isinstance(one, CPUDispatcher)
    }
    return {name: n for name, n in kernels.items() if n}


def hard_to_write(values: np.ndarray, step: int) -> np.ndarray:
    """Return the same numbers, read-only, each so many places after the one before it."""
    view = np.repeat(values, step)[::step]
    view.flags.writeable = False
    return view


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("name", NAMES)
def test_read_only_targets_and_weights_with_or_without_gaps_need_no_other_kernels(name, kind, step):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(N, 3)), rng.random(N) + 0.5
    y = X[:, 0] + rng.normal(size=N)
    y = (y > 0).astype(np.int64) if kind == "Classifier" else y
    make: Any = getattr(learners, name + kind)
    model = make(max_depth=2, **MORE.get(name, {}))
    plain = model.fit(X, y, sample_weight=weight).predict(X)
    before = compiled()
    given = model.fit(X, hard_to_write(y, step), sample_weight=hard_to_write(weight, step)).predict(X)
    assert compiled() == before
    assert np.array_equal(given, plain)


def test_a_row_of_a_table_needs_no_other_kernels_for_the_search_of_its_smallest_change():
    iris = samples.load("iris")
    forest = (
        learners.RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0).fit(iris.X, iris.y).forest_
    )
    tell = (lambda X: shares(forest, X), other_class(0, forest.prior))

    def least(x: np.ndarray) -> Any:
        return seek(change_search(iris, forest, x, tell), forest, shares(forest, x[np.newaxis])[0], 0)

    plain = least(iris.X[0].copy())
    before = compiled()
    assert least(iris.X[0]) == plain
    assert compiled() == before
