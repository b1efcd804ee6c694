"""Ways to learn the softness of cultivated trees, in special cases of which the outcome is known."""

import numpy as np
import pytest

from benchmarks.cultivated.learned import Boosted, ChosenBag, Shrunk, WidthByNode, gone_left, shrunk
from espalier.kernels.gate import fractions_of
from espalier.learners import CultivatedClassifier
from espalier.trees import is_leaf


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    return X, np.where(X[:, 0] + rng.normal(size=150) > 0, "yes", "no")


def test_a_tree_grown_node_by_node_with_the_papers_width_is_crf_full(table):
    X, y = table
    grown = WidthByNode(widths=(1.0,)).fit(X, y)
    expected = CultivatedClassifier().fit(X, y)
    assert grown.predict_proba(X + 0.1) == pytest.approx(expected.predict_proba(X + 0.1), abs=1e-9)


def test_a_node_may_choose_another_width(table):
    X, y = table
    first, again = (WidthByNode(random_state=0).fit(X, y).predict_proba(X) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, CultivatedClassifier().fit(X, y).predict_proba(X))


def test_what_goes_left_is_what_the_left_child_gets(table):
    X, y = table
    tree = CultivatedClassifier(max_depth=1).fit(X, y).tree_
    assert gone_left(tree, X) == pytest.approx([fractions_of(tree, x)[tree.left[0]] for x in X])


def test_leaves_are_shrunk_from_not_at_all_to_the_mean(table):
    X, y = table
    tree = CultivatedClassifier().fit(X, y).tree_
    assert shrunk(tree, 0).value == pytest.approx(tree.value)
    assert np.abs(shrunk(tree, 1e12).value - tree.value[0]).max() < 1e-6
    spread = [np.std(shrunk(tree, strength).value[is_leaf(tree), 0]) for strength in (0, 1, 10, 100)]
    assert spread == sorted(spread, reverse=True)


@pytest.mark.parametrize("make", [lambda: Shrunk(random_state=0), lambda: ChosenBag(random_state=0), Boosted])
def test_each_has_shares_of_both_classes_and_knows_more_than_nothing(table, make):
    X, y = table
    model = make().fit(X, y)
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert model.score(X, y) > 0.7


def test_more_rounds_of_boosting_fit_the_training_rows_better(table):
    X, y = table
    losses = []
    for rounds in (1, 10, 50):
        share = Boosted(rounds=rounds).fit(X, y).predict_proba(X)[:, 1]
        losses.append(-np.log(np.where(y == "yes", share, 1 - share)).mean())
    assert losses == sorted(losses, reverse=True)
