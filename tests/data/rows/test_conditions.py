"""Conditions and filters: worked examples, the laws of and, or and not, and their texts in addresses."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis import subgroups
from espalier.data import Feature, RowRoles, RowWeights, held_out, make_dataset, row_groups, samples
from espalier.data.dataset import columns_of
from espalier.data.filters import ALL, Condition, Filter, FilterError, filter_of
from espalier.data.folds import HeldOut
from espalier.data.options import Moment
from espalier.data.roles import NO_ROLES
from espalier.data.subset import mask_of, subset
from espalier.learners import CartClassifier
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
