"""What the grower of CART starts from and counts: sorted columns, levels, sweeps over classes, and surrogates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MISSING, SORTED, make_columns
from espalier.kernels.cart.fast_split import count_levels, score_levels, width_of
from espalier.kernels.cart.grow import NODE, grow_from, make_work
from espalier.kernels.cart.nodes import part_levels, part_rows
from espalier.kernels.cart.surrogates import SURROGATE, SurrogatePool
from espalier.kernels.cart.sweep import ClassSums, sweep_classes
from espalier.kernels.route import columns_of
from espalier.kernels.task import CODES, Sweep, Task, score_of_sides, table_of_x_log_x
from espalier.learners import CartClassifier
from espalier.learners.base import TrainingData
from tests.tools.selection import seeds

WILD = st.one_of(
    st.floats(-1e308, 1e308, allow_nan=False), st.just(np.nan), st.integers(-3, 3).map(float), st.just(1e-320)
)


def columns(x, is_category=False):
    return make_columns(columns_of(np.asarray(x, dtype=float)[:, None]), np.array([is_category]))


def many_values(x):
    """The values x among 70 more, so that they are too many for levels."""
    return np.concatenate([x, np.arange(70) / 7 + 0.1])


@settings(deadline=None, max_examples=200)
@given(st.lists(WILD, max_size=60))
def test_a_sorted_list_is_what_a_stable_sort_gives(values):
    x = many_values(values)
    made = columns(x)
    assert made.kind[0] == SORTED
    assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()


def test_far_outliers_and_a_range_too_wide_or_too_narrow_for_a_double_are_sorted_all_the_same():
    rng = np.random.default_rng(0)
    far, narrow = np.append(rng.random(5000), 1e300), rng.permutation(np.append(np.arange(90) * 5e-324, np.nan))
    for x in (far, many_values([1.2e308, -1.2e308]), many_values([np.inf, np.nan]), narrow):
        assert columns(x).order[1].tolist() == np.argsort(x, kind="stable").tolist()
    assert columns(narrow).has_missing[0]
    assert columns(narrow).distinct[0]


@settings(deadline=None, max_examples=40)
@given(st.integers(66, 3000), st.integers(1, 400) | st.just(10**9), st.sampled_from([0, 0.1]), st.integers(0, 99))
def test_long_columns_with_equal_and_missing_values_are_sorted_stably(n, step, share, seed):
    rng = np.random.default_rng(seed)
    x = np.append(np.round(rng.normal(size=n) * step) / 7, np.arange(70) + 0.5)
    x[:n][rng.random(n) < share] = np.nan
    made = columns(x)
    assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()
    assert made.has_missing[0] == np.isnan(x).any()
    assert made.distinct[0] == (len(np.unique(x[~np.isnan(x)])) == np.sum(~np.isnan(x)))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([-2.0, 0.0, 1.0, 1.5, 4000.0, 1e9, np.nan]), min_size=1, max_size=40))
def test_few_values_become_levels_in_their_order(values):
    made = columns(values)
    known = np.unique(np.array(values)[~np.isnan(values)])
    assert made.kind[0] == LEVELS
    assert made.levels[0, : len(known)].tolist() == known.tolist()
    expected = [MISSING if np.isnan(v) else int(np.searchsorted(known, v)) for v in values]
    assert made.codes[:, 0].tolist() == expected


def test_category_codes_past_63_count_as_missing():
    made = columns([0, 63, 64, -1, np.nan], is_category=True)
    assert made.kind[0] == CATEGORIES
    assert made.codes[:, 0].tolist() == [0, 63, MISSING, MISSING, MISSING]
    assert made.has_missing[0]


@settings(deadline=None, max_examples=60)
@given(
    st.integers(-(2**60), 2**60).map(float),
    st.lists(st.integers(0, 300), min_size=1, max_size=70),
    st.sampled_from([None, 0.5, np.nan, np.inf, -64.0, -65.0, 255.0, 5000.0]),
    st.integers(0, 2**32 - 1),
)
def test_whole_numbers_of_a_byte_are_levels_wherever_they_begin_and_whatever_comes_last(low, steps, odd, seed):
    x = low + np.random.default_rng(seed).choice(steps, 3000)
    x[-1] = x[-1] if odd is None else low + odd
    made, known = columns(x), np.unique(x[~np.isnan(x)])
    assert made.kind[0] == (LEVELS if len(known) <= 64 else SORTED)
    assert made.has_missing[0] == np.isnan(x).any()
    if made.kind[0] == LEVELS:
        assert made.levels[0, : len(known)].tolist() == known.tolist()
        assert np.isinf(made.levels[0, len(known) :]).all()
        expected = np.where(np.isnan(x), MISSING, np.searchsorted(known, x))
        assert made.codes[:, 0].tolist() == expected.tolist()
    else:
        assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()


def test_levels_of_many_columns_stand_beside_each_other():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (700, 70)) * rng.choice([1.0, 7.0, 0.25, 1000.0], 70)
    X[:, 3] = rng.random(700)
    X[5, ::4] = np.nan
    made = make_columns(columns_of(X), np.arange(70) == 8)
    for feature in np.flatnonzero(made.kind == LEVELS):
        slot = made.slot[feature]
        known = np.append(made.levels[slot], np.nan)
        np.testing.assert_array_equal(known[made.codes[:, slot]], X[:, feature])
    assert made.kind[3] == SORTED
    assert made.kind[8] == CATEGORIES


# Counts up to each level, beside a loop over the samples
RNG = np.random.default_rng(22)


def counted(n, n_features, n_levels):
    codes = RNG.integers(0, n_levels, (n_features, n)).astype(float)
    codes[:, :n_levels] = np.arange(n_levels)  # every level occurs
    columns = make_columns(codes, np.zeros(n_features, bool))
    rows, labels = RNG.permutation(n)[: n // 2 + 1], RNG.integers(0, 2, n)
    counts = np.full(2 * n_levels * width_of(n_features), np.nan)
    count_levels((rows * 2 + labels[rows]).astype(np.uint32), columns.codes, columns.most_levels, counts)
    return codes[:, rows], labels[rows], counts.reshape(2, n_levels, -1)[:, :-1, :n_features], counts


@pytest.mark.parametrize("n_features", [1, 63, 64, 65])
@pytest.mark.parametrize(("n", "n_levels"), [(9, 2), (700, 5), (2000, 6)])
def test_counts_are_those_of_a_loop(n, n_features, n_levels):
    codes, labels, counts, _ = counted(n, n_features, n_levels)
    for level in range(n_levels - 1):
        assert counts[0, level].tolist() == (codes <= level).sum(axis=1).tolist()
        assert counts[1, level].tolist() == (codes[:, labels == 1] <= level).sum(axis=1).tolist()


@pytest.mark.parametrize("min_leaf", [1, 30])
def test_the_score_of_a_feature_is_that_of_its_best_cut(min_leaf):
    _, labels, counts, flat = counted(200, 3, 6)
    n, n1 = len(labels), labels.sum()
    best = np.zeros(width_of(3))
    score_levels(flat, 6, (n - n1, n1), min_leaf, best)
    for feature in range(3):
        scores = [-np.inf]
        for left, l1 in zip(*counts[:, :, feature], strict=True):
            right, r1 = n - left, n1 - l1
            if min(left, right) >= min_leaf:
                scores.append(((left - l1) ** 2 + l1**2) / left + ((right - r1) ** 2 + r1**2) / right)
        assert best[feature] == pytest.approx(max(scores), rel=1e-12)


# Parting a node's samples by the codes of a column, as by its values
def node(start, stop, threshold, missing_left):
    here = np.zeros(1, NODE)
    here["start"], here["stop"], here["threshold"], here["missing_left"] = start, stop, threshold, missing_left
    return here.view(np.recarray)[0]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([-3.0, -1.0, 0.0, 2.0, 2.5, 7.0, np.nan]), min_size=2, max_size=60),
    st.sampled_from([-4.0, -3.0, -0.5, 2.0, 2.2, 7.0, np.inf]),
    st.booleans(),
)
def test_codes_part_samples_as_values_do(values, threshold, missing_left):
    x = np.array(values)
    columns = make_columns(x[None], np.zeros(1, bool))
    entries = (np.random.default_rng(len(x)).permutation(len(x)) << 1).astype(np.uint32)
    here = node(1, len(x), threshold, missing_left)
    by_values, by_codes = ((np.zeros_like(entries), np.zeros(len(x), bool)) for _ in range(2))
    expected = part_rows(entries, by_values[0], x, here, by_values[1])
    codes, levels = columns.codes[:, 0], columns.levels[0]
    assert part_levels(entries, by_codes[0], codes, levels, here, by_codes[1]) == expected
    assert by_codes[0].tolist() == by_values[0].tolist()
    assert by_codes[1].tolist() == by_values[1].tolist()


# The sweep over many classes, beside a search that adds up anew at each cut
CRITERIA = ["gini", "entropy", "misclassification"]


def weights_of(kind, n, rng):
    """Weights of one kind; wild ones are so far apart that running sums lose most of their digits."""
    return {
        "unit": np.ones(n),
        "whole": rng.integers(1, 6, n).astype(float),
        "real": rng.uniform(0.1, 3, n),
        "wild": 10 ** rng.uniform(-7, 7, n),
    }[kind]


def case(kind, criterion, seed):
    """A task of many classes, and a sweep over a column with equal values, of which some are missing."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(4, 400)), int(rng.integers(3, 30))
    x = np.sort(np.round(rng.normal(size=n), int(rng.choice([1, 6]))))
    place = np.clip((x + 2) / 4 + rng.normal(scale=rng.choice([0, 0.3]), size=n), 0, 0.999)
    label, weight = (place * n_classes).astype(np.uint16), weights_of(kind, n, rng)
    table = table_of_x_log_x(n if kind == "unit" else 0)
    unit = kind == "unit"
    task = Task(CODES[criterion], n_classes, label, np.empty(0), weight, unit, False, table)
    known = n - int(rng.choice([0, n // 4]))
    first, last = int(rng.integers(0, 3)), known - 2
    entries = (np.arange(n) << 1).astype(np.uint32)
    return task, Sweep(entries, known, x, False, known < n and seed % 2 == 0, first, last)


def sums_beside(sweep, task, cut):
    """The weights of the classes on both sides of a cut, each added up anew."""
    left = np.arange(len(task.label)) <= cut
    left[sweep.known :] = sweep.missing_left
    return tuple(np.bincount(task.label[s], task.weight[s], task.n_classes) for s in (left, ~left))


def scores(sweep, task, min_weight):
    """The score of each cut, (n,); -inf where it may not be."""
    result = np.full(len(task.label), -np.inf)
    for cut in range(sweep.first, sweep.last + 1):
        left, right = sums_beside(sweep, task, cut)
        if sweep.column[cut] != sweep.column[cut + 1] and min(left.sum(), right.sum()) >= min_weight:
            result[cut] = score_of_sides(left, right, task.criterion)
    return result


def found(sweep, task, min_weight):
    """The score and place of the cut that the sweep finds."""
    node = np.bincount(task.label, task.weight, task.n_classes)
    sums = ClassSums(node, *(np.full(task.n_classes, np.nan) for _ in range(3)))
    return sweep_classes(sweep, sums, task, min_weight, -np.inf)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["unit", "whole"])
@seeds(20, 60)
def test_whole_weights_give_the_same_cut_to_the_last_bit(kind, criterion, seeds):
    for seed in seeds:
        task, sweep = case(kind, criterion, seed)
        min_weight = 0.1 * task.weight.sum() if seed % 3 == 0 else 0.0
        wanted = scores(sweep, task, min_weight)
        score, cut = found(sweep, task, min_weight)
        assert score == wanted.max()
        assert cut == (wanted.argmax() if np.isfinite(wanted.max()) else -1)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["real", "wild"])
@seeds(20, 60)
def test_running_sums_of_real_weights_hide_no_better_cut(kind, criterion, seeds):
    for seed in seeds:
        task, sweep = case(kind, criterion, seed)
        wanted = scores(sweep, task, 0.0)
        score, cut = found(sweep, task, 0.0)
        size = 1e-12 * task.weight.sum() * np.log(task.weight.sum() + 3)
        assert cut >= 0 or not np.isfinite(wanted.max())
        if cut >= 0:
            assert wanted[cut] == pytest.approx(score, rel=1e-12, abs=size)
            assert wanted[cut] == pytest.approx(wanted.max(), rel=1e-12, abs=size)


def light_end(light, seed):
    """A task of one class but for its last few samples, so light that what is left of running sums is rounding."""
    rng = np.random.default_rng(seed)
    n, n_light = int(rng.integers(60, 300)), int(rng.integers(1, 4))
    weight = rng.uniform(0.1, 3, n)
    weight[-n_light:] *= light
    label = np.zeros(n, np.uint16)
    label[-n_light:] = rng.integers(1, 5)
    task = Task(CODES["gini"], 5, label, np.empty(0), weight, False, False, table_of_x_log_x(0))
    entries = (np.arange(n) << 1).astype(np.uint32)
    return task, Sweep(entries, n, np.arange(float(n)), True, False, 0, n - 2), n - n_light - 1


@pytest.mark.parametrize("light", [1e-6, 1e-8, 1e-9, 1e-10])
@seeds(20, 60)
def test_samples_far_lighter_than_the_others_are_parted_from_them(light, seeds):
    for seed in seeds:
        task, sweep, cut = light_end(light, seed)
        wanted = scores(sweep, task, 0.0)
        assert wanted.argmax() == cut
        score, place = found(sweep, task, 0.0)
        assert place == cut
        assert score == pytest.approx(wanted[cut], rel=1e-12)


def test_a_table_of_logarithms_changes_nothing_but_the_time():
    for seed in range(20):
        task, sweep = case("unit", "entropy", seed)
        score, cut = found(sweep, task, 0.0)
        assert found(sweep, task._replace(table=table_of_x_log_x(0)), 0.0) == (score, cut)


# The pool of surrogates: nothing is written beyond its end
def test_a_pool_with_room_for_two_gets_two_and_the_memory_behind_it_stays():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X, y = np.column_stack([x, *(x + rng.normal(size=60) / k for k in (9, 5, 2))]), (x > 0).astype(int)
    model = CartClassifier(missing="surrogate", max_depth=3)
    assert len(model.fit(X, y).tree_.surrogates.feature) > 2
    growth = model.growth(TrainingData(X, y, np.ones(60)))
    memory = np.zeros(40, SURROGATE)
    memory["node"] = 77
    work = make_work(model.columns(columns_of(X)), growth.task, growth.limits, 0)
    tree = grow_from(
        work._replace(surrogates=SurrogatePool(memory[:2], np.zeros(1, np.int64))), np.zeros(2, np.int64)
    )
    assert len(tree.surrogates.feature) == 2
    assert (memory["node"][2:] == 77).all()
