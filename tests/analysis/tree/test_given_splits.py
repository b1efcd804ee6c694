"""Splits by hand in an optimal tree: the rest is the best of all trees that begin so, with a proof."""

import numpy as np
import pytest

from espalier.analysis.tree.edits.acts import COLUMN, CUT, MADE_LEAF, SET, Edit
from espalier.analysis.tree.edits.applied import edited
from espalier.data import samples
from espalier.learners import OptimalClassifier
from espalier.predict import leaves


def with_edits(data, *edits, **parameters):
    learner = OptimalClassifier(categorical_features=np.flatnonzero(data.categorical).tolist(), **parameters)
    training = learner.prepare(data.X, data.y).of_positive_weight()
    return edited(learner, training, learner.grow(training).tree_, edits)


def errors(tree, data):
    return int((tree.value[leaves(tree, data.X)].argmax(axis=1) != data.y).sum())


@pytest.mark.parametrize("max_splits", [None, 3, 4])
def test_the_tree_is_as_good_as_the_best_one_that_begins_so_however_the_branches_share_the_splits(max_splits):
    data = samples.load("iris")
    forced = {"": (0, 5.5), "L": (1, 3.0)}
    best = OptimalClassifier(max_depth=3, max_splits=max_splits, forced_splits=forced).fit(data.X, data.y)
    edits = Edit("", CUT, (0,), 5.5), Edit("L", CUT, (1,), 3.0)
    own = with_edits(data, *edits, max_depth=3, max_splits=max_splits)
    assert own.given is not None
    assert (own.given.proved, own.given.n_forced) == (True, 2)
    assert own.given.objective == best.proof_.objective == errors(own.tree, data)
    assert dict(own.by_hand) == {0: edits[0], 1: edits[1]}


def test_splits_above_one_by_hand_stay_as_they_were():
    data = samples.load("iris")
    alone = OptimalClassifier(max_depth=2).fit(data.X, data.y).tree_
    own = with_edits(data, Edit("R", COLUMN, (0,)), max_depth=2)
    assert (own.tree.feature[0], own.tree.threshold[0]) == (alone.feature[0], alone.threshold[0])
    assert own.given is not None
    assert own.given.n_forced == 2


def test_a_set_of_categories_by_hand_is_kept():
    own = with_edits(samples.load("tic-tac-toe"), Edit("", SET, (4,), 0.0, 1), max_depth=2)
    assert own.given is not None
    assert own.given.proved
    assert (own.tree.feature[0], own.tree.categories[0]) == (4, 1)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (Edit("R", MADE_LEAF), "an edit that is no split"),
        (Edit("RR", CUT, (0,), 6.5), "as deep as the tree may be"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_beside_what_a_search_with_given_splits_cannot_say_nothing_is_proved_of_the_whole(other, why):
    own = with_edits(samples.load("iris"), Edit("", CUT, (0,), 5.5), other, max_depth=2)
    assert own.given is None, why
    assert len(own.by_hand) == 2


def test_where_the_column_has_missing_values_the_split_sends_them_to_a_side_of_its_own():
    iris = samples.load("iris")
    X = np.array(iris.X)
    X[::10, 0] = np.nan
    learner = OptimalClassifier(max_depth=2)
    training = learner.prepare(X, iris.y).of_positive_weight()
    own = edited(learner, training, learner.grow(training).tree_, (Edit("", CUT, (0,), 5.5),))
    assert own.given is None
    assert (own.tree.feature[0], own.tree.threshold[0]) == (0, 5.5)
