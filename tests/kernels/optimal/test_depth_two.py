"""Trees of depth two read off pair counts, against all such trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.optimal.bitset import count_pairs, count_sums, name_answers, pack, thin_out
from espalier.kernels.optimal.depth_two import NO, SPLITS, YES, make_pair_workspace, solve_children, solve_node
from tests.tools.naive.packed import WEIGHTS, Sample, inside, least_keys, make_table, random_sample

seeds = st.integers(0, 2**32 - 1)
kinds = st.fixed_dictionaries({"weights": st.sampled_from(sorted(WEIGHTS)), "costs": st.booleans()})


def counted(table, path=(), thin=False):
    """The depth where the rows with these answers are packed and counted."""
    k, level = len(path), table.level
    for depth, (column, side) in enumerate(path):
        pack(level, depth, column, side)
    if thin:
        name_answers(level, k)
        thin_out(level, k, 0)
    count_sums(table.problem, level, k)
    count_pairs(table.problem, level, k)
    return k


def assert_keys_are_least(table, path=(), thin=False):
    """The keys of the node, and of both children of every column, are those of all trees."""
    k, level, bench = counted(table, path, thin), table.level, make_pair_workspace(table.level)
    rows, here = table.rows, inside(table, path)
    asked = level.question[k, : level.shape[k, 0]].tolist()
    solve_node(table.problem, level, k, bench)
    assert bench.keys[YES : YES + SPLITS].tolist() == least_keys(rows, here, asked)
    for place, column in enumerate(asked):
        solve_children(table.problem, level, k, place, bench)
        for side, at in ((True, YES), (False, NO)):
            expected = least_keys(rows, here & (rows.bits[:, column] == side), asked)
            assert bench.keys[at : at + SPLITS].tolist() == expected, (column, side)


@settings(max_examples=60)
@given(seed=seeds, kind=kinds, samples=st.sampled_from([(1, 12), (20, 80), (150, 300)]))
def test_keys_are_the_least_of_all_trees_of_depth_two(seed, kind, samples):
    assert_keys_are_least(make_table(random_sample(seed, **kind, columns=(1, 6), samples=samples)))


@settings(max_examples=40)
@given(seed=seeds, kind=kinds, thin=st.booleans())
def test_below_other_splits_as_well(seed, kind, thin):
    table = make_table(random_sample(seed, **kind, columns=(3, 6), samples=(20, 120)))
    rng, n = np.random.default_rng(seed), table.rows.bits.shape[1]
    some = rng.permutation(n)[: rng.integers(1, 3)]
    assert_keys_are_least(table, [(int(j), int(rng.integers(2))) for j in some], thin)


@pytest.mark.parametrize("n_columns", [15, 16, 17, 33])
def test_columns_past_the_first_sixteen_are_looked_at_as_well(n_columns):
    for seed in range(3):
        sample = random_sample(seed, costs=seed == 2, columns=(n_columns, n_columns), samples=(60, 60))
        table = make_table(sample._replace(given=np.random.default_rng(seed).random((60, n_columns)) < 0.4))
        n = table.rows.bits.shape[1]
        assert n == n_columns
        k, bench, everyone = (
            counted(table),
            make_pair_workspace(table.level),
            np.ones(len(table.rows.worth), dtype=bool),
        )
        solve_node(table.problem, table.level, k, bench)
        assert bench.keys[YES : YES + SPLITS].tolist() == least_keys(table.rows, everyone, range(n))
        column = n - 1 - seed
        solve_children(table.problem, table.level, k, column, bench)
        for side, at in ((True, YES), (False, NO)):
            expected = least_keys(table.rows, everyone & (table.rows.bits[:, column] == side), range(n))
            assert bench.keys[at : at + SPLITS].tolist() == expected


def test_exclusive_or_takes_three_splits_and_one_row_less_takes_two():
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    table = make_table(Sample(bits, np.array([0, 1, 1, 0]), np.ones(4), 1 - np.eye(2)))
    bench = make_pair_workspace(table.level)
    solve_node(table.problem, table.level, counted(table), bench)
    assert bench.keys[YES : YES + SPLITS].tolist() == [4 * 2, 4 * 2, 4 * 1 + 2, 4 * 0 + 3]
    solve_children(table.problem, table.level, counted(table), 0, bench)
    for at in (NO, YES):
        assert bench.keys[at : at + SPLITS].tolist() == [4, 1, 1, 1]


def test_a_problem_without_questions_has_but_a_leaf():
    table = make_table(Sample(np.ones((5, 1), dtype=bool), np.array([0, 1, 1, 0, 1]), np.ones(5), 1 - np.eye(2)))
    bench = make_pair_workspace(table.level)
    solve_node(table.problem, table.level, counted(table), bench)
    assert bench.keys[YES : YES + SPLITS].tolist() == [0] * SPLITS
    assert table.rows.unavoidable == 2


def test_costs_as_great_as_they_can_be_or_of_many_classes_rounded_up_do_not_overflow():
    rng = np.random.default_rng(0)
    for seed in range(20):
        sample = random_sample(seed, weights="any", columns=(4, 6), samples=(60, 60))
        cost = np.where(np.eye(len(sample.cost), dtype=bool), 0.0, rng.random(sample.cost.shape) + 5)
        table = make_table(sample._replace(cost=cost))
        assert int(table.costs.weight.sum()) * int(table.costs.matrix.max()) > 2**27  # not far from the limit
        assert_keys_are_least(table)
    rng, n = np.random.default_rng(0), 2695
    given = (np.arange(n)[:, None] >> np.arange(12) & 1).astype(bool)
    cost = np.where(np.eye(10, dtype=bool), 0.0, rng.uniform(0.99, 1.0, (10, 10)))
    table = make_table(Sample(given, rng.integers(0, 10, n), rng.uniform(0.9, 1.0, n), cost))
    bench, everyone = make_pair_workspace(table.level), np.ones(n, dtype=bool)
    solve_node(table.problem, table.level, counted(table), bench)
    assert bench.keys[YES : YES + SPLITS].tolist() == least_keys(table.rows, everyone, range(12))
