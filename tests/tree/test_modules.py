"""Modules worked out from the samples alone are those that trees grow; answers are what trees predict."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.kernels.cultivated.fractions import fractions_of, parts_of, predict, psi, reach
from espalier.learners import CultivatedClassifier, CultivatedRegressor
from espalier.predict import fractions_in, shares
from espalier.tree.modules import (
    Habits,
    answer,
    answers_of_cuts,
    gate_of_codes,
    gate_of_cuts,
    kept_by_level,
    leading_leaves,
    module,
    neighbourhood,
    record_shares,
    width_of,
)
from espalier.trees import CultivatedTree
from tests.tools import by_hand
from tests.tools.cases import case

HABITS = {
    "paper": Habits(),
    "one cut": Habits(0.0, 0.0),
    "one cut, options": Habits(0.0, 0.3),
    "all cuts": Habits("all", 0.0),
    "part of a value": Habits(3.5, 0.5, 1.0),
}


def table(n_classes: int, n: int = 90, seed: int = 0) -> Dataset:
    """Numbers, few levels, categories; a tenth of all values is missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 6, n), rng.normal(size=n).round(1)]
    ).astype(float)
    noise = X[:, 0] + 0.5 * (X[:, 2] % 3) + rng.normal(size=n)
    X[rng.random(X.shape) < 0.1] = np.nan
    features = [Feature("x"), Feature("level"), Feature("colour", "category", tuple("abcdef")), Feature("z")]
    if not n_classes:
        return make_dataset("t", X, features, np.nan_to_num(noise), Feature("y"))
    y = np.digitize(np.nan_to_num(noise), np.quantile(np.nan_to_num(noise), np.arange(1, n_classes) / n_classes))
    return make_dataset("t", X, features, y, Feature("y", "category", tuple("pqrs"[:n_classes])))


def grown(data: Dataset, habits: Habits, weight: np.ndarray, **parameters) -> CultivatedTree:
    learner = CultivatedClassifier if data.is_classification else CultivatedRegressor
    chosen = {"k": habits.k, "eta": habits.eta, "share_power": habits.share_power, "max_depth": 4, **parameters}
    return learner(categorical_features=data.categorical, **chosen).fit(data.X, data.y, weight).tree_


def assert_is_recorded(data: Dataset, tree: CultivatedTree, node: int, weight: np.ndarray, habits: Habits):
    made = module(data, tree, node, weight, habits)
    decisions, cuts = tree.decisions, tree.cuts
    here = range(decisions.start[node], decisions.start[node + 1])
    found = {o.feature: (o, s, r) for o, s, r in zip(made.offers, made.shares, made.reversed, strict=True) if s}
    assert set(found) == {int(decisions.feature[d]) for d in here}
    assert made.offers[0].feature == decisions.feature[here.start]
    for d in here:
        offer, share, is_reversed = found[int(decisions.feature[d])]
        near = slice(0, len(offer.value)) if offer.is_category else offer.near
        stored = slice(cuts.start[d], cuts.start[d + 1])
        if habits.is_sharp and offer.is_category:  # CART's: the tree names all 64 codes
            left = set(cuts.value[stored][: int(cuts.weight[stored].argmax()) + 1])
            sides = set(offer.value[: offer.at + 1]), set(offer.value[offer.at + 1 :])
            assert left & set(offer.value) in sides  # of three classes another order gives the same split swapped
            assert offer.mean_impurity == pytest.approx(decisions.impurity[d], abs=1e-9)
            continue
        np.testing.assert_array_equal(offer.value[near], cuts.value[stored])
        np.testing.assert_allclose(offer.phi[near], cuts.weight[stored], atol=1e-9)
        np.testing.assert_allclose(offer.part[near], parts_of(cuts)[stored], atol=1e-9)
        assert offer.mean_impurity == pytest.approx(decisions.impurity[d], abs=1e-9)
        assert share == pytest.approx(decisions.share[d], abs=1e-9)
        assert is_reversed == decisions.reversed[d]
        if not offer.is_category:
            assert offer.value[offer.at] == decisions.threshold[d]


def test_the_decisions_of_a_grown_tree_follow_from_the_definitions():
    for habits in HABITS.values():
        for n_classes in [0, 2, 3]:
            with case((habits, n_classes)):
                data = table(n_classes)
                weight = np.random.default_rng(1).uniform(0.5, 2, len(data.y))
                tree = grown(data, habits, weight)
                start, rows, fraction = reach(tree, data.X)
                nodes = np.flatnonzero(tree.left >= 0)
                assert len(nodes) > 2
                for node in nodes.tolist():
                    inside, here = np.zeros(len(data.y)), slice(start[node], start[node + 1])
                    inside[rows[here]] = fraction[here] * weight[rows[here]]
                    assert_is_recorded(data, tree, node, inside, habits)


def test_rows_that_left_the_node_are_no_cuts_of_it_and_a_class_that_no_row_has_is_none():
    data = samples.load("breast-cancer")  # columns with ties: a value that stands beside others' in order
    weight = np.ones(len(data.y))
    tree = grown(data, Habits(eta=0.05), weight)
    for node in np.flatnonzero(tree.left >= 0).tolist():
        assert_is_recorded(data, tree, node, fractions_in(tree, data.X, node), Habits(eta=0.05))
    data = table(2)
    more = data._replace(target=Feature("y", "category", ("p", "q", "never")))
    tree = grown(data, Habits(), np.ones(len(data.y)))
    wider = tree._replace(value=np.column_stack([tree.value, np.zeros(tree.n_nodes)]))
    assert_is_recorded(more, wider, 0, np.ones(len(data.y)), Habits())


def test_a_neighbourhood_takes_k_on_either_side_and_its_width_is_that_of_the_paper():
    """Nalenz & Augustin 2021, equation 2."""
    np.testing.assert_allclose(neighbourhood(np.ones(7), 3, 1.5), [0, 0.5, 1, 1, 1, 0.5, 0])
    np.testing.assert_allclose(neighbourhood(np.array([0.25, 0.5, 1, 3]), 1, 1.0), [0.25, 0.5, 1, 0])
    np.testing.assert_allclose(neighbourhood(np.ones(5), 2, 2.0), np.ones(5))
    np.testing.assert_allclose(neighbourhood(np.ones(3), 1, 0.0), [0, 1, 0])
    assert [width_of(k, 64.0) for k in ("sqrt", "cbrt", "all", 5, 100)] == [8, pytest.approx(4), 64, 5, 64]


def test_features_join_up_to_the_least_impurity_and_the_tolerance():
    data = table(2)
    everyone = np.ones(len(data.y))
    tree = grown(data, Habits(), everyone)
    child = int(tree.left[0])
    for node, s in ((0, 1), (child, 2)):
        made = module(data, tree, node, fractions_in(tree, data.X, node), Habits(eta=0.04))
        assert made.tolerance == pytest.approx(0.04 / s**3)
        joined = [o.mean_impurity <= made.limit for o in made.offers]
        assert joined == [bool(share) for share in made.shares]
        assert made.shares.sum() == pytest.approx(1)


def test_samples_that_no_cut_parts_get_no_module_and_shares_are_those_of_the_tree_where_chance_left_features_out():
    data = make_dataset(
        "t", np.ones((8, 1)), [Feature("x")], np.arange(8) % 2, Feature("y", "category", ("a", "b"))
    )
    made = module(data, by_hand.neighbourhoods(), 0, np.ones(8), Habits())
    assert made.offers[0].at == -1
    assert made.offers[0].mean_impurity == np.inf
    assert made.shares.tolist() == [0]
    data = table(2)
    tree = grown(data, Habits(), np.ones(len(data.y)), max_features=1, random_state=3)
    made = record_shares(module(data, tree, 0, np.ones(len(data.y)), Habits()), tree, 0)
    taken = [o.feature for o, share in zip(made.offers, made.shares, strict=True) if share]
    assert taken == [tree.decisions.feature[0]]


# Answers ---------------------------------------------------------------------------------------------


def test_an_answer_lists_the_leaves_that_have_a_part_of_the_sample():
    """x = (5, 3): 2/3 of it are left of M1 = {4, 5, 6}; 2/3 of those left of M2 = {2, 3, 4}; right, all of M3."""
    found = answer(by_hand.neighbourhoods(), np.array([5.0, 3.0]))
    assert found.leaves.tolist() == [2, 5, 3]
    np.testing.assert_allclose(found.fractions, [4 / 9, 1 / 3, 2 / 9])
    np.testing.assert_allclose(found.mean[0], 4 / 9 + 0.4 / 3 + 0.6 * 2 / 9)
    squares = 4 / 9 + 0.16 / 3 + 0.36 * 2 / 9
    np.testing.assert_allclose(found.spread, np.sqrt(squares - found.mean[0] ** 2))
    assert leading_leaves(by_hand.neighbourhoods(), np.array([5.0, 3.0]), 2) == [
        (2, pytest.approx(4 / 9)), (5, pytest.approx(1 / 3)),
    ]  # fmt: skip


@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_answers_are_what_the_tree_predicts(n_classes):
    data = table(n_classes, n=60, seed=2)
    tree = grown(data, Habits(), np.ones(60))
    mean, spread = predict(tree, data.X)
    for i, x in enumerate(data.X):
        found = answer(tree, x)
        np.testing.assert_allclose(found.mean, mean[i], atol=1e-12)
        assert found.spread == pytest.approx(spread[i], abs=1e-9)
        assert found.fractions.sum() == pytest.approx(1)
        assert (np.diff(found.fractions) <= 0).all()
        np.testing.assert_array_equal(found.fractions, fractions_of(tree, x)[found.leaves])


# Gates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["neighbourhoods", "options", "soft_colours"])
def test_gates_are_those_that_samples_are_sent_by(name):
    tree = getattr(by_hand, name)()
    part = parts_of(tree.cuts)
    for d in range(len(tree.decisions.feature)):
        codes = [psi(tree, part, d, float(code)) for code in range(9)]
        np.testing.assert_allclose(gate_of_codes(tree, d, 9), codes, atol=1e-15)
        if np.isnan(tree.decisions.threshold[d]):
            with pytest.raises(ValueError, match="on categories"):
                gate_of_cuts(tree, d)
            continue
        cuts, parts = gate_of_cuts(tree, d)
        between = np.concatenate([cuts, [cuts[-1] + 1]])
        np.testing.assert_allclose(parts, [psi(tree, part, d, x) for x in between], atol=1e-15)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize(("learner", "name"), [(CultivatedClassifier, "iris"), (CultivatedRegressor, "sine")])
def test_the_answers_of_each_level_are_those_of_a_tree_grown_with_so_many(learner, name, alpha):
    data = samples.load(name)
    deep = learner(max_depth=30).fit(data.X, data.y).tree_
    kept = kept_by_level(deep, alpha)
    assert len(kept) == deep.depth
    for level, answers in list(enumerate(answers_of_cuts(deep, data.X, kept), start=1))[:6]:
        tree = learner(max_depth=level, ccp_alpha=alpha).fit(data.X, data.y).tree_
        np.testing.assert_allclose(answers, shares(tree, data.X), atol=1e-12)


def test_what_is_left_with_fewer_levels_is_left_with_more():
    data = samples.load("wine")
    kept = kept_by_level(CultivatedClassifier(max_depth=30).fit(data.X, data.y).tree_, 0.003)
    assert all((less <= more).all() for less, more in itertools.pairwise(kept))
