"""A control of a page as one record: its place in links, the values that it may have, its words and its widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.language import say
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links.readers import decimal, one_of, whole, yes_or_no
from pages.shared.canvas.slider import slider


class Control(NamedTuple):
    """A choice among words, a number between two ends, or yes or no; its value stands in the session state.

    All of its words are English, marked by `to_say`; they are said in the language of the page where it is drawn.
    """

    key: str
    default: Any
    values: Mapping[str, str] | tuple[float, float] | None  # words with their titles; ends of numbers; yes or no
    label: str
    help: str = ""
    widget: Callable[..., Any] | None = None  # `slider`, or one of Streamlit's; None: a list, a box or a switch
    empty: str = ""  # meaning of an emptied box of a number, whose value is then None
    step: float | None = None  # between the numbers of a box
    said: Callable[[Any], str] = str  # a number on a slider, in words
    name: str = ""  # in the URL: the same for the same thing on every page; empty: the key
    undo: bool = True  # whether a change of it is a step that Undo takes back
    stays: bool = False  # whether Undo leaves it as it is, such as the tab that a person looks at
    only: Choice | None = None  # without which the URL says nothing of it; of an entry before this one

    @property
    def entry(self) -> Entry:
        """Its place in links."""
        return Entry(self.key, self.default, self._reader(), self.undo, self.stays, self.name, self.only)

    @property
    def value(self) -> Any:
        """The value that is set; of a box that was emptied, and may not be, the default."""
        value = st.session_state[self.key]
        return self.default if value is None and not self.empty else value

    def draw(self, **options: Any) -> None:
        """Draw the widget; `options` are more of its arguments, or other ones."""
        words = say(self.help) if self.help else None
        terms: dict[str, Any] = {"key": self.key, "help": words} | self._terms() | options
        widget = self.widget or (st.toggle if self.values is None else st.selectbox)
        if self.widget is None and isinstance(self.values, tuple):
            widget = st.number_input
        widget(say(self.label), **terms)

    def _terms(self) -> dict[str, Any]:
        """Arguments of the widget that follow from the values."""
        if self.values is None:
            return {}
        if isinstance(self.values, tuple):
            low, high = self.values
            if self.widget is slider:
                options = range(int(low), int(high) + 1)
                return {"options": options, "default": self.default, "format_func": self.said}
            free = {"value": None, "placeholder": say(self.empty)} if self.empty else {}
            return {"min_value": low, "max_value": high, "step": self.step} | free
        titles = {value: say(title) for value, title in self.values.items()}
        options = {"options": list(titles), "format_func": lambda value: titles.get(value, value)}
        return options | ({"required": True} if self.widget is st.segmented_control else {})

    def _reader(self) -> Callable[[str], Any]:
        if self.values is None:
            return yes_or_no
        if not isinstance(self.values, tuple):
            return one_of(self.values)
        low, high = self.values
        if isinstance(low, int) and isinstance(high, int):
            return whole(low, high, optional=bool(self.empty))
        number = decimal(low, high)
        return (lambda text: None if text == "none" else number(text)) if self.empty else number
