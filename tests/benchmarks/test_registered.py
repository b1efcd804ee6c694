"""Registered variants of cultivated forests: folds as dealt, choice inside the training rows, softness learned."""

import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.cells import Cells
from benchmarks.cultivated import registered
from benchmarks.cultivated.folds import Table
from benchmarks.cultivated.learned import Boosted, ChosenBag, Shrunk, WidthByNode, gone_left, shrunk
from benchmarks.cultivated.registered import CHOICE, FOLDS, PAIR, SINGLE, Deal, cell_of, complete, deals, gathered
from benchmarks.cultivated.told import Areas, gaps, overall, told
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.learners import CultivatedClassifier
from espalier.trees import is_leaf

RATIO = 1 / 9


def table(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return Table("made up", np.asfortranarray(X), (X[:, 0] + rng.normal(size=n) > 0).astype(int))


def areas(values, first=10):
    values = np.asarray(values, float)
    return Areas([str(first + i) for i in range(len(values))], values, np.ones(len(values)), np.ones(len(values)))


def test_each_partition_tests_every_row_once_and_none_is_that_of_seed_0():
    made = table()
    dealt = list(deals(made, 3))
    assert [deal.seed for deal in dealt] == list(range(30, 40))
    assert sorted(np.concatenate([deal.split[1] for deal in dealt])) == list(range(60))
    assert all(not set(deal.split[0]) & set(deal.split[1]) for deal in dealt)


def test_the_part_of_crisp_trees_is_chosen_by_the_training_rows_alone(monkeypatch):
    made, asked = table(), []

    def both(deal):
        asked.append(deal)
        return [0.7, 0.8, 0.8, 1, 1, 1, 1], []

    monkeypatch.setattr(registered, "both", both)
    deal = next(deals(made, 1))
    assert registered.chosen_part(deal.train, deal.seed) == 0.5  # of equal ones the least
    assert len(asked) == registered.INNER
    assert all(len(inner.table.y) == 54 for inner in asked)


def test_only_partitions_with_all_their_folds_count():
    one, other = {str(i): [0.5] for i in range(10, 30)}, {str(i): [0.5] for i in range(10, 29)}
    assert complete([one, other]) == [str(i) for i in range(10, 20)]
    assert complete([one]) == [str(i) for i in range(10, 30)]


def test_what_is_chosen_has_the_area_and_the_size_of_its_parts():
    numbers = [0.6, 0.7, 0.8, 10, 20, 100, 200]
    found = registered.chosen([(numbers, 0.0), (numbers, 0.5), (numbers, 1.0)], ["10", "11", "12"])
    assert found.area.tolist() == [0.6, 0.7, 0.8]
    assert found.nodes.tolist() == [10, 110, 100]
    assert found.decisions.tolist() == [20, 220, 200]
    assert found.part == 0.5


def test_what_is_kept_becomes_the_areas_of_each_learner(tmp_path):
    made, done = table(), Cells(tmp_path / "cells.sqlite")
    for deal in deals(made, 1):
        done.keep(cell_of(made, PAIR), str(deal.seed), [0.6, 0.7, 0.8, 1, 2, 3, 4])
        for name in SINGLE:
            done.keep(cell_of(made, name), str(deal.seed), [0.5, 1, 2])
    found = gathered(made, done)
    assert found[registered.TEN].area.mean() == pytest.approx(0.6)
    assert found[registered.FOREST].decisions.tolist() == [4.0] * FOLDS
    assert registered.CHOSEN not in found
    for deal in deals(made, 1):
        done.keep(cell_of(made, CHOICE), str(deal.seed), [1.0])
    assert gathered(made, done)[registered.CHOSEN].area.mean() == pytest.approx(0.8)


def test_a_real_fold_is_scored_as_written_out():
    made = table()
    deal = next(deals(made, 1))
    (soft, half, crisp, *_), models = registered.both(deal)
    share = [model.predict_proba(made.X[deal.split[1]])[:, 1] for model in models]
    y = made.y[deal.split[1]]
    pairs = [(a, b) for a in np.flatnonzero(y == 1) for b in np.flatnonzero(y == 0)]
    for area, says in zip((soft, half, crisp), (share[0], (share[0] + share[1]) / 2, share[1]), strict=True):
        assert area == pytest.approx(np.mean([(says[a] > says[b]) + (says[a] == says[b]) / 2 for a, b in pairs]))
    assert registered.single(Deal(made, 10, deal.split), registered.SINGLE[registered.FULL])[1] > 0


def test_the_corrected_error_is_written_out_and_folds_are_paired_by_name():
    first, second = areas([0.9, 0.8, 0.7, 0.9]), areas([0.5, 0.7, 0.8, 0.6, 0.7], first=9)
    gap = gaps({"one": {"a": first, "b": second}}, "a", "b", RATIO)["one"]
    apart = np.array([0.2, 0.0, 0.1, 0.2])
    assert gap.mean == pytest.approx(apart.mean())
    t = apart.mean() / (apart.std(ddof=1) * math.sqrt(1 / 4 + RATIO))
    assert gap.p == pytest.approx(2 * stats.t.sf(t, 3))


def test_all_tables_together_have_the_root_of_the_summed_squares_as_error():
    found = {
        str(i): {"a": areas(0.8 + 0.01 * i + 0.001 * np.arange(10)), "b": areas([0.7] * 10)} for i in range(3)
    }
    one = overall(gaps(found, "a", "b", RATIO))
    error = (0.001 * np.arange(10)).std(ddof=1) * math.sqrt(1 / 10 + RATIO)
    assert one.error == pytest.approx(error / math.sqrt(3))
    assert (one.n_tables, one.above, one.clearly_above, one.clearly_below) == (3, 3, 3, 0)
    assert one.p_rank == stats.wilcoxon([1, 2, 3])[1]


def test_tables_are_told_with_their_partitions_and_those_without_any_are_left_out():
    text = told({"one": {"a": areas([0.9] * 20), "b": areas([0.8] * 20)}, "none": {}}, RATIO, ("a",))
    assert "| one | 2 | 0.9000 | 0.8000 |" in text
    assert "none" not in text
    assert "| a | b | 1 | +0.1000 ± 0.0000 |" in text
    assert "| a minus | b |" in text


def test_a_difference_is_bold_where_the_test_is_clear_among_all_tables():
    sure, unsure = 0.9 + 0.001 * np.arange(10), [0.9, 0.7] * 5
    found = {
        "sure": {"a": areas(sure), "b": areas([0.8] * 10)},
        "un": {"a": areas(unsure), "b": areas([0.8] * 10)},
    }
    text = told(found, RATIO, ("a",))
    assert "| sure | **+0.1045 ± 0.0031** |" in text
    assert "| un | +0.0000 ±" in text


@pytest.fixture(scope="module")
def noisy_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    return X, np.where(X[:, 0] + rng.normal(size=150) > 0, "yes", "no")


def test_a_tree_grown_node_by_node_with_the_papers_width_is_crf_full_and_a_node_may_choose_another(noisy_table):
    X, y = noisy_table
    grown = WidthByNode(widths=(1.0,)).fit(X, y)
    expected = CultivatedClassifier().fit(X, y)
    assert grown.predict_proba(X + 0.1) == pytest.approx(expected.predict_proba(X + 0.1), abs=1e-9)
    first, again = (WidthByNode(random_state=0).fit(X, y).predict_proba(X) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, CultivatedClassifier().fit(X, y).predict_proba(X))
    tree = CultivatedClassifier(max_depth=1).fit(X, y).tree_
    assert gone_left(tree, X) == pytest.approx([fractions_of(tree, x)[tree.left[0]] for x in X])


def test_leaves_are_shrunk_from_not_at_all_to_the_mean(noisy_table):
    X, y = noisy_table
    tree = CultivatedClassifier().fit(X, y).tree_
    assert shrunk(tree, 0).value == pytest.approx(tree.value)
    assert np.abs(shrunk(tree, 1e12).value - tree.value[0]).max() < 1e-6
    spread = [np.std(shrunk(tree, strength).value[is_leaf(tree), 0]) for strength in (0, 1, 10, 100)]
    assert spread == sorted(spread, reverse=True)


@pytest.mark.parametrize("make", [lambda: Shrunk(random_state=0), lambda: ChosenBag(random_state=0), Boosted])
def test_each_has_shares_of_both_classes_and_knows_more_than_nothing(noisy_table, make):
    X, y = noisy_table
    model = make().fit(X, y)
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert model.score(X, y) > 0.7


def test_more_rounds_of_boosting_fit_the_training_rows_better(noisy_table):
    X, y = noisy_table
    losses = []
    for rounds in (1, 10, 50):
        share = Boosted(rounds=rounds).fit(X, y).predict_proba(X)[:, 1]
        losses.append(-np.log(np.where(y == "yes", share, 1 - share)).mean())
    assert losses == sorted(losses, reverse=True)
