"""One value of a page's address: how it is read, and beside which others it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Choice(NamedTuple):
    """A choice of another entry, such as that of a kind of model."""

    key: str  # of that entry
    values: tuple[str, ...]


class Entry(NamedTuple):
    """One value of a page's address."""

    key: str  # in the session state
    default: Any
    read: Callable[[str], Any]  # the value of a text, or ValueError with what is accepted
    undo: bool = True  # whether a change of it is a step that "Undo" takes back
    stays: bool = False  # whether "Undo" leaves it as it is, such as the tab that a person looks at
    name: str = ""  # in the URL: the same for the same thing on every page; empty: the key
    only: Choice | None = None  # without which the URL says nothing of it; of an entry before this one
    also: tuple[Choice, ...] = ()  # more such choices, all of which it needs

    @property
    def parameter(self) -> str:
        """Name of the value in the URL."""
        return self.name or self.key

    def is_in_use(self, values: Mapping[str, Any]) -> bool:
        """Whether it is part of the URL beside these values, by key."""
        choices = self.also if self.only is None else (self.only, *self.also)
        return all(values.get(choice.key) in choice.values for choice in choices)
