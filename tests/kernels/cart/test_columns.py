"""What the grower of CART starts from and counts; small trees grown in one go are those grown node by node."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart import grow
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MISSING, SORTED, make_columns
from espalier.kernels.cart.fast_split import count_levels, score_levels, width_of
from espalier.kernels.cart.grow import DEEP, NODE, Seedling, grow_from, grow_tree, make_work, takes_one_call
from espalier.kernels.cart.nodes import part_levels, part_rows
from espalier.kernels.cart.small_classes import grow_small
from espalier.kernels.cart.small_lists import FEW, FewNode, best_cut_of_few, make_few_samples, part_few
from espalier.kernels.cart.small_subtrees import MOST, finish_tree
from espalier.kernels.cart.surrogates import SURROGATE, SurrogatePool
from espalier.kernels.cart.sweep import ClassSums, sweep_classes
from espalier.kernels.route import columns_of, leaf_of
from espalier.kernels.task import CODES, Sweep, Task, score_of_sides, table_of_x_log_x
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.base import TrainingData
from espalier.progress import Progress
from espalier.trees import LEAF
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


def few_of(ranks, y):
    n, p = ranks.shape
    few = make_few_samples(n, p)
    few.ranks.reshape(-1, few.width)[:n, :p] = ranks
    few.y[:n], few.number[:n] = y, np.arange(n)
    return few


def naive_cut(ranks, y, min_leaf):
    """Of all cuts, the first one of the first feature whose score no other exceeds."""
    best = (-np.inf, -1, 0)
    for feature in range(ranks.shape[1]):
        for rank in np.unique(ranks[:, feature]):
            left = ranks[:, feature] <= rank
            n_left, n_right = left.sum(), (~left).sum()
            if min(n_left, n_right) >= min_leaf:
                score = y[left].sum() ** 2 / n_left + y[~left].sum() ** 2 / n_right
                if score > best[0] + 1e-9:
                    best = (score, feature, rank)
    return best[1:]


@pytest.mark.parametrize("n_features", [1, 8, 21])
def test_the_best_cut_of_few_is_that_of_a_search_over_all_cuts(n_features):
    for n in (2, 3, 5, 13, FEW):
        for min_leaf in (1, 2):
            ranks = RNG.integers(0, max(n // 2, 2), (n, n_features))
            y = RNG.integers(-9, 9, n).astype(float)
            if n >= 2 * min_leaf:
                few = few_of(ranks, y)
                assert best_cut_of_few(few, FewNode(0, n, y.sum(), min_leaf)) == naive_cut(ranks, y, min_leaf)


def test_few_samples_are_parted_in_their_order_and_those_that_no_feature_tells_apart_have_no_cut():
    for n in (2, 6):
        few = few_of(np.full((n, 3), 4), RNG.normal(size=n))
        assert best_cut_of_few(few, FewNode(0, n, few.y.sum(), 1))[0] == -1
    ranks = np.array([[3], [0], [2], [3], [1]])
    few = few_of(ranks, np.arange(5.0))
    assert part_few(few, 0, 5, 0, 1) == (2, 4, 2)  # the cut is between the values of samples 4 and 2
    assert few.number[:5].tolist() == [1, 4, 0, 2, 3]
    assert few.y[:5].tolist() == [1, 4, 0, 2, 3]
    assert few.ranks.reshape(-1, few.width)[:5, 0].tolist() == [0, 1, 3, 2, 3]


def naive_splits(X, y, min_leaf):
    """(feature, samples on the left) of each node in preorder; feature -1 for a leaf."""
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    feature, rank = naive_cut(ranks, y, min_leaf) if np.ptp(y) > 0 and len(y) >= 2 * min_leaf else (-1, 0)
    if feature < 0:
        return [(-1, len(y))]
    left = ranks[:, feature] <= rank
    children = (naive_splits(X[side], y[side], min_leaf) for side in (left, ~left))
    return [(feature, int(left.sum())), *(split for child in children for split in child)]


@pytest.mark.parametrize("min_leaf", [1, 4])
@pytest.mark.parametrize(("n", "p"), [(25, 4), (130, 9)])
def test_a_tree_of_numbers_is_that_of_a_search_over_all_cuts(n, p, min_leaf):
    X = RNG.normal(size=(n, p))
    X[:, 0], X[:, 1] = X[:, 0].round(1), RNG.integers(0, 4, n)  # ties, and levels
    for y in (X[:, 2] + X[:, 1] * X[:, 3] + RNG.normal(size=n), RNG.integers(0, 5, n).astype(float)):
        tree = CartRegressor(min_samples_leaf=min_leaf).fit(X, y).tree_
        on_left = np.where(tree.feature >= 0, tree.n_samples[tree.left], tree.n_samples)
        grown = [*zip(tree.feature.tolist(), on_left.tolist(), strict=True)]
        assert grown == naive_splits(X, y - y.mean(), min_leaf)


@pytest.mark.parametrize("settings", [{}, {"max_depth": 6}, {"min_samples_split": 9}, {"min_samples_leaf": 20}])
def test_a_tree_grown_by_subtrees_is_the_tree_grown_node_by_node(settings):
    """A least weight that every sample has is no limit, but subtrees are not grown in one go under it."""
    for n in (700, 20_000) if "min_samples_leaf" in settings else (700,):
        X = RNG.normal(size=(n, 3))
        X[:, 2] = X[:, 2].round(2)
        y = X[:, 0] + RNG.normal(size=n)
        at_once = CartRegressor(**settings).fit(X, y).tree_
        one_by_one = CartRegressor(min_weight_fraction_leaf=0.5 / n, **settings).fit(X, y).tree_
        for name in ("feature", "threshold", "left", "right", "missing_left", "n_samples", "value", "impurity"):
            np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name), name)


@pytest.mark.parametrize("n", [1, 2, 30, 700, 20_000])
def test_a_stop_before_the_growing_leaves_the_root_alone(n):
    X, y, progress = RNG.normal(size=(n, 3)), RNG.normal(size=n), Progress(is_stopped=True)
    tree = CartRegressor().fit(X, y, progress=progress).tree_
    assert tree.n_nodes == 1
    assert (tree.feature[0], tree.left[0], tree.right[0], tree.n_samples[0]) == (LEAF, LEAF, LEAF, n)
    assert tree.value[0, 0] == pytest.approx(y.mean(), abs=1e-12)
    assert tree.impurity[0] == pytest.approx(y.var(), abs=1e-12)


@pytest.mark.parametrize("n", [700, 40_000])
def test_a_stop_before_the_first_subtree_leaves_the_nodes_above_the_subtrees(n, monkeypatch):
    def stop_and_finish(work, tree, nodes, values, signals):
        signals[1] = 1
        return finish_tree(work, tree, nodes, values, signals)

    X, y = RNG.normal(size=(n, 2)), RNG.normal(size=n)
    y += X[:, 0]
    whole = CartRegressor().fit(X, y).tree_
    monkeypatch.setattr(grow, "finish_tree", stop_and_finish)
    top = CartRegressor().fit(X, y).tree_
    assert (top.n_nodes > 1) == (n > MOST)
    assert 0 < top.n_samples[top.feature == LEAF].min() <= top.n_samples[top.feature == LEAF].max() <= MOST
    above = np.flatnonzero(whole.n_samples > MOST)  # in preorder, as the nodes that are split in the top
    split = np.flatnonzero(top.feature != LEAF)
    assert top.threshold[split].tolist() == whole.threshold[above].tolist()
    leaf = leaf_of(top, np.asfortranarray(X))
    for node in np.unique(leaf):
        assert top.value[node, 0] == pytest.approx(y[leaf == node].mean(), abs=1e-12)
        assert top.n_samples[node] == (leaf == node).sum()


LIMITS: tuple[dict[str, Any], ...] = (
    {}, {"max_depth": 3}, {"min_samples_leaf": 4}, {"min_samples_split": 9, "max_depth": 6},
)  # fmt: skip
MANY_LIMITS: tuple[dict[str, Any], ...] = ({}, {"max_depth": DEEP}, {"min_samples_leaf": 7})


def columns_like(kind, n, rng):
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 2, n)
    return {"numbers": X, "ties": np.round(X), "outliers": np.exp(9 * X), "constant": X * [1, 0, 1, 0]}[kind]


def is_small(growth, columns):
    return takes_one_call(Seedling(columns, np.zeros(1, bool), np.empty(0), growth.task, growth.limits, 0))


def both_trees(model, X, y):
    model = model.fit(X, y)
    training = TrainingData(np.asfortranarray(X), np.unique(y, return_inverse=True)[1], np.ones(len(y)))
    growth, columns = model.growth(training), columns_of(X)
    assert is_small(growth, columns)
    signals = np.zeros((2, 2), np.int64)
    small = grow_small(columns, growth.task, growth.limits, signals[0])
    usual = grow_tree(model.columns(columns), growth.task, growth.limits, 0, signals[1])
    assert signals.tolist() == [[len(y), 0]] * 2
    return small, usual


def assert_same(small, usual):
    for a, b in zip((*small[:-1], *small.surrogates), (*usual[:-1], *usual.surrogates), strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        assert not a.flags.writeable


@pytest.mark.parametrize("kind", ["numbers", "ties", "outliers", "constant"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_tree_is_that_of_the_search_node_by_node(kind, n_classes):
    for seed, n in enumerate((2, 3, 30, 150, 300, 700)):
        rng = np.random.default_rng(seed)
        X = columns_like(kind, n, rng)
        y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n))[:n]
        for limits in LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def test_two_classes_apart_are_found_in_long_lists():
    rng = np.random.default_rng(1)
    for n in (97, 500, 2000):
        X = rng.normal(size=(n, 3))
        assert_same(*both_trees(CartClassifier(), X, X[:, 1] + 0.1 * rng.normal(size=n) > 0.3))


def growth_of(**parameters: Any):
    X = np.arange(12.0).reshape(6, 2)
    training = TrainingData(X, np.array([0, 1, 0, 1, 1, 0]), np.ones(6))
    model = CartClassifier(**parameters).fit(X, training.y)
    return X, model.growth(training)


def test_a_table_with_a_missing_or_infinite_value_is_left_to_the_search_node_by_node():
    X, growth = growth_of()
    assert is_small(growth, columns_of(X))
    for value in (np.nan, np.inf, -np.inf):
        X[3, 1] = value
        assert not is_small(growth, columns_of(X))
        assert grow_small(columns_of(X), growth.task, growth.limits, np.zeros(2, np.int64)) is None


def test_a_search_that_was_stopped_leaves_the_root_alone():
    X, growth = growth_of()
    tree = grow_small(columns_of(X), growth.task, growth.limits, np.array([0, 1]))
    assert tree is not None
    assert tree.n_nodes == 1


@pytest.mark.parametrize("parameters", [
    {"criterion": "entropy"}, {"splitter": "random"}, {"max_features": 1}, {"max_leaf_nodes": 3},
    {"min_impurity_decrease": 0.1}, {"min_weight_fraction_leaf": 0.1}, {"missing": "surrogate"},
    {"missing": "category"},
])  # fmt: skip
def test_other_tasks_are_left_to_the_search_node_by_node(parameters):
    X, growth = growth_of(**parameters)
    assert not is_small(growth, columns_of(X))


@pytest.mark.parametrize("n_classes", [3, 20])
def test_trees_of_many_samples_of_several_classes_are_the_same_too(n_classes):
    rng = np.random.default_rng(n_classes)
    for n in (grow.FEW, grow.FEW + 1, 9000):
        X = np.column_stack([rng.normal(size=(n, 3)), np.round(rng.normal(size=n), 2), rng.integers(0, 3, n)])
        y = np.digitize(X[:, 0] + X[:, 3] + rng.normal(size=n), np.linspace(-2, 2, n_classes - 1))
        for limits in MANY_LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def is_small_table(n, n_classes, columns=None, **parameters: Any):
    _, growth = growth_of(**parameters)
    task = growth.task._replace(label=np.zeros(n, np.uint16), n_classes=n_classes)
    table = np.random.default_rng(0).normal(size=(2, n)) if columns is None else columns
    return is_small(growth._replace(task=task), table)


def test_many_samples_are_taken_for_deep_trees_of_several_classes_and_columns_of_many_values():
    assert is_small_table(grow.MOST_OF_TWO, 2)
    assert not is_small_table(grow.MOST_OF_TWO + 1, 2)
    assert is_small_table(grow.FEW, 3, max_depth=1)
    assert not is_small_table(grow.FEW + 1, 3, max_depth=DEEP - 1)
    assert is_small_table(grow.FEW + 1, 3, max_depth=DEEP)
    assert is_small_table(grow.MOST_OF_MORE, 3)
    assert not is_small_table(grow.MOST_OF_MORE + 1, 3)
    more = grow.FEW + 1
    assert not is_small_table(more, 3, np.zeros((2, more)))
    wide = np.broadcast_to(np.arange(1.0 * more), (1 + grow.MOST_VALUES // grow.FEW, more))
    assert not is_small_table(more, 3, wide)
