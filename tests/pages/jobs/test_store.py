"""Results that the server keeps: at most so many of a kind, and all kinds together within one budget of memory."""

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from pages.shared.jobs import store as stores
from pages.shared.jobs.store import Budget, Store, n_bytes
from pages.shared.tree import fits


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the stores read; a test moves them on."""
    now = [0.0]
    monkeypatch.setattr(stores.time, "monotonic", lambda: now[0])
    return now


def store(budget, most=10):
    """A store of numbers, each of which says how many megabytes it takes."""
    return Store[float](most, megabytes=lambda value: value, budget=budget)


def test_of_too_many_the_one_unused_for_longest_goes():
    kept = store(Budget(100), most=2)
    for key in "abc":
        kept.put(key, 1.0)
        kept.find("a")
    assert [key for key in "abc" if kept.find(key)] == ["a", "c"]


def test_stores_of_all_kinds_share_one_budget(clock):
    budget = Budget(10.0)
    forests, models = store(budget), store(budget)
    forests.put("old", 6.0)
    clock[0] += stores.IDLE_SECONDS + 1
    models.put("new", 6.0)
    assert forests.find("old") is None
    assert models.find("new") == 6.0
    assert budget.megabytes == 6.0


def test_what_was_used_a_moment_ago_stays_though_the_budget_is_spent(clock):
    budget = Budget(10.0)
    kept = store(budget)
    kept.put("a", 6.0)
    clock[0] += stores.IDLE_SECONDS - 1
    kept.put("b", 6.0)
    assert kept.find("a") == kept.find("b") == 6.0
    assert not budget.make_room()


def test_only_as_much_goes_as_need_be(clock):
    kept = store(Budget(10.0))
    for key, megabytes in (("a", 2.0), ("b", 3.0), ("c", 4.0)):
        kept.put(key, megabytes)
        clock[0] += 1
    clock[0] += stores.IDLE_SECONDS
    kept.put("d", 4.0)
    assert sorted(kept.results) == ["c", "d"]  # without a alone there would be 11


def test_a_result_that_grows_is_told_when_there_is_no_more_room(clock):
    kept = store(Budget(10.0))
    kept.put("growing", 1.0)
    kept.put("idle", 5.0)
    assert kept.resize("growing", 5.0)
    assert not kept.resize("growing", 6.0)
    clock[0] += stores.IDLE_SECONDS + 1
    kept.find("growing")
    assert kept.resize("growing", 9.0)  # the idle one went
    assert not kept.resize("growing", 11.0)
    assert not kept.resize("gone", 1.0)


def test_a_value_is_made_once():
    kept, made = store(Budget(10.0)), []
    for _ in range(2):
        kept.find_or_put("a", lambda: made.append(1) or 1.0)
    assert made == [1]


def test_results_go_with_the_table_that_they_are_of():
    budget, data = Budget(1e6), samples.load("iris")
    by_key = Store[float](10, budget=budget)
    by_data = Store[fits.Fit](10, budget=budget)
    by_key.put(f"forest of {data.digest}", 1.0)
    by_key.put("other", 1.0)
    by_data.put("fit", fits.Fit(data, HeldOut(30), Model("cart")))
    budget.forget(data.digest)
    assert sorted(by_key.results) == ["other"]
    assert not by_data.results


def test_the_memory_of_a_record_is_that_of_its_arrays():
    assert n_bytes((np.zeros(3), [np.zeros(2), "text"], {"a": (np.zeros(1), None)})) == 48
