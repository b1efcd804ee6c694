"""What the trees of a forest may have: the limits of CART, weights of classes, and whole groups of rows."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier as TheirClassifier
from sklearn.utils import compute_sample_weight

from espalier.data import samples
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedForestClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.progress import Progress
from espalier.trees import is_leaf
from tests.tools.forests import GAPS, X, same_tree, y

LIMITS = [
    {"min_weight_fraction_leaf": 0.1}, {"max_leaf_nodes": 5}, {"min_impurity_decrease": 0.02}, {"ccp_alpha": 0.02},
]  # fmt: skip


@pytest.mark.parametrize("limits", [{}, {"criterion": "entropy"}, *LIMITS])
def test_one_tree_of_all_samples_is_cart_within_the_same_limits(limits):
    one = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for table in (X, GAPS):
        forest = RandomForestClassifier(**one, **limits, random_state=0).fit(table, y)
        cart = CartClassifier(**limits).fit(table, y)
        assert forest.forest_.trees[0].n_leaves > 1
        same_tree(forest.forest_.trees[0], cart.tree_)
        assert np.array_equal(forest.predict_proba(table), cart.predict_proba(table))
    if "criterion" not in limits:
        forest = RandomForestRegressor(**one, **limits, random_state=0).fit(GAPS, X[:, 0])
        same_tree(forest.forest_.trees[0], CartRegressor(**limits).fit(GAPS, X[:, 0]).tree_)


def test_random_thresholds_differ_from_tree_to_tree():
    forest = RandomForestClassifier(n_estimators=3, bootstrap=False, max_features=None, splitter="random")
    trees: Any = forest.set_params(random_state=0).fit(X, y).forest_.trees
    roots = [tree.threshold[0] for tree in trees]
    assert len(set(roots)) == 3


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("table", [X, GAPS], ids=["complete", "gaps"])
def test_every_tree_keeps_the_limits_and_all_are_grown(bootstrap, table):
    def trees(**limits):
        forest = RandomForestClassifier(n_estimators=7, bootstrap=bootstrap, random_state=0, **limits)
        progress = Progress()
        grown = forest.fit(table, y, progress=progress).forest_.trees
        assert len(grown) == 7
        assert progress.done == 7 * len(y)
        return grown

    assert all(t.weight[is_leaf(t)].min() >= 15 for t in trees(min_weight_fraction_leaf=0.1))
    assert all(t.n_leaves <= 4 for t in trees(max_leaf_nodes=4))
    pruned, whole = trees(ccp_alpha=0.05), trees()
    assert all(a.n_leaves <= b.n_leaves for a, b in zip(pruned, whole, strict=True))
    assert sum(t.n_leaves for t in pruned) < sum(t.n_leaves for t in whole)
    few = trees(min_impurity_decrease=0.05)
    assert sum(t.n_leaves for t in few) < sum(t.n_leaves for t in whole)


def test_a_forest_pruned_as_scikit_learns_has_about_as_many_leaves():
    ours = RandomForestClassifier(n_estimators=40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    theirs = TheirClassifier(40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    leaves = np.mean([t.n_leaves for t in ours.forest_.trees])
    assert leaves == pytest.approx(np.mean([t.get_n_leaves() for t in theirs.estimators_]), abs=1)


def test_leaves_of_cultivated_forests_have_the_weight_asked_for():
    for bootstrap in (False, True):
        forest = CultivatedForestClassifier(
            n_estimators=4, min_weight_fraction_leaf=0.08, bootstrap=bootstrap, random_state=0
        ).fit(X, y)
        free = CultivatedForestClassifier(n_estimators=4, bootstrap=bootstrap, random_state=0).fit(X, y)
        assert min(t.weight[is_leaf(t)].min() for t in forest.forest_.trees) >= 12 * (1 - 1e-9)
        assert min(t.weight[is_leaf(t)].min() for t in free.forest_.trees) < 6


# ---- class_weight="balanced_subsample": classes weigh the same in what each tree of a forest has drawn

IRIS = samples.load("iris")
IMBALANCED = IRIS.X[:110], IRIS.y[:110].astype(int)


@pytest.mark.parametrize("more", [{}, {"max_samples": 0.5}, {"criterion": "entropy", "max_leaf_nodes": 8}])
def test_balanced_subsample_weighs_classes_by_what_each_tree_has_drawn(more):
    """As scikit-learn defines it: its own weights of the rows drawn grow the same tree alone."""
    X, y = IMBALANCED
    forest = RandomForestClassifier(
        n_estimators=4, class_weight="balanced_subsample", max_features=None, random_state=1, **more
    ).fit(X, y)
    alone = CartClassifier(**{name: value for name, value in more.items() if name != "max_samples"})
    for rows, tree in zip(forest.estimators_samples_, forest.forest_.trees, strict=True):
        weight = compute_sample_weight("balanced", y, indices=rows)[rows]
        assert tree.value[0] == pytest.approx(1 / len(np.unique(y[rows])))
        own = alone.fit(X[rows], y[rows], sample_weight=weight).tree_
        assert tree.feature.tolist() == own.feature.tolist()
        assert tree.value == pytest.approx(own.value)
        assert tree.weight == pytest.approx(own.weight)


def test_without_bootstrap_balanced_subsample_is_balanced():
    X, y = IMBALANCED
    one, other = (
        RandomForestClassifier(n_estimators=3, bootstrap=False, class_weight=name, random_state=1).fit(X, y)
        for name in ("balanced_subsample", "balanced")
    )
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


# ---- Forests of samples that belong together: a tree draws whole groups, and is judged by those it does not know

RNG = np.random.default_rng(0)
PATIENT = np.repeat(np.arange(40), 5)
OF_PATIENTS = RNG.normal(size=(40, 2))[PATIENT]  # columns that know the patient
ILL = RNG.integers(2, size=40)[PATIENT]  # and nothing knows the class of another patient
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
    alone.fit(OF_PATIENTS, ILL)
    together.fit(OF_PATIENTS, ILL, groups=PATIENT)
    seen = together.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) == 200).all()  # groups of equal size
    assert (seen[:, :, 0] == 0).any(axis=1).all()
    assert alone.oob_score_ > together.oob_score_ + 0.1  # it has met the patient
    assert together.oob_score_ < 0.7


def test_groups_of_one_row_or_of_other_names_give_the_same_rows_and_another_length_is_refused():
    one = RandomForestClassifier(n_estimators=5, random_state=3).fit(OF_PATIENTS, ILL)
    other = RandomForestClassifier(n_estimators=5, random_state=3).fit(OF_PATIENTS, ILL, groups=np.arange(200))
    assert (one.in_bag() == other.in_bag()).all()
    names = np.array([f"patient {number}" for number in PATIENT])
    one = RandomForestRegressor(n_estimators=3, random_state=3).fit(OF_PATIENTS, ILL, groups=names)
    other = RandomForestRegressor(n_estimators=3, random_state=3).fit(
        OF_PATIENTS, ILL, groups=np.argsort(np.argsort(names)) // 5
    )
    assert np.allclose(one.predict(OF_PATIENTS), other.predict(OF_PATIENTS))
    with pytest.raises(ValueError, match=r"groups have the shape \(3,\); give one for each of 200 samples"):
        RandomForestClassifier().fit(OF_PATIENTS, ILL, groups=[1, 2, 3])


def test_boosting_draws_whole_groups_and_ends_by_groups_that_it_has_not_seen():
    boosting = GradientBoostingClassifier(n_estimators=5, subsample=0.5, n_iter_no_change=5, random_state=0)
    boosting.fit(OF_PATIENTS, ILL, groups=PATIENT)
    seen = boosting.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) <= 100).all()
    assert (seen.sum(axis=0) == 0).any()


def test_weights_of_zero_leave_groups_as_they_are_and_a_tree_is_that_of_its_rows_at_their_weights():
    weight = np.where(PATIENT == 3, 0.0, np.arange(200) % 4 + 1)
    forest = RandomForestClassifier(n_estimators=3, max_features=None, random_state=0)
    forest.fit(OF_PATIENTS, ILL, weight, groups=PATIENT)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        same_tree(tree, CartClassifier().fit(OF_PATIENTS, ILL, weight * times).tree_)
    seen = forest.in_bag().reshape(-1, 40, 5)
    assert not seen[:, 3].any()
    assert (seen == seen[:, :, :1]).all()
