"""What is guessed of a table is never refused by what comes after, for columns of all sorts and files of them."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.check import FINE, WARNINGS, main
from espalier.data.columns import vocabulary
from espalier.data.columns.convert import encode, moments, to_dataset
from espalier.data.columns.kinds import TARGET_KINDS, TIME_KINDS, guess_kinds, guess_target
from espalier.data.columns.new_rows import code_column
from espalier.data.contents import contents
from espalier.data.errors import TableError
from tests.tools.cases import case

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
