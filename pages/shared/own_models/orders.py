"""The order of an uploaded model's classes and columns in the table: chosen here, or the best that agrees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import streamlit as st

from espalier.analysis.approximation.arrangement import Arranged, Order, candidates
from espalier.data import Dataset
from espalier.views.approximation import arrangement_words
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.models.rail import Help
from pages.shared.words.own import model as words

CLASSES, COLUMNS = "ap-classes", "ap-columns"
NAMES = {CLASSES: "classes", COLUMNS: "columns"}  # in the URL
AUTOMATIC = ""  # the order that agrees best with the table's target
MOST_CLASSES = 4  # all orders of which are offered
MOST = 500  # columns or classes whose order an address can hold


def url_entries() -> list[Entry]:
    """Both orders, as parts of the address."""
    return [Entry(key, AUTOMATIC, _order, name=name) for key, name in NAMES.items()]


def _order(text: str) -> str:
    places = text.split("-")
    if len(places) > MOST or sorted(places) != sorted(map(str, range(len(places)))):
        raise ValueError(words.PLACES)
    return text


def chosen(key: str) -> Order | None:
    """The order of this key; None for the one that agrees best."""
    return order_of(st.session_state[key])


def order_of(text: str) -> Order | None:
    """The order that a text of the address stands for; None for the one that agrees best."""
    return None if text == AUTOMATIC else tuple(int(place) for place in text.split("-"))


def drop_invalid(dataset: Dataset) -> list[str]:
    """Let go of orders that are of another table; notes on these."""
    sizes = {CLASSES: len(dataset.classes), COLUMNS: len(dataset.features)}
    notes = []
    for key, size in sizes.items():
        order = chosen(key)
        if order is not None and len(order) != size:
            notes.append(words.other_table(NAMES[key], st.session_state[key]))
            st.session_state[key] = AUTOMATIC
    return notes


def forget() -> None:
    """Let go of the orders of an earlier file."""
    for key in (CLASSES, COLUMNS):
        st.session_state[key] = AUTOMATIC


def draw(dataset: Dataset) -> None:
    """The controls of both orders, where there is more than one."""
    n, names = len(dataset.classes), [feature.name for feature in dataset.features]
    if n > 1:
        every = list(permutations(range(n))) if n <= MOST_CLASSES else list(candidates(dataset.classes).values())
        _pick(CLASSES, [*every], lambda order: arrangement_words.classes(order, dataset))
        if n > MOST_CLASSES:
            _write(CLASSES, list(dataset.classes))
    if 1 < len(names) <= MOST:
        _pick(COLUMNS, [*candidates(names).values()], lambda order: arrangement_words.columns(order, dataset))
        _write(COLUMNS, names)


def _pick(key: str, offered: list[Order], describe: Callable[[Order], str]) -> None:
    """A choice among orders; one that was written stands among them."""
    titles = {AUTOMATIC: words.BEST_ORDER} | {_text(order): describe(order) for order in offered}
    own = chosen(key)
    if own is not None:
        titles.setdefault(_text(own), describe(own))
    st.selectbox(
        Help(*words.ORDERS[key]).label,
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        help=Help(*words.ORDERS[key]).text,
    )


def _text(order: Order) -> str:
    return "-".join(map(str, order))


def _write(key: str, names: list[str]) -> None:
    """Any other order, written by name."""
    with st.expander(words.OTHER_ORDER):
        st.text_area(
            words.NAMES_IN_ORDER, key=f"{key} written", on_change=callback(_take),
            args=(key, names), placeholder="\n".join(names[:3]), height=120,
        )  # fmt: skip
        if wrong := st.session_state.get(f"{key} wrong"):
            st.error(wrong)


def _take(key: str, names: list[str]) -> None:
    lines = [line.strip(" ,\t'\"") for line in st.session_state[f"{key} written"].splitlines()]
    written = [line for line in lines if line]
    wrong = ""
    lacking, strange = [n for n in names if n not in written], [w for w in written if w not in names]
    if strange:
        wrong = words.no_such_name(plain(strange[0]))
    elif lacking:
        wrong = words.lacking(len(lacking), len(names), plain(lacking[0]))
    elif len(written) != len(names):
        wrong = words.TWICE
    elif written:
        st.session_state[key] = _text(tuple(names.index(name) for name in written))
    st.session_state[f"{key} wrong"] = wrong if written else ""


def note(arranged: Arranged | None, dataset: Dataset) -> None:
    """Draw a note on the orders that were taken and why, and a warning where the model is of no use."""
    if arranged is None:
        return
    is_chosen = any(chosen(key) is not None for key in (CLASSES, COLUMNS))
    if order := arrangement_words.taken(arranged, dataset, is_chosen, plain):
        st.caption(words.not_so(order))
    for one in arranged.notes:
        st.caption(plain(str(one)))
    if wrong := arrangement_words.warning(arranged, dataset, plain):
        st.warning(wrong)
