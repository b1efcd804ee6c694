"""How far the reading of a file is: readers tell it as they go, and whoever started them may listen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[float, str], None]  # of a share from 0 to 1 of the present step, and the step's name

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let the listener hear of all that is read inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(share: float, step: str) -> None:
    """Say how far the step is, to whoever listens."""
    listener = _listener.get()
    if listener is not None:
        listener(share, step)


def each(items: Iterable[T], total: int, step: str, every: int = 100) -> Iterator[T]:
    """The items, with a word on how far they are before each hundredth."""
    for i, item in enumerate(items):
        if i % every == 0:
            tell(i / max(total, 1), step)
        yield item
