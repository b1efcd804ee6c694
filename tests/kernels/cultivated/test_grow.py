"""Growing cultivated trees, and fractions through them: against plain definitions on small tables, and by laws."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cultivated.fractions import CHUNK, fractions_of, log_ensemble_size, predict, reach
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, CultivatedClassifier, CultivatedRegressor
from espalier.trees import CultivatedTree, depths, is_leaf, make_cultivated, parents, softened
from tests.tools import random_trees
from tests.tools.by_hand import colours, neighbourhoods, options, soft_colours
from tests.tools.naive import cultivated as naive
from tests.tools.naive.cart import rows_by_node
from tests.tools.naive.cultivated import Node, Rules, Table
from tests.tools.selection import seeds

SEEDS = st.integers(0, 2**32 - 1)
WIDTHS = {"sqrt": np.sqrt, "cbrt": np.cbrt, "all": lambda w: w, 0: lambda _: 0.0, 2.5: lambda _: 2.5}


def random_table(rng: np.random.Generator, n: int, n_features: int, decimals: int) -> Table:
    """Ties, columns twice, constant columns, missing values, categories, weights; 1 to 4 classes, or a number."""
    X = np.round(rng.normal(size=(n, n_features)), decimals)
    categorical = [f for f in range(n_features) if rng.random() < 0.3]
    X[:, categorical] = rng.integers(0, rng.integers(2, 7), (n, len(categorical)))
    if n_features > 1 and rng.random() < 0.2:
        X[:, -1] = X[:, 0]
        categorical = [f for f in categorical if f < n_features - 1] + [n_features - 1] * (0 in categorical)
    if rng.random() < 0.15:
        X[:, rng.integers(n_features)] = 1
    if rng.random() < 0.4:
        X[rng.random((n, n_features)) < 0.2] = np.nan
    signal = np.nan_to_num(X[:, 0]) + rng.normal(size=n) * rng.choice([0, 0.5, 2])
    weight = (np.ones(n), rng.integers(1, 4, n).astype(float), rng.random(n) * 2 + 0.05)[rng.integers(3)]
    n_classes = int(rng.choice([0, 2, 3, 4]))
    if n_classes == 0:
        return Table(X, np.round(signal, rng.integers(0, 5)), weight, 0, categorical)
    y = rng.permutation(n_classes)[
        np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    ]
    labels, y = np.unique(y, return_inverse=True)
    return Table(X, y, weight, len(labels), categorical)


def random_parameters(rng: np.random.Generator, max_depth: int) -> dict:
    eta = float(rng.choice([0, 0.3, 1]))
    widths = [k for k in WIDTHS if k or eta]  # one cut and no options are CART, of which there is another test
    return {
        "max_depth": int(rng.integers(1, max_depth + 1)),
        "eta": eta,
        "k": widths[rng.integers(len(widths))],
        "min_node_weight": float(rng.choice([2, 6, 6])),
        "min_fraction": float(rng.choice([0, 0, 0.05, 0.3])),
        "share_power": float(rng.choice([0, 0, 1, 2])),
        "thresholds": str(rng.choice(["midpoint", "data"])),
        "min_weight_fraction_leaf": float(rng.choice([0, 0, 0.1, 0.3])),
    }


def grown(table: Table, **parameters):
    kind = CultivatedClassifier if table.n_classes else CultivatedRegressor
    model = kind(**parameters, categorical_features=table.categorical)
    return model.fit(table.X, table.y, sample_weight=table.weight).tree_


def naively_grown(table: Table, parameters: dict) -> Node:
    names = {"min_node_weight": "min_weight"}
    rules: dict = {names.get(name, name): value for name, value in parameters.items()}
    midway = rules.pop("thresholds") == "midpoint"
    least = rules.pop("min_weight_fraction_leaf") * table.weight.sum()
    return naive.grow(
        table, Rules(**rules | {"k": WIDTHS[parameters["k"]], "midway": midway, "min_leaf_weight": least})
    )


def is_same(one, other, tolerance: float) -> bool:
    return len(one) == len(other) and np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


def same_decision(one: naive.Decision, other: naive.Decision, tolerance: float) -> bool:
    values, phi = zip(*one.cuts, strict=True)
    other_values, other_phi = zip(*other.cuts, strict=True)
    return (
        (one.feature, one.reversed) == (other.feature, other.reversed)
        and np.array_equal(one.threshold, other.threshold, equal_nan=True)
        and values == other_values
        and is_same(phi, other_phi, tolerance)
        and is_same(one[3:6], other[3:6], tolerance)
    )


def same_node(one: Node, other: Node, tolerance: float) -> bool:
    return (
        one.n_samples == other.n_samples
        and is_same(
            [one.weight, one.impurity, *one.value], [other.weight, other.impurity, *other.value], tolerance
        )
        and len(one.decisions) == len(other.decisions)
        and all(same_decision(d, e, tolerance) for d, e in zip(one.decisions, other.decisions, strict=True))
    )


def assert_same_tree(table: Table, parameters: dict) -> bool:
    """Compare the kernel with the naive version; False if they part at a tie, at a node that shows it."""
    tolerance = 1e-9 if parameters["share_power"] else 1e-12  # a share is decided by a small difference
    tree, slow = grown(table, **parameters), naively_grown(table, parameters)
    nodes, expected = naive.nodes_of(naive.read(tree)), naive.nodes_of(slow)
    for one, other in zip(nodes, expected, strict=False):
        if not same_node(one, other, tolerance):
            assert other.margin < 1, f"{parameters}\n{one}\n{other}"
            return False
    assert len(nodes) == len(expected)
    mean, spread = predict(tree, table.X)
    answers = [naive.predict(slow, x) for x in table.X]
    assert is_same(mean, [m for m, _ in answers], tolerance)
    assert is_same(spread**2, [s**2 for _, s in answers], tolerance)
    return True


@seeds(60, 250)
def test_the_grower_grows_what_the_definitions_say(seeds):
    same = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = random_table(rng, int(rng.integers(6, 36)), int(rng.integers(1, 5)), int(rng.integers(0, 4)))
        same.append(assert_same_tree(table, random_parameters(rng, 6)))
    assert np.mean(same) > 0.98  # rounding decides a tie now and then


@seeds(4, 8)
@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_the_grower_grows_what_the_definitions_say_of_columns_too_long_for_levels(decimals, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = random_table(rng, int(rng.integers(85, 110)), int(rng.integers(1, 3)), decimals)
        assert assert_same_tree(table, random_parameters(rng, 3))


def table_of_waves(rng: np.random.Generator, n: int) -> Table:
    """The target goes up and down with each column, so that impurity has several minima; some values repeat."""
    X = np.round(rng.random((n, int(rng.integers(1, 4)))) * 3, rng.integers(1, 4))
    waves = np.sin(X * rng.integers(2, 8, X.shape[1])).sum(axis=1) + rng.normal(size=n) * 0.3
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.1] = np.nan
    categorical = [X.shape[1] - 1] if X.shape[1] > 1 and rng.random() < 0.3 else []
    X[:, categorical] = np.floor(2 * X[:, categorical])
    weight = np.ones(n) if rng.random() < 0.5 else rng.random(n) + 0.1
    n_classes = int(rng.choice([0, 2, 3]))
    if n_classes == 0:
        return Table(X, waves, weight, 0, categorical)
    labels, y = np.unique(np.digitize(waves, [0.0, 0.7][: n_classes - 1]), return_inverse=True)
    return Table(X, y, weight, len(labels), categorical)


@seeds(30, 120)
def test_the_grower_grows_what_the_definitions_say_with_several_neighbourhoods(seeds):
    same, several = [], 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = table_of_waves(rng, int(rng.integers(6, 100)))
        parameters = random_parameters(rng, 3) | {"eta": float(rng.choice([0.3, 1, 3])), "share_power": 0.0}
        parameters |= {"k": (2.5, "cbrt", 0)[seed % 3], "neighbourhoods": int(rng.integers(2, 5))}
        same.append(assert_same_tree(table, parameters))
        decisions = grown(table, **parameters).decisions
        modules = [decisions.feature[i:j] for i, j in pairwise(decisions.start)]
        several += any(len(set(features.tolist())) < len(features) for features in modules)
    assert np.mean(same) > 0.98
    assert several > len(seeds) / 2  # trees where a feature has more than one


def numbers(rng, n=60, n_features=3, decimals=6):
    X = np.round(rng.normal(size=(n, n_features)), decimals)
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def row_sets(rows_of_nodes):
    """The rows of every node, whichever child is the left one."""
    return sorted(sorted(map(int, rows)) for rows in rows_of_nodes)


@pytest.mark.parametrize("n_classes", [2, 4])
@settings(max_examples=40)
@given(seed=SEEDS, depth=st.integers(1, 8))
def test_a_neighbourhood_of_almost_no_weight_has_the_thresholds_of_cart_at_its_middle(n_classes, seed, depth):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=80), [-0.5, 0, 0.5][: n_classes - 1])
    # CART may split without a gain; at the least gain a decision is worth here, both stop.
    cart = CartClassifier(min_samples_split=6, max_depth=depth, min_impurity_decrease=1e-9).fit(X, y)
    model = CultivatedClassifier(max_depth=depth, k=1e-13, options=False, min_fraction=0.1).fit(X, y)
    start, rows, fraction = reach(model.tree_, X)
    here = [rows[i:j][fraction[i:j] > 0.5] for i, j in pairwise(start)]
    assert row_sets(here) == row_sets(rows_by_node(cart.tree_, X))
    asked = sorted(zip(model.tree_.decisions.feature, model.tree_.decisions.threshold, strict=True))
    splits = cart.tree_.feature >= 0
    assert asked == sorted(zip(cart.tree_.feature[splits], cart.tree_.threshold[splits], strict=True))


@pytest.mark.parametrize("n_more", [1, 2, 3, 500])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_constant_columns_change_nothing(n_classes, n_more):
    rng = np.random.default_rng(n_classes)
    X = np.round(rng.normal(size=(300, 6)), 3)
    y = np.digitize(X[:, 0] + rng.normal(size=300), [-0.5, 0.5][: n_classes - 1])
    wide = np.column_stack([np.zeros((300, n_more)), X])
    for most in (1, 2):
        one, other = (CultivatedClassifier(neighbourhoods=most).fit(table, y).tree_ for table in (X, wide))
        assert one.n_nodes > 20
        others = other.decisions._replace(feature=other.decisions.feature - np.int32(n_more))
        assert [a.tobytes() for a in (one.value, one.left, *one.decisions, *one.cuts)] == [
            a.tobytes() for a in (other.value, other.left, *others, *other.cuts)
        ]


def same_prediction(one, other, X, Z=None):
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X if Z is None else Z), abs=1e-9)
    assert one.predict_spread(X) == pytest.approx(other.predict_spread(X if Z is None else Z), abs=1e-6)


@settings(max_examples=25)
@given(seed=SEEDS, decimals=st.sampled_from([1, 6]))
def test_the_order_of_the_rows_does_not_matter(seed, decimals):
    rng = np.random.default_rng(seed)
    X, y = numbers(rng, 90, decimals=decimals)
    order = rng.permutation(len(y))
    one = CultivatedClassifier(max_depth=5).fit(X, y)
    other = CultivatedClassifier(max_depth=5).fit(X[order], y[order])
    assert np.array_equal(one.tree_.decisions.feature, other.tree_.decisions.feature)
    assert np.array_equal(one.tree_.decisions.threshold, other.tree_.decisions.threshold)
    same_prediction(one, other, X)


@settings(max_examples=25)
@given(seed=SEEDS, scale=st.sampled_from([1e-6, 0.3, 1e8]), shift=st.sampled_from([0, -5, 1e6]))
def test_the_unit_and_the_origin_of_a_numeric_target_do_not_matter(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(70, 3))
    y = X[:, 0] + rng.normal(size=70)
    one = CultivatedRegressor(max_depth=4).fit(X, y)
    other = CultivatedRegressor(max_depth=4).fit(X, y * scale + shift * scale)
    assert np.array_equal(one.tree_.decisions.feature, other.tree_.decisions.feature)
    assert (other.predict(X) / scale - shift) == pytest.approx(one.predict(X), abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_categories_of_any_code_split_alike(n_classes):
    rng = np.random.default_rng(n_classes)
    x, y = rng.integers(0, 5, 100), rng.integers(0, n_classes, 100)
    code = np.array([40.0, 3.0, 63.0, 0.0, 17.0])
    near, far = (CultivatedClassifier(categorical_features=[0], max_depth=3) for _ in range(2))
    near.fit(x[:, None], y)
    far.fit(code[x][:, None], y)
    same_prediction(near, far, x[:, None], code[x][:, None])


def test_codes_that_are_no_category_count_as_missing():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 80).astype(float), rng.integers(0, 2, 80)
    x[:30] = np.nan
    wild = np.where(np.isnan(x), rng.choice([64, 70, 1e6, -1, -7], 80), x)
    X, Z = x[:, None], wild[:, None]
    model = CultivatedClassifier(categorical_features=[0]).fit(X, y)
    other = CultivatedClassifier(categorical_features=[0]).fit(Z, y)
    assert np.array_equal(model.tree_.decisions.missing_left, other.tree_.decisions.missing_left)
    same_prediction(model, other, X, Z)


def test_the_direction_of_a_tie_between_classes_is_not_left_to_rounding():
    # Classes 0 and 2 are placed alike, so the mean class number does not grow to either side.
    x = np.repeat(np.arange(12.0), 3)
    y = np.array([0, 2, 1] * 6 + [1] * 18)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order, weight = rng.permutation(36), np.full(36, 0.1 + rng.random())
        tree = CultivatedClassifier(max_depth=1).fit(x[order, None], y[order], sample_weight=weight).tree_
        assert tree.decisions.reversed.tolist() == [False]


N_CODES = 4


def random_tree(rng: np.random.Generator, depth: int = 3, n_outputs: int = 1) -> CultivatedTree:
    """Any shape, up to three decisions a node, on features 0 and 1 (numbers) and 2 (categories 0 to 3)."""
    left, right, own = [], [], []

    def grow(levels):
        node = len(left)
        left.append(-1)
        right.append(-1)
        own.append([])
        if levels > 0 and rng.random() < 0.8:
            own[node] = [random_decision(rng) for _ in range(rng.integers(1, 4))]
            left[node], right[node] = grow(levels - 1), grow(levels - 1)
        return node

    grow(depth)
    n, decisions = len(left), [d for some in own for d in some]
    feature, threshold, is_reversed, missing_left, cuts = zip(*decisions, strict=True) if decisions else [()] * 5
    share = np.concatenate([rng.dirichlet(np.ones(len(some))) for some in own if some] or [[]])
    value = rng.dirichlet(np.ones(n_outputs), n) if n_outputs > 1 else rng.normal(size=(n, 1))
    start, cut_start = np.cumsum([0, *map(len, own)]), np.cumsum([0, *map(len, cuts)])
    return make_cultivated(
        left, right, np.ones(n), np.ones(n), value, np.zeros(n),
        (start, feature, threshold, is_reversed, share, missing_left, np.zeros(len(decisions))),
        (cut_start, *np.concatenate([np.empty((0, 2)), *cuts]).T),
    )  # fmt: skip


def random_decision(rng):
    feature = int(rng.integers(3))
    is_reversed, missing_left = bool(rng.random() < 0.5), rng.random()
    if feature < 2:
        value = np.unique(rng.integers(-3, 4, rng.integers(1, 4)))
        weight = rng.random(len(value)) + 0.1
        return feature, float(value[0]), is_reversed, missing_left, np.column_stack([value, weight])
    value = rng.permutation(N_CODES)[: rng.integers(2, N_CODES + 1)]
    weight = np.where(rng.random(len(value)) < 0.5, 0, rng.random(len(value)))
    weight[rng.integers(len(value))] = 1
    return feature, math.nan, is_reversed, missing_left, np.column_stack([value, weight])


def random_samples(rng, n):
    X = rng.integers(-4, 5, (n, 3)).astype(float)  # often a cut itself
    X[:, 2] = rng.integers(0, N_CODES + 2, n)  # the last two codes are unknown
    X[rng.random((n, 3)) < 0.2] = np.nan
    return X


def to_left(tree, x):
    return fractions_of(tree, np.array(x, dtype=float))[1]


def test_a_sample_goes_left_as_far_as_its_value_is_at_most_the_cuts_a_category_from_its_own_place_on():
    known = [4, 4.5, 5, 6, 6.5]
    assert [to_left(neighbourhoods(), [x, 0]) for x in known] == pytest.approx([1, 2 / 3, 2 / 3, 1 / 3, 0])
    assert to_left(neighbourhoods(), [-math.inf, 0]) == 1
    assert to_left(neighbourhoods(), [math.inf, 0]) == 0
    # In order 2, 0, 1, 3, with the weights 0, 3, 1, 0.
    assert [to_left(soft_colours(), [c]) for c in (2, 0, 1, 3)] == [1, 1, 0.25, 0]
    assert [to_left(soft_colours(), [c]) for c in (4, 64, -1, math.nan)] == [0.4] * 4
    assert to_left(neighbourhoods(), [math.nan, 0]) == 0.5
    assert to_left(options(), [math.nan, 4]) == (0.5 + 1) / 2
    assert to_left(options(), [4, math.nan]) == (1 + 0.25) / 2
    assert to_left(options(), [math.nan, math.nan]) == (0.5 + 0.25) / 2


def test_a_lone_leaf_is_one_tree_with_one_answer_and_a_cut_that_weighs_nothing_none():
    leaf = make_cultivated([-1], [-1], [3], [3], [[0.5]], [0], ([0, 0], *[[]] * 6), ([0], [], []))
    assert log_ensemble_size(leaf) == 0
    assert fractions_of(leaf, np.zeros(2)).tolist() == [1]
    mean, spread = predict(leaf, np.zeros((3, 2)))
    assert (mean.tolist(), spread.tolist()) == ([[0.5]] * 3, [0] * 3)
    assert log_ensemble_size(soft_colours()) == pytest.approx(math.log10(2))
    assert log_ensemble_size(softened(colours())) == 0


@settings(max_examples=60)
@given(seed=SEEDS)
def test_fractions_of_a_sample_sum_to_1_at_every_depth(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 4)
    depth, leaf, parent = depths(tree), is_leaf(tree), parents(tree)
    for x in random_samples(rng, 5):
        found = fractions_of(tree, x)
        for level in range(tree.depth + 1):
            here = (depth == level) | (leaf & (depth < level))
            assert found[here].sum() == pytest.approx(1, abs=1e-13)
        children = np.flatnonzero(parent >= 0)
        summed = np.bincount(parent[children], found[children], minlength=tree.n_nodes)
        assert summed[~leaf] == pytest.approx(found[~leaf], abs=1e-13)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_reach_lists_for_every_node_the_samples_in_it_with_their_fractions(seed):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng), random_samples(rng, 20)
    start, rows, fraction = reach(tree, X)
    table = np.zeros((len(X), tree.n_nodes))
    for node in range(tree.n_nodes):
        here = slice(start[node], start[node + 1])
        assert rows[here].tolist() == sorted(set(rows[here].tolist()))
        assert (fraction[here] > 0).all()
        table[rows[here], node] = fraction[here]
    assert table == pytest.approx(np.array([fractions_of(tree, x) for x in X]), abs=1e-15)


@settings(max_examples=60)
@given(seed=SEEDS, n_outputs=st.integers(1, 4))
def test_predictions_follow_the_words_of_the_record(seed, n_outputs):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng, n_outputs=n_outputs), random_samples(rng, 12)
    mean, spread = predict(tree, X)
    expected = [naive.predict(naive.read(tree), x) for x in X]
    assert mean == pytest.approx(np.array([m for m, _ in expected]), abs=1e-12)
    assert spread**2 == pytest.approx(np.array([s for _, s in expected]) ** 2, abs=1e-12)


def test_samples_are_answered_alike_alone_and_in_a_crowd():
    rng = np.random.default_rng(0)
    tree, X = random_tree(rng, 4), random_samples(rng, 2 * CHUNK + 3)
    crowd = predict(tree, X)
    some = [0, CHUNK - 1, CHUNK, 2 * CHUNK, 2 * CHUNK + 2]
    for row in some:
        alone = predict(tree, X[[row]])
        assert (alone[0][0, 0], alone[1][0]) == (crowd[0][row, 0], crowd[1][row])
    assert predict(tree, X[:0])[0].shape == (0, 1)


def hard_trees(tree):
    """Every tree that takes one decision and one cut at each node, as {node: (decision, cut)}, with its weight."""
    choices = []
    for node in np.flatnonzero(~is_leaf(tree)):
        here = []
        for d in range(tree.decisions.start[node], tree.decisions.start[node + 1]):
            phi = tree.cuts.weight[tree.cuts.start[d] : tree.cuts.start[d + 1]]
            here += [(node, d, c, tree.decisions.share[d] * w / phi.sum()) for c, w in enumerate(phi) if w > 0]
        choices.append(here)
    for chosen in product(*choices):
        yield {node: (d, c) for node, d, c, _ in chosen}, math.prod(w for *_, w in chosen)


def hard_leaf(tree, chosen, x):
    """The leaf that a known sample x falls into, each node asking one decision with one cut."""
    node = 0
    while tree.left[node] >= 0:
        d, c = chosen[node]
        value = tree.cuts.value[tree.cuts.start[d] : tree.cuts.start[d + 1]]
        own = x[tree.decisions.feature[d]]
        at_most = own in value[: c + 1] if np.isnan(tree.decisions.threshold[d]) else own <= value[c]
        node = tree.left[node] if at_most != tree.decisions.reversed[d] else tree.right[node]
    return node


def assert_equation_1_holds(tree, samples):
    trees = list(hard_trees(tree))
    assert log_ensemble_size(tree) == pytest.approx(math.log10(len(trees)))
    for x in samples:
        expected = np.zeros(tree.n_nodes)
        for chosen, weight in trees:
            expected[hard_leaf(tree, chosen, x)] += weight
        leaf = is_leaf(tree)
        assert fractions_of(tree, x)[leaf] == pytest.approx(expected[leaf], abs=1e-13)


@pytest.mark.parametrize("tree", [neighbourhoods(), options()])
def test_equation_1_holds_for_the_trees_typed_by_hand(tree):
    assert_equation_1_holds(tree, [np.array(x, dtype=float) for x in product(range(3, 8), range(1, 7))])


@settings(max_examples=15)
@given(seed=SEEDS)
def test_fractions_are_those_of_the_ensemble_of_all_hard_trees(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2)
    X = rng.integers(-4, 5, (4, 3)).astype(float)
    for d in np.flatnonzero(np.isnan(tree.decisions.threshold)):  # a known category of every decision
        own = slice(tree.cuts.start[d], tree.cuts.start[d + 1])
        X = X[np.isin(X[:, 2], tree.cuts.value[own])]
    assert_equation_1_holds(tree, X)


@settings(max_examples=80)
@given(data=st.data())
def test_a_softened_tree_answers_exactly_as_the_tree(data):
    columns, target = data.draw(random_trees.features()), data.draw(random_trees.targets())
    tree = data.draw(random_trees.trees(columns, target))
    X = data.draw(random_trees.samples(columns, tree))
    leaves, soft = leaf_of(tree, X), softened(tree)
    mean, spread = predict(soft, X)
    assert np.array_equal(mean, tree.value[leaves])
    assert not spread.any()
    assert np.array_equal(soft.feature, tree.feature)
    for x, leaf in zip(X, leaves, strict=True):
        assert np.flatnonzero(fractions_of(soft, x) * is_leaf(soft)).tolist() == [leaf]
