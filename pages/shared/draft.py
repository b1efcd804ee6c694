"""The table that a session is bringing in: kept from reading to use, also while another page is open."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from core.data.convert import Target, to_dataset
from core.data.dataset import Dataset
from core.data.errors import TableError
from core.data.kinds import (
    ColumnPlan,
    ColumnSummary,
    guess_kinds,
    guess_target,
    summarise,
)
from core.data.options import ReadOptions
from core.data.table import Table, guess_options, read_table

KEY = "draft"  # of the session state
COUNT = "drafts so far"  # of the session state
PASTED = "Pasted table"


class Draft(NamedTuple):
    """A file, how it was read, and what its columns are taken for; the table is None where reading failed."""

    number: int  # of the session's drafts: part of the keys of the widgets that edit it
    source: bytes
    filename: str
    options: ReadOptions | None
    table: Table | None
    error: TableError | None
    plans: tuple[ColumnPlan, ...] = ()
    summaries: tuple[ColumnSummary, ...] = ()
    target: str = ""
    task: str = ""  # empty: as the values suggest


def current() -> Draft | None:
    """The session's draft, if it has one."""
    return st.session_state.get(KEY)


def start(source: bytes, filename: str) -> None:
    """Read a file by guesses and make it the draft."""
    st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    _keep(Draft(st.session_state[COUNT], source, filename, None, None, None))


def read_again(options: ReadOptions) -> None:
    """Read the draft's file by corrected options; what a person said of its columns stays, by their names."""
    draft = current()
    if draft and options != draft.options:
        _keep(draft._replace(options=options))


def update(**changes) -> Draft | None:
    """The draft with these fields changed."""
    draft = current()
    if draft:
        st.session_state[KEY] = draft._replace(**changes)
    return current()


def discard() -> None:
    """Forget the draft (a callback)."""
    st.session_state.pop(KEY, None)


def dataset(draft: Draft) -> tuple[Dataset, list[str]]:
    """The data set that the draft makes, and notes on it. Raises TableError if it makes none."""
    assert draft.table is not None
    key = (draft.table.digest, draft.table.name)
    return _dataset(key, draft.plans, (draft.target, draft.task), draft.table)


@st.cache_resource(max_entries=4, show_spinner=False)
def _dataset(
    key: tuple[str, str], plans: tuple[ColumnPlan, ...], target: tuple[str, str], _table: Table
) -> tuple[Dataset, list[str]]:
    return to_dataset(_table.frame, plans, Target(*target), key[1])


def _corrections(draft: Draft) -> dict[str, ColumnPlan]:
    """By name, the plans that are not what was guessed."""
    if draft.table is None:
        return {}
    guessed = guess_kinds(draft.table.frame, draft.table.categories)
    return {plan.name: plan for plan, guess in zip(draft.plans, guessed, strict=True) if plan != guess}


def _keep(draft: Draft) -> None:
    try:
        table = read_table(draft.source, draft.filename, draft.options)
    except TableError as error:
        options = draft.options or guess_options(draft.source, draft.filename)
        st.session_state[KEY] = draft._replace(error=error, table=None, options=options)
        return
    said = _corrections(draft)
    plans = tuple(said.get(plan.name, plan) for plan in guess_kinds(table.frame, table.categories))
    st.session_state[KEY] = draft._replace(
        table=table,
        error=None,
        options=table.options,
        plans=plans,
        summaries=tuple(summarise(table.frame)),
        target=draft.target if draft.target in table.frame else guess_target(list(plans)) or "",
        task="",
    )
