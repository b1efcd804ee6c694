"""Results that the server keeps, by key: a store for each kind, one memory budget for all stores together."""

from __future__ import annotations

import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from espalier.settings import MAX_RESULTS_MB
from pages.shared.app import table_results

T = TypeVar("T")
IDLE_SECONDS = 60.0  # a result that was used since then may stand on a page: the budget leaves it alone


class Budget:
    """Memory that all results may take together, in megabytes; the one unused for longest goes first."""

    def __init__(self, most: float):
        self.most = most
        self.lock = threading.RLock()
        self._stores: weakref.WeakSet[Store[Any]] = weakref.WeakSet()

    def join(self, store: Store[Any]) -> None:
        """Count the results of the store."""
        with self.lock:
            self._stores.add(store)

    @property
    def megabytes(self) -> float:
        """Memory that all results take."""
        with self.lock:
            return sum(result.megabytes for store in self._stores for result in store.results.values())

    def make_room(self) -> bool:
        """Let go of results that are not in use, as far as need be; whether all others are within the budget."""
        with self.lock:
            total, idle_since = self.megabytes, time.monotonic() - IDLE_SECONDS
            for used, store, key in self._by_use():
                if total <= self.most or used > idle_since:
                    break
                total -= store.results.pop(key).megabytes
            return total <= self.most

    def forget(self, digest: str) -> None:
        """Let go of all results of the table of this digest."""
        with self.lock:
            for store in list(self._stores):
                store.forget(digest)

    def _by_use(self) -> list[tuple[float, Store[Any], str]]:
        """Every result as (when it was used last, its store, its key), the one unused for longest first."""
        uses = [(result.used, store, key) for store in self._stores for key, result in store.results.items()]
        return sorted(uses, key=lambda use: use[0])


BUDGET = Budget(MAX_RESULTS_MB)
table_results.on_forget(BUDGET.forget)


class Result(Generic[T]):
    """A value that is kept, the memory it takes, and when it was used last."""

    def __init__(self, value: T, megabytes: float):
        self.value, self.megabytes, self.used = value, megabytes, time.monotonic()


class Store(Generic[T]):
    """Results of one kind by key, for all sessions: at most so many, and within the budget of all stores."""

    def __init__(self, most: int, megabytes: Callable[[T], float] = lambda _: 0.0, budget: Budget = BUDGET):
        self._most, self._megabytes, self._budget = most, megabytes, budget
        self.results: OrderedDict[str, Result[T]] = OrderedDict()
        budget.join(self)

    def find(self, key: str) -> T | None:
        """The value, if it is still here; it then counts as used."""
        with self._budget.lock:
            result = self.results.get(key)
            if result is None:
                return None
            result.used = time.monotonic()
            self.results.move_to_end(key)
            return result.value

    def put(self, key: str, value: T) -> T:
        """Keep a value; of too many the one unused for longest goes."""
        with self._budget.lock:
            self.results[key] = Result(value, self._megabytes(value))
            self.results.move_to_end(key)
            while len(self.results) > self._most:
                self.results.popitem(last=False)
            self._budget.make_room()
        return value

    def find_or_put(self, key: str, make: Callable[[], T]) -> T:
        """The value; a new one where there is none."""
        with self._budget.lock:
            value = self.find(key)
            return self.put(key, make()) if value is None else value

    def resize(self, key: str, megabytes: float) -> bool:
        """Note the size of a value that grows; whether it is still here, and there is room for more."""
        with self._budget.lock:
            if key not in self.results:
                return False
            self.results[key].megabytes = megabytes
            return self._budget.make_room() and key in self.results

    def drop(self, *keys: str) -> None:
        """Let values go (also as a callback)."""
        with self._budget.lock:
            for key in keys:
                self.results.pop(key, None)

    def forget(self, digest: str) -> None:
        """Let go of values of the table of this digest."""
        self.drop(*(key for key, result in self.results.items() if _is_of(digest, key, result.value)))


def _is_of(digest: str, key: str, value: Any) -> bool:
    """Whether a value is of the table of this digest: by the data that it holds, or by its key."""
    dataset = getattr(value, "dataset", None)
    return digest in key or (dataset is not None and dataset.digest == digest)


def n_bytes(value: Any) -> int:
    """Memory that the arrays in a record take, however deep they stand in it."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return n_bytes(tuple(value.values()))
    return sum(map(n_bytes, value)) if isinstance(value, tuple | list) else 0
