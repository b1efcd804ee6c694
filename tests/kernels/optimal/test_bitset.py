"""Rows as bits, how a problem is made of samples, and trees read off pair counts: against plain tables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.optimal import depth_two
from espalier.kernels.optimal.bitset import LANES, count_pairs, count_sums, name_answers, pack, stride_of, thin_out
from espalier.kernels.optimal.depth_two import LARGE, NO, SPLITS, YES, make_pair_workspace, solve_node
from espalier.learners.optimal.problem import MOST, distinct_columns, whole_costs
from tests.tools.naive import packed as naive
from tests.tools.naive.optimal import first_of_equals
from tests.tools.naive.packed import Sample, combined, inside, make_table, random_sample, units_of

seeds = st.integers(0, 2**32 - 1)
kinds = st.fixed_dictionaries({"weights": st.sampled_from(sorted(naive.WEIGHTS)), "costs": st.booleans()})
columns = st.sampled_from([(1, 4), (1, 40), (15, 17), (31, 33)])  # around whole lanes
samples = st.sampled_from([(1, 12), (1, 300), (31, 33), (63, 65)])  # around whole words

recipes = st.tuples(seeds, kinds, columns, samples)


def table_of(recipe):
    seed, kind, columns, samples = recipe
    return make_table(random_sample(seed, **kind, columns=columns, samples=samples))


def random_path(table, seed, most=naive.DEPTHS - 1):
    """Answers (column, 0 or 1) of a row drawn by chance, so that it is inside; at most so many."""
    rng = np.random.default_rng(seed)
    n, bits = table.rows.bits.shape[1], table.rows.bits
    asked = rng.permutation(n)[: rng.integers(0, most, endpoint=True)]
    return [(int(j), int(bits[rng.integers(len(bits)), j])) for j in asked]


def go_down(table, path):
    """Pack the rows with these answers at depth len(path), one answer after the other."""
    for k, (column, side) in enumerate(path):
        pack(table.level, k, column, side)
    return len(path)


@given(recipe=recipes, seed=seeds)
def test_the_rows_below_a_split_are_those_with_its_answer_in_order(recipe, seed):
    table = table_of(recipe)
    path = random_path(table, seed)
    left = units_of(table.level, 0)
    for k, (column, side) in enumerate(path):
        pack(table.level, k, column, side)
        left = [unit for unit in left if unit.answers[column] == bool(side)]
        assert units_of(table.level, k + 1) == left


@given(recipe=recipes, seed=seeds)
def test_units_stand_without_gaps_and_each_plane_begins_with_a_word(recipe, seed):
    table = table_of(recipe)
    k = go_down(table, random_path(table, seed))
    level, n = table.level, table.level.shape[k, 0]
    planes = [unit.plane for unit in units_of(level, k)]
    grid, start = naive.grid_of(level, k), level.start[k]
    assert start[0] == 0
    for plane, (first, end) in enumerate(itertools.pairwise(start * 32)):
        in_use = planes.count(plane)
        assert end - first == -(-in_use // 32) * 32
        assert grid[first:end, n].tolist() == [True] * in_use + [False] * (end - first - in_use)
        assert not grid[first + in_use : end].any()
    assert not grid[:, n + 1 :].any()


@given(recipe=recipes, seed=seeds)
def test_a_child_asks_what_its_parent_asks(recipe, seed):
    table = table_of(recipe)
    k = go_down(table, random_path(table, seed))
    level, n = table.level, table.rows.bits.shape[1]
    assert level.shape[k].tolist() == [n, stride_of(n)]
    assert level.question[k, :n].tolist() == list(range(n))


@given(recipe=recipes, seed=seeds)
def test_packing_leaves_the_parent_as_it_was(recipe, seed):
    table = table_of(recipe)
    path = random_path(table, seed)
    if not path:
        return
    k = go_down(table, path[:-1])
    before = [array[k].copy() for array in table.level]
    pack(table.level, k, *path[-1])
    assert all(np.array_equal(a, array[k]) for a, array in zip(before, table.level, strict=True))


def test_columns_and_the_one_of_all_units_fill_whole_lanes():
    for n in range(100):
        assert stride_of(n) % LANES == 0
        assert n < stride_of(n) <= n + LANES


@given(recipe=recipes, seed=seeds)
def test_the_name_of_a_set_does_not_depend_on_the_way_to_it(recipe, seed):
    table = table_of(recipe)
    path = random_path(table, seed)
    names = []
    for way in itertools.permutations(path):
        k = go_down(table, way)
        names.append(tuple(table.level.rows[k].tolist()))
        assert names[-1] == combined(units_of(table.level, k))
    assert len(set(names)) == 1


@given(recipe=recipes, seed=seeds)
def test_sets_have_the_same_name_only_if_they_are_the_same(recipe, seed):
    table = table_of(recipe)
    named = {}
    for step in range(12):
        path = random_path(table, (seed, step))
        k = go_down(table, path)
        rows, name = inside(table, path).tobytes(), tuple(table.level.rows[k].tolist())
        assert named.setdefault(rows, name) == name
    assert len(set(named.values())) == len(named)


@given(recipe=recipes, seed=seeds)
def test_the_answers_to_a_column_are_named_as_the_rows_that_give_them(recipe, seed):
    table = table_of(recipe)
    k = go_down(table, random_path(table, seed, naive.DEPTHS - 2))
    level = table.level
    name_answers(level, k)
    units = units_of(level, k)
    for column in range(level.shape[k, 0]):
        yes = tuple(level.yes[k, :, column].tolist())
        assert yes == combined(unit for unit in units if unit.answers[column])
        pack(level, k, column, 1)
        assert tuple(level.rows[k + 1].tolist()) == yes
        pack(level, k, column, 0)
        assert level.rows[k + 1].tolist() == (level.yes[k, :, column] ^ level.rows[k]).tolist()


@given(recipe=recipes, seed=seeds)
def test_only_the_first_of_equal_or_opposite_columns_stays_and_none_that_is_constant(recipe, seed):
    table = table_of(recipe)
    path = random_path(table, seed, naive.DEPTHS - 2)
    k, level = go_down(table, path), table.level
    before = units_of(level, k)
    name_answers(level, k)
    thin_out(level, k, 0)
    kept = first_of_equals(table.rows.bits[inside(table, path)])
    n, stride = level.shape[k].tolist()
    assert stride == stride_of(n)
    assert level.question[k, :n].tolist() == kept
    after = units_of(level, k)
    assert after == [unit._replace(answers=tuple(unit.answers[j] for j in kept)) for unit in before]
    assert not naive.grid_of(level, k)[:, n + 1 :].any()
    for place, column in enumerate(kept):
        yes = combined(unit for unit in before if unit.answers[column])
        assert tuple(level.yes[k, :, place].tolist()) == yes
        pack(level, k, place, 0)
        assert units_of(level, k + 1) == [unit for unit in after if not unit.answers[place]]
        assert level.question[k + 1, :n].tolist() == kept


@pytest.mark.parametrize("thin", [False, True])
@given(recipe=recipes, seed=seeds)
def test_what_is_earned_is_summed_over_one_column_and_over_two(thin, recipe, seed):
    table = table_of(recipe)
    path = random_path(table, seed, naive.DEPTHS - 2)
    k, level = go_down(table, path), table.level
    if thin:
        name_answers(level, k)
        thin_out(level, k, 0)
    count_sums(table.problem, level, k)
    count_pairs(table.problem, level, k)
    n, stride = level.shape[k].tolist()
    here, rows = inside(table, path), table.rows
    everyone = np.ones((here.sum(), 1), dtype=np.int64)
    bits = np.hstack([rows.bits[here][:, level.question[k, :n]], everyone])
    earned = rows.earned[here]
    sums = level.sums[k, : (earned.shape[1] + 1) * stride].reshape(-1, stride)
    assert (sums[:-1, : n + 1] == earned.T @ bits).all()
    assert (sums[-1, : n + 1] == rows.worth[here] @ bits).all()
    assert not sums[:, n + 1 :].any()
    pairs = level.pairs[k, : earned.shape[1] * n * stride].reshape(earned.shape[1], n, stride)
    for c, of_class in enumerate(earned.T):
        both = bits.T @ (of_class[:, None] * bits)
        assert (pairs[c, :, : n + 1] == both[:-1]).all()
        assert not pairs[c, :, n + 1 :].any()


@given(recipe=recipes)
def test_units_count_back_to_what_is_earned(recipe):
    table = table_of(recipe)
    rows, planes = table.rows, table.planes
    n = len(rows.worth)
    laid = zip(planes.groups, planes.factor, strict=True)
    counted = np.array([factor * np.bincount(groups, minlength=n) for groups, factor in laid])
    counted = counted.reshape(-1, n).astype(np.int64)
    parts = [counted[first:end].sum(axis=0) for first, end in itertools.pairwise(planes.plane)]
    assert (np.transpose(parts[:-1]) == rows.earned).all()
    worth = parts[-1] if planes.plane[-1] > planes.plane[-2] else rows.earned.sum(axis=1)
    assert (worth == rows.worth).all()
    idle = np.concatenate([*planes.groups[planes.plane[-1] :], []])
    assert idle.tolist() == np.flatnonzero(rows.worth == 0).tolist()
    assert not any(planes.factor[planes.plane[-1] :])


@given(recipe=recipes)
def test_every_group_of_rows_stands_in_a_unit_of_its_own_name(recipe):
    table = table_of(recipe)
    units = units_of(table.level, 0)
    groups = np.concatenate(table.planes.groups)
    assert len(units) == len(groups) == len({unit.name for unit in units})
    assert set(groups.tolist()) == set(range(len(table.rows.worth)))
    assert [unit.answers for unit in units] == [tuple(row) for row in table.rows.bits[groups].tolist()]
    assert tuple(table.level.rows[0].tolist()) == combined(units)


@given(recipe=recipes)
def test_equal_rows_are_merged_with_what_they_cost(recipe):
    table = table_of(recipe)
    rows, bits = table.rows, table.columns.bits
    costs, label = table.costs, table.sample.label
    assert len(rows.bits) == len(np.unique(bits, axis=0)) == len(np.unique(rows.bits, axis=0))
    unavoidable = 0
    for group, row in enumerate(rows.bits):
        here = (bits == row).all(axis=1)
        assert here.any()
        cost = costs.weight[here] @ costs.matrix[label[here]]
        assert (rows.earned[group] == cost.max() - cost).all()
        assert rows.worth[group] == cost.max() - cost.min()
        unavoidable += cost.min()
    assert rows.unavoidable == unavoidable


@given(seed=seeds, columns=columns, samples=samples)
def test_columns_are_the_questions_that_differ_with_the_rarer_answer_set(seed, columns, samples):
    given = random_sample(seed, columns=columns, samples=samples).given
    found = distinct_columns(given)
    assert found.question.tolist() == first_of_equals(given)
    assert (found.bits == given[:, found.question] ^ found.flipped).all()
    assert (2 * found.bits.sum(axis=0) <= len(given)).all()


@given(seed=seeds, kind=kinds, n=st.sampled_from([1, 5, 40, 300, 6000]))
def test_whole_costs_are_off_by_no_more_than_they_say(seed, kind, n):
    sample = random_sample(seed, **kind, samples=(n, n))
    costs = whole_costs(sample.weight, sample.cost)
    some = np.random.default_rng(seed).integers(0, len(sample.cost), (20, n))
    for predicted in [*some, *np.transpose([row.argsort() for row in sample.cost[sample.label]])]:
        exact = sample.weight @ sample.cost[sample.label, predicted]
        whole = costs.weight @ costs.matrix[sample.label, predicted] / costs.scale
        assert abs(whole - exact) <= costs.error + 1e-9 * max(exact, 1e-300)


@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_weights_and_costs_that_are_both_rounded_share_the_range(n):
    rng = np.random.default_rng(n)
    weight, odd = rng.random(n) + 0.1, rng.random((2, 2)) + 0.5
    matrix = odd - np.diag(np.diag(odd))
    costs = whole_costs(weight, matrix)
    assert 0 < costs.error < 2 * np.sqrt(n / MOST) * weight.sum() * matrix.max()
    assert (costs.weight.sum() * costs.matrix.max()) <= MOST


@pytest.mark.parametrize(("weights", "cost"), [
    ((1,), 1.0), ((1, 2, 7), [[0, 1], [5, 0]]), ((0.25, 0.5, 1.75), [[0, 1], [0.5, 0]]),
    ((0.1, 0.2, 0.3, 0.7), [[0, 0.1], [0.7, 0]]), ((1 / 3, 1 / 7, 2), [[0, 1], [1e3, 0]]),
    ((1e-9, 3e-9), [[0, 1e12], [2e12, 0]]), ((1, 1.001), [[0, 1], [2, 0]]), ((0, 1, 3), [[0, 0], [2, 0]]),
])  # fmt: skip
def test_weights_and_costs_with_a_common_measure_are_exact(weights, cost):
    rng = np.random.default_rng(0)
    for n in (1, 10, 200):
        weight, label, predicted = rng.choice(weights, n), rng.integers(0, 2, n), rng.integers(0, 2, n)
        weight[0] = weights[-1]
        matrix = np.where(np.eye(2, dtype=bool), 0.0, cost)
        costs = whole_costs(weight, matrix)
        assert costs.error == 0
        exact = weight @ matrix[label, predicted]
        assert costs.weight @ costs.matrix[label, predicted] / costs.scale == pytest.approx(exact, rel=1e-11)
        ratio = costs.weight.astype(float) * weight[0] - costs.weight[0] * weight
        assert ratio == pytest.approx(np.zeros(n), abs=1e-9 * costs.weight[0] * weight[0])


@given(seed=seeds, kind=kinds, n=st.sampled_from([1, 40, 6000, 60_000]))
def test_no_sum_of_whole_costs_is_too_large_for_a_key(seed, kind, n):
    assert_fits_a_key(random_sample(seed, **kind, samples=(n, n), columns=(1, 1)))


@pytest.mark.parametrize("n", [1500, 2700, 4000, 6000, 9000])
def test_nor_where_both_weights_and_costs_are_rounded(n):
    # How far costs are rounded up depends on how many of them there are room for: 0.5 becomes 1.
    rng = np.random.default_rng(n)
    cost = np.where(np.eye(10, dtype=bool), 0.0, rng.uniform(0.99, 1.0, (10, 10)))
    assert_fits_a_key(Sample(np.zeros((n, 1), dtype=bool), np.arange(n) % 10, rng.uniform(0.9, 1.0, n), cost))


def assert_fits_a_key(sample):
    costs = whole_costs(sample.weight, sample.cost)
    leaves = costs.weight @ costs.matrix[sample.label]
    assert SPLITS * int(leaves.min()) + SPLITS <= LARGE
    assert SPLITS * int(costs.weight @ costs.matrix.max(axis=1)[sample.label]) < 2**31


@pytest.mark.parametrize("n", [10, 300, 3000, 6000, 60_000])
def test_costs_that_are_far_apart_stay_so_though_weights_have_no_common_measure(n):
    rng = np.random.default_rng(n)
    weight, matrix = rng.random(n), np.array([[0, 1.0], [5, 0]])
    costs = whole_costs(weight, matrix)
    assert costs.matrix[1, 0] == pytest.approx(5 * costs.matrix[0, 1], rel=0.1)
    assert costs.error < weight.sum() * matrix.max() / 50


def test_weights_of_one_stay_whole_and_costs_leave_them_the_range():
    n, matrix = 5000, np.random.default_rng(0).random((3, 3)) * (1 - np.eye(3))
    costs = whole_costs(np.ones(n), matrix)
    assert len(set(costs.weight.tolist())) == 1
    assert costs.error <= 4 * n * n / MOST * matrix.max()  # each cost is off by two of MOST / 2 n steps at most


def test_weights_whose_common_measure_is_beyond_all_numbers_are_rounded():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        weight = 1000 / rng.choice(np.arange(2, 1000), 14, replace=False)  # as balanced classes have
        costs = whole_costs(weight, 1 - np.eye(2))
        assert costs.scale > 0
        assert (costs.weight >= 0).all()
        whole = costs.weight @ costs.matrix[0].repeat(7) / costs.scale
        assert abs(whole - weight[7:].sum()) <= costs.error + 1e-9 * weight.sum()


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


def assert_keys_are_least(table, path=(), thin=False, only=None):
    """The keys of the node, and of both children of every column, or of one, are those of all trees."""
    k, level, bench = counted(table, path, thin), table.level, make_pair_workspace(table.level)
    rows, here = table.rows, inside(table, path)
    asked = level.question[k, : level.shape[k, 0]].tolist()
    solve_node(table.problem, level, k, bench)
    assert bench.keys[YES : YES + SPLITS].tolist() == naive.least_keys(rows, here, asked)
    for place in range(len(asked)) if only is None else (only,):
        depth_two.solve_children(table.problem, level, k, place, bench)
        for side, at in ((True, YES), (False, NO)):
            expected = naive.least_keys(rows, here & (rows.bits[:, asked[place]] == side), asked)
            assert bench.keys[at : at + SPLITS].tolist() == expected, (place, side)


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
        assert table.rows.bits.shape[1] == n_columns
        assert_keys_are_least(table, only=n_columns - 1 - seed)


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
    assert bench.keys[YES : YES + SPLITS].tolist() == naive.least_keys(table.rows, everyone, range(12))
