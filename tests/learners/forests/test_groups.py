"""Forests of samples that belong together: a tree draws whole groups, and is judged by those it does not know."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from espalier.learners import (
    BaggedForestClassifier,
    CultivatedForestClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

RNG = np.random.default_rng(0)
PATIENT = np.repeat(np.arange(40), 5)
X = RNG.normal(size=(40, 2))[PATIENT]  # columns that know the patient
Y = RNG.integers(2, size=40)[PATIENT]  # and nothing knows the class of another patient
OUT_OF_BAG = [
    RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0),
    ExtraTreesClassifier(n_estimators=30, bootstrap=True, oob_score=True, random_state=0),
    BaggedForestClassifier(n_estimators=30, oob_score=True, random_state=0),
    CultivatedForestClassifier(n_estimators=5, bootstrap=True, oob_score=True, random_state=0),
]


@pytest.mark.parametrize("forest", OUT_OF_BAG, ids=lambda forest: type(forest).__name__)
def test_a_tree_has_all_rows_of_a_group_equally_often_and_knows_no_patient_it_is_judged_by(forest):
    learner: Any = forest
    alone: Any = clone(learner)
    together: Any = clone(learner)
    alone.fit(X, Y)
    together.fit(X, Y, groups=PATIENT)
    seen = together.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) == 200).all()  # groups of equal size
    assert (seen[:, :, 0] == 0).any(axis=1).all()
    assert alone.oob_score_ > together.oob_score_ + 0.1  # it has met the patient
    assert together.oob_score_ < 0.7


def test_groups_of_one_row_each_give_trees_of_the_same_rows():
    one = RandomForestClassifier(n_estimators=5, random_state=3).fit(X, Y)
    other = RandomForestClassifier(n_estimators=5, random_state=3).fit(X, Y, groups=np.arange(200))
    assert (one.in_bag() == other.in_bag()).all()


def test_every_name_of_groups_gives_the_same_forest():
    names = np.array([f"patient {number}" for number in PATIENT])
    one = RandomForestRegressor(n_estimators=3, random_state=3).fit(X, Y, groups=names)
    other = RandomForestRegressor(n_estimators=3, random_state=3).fit(
        X, Y, groups=np.argsort(np.argsort(names)) // 5
    )
    assert np.allclose(one.predict(X), other.predict(X))


def test_boosting_draws_whole_groups_and_ends_by_groups_that_it_has_not_seen():
    boosting = GradientBoostingClassifier(n_estimators=5, subsample=0.5, n_iter_no_change=5, random_state=0)
    boosting.fit(X, Y, groups=PATIENT)
    seen = boosting.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) <= 100).all()
    assert (seen.sum(axis=0) == 0).any()


def test_weights_of_zero_leave_groups_as_they_are():
    weight = np.where(PATIENT == 3, 0.0, 1.0)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y, weight, groups=PATIENT)
    seen = forest.in_bag().reshape(-1, 40, 5)
    assert not seen[:, 3].any()
    assert (seen == seen[:, :, :1]).all()


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"groups have the shape \(3,\); give one for each of 200 samples"):
        RandomForestClassifier().fit(X, Y, groups=[1, 2, 3])
