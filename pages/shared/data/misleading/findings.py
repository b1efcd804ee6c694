"""What about the table in use misleads, with the way to see it and the button that mends it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset, Feature, samples
from espalier.data.errors import quoted
from espalier.data.features import (
    column_name,
    column_parts,
    grouped_by,
    keep_features,
    part_as_target,
    without_features,
)
from espalier.display import tables
from espalier.findings import finding as kinds
from espalier.findings.finding import Finding
from espalier.findings.findings import advice
from espalier.language import say
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.data_table import data_table
from pages.shared.data import library
from pages.shared.data.misleading import checking
from pages.shared.data.misleading.checking import CheckJob
from pages.shared.models import drawer

LIST = "findings"  # key of the drawer
DISMISSED = "dismissed-findings"  # key of the session state: jobs whose mark is not shown any more
ONE_COLUMN = (kinds.COPY, kinds.ALONE, kinds.ONLY_TRAINING, kinds.ORDER, kinds.IDENTIFIER)  # whose tree shows it
OUT = (*ONE_COLUMN, kinds.CONSTANT, kinds.ALIKE_ROWS)  # what is mended without the column
TWINS = (kinds.SAME_ROWS, kinds.NEAR_ROWS, kinds.ALIKE_ROWS)
OF_PARTS = (kinds.DRIFT, kinds.PARTS_DIFFER)


class TableOffer(NamedTuple):
    """A table made of the one in use, under a button that takes it into use."""

    label: str
    icon: str
    make: Callable[[], Dataset]
    shows: bool = False  # whether its tree is shown, which the button then opens


def draw(dataset: Dataset) -> None:
    """Draw the list, or nothing where nothing was found."""
    job = CheckJob(dataset, drawer.holdout())
    outcome = checking.begun(job)
    with st.container(key="findings place"):  # there even while nothing is known: what is below keeps its place
        if outcome.is_awaited:
            checking.await_end(job)
        elif found := outcome.value:
            opened = st.expander(
                say("What to look at first ({n})", n=len(found)),
                icon=":material/lightbulb:",
                key=LIST,
                on_change="rerun",
            )
            if opened.open:
                with opened:
                    for number, one in enumerate(found):
                        _draw_one(job, one, number)


def mark(dataset: Dataset) -> None:
    """Draw a sentence on the Tree page where something serious is known of a person's own table.

    It is not waited for: the page runs again when it is known. Bundled samples have nothing of the kind.
    """
    if library.own_text(library.key_of(dataset)) in samples.names():
        return
    job, place = CheckJob(dataset, drawer.holdout()), st.container()  # what is below keeps its place
    outcome = checking.known(job)
    if outcome.is_awaited:
        with place:
            checking.await_end(job)
    serious = [one for one in outcome.value or [] if one.is_serious]
    if not serious or job.key in st.session_state.get(DISMISSED, ()):
        return
    with place.container(horizontal=True, vertical_alignment="center", key="finding mark"):
        seen = advice(dataset, serious[0], _name).seen
        st.markdown(_headline(seen, len(serious) - 1), width="stretch")
        st.page_link("pages/data.py", label=say("Look at the data first"), icon=":material/lightbulb:")
        st.button(
            "",
            icon=":material/close:",
            help=say("Do not say this again"),
            type="tertiary",
            key="dismiss findings",
            on_click=callback(_dismiss),
            args=(job.key,),
        )


def _dismiss(key: str) -> None:
    st.session_state[DISMISSED] = {*st.session_state.get(DISMISSED, ()), key}


def _draw_one(job: CheckJob, one: Finding, number: int) -> None:
    """Draw a finding, with its buttons and rows."""
    st.markdown(_paragraph(*advice(job.dataset, one, _name)))
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding {number}"):
        for place, offer in enumerate(_offers(job, one)):
            _button(offer, f"finding {number} {place}")
        if one.rows:
            with st.popover(say("The rows"), icon=":material/table_rows:"):
                _rows(job, one)


def _button(offer: TableOffer, key: str) -> None:
    """Draw the button of an offer; where it shows a tree, it opens the Tree page."""
    if not offer.shows:
        st.button(offer.label, icon=offer.icon, key=key, on_click=callback(_take), args=(offer,))
    elif st.button(offer.label, icon=offer.icon, key=key):
        st.switch_page("pages/tree.py", query_params={library.PARAMETER: _take(offer)})


def _take(offer: TableOffer) -> str:
    """Make the table and take it into use; its text in the address."""
    return library.choose(offer.make())


def _offers(job: CheckJob, one: Finding) -> list[TableOffer]:
    """The tables that show or mend what was found."""
    data, found = job.dataset, list[TableOffer]()
    columns = column_parts(data.features, one.columns)  # of dates with their months and weekdays
    name = samples.title_of(data)
    names = ", ".join(dict.fromkeys(column_name(data.features[column]) for column in columns))
    if one.kind in ONE_COLUMN:
        alone = partial(keep_features, data, columns, say("{name}: {columns} alone", name=name, columns=names))
        found.append(TableOffer(say("Its tree alone"), ":material/account_tree:", alone, shows=True))
    if one.kind in OF_PARTS:
        part = Feature(say("part"), "category", (say("training"), say("held out")))
        of_parts = partial(part_as_target, data, job.held, part, say("{name}: training or held out", name=name))
        found.append(TableOffer(say("Tree of the two parts"), ":material/account_tree:", of_parts, shows=True))
    if one.kind in OUT and len(data.features) > len(columns):
        without = partial(
            without_features, data, columns, say("{name} without {columns}", name=name, columns=names)
        )
        found.append(TableOffer(say("Leave it out"), ":material/remove:", without))
    if one.kind == kinds.GROUPS and len(data.features) > len(columns):
        grouped = partial(grouped_by, data, one.columns[0], say("{name} by {column}", name=name, column=names))
        found.append(TableOffer(say("Make it the group"), ":material/group:", grouped))
    return found


def _rows(job: CheckJob, one: Finding) -> None:
    columns = dict.fromkeys([*one.columns, *tables.on_page(len(job.dataset.features), one.columns)])
    shown = tables.listed(job.dataset, np.array(one.rows), job.held, features=list(columns))
    data_table(shown, hide_index=True, alt=say("Rows that show it"))
    st.caption(
        say("Like rows stand one below the other; at most the first 50 rows.")
        if one.kind in (kinds.SAME_ROWS, kinds.NEAR_ROWS, kinds.ALIKE_ROWS)
        else say("At most the first 50 rows.")
    )


def _name(text: str) -> str:
    return plain(quoted(text))


def _paragraph(seen: str, why: str, todo: str) -> str:
    """What was seen, why it misleads, and what to do; Markdown."""
    return f"**{seen}** {why} *{todo}*"


def _headline(seen: str, n_more: int) -> str:
    """The most serious thing, and how many more there are; Markdown."""
    more = say(" And {n_more} more.", n_more=n_more) if n_more else ""
    return say("**These scores may mislead.** {seen}{more}", seen=seen, more=more)
