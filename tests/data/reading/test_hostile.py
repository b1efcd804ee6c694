"""Whatever the file, it ends in a table or in an error of our own: files by hand, strange cells, then chance."""

import json
import os
import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds, guess_target, levels, summarise
from espalier.data.contents import contents
from espalier.data.errors import TableError
from espalier.data.options import DELIMITERS, ENCODINGS, ReadOptions
from espalier.data.table import read_table
from tests.data.reading import hostile
from tests.data.reading.hostile import large_files, numbers
from tests.tools.cases import case

FILES = hostile.small_files()
SLOW = {"json many names.jsonl", "json new names.jsonl", "layout same names.csv"}
QUICK = [name for name in sorted(FILES)[::5] if name not in SLOW]
SEEDS = [
    name
    for name in FILES
    if name.startswith(("cell quote", "numbers mixed", "arff weights", "parquet bent", "json kinds"))
]


def read(source, name, options=None):
    """Read a file and use it, as a page does; None where one of our errors says why not."""
    try:
        found = contents(source, name, options)
        return to_dataset(found.table.frame, found.plans, guess_target(list(found.plans)) or "", name)
    except TableError as wrong:
        error = wrong
    assert all(part.strip() and part.rstrip().endswith(".") for part in (error.what, error.todo))
    str(error).encode()  # it can be shown
    return None


@pytest.mark.parametrize("names", [QUICK, pytest.param(sorted(FILES), marks=pytest.mark.slow)], ids=["few", "all"])
def test_a_hostile_file_ends_in_a_table_or_in_our_own_error(names):
    for name in names:
        with case(name):
            read(FILES[name](), name)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")
def test_a_hostile_file_that_swells_ends_in_a_table_or_in_our_own_error_too():
    for name, make in large_files().items():
        with case(name):
            assert hostile.tried(name, make()).words.startswith(("table", "refused"))


def test_the_corpus_is_as_large_as_promised_and_always_the_same():
    assert len(FILES) + len(large_files()) >= 300
    some = [name for name in sorted(FILES)[::40] if not name.endswith((".xlsx", ".zip", ".gz"))]
    assert [FILES[name]() for name in some] == [FILES[name]() for name in some]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("large dictionary.parquet", "MB or more unpacked"),
        ("large attributes.arff", "The limit is 20,000 columns"),
        ("large cell.csv", "131,072 characters"),
        pytest.param("large commas.csv.gz", "The limit is 25,000,000 cells", marks=pytest.mark.slow),
        pytest.param("large quotes.csv.gz", "131,072 characters. It stands in line 2", marks=pytest.mark.slow),
        pytest.param("large nested.jsonl.gz", "The table has only one column", marks=pytest.mark.slow),
    ],
)
def test_a_small_file_that_swells_is_stopped_at_a_limit_with_its_name(name, expected):
    outcome = hostile.tried(name, large_files()[name]())
    assert outcome.words.startswith("refused")
    assert expected in outcome.words
    assert outcome.peak_mb < 1_000


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")
@pytest.mark.parametrize(
    ("rows", "megabytes"), [(100_000, 300), pytest.param(1_000_000, 1_000, marks=pytest.mark.slow)]
)
def test_a_table_of_nearly_as_many_cells_as_are_allowed_or_of_a_tenth_is_read_in_little_memory(rows, megabytes):
    outcome = hostile.tried("numbers.csv.gz", numbers(rows))
    assert outcome.words == "table"
    assert outcome.peak_mb < megabytes


OPTIONS = st.one_of(
    st.none(),
    st.builds(
        ReadOptions,
        format=st.just("text"),
        thousands=st.sampled_from(["", ",", ".", " "]),
        sheet=st.just(""),
        encoding=st.sampled_from(sorted(ENCODINGS)),
        skip=st.integers(0, 3),
        delimiter=st.sampled_from(list(DELIMITERS)),
        header=st.booleans(),
        decimal=st.sampled_from(".,"),
        missing=st.lists(st.text(max_size=2), max_size=3).map(tuple),
    ),
)
STARTS = st.sampled_from(
    [b"", b"a,b\n1,2\n", b'{"a":', b"@relation r\n@attribute a ", b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08", b"[{"]
)
ALPHABET = st.text(st.sampled_from("a1.,;:\"'\n\r\t {}[]@%?-e\\\0\u2028ä"), max_size=60).map(str.encode)
FUZZ = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FUZZ
@given(STARTS, st.one_of(st.binary(max_size=80), ALPHABET), OPTIONS)
def test_bytes_by_chance_end_in_a_table_or_in_our_own_error(start, rest, options):
    read(start + rest, "x.csv", options)


@FUZZ
@given(st.sampled_from(SEEDS), st.integers(0, 2**32), st.integers(1, 6))
def test_a_bent_file_ends_in_a_table_or_in_our_own_error(name, seed, n):
    chance = random.Random(seed)
    bent = bytearray(FILES[name]())
    for _ in range(n):
        at = chance.randrange(len(bent))
        match chance.randrange(4):
            case 0:
                bent[at] ^= 1 << chance.randrange(8)
            case 1:
                del bent[at : at + chance.randrange(1, 9)]
            case 2:
                bent[at:at] = bent[: chance.randrange(1, 20)]
            case _:
                bent[at : at + 1] = chance.choice([b"\n", b'"', b",", b"'", b"\0", b"}", b"\xff", b"9"])
        bent = bent or bytearray(b"a")
    read(bytes(bent), name)


# ---- Cells that no honest table holds: each file ends in a table or in one of our own errors, never in a fault


def used(source, name):
    """The data set of a file, by guesses alone."""
    frame = read_table(source, name).frame
    summarise(frame)
    plans = guess_kinds(frame)
    return to_dataset(frame, plans, guess_target(plans) or "", name)[0]


EXTREME = {
    "a constant of 18 digits": ["123456789012345678"] * 3, "neighbours": ["0.3", "0.30000000000000004", "0.3"],
    "almost no range": ["1e16", "10000000000000002", "1e16"],
    "the largest of all": ["1e308", "-1e308", "1.7976931348623157e308"],
    "the smallest of all": ["5e-324", "0", "-5e-324"],
}  # fmt: skip


def test_columns_of_extreme_numbers_are_counted():
    for name, cells in EXTREME.items():
        with case(name):
            rows = "".join(f"{x},{i}.5,{'xy'[i % 2]}\n" for i, x in enumerate(cells))
            frame = read_table(f"a,b,c\n{rows}".encode(), "x.csv").frame
            assert summarise(frame)[0].n_missing == len(frame) - frame["a"].count()


def test_numbers_of_any_length_are_sorted_inside_words():
    import pandas as pd

    long = "a" + "9" * 5_000
    assert levels(pd.Series([long, "a10", "a9", "a010"])) == ["a9", "a10", "a010", long]


def test_values_too_large_to_be_squared_are_missing_and_said_to_be():
    table = read_table(b"a,b\n1,x\n1.7e308,y\n3,x\n-inf,y\n", "x.csv")
    assert table.frame["a"].isna().tolist() == [False, True, False, True]
    assert "Values beyond ±1e+150 in “a” count as missing: rows 2 and 4." in table.notes


def test_json_may_hold_half_a_character_signs_for_a_line_break_and_a_name_that_comes_late():
    rows = [{"a\ud800": "x\udfff", "b": i} for i in range(3)]
    frame = read_table("\n".join(map(json.dumps, rows)).encode(), "x.jsonl").frame
    assert frame.columns.tolist() == ["a\ufffd", "b"]
    assert frame["a\ufffd"].tolist() == ["x\ufffd"] * 3
    rows = [{"a": "x\u2028y\u0085z", "b": i} for i in range(3)]
    source = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    assert read_table(source, "x.jsonl").frame["a"].tolist()[0] == "x\u2028y\u0085z"
    rows = [{"a": 1}, {"a": 2, "b": "x"}, {"b": "y"}]
    frame = read_table("\n".join(map(json.dumps, rows)).encode(), "x.jsonl").frame
    assert frame["a"].isna().tolist() == [False, False, True]
    assert frame["b"].isna().tolist() == [True, False, False]


def test_columns_of_the_same_name_in_parquet_are_both_there_and_text_that_is_none_is_left_out():
    twice = hostile.parquet_of(pa.table([[1.0, 2.0], [3.0, 4.0]], names=["a", "a"]))
    assert read_table(twice, "x.parquet").frame.columns.tolist() == ["a", "a (2)"]
    broken = pa.array([b"\xff\xfe", b"ok", b"\x80"]).view(pa.string())
    broken_text = hostile.parquet_of(pa.table({"a": broken, "b": [1.0, 2.0, 3.0], "c": ["x", "y", "x"]}))
    table = read_table(broken_text, "x.parquet")
    assert table.frame.columns.tolist() == ["b", "c"]
    assert any("binary values" in note and "“a”" in note for note in table.notes)


def test_a_cell_of_too_many_characters_is_refused_with_the_limit():
    long = "x" * 131_073
    arff = "@relation r\n@attribute a string\n@attribute b real\n@data\n"
    for name, text in {
        "long.csv": f"a,b\n1,{long}\n2,y\n",
        "ragged.csv": f'a,b\n1,"{long}"\n2,y\n3\n',
        "header.csv": f'"{long}",b\n1,2\n2,y\n',
        "numbers.csv": "a,b\n1," + "1" * 131_073 + "\n2,3\n",
        "long.jsonl": f'{{"a":"{long}","b":1}}\n',
        "long.arff": f'{arff}"{long}",1\n',
        "plain.arff": f"{arff}{long},1\n",
    }.items():
        with case(name), pytest.raises(TableError, match="more than 131,072 characters"):
            read_table(text.encode(), name)
    with pytest.raises(TableError, match=r"131,072 characters.*column “a”"):
        read_table(hostile.parquet_of(pa.table({"a": [long, "y"], "b": [1.0, 2.0]})), "x.parquet")


def test_an_arff_value_that_is_declared_twice_counts_once():
    source = b"@relation r\n@attribute a {x,y,x}\n@attribute b {u,v}\n@data\nx,u\ny,v\nx,v\n"
    dataset = used(source, "x.arff")
    assert dataset.features[0].categories == ("x", "y")


def test_a_target_of_extreme_numbers_makes_a_data_set_or_says_why():
    rows = "".join(f"{i},{i % 7},{(-1) ** i * (1 + i / 50)}e308\n" for i in range(40))
    with pytest.raises(TableError):
        used(f"a,b,target\n{rows}".encode(), "x.csv")
