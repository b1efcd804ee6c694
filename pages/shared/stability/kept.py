"""The trees that the server keeps, as they grow, within the memory that they may take."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier.settings import MAX_FOREST_MB
from espalier.trees import AnyTree

IDLE_SECONDS = 60.0  # trees that nobody has asked for so long go first
MOST_ENDS = 1_000


class GrownReplicates(dict[int, AnyTree]):
    """Trees by number, which may grow meanwhile; what grows them is told to stop when there is no more room."""

    def __init__(self, store: ReplicateStore):
        super().__init__()
        self.store = store
        self.megabytes, self.used = 0.0, time.monotonic()
        self.is_full = False
        self.signals: np.ndarray | None = None  # (2,) of the job that grows them; not zero at [1] to stop

    def __setitem__(self, number: int, tree: AnyTree) -> None:
        super().__setitem__(number, tree)
        self.megabytes += n_bytes(tree) / 1e6
        if not self.store.has_room() and self.signals is not None:
            self.is_full = True
            self.signals[1] = 1


class ReplicateStore:
    """The last trees by family, and which jobs ended before they were done: stopped, or with an error."""

    def __init__(self, megabytes: float = MAX_FOREST_MB):
        self.most = megabytes
        self._trees: dict[str, GrownReplicates] = {}
        self._ends: dict[str, str] = {}
        self._lock = threading.Lock()

    def trees(self, family: str) -> GrownReplicates:
        """The trees of a family."""
        with self._lock:
            found = self._trees.setdefault(family, GrownReplicates(self))
            found.used = time.monotonic()
            return found

    def has_room(self) -> bool:
        """Whether there is room for more trees; if need be, those go that nobody has asked for of late."""
        with self._lock:
            total, now = sum(grown.megabytes for grown in self._trees.values()), time.monotonic()
            for family, grown in sorted(self._trees.items(), key=lambda item: item[1].used):
                if total <= self.most or now - grown.used < IDLE_SECONDS:
                    break
                total -= self._trees.pop(family).megabytes
            return total <= self.most

    def end(self, key: str) -> str | None:
        """Why a job ended before all trees were there: an error, "" if it was stopped; None if neither."""
        return self._ends.get(key)

    def put_end(self, key: str, why: str) -> None:
        """Note that a job ended early."""
        with self._lock:
            if len(self._ends) >= MOST_ENDS:
                self._ends.clear()
            self._ends[key] = why

    def go_on(self, keys: Sequence[str]) -> None:
        """Let these jobs be begun again (a callback)."""
        with self._lock:
            for key in keys:
                self._ends.pop(key, None)


def n_bytes(record: Any) -> int:
    """Memory that the arrays of a record take."""
    return sum(part.nbytes if isinstance(part, np.ndarray) else n_bytes(part) for part in record)


@st.cache_resource(show_spinner=False)
def replicate_store() -> ReplicateStore:
    """The server's trees."""
    return ReplicateStore()
