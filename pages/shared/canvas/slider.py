"""The slider of the pages: over a list of values, of which it sends those that it passes while it is moved.

The value stands in the session state under the slider's key, as that of a widget of Streamlit does, so that the
address, Undo and tests set it there. The browser has the list's words and says ``{"at": number of the value,
"over": whether the move has ended, "n": which message}``, never two before the page has answered. A move is one
step of Undo and of the browser's history, however many values it passes.

Within `answered_by` a slider that moves is a fragment of its own: it brings a picture of what it stands for along,
and the rest of the page rests until the move has ended. Then those parts run that it changes.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import streamlit as st

from pages.shared.app import address
from pages.shared.app.frame import callback, guarded
from pages.shared.canvas.components import mount

_component = mount("slider")


# While a control moves, as `shared/live.js` describes it; None: the whole page runs.
Picture = Callable[[], dict[str, Any] | None]
# Where it comes to rest, has the parts run that this changes, and fragments of these keys.
Rest = Callable[[Sequence[str]], NoReturn]
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
    values = with_value(listed, st.session_state.setdefault(key, default if default in listed else listed[0]))
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
    take = _taker(key, values, on_change, rest)
    if picture is None:
        _draw(data, take)
    else:
        st.fragment(_draw_alone, key=_fragment(key))(data, take, picture)
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
    key = data["name"]
    now = {"at": data["values"].index(st.session_state[key]), "n": _last_message(key)}
    now |= {} if picture is None else {"picture": picture}
    _component(data | now, key=_own(key), on_moved_change=callback(take))


def _taker(
    key: str, values: list[Any], on_change: Callable[[], None] | None, rest: Rest | None
) -> Callable[[], None]:
    """What the browser's messages call, before the page or the fragment runs."""

    def take() -> None:
        move = chosen_move(_reported(key), len(values))
        if move is None:
            return
        at, is_over = move
        st.session_state[key] = values[at]
        if not is_over:
            address.stay(key)
        if on_change is not None:
            on_change()
        if rest is not None and is_over:
            address.move_on()
            rest([_fragment(key)])
        st.session_state[ANSWERS] = "" if rest is None else key

    return take


def with_value(options: Sequence[Any], value: Any) -> list[Any]:
    """The options with this value among them, numbers by size; one that cannot be put in order is the last.

    >>> with_value([0, 5, 10, None], 7)
    [0, 5, 7, 10, None]
    """
    if value in options:
        return list(options)
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


def _fragment(key: str) -> str:
    """Key of the fragment that a slider is."""
    return f"{key}-alone"


def _own(key: str) -> str:
    """Key of the component, beside that of its value."""
    return f"{key} slider"


def _reported(key: str) -> Any:
    state: Any = st.session_state.get(_own(key))
    return state.get("moved") if hasattr(state, "get") else None


def _last_message(key: str) -> float:
    """The number of the last message that came; 0 before the first."""
    sent = _reported(key)
    n = sent.get("n") if isinstance(sent, dict) else None
    return n if isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 2**53 else 0
