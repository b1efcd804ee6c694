"""Rows that filters take, and rows that are divided and drawn: worked examples, texts in addresses, laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from espalier.analysis import Folds, subgroups
from espalier.comparison.cross_validation import validate
from espalier.data import (
    Feature,
    HeldOut,
    RowRoles,
    RowWeights,
    held_out,
    make_dataset,
    row_groups,
    row_times,
    samples,
)
from espalier.data import folds as parts
from espalier.data.dataset import columns_of
from espalier.data.filters import ALL, Condition, Filter, FilterError, filter_of
from espalier.data.folds import folds_of, plan_for
from espalier.data.options import Moment
from espalier.data.roles import NO_ROLES
from espalier.data.subset import mask_of, subset
from espalier.learners import CartClassifier
from espalier.reliability.reliability import ask, fit_outside
from espalier.stability.resampling import Redraw, redrawn
from espalier.tree.rules import filter_of_node
from tests.tools.cases import case

NAN = np.nan


def fruit(weights=None, roles=NO_ROLES):
    """Six fruits: their size, their colour and a rating, each with a gap; the kind is the target."""
    X = np.array([[1, 0, 0], [2, 1, 1], [3, 0, 2], [NAN, 1, 2], [2, NAN, 0], [5, 0, NAN]])
    features = [
        Feature("size"),
        Feature("colour", "category", ("green", "red, ripe~ly")),
        Feature("rating", "ordered", ("low", "medium", "high")),
    ]
    kind = Feature("kind", "category", ("apple", "plum"))
    return make_dataset("Fruit", X, features, np.arange(6) % 2, kind, weights, roles)


def kept(text):
    return (np.flatnonzero(mask_of(fruit(), filter_of(text))) + 1).tolist()


TAKEN = [
    ("", [1, 2, 3, 4, 5, 6]), ("none", []), ("size~gt~2", [3, 6]), ("size~ge~2", [2, 3, 5, 6]), ("size~lt~2", [1]),
    ("size~le~2-or-missing", None), ("size~le-or-missing~2", [1, 2, 4, 5]), ("size~in~1,5", [1, 6]),
    ("size~out~1,5", [2, 3, 5]), ("size~missing", [4]), ("size~known", [1, 2, 3, 5, 6]),
    ("colour~in~green", [1, 3, 6]), ("colour~out~green", [2, 4]),
    ("colour~in-or-missing~red%2C ripe%7Ely", [2, 4, 5]), ("rating~le~medium", [1, 2, 5]),
    ("rating~gt~low", [2, 3, 4]), ("kind~in~plum", [2, 4, 6]), ("row number~gt~4", [5, 6]),
    ("size~gt~2~and~colour~in~green", [3, 6]), ("size~gt~2~or~kind~in~plum~and~rating~known", [2, 3, 4, 6]),
]  # fmt: skip


def test_a_filter_takes_the_rows_that_its_words_say():
    for text, rows in TAKEN:
        with case((text, rows)):
            if rows is None:
                with pytest.raises(FilterError):
                    kept(text)
            else:
                assert kept(text) == rows


WORDS = [
    ("", "all rows"), ("none", "no row"), ("size~missing~or~size~known", "size is missing, or size is known"),
    ("size~gt-or-missing~2", "size > 2 or missing"), ("colour~in~a,b", "colour is a or b"),
    ("colour~out~a,b,c,d", "colour is not a, b or 2 more"), ("colour~in-or-missing~a", "colour is a or missing"),
    ("a~gt~1~and~b~le-or-missing~2~and~c~in~d", "a > 1, (b ≤ 2 or missing) and c is d"),
    ("a~gt~1~or~b~gt~2~or~c~gt~3", "a > 1; b > 2, or c > 3"),
    ("size~gt~1~and~size~le~3", "1 < size ≤ 3"),  # two bounds are read as one range
    ("size~lt~3~and~kind~in~plum~and~size~ge~1", "1 ≤ size < 3 and kind is plum"),
    ("size~gt-or-missing~1~and~size~le-or-missing~3", "1 < size ≤ 3 or missing"),
    ("size~gt-or-missing~1~and~size~le~3", "(size > 1 or missing) and size ≤ 3"),
    ("size~gt~1~or~size~le~0", "size > 1, or size ≤ 0"), ("size~gt~1~and~size~gt~2", "size > 1 and size > 2"),
]  # fmt: skip


def test_a_filter_has_words_which_read_two_bounds_of_a_column_as_one_range():
    for text, words in WORDS:
        with case((text, words)):
            assert filter_of(text).words == words


REFUSED = [
    ("mass~gt~2", "no column “mass”. Choose one of “size”"), ("colour~in~blue", "no category “blue”.*“green”"),
    ("colour~gt~green", "have no order"), ("size~gt~big", "has numbers, not “big”"),
    ("size~gt~nan", "has numbers, not"),
    ("size", "cannot be read"), ("size~above~2", "cannot be read"), ("size~gt", "cannot be read"),
    ("size~gt~1,2", "cannot be read"), ("size~gt~1~and", "cannot be read"),
    ("size~gt~1~but~size~lt~3", "cannot be read"), ("size~in~" + "1," * 3000, "Use fewer"),
]  # fmt: skip


def test_a_filter_that_does_not_fit_says_what_where_and_what_to_do():
    for text, said in REFUSED:
        with case((text, said)), pytest.raises(FilterError, match=said):
            kept(text)


SIMPLE = (
    Condition("size", "gt", ("2",)), Condition("size", "le", ("2",), missing=True),
    Condition("colour", "in", ("green",)), Condition("colour", "out", ("green",), missing=True),
    Condition("rating", "ge", ("medium",)), Condition("kind", "in", ("plum",)),
    Condition("size", "in", missing=True),
)  # fmt: skip
LINES = [Filter((one,)) for n in (1, 2) for one in itertools.combinations(SIMPLE, n)]


@pytest.mark.parametrize("first", LINES, ids=lambda one: one.text)
def test_and_or_and_not_are_those_of_sets_of_rows(first):
    data = fruit()
    one = mask_of(data, first)
    assert np.array_equal(mask_of(data, first.opposite), ~one)
    for second in LINES:
        other = mask_of(data, second)
        assert np.array_equal(mask_of(data, first.both(second)), one & other)
        assert np.array_equal(mask_of(data, first.either(second)), one | other)
        assert np.array_equal(mask_of(data, first.either(second).opposite), ~(one | other))


def test_a_filter_in_short_takes_the_same_rows_of_its_table():
    for made in LINES:
        with case(made):
            data = fruit()
            short = made.opposite.in_short(columns_of(data))
            assert np.array_equal(mask_of(data, short), ~mask_of(data, made))
            assert not any(one.missing for line in short.alternatives for one in line if one.column == "kind")


def test_all_and_none_are_opposites():
    assert ALL.opposite == Filter(())
    assert Filter(()).opposite == ALL
    assert ALL.both(LINES[0]) == LINES[0]
    assert Filter(()).either(LINES[0]) == LINES[0]


names = st.text(st.sampled_from("ab ~,%é"), min_size=1, max_size=6)
several, one_name = st.lists(names, min_size=1, max_size=3).map(tuple), names.map(lambda name: (name,))
valued = st.builds(Condition, names, st.sampled_from(["in", "out"]), several, st.booleans())
ordered = st.builds(Condition, names, st.sampled_from(["le", "gt", "lt", "ge"]), one_name, st.booleans())
bare = st.sampled_from(["missing", "known"]).map(lambda word: filter_of(f"a~{word}").alternatives[0][0])
lines = st.lists(st.one_of(valued, ordered, bare), min_size=1, max_size=3).map(tuple)


@given(st.lists(lines, min_size=1, max_size=3).map(lambda found: Filter(tuple(found))))
def test_the_text_of_a_filter_reads_as_the_same_filter(made):
    assert filter_of(made.text) == made


def test_a_part_is_a_data_set_of_its_own_whose_codes_stay():
    roles = RowRoles(row_groups("crate", ["a", "b", "a", "b", "c", "c"]))
    whole = fruit(RowWeights("grams", np.arange(1.0, 7.0)), roles)
    part = subset(whole, filter_of("size~ge~3"))
    assert part.name == "Fruit, size ≥ 3 (2 of 6 rows)"
    assert part.digest != whole.digest
    assert part.features == whole.features
    assert part.target == whole.target
    assert np.array_equal(part.X, whole.X[[2, 5]], equal_nan=True)
    assert part.y.tolist() == [0, 1]
    assert part.weights is not None
    assert part.weights.tolist() == [3.0, 6.0]
    assert part.roles.groups is not None
    assert part.roles.groups.codes.tolist() == [0, 2]
    assert not part.X.flags.writeable
    assert part.X.flags.f_contiguous


def test_a_part_that_keeps_all_rows_is_the_table_itself():
    assert subset(fruit(), filter_of("row number~gt~0")).digest == fruit().digest


def test_groups_of_which_one_is_left_are_no_groups():
    roles = RowRoles(row_groups("crate", ["a", "a", "a", "b", "b", "b"]))
    assert subset(fruit(roles=roles), filter_of("crate~in~a")).roles.groups is None


def test_a_tree_of_all_rows_fits_the_part_and_the_part_has_the_same_classes():
    iris = samples.load("iris")
    part = subset(iris, filter_of("species~out~setosa"))
    tree = CartClassifier(max_depth=3).fit(iris.X, iris.y)
    assert part.classes == iris.classes
    assert set(part.y.tolist()) == {1, 2}
    assert (tree.predict(part.X) == part.y).mean() > 0.9
    assert not held_out(part, HeldOut(30)).all()


def test_rows_of_a_filter_are_held_out_as_they_are():
    data = fruit()
    assert np.flatnonzero(held_out(data, HeldOut(30, where="row number~in~2,5"))).tolist() == [1, 4]
    with pytest.raises(FilterError):
        held_out(data, HeldOut(30, where="mass~gt~2"))


def test_a_part_of_too_few_rows_or_of_weight_zero_is_refused_with_advice():
    for text, said in (
        ("size~gt~9", "0 of 6 rows left.*Widen"),
        ("size~missing", "1 of 6 rows left"),
        ("kind~in~plum", "3 of 6 rows left, all .*“kind”, “plum”.*nothing to predict"),
    ):
        with pytest.raises(FilterError, match=said):
            subset(fruit(), filter_of(text))
    weights = RowWeights("grams", np.array([0.0, 0, 0, 0, 0, 1]))
    with pytest.raises(FilterError, match="weight 0"):
        subset(fruit(weights), filter_of("row number~lt~4"))


def test_conditions_ask_about_roles_and_weights_too():
    roles = RowRoles(row_groups("crate", ["a", "a", "b", "b", "c", "c"]))
    whole = fruit(RowWeights("grams", np.arange(6.0)), roles)
    assert list(columns_of(whole)) == ["size", "colour", "rating", "kind", "crate", "grams", "row number"]
    assert np.flatnonzero(mask_of(whole, filter_of("crate~in~b~or~grams~ge~5"))).tolist() == [2, 3, 5]


def test_a_filter_in_short_keeps_the_tightest_bounds_of_numbers_and_common_values():
    for text, short in [
        ("size~gt~1~and~size~gt~2", "size~gt~2"),
        ("size~gt~2~and~size~ge~2", "size~gt~2"),
        ("size~lt~3~and~size~le~2.5~and~size~le~2", "size~le~2"),
        ("size~gt-or-missing~1~and~size~gt~0", "size~gt~1"),
        ("colour~in~red,green~and~colour~in~green", "colour~in~green"),
        ("colour~in~red~and~colour~in~green", "colour~in~red~and~colour~in~green"),
        ("rating~ge~medium~and~rating~ge~low", "rating~ge~medium~and~rating~ge~low"),
    ]:
        with case((text, short)):
            assert filter_of(text).in_short(columns_of(fruit())).text == short


BOUNDS = [
    Condition("size", relation, (value,), missing)
    for relation in ("gt", "ge", "lt", "le")
    for value in ("1", "2")
    for missing in (False, True)
]


def test_bounds_in_short_take_the_same_rows():
    data = fruit()
    for pair in itertools.product(BOUNDS, repeat=2):
        made = Filter((pair,))
        short = made.in_short(columns_of(data))
        assert np.array_equal(mask_of(data, short), mask_of(data, made)), made.text
        assert len(short.alternatives[0]) == len({one.is_lower for one in pair}), made.text


def letters():
    """Four letters with the day on which each was sent, one unknown."""
    sent = Feature("sent", is_whole=True, moment=Moment("sent", "date"))
    X = np.array([[18716.0], [18717.0], [18718.0], [NAN]])
    return make_dataset("Letters", X, [sent], np.arange(4) % 2, Feature("read", "category", ("no", "yes")))


def test_conditions_on_dates_have_dates_for_values():
    data = letters()
    for text, taken in (
        ("sent~gt~2021-03-30", [1, 2]), ("sent~gt~18716", [1, 2]), ("sent~in~2021-03-31,2021-04-01", [1, 2]),
        ("sent~ge~2021-03-31~and~sent~le-or-missing~2021-03-31", [1]),
        ("sent~gt~2021-03-31~and~sent~gt~2021-03-30", [2]),
    ):  # fmt: skip
        made = filter_of(text)
        assert np.flatnonzero(mask_of(data, made)).tolist() == taken
        assert np.array_equal(mask_of(data, made.in_short(columns_of(data))), mask_of(data, made))
    with pytest.raises(FilterError, match="“sent” has dates, not “March”"):
        mask_of(data, filter_of("sent~gt~March"))


def test_the_way_to_a_node_and_ranges_of_days_are_told_in_dates():
    data = letters()
    tree = CartClassifier(max_depth=1).fit(data.X[:2], data.y[:2]).tree_
    assert filter_of_node(tree, 2, data.features, np.zeros(1, bool)).words == "sent ≥ 2021-03-31"
    ranges = [one.rows.words for one in subgroups(data, "sent", 2).groups]
    assert ranges == ["sent ≤ 2021-03-31", "sent > 2021-03-31", "sent is missing"]


@st.composite
def tables(draw, has_groups=True, has_times=True, is_classification=None):
    """Random data of 12 to 60 rows in 4 to 12 groups and with 4 or more times."""
    n = draw(st.integers(12, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_groups = draw(st.integers(4, 12))
    member = np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n - n_groups)])
    days = np.concatenate([np.arange(4.0), rng.integers(0, draw(st.integers(4, 60)), size=n - 4)])
    if has_groups and has_times:  # groups follow one another
        member = np.argsort(np.argsort(days, kind="stable")) * n_groups // n
    roles = RowRoles(
        row_groups("patient", rng.permutation(n_groups)[member]) if has_groups else None,
        row_times("day", days) if has_times else None,
    )
    classes = draw(st.booleans()) if is_classification is None else is_classification
    y = rng.integers(3, size=n) if classes else rng.normal(size=n)
    y[:3] = range(3)
    target = Feature("y", "category", ("a", "b", "c")) if classes else Feature("y")
    return make_dataset("made", rng.normal(size=(n, 2)), [Feature("u"), Feature("v")], y, target, roles=roles)


def groups_of(data, rows):
    return set(data.roles.groups.codes[rows].tolist())


@given(tables(has_times=False), st.integers(1, 99), st.integers(0, 5))
def test_no_group_is_held_out_in_part(data, percent, seed):
    out = held_out(data, HeldOut(percent, seed))
    assert 0 < out.sum() < len(out)
    assert not groups_of(data, out) & groups_of(data, ~out)


@given(tables(has_groups=False), st.integers(1, 99))
def test_the_last_rows_are_held_out(data, percent):
    out = held_out(data, HeldOut(percent))
    assert 0 < out.sum() < len(out)
    assert data.roles.times.values[~out].max() < data.roles.times.values[out].min()


@given(tables(), st.integers(1, 99))
def test_of_groups_with_times_those_that_end_last_are_held_out_whole(data, percent):
    out = held_out(data, HeldOut(percent))
    times = data.roles.times.values
    assert not groups_of(data, out) & groups_of(data, ~out)
    ends = [times[data.roles.groups.codes == group].max() for group in groups_of(data, out)]
    assert times[~out].max() < min(ends)


def test_classes_stay_in_proportion_where_groups_allow_it_and_one_of_few_groups_is_in_both_parts():
    y = np.tile([0, 0, 0, 1], 50)
    groups = np.repeat(np.arange(50), 4)
    part = parts.group_parts(groups, y, (0.7, 0.3), np.random.default_rng(0))
    assert np.bincount(part).tolist() == [140, 60]
    assert y[part == 1].mean() == 0.25
    y = np.repeat([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 10)  # two groups of ten have the rare class
    part = parts.group_parts(np.repeat(np.arange(10), 10), y, (0.5, 0.5), np.random.default_rng(1))
    assert [y[part == side].sum() for side in (0, 1)] == [10, 10]


@given(tables(has_times=False), st.integers(2, 4), st.integers(1, 2))
def test_every_row_is_in_one_fold_of_each_repeat_and_its_group_in_the_same(data, n_folds, n_repeats):
    folds = folds_of(data, Folds(n_folds, n_repeats))
    assert len(folds) == n_folds * n_repeats
    for repeat in range(n_repeats):
        own = folds[repeat * n_folds : (repeat + 1) * n_folds]
        assert sorted(np.concatenate([fold.rows for fold in own])) == list(range(len(data.y)))
    for fold in folds:
        assert len(fold.rows)
        assert not groups_of(data, fold.rows) & groups_of(data, fold.fitted_to)
        assert fold.fitted_to.sum() + len(fold.rows) == len(data.y)


@given(tables(has_groups=False), st.integers(2, 3))
def test_every_fold_is_told_from_all_that_is_earlier_and_nothing_else(data, n_folds):
    times, folds = data.roles.times.values, folds_of(data, Folds(n_folds, 3))
    assert len(folds) == n_folds == plan_for(data, Folds(n_folds, 3)).n_all
    for fold in folds:
        assert (fold.fitted_to == (times < times[fold.rows].min())).all()
    tested = np.concatenate([fold.rows for fold in folds])
    assert len(set(tested)) == len(tested)
    assert set(np.flatnonzero(times > times[tested].min())) <= set(tested)


@given(tables(), st.integers(2, 3))
def test_a_fold_of_groups_with_times_is_told_from_earlier_rows_of_other_groups(data, n_folds):
    times = data.roles.times.values
    try:
        folds = folds_of(data, Folds(n_folds))
    except ValueError:  # groups that go on for too long
        reject()
    for fold in folds:
        assert times[fold.fitted_to].max() < times[fold.rows].min()
        assert not groups_of(data, fold.rows) & groups_of(data, fold.fitted_to)


@given(tables(has_groups=False), st.integers(2, 4))
def test_blocks_of_times_are_in_order_and_none_is_empty(data, n_blocks):
    times, block = data.roles.times.values, parts.time_blocks(data.roles, n_blocks)
    assert set(block) == set(range(n_blocks))
    for number in range(1, n_blocks):
        assert times[block == number - 1].max() < times[block == number].min()


def test_more_folds_than_groups_or_times_are_refused():
    y, X = np.arange(6) % 2, np.arange(6.0)[:, None]
    target = Feature("y", "category", ("a", "b"))
    grouped = RowRoles(groups=row_groups("patient", [0, 0, 1, 1, 2, 2]))
    data = make_dataset("made", X, [Feature("x")], y, target, roles=grouped)
    with pytest.raises(ValueError, match="4 folds cannot be made of 3 groups of “patient”"):
        folds_of(data, Folds(4))
    ordered = RowRoles(times=row_times("day", np.array([0.0, 0, 0, 1, 1, 1])))
    data = make_dataset("made", X, [Feature("x")], y, target, roles=ordered)
    with pytest.raises(ValueError, match="3 blocks cannot be made of 2 different times"):
        folds_of(data, Folds(2))


@pytest.mark.parametrize("redraw", [Redraw("bootstrap"), Redraw("subsample", 0.5), Redraw("leave_out", 1)])
@given(tables(has_times=False), st.integers(0, 20))
def test_all_rows_of_a_group_are_drawn_equally_often(redraw, data, number):
    times = redrawn(redraw, data, 0, number).times
    for group in groups_of(data, slice(None)):
        assert len(set(times[data.roles.groups.codes == group])) == 1


@given(tables(has_times=False), st.integers(2, 4))
def test_each_group_is_left_out_once_while_each_fold_is(data, n_folds):
    drawn = [redrawn(Redraw("folds", n_folds), data, 0, number).times for number in range(n_folds)]
    left_out = n_folds - np.sum(drawn, axis=0)
    assert set(left_out.tolist()) == {1}


def test_neighbours_in_time_are_drawn_together():
    n = 1000
    times = row_times("day", np.random.default_rng(0).permutation(n).astype(float))
    data = make_dataset(
        "made", np.zeros((n, 1)), [Feature("x")], np.arange(n) * 1.0, Feature("y"), roles=RowRoles(None, times)
    )
    drawn = redrawn(Redraw("bootstrap"), data, 0, 0).times[np.argsort(times.values)]
    assert (np.diff(drawn) != 0).sum() <= n / 10 + 1  # blocks of ten
    assert 0.9 * n < drawn.sum() < 1.1 * n


@settings(max_examples=10)
@given(tables(has_times=False, is_classification=True))
def test_the_answer_for_a_row_comes_from_models_without_its_group(data):
    seen = []

    class Spy(CartClassifier):
        def fit(self, X, *others, **more):
            seen.append(X)
            return super().fit(X, *others, **more)

    validate(Spy(), data, Folds(3))
    ask(Spy(), data, Folds(3))
    fit_outside(Spy(), data, np.array([0]))
    tested = [fold.rows for fold in folds_of(data, Folds(3))] * 2 + [np.array([0])]
    for X, rows in zip(seen, tested, strict=True):
        together = data.X[np.isin(data.roles.groups.codes, list(groups_of(data, rows)))]
        assert not set(map(tuple, together)) & set(map(tuple, X))


def test_data_without_roles_are_divided_as_before():
    rng = np.random.default_rng(3)
    data = make_dataset("made", rng.normal(size=(40, 1)), [Feature("x")], rng.normal(size=40), Feature("y"))
    assert parts.units(data.roles, 0) is None
    assert parts.rows_to_fit(data.roles, np.array([3]), 40).sum() == 39
    assert held_out(data, HeldOut(25)).sum() == 10


# ---- Rows held out for testing


def numbered(n):
    return make_dataset(
        "t", np.zeros((n, 1)), [Feature("x")], np.random.default_rng(3).normal(size=n), Feature("y")
    )


def test_classes_keep_their_shares_and_another_seed_holds_other_rows_out():
    iris = samples.load("iris")
    assert np.bincount(iris.y[held_out(iris, HeldOut(30, 7))]).tolist() == [15, 15, 15]
    data = numbered(100)
    assert not np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 1)))
    assert np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 0)))


@pytest.mark.parametrize("seed", range(5))
def test_a_number_keeps_its_spread(seed):
    data = numbered(200)
    out = held_out(data, HeldOut(30, seed))
    smallest_first = np.argsort(data.y)
    assert out[smallest_first].reshape(10, 20).sum(axis=1).tolist() == [6] * 10


@settings(deadline=None)
@given(st.integers(1, 90), st.sampled_from(range(0, 85, 5)), st.integers(0, 99))
def test_about_the_percentage_is_held_out_and_a_row_is_always_left(n, percent, seed):
    out = held_out(numbered(n), HeldOut(percent, seed))
    assert not out.all()
    assert abs(out.sum() - n * percent / 100) <= 1


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percentage_that_there_is_none_of_is_refused(percent):
    with pytest.raises(ValueError, match=f"{percent} % .* choose a percentage from 0 to 100"):
        held_out(numbered(10), HeldOut(percent))
