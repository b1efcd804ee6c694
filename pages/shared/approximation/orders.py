"""Which class and column of an uploaded model is which of the table's: chosen here, or by what agrees best."""

from __future__ import annotations

from itertools import permutations

import streamlit as st

from espalier.analysis.approximation.arrangement import Arranged, Order, candidates
from espalier.data import Dataset
from espalier.views.approximation import arrangement_words
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.models.rail import Help

CLASSES, COLUMNS = "ap-classes", "ap-columns"
NAMES = {CLASSES: "classes", COLUMNS: "columns"}  # in the URL
AUTOMATIC = ""  # whichever agrees best with the table's target
MOST_CLASSES = 4  # all orders of which are offered
MOST = 500  # columns or classes whose order an address can hold
HELP = {
    CLASSES: Help(
        "Your model's classes",
        "Which class of the table each class of the model is. A file that numbers its classes does not say which "
        "is which: by itself the page takes the order that agrees best with the table's target.",
    ),
    COLUMNS: Help(
        "Your model's columns",
        "In which order the model takes the table's columns. A file without names does not say so: by itself the "
        "page tries the table's order, the alphabet's and the opposite, and takes what agrees best with the "
        "target.",
    ),
}


def url_entries() -> list[Entry]:
    """Both orders, as parts of the address."""
    return [Entry(key, AUTOMATIC, _order, name=name) for key, name in NAMES.items()]


def _order(text: str) -> str:
    places = text.split("-")
    if len(places) > MOST or sorted(places) != sorted(map(str, range(len(places)))):
        raise ValueError("the places of the table's classes or columns in the model's order, such as 1-0")
    return text


def chosen(key: str) -> Order | None:
    """The order of this key; None: whichever agrees best."""
    text = st.session_state[key]
    return None if text == AUTOMATIC else tuple(int(place) for place in text.split("-"))


def drop_invalid(dataset: Dataset) -> list[str]:
    """Let go of orders that are of another table; notes on what was let go."""
    sizes = {CLASSES: len(dataset.classes), COLUMNS: len(dataset.features)}
    notes = []
    for key, size in sizes.items():
        order = chosen(key)
        if order is not None and len(order) != size:
            notes.append(f"{NAMES[key]}={st.session_state[key]} is of another table")
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


def _pick(key: str, offered: list[Order], said) -> None:
    """A choice among orders; one that was written stands among them."""
    words = {AUTOMATIC: "Whichever agrees best"} | {_text(order): said(order) for order in offered}
    own = chosen(key)
    if own is not None:
        words.setdefault(_text(own), said(own))
    st.selectbox(HELP[key].label, list(words), key=key, format_func=lambda text: words[text], help=HELP[key].text)


def _text(order: Order) -> str:
    return "-".join(map(str, order))


def _write(key: str, names: list[str]) -> None:
    """Any other order, written by name."""
    with st.expander("In another order"):
        st.text_area(
            "Names in your model's order, one a line", key=f"{key} written", on_change=callback(_take),
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
        wrong = f"The table has no {plain(strange[0])}: write its own names, one a line."
    elif lacking:
        wrong = f"{len(lacking)} of {len(names)} are lacking, the first is {plain(lacking[0])}."
    elif len(written) != len(names):
        wrong = "Some names stand there twice: each must stand there once."
    elif written:
        st.session_state[key] = _text(tuple(names.index(name) for name in written))
    st.session_state[f"{key} wrong"] = wrong if written else ""


def tell(found: Arranged | None, dataset: Dataset) -> None:
    """On the page: which orders were taken and why, and a warning where the model is of no use."""
    if found is None:
        return
    is_chosen = any(chosen(key) is not None for key in (CLASSES, COLUMNS))
    said = arrangement_words.taken(found, dataset, is_chosen, plain)
    if said:
        st.caption(f"{said} Not so? Change it in the left rail.")
    if wrong := arrangement_words.warning(found, dataset, plain):
        st.warning(wrong)
