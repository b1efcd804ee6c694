"""A control of a page as one record: its place in links, the values that it may have, its words and its widget.

Here, too, is the slider of the pages: over a list of values, of which it sends those that it passes while it is
moved. The value stands in the session state under the slider's key, as that of a widget of Streamlit does, so that
the address, Undo and tests set it there. The browser has the list's words and says ``{"at": number of the value,
"over": whether the move has ended, "n": which message}``, never two before the page has answered. A move is one
step of Undo and of the browser's history, however many values it passes.

Within `answered_by` a slider that moves is a fragment of its own: it brings a picture of what it stands for along,
and the rest of the page rests until the move has ended. Then those parts run that it changes.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, NoReturn

import streamlit as st

from espalier.language import say
from pages.shared.app import address
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback, guarded
from pages.shared.app.links import decimal, one_of, whole, yes_or_no
from pages.shared.canvas.components import mount, reported


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


# ---- the slider, and how it answers while it moves

_component = mount("slider")

# While a control moves, as `shared/live.js` describes it; None: the whole page runs.
Picture = Callable[[], dict[str, Any] | None]
# Where it comes to rest, has the parts run that this changes, and fragments of these keys.
Rest = Callable[[Sequence[str]], NoReturn]
OWN, ALONE = (
    "{} slider",
    "{}-alone",
)  # keys of a slider's component, and of the fragment that it is, by its own key
ANSWERS = "slider-answers"  # key of the session state: of the slider whose last message its own fragment answers

_answer: ContextVar[tuple[Picture, Rest] | None] = ContextVar("answer", default=None)  # to controls that move


def whole_page(_also: Sequence[str] = ()) -> NoReturn:
    """Have the whole page run, and so all fragments (within a callback)."""
    st.rerun(scope="app")


@contextmanager
def answered_by(picture: Picture, rest: Rest = whole_page) -> Iterator[None]:
    """Have the sliders that are drawn within this answer moves with a picture; boxes of numbers `rest`, too."""
    token = _answer.set((picture, rest))
    try:
        yield
    finally:
        _answer.reset(token)


def box_rests() -> Callable[[], None] | None:
    """What a box of numbers that is drawn here calls when it has another one; None where the page runs anyway."""
    _, rest = _answer.get() or (None, None)
    return None if rest is None else callback(lambda: rest(()))


def slider(
    label: str,
    *,
    key: str,
    options: Iterable[Any],
    help: str | None = "",
    default: Any = None,
    format_func: Callable[[Any], str] = str,
    disabled: bool = False,
    on_change: Callable[[], None] | None = None,
    behind: Sequence[Sequence[float]] = (),
) -> Any:
    """Draw the slider; its value, which stands in the session state under `key`.

    `options` are its values in order. A number that a link asks for is one of them, too, at its place. A double
    click sets the `default`, if that is one of them. `on_change` is called after a move, before the page runs.
    `behind` are curves over the first of the values, which stand behind the handle: the first one is solid.
    """
    listed = list(options)
    value = st.session_state.setdefault(key, default if default in listed else listed[0])
    values = listed if value in listed else with_value(listed, value)
    data = {
        "name": key,
        "label": label,
        "help": help or "",
        "values": values,
        "texts": [format_func(value) for value in values],
        "default": values.index(default) if default in values else None,
        "disabled": disabled,
        "behind": [list(curve) for curve in behind],
    }
    picture, rest = _answer.get() or (None, None)
    take = partial(_take, key, values, on_change, rest)
    if picture is None:
        _draw(data, take)
    else:
        st.fragment(_draw_alone, key=ALONE.format(key))(data, take, picture)
    return st.session_state[key]


@guarded
def _draw_alone(data: dict[str, Any], take: Callable[[], None], picture: Picture) -> None:
    """Draw the slider, while it moves with the picture; without one, the whole page runs."""
    drawn = None
    if st.session_state.get(ANSWERS) == data["name"]:
        st.session_state[ANSWERS] = ""
        drawn = picture()
        if drawn is None:
            st.rerun(scope="app")
    _draw(data, take, drawn)


def _draw(data: dict[str, Any], take: Callable[[], None], picture: dict[str, Any] | None = None) -> None:
    """Draw the slider; the data are what the browser knows of it, whatever its value."""
    own = OWN.format(data["name"])
    sent = reported(own, "moved")
    n = sent.get("n") if isinstance(sent, dict) else None  # of the last message that came; 0 before the first
    is_number = isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 2**53
    now = {"at": data["values"].index(st.session_state[data["name"]]), "n": n if is_number else 0}
    now |= {} if picture is None else {"picture": picture}
    _component(data | now, key=own, on_moved_change=callback(take))


def _take(key: str, values: list[Any], on_change: Callable[[], None] | None, rest: Rest | None) -> None:
    """Take a message of the browser, before the page or the fragment runs (a callback)."""
    move = chosen_move(reported(OWN.format(key), "moved"), len(values))
    if move is None:
        return
    at, is_over = move
    st.session_state[key] = values[at]
    if not is_over:
        address.stay(key)
    if on_change is not None:
        on_change()
    if rest is not None and is_over:
        st.session_state.pop(address.MOVING, None)  # the address may be written again
        rest([ALONE.format(key)])
    st.session_state[ANSWERS] = "" if rest is None else key


def with_value(options: Sequence[Any], value: Any) -> list[Any]:
    """The options with this other value among them, numbers by size; one without an order is the last.

    >>> with_value([0, 5, 10, None], 7)
    [0, 5, 7, 10, None]
    """
    numbers = [option for option in options if isinstance(option, int | float)]
    at = bisect(numbers, value) if isinstance(value, int | float) else len(options)
    return [*options[:at], value, *options[at:]]


def chosen_move(sent: Any, many: int) -> tuple[int, bool] | None:
    """The move that the browser reports: the number of the value, of so many, and whether the move has ended.

    None for anything else.
    """
    if not isinstance(sent, dict):
        return None
    at, over = sent.get("at"), sent.get("over")
    if not isinstance(at, int) or isinstance(at, bool) or not isinstance(over, bool):
        return None
    return (at, over) if 0 <= at < many else None
