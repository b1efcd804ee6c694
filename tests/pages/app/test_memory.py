"""What is known of a table goes with the last session on it, and free memory goes back to the system."""

import asyncio
import contextlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
import streamlit as st
from streamlit.runtime.caching import cache_resource_api
from streamlit.testing.v1 import AppTest

from espalier.data.dataset import Dataset, Feature, make_dataset
from pages.shared.app import memory, server, sessions, table_results
from pages.shared.app.store import BUDGET
from pages.shared.data import library
from pages.shared.tree import results
from tests.tools.on_page import APP, engine, whole  # noqa: F401  (the fixture compiles)


def table(name="own", n=60):
    rng = np.random.default_rng(len(name))
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > 0).astype(np.int64)
    return make_dataset(name, X, [Feature("a"), Feature("b")], y, Feature("class", "category", ("no", "yes")))


def tables_of(remembered):
    """The tables that sessions worked on with the results of a function."""
    return {result.table for result in remembered.results.results.values()}


@pytest.fixture
def wishes(monkeypatch):
    """How often memory was to be given back soon; nothing is done."""
    counted = []
    monkeypatch.setattr(memory, "give_back_soon", lambda: counted.append(1))
    return counted


@pytest.fixture
def holding(monkeypatch):
    """The table that the session is taken to work on."""
    current = [""]
    monkeypatch.setattr(table_results, "_current", lambda: current[0])
    return current


# ---- what is known of a table


def test_results_go_with_their_table_and_those_of_others_stay(holding):
    worked = []

    @table_results.of_table(max_entries=8)
    def doubled(key: str, _by: list) -> str:
        worked.append(key)
        return key * 2

    for holding[0], key in (("one", "a"), ("one", "b"), ("two", "c"), ("", "sample")):
        assert doubled(key, []) == key * 2
        assert doubled(key, [1]) == key * 2
    assert worked == ["a", "b", "c", "sample"]
    BUDGET.forget("one")
    for key in ("a", "b", "c", "sample"):
        doubled(key, [])
    assert worked == ["a", "b", "c", "sample", "a", "b"]


class Named(NamedTuple):
    """A record that has a key, as trees and forests do."""

    key: str
    values: np.ndarray


def test_records_are_told_apart_by_their_keys_and_tables_by_their_digests(holding):
    worked = []

    @table_results.of_table(max_entries=8)
    def joined(record: Named, dataset: Dataset, number: int) -> str:
        worked.append((record.key, dataset.digest, number))
        return f"{record.key} {dataset.digest} {number}"

    tables = table("first"), table("second")
    every = [(key, data, number) for key in "ab" for data in tables for number in (1, 2)]
    for _ in range(2):
        for key, data, number in every:
            assert joined(Named(key, np.zeros(2)), data, number=number) == f"{key} {data.digest} {number}"
    assert worked == [(key, data.digest, number) for key, data, number in every]


def test_several_who_ask_for_the_same_wait_for_one_result(holding):
    began, go_on, worked = threading.Event(), threading.Event(), []

    @table_results.of_table(max_entries=8)
    def slow(key: str) -> str:
        worked.append(key)
        began.set()
        assert go_on.wait(60)
        return key

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(slow, "a")
        assert began.wait(60)
        others = [threads.submit(slow, key="a") for _ in range(2)]
        go_on.set()
        assert [one.result(60) for one in (first, *others)] == ["a"] * 3
    assert worked == ["a"]


def test_what_fails_is_tried_again_and_a_result_may_be_none(holding):
    worked = []

    @table_results.of_table(max_entries=8)
    def at_second_try(key: str) -> None:
        worked.append(key)
        if len(worked) == 1:
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        at_second_try("a")
    assert at_second_try("a") is at_second_try("a") is None
    assert len(worked) == 2


def test_a_table_is_forgotten_when_the_last_session_lets_it_go(wishes, monkeypatch):
    gone = []
    monkeypatch.setattr(BUDGET, "forget", gone.append)
    table_results._holders.update({"one": 2})
    table_results.let_go("one")
    table_results.see_to_those_left()
    assert (gone, table_results.holders("one"), len(wishes)) == ([], 1, 1)
    table_results.let_go("one")
    table_results.see_to_those_left()
    assert (gone, table_results.holders("one"), len(wishes)) == (["one"], 0, 2)


def test_a_page_on_an_uploaded_table_holds_it_and_its_tree_goes_with_it(wishes):
    dataset = table("held")
    library.store().put(dataset)
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params["data"] = dataset.digest
    whole(page.run())
    assert table_results.holders(dataset.digest) == 1
    assert dataset.digest in tables_of(results._grown)
    for session in [key for key in cache_resource_api._resource_caches._function_caches if key is not None]:
        cache_resource_api.clear_session_cache(session)  # as at its end
    table_results.see_to_those_left()
    assert table_results.holders(dataset.digest) == 0
    assert dataset.digest not in tables_of(results._grown)
    assert library.find(dataset.digest) is dataset  # whoever has the link may open it again
    assert wishes


# ---- free memory


def test_free_memory_is_handed_to_the_system_after_what_is_to_be_done_first(monkeypatch):
    done = []
    monkeypatch.setattr(memory, "_first", [lambda: done.append("forgotten")])
    monkeypatch.setattr(memory, "trimming", lambda: lambda pad: done.append(("trimmed", pad)))
    memory.give_back()
    assert done == ["forgotten", ("trimmed", 0)]


def test_without_glibc_nothing_is_trimmed(monkeypatch):
    monkeypatch.setattr(memory, "_first", [])
    monkeypatch.setattr(sys, "platform", "win32")
    assert memory.trimming() is None
    memory.give_back()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: object())  # a C library without that function
    assert memory.trimming() is None
    memory.give_back()


def test_wishes_of_one_while_are_one_deed_and_a_failure_does_not_end_them():
    waiting, going, deeds = threading.Semaphore(0), threading.Semaphore(0), threading.Semaphore(0)
    done = []

    def pause():
        waiting.release()
        assert going.acquire(timeout=60)

    def work():
        done.append(1)
        deeds.release()
        if len(done) == 1:
            raise RuntimeError("on purpose")

    tidier = memory.Tidier(work, pause)
    for n_deeds in (1, 2):
        for _ in range(5):
            tidier.soon()
        assert waiting.acquire(timeout=60)
        for _ in range(5):
            tidier.soon()
        going.release()
        assert deeds.acquire(timeout=60)
        assert len(done) == n_deeds


def test_the_end_of_a_browsers_connection_gives_memory_back_and_other_requests_do_not(wishes, monkeypatch):
    ended = []
    monkeypatch.setattr(sessions, "end_those_over", lambda: ended.append(1))
    monkeypatch.setattr(st, "get_option", lambda _: 0)
    monkeypatch.setattr(server, "MOMENT_SECONDS", 0.0)

    async def nothing(*_) -> Any:
        pass

    async def app(scope, receive, send):
        if scope.get("fails"):
            raise ConnectionError

    async def connected(**scope):
        with contextlib.suppress(ConnectionError):
            await server.Tidy(app)(scope, nothing, nothing)
        await asyncio.sleep(0.01)
        return len(wishes), len(ended)

    assert asyncio.run(connected(type="http")) == (0, 0)
    assert asyncio.run(connected(type="websocket")) == (1, 1)
    assert asyncio.run(connected(type="websocket", fails=True)) == (2, 2)


def test_sessions_whose_time_is_over_are_ended_and_looked_for_among_what_the_collector_overlooks(
    wishes, monkeypatch
):
    class Session:
        ended = 0

        def shutdown(self):
            self.ended += 1

    class Any_:
        def __init__(self, **parts):
            self.__dict__.update(parts)

    session, thawed = Session(), []
    over = [("id", Any_(session=session))]
    stored = Any_(_cache=Any_(expire=lambda: [over.pop()] if over else []))
    monkeypatch.setattr(sessions.runtime, "exists", lambda: True)
    monkeypatch.setattr(sessions.runtime, "get_instance", lambda: Any_(_session_mgr=Any_(_session_storage=stored)))
    monkeypatch.setattr(memory, "thaw", lambda: thawed.append(1))
    for _ in range(2):
        sessions.end_those_over()
        sessions._thaw()
        assert (session.ended, len(thawed)) == (1, 1)
    assert len(wishes) == 2
    monkeypatch.setattr(sessions.runtime, "get_instance", object)  # a later Streamlit
    sessions.end_those_over()
