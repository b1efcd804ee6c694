"""Numbers that floating point would round, and weights whose powers are infinite, are refused in a sentence."""

import numpy as np
import pandas as pd
import pytest

from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    OptimalClassifier,
    RandomForestClassifier,
)

BIG = 2**53 + 1
LEARNERS = [
    CartClassifier(),
    CultivatedClassifier(),
    OptimalClassifier(max_depth=1),
    RandomForestClassifier(n_estimators=2),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("kind", [np.array, lambda rows: rows, pd.DataFrame], ids=["array", "list", "frame"])
def test_whole_numbers_that_would_be_rounded_are_refused_where_they_are(learner, kind):
    rows = [[1, BIG + 2 * i] for i in range(8)]
    with pytest.raises(ValueError, match=rf"column 1.* holds {BIG}; whole numbers beyond 2\*\*53"):
        learner.fit(kind(rows), [0, 1] * 4)
    learner.fit(kind([[1, i] for i in range(8)]), [0, 1] * 4)
    with pytest.raises(ValueError, match="would be rounded"):
        learner.predict(kind(rows))


def test_large_whole_numbers_that_are_exact_are_taken():
    X = np.array([[2**60], [2**61], [-(2**62)], [0]])
    assert CartClassifier().fit(X, [0, 1, 1, 0]).predict(X).tolist() == [0, 1, 1, 0]
    CartClassifier().fit(np.array([[2**63], [2**63 + 2**12]], np.uint64), [0, 1])


def test_nullable_columns_and_targets_are_looked_at_too():
    frame = pd.DataFrame({"size": [1.0, 2.0], "id": pd.array([BIG, None], dtype="Int64")})
    with pytest.raises(ValueError, match=f"the column 'id' holds {BIG}"):
        CartClassifier().fit(frame, [0, 1])
    with pytest.raises(ValueError, match=f"the target y holds {BIG}"):
        CartRegressor().fit([[0.0], [1.0]], [BIG, BIG + 2])
    labels = CartClassifier().fit([[0.0], [1.0]], [BIG, BIG + 1]).classes_  # classes are not computed with
    assert labels.tolist() == [BIG, BIG + 1]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("weight", [1e200, 1e-200, 1e308])
def test_weights_with_infinite_powers_are_refused(learner, weight):
    with pytest.raises(ValueError, match=r"the weights sum to .*; their sum must be between 1e-100 and 1e\+100"):
        learner.fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[weight] * 3)


@pytest.mark.parametrize("learner", [CartClassifier(), CultivatedClassifier(k="all", min_node_weight=0)])
@pytest.mark.parametrize("unit", [1e90, 1e-90])
def test_weights_within_the_limit_are_what_their_ratios_are(learner, unit):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.integers(1, 4, 60).astype(float)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    near = learner.fit(X, y, sample_weight=weight).predict_proba(X)
    assert learner.fit(X, y, sample_weight=weight * unit).predict_proba(X) == pytest.approx(near)
