"""Nodes of files become trees in preorder, their thresholds doubles; a model so read stays as it is."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from espalier.data import samples
from espalier.language import Refusal
from espalier.learners import GradientBoostingClassifier, RandomForestRegressor
from espalier.learners.catalogue import OWN_MODEL, CommonTerms, Model
from espalier.learners.imports.model import ReadyModel
from espalier.learners.imports.nodes import FileNodes, at_most_as_float32, below, below_as_float32, trees_of
from espalier.tree_checks import check_tree

NAN = np.nan


def nodes(left, right, value, **more):
    n = len(left)
    feature = np.zeros(n, np.int64)
    threshold = np.arange(n, dtype=float)
    value = np.array(value, float)[:, None]
    return FileNodes(feature, threshold, np.array(left), np.array(right), np.zeros(n, bool), value, **more)


def test_nodes_of_two_trees_in_any_order_stand_in_preorder():
    #  the leaves first, then two roots: 4 has the leaves 1 and 3, whose split 3 has the leaves 0 and 2
    several = nodes([-1, -1, -1, 0, 1, -1], [-1, -1, -1, 2, 3, -1], [1, 2, 4, NAN, NAN, 9])
    first, second = trees_of(several, np.array([4, 5]), 1)
    check_tree(first)
    assert first.left.tolist() == [1, -1, 3, -1, -1]
    assert first.threshold[[0, 2]].tolist() == [4.0, 3.0]
    assert first.value[:, 0].tolist() == [7 / 3, 2, 2.5, 1, 4]
    assert second.value.tolist() == [[9.0]]


def test_a_node_with_two_parents_is_there_twice():
    tree = trees_of(nodes([1, 2, -1, -1], [2, 3, -1, -1], [NAN, NAN, 5, 7]), np.array([0]), 1)[0]
    assert tree.value[tree.left == -1, 0].tolist() == [5, 7, 5]
    assert tree.n_samples.tolist() == [3, 2, 1, 1, 1]


def test_gains_become_impurity_so_that_a_split_decreases_it_by_its_gain():
    gain = np.array([6.0, 4.0, 0, 0, 0])
    one = nodes([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0] * 5, gain=gain, n_samples=np.array([8, 4, 2, 2, 4]))
    tree = trees_of(one, np.array([0]), 1)[0]
    amount = tree.weight * tree.impurity
    assert amount[0] - amount[1] - amount[4] == 6.0
    assert amount[1] - amount[2] - amount[3] == 4.0


@pytest.mark.parametrize(
    ("left", "right"),
    [([0], [0]), ([1, 0], [1, 0]), ([1, 7], [1, 7]), ([-2], [-2])],
    ids=["self", "circle", "far", "before"],
)
def test_nodes_that_make_no_tree_are_refused(left, right):
    with pytest.raises(Refusal, match="damaged"):
        trees_of(nodes(left, right, [0.0] * len(left)), np.array([0]), 1)


def test_a_question_about_a_column_that_is_not_there_is_refused():
    with pytest.raises(Refusal, match="column"):
        trees_of(nodes([1, -1, -1], [2, -1, -1], [0, 0, 0]), np.array([0]), 0)


# ---- Thresholds of float32 as thresholds of doubles: by law, at the edges of float32 too

RNG = np.random.default_rng(0)
EDGES = [0.0, -0.0, 1e-45, -1e-45, 2.0**-126, 1e-300, -1e-300, 3.4028234663852886e38, -3.4028234663852886e38]
DOUBLES = np.concatenate(
    [RNG.normal(size=500), RNG.normal(size=500).astype(np.float32), 10.0 ** RNG.uniform(-44, 38, 500), EDGES]
)


def rounded(values):
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32).astype(np.float64)


def test_the_threshold_is_the_greatest_double_whose_float32_is_at_most_or_below_the_librarys():
    ours = at_most_as_float32(DOUBLES)
    assert (rounded(ours) <= DOUBLES).all()
    assert (rounded(np.nextafter(ours, np.inf)) > DOUBLES).all()
    theirs = rounded(DOUBLES)
    ours = below_as_float32(theirs)
    assert (rounded(ours) < theirs).all()
    assert (rounded(np.nextafter(ours, np.inf)) >= theirs).all()
    assert below(np.array([0.5]))[0] == np.nextafter(0.5, 0)


def test_a_value_halfway_between_two_float32_rounds_to_the_even_one():
    one, after = 1.0, float(np.nextafter(np.float32(1), np.float32(2)))
    assert at_most_as_float32(np.array([one]))[0] == (one + after) / 2  # 1 is even
    assert (
        at_most_as_float32(np.array([after]))[0]
        < (after + float(np.nextafter(np.float32(after), np.float32(2)))) / 2
    )


@pytest.mark.parametrize("same", [np.inf, np.nan])
def test_what_parts_known_from_missing_stays(same):
    assert np.array_equal(at_most_as_float32(np.array([same])), [same], equal_nan=True)


# ---- A fitted model among estimators stays as it is, and shows what it is

IRIS = samples.load("iris")
BOOSTED: Any = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(IRIS.X, IRIS.y)


def test_a_fit_to_other_rows_changes_nothing():
    twin: Any = clone(ReadyModel(BOOSTED))
    ready = twin.fit(IRIS.X[:20], IRIS.y[:20])
    assert np.array_equal(ready.predict_proba(IRIS.X), BOOSTED.predict_proba(IRIS.X))
    assert np.array_equal(ready.predict(IRIS.X), BOOSTED.predict(IRIS.X))


def test_it_has_shares_and_trees_only_if_the_model_has():
    class Same:
        def predict(self, X):
            return np.zeros(len(X))

    ready = ReadyModel(Same())
    assert not any(hasattr(ready, name) for name in ("predict_proba", "classes_", "forest_"))
    assert ReadyModel(BOOSTED).forest_ is BOOSTED.forest_


def test_a_round_of_three_classes_has_three_trees_and_one_of_a_mean_one():
    assert ReadyModel(BOOSTED).n_trees_per_iteration_ == 3
    mean = RandomForestRegressor(n_estimators=6, random_state=0).fit(IRIS.X, IRIS.X[:, 0])
    assert ReadyModel(mean).n_trees_per_iteration_ == 1


def test_trees_that_do_not_take_turns_make_no_round():
    forest = BOOSTED.forest_
    ready = ReadyModel(BOOSTED)
    ready.__dict__["model"] = type("Turned", (), {"forest_": forest._replace(trees=forest.trees[::-1])})()
    assert ready.n_trees_per_iteration_ == 1


def test_the_catalogue_makes_it_of_the_model_in_the_terms():
    terms = CommonTerms.of(IRIS, box=BOOSTED)
    assert Model(OWN_MODEL.name).make(terms).model is BOOSTED
    with pytest.raises(AttributeError):
        _ = ReadyModel(None).classes_
