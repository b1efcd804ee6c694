"""A few things of the server by key, the one unused for longest going first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from espalier.settings import MAX_FOREST_MB

T = TypeVar("T")


class BoundedStore(Generic[T]):
    """At most so many things, of so many megabytes together, for all sessions; the last one stays."""

    def __init__(self, most: int, megabytes: Callable[[T], float] = lambda _: 0.0, budget: float = MAX_FOREST_MB):
        self._most, self._megabytes, self._budget = most, megabytes, budget
        self._things: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str) -> T | None:
        """The thing, if it is still here."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def put(self, key: str, thing: T) -> None:
        """Keep a thing."""
        with self._lock:
            self._things[key] = thing
            self._things.move_to_end(key)
            while len(self._things) > 1 and self._is_full():
                self._things.popitem(last=False)

    def forget(self, digest: str) -> None:
        """Let go of what is of the table of this digest."""
        with self._lock:
            for key in [key for key, thing in self._things.items() if _is_of(digest, key, thing)]:
                del self._things[key]

    def _is_full(self) -> bool:
        return len(self._things) > self._most or sum(map(self._megabytes, self._things.values())) > self._budget

    def drop(self, key: str) -> None:
        """Let a thing go (a callback)."""
        with self._lock:
            self._things.pop(key, None)


def _is_of(digest: str, key: str, thing: Any) -> bool:
    """Whether a thing is of the table of this digest: by what it holds, or by its key."""
    dataset = getattr(thing, "dataset", None)
    return digest in key or (dataset is not None and dataset.digest == digest)
