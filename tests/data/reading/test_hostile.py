"""Whatever the file, it ends in a table or in one of our own errors: a corpus by hand, then bytes by chance.

The whole corpus, with the files that cost most, is read by ``python -m tests.data.reading.hostile``.
"""

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_target
from espalier.data.errors import TableError
from espalier.data.options import DELIMITERS, ENCODINGS, ReadOptions
from espalier.data.reading.contents import contents
from tests.data.reading import hostile
from tests.data.reading.hostile_large import large_files, numbers
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
    assert all(part.strip() and part.rstrip().endswith(".") for part in (error.what, error.where, error.todo))
    str(error).encode()  # it can be shown
    return None


def test_a_hostile_file_ends_in_a_table_or_in_our_own_error():
    for name in QUICK:
        with case(name):
            read(FILES[name](), name)


def test_the_corpus_is_as_large_as_promised_and_always_the_same():
    assert len(FILES) + len(large_files()) >= 300
    some = [name for name in sorted(FILES)[::40] if not name.endswith((".xlsx", ".zip", ".gz"))]
    assert [FILES[name]() for name in some] == [FILES[name]() for name in some]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("large dictionary.parquet", "too large once unpacked"),
        ("large attributes.arff", "The limit is 20,000 columns"),
        ("large cell.csv", "131,072 characters"),
        pytest.param("large commas.csv.gz", "The limit is 25,000,000 cells", marks=pytest.mark.slow),
        pytest.param(
            "large quotes.csv.gz", "131,072 characters, the limit. It stands in line 2", marks=pytest.mark.slow
        ),
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
