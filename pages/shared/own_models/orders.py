"""The order of an uploaded model's classes and columns in the table: chosen here, or the best that agrees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import streamlit as st

from espalier.approximation import words
from espalier.approximation.fidelity import Arranged, Order, candidates
from espalier.data import Dataset
from espalier.language import Texts, say
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain

ORDERS = Texts(
    {
        "ap-classes": (
            "Your model's classes",
            "Which class of the table each class of the model is. A file that numbers its classes does not say "
            "which is which: by itself the page takes the order that agrees best with the table's target.",
        ),
        "ap-columns": (
            "Your model's columns",
            "In which order the model takes the table's columns. A file without names does not say so: by itself "
            "the page tries the table's order, the alphabet's and the opposite, and takes what agrees best with "
            "the target.",
        ),
    }
)

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
        raise ValueError(say("the places of the table's classes or columns in the model's order, such as 1-0"))
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
            notes.append(
                say("{parameter}={text} is of another table", parameter=NAMES[key], text=st.session_state[key])
            )
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
        _pick(CLASSES, [*every], lambda order: words.classes(order, dataset))
        if n > MOST_CLASSES:
            _write(CLASSES, list(dataset.classes))
    if 1 < len(names) <= MOST:
        _pick(COLUMNS, [*candidates(names).values()], lambda order: words.columns(order, dataset))
        _write(COLUMNS, names)


def _pick(key: str, offered: list[Order], describe: Callable[[Order], str]) -> None:
    """A choice among orders; one that was written stands among them."""
    titles = {AUTOMATIC: say("Whichever agrees best")} | {_text(order): describe(order) for order in offered}
    own = chosen(key)
    if own is not None:
        titles.setdefault(_text(own), describe(own))
    st.selectbox(
        ORDERS[key][0],
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        help=ORDERS[key][1],
    )


def _text(order: Order) -> str:
    return "-".join(map(str, order))


def _write(key: str, names: list[str]) -> None:
    """Any other order, written by name."""
    with st.expander(say("In another order")):
        st.text_area(
            say("Names in your model's order, one a line"), key=f"{key} written", on_change=callback(_take),
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
        wrong = say("The table has no {name}: write its own names, one a line.", name=plain(strange[0]))
    elif lacking:
        wrong = say(
            "{n} of {of} are lacking, the first is {first}.",
            n=len(lacking),
            of=len(names),
            first=plain(lacking[0]),
        )
    elif len(written) != len(names):
        wrong = say("Some names stand there twice: each must stand there once.")
    elif written:
        st.session_state[key] = _text(tuple(names.index(name) for name in written))
    st.session_state[f"{key} wrong"] = wrong if written else ""


def note(arranged: Arranged | None, dataset: Dataset) -> None:
    """Draw a note on the orders that were taken and why, and a warning where the model is of no use."""
    if arranged is None:
        return
    is_chosen = any(chosen(key) is not None for key in (CLASSES, COLUMNS))
    if order := words.order_words(arranged, dataset, is_chosen, plain):
        counted = say(
            "All rows count here, also those that it was trained on: this chooses an order and is no score."
        )
        st.caption(say("{order} {counted} Not so? Change it above.", order=order, counted=counted))
    for one in arranged.notes:
        st.caption(plain(str(one)))
    if wrong := words.warning(arranged, dataset, plain):
        st.warning(wrong)
