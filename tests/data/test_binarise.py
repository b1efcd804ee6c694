"""Yes/no questions about columns: by hand, against naive versions, and by the law that a tree routes alike."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.binarise import (
    Questions,
    answers,
    chosen_questions,
    every_question,
    every_set,
    make_questions,
    midpoint,
    quantile_questions,
    sets_in_order,
)
from espalier.kernels.route import leaf_of
from espalier.tree import nodes
from espalier.trees import Tree
from tests.tools.by_hand import stump
from tests.tools.cases import case

NAN, INF = math.nan, math.inf
TINY = 5e-324


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def numbers(X: np.ndarray) -> np.ndarray:
    return np.zeros(X.shape[1], dtype=bool)


def thresholds(values, weight=None, most: int | None = None) -> list[float]:
    """Thresholds asked of a lone column of numbers."""
    X = column(*values)
    weight = None if weight is None else np.array(weight, dtype=float)
    return quantile_questions(X, weight, numbers(X), most).threshold.tolist()


def spoken(questions: Questions) -> list[str]:
    """Each question in short: "0<=1.5?", "1=3?", with "m" where a missing value is answered yes."""
    return [
        f"{f}{f'={members(c)}' if c else f'<={t:g}'}{'m' if missing else ''}?"
        for f, t, c, missing in zip(*questions, strict=True)
    ]


def members(mask) -> str:
    """The categories of a set: "3", or "1,3"."""
    return ",".join(str(code) for code in range(64) if int(mask) >> code & 1)


def asking(questions: Questions, i: int) -> Tree:
    """The tree of one split that asks question i."""
    feature, threshold, categories, missing_left = (field[i] for field in questions)
    return stump(threshold, ([1], [1]), feature, categories, missing_left)


VALUES = st.one_of(
    st.sampled_from([NAN, 0.0, -0.0, 1.0, 2.0, 3.0, INF, -INF, TINY, math.nextafter(1, 2), 1.7e308, -1.7e308, 64]),
    st.floats(-3, 70),
)


@st.composite
def tables(draw) -> tuple[np.ndarray, np.ndarray]:
    """A small table of all sorts of values, and which of its columns are categories."""
    n, p = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    categorical = np.array(draw(st.lists(st.booleans(), min_size=p, max_size=p)))
    codes = st.sampled_from([NAN, 0.0, 1.0, 2.0, 5.0, 63.0, 64.0, -1.0])
    columns = [draw(st.lists(codes if c else VALUES, min_size=n, max_size=n)) for c in categorical]
    return np.array(columns, dtype=float).T, categorical


# ---- by hand


def test_a_number_is_asked_at_the_midpoints_of_its_neighbouring_values_zeros_and_ones_once():
    assert thresholds([3, 1, 1, 4, 3]) == [2, 3.5]
    X = np.array([[0.0, 7, 1], [1, 7, 0]])
    assert spoken(quantile_questions(X, None, numbers(X), 1)) == ["0<=0.5?", "2<=0.5?"]


def test_of_too_many_midpoints_those_nearest_to_the_weighted_quantiles_are_asked():
    assert thresholds(range(12), most=1) == [5.5]
    assert thresholds(range(12), most=2) == [3.5, 7.5]
    assert thresholds(range(12), most=3) == [2.5, 5.5, 8.5]
    assert thresholds([0, 1, 2, 3], [1, 1, 1, 5], most=1) == [2.5]
    assert thresholds([0, 1, 2, 3], [5, 1, 1, 1], most=1) == [0.5]
    assert thresholds([0, 1, 2], most=1) == [0.5]
    # Both quantiles fall on the zeros; the next stretch to be cut is that of 1 to 8, in its middle.
    assert thresholds([0] * 92 + list(range(1, 9)), most=2) == [0.5, 4.5]
    assert thresholds([0] * 92 + list(range(1, 9)), most=4) == [0.5, 2.5, 4.5, 6.5]


def test_each_category_that_occurs_is_asked_for_of_two_one_and_of_a_single_one_none():
    X = column(5, 0, 63, 0)
    assert spoken(quantile_questions(X, None, np.array([True]), 1)) == ["0=0?", "0=5?", "0=63?"]
    X = np.array([[3.0, 4], [1, 4], [3, 4]])
    assert spoken(quantile_questions(X, None, np.array([True, True]), None)) == ["0=1?"]


def test_a_column_with_missing_values_asks_twice_and_whether_the_value_is_known():
    X = column(1, 2, NAN, 3)
    assert spoken(quantile_questions(X, None, numbers(X), None)) == [
        *("0<=1.5?", "0<=1.5m?", "0<=2.5?", "0<=2.5m?"),
        "0<=inf?",
    ]
    found = quantile_questions(X, None, np.array([True]), None)
    assert spoken(found) == ["0=1?", "0=1m?", "0=2?", "0=2m?", "0=3?", "0=3m?", "0<=inf?"]
    assert answers(found, X)[:, -1].tolist() == [True, True, False, True]


def test_a_column_of_one_known_value_or_none_asks_only_whether_it_is_known_or_nothing():
    X = column(4, NAN)
    assert spoken(quantile_questions(X, None, numbers(X), 3)) == ["0<=inf?"]
    assert spoken(quantile_questions(X, None, np.array([True]), 3)) == ["0<=inf?"]
    X = column(NAN, NAN)
    for categorical in (False, True):
        assert spoken(quantile_questions(X, None, np.array([categorical]), None)) == []


@pytest.mark.parametrize("n", range(1, 7))
def test_every_way_to_part_categories_in_two_is_asked_about_once(n):
    codes = np.arange(0.0, 10 * n, 10)
    questions = every_question(codes[:, None], np.array([True]), {0: every_set(codes)})
    yes = answers(questions, codes[:, None]).T
    parts = {frozenset({frozenset(codes[one]), frozenset(codes[~one])}) for one in yes}
    assert len(parts) == len(yes) == 2 ** (n - 1) - 1
    assert all(len(part) == 2 for part in parts)
    assert n < 3 or {f"0={code:g}?" for code in codes} <= set(spoken(questions))


def test_of_two_classes_a_set_in_the_order_of_their_shares_parts_best():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        codes, y, weight = rng.integers(0, 5, 40).astype(float), rng.integers(0, 2, 40), rng.integers(1, 4, 40)
        found = [fewest(masks, codes, y, weight) for masks in (sets_in_order(codes, y, weight), every_set(codes))]
        assert found[0] == found[1]


def fewest(masks, codes, y, weight):
    """The least weight of errors, when one of the sets parts the categories."""
    left = (masks.astype(object)[:, None] >> codes.astype(int)) & 1 == 1
    of_class = [[side @ (weight * (y == c)) for c in (0, 1)] for side in (left, ~left)]
    return min(np.minimum(*of_class[0]) + np.minimum(*of_class[1]))


def test_codes_that_are_no_category_are_answered_as_missing():
    X = column(1, 2, 3, 64, -1)
    found = quantile_questions(X, None, np.array([True]), None)
    assert spoken(found) == ["0=1?", "0=1m?", "0=2?", "0=2m?", "0=3?", "0=3m?"]
    assert answers(found, X)[3:, :2].tolist() == [[False, True]] * 2


def test_given_thresholds_are_asked_where_they_part_anything_and_too_few_are_refused():
    X = np.array([[1.0, 0, 2], [2, 1, 2], [4, 2, NAN]])
    given_ones = [np.array([0.5, 1, 2.5, 2.5, 4]), np.array([9.0]), np.array([1.0, 2, INF])]
    found = chosen_questions(X, np.array([False, True, False]), given_ones)
    assert spoken(found) == ["0<=1?", "0<=2.5?", "1=0?", "1=1?", "1=2?", "2<=inf?"]
    X = np.zeros((2, 3))
    with pytest.raises(ValueError, match="thresholds for 1 columns; X has 3"):
        chosen_questions(X, numbers(X), [np.empty(0)])


def test_questions_stay_read_only_when_copied():
    questions = make_questions([0], [1.5], [0], [True])
    for copied in (pickle.loads(pickle.dumps(questions)), copy.deepcopy(questions)):
        assert spoken(copied) == spoken(questions)
        assert not any(array.flags.writeable for array in copied)
        assert [a.dtype for a in copied] == [a.dtype for a in questions]


def test_answers_are_in_rows_one_after_the_other_and_none_without_columns_or_questions():
    X = np.asfortranarray(np.arange(3000.0).reshape(1000, 3))
    yes = answers(quantile_questions(X, None, numbers(X), 150), X)
    assert yes.shape == (1000, 450)
    assert yes.flags.c_contiguous
    X = np.empty((4, 0))
    assert answers(quantile_questions(X, None, numbers(X), None), X).shape == (4, 0)


# ---- midpoints


EXTREMES = [-INF, -1.7e308, -1.0, -2 * TINY, -TINY, 0.0, TINY, 2 * TINY, 1.0, math.nextafter(1, 2), 1.7e308, INF]


def test_a_midpoint_parts_even_neighbouring_floats_and_infinities():
    for low, high in list(itertools.combinations(EXTREMES, 2)):
        with case((low, high)):
            middle = float(midpoint(np.array([low]), np.array([high]))[0])
            assert low <= middle < high
            if math.isfinite(low - high):
                assert thresholds([high, low]) == nodes.midpoint(np.array([low]), np.array([high])).tolist()


# ---- against naive versions


def naive_thresholds(values: list[float], weights: list[int], most: int) -> list[float]:
    """Whole weights, so that every sum is exact; nearest by looking at all cuts."""
    distinct = sorted(set(values))
    total = sum(weights)

    def below(cut: int) -> int:
        return sum(w for x, w in zip(values, weights, strict=True) if x <= distinct[cut])

    def nearest(wanted: float, cuts) -> int:
        return min(cuts, key=lambda cut: (abs(below(cut) - wanted), cut))

    cuts = range(len(distinct) - 1)
    chosen = (
        set(cuts) if len(cuts) <= most else {nearest(total * j / (most + 1), cuts) for j in range(1, most + 1)}
    )
    while len(chosen) < min(most, len(cuts)):
        edges = [-1, *sorted(chosen), len(distinct) - 1]
        stretches = [(a, b) for a, b in itertools.pairwise(edges) if b - a > 1]
        weight = {(a, b): below(b) - (below(a) if a >= 0 else 0) for a, b in stretches}
        a, b = max(stretches, key=lambda ab: (weight[ab], -ab[0]))
        chosen.add(nearest(((below(a) if a >= 0 else 0) + below(b)) / 2, range(a + 1, b)))
    return [(distinct[c] + distinct[c + 1]) / 2 for c in sorted(chosen)]


@given(
    st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2, 3, 5, 8, 13, 21]), st.integers(1, 4)), min_size=1),
    st.integers(1, 8),
)
def test_thresholds_are_those_of_the_naive_version(samples, most):
    values, weights = zip(*samples, strict=True)
    assert thresholds(values, weights, most) == naive_thresholds(list(values), list(weights), most)


@given(tables(), st.none() | st.integers(1, 4))
def test_an_answer_yes_is_what_a_tree_sends_left(table, most):
    X, categorical = table
    questions = quantile_questions(X, None, categorical, most)
    others = np.vstack([X, np.full((1, X.shape[1]), NAN), X[:1] + 0.5, -X[:1], X[:1] / 3])
    yes = answers(questions, others)
    for i in range(len(questions.feature)):
        assert (yes[:, i] == (leaf_of(asking(questions, i), others) == 1)).all()


# ---- laws


@given(tables(), st.none() | st.integers(1, 4))
def test_every_question_is_answered_in_both_ways(table, most):
    X, categorical = table
    questions = quantile_questions(X, None, categorical, most)
    yes = answers(questions, X)
    assert (yes.any(axis=0) & ~yes.all(axis=0)).all()


@given(tables(), st.integers(1, 4), st.randoms())
def test_the_order_of_rows_and_their_number_of_copies_change_nothing(table, most, random):
    X, categorical = table
    weight = np.array([random.choice([1.0, 0.1, 0.7]) for _ in X])
    rows = random.sample(range(len(X)), len(X)) * 2
    before = spoken(quantile_questions(X, weight, categorical, most))
    assert spoken(quantile_questions(X[rows], weight[rows], categorical, most)) == before


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.integers(1, 9))
def test_no_midpoint_too_few_is_asked_and_none_twice(values, most):
    found = thresholds(values, most=most)
    assert len(found) == min(most, len(set(values)) - 1)
    assert found == sorted(set(found))


# ---- between classes first


def test_thresholds_between_classes_come_first_and_change_nothing_where_all_are_asked():
    X, label = np.arange(100.0)[:, None], (np.arange(100) > 36).astype(int) + (np.arange(100) > 90)
    asked = quantile_questions(X, None, numbers(X), 3, label).threshold
    assert {36.5, 90.5} <= set(asked.tolist())
    assert len(asked) == 3
    X, label = np.array([0.0, 1, 2, 2, 3, 4])[:, None], np.array([0, 0, 0, 1, 0, 0])
    assert quantile_questions(X, None, numbers(X), 2, label).threshold.tolist() == [1.5, 2.5]
    X, label = np.array([3.0, 1, 2, 2])[:, None], np.array([0, 1, 1, 0])
    with_labels = quantile_questions(X, None, numbers(X), 5, label)
    assert spoken(with_labels) == spoken(quantile_questions(X, None, numbers(X), 5))


def test_the_best_single_split_is_always_asked_for():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, label = rng.integers(0, 40, (60, 1)).astype(float), rng.integers(0, 2, 60)
        label[X[:, 0] < rng.integers(40)] = 0
        borders = set(quantile_questions(X, None, numbers(X), 39, label).threshold.tolist())
        everything = quantile_questions(X, None, numbers(X), None).threshold
        errors = [sum(min((label[s] == 0).sum(), (label[s] == 1).sum()) for s in (X[:, 0] <= t, X[:, 0] > t))
                  for t in everything]  # fmt: skip
        best = {t for t, e in zip(everything.tolist(), errors, strict=True) if e == min(errors)}
        assert best & borders
