"""What the server keeps, within one budget, and gives back; and that runs of pages take turns."""

import asyncio
import contextlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import streamlit as st
from sklearn.ensemble import RandomForestClassifier
from streamlit.runtime.caching import cache_resource_api
from streamlit.testing.v1 import AppTest

from espalier.data import HeldOut, samples
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.learners.catalogue import Model
from pages.shared.app import frame, server, sessions
from pages.shared.app import store as stores
from pages.shared.app.frame import Turns
from pages.shared.app.store import BUDGET, Budget, Store, of_megabytes, size_of
from pages.shared.data import library
from pages.shared.tree import growing
from tests.tools.on_page import APP, whole


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the stores read; a test moves them on."""
    now = [0.0]
    monkeypatch.setattr(stores.time, "monotonic", lambda: now[0])
    return now


def store_of(budget, most=10):
    """A store_of of numbers, each of which says how many megabytes it takes."""
    return Store[float](most, of_megabytes, budget)


def test_of_too_many_the_one_unused_for_longest_goes_and_a_value_is_made_once():
    kept = store_of(Budget(100), most=2)
    for key in "abc":
        kept.put(key, 1.0)
        kept.find("a")
    assert [key for key in "abc" if kept.find(key)] == ["a", "c"]
    kept, made = store_of(Budget(10.0)), []
    for _ in range(2):
        kept.find_or_put("a", lambda: made.append(1) or 1.0)
    assert made == [1]


def test_stores_share_one_budget_of_which_only_as_much_goes_as_need_be_and_nothing_used_a_moment_ago(clock):
    budget = Budget(10.0)
    forests, models = store_of(budget), store_of(budget)
    forests.put("old", 6.0)
    clock[0] += stores.IDLE_SECONDS + 1
    models.put("new", 6.0)
    assert forests.find("old") is None
    assert models.find("new") == 6.0
    assert budget.megabytes == 6.0
    budget = Budget(10.0)
    kept = store_of(budget)
    kept.put("a", 6.0)
    clock[0] += stores.IDLE_SECONDS - 1
    kept.put("b", 6.0)
    assert kept.find("a") == kept.find("b") == 6.0
    assert not budget.make_room()
    kept = store_of(Budget(10.0))
    for key, megabytes in (("a", 2.0), ("b", 3.0), ("c", 4.0)):
        kept.put(key, megabytes)
        clock[0] += 1
    clock[0] += stores.IDLE_SECONDS
    kept.put("d", 4.0)
    assert list(kept.results) == ["c", "d"]  # without a alone there would be 11


def test_a_result_that_grows_is_told_when_there_is_no_more_room(clock):
    kept = store_of(Budget(10.0))
    kept.put("growing", 1.0)
    kept.put("idle", 5.0)
    assert kept.resize("growing", of_megabytes(5.0))
    assert not kept.grow("growing", of_megabytes(1.0))
    clock[0] += stores.IDLE_SECONDS + 1
    kept.find("growing")
    assert kept.resize("growing", of_megabytes(9.0))  # the idle one went
    assert not kept.resize("growing", of_megabytes(11.0))
    assert not kept.resize("gone", of_megabytes(1.0))


def test_results_go_with_their_table_and_an_array_of_several_counts_until_the_last_of_them_goes():
    budget, data = Budget(1e6), samples.load("iris")
    by_key = Store[float](10, budget=budget)
    by_data = Store[growing.Fit](10, budget=budget)
    by_key.put(f"forest of {data.digest}", 1.0)
    by_key.put("other", 1.0)
    by_data.put("fit", growing.Fit(data, HeldOut(30), Model("cart")))
    budget.forget(data.digest)
    assert list(by_key.results) == ["other"]
    assert not by_data.results
    budget, table = Budget(1e6), np.zeros(1_000_000)
    trees, pictures = Store(10, budget=budget), Store(10, budget=budget)
    trees.put("tree", {"table": table})
    pictures.put("picture", (table[::2], table))
    assert budget.megabytes == pytest.approx(8.0, abs=0.01)
    trees.drop("tree")
    assert budget.megabytes == pytest.approx(8.0, abs=0.01)
    pictures.clear()
    assert budget.n_bytes == 0


def test_what_cannot_be_made_again_counts_and_results_give_way_to_it(clock):
    budget = Budget(10.0)
    tables, trees = Store[float](10, of_megabytes, budget, lasts=True), store_of(budget)
    tables.put("table", 6.0)
    clock[0] += 1
    trees.put("old", 2.0)
    clock[0] += stores.IDLE_SECONDS + 1
    trees.put("new", 4.0)
    budget.forget("table")
    assert (list(tables.results), list(trees.results)) == (["table"], ["new"])


def test_much_that_was_let_go_is_handed_to_the_system(monkeypatch):
    kept, wishes = store_of(Budget(1e6)), []
    monkeypatch.setattr(stores.sessions, "give_back_soon", lambda: wishes.append(1))
    for key in "abc":
        kept.put(key, stores.LARGE_MB * 0.6)
    kept.drop("a")
    assert not wishes
    kept.drop("b", "c")
    assert wishes == [1]


# ---- the one measure of memory


MB = 1_000_000


class Holder:
    """An object as any."""

    def __init__(self, *parts):
        self.parts, self.lock, self.itself = parts, threading.Lock(), self


def test_an_array_counts_once_wherever_it_stands_texts_and_numbers_count_and_functions_do_not():
    for around in [
        lambda array: array,
        lambda array: (array, [array[:5]]),
        lambda array: {"a": {"b": array}, "c": array.T},
        lambda array: Holder(array, {array.size: Holder(array.reshape(-1, 2))}),
        lambda array: np.array([array, None], dtype=object),
    ]:
        value = around(np.zeros(MB // 8))
        assert size_of(value).megabytes == pytest.approx(1.0, abs=0.01)
    many = [{"text": "x" * 900, "number": n, "array": np.zeros(100)} for n in range(100)]
    size = size_of(many)
    assert not size.arrays
    assert size.rest > 100 * (900 + 800)
    assert size_of([size_of, Holder, np, "".join]).rest < 200


def test_a_model_of_scikit_learn_says_what_its_trees_take_and_trees_of_one_table_share_it():
    iris = samples.load("iris")
    forest = RandomForestClassifier(20, random_state=0).fit(iris.X, iris.y)
    nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    assert size_of(forest).megabytes > nodes * (64 + 8 * 3) / 1e6
    first, second = (size_of(growing.grow(iris, HeldOut(0), Model("cart", (("depth", d),)))) for d in (1, 2))
    table = iris.X.__array_interface__["data"][0]
    assert first.arrays[table] == second.arrays[table] == iris.X.nbytes
    assert (first + second).megabytes < first.megabytes + second.megabytes


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
    monkeypatch.setattr(sessions, "give_back_soon", lambda: counted.append(1))
    return counted


@pytest.fixture
def holding(monkeypatch):
    """The table that the session is taken to work on."""
    current = [""]
    monkeypatch.setattr(stores, "get_script_run_ctx", lambda **_: "a session")
    monkeypatch.setattr(stores.st, "session_state", SimpleNamespace(get=lambda *_: current[0]))
    return current


# ---- what is known of a table


def test_results_go_with_their_table_and_those_of_others_stay(holding):
    worked = []

    @stores.of_table(max_entries=8)
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

    @stores.of_table(max_entries=8)
    def joined(record: Named, dataset: Dataset, number: int) -> str:
        worked.append((record.key, dataset.digest, number))
        return f"{record.key} {dataset.digest} {number}"

    tables = table("first"), table("second")
    every = [(key, data, number) for key in "ab" for data in tables for number in (1, 2)]
    for _ in range(2):
        for key, data, number in every:
            assert joined(Named(key, np.zeros(2)), data, number=number) == f"{key} {data.digest} {number}"
    assert worked == [(key, data.digest, number) for key, data, number in every]


def test_several_who_ask_wait_for_one_result_which_may_be_none_and_what_fails_is_tried_again(holding):
    began, go_on, worked = threading.Event(), threading.Event(), []

    @stores.of_table(max_entries=8)
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
    worked = []

    @stores.of_table(max_entries=8)
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
    stores._holders.update({"one": 2})
    stores.let_go_of_table("one")
    stores.see_to_those_left()
    assert (gone, stores.holders_of("one"), len(wishes)) == ([], 1, 1)
    stores.let_go_of_table("one")
    stores.see_to_those_left()
    assert (gone, stores.holders_of("one"), len(wishes)) == (["one"], 0, 2)


def test_a_page_on_an_uploaded_table_holds_it_and_its_tree_goes_with_it(wishes):
    dataset = table("held")
    library.store().put(dataset)
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params["data"] = dataset.digest
    whole(page.run())
    assert stores.holders_of(dataset.digest) == 1
    assert dataset.digest in tables_of(growing._grown)
    for session in [key for key in cache_resource_api._resource_caches._function_caches if key is not None]:
        cache_resource_api.clear_session_cache(session)  # as at its end
    stores.see_to_those_left()
    assert stores.holders_of(dataset.digest) == 0
    assert dataset.digest not in tables_of(growing._grown)
    assert library.find(dataset.digest) is dataset  # whoever has the link may open it again
    assert wishes


# ---- free memory


def test_free_memory_is_handed_to_the_system_that_can_take_it(monkeypatch):
    done: list[Any] = []
    library = Any_(malloc_trim=lambda pad: done.append(("trimmed", pad)))
    monkeypatch.setattr(sessions, "_first", [lambda: done.append("forgotten")])
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sessions.ctypes, "CDLL", lambda _: library)
    sessions.give_back()
    assert done == ["forgotten", ("trimmed", 0)]
    vars(library).clear()  # a C library without that function
    sessions.give_back()
    monkeypatch.setattr(sys, "platform", "win32")
    sessions.give_back()
    assert done == ["forgotten", ("trimmed", 0), "forgotten", "forgotten"]


class Any_:
    """An object with these parts."""

    def __init__(self, **parts):
        self.__dict__.update(parts)


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

    session, thawed = Session(), []
    over = [("id", Any_(session=session))]
    stored = Any_(_cache=Any_(expire=lambda: [over.pop()] if over else []))
    here = {"is_active_session": lambda _: True}
    there = Any_(_session_mgr=Any_(_session_storage=stored), **here)
    monkeypatch.setattr(sessions, "runtime", Any_(exists=lambda: True, get_instance=lambda: there))
    monkeypatch.setattr(sessions, "_first", [])
    monkeypatch.setattr(sessions.gc, "unfreeze", lambda: thawed.append(1))
    for _ in range(2):
        sessions.end_those_over()
        sessions.give_back()
        assert (session.ended, len(thawed)) == (1, 1)
    assert len(wishes) == 2
    sessions.runtime.get_instance = lambda: Any_(**here)  # a later Streamlit
    sessions.end_those_over()


SOON = 60  # seconds: far more than any of these waits needs


@pytest.fixture
def own():
    """Turns that no page of another test has."""

    class Own(Turns):
        _free = threading.BoundedSemaphore(1)

    return Own()


@pytest.fixture
def other():
    """Function that begins something in another thread; all of it is over at the end."""
    threads = []

    def begin(act):
        threads.append(threading.Thread(target=act))
        threads[-1].start()
        return threads[-1]

    yield begin
    for thread in threads:
        thread.join(SOON)


def run(own, events):
    """A run that notes its beginning and its end."""
    with own.taken():
        events.append("begins")
        events.append("ends")


def test_a_run_begins_when_the_one_before_has_ended(own, other, monkeypatch):
    monkeypatch.setattr(frame, "MOMENT_SECONDS", SOON)
    events = []
    with own.taken():
        second = other(lambda: run(own, events))
        second.join(0.05)
        events.append("first ends")
    second.join(SOON)
    assert events == ["first ends", "begins", "ends"]


def test_a_run_that_waits_leaves_its_turn_to_the_next_one(own, other, monkeypatch):
    monkeypatch.setattr(frame, "MOMENT_SECONDS", SOON)
    events = []
    with own.taken():
        with own.left():
            other(lambda: run(own, events)).join(SOON)
        events.append("goes on")
        third = other(lambda: run(own, events))
        third.join(0.05)
        assert events == ["begins", "ends", "goes on"]


def test_a_run_within_a_run_has_its_turn_already(own):
    with own.taken(), own.taken(), own.taken():
        pass
    with own.left():  # outside of any turn there is none to leave
        assert own._free.acquire(blocking=False)


def test_none_waits_longer_than_a_moment(own, other, monkeypatch):
    monkeypatch.setattr(frame, "MOMENT_SECONDS", 0.01)
    events = []
    with own.taken():
        other(lambda: run(own, events)).join(SOON)
        assert events == ["begins", "ends"]
    assert own._free.acquire(timeout=0.01)  # the turn came back once


def test_a_fault_gives_the_turn_back(own):
    with pytest.raises(ValueError, match="a fault"), own.taken():
        raise ValueError("a fault")
    assert own._free.acquire(blocking=False)
