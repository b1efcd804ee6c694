"""Whoever gives a learner a parameter that it no longer has reads what to use instead."""

import inspect
import pickle
from typing import Any

import pytest
from sklearn.base import clone

import espalier.learners
from espalier.learners import OptimalRegressor

REMOVED: list[tuple[Any, str]] = [
    (OptimalRegressor, name) for name in ("criterion", "leaf_model", "shrinkage", "monotonic_cst")
]
LEARNERS = dict(REMOVED)


@pytest.mark.parametrize(("learner", "name"), REMOVED)
def test_a_removed_parameter_names_what_to_use_instead(learner, name):
    for give in (lambda: learner(**{name: None}), lambda: learner().set_params(**{name: None})):
        with pytest.raises(TypeError, match=f"no longer has the parameter {name}: ") as error:
            give()
        others = [other for other in espalier.learners.__all__ if other in str(error.value)]
        assert set(others) - {learner.__name__}


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_parameter_that_never_was_is_unknown_as_for_every_learner(learner):
    with pytest.raises(TypeError, match="unexpected keyword argument 'never'"):
        learner(never=2)
    with pytest.raises(ValueError, match="Invalid parameter 'never'"):
        learner().set_params(never=2)


@pytest.mark.parametrize(("learner", "name"), REMOVED)
def test_a_removed_parameter_is_none_of_those_that_a_copy_takes_over(learner, name):
    assert name not in inspect.signature(learner).parameters
    model = learner().set_params(max_depth=2)
    assert name not in model.get_params()
    copies: Any = clone(model), pickle.loads(pickle.dumps(model))
    for copy in copies:
        assert copy.get_params() == model.get_params()
