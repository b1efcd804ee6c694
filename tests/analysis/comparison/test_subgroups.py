"""The same learner on each group of a column: groups, scores and verdicts, by hand and by laws."""

import numpy as np
import pytest

from espalier.analysis.comparison.subgroups import (
    FEWEST,
    MOST_GROUPS,
    compare_subgroups,
    judged,
    subgroups,
)  # fmt: skip
from espalier.data import FilterError, HeldOut, RowRoles, RowWeights, make_dataset, row_groups
from espalier.data.dataset import Feature, columns_of
from espalier.data.rows.filters import filter_of
from espalier.learners import CartClassifier, CartRegressor

YES = Feature("answer", "category", ("no", "yes"))


def table(kind, is_numeric=False, n=400, weights=None, roles=None):
    """The answer follows x in the groups "a", and in "b" its opposite; missing kinds follow x, too."""
    rng = np.random.default_rng(1)
    kind, x = np.resize(np.asarray(kind, float), n), rng.random(n)
    y = (x > 0.5) ^ (kind == 1)
    features = [Feature("x"), Feature("kind", "category", ("a", "b"))]
    target = Feature("answer") if is_numeric else YES
    X = np.column_stack([x, kind])
    return make_dataset(
        "Planted", X, features, y.astype(float if is_numeric else int), target, weights, roles or RowRoles()
    )


def judgement(one):
    assert one.judged is not None
    return one.judged


@pytest.mark.parametrize("learner", [CartClassifier, CartRegressor])
def test_a_group_that_differs_has_a_better_tree_of_its_own(learner):
    data = table([0, 0, 0, 1], learner is CartRegressor)
    first, second = compare_subgroups(learner(max_depth=1), data, "kind")
    assert (first.group.rows.words, second.group.rows.words) == ("kind is a", "kind is b")
    assert judgement(first).verdict != "all"
    assert judgement(second).verdict == "own"
    assert judgement(second).gain.mean > 0.7


def test_a_column_that_is_no_feature_has_groups_too():
    patients = RowRoles(groups=row_groups("patient", np.arange(400) % 2))
    assert [one.rows.text for one in subgroups(table([0, 1], roles=patients), "patient").groups] == [
        "patient~in~0",
        "patient~in~1",
    ]


def test_scores_are_those_of_the_two_trees_on_the_held_out_rows_of_the_group():
    data, holdout = table([0, 1, 1]), HeldOut(50, where="x~le~0.3")
    held = filter_of(holdout.where).mask(columns_of(data), len(data.y))
    (first, second) = compare_subgroups(CartClassifier(max_depth=1), data, "kind", holdout)
    of_all = CartClassifier(max_depth=1).fit(data.X[~held], data.y[~held])
    for one, code in ((first, 0), (second, 1)):
        rows = data.X[:, 1] == code
        own = CartClassifier(max_depth=1).fit(data.X[rows & ~held], data.y[rows & ~held])
        X, y = data.X[rows & held], data.y[rows & held]
        assert judgement(one).own.mean == pytest.approx(own.score(X, y))
        assert judgement(one).of_all.mean == pytest.approx(of_all.score(X, y))
        assert judgement(one).gain.mean == pytest.approx(own.score(X, y) - of_all.score(X, y))
        assert judgement(one).n_tested == len(y)


def test_groups_too_small_and_with_one_answer_are_said_and_have_no_tree():
    kind = np.zeros(400)
    kind[:10], kind[10:20] = 1, np.nan
    data = table(kind)
    found = {one.group.rows.words: one.why_not for one in compare_subgroups(CartClassifier(), data, "kind")}
    assert found == {"kind is a": "", "kind is b": "few", "kind is missing": "few"}
    same = make_dataset("", data.X, data.features, (data.X[:, 1] == 0).astype(int), YES)
    assert [one.why_not for one in compare_subgroups(CartClassifier(), same, "kind")] == ["one", "few", "few"]
    assert FEWEST > 10


@pytest.mark.parametrize("n_ranges", [2, 3, 6])
def test_every_row_is_in_one_range_and_ranges_are_about_equal(n_ranges):
    data = table([0, 1])
    x = data.X[:, 0].copy()
    x[:40] = np.nan
    data = make_dataset("", np.column_stack([x, data.X[:, 1]]), data.features, data.y, YES)
    *ranges, missing = subgroups(data, "x", n_ranges).groups
    sizes = [group.taken.sum() for group in ranges]
    assert len(ranges) == n_ranges
    assert max(sizes) - min(sizes) <= 1
    assert np.array_equal(sum(group.taken.astype(int) for group in (*ranges, missing)), np.ones(400))
    assert missing.rows.words == "x is missing"
    assert missing.taken.sum() == 40


def test_few_different_numbers_are_groups_of_their_own():
    data = make_dataset(
        "", np.resize([1.0, 2.0, 2.0], 60)[:, None], [Feature("cylinders")], np.arange(60) % 2, YES
    )
    assert [one.rows.words for one in subgroups(data, "cylinders").groups] == ["cylinders is 1", "cylinders is 2"]


def test_one_number_that_most_rows_have_does_not_make_an_empty_range():
    x = np.r_[np.zeros(90), np.arange(1, 11)]
    data = make_dataset("", x[:, None], [Feature("x")], np.arange(100) % 2, YES)
    assert [one.rows.words for one in subgroups(data, "x").groups] == ["x ≤ 0", "x > 0"]


def test_the_largest_groups_are_compared_and_the_others_counted():
    codes = np.repeat(np.arange(12), np.arange(12, 0, -1))
    data = make_dataset(
        "", codes[:, None].astype(float), [Feature("town", "category", tuple("abcdefghijkl"))], codes % 2, YES
    )
    found = subgroups(data, "town")
    assert [one.rows.text for one in found.groups] == [f"town~in~{name}" for name in "abcdefgh"]
    assert (len(found.groups), found.n_others, found.n_rows_of_others) == (MOST_GROUPS, 4, 4 + 3 + 2 + 1)


def test_a_column_that_there_is_not_is_refused_by_name():
    with pytest.raises(FilterError, match="no column “age”"):
        subgroups(table([0, 1]), "age")


def answers(data, seed):
    rng = np.random.default_rng(seed)
    return rng.dirichlet([1, 1], len(data.y)) if data.is_classification else rng.random((len(data.y), 1))


@pytest.mark.parametrize("is_numeric", [False, True])
def test_copies_of_rows_that_belong_together_tell_nothing_new(is_numeric):
    data = table([0, 1], is_numeric, n=30)
    twice = np.repeat(np.arange(30), 3)
    roles = RowRoles(groups=row_groups("patient", twice))
    copies = make_dataset("", data.X[twice], data.features, data.y[twice], data.target, None, roles)
    own, of_all = answers(data, 2), answers(data, 3)
    once = judged(data, np.arange(30), own, of_all)
    tripled = judged(copies, np.arange(90), own[twice], of_all[twice])
    assert once is not None
    assert tripled is not None
    assert np.allclose(once[:3], tripled[:3])
    free = judged(copies._replace(roles=RowRoles()), np.arange(90), own[twice], of_all[twice])
    assert free is not None
    assert free.own.high - free.own.low < tripled.own.high - tripled.own.low


@pytest.mark.parametrize("is_numeric", [False, True])
def test_rows_of_weight_zero_are_as_if_they_were_absent(is_numeric):
    weights = RowWeights("w", np.arange(30) % 3 / 2)
    data = table([0, 1], is_numeric, n=30, weights=weights)
    own, of_all, there = answers(data, 2), answers(data, 3), np.flatnonzero(weights.values)
    whole = judged(data, np.arange(30), own, of_all)
    assert whole == judged(data, there, own[there], of_all[there])
    assert whole is not None
    assert whole.n_tested == 20


def test_the_interval_of_a_gain_is_wider_among_more_groups():
    data = table([0, 1], n=30)
    own, of_all = answers(data, 2), answers(data, 3)
    alone, among_five = (judged(data, np.arange(30), own, of_all, n) for n in (1, 5))
    assert alone is not None
    assert among_five is not None
    assert among_five.gain.high > alone.gain.high
    assert among_five.own == alone.own


@pytest.mark.parametrize(("n_rows", "verdict"), [(3, "neither"), (8, "own")])
def test_better_on_every_row_may_be_chance_where_rows_are_few(n_rows, verdict):
    data = table([0], n=n_rows)
    right = np.eye(2)[data.y]
    found = judged(data, np.arange(n_rows), right, 1 - right)
    assert found is not None
    assert found.gain.mean == 1
    assert found.verdict == verdict


def test_without_rows_there_is_nothing_to_judge():
    data = table([0, 1])
    assert judged(data, np.arange(0), np.zeros((0, 2)), np.zeros((0, 2))) is None
