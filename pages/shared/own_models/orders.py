"""The order of an uploaded model's classes and columns in the table: chosen here, or the best that agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations

import streamlit as st

from espalier.approximation import words
from espalier.approximation.fidelity import Arranged, Order, candidates
from espalier.data import Dataset
from espalier.language import say, to_say
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain

CLASSES, COLUMNS = "ap-classes", "ap-columns"
NAMES = {CLASSES: "classes", COLUMNS: "columns"}  # in the URL
HELP = to_say("A file without names does not say: by itself the page takes what agrees best with the target.")
AUTOMATIC = ""  # the order that agrees best with the table's target
MOST_CLASSES = 4  # all orders of which are offered
MOST = 500  # columns or classes whose order an address can hold


def url_entries() -> list[Entry]:
    """Both orders, as parts of the address."""
    return [Entry(key, AUTOMATIC, _order, name=name) for key, name in NAMES.items()]


def _order(text: str) -> str:
    places = text.split("-")
    if len(places) > MOST or sorted(places) != sorted(map(str, range(len(places)))):
        raise ValueError(say("the places of the table's classes or columns in the model's order, such as 1-0"))
    return text


def chosen(key: str) -> Order | None:
    """The order of this key; None for the one that agrees best."""
    text = st.session_state[key]
    return None if text == AUTOMATIC else tuple(int(place) for place in text.split("-"))


def drop_invalid(dataset: Dataset) -> list[str]:
    """Let go of orders that are of another table; notes on these."""
    sizes = {CLASSES: len(dataset.classes), COLUMNS: len(dataset.features)}
    notes = []
    for key, size in sizes.items():
        order = chosen(key)
        if order is not None and len(order) != size:
            notes.append(
                say("{parameter}={text} is of another table", parameter=NAMES[key], text=st.session_state[key])
            )
            st.session_state[key] = AUTOMATIC
    return notes


def draw(dataset: Dataset) -> None:
    """The controls of both orders, where there is more than one."""
    n, names = len(dataset.classes), [feature.name for feature in dataset.features]
    if n > 1:
        every = list(permutations(range(n))) if n <= MOST_CLASSES else candidates(dataset.classes).values()
        _pick(CLASSES, say("Your model's classes"), every, lambda order: words.classes(order, dataset))
    if 1 < len(names) <= MOST:
        orders = candidates(names).values()
        _pick(COLUMNS, say("Your model's columns"), orders, lambda order: words.columns(order, dataset))


def _pick(key: str, label: str, offered: Iterable[Order], describe: Callable[[Order], str]) -> None:
    """A choice among orders; another one that a link has stands among them."""
    own = chosen(key)
    orders = [*offered] if own is None else [*offered, own]
    titles = {AUTOMATIC: say("Whichever agrees best")}
    titles |= {"-".join(map(str, order)): describe(order) for order in orders}
    st.selectbox(label, list(titles), key=key, format_func=titles.__getitem__, help=say(HELP))


def note(arranged: Arranged | None, dataset: Dataset) -> None:
    """Draw a note on the orders that were taken and why, and a warning where the model is of no use."""
    if arranged is None:
        return
    if order := words.order_words(arranged, dataset, plain):
        st.caption(say("{order} Not so? Change it above.", order=order))
    for text in arranged.notes:
        st.caption(plain(str(text)))
    if wrong := words.warning(arranged, dataset, plain):
        st.warning(wrong)
