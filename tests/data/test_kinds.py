"""What columns are taken for, and never refused by what comes after; what data set plans make; texts of values."""

import csv
import io
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.check import FINE, WARNINGS, main
from espalier.data import samples
from espalier.data.columns import vocabulary
from espalier.data.columns.convert import OTHER, TargetPlan, encode, moments, to_dataset
from espalier.data.columns.kinds import (
    TARGET_KINDS,
    TIME_KINDS,
    ColumnPlan,
    guess_kind,
    guess_kinds,
    guess_target,
    guess_task,
    label,
    levels,
    summarise,
)
from espalier.data.columns.new_rows import code_column
from espalier.data.columns.vocabulary import SCALES, no_yes, steps_in_order
from espalier.data.contents import contents
from espalier.data.errors import TableError, exact_number, number_text, value_text
from espalier.data.table import read_table
from espalier.paths import SAMPLE_DATA
from espalier.settings import MAX_CATEGORIES
from tests.tools.cases import case


def column(*cells):
    """The cells as the reader would give them: floats, or strings."""
    numbers = all(isinstance(cell, int | float) or cell is None for cell in cells)
    return pd.Series(cells, dtype="float64" if numbers else "str")


def kind(*cells, name="x"):
    return guess_kind(name, column(*cells)).kind


GUESSED = [
    ((1.5, 2.0, None), "number"), ((1, 2, 3, 4, 5), "number"),  # a rating stays a number
    ((1, 2, 1, 2), "number"), ((0, 1, 1, None), "yes/no"), (("yes", "no", "yes"), "yes/no"),
    (("Ja", "Nein", "Ja"), "yes/no"), (("oui", "non", None), "yes/no"), (("true", "false"), "yes/no"),
    (("EVET", "HAYIR", "EVET"), "yes/no"),
    (("male", "female", "male"), "category"),  # neither of the two is "no"
    (("red", "blue", "green", "red"), "category"), (("low", "high", "medium", "low"), "ordered"),
    (("never", "always", "often", "often"), "ordered"),
    (("strongly agree", "agree", "disagree", "agree"), "ordered"), (("S", "XL", "M", "M"), "ordered"),
    (("2 - some", "1 - none", "10 - all", "2 - some"), "ordered"), (("18-29", "30-49", "50+", "30-49"), "ordered"),
    (("2024-01-31", "2024-02-01", "2023-12-24"), "date"), (("31.12.2023", "1.2.2024", "2.2.2024"), "date"),
    (("12:30", "13:45", "08:00"), "time of day"), ((None, None), "ignored"), ((7, 7, None), "ignored"),
    (("same", "same"), "ignored"),
]  # fmt: skip


def test_the_kind_of_a_column_is_guessed():
    for cells, expected in GUESSED:
        with case((cells, expected)):
            assert kind(*cells) == expected


def test_columns_that_name_or_number_the_rows_are_identifiers():
    assert kind(*range(1, 40), name="x") == "identifier"
    assert kind(0, 1, 2, 3, name="id") == "identifier"
    assert kind(*(100 * i % 97 for i in range(97)), name="PatientId") == "identifier"
    assert kind(*(f"name {i * 7 % 40}" for i in range(40)), name="customer") == "identifier"
    assert kind(*range(1, 10), name="dose") == "number"
    assert kind(*(i % 30 for i in range(60)), name="id") == "number"  # rows share it: it may mean something
    assert kind(*(100 * i % 97 for i in range(97)), name="solid") == "number"


def test_a_code_with_many_repeats_is_a_category_however_many_there_are():
    plan = guess_kind("zip", column(*(f"z{i % 80}" for i in range(400))))
    assert plan.kind == "category"
    assert "80" in plan.reason


def test_an_ordered_guess_is_in_order():
    assert guess_kind("x", column("high", "low", "medium")).categories == ("low", "medium", "high")
    assert steps_in_order(["XL", "S", "M"]) == ("S", "M", "XL")
    assert steps_in_order([">60", "<18", "18-40", "41-60"]) == ("<18", "18-40", "41-60", ">60")
    assert steps_in_order(["10: ten", "9: nine"]) == ("9: nine", "10: ten")
    assert steps_in_order(["red", "low", "high"]) is None
    assert steps_in_order(["1", "2", "3"]) is None
    assert steps_in_order(["low", "Low", "high"]) is None  # the same step twice
    assert no_yes(["Y", "N"]) == ("N", "Y")
    assert no_yes(["WAHR", "FALSCH"]) == ("FALSCH", "WAHR")  # of a spreadsheet in German
    assert no_yes(["pos", "neg"]) == ("neg", "pos")
    assert no_yes(["male", "female"]) is None


STEPS = [
    ("Strongly disagree", "Somewhat disagree", "Neutral", "Somewhat agree", "Strongly agree"),
    ("Not at all confident", "Slightly confident", "Moderately confident", "Very confident"),
    ("Very dissatisfied", "Neither satisfied nor dissatisfied", "Satisfied"),
    ("stimme überhaupt nicht zu", "stimme eher nicht zu", "teils/teils", "stimme voll und ganz zu"),
    ("trifft nicht zu", "trifft eher zu", "trifft zu"), ("nie", "selten", "gelegentlich", "sehr oft", "immer"),
    ("mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"), ("neg", "Spur", "1+", "2+", "3+"),
    ("F", "D-", "C", "B", "B+", "A-", "A"),
    ("4-", "3", "3+", "2−", "2", "1", "1+"),  # German grades: 1 is the best
    ("Under 18", "18-24", "25-34", "65 or older"), ("unter 18", "18–24", "25–34", "45 und älter"),
    ("1-2 mal", "3-5 mal", "mehr als 5 mal"), ("Less than $25,000", "$25,000 - $49,999", "$50,000 or more"),
    ("10 or less", "11-20", "at least 21"), ("bis 10 km", "10-20 km", "über 20 km"),
    ("2020q2", "2020q4", "2021q1"), ("2024-W05", "2024-W11", "2025-W01"), ("Q4 2019", "Q1 2020", "Q2 2020"),
    ("3. Quartal 2023", "1. Quartal 2024"), ("1998/99", "1999/00", "2000/01"),
    ("High school", "Bachelor's degree", "Master's degree", "PhD"),
]  # fmt: skip


def test_steps_of_surveys_laboratories_and_schools_are_in_order_whatever_way_they_come():
    for steps in STEPS:
        with case(steps):
            assert steps_in_order(sorted(steps)) == steps_in_order(sorted(steps, reverse=True)) == steps


def test_letters_and_plus_signs_that_are_no_grades_have_no_order():
    assert (
        steps_in_order(["A", "B", "C"])
        is steps_in_order(["A", "B+", "AB"])
        is steps_in_order(["0", "A+", "B+"])
        is None
    )
    assert steps_in_order(["over the moon", "under 18", "5"]) is None
    assert steps_in_order(["4+", "2", "3", "1"]) == ("1", "2", "3", "4+")  # persons in a household


def test_every_scale_orders_its_own_words_and_has_each_once():
    for scale in SCALES:
        words = [next(word for word, s in scale.items() if s == step) for step in sorted(set(scale.values()))]
        assert len(words) > 2
        shuffled = words[::-1]
        assert steps_in_order(shuffled) is not None


def test_levels_are_sorted_as_people_sort():
    assert levels(column(10.0, 9.5, None, 2.0)) == ["2", "9.5", "10"]
    assert levels(column("item 10", "item 9", "Apple", "apple pie")) == ["Apple", "apple pie", "item 9", "item 10"]


def _numbers(n) -> Any:
    return ["number"] * n


def test_the_target_is_guessed_by_name_and_else_the_last_that_can_be_used():
    def plans(*names, kinds: Any = ()):
        return [ColumnPlan(n, k) for n, k in zip(names, kinds or _numbers(len(names)), strict=True)]

    assert guess_target(plans("a", "Class", "b")) == "Class"
    assert guess_target(plans("a", "b")) == "b"
    assert guess_target(plans("a", "b", "id", kinds=("number", "category", "identifier"))) == "b"
    assert guess_target(plans("id", kinds=("identifier",))) is None


def test_the_task_is_guessed_by_the_values():
    assert guess_task(column("a", "b")) == "classification"
    assert guess_task(column(*range(20))) == "classification"
    assert guess_task(column(*range(21))) == "regression"
    assert guess_task(column(0.5, 1.0)) == "regression"


def test_a_summary_counts_missing_and_distinct_values():
    frame = pd.DataFrame({"n": column(1.0, 2.0, 2.0, None), "w": column("a", "b", "b", "b")})
    numbers, words = summarise(frame)
    assert (numbers.n_missing, numbers.n_distinct, numbers.example) == (1, 2, "1, 2")
    assert (words.n_missing, words.n_distinct, words.example) == (0, 2, "a, b")


def test_guessing_finds_the_declared_kinds_of_the_samples_or_nearly():
    for name in samples.names():
        with case(name):
            declared = samples.load(name)
            table = read_table(SAMPLE_DATA / f"{name}.csv")
            plans = guess_kinds(table.frame)
            assert guess_target(plans) == declared.target.name
            dataset, notes = to_dataset(table.frame, plans, declared.target.name, declared.name)
            assert notes == []
            assert table.notes == ()
            kinds = {f.name: f.kind for f in declared.features}
            if name == "diabetes":
                kinds["sex"] = "number"  # the codes 1 and 2 look like numbers
            if name == "questionnaire":  # answers are coded 0, 1, …: ratings stay numbers
                kinds = {n: "number" if k == "ordered" else k for n, k in kinds.items()}
            assert {f.name: f.kind for f in dataset.features} == kinds
            assert set(dataset.classes) == set(declared.classes)


FRAME = pd.DataFrame(
    {
        "dose": column(1.0, 2.0, None, 4.0, 5.0, 6.0),
        "colour": column("red", "blue", "red", None, "green", "blue"),
        "size": column("small", "large", "medium", "small", "large", "large"),
        "smoker": column("yes", "no", "no", "yes", None, "no"),
        "key": column("r1", "r2", "r3", "r4", "r5", "r6"),
        "ill": column("sick", "well", "well", None, "sick", "well"),
    }
)
PLANS = [
    ColumnPlan("dose", "number"), ColumnPlan("colour", "category"),
    ColumnPlan("size", "ordered", ("small", "medium", "large")), ColumnPlan("smoker", "yes/no", ("no", "yes")),
    ColumnPlan("key", "identifier", (), "every row has its own text"), ColumnPlan("ill", "category"),
]  # fmt: skip


def test_a_data_set_is_made_as_planned():
    dataset, notes = to_dataset(FRAME, PLANS, "ill", "clinic")
    nan = np.nan
    assert dataset.name == "clinic"
    assert [(f.name, f.kind) for f in dataset.features] == [
        ("dose", "number"), ("colour", "category"), ("size", "ordered"), ("smoker", "yes/no"),
    ]  # fmt: skip
    assert dataset.features[1].categories == ("blue", "green", "red")
    # The row without a target (the fourth) is gone; codes count from 0 in the order of the categories.
    expected = [[1, 2, 0, 1], [2, 0, 2, 0], [nan, 2, 1, 0], [5, 1, 2, nan], [6, 0, 2, 0]]
    np.testing.assert_array_equal(dataset.X, expected)
    assert dataset.classes == ("sick", "well")
    assert dataset.y.tolist() == [0, 1, 1, 0, 1]
    assert notes == [
        "1 row left out: the target “ill” is missing.",
        "1 column not used: “key” (every row has its own text).",
    ]


def test_the_task_of_a_number_can_be_switched():
    frame = pd.DataFrame({"x": column(1.0, 2.0, 3.0, 4.0), "y": column(1.0, 2.0, 1.0, 2.0)})
    plans = guess_kinds(frame)
    assert to_dataset(frame, plans, "y", "t")[0].classes == ("1", "2")
    regression = to_dataset(frame, plans, TargetPlan("y", "regression"), "t")[0]
    assert regression.classes == ()
    assert regression.y.tolist() == [1.0, 2.0, 1.0, 2.0]


def test_words_cannot_be_predicted_as_a_number():
    from espalier.data.errors import TableError

    with pytest.raises(TableError, match=r"“sick” and “well” in 5 rows"):
        to_dataset(FRAME, PLANS, TargetPlan("ill", "regression"), "t")


def test_infinite_targets_are_dropped_like_missing_ones():
    frame = pd.DataFrame({"x": column(1.0, 2.0, 3.0), "y": column(1.5, np.inf, 2.5)})
    dataset, notes = to_dataset(frame, guess_kinds(frame), TargetPlan("y", "regression"), "t")
    assert dataset.y.tolist() == [1.5, 2.5]
    assert "1 row left out" in notes[0]


def test_beyond_64_categories_the_most_frequent_63_are_kept_and_the_others_pooled():
    cells = [f"c{i:02d}" for i in range(70) for _ in range(2 if i < 63 else 1)]
    frame = pd.DataFrame({"x": column(*cells), "y": column(*(["a", "b"] * len(cells))[: len(cells)])})
    dataset, notes = to_dataset(frame, [ColumnPlan("x", "category"), ColumnPlan("y", "category")], "y", "t")
    feature = dataset.features[0]
    assert len(feature.categories) == MAX_CATEGORIES == 64
    assert feature.categories == (*(f"c{i:02d}" for i in range(63)), OTHER)
    assert (dataset.X[:, 0] == 63).sum() == 7
    assert "70 categories" in notes[0]
    assert OTHER in notes[0]


def test_a_column_that_became_constant_is_not_used_and_told():
    frame = pd.DataFrame({"a": column(1.0, 1.0, 2.0), "b": column(1.0, 2.0, 3.0), "y": column("u", "v", None)})
    dataset, notes = to_dataset(
        frame, [ColumnPlan(n, "number") for n in "ab"] + [ColumnPlan("y", "category")], "y", "t"
    )
    assert [f.name for f in dataset.features] == ["b"]
    assert notes[-1] == "Not used, being the same in every row: “a”."


def test_numbers_can_be_taken_as_categories_and_words_as_numbers():
    frame = pd.DataFrame({"n": column(1.0, 2.5, 1.0), "w": column("1", "2", "?"), "y": column("a", "b", "a")})
    plans = [ColumnPlan("n", "category"), ColumnPlan("w", "number"), ColumnPlan("y", "category")]
    dataset, notes = to_dataset(frame, plans, "y", "t")
    assert dataset.features[0].categories == ("1", "2.5")
    np.testing.assert_array_equal(dataset.X[:, 1], [1, 2, np.nan])
    assert notes == ["“w”: 1 cell that cannot be read taken as missing."]


def test_declared_categories_keep_their_order():
    frame = pd.DataFrame({"x": column("b", "c", "b"), "y": column("no", "yes", "no")})
    plans = guess_kinds(frame, {"x": ("c", "a", "b")})
    assert to_dataset(frame, plans, "y", "t")[0].features[0].categories == ("c", "b")


def test_a_yes_no_target_has_no_first():
    frame = pd.DataFrame({"x": column(1.0, 2.0, 3.0), "y": column("Yes", "No", "Yes")})
    dataset, _ = to_dataset(frame, guess_kinds(frame), "y", "t")
    assert dataset.classes == ("No", "Yes")
    assert dataset.target.kind == "yes/no"


CELLS = st.one_of(st.none(), st.sampled_from(["a", "b", "yes", "no", "low", "high", "7"]))


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, st.floats(-9, 9), st.sampled_from(["u", "v", "w"])), min_size=4, max_size=30))
def test_codes_name_what_stood_in_the_table(rows):
    frame = pd.DataFrame(
        {"w": column(*(r[0] or None for r in rows), "zz"), "n": column(*(r[1] for r in rows), 99.0)}
    )
    frame["t"] = column(*(r[2] for r in rows), "x")
    plans = [ColumnPlan("w", "category"), ColumnPlan("n", "number"), ColumnPlan("t", "category")]
    dataset, _ = to_dataset(frame, plans, "t", "t")
    names = [f.name for f in dataset.features]
    if "w" in names:
        codes, words = dataset.X[:, names.index("w")], dataset.features[names.index("w")].categories
        decoded = [None if np.isnan(code) else words[int(code)] for code in codes]
        assert decoded == [None if pd.isna(cell) else cell for cell in frame["w"]]
    assert [dataset.classes[k] for k in dataset.y] == frame["t"].tolist()


@pytest.mark.parametrize("name", ["Kundennummer", "Mitglieds-Nr", "customer number"])
def test_a_number_of_its_own_for_every_row_is_an_identifier(name):
    frame = pd.DataFrame({name: np.arange(100_001.0, 100_041.0)})
    assert guess_kinds(frame)[0].kind == "identifier"


# ---- The one text of a number and of a category's value

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS)
def test_the_text_of_a_number_reads_as_the_same_number(number):
    assert float(number_text(number)) == number
    assert exact_number(number_text(number)) == number


@given(FLOATS, FLOATS)
def test_two_numbers_have_one_text_only_if_they_are_equal(one, other):
    assert (number_text(one) == number_text(other)) == (one == other)


@given(st.integers(-(10**20), 10**20))
def test_a_whole_number_has_its_digits_beyond_what_a_float_holds_too(number):
    assert number_text(number) == str(number)
    assert exact_number(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_numbers_of_numpy_and_of_python_have_one_text(number):
    assert value_text(np.float32(number)) == value_text(np.float64(number)) == value_text(float(number))
    assert label(number) == value_text(number)


def test_truth_values_have_the_words_of_databases_and_other_texts_and_infinities_are_words():
    for text in ["01", "1.0", "+1", "1e5", " 1", "1_000", "nan", "inf", "", "x", "-0", "0x10"]:
        with case(text):
            assert exact_number(text) is None
    assert [value_text(value) for value in (True, np.bool_(False), 1, "True")] == ["true", "false", "1", "True"]
    assert exact_number(number_text(math.inf)) is None


WORDS = ["yes", "YES", "Yes", "no", "NO", "y", "Y", "n", "true", "TRUE", "False", "ja", "JA", "nein", "0", "1"]
WORDS += ["low", "Low", "high", "medium", "red", "RED", "1 - a", "2 - b", "<5", "5-9", "(other)", "x" * 90]
NUMBERS = [
    "0", "1", "007", "1.5", "1,5", "1.10", "1.1", "1E1", "2E10", "1e400", "+49301234567", "-3", "1,234", "12 %",
]  # fmt: skip
NUMBERS += ["9007199254740993", "4111111111111110", "$5", "(3)", "1e-05", "9" * 400, "-0", "12,14", "inf", "1e200"]
TIMES = ["2021-03-04", "31.12.2020", "12/31/2020", "04/05/2020", "10:30", "2:05 pm", "3 days", "2021-01-01 10:00"]
MISSING = ["", "NA", "-", "?", "unknown"]


def cells(n):
    """The cells of a column: of one sort, or of several."""
    many = st.integers(0, 300).map(lambda i: f"w{i}")
    sorts = [st.sampled_from(s) for s in (WORDS, WORDS[:5], NUMBERS, TIMES)]
    sorts += [many, st.floats(allow_nan=False).map(repr), st.integers(-(10**20), 10**20).map(str)]
    few = st.sampled_from([*sorts, st.one_of(sorts)]).flatmap(lambda s: st.lists(s, min_size=1, max_size=4))
    pool = st.one_of(few, st.just([f"v{i}" for i in range(120)]), st.just(list(map(str, range(120)))))
    return st.tuples(pool, st.sampled_from([[], MISSING[:1], MISSING]), st.integers(0, 2**32)).map(
        lambda it: np.random.default_rng(it[2]).choice([*it[0], *it[1]], n).tolist()
    )


@st.composite
def tables(draw):
    n = draw(st.sampled_from([2, 3, 30, 150]))
    names = draw(st.lists(st.sampled_from(["a", "b", "id", "class", "y", "date"]), min_size=2, max_size=4))
    return names, [draw(cells(n)) for _ in names], draw(st.sampled_from(",;\t"))


def written(names, columns, delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([names, *zip(*columns, strict=True)])
    return out.getvalue().encode()


def refusals(frame, plans, name, origins):
    """What of these guesses is refused: columns one by one, and the whole; nothing to learn from is no guess."""
    for plan in plans:
        if plan.kind in TARGET_KINDS:
            encode(frame[plan.name], plan)
        elif plan.kind in TIME_KINDS:
            moments(frame[plan.name], plan)
    target = guess_target(list(plans))
    if target is None:
        return None
    try:
        return to_dataset(frame, plans, target, name, origins)[0]
    except TableError as error:
        if error.what == "No column is left to ask about.":
            return None
        raise


@settings(deadline=None, max_examples=60)
@given(tables())
def test_no_guess_about_a_file_is_refused(table):
    try:
        found = contents(written(*table), "a.csv")
    except TableError:  # the file itself cannot be read: nothing was guessed
        return
    dataset = refusals(found.table.frame, found.plans, "a", found.table.origins)
    if dataset is not None:  # its own rows are no news to it
        for f, feature in enumerate(dataset.features):
            column = feature.name if feature.moment is None else feature.moment.column
            if feature.moment is None and feature.categories and dataset.target.name != column:
                rows = found.table.frame[dataset.target.name].notna().to_numpy()
                x = code_column(found.table.frame[column], feature)
                np.testing.assert_array_equal(x[rows], dataset.X[:, f])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.sampled_from([*WORDS, *TIMES]), st.none()), min_size=1, max_size=40))
def test_no_guess_about_a_column_of_pandas_is_refused(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="str")})
    refusals(frame, guess_kinds(frame), "a", {})


# Those with capitals that are theirs: İ and I are two letters in Turkish, and some scripts have none.
PAIRS = [pair for pair in vocabulary.YES_NO if all(w != w.upper() and w.upper().casefold() == w for w in pair)]


# Spellings of yes and no ---------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("first", range(3))
def test_capitals_make_no_difference_to_yes_and_no(first):
    """The rows are the same as with one spelling each, which is the most frequent one; a note says so."""
    for pair in PAIRS[first::3]:
        with case(pair):
            no, yes = pair
            spelled = [yes, no, yes.upper(), no, yes, no.title(), "", yes.title()]
            found, plain = (
                contents(
                    f"news,x\n{''.join(f'{cell},{i % 3}.5' + chr(10) for i, cell in enumerate(cells))}".encode(),
                    "a.csv",
                )
                for cells in (spelled, [cell and (yes if cell.casefold() == yes else no) for cell in spelled])
            )
            pd.testing.assert_frame_equal(found.table.frame, plain.table.frame)
            assert found.plans == plain.plans
            assert found.plans[0][1:3] == ("yes/no", pair)
            (note,) = found.table.notes
            assert note.startswith("Capitals of yes and no make no difference")
            assert f"“{yes.title()}” as “{yes}”" in note
            assert plain.table.notes == ()


def test_new_rows_may_spell_yes_and_no_in_a_way_that_the_table_never_did():
    found = contents(b"news,x\nyes,1.5\nYES,2.5\nno,1.5\nno,2.25\nyes,4\n", "a.csv")
    data, _ = to_dataset(found.table.frame, found.plans, "x", "a", found.table.origins)
    new = pd.DataFrame({"news": pd.Series(["Yes", "NO", "YES", "maybe", None], dtype="str")})
    np.testing.assert_array_equal(code_column(new["news"], data.features[0]), [1, 0, 1, np.nan, np.nan])


def test_categories_that_the_file_declares_keep_their_capitals():
    arff = b"@relation r\n@attribute a {yes,YES,no}\n@attribute x numeric\n@data\nyes,1\nYES,2\nno,3\n"
    found = contents(arff, "a.arff")
    assert found.plans[0][1:3] == ("category", ("yes", "YES", "no"))


def test_a_guess_never_ends_a_check_with_the_code_of_an_unusable_table(tmp_path, capsys):
    many = [f"w{i % 90}" for i in range(300)]  # more words than a target may have classes, in the last column
    tables = {
        "capitals": [("news", ["yes", "YES", "no"] * 100)],
        "last": [("x", [i % 7 for i in range(300)]), ("town", many)],
        "named": [("class", many), ("x", [i % 7 for i in range(300)])],
        "dates": [
            ("when", ["a", *["2021-03-04", "2021-04-05"] * 150][:300]),
            ("y", ["p", "q", "q"] * 5 + [""] * 285),
        ],
    }
    for name, columns in tables.items():
        path = tmp_path / f"{name}.csv"
        pd.DataFrame({"u": [i % 11 for i in range(300)], **dict(columns)}).to_csv(path, index=False)
        assert main([str(path)]) in (FINE, WARNINGS), capsys.readouterr().err
