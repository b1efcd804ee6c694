"""Every estimator that the library exports, small and quick: for laws that hold for all of them."""

import inspect
from typing import Any

from sklearn.base import clone

from espalier import learners
from espalier.predict import record_of

SMALL = {"n_estimators": 5, "initial_samples": 200, "random_state": 0}
DEPTHS = {"Cart": 4, "Optimal": 2, "Oblique": 3, "ModelTree": 3}
NAMES = [name for name in learners.__all__ if name.endswith(("Classifier", "Regressor"))]


def small(name: str, **settings: Any) -> Any:
    """The estimator of this name with few trees, few samples and a seed, where it has such parameters."""
    make = getattr(learners, name)
    kind = name.removesuffix("Classifier").removesuffix("Regressor")
    there = inspect.signature(make).parameters
    usual = SMALL | {"max_depth": DEPTHS.get(kind)} if kind in DEPTHS else SMALL
    if kind == "Approximation":
        usual = usual | {"model": small(name.replace(kind, "Cart")), "max_depth": 3, "max_samples": 400}
    return make(**{key: value for key, value in usual.items() if key in there} | settings)


def unfitted(model: Any) -> Any:
    """A copy with the same parameters."""
    return clone(model)


def is_classifier(model: Any) -> bool:
    return hasattr(model, "predict_proba")


def answers(model: Any, X: Any) -> Any:
    """Shares of classes, or numbers."""
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def trees_of(model: Any) -> Any:
    """The tree of a fitted estimator, or those of its forest."""
    record = record_of(model)
    return getattr(record, "trees", (getattr(record, "tree", record),))


def every(*without: str) -> list[Any]:
    """One small estimator of each name, but for those that contain one of these words."""
    return [small(name) for name in NAMES if not any(word in name for word in without)]


def ids(model: Any) -> str:
    """The name of an estimator, for `pytest.mark.parametrize`."""
    return type(model).__name__
