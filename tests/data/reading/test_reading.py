"""Files read in a process of their own: the same tables, within limits of memory and time, and to be cancelled."""

import gzip
import os
import re
import subprocess
import time
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import background, contents
from espalier.data.background import FileReading
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.contents import UnreadableFile, is_small
from espalier.data.options import ReadOptions, from_plain, to_plain
from espalier.sandbox import keeper
from tests.tools.files import parquet

ONLY_WITH_LIMITS = pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of memory for a process")


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


DAYS = pd.to_datetime(["2024-01-02", None, "2024-02-03"])
FRAME = pd.DataFrame({"n": [1.5, None, 3], "word": ["a", None, "ß"], "day": DAYS, "k": [1, 2, 3]})
ARFF = b"@relation r\n@attribute a {low,mid,high}\n@attribute b real\n@data\nlow,1\nhigh,2\n?,3\n"
FILES = {
    "table.csv": b"a;b;c\n1,5;x;-\n2,5;y;3\n?;x;4\n", "numbers.csv": b"a,b\n1,2\n3,4\n",
    "words.csv": b"a,b\nx,u\ny,v\n", "table.parquet": parquet(FRAME), "table.arff": ARFF,
    "table.csv.gz": gzip.compress(b"a,b\n1,x\n2,y\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_table_from_the_other_process_is_the_one_read_here(name):
    here, there = contents.contents(FILES[name], name), FileReading(FILES[name], name).future.result(60)
    pd.testing.assert_frame_equal(there.table.frame, here.table.frame)
    assert there.table._replace(frame=None) == here.table._replace(frame=None)
    assert there[1:] == here[1:]


def test_the_given_options_are_used_and_come_back():
    options = ReadOptions(delimiter=";", decimal=",", missing=("", "-", "?"))
    found = FileReading(FILES["table.csv"], "table.csv", options).future.result(60)
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
    until = time.monotonic() + 30
    while not going.share and not going.step.startswith(("Splitting", "Looking")) and time.monotonic() < until:
        time.sleep(0.01)


def test_a_reading_that_is_cancelled_ends_its_process_and_the_next_one_works():
    going = large()
    until_begun(going)
    running: Any = going._process
    going.cancel()
    with pytest.raises(CancelledError):
        going.future.result(60)
    assert running.poll() is not None
    assert len(FileReading(FILES["numbers.csv"], "x.csv").future.result(60).table.frame) == 2


def test_to_cancel_a_reading_that_is_done_leaves_its_process_to_the_next_one():
    background._waiting.end()
    done = FileReading(FILES["numbers.csv"], "x.csv")
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
    assert len(FileReading(FILES["numbers.csv"], "x.csv").future.result(60).table.frame) == 2


def test_a_process_that_waits_is_used_and_waits_again():
    background.warm()
    waiting: Any = background._waiting._process
    FileReading(FILES["numbers.csv"], "x.csv").future.result(60)
    assert background._waiting._process is waiting is not None


def test_a_process_that_has_held_much_is_ended_and_gives_it_back(monkeypatch):
    monkeypatch.setattr(background, "MOST_WAITING_BYTES", 0)
    background.warm()
    running: Any = background._waiting._process
    FileReading(FILES["numbers.csv"], "x.csv").future.result(60)
    assert running.poll() is not None


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
    assert not any(is_small(FILES[name]) for name in ("table.parquet", "table.arff", "table.csv.gz"))


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
