"""Progress of reading a file: readers report it, and a listener may receive it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[float, str], None]  # called with a share from 0 to 1 of the present step, and the step's name

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Send all progress reported inside to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(share: float, step: str) -> None:
    """Report progress of the step to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(share, step)


def each(items: Iterable[T], total: int, step: str, every: int = 100) -> Iterator[T]:
    """Yield the items, and report progress before each hundredth."""
    for i, item in enumerate(items):
        if i % every == 0:
            tell(i / max(total, 1), step)
        yield item
