"""Whatever the file, it ends in a table or in an error of our own, within limits, in a process of its own."""

import gzip
import json
import os
import random
import re
import subprocess
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from espalier.data import background, contents
from espalier.data.background import FileReading
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_kinds, guess_target, levels, summarise
from espalier.data.contents import UnreadableFile, is_small
from espalier.data.errors import TableError
from espalier.data.options import DELIMITERS, ENCODINGS, ReadOptions, from_plain, to_plain
from espalier.data.table import read_table
from espalier.sandbox import keeper
from tests.data.reading import hostile
from tests.data.reading.hostile import large_files, numbers
from tests.tools.cases import case
from tests.tools.files import parquet
from tests.tools.waiting import until

ONLY_WITH_LIMITS = pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")
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
        found = contents.contents(source, name, options)
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
@ONLY_WITH_LIMITS
@pytest.mark.parametrize("name", large_files())
def test_a_hostile_file_that_swells_ends_in_a_table_or_in_our_own_error_too(name):
    assert hostile.tried(name, large_files()[name]()).words.startswith(("table", "refused"))


def test_the_corpus_is_as_large_as_promised_and_always_the_same():
    assert len(FILES) + len(large_files()) >= 300
    some = [name for name in sorted(FILES)[::40] if not name.endswith((".xlsx", ".zip", ".gz"))]
    assert [FILES[name]() for name in some] == [FILES[name]() for name in some]


@ONLY_WITH_LIMITS
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


@ONLY_WITH_LIMITS
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


# ---- Files read in a process of their own: the same tables, within limits of memory and time, and to be cancelled


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


DAYS = pd.to_datetime(["2024-01-02", None, "2024-02-03"])
FRAME = pd.DataFrame({"n": [1.5, None, 3], "word": ["a", None, "ß"], "day": DAYS, "k": [1, 2, 3]})
ARFF = b"@relation r\n@attribute a {low,mid,high}\n@attribute b real\n@data\nlow,1\nhigh,2\n?,3\n"
PLAIN_FILES = {
    "table.csv": b"a;b;c\n1,5;x;-\n2,5;y;3\n?;x;4\n", "numbers.csv": b"a,b\n1,2\n3,4\n",
    "words.csv": b"a,b\nx,u\ny,v\n", "table.parquet": parquet(FRAME), "table.arff": ARFF,
    "table.csv.gz": gzip.compress(b"a,b\n1,x\n2,y\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN_FILES)
def test_a_table_from_the_other_process_is_the_one_read_here(name):
    here, there = (
        contents.contents(PLAIN_FILES[name], name),
        FileReading(PLAIN_FILES[name], name).future.result(60),
    )
    pd.testing.assert_frame_equal(there.table.frame, here.table.frame)
    assert there.table._replace(frame=None) == here.table._replace(frame=None)
    assert there[1:] == here[1:]


def test_the_given_options_are_used_and_come_back():
    options = ReadOptions(delimiter=";", decimal=",", missing=("", "-", "?"))
    found = FileReading(PLAIN_FILES["table.csv"], "table.csv", options).future.result(60)
    assert found.table.options == options
    assert found.table.frame["a"].tolist()[:2] == [1.5, 2.5]


def test_what_is_wrong_with_a_file_comes_with_the_options_that_may_mend_it():
    with pytest.raises(UnreadableFile, match=r"line 2 \(1 cell\)") as caught:
        FileReading(b"a;b\n1\n2;3\n", "x.csv").future.result(60)
    assert caught.value.options is not None
    assert caught.value.options.delimiter == ";"


def limit(monkeypatch, megabytes, seconds):
    """Let another process have limits so low that anything breaks them."""
    monkeypatch.setattr(background, "MAX_READ_MEMORY_MB", megabytes)
    monkeypatch.setattr(contents, "MAX_READ_SECONDS", seconds)
    background._waiting.end()


@ONLY_WITH_LIMITS
def test_a_file_that_needs_too_much_memory_is_refused_with_the_limit(monkeypatch):
    limit(monkeypatch, 40, 10)
    packed = gzip.compress(b"a,b\n" + b"1,some words\n" * 2_000_000)
    with pytest.raises(UnreadableFile, match="too much memory"):
        FileReading(packed, "x.csv.gz").future.result(60)


@ONLY_WITH_LIMITS
def test_a_file_that_takes_too_long_is_refused_with_the_limit(monkeypatch):
    limit(monkeypatch, 1_000, -1)  # the least that a system counts is one second, the start included
    with pytest.raises(UnreadableFile, match=r"takes too long\. The limit is -1 seconds"):
        FileReading(gzip.compress(b"a,b,c\n" + b"1,some words,4.5\n" * 900_000), "x.csv.gz").future.result(60)


def large():
    return FileReading(gzip.compress(b"a,b\n" + b"1,some words\n" * 900_000), "x.csv.gz")


def until_begun(going):
    until(lambda: going.share or going.step.startswith(("Splitting", "Looking")))


def test_a_reading_that_is_cancelled_ends_its_process_and_the_next_one_works():
    going = large()
    until_begun(going)
    running: Any = going._process
    going.cancel()
    with pytest.raises(CancelledError):
        going.future.result(60)
    assert running.poll() is not None
    assert len(FileReading(PLAIN_FILES["numbers.csv"], "x.csv").future.result(60).table.frame) == 2


def test_to_cancel_a_reading_that_is_done_leaves_its_process_to_the_next_one():
    background._waiting.end()
    done = FileReading(PLAIN_FILES["numbers.csv"], "x.csv")
    done.future.result(60)
    waiting = background._waiting.take()
    done.cancel()
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.5)
    background._waiting.give_back(waiting, {"peak": 0})


def test_where_somebody_ends_the_process_nothing_is_said_to_be_too_large(caplog):
    going = large()
    until_begun(going)
    assert going._process is not None
    going._process.kill()
    with pytest.raises(UnreadableFile, match=r"^Reading the file was broken off\.") as caught:
        going.future.result(60)
    assert "The limit" not in str(caught.value)
    assert "ended with code" in caplog.text


def test_a_process_that_has_waited_for_too_long_is_replaced_by_another(monkeypatch):
    tired = keeper.start(background.MODULE, 500, 0.0)
    tired.wait(60)
    monkeypatch.setattr(background._waiting, "take", lambda: tired)
    assert len(FileReading(PLAIN_FILES["numbers.csv"], "x.csv").future.result(60).table.frame) == 2


def test_a_process_that_waits_is_used_and_waits_again_unless_it_has_held_much(monkeypatch):
    background.warm()
    waiting: Any = background._waiting._process
    FileReading(PLAIN_FILES["numbers.csv"], "x.csv").future.result(60)
    assert background._waiting._process is waiting is not None
    monkeypatch.setattr(background, "MOST_WAITING_BYTES", 0)
    FileReading(PLAIN_FILES["numbers.csv"], "x.csv").future.result(60)
    assert waiting.poll() is not None


def test_a_fault_of_ours_is_a_sentence_to_the_reader_and_a_traceback_in_the_log(monkeypatch, caplog):
    fault = {"wrong": ["What.", "Where.", "Do."], "options": None, "fault": "Traceback: secret", "peak": 1}
    monkeypatch.setattr(keeper, "ask", lambda *_: dict(fault))
    with pytest.raises(UnreadableFile, match=r"^What\. Where\. Do\.$"):
        FileReading(b"a,b\n", "x.csv").future.result(60)
    assert "secret" in caplog.text


def test_an_answer_of_another_form_is_refused(monkeypatch):
    strange = {"table": {"name": 7}, "columns": [[], []], "names": [], "peak": 1}
    monkeypatch.setattr(keeper, "ask", lambda *_: dict(strange))
    with pytest.raises((UnreadableFile, KeyError)):
        FileReading(b"a,b\n", "x.csv").future.result(60)


def test_small_plain_texts_need_no_process():
    assert is_small(b"a,b\n1,2\n")
    assert not is_small(b"a,b\n" + b"1,2\n" * 100_000)
    assert not is_small(b",".join([b"a"] * 1_000) + b"\n")
    assert not any(is_small(PLAIN_FILES[name]) for name in ("table.parquet", "table.arff", "table.csv.gz"))


texts = st.text(max_size=5)
PLANS = st.builds(ColumnPlan, texts, st.sampled_from(["number", "category"]), st.lists(texts).map(tuple), texts)


@given(
    PLANS, st.builds(ReadOptions, skip=st.integers(0, 9), header=st.booleans(), missing=st.tuples(texts, texts))
)
def test_records_come_back_from_plain_facts_as_they_were(plan, options):
    assert from_plain(ColumnPlan, to_plain(plan)) == plan
    assert from_plain(ReadOptions, to_plain(options)) == options
    both = {"a": (plan, None)}
    assert from_plain(dict[str, tuple[ColumnPlan, ColumnPlan | None]], to_plain(both)) == both


def test_plain_facts_of_another_form_are_no_record():
    plan = {"name": "a", "kind": "number"}
    for plain, where in (
        (plan | {"kind": "magic"}, "value.kind"),
        (plan | {"categories": [1]}, "value.categories"),
        ({"name": "a"}, "value.kind"),
        (7, "value"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(where)}$"):
            from_plain(ColumnPlan, plain)


def test_numbers_and_others_stand_in_the_order_of_the_file():
    frame = pd.DataFrame({"b": ["x", None], "a": [1.0, np.nan], "c": [2.0, 3.0]})
    back = contents._frame(contents._arrays(frame))
    pd.testing.assert_frame_equal(back, frame)
