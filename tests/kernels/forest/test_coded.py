"""A coded forest, of large trees or of small ones, says what its trees say, to the last bit."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from espalier import learners
from espalier.kernels.forest import coded as kernel
from espalier.kernels.forest.coded import labels_of, leaf_table, make_coded, small_trees, sum_coded, sum_small
from espalier.kernels.forest.packed import none_missing, pack_forest, rows_of
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, RandomForestClassifier, RandomForestRegressor
from espalier.learners.forests.predictor import ForestPredictor
from espalier.trees import Forest, make_forest, make_sum, make_tree

RNG = np.random.default_rng(0)
X, y = (np.asarray(a) for a in load_iris(return_X_y=True))
NOISE = RNG.normal(size=(300, 4))


def grown(kind: Any = RandomForestClassifier, **parameters) -> Forest:
    """A forest of large trees, since what they learn is noise."""
    return kind(**{"n_estimators": 6, "random_state": 0, **parameters}).fit(NOISE, RNG.integers(0, 3, 300)).forest_


def said_one_by_one(forest: Forest, rows) -> np.ndarray:
    said = np.zeros((len(rows), forest.trees[0].value.shape[1]))
    trees: Any = forest.trees
    for tree, weight in zip(trees, forest.weight, strict=True):
        value: Any = tree.value[leaf_of(tree, np.asfortranarray(rows))]
        said += weight * (np.eye(value.shape[1])[value.argmax(axis=1)] if forest.combine == "votes" else value)
    return said


def test_a_predictor_says_the_same_before_and_after_it_codes_a_forest_and_when_it_was_pickled(monkeypatch):
    monkeypatch.setattr(kernel, "MANY_LEAVES", 0)
    forest = grown()
    predictor, rows = ForestPredictor(pack_forest(forest)), RNG.normal(size=(2000, 4))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(predictor.sums, [rows] * 4))
    for said in (*answers, pickle.loads(pickle.dumps(predictor)).sums(rows)):
        assert (said == said_one_by_one(forest, rows)).all()
    rows[::7, 1] = np.nan
    assert (predictor.sums(rows) == said_one_by_one(forest, rows)).all()


def test_other_values_of_the_leaves_share_the_codes():
    predictor, rows = ForestPredictor(pack_forest(grown())), RNG.normal(size=(2000, 4))
    second = predictor.with_values(predictor.packed.value[:, 1:2])
    assert (second.sums(rows) == predictor.sums(rows)[:, 1:2]).all()
    assert second._known_codes is predictor._known_codes


# A coded forest says what its trees say, one after the other, to the last bit
OF_CODES = np.random.default_rng(3)
CODED_X = OF_CODES.normal(size=(400, 3))
CLASSES = OF_CODES.integers(0, 3, 400)
GAPS = np.where(OF_CODES.random(CODED_X.shape) < 0.3, np.nan, CODED_X)


def said_coded(forest, rows):
    packed = pack_forest(forest)
    coded: Any = make_coded(packed, missing=not none_missing(rows_of(rows)))
    out = np.zeros((len(rows), packed.value.shape[1]))
    sum_coded(coded, packed, labels_of(packed), rows_of(rows), out)
    return out


def hard_rows(forest, n):
    """Rows of numbers, of thresholds themselves and their neighbours, and of numbers far from all of them."""
    on = np.concatenate([tree.threshold[tree.feature >= 0] for tree in forest.trees])
    beside = np.concatenate(
        [on, np.nextafter(on, np.inf), np.nextafter(on, -np.inf), [0.0, -0.0, 1.7e308, -1.7e308]]
    )
    p = 1 + max(int(tree.feature.max(initial=0)) for tree in forest.trees)
    return np.vstack([OF_CODES.normal(size=(n, max(p, 4))), OF_CODES.choice(beside, (n, max(p, 4)))])


def test_splits_that_part_missing_values_from_all_others_and_far_thresholds_are_coded():
    rng = np.random.default_rng(4)
    for scale in (1.0, 1e307):
        table = np.where(rng.random((200, 2)) < 0.5, np.nan, np.round(rng.normal(size=(200, 2))) * scale)
        forest = RandomForestClassifier(n_estimators=4, random_state=0).fit(table, np.isnan(table[:, 0])).forest_
        assert any(np.isinf(tree.threshold).any() for tree in forest.trees)
        rows = hard_rows(forest, 200)
        rows = np.where(np.isfinite(rows), rows, 0.0)
        for own in (rows, np.where(OF_CODES.random(rows.shape) < 0.5, np.nan, rows)):
            assert (said_coded(forest, own) == said_one_by_one(forest, own)).all()


def test_leaves_that_are_each_sure_of_one_class_have_labels_whatever_the_weights_and_no_others_have():
    trees = grown().trees
    forest = make_forest(trees, np.arange(1.0, len(trees) + 1), "mean", np.ones(3) / 3)
    packed = pack_forest(forest)
    assert (np.eye(3)[labels_of(packed)[packed.leaf >= 0]] == packed.value[packed.leaf[packed.leaf >= 0]]).all()
    rows = hard_rows(forest, 50)
    assert (said_coded(forest, rows) == said_one_by_one(forest, rows)).all()
    assert not len(labels_of(pack_forest(grown(min_samples_leaf=5))))
    assert not len(labels_of(pack_forest(grown(RandomForestRegressor))))
    for value in ([1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.5, 0.0]):
        other = packed.value.copy()
        other[-1] = value
        assert not len(labels_of(packed._replace(value=other)))


def test_a_way_longer_than_the_first_rounds_is_gone_to_its_end():
    column = np.arange(400.0)
    chain = CartClassifier(max_features=1, splitter="random", random_state=0)
    tree = chain.fit(np.exp(column / 20)[:, None], column % 2).tree_
    assert tree.depth > kernel.FIRST + kernel.LATER
    forest = make_forest([tree], [1.0], "mean", [0.5, 0.5])
    rows = np.exp(OF_CODES.uniform(-1, 21, (333, 1)))
    assert (said_coded(forest, rows) == said_one_by_one(forest, rows)).all()


def test_categories_too_many_thresholds_or_features_and_lone_leaves_have_no_codes(monkeypatch):
    sets = RandomForestClassifier(n_estimators=2, categorical_features=[0], random_state=0)
    assert make_coded(pack_forest(sets.fit(np.abs(np.round(CODED_X)), CLASSES).forest_), missing=False) is None
    root = CartClassifier().fit(X[:50], y[:50]).tree_
    assert make_coded(pack_forest(make_forest((root,), [1], "mean", [])), missing=False) is None
    for most in (5, 6):  # the last feature of four would have a seventh and an eighth code
        monkeypatch.setattr(kernel, "MOST", most)
        assert make_coded(pack_forest(grown(max_depth=1)), missing=False) is None


@pytest.mark.parametrize("n_parts", [1, 3])
@pytest.mark.parametrize("many_leaves", [0, 160])
def test_a_predictor_says_the_same_of_any_rows_in_parts_before_and_after_it_codes_a_forest(
    n_parts, many_leaves, monkeypatch
):
    monkeypatch.setattr(kernel, "MANY_LEAVES", many_leaves)
    forest = grown()
    predictor, rows = ForestPredictor(pack_forest(forest)), OF_CODES.normal(size=(1000, 4))
    gaps = np.where(OF_CODES.random(rows.shape) < 0.2, np.nan, rows)
    rows_of_parts = rows[:9], rows, rows[6:], gaps[:5], gaps, rows, gaps[7:]
    with ThreadPoolExecutor(n_parts) as pool:
        answers = [predictor.sums_in_parts(part, pool, n_parts) for part in rows_of_parts]
    for codes, small in (predictor._known_codes.after(0), predictor._any_codes.after(0)):
        assert codes is not None
        assert (small is not None) == (many_leaves > 0)
    for part, answer in zip(rows_of_parts, answers, strict=True):
        assert (answer == said_one_by_one(forest, part)).all()


# A forest of small trees says what its trees say one by one, to the last bit; also of missing values
OF_SMALL = np.random.default_rng(5)


def coded_of(forest):
    packed = pack_forest(forest)
    coded: Any = make_coded(packed, missing=True)
    return packed, coded, small_trees(packed, coded)


def said_small(forest, rows):
    packed, coded, small = coded_of(forest)
    out = np.full((len(rows), packed.value.shape[1]), 7.0)
    sum_small(small, coded, leaf_table(packed), rows_of(rows), out)
    return out


def with_gaps(rows):
    return np.where(OF_SMALL.random(rows.shape) < 0.2, np.nan, rows)


def levels(questions, values, missing_left=False):
    """A complete tree that asks in each level one question: a feature and a threshold."""
    columns: list[list] = [[], [], [], []]  # feature, threshold, left, right

    def write(level):
        at = len(columns[0])
        for column, entry in zip(columns, (-1, np.nan, -1, -1), strict=True):
            column.append(entry)
        if level < len(questions):
            columns[0][at], columns[1][at] = questions[level]
            columns[2][at] = write(level + 1)
            columns[3][at] = write(level + 1)
        return at

    write(0)
    feature, threshold, left, right = columns
    n, value = len(feature), np.zeros((len(feature), 1))
    value[np.array(feature) < 0, 0] = values
    sides = np.array(feature) >= 0 if missing_left else np.zeros(n, bool)
    return make_tree(
        feature, threshold, left, right, [0] * n, sides.tolist(), [4] * n, [4.0] * n, value, [0.0] * n
    )


QUESTIONS = [(0, 0.5), (2, -0.25), (0, 0.5), (1, 0.0)]  # one of them twice


FORESTS = [
    grown(),
    grown(RandomForestRegressor),
    grown(max_depth=1),
    grown(min_samples_leaf=5),
    grown(voting="majority"),
    grown(max_depth=5),
    RandomForestClassifier(n_estimators=3, random_state=1).fit(np.round(CODED_X), CLASSES).forest_,
    RandomForestClassifier(n_estimators=3, random_state=1).fit(np.exp(20 * CODED_X), CLASSES > 0).forest_,
    RandomForestRegressor(n_estimators=3, random_state=1).fit(CODED_X[:, :1], CODED_X[:, 1]).forest_,
    RandomForestRegressor(n_estimators=3).fit(np.where(CODED_X > 1, np.nan, CODED_X), CODED_X[:, 1]).forest_,
    learners.GradientBoostingRegressor(n_estimators=20).fit(CODED_X, CODED_X[:, 0]).forest_,
    RandomForestClassifier(n_estimators=3, random_state=1).fit(GAPS, CLASSES).forest_,
    RandomForestClassifier(n_estimators=9, max_depth=3).fit(GAPS, np.isnan(GAPS[:, 0])).forest_,
    learners.GradientBoostingRegressor(n_estimators=20).fit(GAPS, CODED_X[:, 0]).forest_,
    make_sum([levels(QUESTIONS, OF_CODES.normal(size=16))], [0.0], "identity", []),
    make_sum(
        [levels(QUESTIONS[:n], OF_CODES.normal(size=1 << n), n % 2 == 0) for n in range(5)], [0.0], "identity", []
    ),
]


@pytest.mark.few(31)
@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("say", [said_coded, said_small])
@pytest.mark.parametrize("n", [1, 5, 64, 300, 700, 2 * kernel.TOGETHER, kernel.TOGETHER + kernel.ROWS + 3])
def test_the_sum_over_coded_or_small_trees_is_that_of_one_after_the_other(forest, say, n):
    rows = hard_rows(forest, n)
    for table in (rows, with_gaps(rows)):
        assert (say(forest, table) == said_one_by_one(forest, table)).all()


def test_a_tree_of_one_question_a_level_takes_as_many_as_levels_and_a_chain_of_the_same_has_none():
    rows = OF_SMALL.normal(size=(50, 3))
    forest = make_sum([levels(QUESTIONS, np.arange(16.0))], [0.0], "identity", [])
    assert coded_of(forest)[2].n_levels.tolist() == [4]
    bits = np.stack([rows[:, feature] > threshold for feature, threshold in QUESTIONS])
    assert (said_small(forest, rows)[:, 0] == 2.0 ** np.arange(3, -1, -1) @ bits).all()
    chain = CartClassifier(random_state=0).fit(np.arange(8.0)[:, None], np.arange(8) % 2).tree_
    for tree in (chain, CartClassifier().fit(np.exp(np.arange(8.0))[:, None], np.arange(8) % 2).tree_):
        forest = make_forest([tree], [1.0], "mean", [0.5, 0.5])
        rows = OF_SMALL.uniform(-1, 3000, (100, 1))
        assert (said_small(forest, rows) == said_one_by_one(forest, rows)).all()


def test_a_tree_that_asks_another_question_in_one_place_has_no_levels():
    tree: Any = levels(QUESTIONS, np.arange(16.0))
    changes = {"feature": lambda old: 1 - old % 2, "threshold": lambda _: 0.125, "missing_left": lambda _: True}
    for node, (field, change) in product(np.flatnonzero(tree.feature >= 0)[1:], changes.items()):
        array = getattr(tree, field).copy()
        array[node] = change(array[node])
        forest = make_sum([tree._replace(**{field: array})], [0.0], "identity", [])
        assert coded_of(forest)[2].n_levels.tolist() == [-1], (node, field)
        rows = with_gaps(OF_SMALL.normal(size=(200, 3)))
        assert (said_small(forest, rows) == said_one_by_one(forest, rows)).all(), (node, field)


def test_a_lone_far_threshold_costs_no_search():
    """Single precision's least number is a threshold of CatBoost, where missing values count as the least."""
    least = float(np.finfo(np.float32).min)
    thresholds = [least, *np.linspace(-1, 1, 200), 1e300]
    trees = [levels([(0, threshold)], [1.0, 0.0]) for threshold in thresholds]
    forest = make_sum(trees, [0.0], "identity", [])
    _, coded, _ = coded_of(forest)
    assert coded.columns.scale[0].tolist() == [-1.0, 202.0]  # of 404 slots
    rows = np.array(
        [[-np.inf], [least], [np.nextafter(least, 0)], [-5.0], [0.0], [5.0], [1e301], [np.inf], [np.nan]]
    )
    assert (said_small(forest, rows) == said_one_by_one(forest, rows)).all()


def test_trees_of_many_leaves_are_not_small(monkeypatch):
    packed = pack_forest(grown())
    assert kernel.has_few_leaves(packed)
    monkeypatch.setattr(kernel, "MANY_LEAVES", 10)
    assert not kernel.has_few_leaves(packed)
    monkeypatch.setattr(kernel, "MANY_LEAVES", 1000)
    monkeypatch.setattr(kernel, "MOST_LEAVES", 10)
    assert not kernel.has_few_leaves(packed)


def test_leaves_of_other_classes_only_are_left_out_of_the_sum():
    steps = [levels(QUESTIONS[:2], OF_SMALL.normal(size=4)) for _ in range(3)]
    trees = [tree._replace(value=np.eye(3)[number] * tree.value) for number, tree in enumerate(steps)]
    forest = make_sum(trees, np.zeros(3), "softmax", np.ones(3) / 3)
    assert leaf_table(pack_forest(forest)).is_used.tolist() == np.eye(3, dtype=bool).tolist()
    rows = with_gaps(OF_SMALL.normal(size=(300, 3)))
    assert (said_small(forest, rows) == said_one_by_one(forest, rows)).all()


@pytest.mark.parametrize("forest", [grown(), grown(n_estimators=40, max_depth=4)])
def test_a_predictor_says_the_same_of_missing_values_before_and_after_it_codes_a_forest(forest):
    predictor = ForestPredictor(pack_forest(forest))
    rows = with_gaps(hard_rows(forest, 700))
    known = np.nan_to_num(rows)
    for table in (rows[:1], rows, rows[:1], known, known[:700], rows[3:]):
        assert (predictor.sums(table) == said_one_by_one(forest, table)).all()
    other: Any = OF_SMALL.normal(size=predictor.packed.value.shape)
    changed = predictor.with_values(other)
    fresh = ForestPredictor(predictor.packed._replace(value=other))
    assert (changed.sums(rows) == np.vstack([fresh.sums(rows[:5]), fresh.sums(rows[5:])])).all()
