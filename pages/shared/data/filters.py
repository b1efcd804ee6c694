"""The filter of the rows of the data set in use: its builder on the Data page, and the line that says it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.data import Dataset, Filter, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.errors import counted
from espalier.data.filters import ALL, LONGEST
from espalier.data.subset import check_part, mask_of
from espalier.display.theme import count
from espalier.language import say
from pages.shared.app import address
from pages.shared.app.frame import callback, guarded, plain
from pages.shared.data import by_condition, library
from pages.shared.data.conditions import Lines

OPEN, OF = "filter-rows", "filter-of"  # keys of the session state: the drawer, and the data set of its lines
MOST_CLASSES = 8  # whose numbers of rows are listed


def line(dataset: Dataset) -> None:
    """Say which rows the data set in use has, with the way back to all; nothing if it has all."""
    if rows := library.divided(library.key_of(dataset))[1]:
        st.caption(f":material/filter_alt: {plain(filter_of(rows).words)}")
        _all_rows()


def _all_rows() -> None:
    st.button(
        say("All rows"), icon=":material/filter_alt_off:", help=say("Takes the filter away."), key="all rows",
        on_click=callback(keep), args=(ALL,),
    )  # fmt: skip


def keep(rows: Filter) -> None:
    """Make these rows of the table the data set in use (also as a callback)."""
    library.take(library.with_rows(library.chosen_key(), rows.text))


def draw(page: str) -> None:
    """Draw the drawer of the builder; last of all, when it is known whether there is a step to take back."""
    drawer = st.expander(say("Filter rows"), icon=":material/filter_alt:", key=OPEN, on_change="rerun")
    if drawer.open:
        with drawer:
            _builder(library.chosen_key(), page)


@st.fragment(key="filter")
@guarded
def _builder(key: str, page: str) -> None:
    """Draw the conditions, how many rows they keep, and the buttons that act on them."""
    table, rows = library.divided(key)
    whole = library.find_whole(table)
    if whole is None:
        return
    st.caption(
        say(
            "Work on a part of the rows: every page then takes it for the whole table. *And* "
            "binds more than *or*, which begins another alternative."
        )
    )
    lines = Lines("filter", columns_of(whole))
    if st.session_state.get(OF) != key or not lines.are_there:
        st.session_state[OF] = key
        lines.fill(ALL if library.refusal(key) else filter_of(rows))
    made = lines.draw()
    is_fit = _count(whole, made)
    with st.container(horizontal=True, key="filter buttons"):
        st.button(say("Add a condition"), icon=":material/add:", on_click=callback(lines.add), key="add condition")
        asked = _buttons(whole, made, is_fit)
        if st.button(
            say("Hold these rows out"),
            help=say(
                "Trees grow on the other rows and are tested on these, instead of on rows that "
                "chance holds out: rows of a column “test”, of a later year, of another place. Folds "
                "of cross-validation stay as they are."
            ),
            disabled=made is None,
            key="hold out rows",
        ):
            by_condition.take("" if made is None else made.text)
        if rows:
            _all_rows()
        if address.can_undo(page):
            st.button(
                say("Undo"),
                icon=":material/undo:",
                on_click=callback(address.undo),
                args=(page,),
                key="undo filter",
            )
    if asked is not None:
        keep(asked)
    if library.chosen_key() != key:
        st.rerun(scope="app")


def _buttons(whole: Dataset, made: Filter | None, is_fit: bool) -> Filter | None:
    """Draw the buttons that keep rows; the filter of those that one of them asks for."""
    if st.button(
        say("Keep these rows"), type="primary", icon=":material/check:", disabled=not is_fit, key="keep rows"
    ):
        return made
    others = None if made is None else _others(whole, made)
    if st.button(
        say("Keep the others"),
        help=say("Turns the conditions round: just the rows that they leave out are kept."),
        disabled=others is None,
        key="keep others",
    ):
        return others
    return None


def _others(whole: Dataset, made: Filter) -> Filter | None:
    """The filter of all other rows; None where there are too few, or too many conditions to say which."""
    if np.prod([len(conditions) for conditions in made.alternatives], dtype=float) > LONGEST:
        return None
    try:
        others = made.opposite.in_short(columns_of(whole))
        check_part(whole, mask_of(whole, filter_of(others.text)))
    except FilterError:
        return None
    return others


def _count(whole: Dataset, made: Filter | None) -> bool:
    """Say how many rows the conditions keep; whether one can work on them."""
    if made is None:
        st.caption(say("A condition has no value yet: choose one, or take the condition away."))
        return False
    try:
        mask = mask_of(whole, filter_of(made.text))
        st.markdown(_row_count(int(mask.sum()), len(mask), _sizes(whole, mask)))
        check_part(whole, mask)
    except FilterError as error:
        st.warning(plain(str(error)))
        return False
    return True


def _sizes(whole: Dataset, mask: np.ndarray) -> list[tuple[str, int]]:
    """Rows of each class among those that are kept; none where there are too many classes to list, or numbers."""
    if not whole.is_classification or len(whole.classes) > MOST_CLASSES:
        return []
    sizes = np.bincount(whole.y[mask], minlength=len(whole.classes)).tolist()
    return [(plain(name), size) for name, size in zip(whole.classes, sizes, strict=True)]


def _row_count(n: int, n_all: int, classes: Sequence[tuple[str, int]]) -> str:
    """Number of rows that the conditions keep, and of each class; the names are Markdown."""
    sizes = ", ".join((say("{name} {size}", name=name, size=count(size)) for name, size in classes))
    return say("**{n} of {n_all}**", n=count(n), n_all=counted(n_all, "row"), n_all_2=count(n_all)) + (
        f": {sizes}" if sizes else ""
    )
