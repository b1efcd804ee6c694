"""Numbers whose squares are infinite, or all but zero, cannot be learned: every regressor says so, and which."""

import inspect

import numpy as np
import pytest

import espalier.learners as learners
from espalier.learners import approximation, forests

REGRESSORS = sorted(
    {
        value
        for module in (learners, forests, approximation)
        for name, value in vars(module).items()
        if name.endswith("Regressor") and isinstance(value, type)
    },
    key=lambda kind: kind.__name__,
)
X = np.arange(12.0)[:, None] % 5


def made(kind, y):
    return kind(lambda rows: np.resize(y, len(rows))) if "Approximation" in kind.__name__ else kind()


def test_all_regressors_are_found():
    assert {"CartRegressor", "RandomForestRegressor"} <= {kind.__name__ for kind in REGRESSORS}


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_targets_near_the_end_of_all_numbers_are_refused_with_a_sentence(kind):
    y = 1.7e308 * np.sign(X[:, 0] - 2)
    with pytest.raises(ValueError, match=r"as large as 1\.7e\+308; the limit is 1e\+150"):
        made(kind, y).fit(X, y)


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_targets_whose_squares_are_lost_are_refused_with_a_sentence(kind):
    y = 1e-160 * np.sign(X[:, 0] - 2)
    with pytest.raises(ValueError, match=r"further from 0 than 1e-160, and of numbers below 1e-150 the squares"):
        made(kind, y).fit(X, y)


def test_targets_that_are_all_zero_are_learned():
    assert not learners.CartRegressor().fit(X, np.zeros(12)).predict(X).any()


@pytest.mark.parametrize("size", [1e150, 1e-150])
def test_targets_up_to_the_limits_are_learned(size):
    y = size * np.sign(X[:, 0] - 2.5)
    assert learners.CartRegressor().fit(X, y).predict(X) == pytest.approx(y, rel=1e-12, abs=0)


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_a_step_far_from_zero_is_learned_as_one_near_it_but_for_the_rounding_of_its_mean(kind):
    """Sums are centred before they are squared, and small steps added before what is far from 0."""
    X, far = np.arange(60.0)[:, None], 1e15
    y = 8.0 * (X[:, 0] > 20)
    seeded = {"random_state": 0} if "random_state" in inspect.signature(kind).parameters else {}

    def predicted(start):
        if "Approximation" in kind.__name__:
            return kind(lambda rows: start + 8.0 * (rows[:, 0] > 20), **seeded).fit(X, start + y).predict(X)
        return kind(**seeded).fit(X, start + y).predict(X)

    assert predicted(far) - far == pytest.approx(predicted(0.0), abs=32 * np.spacing(far))
