"""A stranger's model in a process of its own: it may hang, want too much or go, and only its answer is missing."""

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from espalier.sandbox.keeper import Keeper
from espalier.sandbox.wire import HEAD, read_frame, write_frame
from tests.tools import onnx_files
from tests.tools.onnx_files import linear
from tests.tools.waiting import until

ROWS = np.ones((4, 2))


def asking(rows, output="variable"):
    return {"rows": rows, "categories": [[], []], "output": output}


def test_frames_bring_facts_and_numbers_and_nothing_else():
    stream = io.BytesIO()
    facts = {"name": "é", "sizes": [1, None], "rows": np.arange(6.0).reshape(2, 3), "none": np.empty((0, 2))}
    write_frame(stream, facts)
    stream.seek(0)
    found = read_frame(stream) or {}
    assert {name: found[name] for name in ("name", "sizes")} == {"name": "é", "sizes": [1, None]}
    assert np.array_equal(found["rows"], facts["rows"])
    assert found["none"].shape == (0, 2)
    assert read_frame(stream) is None


@pytest.mark.parametrize("head", [b'{"plain": {}, "arrays": [["x", "|O", [1]]]}', None])
def test_what_is_no_frame_is_refused(head):
    sent = HEAD.pack(2**31) if head is None else HEAD.pack(len(head)) + head + bytes(8)
    with pytest.raises(ValueError, match="not a frame"):
        read_frame(io.BytesIO(sent))


def test_a_loop_without_end_is_ended_and_said_so():
    keeper = Keeper(onnx_files.endless(), most_seconds=1.0)
    with pytest.raises(ValueError, match="longer than 1 seconds"):
        keeper.ask(asking(ROWS, "Y"))


def test_a_model_that_wants_too_much_memory_does_not_get_it():
    with pytest.raises(ValueError, match=r"no answer: .*alloc|the model gave up"):
        Keeper(onnx_files.greedy()).ask(asking(ROWS, "Y"))


def test_a_process_that_went_to_sleep_is_woken_by_the_next_question():
    keeper = Keeper(linear([1.0, 2.0], 0.0), idle_seconds=1.0)
    assert keeper.ask(asking(ROWS))["said"].ravel().tolist() == [3.0] * 4
    first: Any = keeper._process
    first.wait(10)
    assert keeper.ask(asking(ROWS))["said"].ravel().tolist() == [3.0] * 4
    assert keeper._process is not first


def test_many_threads_ask_and_each_gets_its_own_answer():
    keeper = Keeper(linear([1.0, 0.0], 0.0))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: keeper.ask(asking(np.full((3, 2), float(i))))["said"][0, 0], range(40)))
    assert found == list(range(40))


def test_closing_ends_the_process():
    keeper = Keeper(linear([1.0, 0.0], 0.0))
    keeper.open()
    process: Any = keeper._process
    keeper.close()
    assert process.poll() is not None


def test_who_forgets_the_model_ends_its_process():
    keeper = Keeper(linear([1.0, 0.0], 0.0))
    keeper.open()
    process: Any = keeper._process
    del keeper
    assert until(lambda: process.poll() is not None)
