"""Numbers whose squares are beyond all numbers cannot be learned: every regressor says so, and which."""

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


def made(kind):
    return kind(lambda rows: 1.7e308 * np.sign(rows[:, 0] - 2)) if "Approximation" in kind.__name__ else kind()


def test_all_regressors_are_found():
    assert {"CartRegressor", "RandomForestRegressor"} <= {kind.__name__ for kind in REGRESSORS}


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_targets_near_the_end_of_all_numbers_are_refused_with_a_sentence(kind):
    y = 1.7e308 * np.sign(X[:, 0] - 2)
    with pytest.raises(ValueError, match=r"as large as 1\.7e\+308; the limit is 1e\+150"):
        made(kind).fit(X, y)


def test_targets_up_to_the_limit_are_learned():
    y = 1e150 * np.sign(X[:, 0] - 2.5)
    assert learners.CartRegressor().fit(X, y).predict(X) == pytest.approx(y)
