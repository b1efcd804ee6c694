"""Results that the server keeps: at most so many of a kind, and all kinds together within one budget of memory."""

import threading

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from pages.shared.app import store as stores
from pages.shared.app.sizes import of_megabytes, size_of
from pages.shared.app.store import Budget, Store
from pages.shared.tree import fits, results


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the stores read; a test moves them on."""
    now = [0.0]
    monkeypatch.setattr(stores.time, "monotonic", lambda: now[0])
    return now


def store(budget, most=10):
    """A store of numbers, each of which says how many megabytes it takes."""
    return Store[float](most, of_megabytes, budget)


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
    assert list(kept.results) == ["c", "d"]  # without a alone there would be 11


def test_a_result_that_grows_is_told_when_there_is_no_more_room(clock):
    kept = store(Budget(10.0))
    kept.put("growing", 1.0)
    kept.put("idle", 5.0)
    assert kept.resize("growing", of_megabytes(5.0))
    assert not kept.grow("growing", of_megabytes(1.0))
    clock[0] += stores.IDLE_SECONDS + 1
    kept.find("growing")
    assert kept.resize("growing", of_megabytes(9.0))  # the idle one went
    assert not kept.resize("growing", of_megabytes(11.0))
    assert not kept.resize("gone", of_megabytes(1.0))


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
    assert list(by_key.results) == ["other"]
    assert not by_data.results


def test_an_array_that_stands_in_several_results_counts_until_the_last_of_them_goes():
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
    tables, trees = Store[float](10, of_megabytes, budget, lasts=True), store(budget)
    tables.put("table", 6.0)
    clock[0] += 1
    trees.put("old", 2.0)
    clock[0] += stores.IDLE_SECONDS + 1
    trees.put("new", 4.0)
    budget.forget("table")
    assert (list(tables.results), list(trees.results)) == (["table"], ["new"])


def test_much_that_was_let_go_is_handed_to_the_system(monkeypatch):
    kept, wishes = store(Budget(1e6)), []
    monkeypatch.setattr(stores.memory, "give_back_soon", lambda: wishes.append(1))
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


@pytest.mark.parametrize(
    "around",
    [
        lambda array: array,
        lambda array: (array, [array[:5]]),
        lambda array: {"a": {"b": array}, "c": array.T},
        lambda array: Holder(array, {array.size: Holder(array.reshape(-1, 2))}),
        lambda array: np.array([array, None], dtype=object),
    ],
)
def test_the_array_counts_once_wherever_it_stands(around):
    value = around(np.zeros(MB // 8))
    assert size_of(value).megabytes == pytest.approx(1.0, abs=0.01)


def test_texts_numbers_and_small_arrays_count_too():
    many = [{"text": "x" * 900, "number": n, "array": np.zeros(100)} for n in range(100)]
    size = size_of(many)
    assert not size.arrays
    assert size.rest > 100 * (900 + 800)


def test_functions_and_classes_count_nothing_since_they_are_there_in_any_case():
    assert size_of([size_of, Holder, np, "".join]).rest < 200


def test_a_model_of_scikit_learn_says_what_its_compiled_trees_take():
    iris = samples.load("iris")
    forest = RandomForestClassifier(20, random_state=0).fit(iris.X, iris.y)
    nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    assert size_of(forest).megabytes > nodes * (64 + 8 * 3) / 1e6


def test_trees_of_one_table_share_it():
    iris = samples.load("iris")
    first, second = (size_of(results.grown(iris, HeldOut(0), Model("cart", (("depth", d),)))) for d in (1, 2))
    table = iris.X.__array_interface__["data"][0]
    assert first.arrays[table] == second.arrays[table] == iris.X.nbytes
    assert (first + second).megabytes < first.megabytes + second.megabytes
